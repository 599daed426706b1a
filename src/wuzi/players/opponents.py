"""The opponents that the faces offer, by ids of their own: never specs or commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from wuzi.contract import Limit
from wuzi.errors import ConfigError
from wuzi.nets.shelf import NetEntry, NetRating, list_nets
from wuzi.players.levels import LEVELS, Level, LevelName, LevelRating, level_ratings


@dataclass(frozen=True, slots=True)
class EngineLevel:
    """A level of an engine: its id on the wire, names for people, who plays (a seed is added), its budget."""

    id: str
    en: str
    zh: str
    spec: str
    limit: Limit = field(default_factory=Limit)


@dataclass(frozen=True, slots=True)
class EngineEntry:
    """An opponent.

    Attributes:
        id: its name on the wire.
        en, zh: its name for people.
        about_en, about_zh: one sentence each.
        levels: at least one.
        default: the id of the level that is chosen at first; the first one where it is empty.
        ratings: measured strengths by level.
        net: the name of its net, if it plays with one.
    """

    id: str
    en: str
    zh: str
    about_en: str
    about_zh: str
    levels: tuple[EngineLevel, ...]
    default: str = ""
    ratings: Mapping[str, NetRating | LevelRating] = field(default_factory=dict)
    net: str | None = None

    def level(self, level_id: str | None = None) -> EngineLevel:
        """The level of that id, or the default one.

        Raises:
            ConfigError: there is no such level.
        """
        if level_id is None:
            return self.level(self.default) if self.default else self.levels[0]
        for level in self.levels:
            if level.id == level_id:
                return level
        known = ", ".join(level.id for level in self.levels)
        raise ConfigError(f"engine {self.id} has no level {level_id!r}: expected one of {known}")


def _named(level: Level) -> EngineLevel:
    return EngineLevel(str(level.name), level.en, level.zh, level.spec, level.limit)


_ENTRIES = (
    EngineEntry(
        "levels",
        "wuzi",
        "五子",
        "Eight levels, from novice to the whole engine; the lower ones err as people do.",
        "八个级别，从新手到完整引擎；低级别会像人一样出错。",
        tuple(map(_named, LEVELS.values())),
        default=str(LevelName.CASUAL),
        ratings=level_ratings(),
    ),
    EngineEntry(
        "random",
        "Random",
        "随机",
        "Any legal move, all equally likely: to learn how the board works.",
        "随机选择任一合法着法，适合熟悉棋盘。",
        (EngineLevel("default", "The only level", "唯一级别", "random"),),
    ),
    EngineEntry(
        "weight",
        "Score table",
        "评分表",
        "The best cell of a score table, one move deep; it can explain each choice.",
        "按棋型评分表选点，只看一步，每一手都能解释。",
        (EngineLevel("default", "The only level", "唯一级别", "weight"),),
    ),
    EngineEntry(
        "minimax-s0",
        "Minimax (9×9 study)",
        "极小化极大（9×9 研究）",
        "Alpha-beta search two or three plies deep, at random.",
        "Alpha-Beta 搜索，每步随机搜索两到三层。",
        (EngineLevel("default", "Depth 2 or 3", "2 或 3 层", "minimax:preset=s0"),),
    ),
    EngineEntry(
        "minimax-s1",
        "Minimax",
        "极小化极大",
        "Alpha-beta search with a stronger evaluation and a position term.",
        "Alpha-Beta 搜索，评估更细，并考虑位置。",
        (
            EngineLevel("normal", "Normal: depth 4", "普通：4 层", "minimax:preset=s1", Limit(time_s=10)),
            EngineLevel("easy", "Easy: depth 2", "简单：2 层", "minimax:preset=s1,depth=2"),
            EngineLevel(
                "deep", "Strong: 5 seconds", "较强：每步 5 秒", "minimax:preset=s1,depth=10", Limit(time_s=5)
            ),
        ),
    ),
    EngineEntry(
        "engine",
        "Engine",
        "引擎",
        "Alpha-beta with threat search; its evaluation is fitted to its own games.",
        "Alpha-Beta 搜索加算杀，评估由自对弈拟合（五子）。",
        (
            EngineLevel("normal", "Normal: 1 second", "普通：每步 1 秒", "engine", Limit(time_s=1)),
            EngineLevel("quick", "Quick: 20,000 positions", "快棋：2 万局面", "engine", Limit(nodes=20_000)),
            EngineLevel("strong", "Strong: 5 seconds", "较强：每步 5 秒", "engine", Limit(time_s=5)),
        ),
    ),
    EngineEntry(
        "mcts-s0",
        "Monte Carlo",
        "蒙特卡洛",
        "Pure Monte Carlo tree search with random games.",
        "纯蒙特卡洛树搜索，随机模拟对局。",
        (
            EngineLevel("default", "1000 to 2000 games", "1000～2000 次模拟", "mcts:preset=s0"),
            EngineLevel("long", "3 seconds", "每步 3 秒", "mcts:preset=s0", Limit(time_s=3)),
        ),
    ),
    EngineEntry(
        "mcts-tactical",
        "Monte Carlo with tactics",
        "战术蒙特卡洛",
        "Monte Carlo tree search whose random games see fives and open fours.",
        "蒙特卡洛树搜索，模拟对局会看连五与活四。",
        (
            EngineLevel(
                "normal", "Normal: 2 seconds", "普通：每步 2 秒", "mcts:preset=tactical", Limit(time_s=2)
            ),
            EngineLevel(
                "fast", "Quick: half a second", "快棋：每步 0.5 秒", "mcts:preset=tactical", Limit(time_s=0.5)
            ),
            EngineLevel(
                "strong", "Strong: 6 seconds", "较强：每步 6 秒", "mcts:preset=tactical", Limit(time_s=6)
            ),
        ),
    ),
)


RATED = "rated"
"""The level of a net that plays as it did for its rating."""


def net_levels(az: str, policy: str) -> tuple[EngineLevel, ...]:
    """The levels of a net: a tree search of three lengths by the spec ``az``, and its policy alone."""
    return (
        EngineLevel("normal", "Normal: 400 simulations", "普通：400 次模拟", f"{az},simulations=400"),
        EngineLevel("quick", "Quick: 64 simulations", "快棋：64 次模拟", f"{az},simulations=64"),
        EngineLevel("strong", "Strong: 5 seconds", "较强：每步 5 秒", az, Limit(time_s=5)),
        EngineLevel("policy", "Without any search", "不搜索", policy),
    )


def net_entry(net: NetEntry) -> EngineEntry:
    """A net at hand as an opponent: with a search of two lengths, and by its policy alone."""
    az, rating = f"az:net={net.name}", net.rating
    board = net.board
    where = "" if board is None else f"{board[0]}x{board[0]}, {board[1]} in a row"
    where_zh = "" if board is None else f"{board[0]}×{board[0]}，{board[1]} 连"
    return EngineEntry(
        f"net-{net.name}",
        f"Net {net.name}",
        f"网络 {net.name}",
        f"A neural net, with a tree search or without ({where}).",
        f"神经网络，可配合树搜索，也可不搜索（{where_zh}）。",
        (
            *([] if rating is None else [EngineLevel(RATED, "As rated", "评分配置", rating.player)]),
            *net_levels(az, f"policy:net={net.name}"),
        ),
        default="normal",
        ratings={} if rating is None else {RATED: rating},
        net=net.name,
    )


# Nets are looked for once, when a face starts.
ENGINES: Mapping[str, EngineEntry] = MappingProxyType(
    {entry.id: entry for entry in (*_ENTRIES, *map(net_entry, list_nets()))}
)


def find_engine(engine_id: str | None) -> EngineEntry:
    """The engine of that id.

    Raises:
        ConfigError: there is none.
    """
    if engine_id is None or engine_id not in ENGINES:
        raise ConfigError(f"unknown engine {engine_id!r}: expected one of {', '.join(ENGINES)}")
    return ENGINES[engine_id]


def seeded(spec: str, seed: int) -> str:
    """The spec with a seed, so that each game goes another way.

    >>> seeded("random", 3), seeded("mcts:preset=s0", 3)
    ('random:seed=3', 'mcts:preset=s0,seed=3')
    """
    return f"{spec}{',' if ':' in spec else ':'}seed={seed}"
