"""Which players there are, and making one from its spec string."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from wuzi.base import plugins
from wuzi.base.schema import Option, build_config, options_of
from wuzi.contract import Capabilities, Player
from wuzi.core.rules import Rules
from wuzi.errors import ConfigError, UnsupportedError
from wuzi.players.base import BasePlayer
from wuzi.players.spec import STRONGEST, PlayerSpec, parse_spec


@dataclass(frozen=True)
class PlayerInfo:
    """A registered player, for lists and forms; ``target`` is ``module:class``, imported when needed."""

    name: str
    target: str
    summary: str
    summary_zh: str

    @cached_property
    def player_type(self) -> type[BasePlayer[Any]]:
        """The class, imported now if it was not yet."""
        module, _, attribute = self.target.partition(":")
        found: type[BasePlayer[Any]] = getattr(importlib.import_module(module), attribute)
        return found

    @property
    def options(self) -> Mapping[str, Option]:
        """The keys of the spec string."""
        return options_of(self.player_type.config_type)

    @property
    def presets(self) -> Mapping[str, Mapping[str, object]]:
        """Named sets of values for ``preset=``."""
        return self.player_type.presets

    @property
    def capabilities(self) -> Capabilities:
        """What any player of this kind can support."""
        return self.player_type.supports

    def describe(self) -> dict[str, Any]:
        """All of it as JSON-compatible data."""
        can = self.capabilities
        return {
            "name": self.name,
            "summary": {"en": self.summary, "zh": self.summary_zh},
            "options": [item.describe() for item in self.options.values() if not item.local],
            "presets": sorted(self.presets),
            "rules": sorted(rule.label for rule in can.rules),
            "min_size": can.min_size,
            "max_size": can.max_size,
            "win_lengths": None if can.win_lengths is None else sorted(can.win_lengths),
            "openings": sorted(str(opening) for opening in can.openings),
            "deterministic": can.deterministic,
        }


_PLAYERS: Mapping[str, PlayerInfo] = MappingProxyType(
    {
        info.name: info
        for info in (
            PlayerInfo(
                "random",
                "wuzi.players.random_player:RandomPlayer",
                "any legal move, all equally likely",
                "随机落子，所有合法点机会均等",
            ),
            PlayerInfo(
                "weight",
                "wuzi.players.weight:WeightPlayer",
                "the best cell of a score table of lines, one move deep",
                "按棋型评分表选点，只看一步",
            ),
            PlayerInfo(
                "minimax",
                "wuzi.players.minimax:MinimaxPlayer",
                "depth-limited alpha-beta search over a hand-made evaluation; explains itself",
                "限深 Alpha-Beta 搜索加手工评估，可解释",
            ),
            PlayerInfo(
                "engine",
                "wuzi.players.engine:EnginePlayer",
                "alpha-beta search over a fitted evaluation, with threat search: the strongest",
                "Alpha-Beta 搜索加拟合评估与算杀，最强",
            ),
            PlayerInfo(
                "level",
                "wuzi.players.level:LevelPlayer",
                "the engine at a named level, from novice to master; the weaker ones err as people do",
                "引擎的分级版本，从新手到大师，低级别会像人一样出错",
            ),
            PlayerInfo(
                "mcts",
                "wuzi.players.mcts:MctsPlayer",
                "pure Monte Carlo tree search: UCB1 and random rollouts",
                "纯蒙特卡洛树搜索：UCB1 与随机模拟",
            ),
            PlayerInfo(
                "az",
                "wuzi.players.az:AzPlayer",
                "tree search guided by a neural net: PUCT or Gumbel",
                "神经网络引导的树搜索：PUCT 或 Gumbel",
            ),
            PlayerInfo(
                "policy",
                "wuzi.players.policy:PolicyPlayer",
                "the move a neural net likes best, with no search at all",
                "神经网络直接选点，完全不搜索",
            ),
            PlayerInfo(
                "solver",
                "wuzi.players.solver:SolverPlayer",
                "perfect play on small boards: the shortest win, the longest defence",
                "小棋盘精确求解：最短胜、最长抵抗",
            ),
            PlayerInfo(
                "external",
                "wuzi.players.external:ExternalPlayer",
                "another program that speaks the Gomocup protocol",
                "使用 Gomocup 协议的外部引擎",
            ),
        )
    }
)


def list_players() -> tuple[PlayerInfo, ...]:
    """All registered players, those of plug-ins last."""
    others = plugins.load_all(plugins.PLAYERS, _why_no_player, _PLAYERS)
    return (*_PLAYERS.values(), *(_plugin_info(name, found) for name, found in others))


def player_info(name: str) -> PlayerInfo:
    """The registered player of that name.

    Raises:
        ConfigError: there is none, or the plug-in that brings it cannot be loaded.
    """
    if name in _PLAYERS:
        return _PLAYERS[name]
    others = plugins.installed(plugins.PLAYERS)
    if name not in others:
        raise ConfigError(f"unknown player {name!r}: expected one of {', '.join([*_PLAYERS, *others])}")
    return _plugin_info(name, plugins.load(plugins.PLAYERS, name, _why_no_player))


def _why_no_player(found: object) -> str | None:
    if not (isinstance(found, type) and issubclass(found, BasePlayer)):
        return f"{found!r} is no subclass of wuzi.players.BasePlayer"
    missing = [name for name in ("registered_name", "config_type") if not hasattr(found, name)]
    return f"{found.__name__} has no {missing[0]}" if missing else None


def _plugin_info(name: str, player_type: type[BasePlayer[Any]]) -> PlayerInfo:
    """The entry of a plug-in's player; its summary is the first line of its docstring."""
    lines = (player_type.__doc__ or "").strip().splitlines()
    summary = lines[0].rstrip(".") if lines else player_type.__name__
    return PlayerInfo(name, f"{player_type.__module__}:{player_type.__name__}", summary, summary)


