"""What the page knows of the rules before it has loaded the kernels: the rule book's own answers."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from wuzi.core import MAX_SIZE, MIN_SIZE, Color, Opening, Phase, Position, Reason, Rule, Rules, game_kernels
from wuzi.core.layout import KEEP, PLACE, REFUSED, SWAP
from wuzi.core.rules import MIN_OPENING_SIZE, MIN_WIN_LENGTH
from wuzi.core.types import ForbiddenKind
from wuzi.errors import ConfigError
from wuzi.games import handicap

HEAD = """// Made by `python scripts/build_wasm.py`: the rule book's answers in all cases. Do not edit.
"""


def text() -> str:
    """The generated file: one constant a fact."""
    parts = [f"export const {name} = {_literal(value)} as const\n" for name, value in facts().items()]
    return "\n".join([HEAD, *parts])


def facts() -> dict[str, Any]:
    """Names and numbers, whose turn it is, what may be done in each phase, and the limits of boards."""
    empty = Position(Rules())
    return {
        "RULES": {rule.label: int(rule) for rule in Rule},
        "BLOCKABLE": [rule.label for rule in Rule if rule.blockable],
        "REASONS": {reason.label: int(reason) for reason in Reason},
        "FORBIDDEN_KINDS": {kind.label: int(kind) for kind in ForbiddenKind},
        "OPENINGS": {str(opening): number for number, opening in enumerate(Opening)},
        "PHASES": {str(phase): number for number, phase in enumerate(Phase)},
        "FIRST": empty.to_move.letter,
        "OPPONENT": {color.letter: color.opponent.letter for color in Color},
        "TO_MOVE_BY_COUNT": {
            "even": _to_move(1, 1),
            "more_black": _to_move(2, 1),
            "more_white": _to_move(1, 2),
        },
        "FORBIDDEN_TO": "".join(color.letter for color in Color if _may_foul(color)),
        "CHOICES": {
            str(opening): {str(phase): _choices(i, j) for j, phase in enumerate(Phase)}
            for i, opening in enumerate(Opening)
        },
        "LIMITS": {
            "minSize": MIN_SIZE,
            "maxSize": MAX_SIZE,
            "minWinLength": MIN_WIN_LENGTH,
            "minOpeningSize": MIN_OPENING_SIZE,
            "rules": [{"id": rule.label, "winLengths": _win_lengths(rule)} for rule in Rule],
        },
        "HANDICAP": {
            "stones": handicap.STONES,
            "minSize": handicap.MIN_SIZE,
            "minWinLength": handicap.MIN_WIN_LENGTH,
        },
    }


def _to_move(black: int, white: int) -> str:
    cells = [1] * black + [2] * white + [0] * (25 - black - white)
    return Position.from_cells(Rules(5), cells).to_move.letter


def _may_foul(color: Color) -> bool:
    """Whether a double three of a colour, which renju forbids, loses for that colour."""
    size, middle, kinds = 15, 7 * 15 + 7, np.zeros(225, np.int8)
    cells = np.zeros(225, np.int8)
    cells[[middle - 2, middle - 1, middle - 2 * size, middle - size]] = color
    game_kernels.foul_map(Position.from_cells(Rules(size, rule=Rule.RENJU), cells, color).state(), kinds)
    return bool(kinds[middle])


def _choices(opening: int, phase: int) -> dict[str, Any]:
    """Whether the seat to act may swap or keep its colour, and how many stones it may put down at once."""
    allowed = [game_kernels.phase_after(opening, phase, action, 0) != REFUSED for action in (SWAP, KEEP)]
    counts = [n for n in range(1, 10) if game_kernels.phase_after(opening, phase, PLACE, n) != REFUSED]
    return {"swap": allowed[0], "keep": allowed[1], "stones": counts}


def _win_lengths(rule: Rule) -> list[int] | None:
    """The only win lengths of a rule, or None where the board alone limits them."""
    found = []
    for length in range(MIN_WIN_LENGTH, MAX_SIZE + 1):
        try:
            Rules(MAX_SIZE, length, rule)
        except ConfigError:
            continue
        found.append(length)
    return found if len(found) <= MAX_SIZE - MIN_WIN_LENGTH else None


def _literal(value: object) -> str:
    return json.dumps(value, indent=None if not isinstance(value, dict) else 2).replace('"', "'")
