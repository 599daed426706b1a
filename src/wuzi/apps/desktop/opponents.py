"""Who can be played: the server's list of engines, and the nets at hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wuzi.apps.desktop.words import Language
from wuzi.apps.web.engines import ENGINES, EngineEntry, Level
from wuzi.contract import Capabilities
from wuzi.core.rules import Opening, Rules, parse_rule
from wuzi.errors import ConfigError
from wuzi.session import Seat, SeatKind


def opponents() -> tuple[EngineEntry, ...]:
    """Everyone who can sit at a board, nets last."""
    return tuple(ENGINES.values())


def find_opponent(opponent_id: str) -> EngineEntry:
    """The opponent of that id.

    Raises:
        ConfigError: there is none (any more).
    """
    for entry in opponents():
        if entry.id == opponent_id:
            return entry
    raise ConfigError(
        f"unknown opponent {opponent_id!r}: expected one of {', '.join(e.id for e in opponents())}"
    )


def engine_seat(opponent_id: str, level_id: str) -> Seat:
    """The seat of an opponent at a level.

    Raises:
        ConfigError: there is no such opponent or level.
    """
    level = find_opponent(opponent_id).level(level_id or None)
    return Seat(SeatKind.ENGINE, opponent_id, level.id, level.limit)


def spec_of(seat: Seat) -> str:
    """The player's spec string for an engine seat."""
    return find_opponent(seat.player).level(seat.level or None).spec


def name_of(entry: EngineEntry, language: Language) -> str:
    """An opponent's name for people."""
    return entry.zh if language == "zh" else entry.en


def level_name(level: Level, language: Language) -> str:
    """A level's name for people."""
    return level.zh if language == "zh" else level.en


def why_not(capabilities: Mapping[str, Any], rules: Rules) -> str | None:
    """None if a player that described itself so plays the rules, else what it does not know.

    Returns:
        ``rule``, ``size`` or ``winLength``.
    """
    lengths = capabilities["winLengths"]
    can = Capabilities(
        rules=frozenset(parse_rule(name) for name in capabilities["rules"]),
        min_size=capabilities["minSize"],
        max_size=capabilities["maxSize"],
        win_lengths=None if lengths is None else frozenset(lengths),
        openings=frozenset(Opening(name) for name in capabilities["openings"]),
    )
    if can.why_not(rules) is None:
        return None
    if rules.rule not in can.rules:
        return "rule"
    return "size" if not can.min_size <= rules.size <= can.max_size else "winLength"
