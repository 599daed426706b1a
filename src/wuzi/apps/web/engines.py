"""The server's own list of opponents. Clients name ids of this list, never specs or commands."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from wuzi.apps.web.pool import PoolBusy, WorkerPool
from wuzi.apps.web.schemas import CapabilitiesOut, EngineOut, LevelOut, LocalText, RatingOut
from wuzi.contract import Capabilities, Limit
from wuzi.core.rules import Opening, Rules, parse_rule
from wuzi.errors import ConfigError
from wuzi.nets.shelf import NetEntry, NetRating, list_nets
from wuzi.players.levels import LEVELS, LevelName, LevelRating, level_ratings
from wuzi.players.levels import Level as NamedLevel
from wuzi.protocols.analysis.queries import Describe


@dataclass(frozen=True, slots=True)
class Level:
    """A level of an engine.

    Attributes:
        id: its name on the wire.
        en, zh: its name for people.
        spec: the player that plays at this level; a seed is added for each game.
        limit: its budget for a move; by default the player's own.
    """

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
    levels: tuple[Level, ...]
    default: str = ""
    ratings: Mapping[str, NetRating | LevelRating] = field(default_factory=dict)
    net: str | None = None

    def level(self, level_id: str | None = None) -> Level:
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


def _named(level: NamedLevel) -> Level:
    return Level(str(level.name), level.en, level.zh, level.spec, level.limit)


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
        (Level("default", "The only level", "唯一级别", "random"),),
    ),
    EngineEntry(
        "weight",
        "Score table",
        "评分表",
        "The best cell of a score table, one move deep; it can explain each choice.",
        "按棋型评分表选点，只看一步，每一手都能解释。",
        (Level("default", "The only level", "唯一级别", "weight"),),
    ),
    EngineEntry(
        "minimax-s0",
        "Minimax (9×9 study)",
        "极小化极大（9×9 研究）",
        "Alpha-beta search two or three plies deep, at random.",
        "Alpha-Beta 搜索，每步随机搜索两到三层。",
        (Level("default", "Depth 2 or 3", "2 或 3 层", "minimax:preset=s0"),),
    ),
    EngineEntry(
        "minimax-s1",
        "Minimax",
        "极小化极大",
        "Alpha-beta search with a stronger evaluation and a position term.",
        "Alpha-Beta 搜索，评估更细，并考虑位置。",
        (
            Level("normal", "Normal: depth 4", "普通：4 层", "minimax:preset=s1", Limit(time_s=10)),
            Level("easy", "Easy: depth 2", "简单：2 层", "minimax:preset=s1,depth=2"),
            Level(
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
            Level("normal", "Normal: 1 second", "普通：每步 1 秒", "engine", Limit(time_s=1)),
            Level("quick", "Quick: 20,000 positions", "快棋：2 万局面", "engine", Limit(nodes=20_000)),
            Level("strong", "Strong: 5 seconds", "较强：每步 5 秒", "engine", Limit(time_s=5)),
        ),
    ),
    EngineEntry(
        "mcts-s0",
        "Monte Carlo",
        "蒙特卡洛",
        "Pure Monte Carlo tree search with random games.",
        "纯蒙特卡洛树搜索，随机模拟对局。",
        (
            Level("default", "1000 to 2000 games", "1000～2000 次模拟", "mcts:preset=s0"),
            Level("long", "3 seconds", "每步 3 秒", "mcts:preset=s0", Limit(time_s=3)),
        ),
    ),
    EngineEntry(
        "mcts-tactical",
        "Monte Carlo with tactics",
        "战术蒙特卡洛",
        "Monte Carlo tree search whose random games see fives and open fours.",
        "蒙特卡洛树搜索，模拟对局会看连五与活四。",
        (
            Level("normal", "Normal: 2 seconds", "普通：每步 2 秒", "mcts:preset=tactical", Limit(time_s=2)),
            Level(
                "fast", "Quick: half a second", "快棋：每步 0.5 秒", "mcts:preset=tactical", Limit(time_s=0.5)
            ),
            Level("strong", "Strong: 6 seconds", "较强：每步 6 秒", "mcts:preset=tactical", Limit(time_s=6)),
        ),
    ),
)


RATED = "rated"
"""The level of a net that plays as it did for its rating."""


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
            *([] if rating is None else [Level(RATED, "As rated", "评分配置", rating.player)]),
            Level("normal", "Normal: 400 simulations", "普通：400 次模拟", f"{az},simulations=400"),
            Level("quick", "Quick: 64 simulations", "快棋：64 次模拟", f"{az},simulations=64"),
            Level("strong", "Strong: 5 seconds", "较强：每步 5 秒", az, Limit(time_s=5)),
            Level("policy", "Without any search", "不搜索", f"policy:net={net.name}"),
        ),
        default="normal",
        ratings={} if rating is None else {RATED: rating},
        net=net.name,
    )


# Nets are looked for once, when the server starts.
_ALL = (*_ENTRIES, *map(net_entry, list_nets()))
ENGINES: Mapping[str, EngineEntry] = MappingProxyType({entry.id: entry for entry in _ALL})


def find_engine(engine_id: str | None) -> EngineEntry:
    """The engine of that id.

    Raises:
        ConfigError: there is none.
    """
    if engine_id is None or engine_id not in ENGINES:
        raise ConfigError(f"unknown engine {engine_id!r}: expected one of {', '.join(ENGINES)}")
    return ENGINES[engine_id]


def capabilities(can: CapabilitiesOut) -> Capabilities:
    """What a player can do, from what it says on the wire."""
    lengths = can.win_lengths
    return Capabilities(
        rules=frozenset(parse_rule(name) for name in can.rules),
        min_size=can.min_size,
        max_size=can.max_size,
        win_lengths=None if lengths is None else frozenset(lengths),
        openings=frozenset(Opening(name) for name in can.openings),
    )


def why_not(can: CapabilitiesOut, rules: Rules) -> str | None:
    """None if a player that can do this plays these rules, else the reason."""
    return capabilities(can).why_not(rules)


def seeded(spec: str, seed: int) -> str:
    """The spec with a seed, so that each game goes another way.

    >>> seeded("random", 3), seeded("mcts:preset=s0", 3)
    ('random:seed=3', 'mcts:preset=s0,seed=3')
    """
    return f"{spec}{',' if ':' in spec else ':'}seed={seed}"


class EngineList:
    """The engines with what each can play, as their players say in a worker process.

    The server itself imports no player: loading (or compiling) their kernels would hold up its loop.
    """

    def __init__(self, pool: WorkerPool, wait_s: float = 15.0) -> None:
        self._pool = pool
        self._wait_s = wait_s
        self._engines: asyncio.Task[list[EngineOut]] | None = None
        self._others: dict[str, EngineOut] = {}

    async def get(self) -> list[EngineOut]:
        """All engines as the API shows them.

        Raises:
            PlayerError: no worker could say; the next call asks again.
        """
        if self._engines is None or (self._engines.done() and _failed(self._engines)):
            self._engines = asyncio.create_task(self._describe_all())
        try:
            async with asyncio.timeout(self._wait_s):
                return await asyncio.shield(self._engines)
        except TimeoutError:
            raise PoolBusy("the engines are still being prepared: try again soon") from None

    async def why_not(self, entry: EngineEntry, rules: Rules) -> str | None:
        """None if the engine plays these rules, else the reason."""
        engines = {engine.id: engine for engine in await self.get()} if entry.id in ENGINES else self._others
        if entry.id not in engines:
            engines[entry.id] = await self._describe(entry)
        return why_not(engines[entry.id].capabilities, rules)

    async def close(self) -> None:
        """Stop asking."""
        if self._engines is not None:
            self._engines.cancel()
            await asyncio.gather(self._engines, return_exceptions=True)

    async def _describe_all(self) -> list[EngineOut]:
        # One after the other: together they would fill a short queue.
        engines = []
        for entry in _ALL:
            engines.append(await self._describe(entry))
        return engines

    async def _describe(self, entry: EngineEntry) -> EngineOut:
        request = Describe(f"describe-{secrets.token_hex(8)}", entry.level().spec)
        reply = await self._pool.submit(request).answer
        return _engine_out(entry, reply["capabilities"])


def _failed(task: asyncio.Task[list[EngineOut]]) -> bool:
    return task.cancelled() or task.exception() is not None


def _engine_out(entry: EngineEntry, can: Mapping[str, Any]) -> EngineOut:
    return EngineOut(
        id=entry.id,
        name=LocalText(en=entry.en, zh=entry.zh),
        description=LocalText(en=entry.about_en, zh=entry.about_zh),
        spec=entry.level().spec,
        net=entry.net,
        default_level=entry.level().id,
        levels=[_level_out(entry, level) for level in entry.levels],
        capabilities=CapabilitiesOut.model_validate(can),
    )


def _level_out(entry: EngineEntry, level: Level) -> LevelOut:
    rating = entry.ratings.get(level.id)
    return LevelOut(
        id=level.id,
        name=LocalText(en=level.en, zh=level.zh),
        limit=limit_out(level.limit),
        rating=None if rating is None else _rating_out(rating),
    )


def _rating_out(rating: LevelRating | NetRating) -> RatingOut:
    return RatingOut(elo=rating.elo, low=rating.low, high=rating.high, games=rating.games, size=rating.size)


def limit_out(limit: Limit) -> dict[str, float]:
    """A budget for the wire."""
    named = {"timeS": limit.time_s, "visits": limit.simulations, "nodes": limit.nodes, "depth": limit.depth}
    return {name: value for name, value in named.items() if value is not None}
