"""Threats for people: what is on the board and where one stone would make it worse."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from wuzi.core.notation import Move
from wuzi.core.position import Position
from wuzi.core.types import Color, ForbiddenKind
from wuzi.tactics import threat_kernels
from wuzi.tactics.classes import tables
from wuzi.tactics.layout import MAX_THREATS, PATTERNS, THREAT


class ThreatKind(StrEnum):
    """Kinds of threats, most urgent first."""

    FIVE = "five"
    """A winning row on the board."""
    OPEN_FOUR = "open_four"
    """Stones that either of two cells turns into a winning row."""
    FOUR = "four"
    """Stones that one cell turns into a winning row."""
    FOUR_FOUR = "four_four"
    """An empty cell that makes two fours at once."""
    FOUR_THREE = "four_three"
    """An empty cell that makes a four and an open three at once."""
    OPEN_THREE = "open_three"
    """Stones that a cell turns into an open four."""
    THREE_THREE = "three_three"
    """An empty cell that makes two open threes at once."""
    FORBIDDEN = "forbidden"
    """An empty cell that Black may not play (renju); ``reason`` says why."""


@dataclass(frozen=True, slots=True)
class Threat:
    """One threat.

    Attributes:
        kind: what it is.
        color: whose it is.
        stones: the stones that form it; for a double threat those of all its lines.
        gains: the cells that carry it out: that make the five (five points), the open four, or the
            double threat itself. Empty for a five on the board.
        reason: why a point is forbidden, else NONE.
    """

    kind: ThreatKind
    color: Color
    stones: tuple[Move, ...]
    gains: tuple[Move, ...]
    reason: ForbiddenKind = ForbiddenKind.NONE


def find_threats(position: Position) -> tuple[Threat, ...]:
    """All threats of both colours, most urgent first; win lengths 4 and 5.

    Names are for win length five: with four in a row a "four" is a row of three, and so on.
    In renju a three of Black counts only if Black may play the cell that makes it a four.

    Raises:
        UnsupportedError: another win length.
    """
    rules, found = position.rules, np.zeros(MAX_THREATS, THREAT)
    of_rules = tables(rules.rule, rules.win_length)
    count = int(threat_kernels.list_threats(position.state(), np.zeros(1, PATTERNS)[0], of_rules, found))
    kinds = tuple(ThreatKind)

    def cells(row: Any, name: str) -> tuple[Move, ...]:
        return tuple(Move(int(cell), rules.size) for cell in row[name][: int(row[f"num_{name}"])])

    return tuple(
        Threat(
            kinds[int(row["kind"])],
            Color(int(row["color"])),
            cells(row, "stones"),
            cells(row, "gains"),
            ForbiddenKind(int(row["reason"])),
        )
        for row in found[:count]
    )
