"""Which players there are, and making one from its spec string."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

from wuzi.base import plugins
from wuzi.base.machine import packaged_table
from wuzi.base.schema import Option, build_config, options_of
from wuzi.contract import Capabilities, Player
from wuzi.core.rules import Rules
from wuzi.errors import ConfigError, UnsupportedError
from wuzi.nets.evaluator import Evaluator
from wuzi.players.base import BasePlayer
from wuzi.players.spec import STRONGEST, PlayerSpec, format_spec, parse_spec


@dataclass(frozen=True)
class PlayerInfo:
    """A registered player, for lists and forms; ``target`` is ``module:class``, imported when needed."""

    name: str
    target: str
    summary: str
    summary_zh: str
    registered: type[BasePlayer[Any]] | None = None

    @cached_property
    def player_type(self) -> type[BasePlayer[Any]]:
        """The class, imported now if it was not yet."""
        if self.registered is not None:
            return self.registered
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


_TARGETS = {
    "random": "wuzi.players.random_player:RandomPlayer",
    "weight": "wuzi.players.weight:WeightPlayer",
    "minimax": "wuzi.players.minimax:MinimaxPlayer",
    "engine": "wuzi.players.engine:EnginePlayer",
    "level": "wuzi.players.level:LevelPlayer",
    "mcts": "wuzi.players.mcts:MctsPlayer",
    "az": "wuzi.players.az:AzPlayer",
    "policy": "wuzi.players.policy:PolicyPlayer",
    "solver": "wuzi.players.solver:SolverPlayer",
    "proof": "wuzi.players.proof_player:ProofPlayer",
    "external": "wuzi.players.external:ExternalPlayer",
}
_TEXTS = packaged_table("players/players.toml")
_LENT: dict[str, BasePlayer[Any]] = {}


def _why_no_player(found: object) -> str | None:
    if not (isinstance(found, type) and issubclass(found, BasePlayer)):
        return f"{found!r} is no subclass of wuzi.players.BasePlayer"
    missing = [name for name in ("registered_name", "config_type") if not hasattr(found, name)]
    return f"{found.__name__} has no {missing[0]}" if missing else None


def _entry(name: str, player_type: type[BasePlayer[Any]]) -> PlayerInfo:
    """What lists say of somebody else's player; its summary is the first line of its docstring."""
    lines = (player_type.__doc__ or "").strip().splitlines()
    summary = lines[0].rstrip(".") if lines else player_type.__name__
    target = f"{player_type.__module__}:{player_type.__name__}"
    return PlayerInfo(name, target, summary, summary, player_type)


PLAYERS = plugins.Registry(
    plugins.PLAYERS,
    "player",
    _why_no_player,
    {name: PlayerInfo(name, target, **_TEXTS[name]) for name, target in _TARGETS.items()},
    entry=_entry,
)


def list_players() -> tuple[PlayerInfo, ...]:
    """All registered players, those of plug-ins last."""
    return tuple(PLAYERS.all())


def player_info(name: str) -> PlayerInfo:
    """The registered player of that name; a ConfigError if there is none or its plug-in cannot be loaded."""
    return PLAYERS.find(name)


def register(name: str, player_type: type[BasePlayer[Any]]) -> None:
    """Let specs of this process name a player class; a plug-in does so for all processes.

    Raises:
        ConfigError: the name is taken, or this is no subclass of ``BasePlayer`` with a configuration class.
    """
    PLAYERS.register(name, player_type)


def is_known_here_only(spec: str) -> bool:
    """Whether no other process could make the player."""
    return PLAYERS.is_known_here_only(parse_spec(spec).name)


@contextmanager
def known_here(player: BasePlayer[Any]) -> Iterator[str]:
    """A spec that names one object while the block runs: the first free of ``own-1``, ``own-2`` and so on."""
    name = next(name for name in map("own-{}".format, count(1)) if not PLAYERS.is_known_here_only(name))
    PLAYERS.lend(name, PlayerInfo(name, "", player.name, player.name, type(player)))
    _LENT[name] = player
    try:
        yield name
    finally:
        PLAYERS.forget(name)
        del _LENT[name]


def create_player(
    spec: str | PlayerSpec,
    *,
    allow_command: bool = False,
    files_below: Path | None = None,
    evaluator: Evaluator | None = None,
) -> Player:
    """Make a player; close it when done (it is a context manager).

    Args:
        spec: see :mod:`wuzi.players.spec`.
        allow_command: accept local options (commands and paths, such as ``cmd=``). Only for what a
            person typed on this machine's command line, never for what came over a network.
        files_below: a folder whose files are accepted even so, such as nets of training runs.
        evaluator: what judges in place of a net file, for players that have a net.

    Raises:
        ConfigError: unknown player, key or preset, or a wrong value; the message lists the choices.
        MissingExtraError: the player needs an optional part that is not installed.
    """
    parsed = parse_spec(spec) if isinstance(spec, str) else spec
    if parsed.name in _LENT:
        return _LENT[parsed.name]
    info = player_info(parsed.name)
    for key, item in info.options.items():
        value = parsed.options.get(key)
        if value is None or allow_command or not item.is_local(value):
            continue
        if not (item.file and _is_below(value, files_below)):
            what = f"a path as {key}=" if item.file else f"{key}="
            raise ConfigError(f"{parsed.name}: {what} is accepted on the command line only")
    config = build_config(info.player_type.config_type, info.presets, parsed.options, parsed.name)
    made = info.player_type(config)
    if evaluator is not None:
        from wuzi.players.net_player import NetPlayer

        if not isinstance(made, NetPlayer):
            raise ConfigError(f"{parsed.name} with an evaluator: expected a player that has a net")
        made.given = evaluator
    return made


def _is_below(path: str, folder: Path | None) -> bool:
    return folder is not None and Path(path).resolve().is_relative_to(folder.resolve())


player = create_player
"""What :func:`wuzi.player` is."""


@contextmanager
def opened(player: Player | str | None, rules: Rules, *, allow_command: bool = False) -> Iterator[Player]:
    """A player to ask: the given one, which stays open, or one made from a spec and closed at the end.

    None means the strongest built-in player for these rules, an UnsupportedError that none knows them; other
    errors as of :func:`create_player`.
    """
    if player is not None and not isinstance(player, str):
        yield player
        return
    with create_player(player or strongest_player(rules), allow_command=allow_command) as made:
        yield made


def seeded(spec: str, seed: int) -> str:
    """The spec with a seed, if its player takes one and none was given.

    >>> seeded("random", 7), seeded("random:seed=1", 7)
    ('random:seed=7', 'random:seed=1')
    """
    parsed = parse_spec(spec)
    if "seed" in parsed.options or "seed" not in player_info(parsed.name).options:
        return spec
    return format_spec(PlayerSpec(parsed.name, {**parsed.options, "seed": str(seed)}))


def strongest_player(rules: Rules) -> str:
    """The spec of the strongest built-in player for these rules; an UnsupportedError if there is none."""
    reasons = []
    for spec in STRONGEST:
        reason = player_info(parse_spec(spec).name).capabilities.why_not(rules)
        if reason is None:
            return spec
        reasons.append(f"{spec} {reason}")
    raise UnsupportedError("; ".join(reasons))
