"""Seats, names and refusals of the engines, as the window needs them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wuzi.base.words import Language
from wuzi.core import Rules
from wuzi.games import Seat, SeatKind
from wuzi.players.opponents import EngineEntry, EngineLevel, find_engine
from wuzi.protocols.analysis.replies import parse_capabilities


def engine_seat(engine_id: str, level_id: str) -> Seat:
    """The seat of an engine at a level; ConfigError if there is none."""
    level = find_engine(engine_id).level(level_id or None)
    return Seat(SeatKind.ENGINE, engine_id, level.id, level.limit)


def name_of(one: EngineEntry | EngineLevel, language: Language) -> str:
    """The name of an engine or a level for people."""
    return one.zh if language == "zh" else one.en


def why_not(said: Mapping[str, Any], rules: Rules) -> str | None:
    """What a player that says this lacks: ``rule``, ``opening``, ``size``, ``winLength``; None if nothing."""
    can = parse_capabilities(said)
    lacks = {
        "rule": rules.rule not in can.rules,
        "opening": rules.opening not in can.openings,
        "size": not can.min_size <= rules.size <= can.max_size,
        "winLength": can.win_lengths is not None and rules.win_length not in can.win_lengths,
    }
    return next((name for name, is_lacking in lacks.items() if is_lacking), None)