def create_player(
    spec: str | PlayerSpec, *, allow_command: bool = False, files_below: Path | None = None
) -> Player:
    """Make a player; close it when done (it is a context manager).

    Args:
        spec: see :mod:`wuzi.players.spec`.
        allow_command: accept local options (commands and paths, such as ``cmd=``). Only for what a
            person typed on this machine's command line, never for what came over a network.
        files_below: a folder whose files are accepted even so, such as nets of training runs.

    Raises:
        ConfigError: unknown player, key or preset, or a wrong value; the message lists the choices.
        MissingExtraError: the player needs an optional part that is not installed.
    """
    parsed = parse_spec(spec) if isinstance(spec, str) else spec
    info = player_info(parsed.name)
    for key, item in info.options.items():
        value = parsed.options.get(key)
        if value is None or allow_command or not item.is_local(value):
            continue
        if not (item.file and _is_below(value, files_below)):
            what = f"a path as {key}=" if item.file else f"{key}="
            raise ConfigError(f"{parsed.name}: {what} is accepted on the command line only")
    config = build_config(info.player_type.config_type, info.presets, parsed.options, parsed.name)
    return info.player_type(config)


def _is_below(path: str, folder: Path | None) -> bool:
    return folder is not None and Path(path).resolve().is_relative_to(folder.resolve())


player = create_player
"""What :func:`wuzi.player` is."""


@contextmanager
def opened(player: Player | str | None, rules: Rules, *, allow_command: bool = False) -> Iterator[Player]:
    """A player to ask: the given one, which stays open, or one made from a spec and closed at the end.

    None means the strongest built-in player for these rules.

    Raises:
        ConfigError, MissingExtraError: as :func:`create_player`.
        UnsupportedError: no built-in player knows the rules.
    """
    if player is not None and not isinstance(player, str):
        yield player
        return
    with create_player(player or strongest_player(rules), allow_command=allow_command) as made:
        yield made


def strongest_player(rules: Rules) -> str:
    """The spec string of the strongest built-in player that can play a game by these rules.

    Raises:
        UnsupportedError: none of them can.
    """
    reasons = []
    for spec in STRONGEST:
        reason = player_info(parse_spec(spec).name).capabilities.why_not(rules)
        if reason is None:
            return spec
        reasons.append(f"{spec} {reason}")
    raise UnsupportedError("; ".join(reasons))
