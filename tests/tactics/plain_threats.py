"""The threats of a position in plain Python: the twin of the kernels in wuzi.tactics.threat_kernels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from wuzi.core import rule_kernels
from wuzi.core.classes import CellClass, LineClass
from wuzi.core.layout import DIRECTIONS
from wuzi.core.notation import Move
from wuzi.core.position import Position
from wuzi.core.rules import Rule
from wuzi.core.types import Color, Stone
from wuzi.tactics.classes import tables
from wuzi.tactics.kernels import patterns_from_state
from wuzi.tactics.layout import PATTERNS
from wuzi.tactics.threats import Threat, ThreatKind


class Finder:
    """Finds the threats of one position: classes say where to look, runs say what there is."""

    def __init__(self, position: Position) -> None:
        self._position = position
        self._size = position.rules.size
        self._state = position.state()
        self._state["result"] = 0
        rules = position.rules
        self._patterns = np.zeros(1, PATTERNS)[0]
        patterns_from_state(self._state, self._patterns, tables(rules.rule, rules.win_length))

    def find(self) -> tuple[Threat, ...]:
        cells = self._position.cells
        rows = self._position.winning_lines()
        threats = [Threat(ThreatKind.FIVE, Color(int(cells[row[0]])), row, ()) for row in rows]
        for color in Color:
            threats += self._fours(color)
            threats += self._threes(color)
            threats += self._doubles(color)
        for cell in np.flatnonzero(self._position.forbidden_mask()):
            move = Move(cell, self._size)
            reason = self._position.forbidden_kind(move)
            threats.append(Threat(ThreatKind.FORBIDDEN, Color.BLACK, (), (move,), reason))
        urgency = {kind: i for i, kind in enumerate(ThreatKind)}
        return tuple(sorted(threats, key=lambda t: (urgency[t.kind], t.color, t.stones, t.gains)))

    def _points(self, color: Color, kind: LineClass) -> Iterator[tuple[int, int]]:
        """Empty points whose line class for ``color`` is ``kind``, each with the step along that line."""
        for direction, step in enumerate(DIRECTIONS):
            lines = (self._patterns["codes"][color - 1] >> (4 * direction)) & 15
            for point in np.flatnonzero((lines == kind) & (self._state["cells"] == Stone.EMPTY)):
                yield int(point), step

    def _run(self, point: int, step: int, color: Color) -> tuple[Move, ...]:
        """Cells of the run through ``point`` (which counts as a stone), from one end to the other."""
        back = int(rule_kernels.run_length(self._state, point, -step, int(color)))
        ahead = int(rule_kernels.run_length(self._state, point, step, int(color)))
        return tuple(self._cell(point + i * step) for i in range(-back, ahead + 1))

    def _cell(self, point: int) -> Move:
        return Move(rule_kernels.to_cell(point, self._size), self._size)

    def _fours(self, color: Color) -> list[Threat]:
        gains: dict[tuple[int, tuple[Move, ...]], list[Move]] = {}
        for point, step in self._points(color, LineClass.FIVE):
            for stones in self._fours_beside(point, step, color):
                gains.setdefault((step, stones), []).append(self._cell(point))
        kinds = {False: ThreatKind.FOUR, True: ThreatKind.OPEN_FOUR}
        return [
            Threat(kinds[len(cells) > 1], color, stones, tuple(sorted(cells)))
            for (_, stones), cells in gains.items()
        ]

    def _fours_beside(self, point: int, step: int, color: Color) -> list[tuple[Move, ...]]:
        """The fours that ``point`` completes: an unbroken one at either side, else all it would join."""
        wanted = self._position.rules.win_length - 1
        run, cell = self._run(point, step, color), self._cell(point)
        at = run.index(cell)
        unbroken = [tuple(sorted(part)) for part in (run[:at], run[at + 1 :]) if len(part) == wanted]
        return unbroken or [self._line_stones(point, step, color)]

    def _line_stones(self, point: int, step: int, color: Color) -> tuple[Move, ...]:
        """The stones that a stone at ``point`` would join, without it."""
        cell = self._cell(point)
        return tuple(sorted(c for c in self._run(point, step, color) if c != cell))

    def _threes(self, color: Color) -> list[Threat]:
        gains: dict[tuple[int, tuple[Move, ...]], list[Move]] = {}
        for point, step in self._points(color, LineClass.OPEN_FOUR):
            stones = self._line_stones(point, step, color)
            if len(stones) == self._position.rules.win_length - 2 and not self._foul(point, color):
                gains.setdefault((step, stones), []).append(self._cell(point))
        return [
            Threat(ThreatKind.OPEN_THREE, color, stones, tuple(sorted(cells)))
            for (_, stones), cells in gains.items()
        ]

    def _foul(self, point: int, color: Color) -> bool:
        renju_black = self._position.rules.rule is Rule.RENJU and color is Color.BLACK
        return renju_black and bool(rule_kernels.forbidden_kind(self._state, point))

    def _doubles(self, color: Color) -> list[Threat]:
        """Empty cells that make two threats at once on different lines (or two fours on one)."""
        classes = self._patterns["classes"][color - 1]
        cells = self._state["cells"]
        interesting = (CellClass.OPEN_FOUR, CellClass.FOUR_THREE, CellClass.DOUBLE_THREE, CellClass.FORBIDDEN)
        found: list[Threat] = []
        for point in map(int, np.flatnonzero(np.isin(classes, interesting) & (cells == Stone.EMPTY))):
            code = int(self._patterns["codes"][color - 1][point])
            lines = [LineClass((code >> (4 * d)) & 15) for d in range(4)]
            fours = [d for d, line in enumerate(lines) if line in (LineClass.FOUR, LineClass.OPEN_FOUR)]
            threes = [
                d for d, line in enumerate(lines) if line in (LineClass.OPEN_THREE, LineClass.OPEN_THREE_S)
            ]
            kind = _double_kind(len(fours) + self._second_fours(point, lines, color), len(threes))
            if kind is None or self._foul(point, color):
                continue
            parts = fours if kind is ThreatKind.FOUR_FOUR else fours + threes
            stones = {stone for d in parts for stone in self._near_stones(point, DIRECTIONS[d], color)}
            found.append(Threat(kind, color, tuple(sorted(stones)), (self._cell(point),)))
        return found

    def _second_fours(self, point: int, lines: list[LineClass], color: Color) -> int:
        """How many lines give ``point`` a second four of other stones (``X_XXX_X``)."""
        wanted = self._position.rules.win_length - 1
        return sum(
            line is LineClass.OPEN_FOUR and len(self._run(point, step, color)) != wanted
            for line, step in zip(lines, DIRECTIONS, strict=True)
        )

    def _near_stones(self, point: int, step: int, color: Color) -> list[Move]:
        """Stones of ``color`` within a winning row's reach of ``point``, up to the first opponent or wall."""
        found: list[Move] = []
        cells: Any = self._state["cells"]
        for way in (step, -step):
            for i in range(1, self._position.rules.win_length):
                content = int(cells[point + i * way])
                if content == color:
                    found.append(self._cell(point + i * way))
                elif content != Stone.EMPTY:
                    break
        return found


def _double_kind(fours: int, threes: int) -> ThreatKind | None:
    if fours >= 2:
        return ThreatKind.FOUR_FOUR
    if fours and threes:
        return ThreatKind.FOUR_THREE
    return ThreatKind.THREE_THREE if threes >= 2 else None
