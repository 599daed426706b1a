"""The rule book. Everything that compiles kernels is loaded when first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from wuzi.core.notation import Move, Style, format_move, format_moves, parse_move, parse_moves, try_parse_move
from wuzi.core.rules import MAX_SIZE, MIN_SIZE, Opening, Rule, Rules, parse_rule
from wuzi.core.types import (
    Action,
    Color,
    ForbiddenKind,
    Keep,
    Outcome,
    Place,
    PlaceSeveral,
    Reason,
    Stone,
    Swap,
)

if TYPE_CHECKING:
    from wuzi.core.counting import PerftResult, perft
    from wuzi.core.game import Game, Phase
    from wuzi.core.position import Position

_LAZY = {
    "Game": "wuzi.core.game",
    "PerftResult": "wuzi.core.counting",
    "Phase": "wuzi.core.game",
    "Position": "wuzi.core.position",
    "perft": "wuzi.core.counting",
}

__all__ = [
    "MAX_SIZE",
    "MIN_SIZE",
    "Action",
    "Color",
    "ForbiddenKind",
    "Game",
    "Keep",
    "Move",
    "Opening",
    "Outcome",
    "PerftResult",
    "Phase",
    "Place",
    "PlaceSeveral",
    "Position",
    "Reason",
    "Rule",
    "Rules",
    "Stone",
    "Style",
    "Swap",
    "format_move",
    "format_moves",
    "parse_move",
    "parse_moves",
    "parse_rule",
    "perft",
    "try_parse_move",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(importlib.import_module(_LAZY[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
