"""Minimax as the document studies describe it: depth-limited, hand-made values, and it can explain itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.contract import Limit, Line, SearchInfo, Stop
from wuzi.core import rule_kernels
from wuzi.core.layout import DEEPEST, DIRECTIONS, NODES, STOP, TRACED
from wuzi.core.notation import Move, format_move
from wuzi.core.position import Position
from wuzi.core.types import Color, Stone
from wuzi.evaluation.run_scores import RunScores
from wuzi.search.control import drive, new_control, scored_line, time_budget
from wuzi.search.layout import MINIMAX, TRACE_FIELDS, UNSCORED, WIN
from wuzi.search.minimax import kernels as minimax_kernels

INFINITY = 2 * WIN
"""A bound that is none."""
PROVEN = WIN - 10_000
"""A score beyond it is a proved win, or loss."""


@dataclass(frozen=True, slots=True)
class MinimaxOptions:
    """What the search does.

    Attributes:
        depth: plies searched full-width (a win or a full board ends a line earlier).
        reach: candidates lie at most this far from a stone, in rows and columns.
        width: moves tried at a node, best by the ordering; 0 for all.
        ordered: whether moves are sorted (threats of both sides, then the centre).
        trace: nodes of the tree to record; 0 for none.
    """

    depth: int
    reach: int = 2
    width: int = 0
    ordered: bool = True
    trace: int = 0


@dataclass(frozen=True, slots=True)
class MinimaxResult:
    """What the search found: information for people, and the recorded tree.

    Attributes:
        info: candidates, best first; ``score`` in the evaluation's own points.
        trace: int64 [rows, 8], columns :data:`wuzi.search.layout.TRACE_FIELDS`.
    """

    info: SearchInfo
    trace: npt.NDArray[np.int64]


class MinimaxSearch:
    """One search of one position."""

    def __init__(self, position: Position, scores: RunScores, options: MinimaxOptions) -> None:
        self._position, self._scores, self._options = position, scores, options
        self._state = position.state()
        self._work = np.zeros(1, MINIMAX)[0]
        self._trace = np.zeros((options.trace, len(TRACE_FIELDS)), np.int64)
        minimax_kernels.minimax_setup(self._state, self._work, scores.table, scores.centre, options.reach)
        self._work["width"] = options.width
        self._work["ordered"] = int(options.ordered)

    def run(
        self,
        limit: Limit = Limit(),
        *,
        multipv: int = 1,
        stop: Stop | None = None,
        on_info: Callable[[SearchInfo], None] | None = None,
    ) -> MinimaxResult:
        """Search to the configured depth, or to what the limit allows.

        With a limit in time or nodes the depths 1, 2, ... are searched in turn and the last complete one
        counts; without one only the full depth is searched.
        """
        depth = min(self._options.depth, limit.depth or self._options.depth)
        budget = time_budget(limit)
        ctl = new_control(limit.nodes)
        start = time.perf_counter()
        best: list[SearchInfo] = []

        def deepen() -> None:
            stoppable = budget is not None or limit.nodes is not None or stop is not None
            for level in range(1 if stoppable else depth, depth + 1):
                ctl[TRACED] = 0
                lines = self._root(level, ctl, multipv, keep_partial=not best)
                if lines is None:
                    break
                best.append(self._info(lines, level, ctl, start))
                if on_info is not None and level < depth:
                    on_info(best[-1])
                if ctl[STOP]:
                    break

        drive(deepen, ctl, budget_s=budget, stop=stop)
        info = best[-1]
        if on_info is not None:
            on_info(info)
        return MinimaxResult(info, self._trace[: int(ctl[TRACED])])

    def _root(self, depth: int, ctl: Any, multipv: int, *, keep_partial: bool) -> list[Line] | None:
        """Candidates after a search of this depth, best first; None if it was cut short.

        With ``keep_partial`` a search that was cut short still gives what it has, so that there is
        always an answer; moves not reached keep their place in the ordering.
        """
        work = self._work
        args = (self._state, work, self._scores.table, ctl, self._trace)
        count = int(minimax_kernels.minimax_root(*args, depth, multipv, keep_partial))
        return None if count < 0 else [self._line(place) for place in range(count)]

    def _line(self, place: int) -> Line:
        work, size = self._work, self._position.rules.size
        pv = tuple(Move(int(cell), size) for cell in work["lines"][place, : int(work["lengths"][place])])
        score, color = int(work["scores"][place]), self._position.to_move
        if score == UNSCORED:
            return Line(move=pv[0], pv=pv)
        return scored_line(pv, score, color, win=WIN, proven=PROVEN, scale=2 * self._scores.four[0])

    def _info(self, lines: list[Line], depth: int, ctl: Any, start: float) -> SearchInfo:
        return SearchInfo(
            color=self._position.to_move,
            lines=tuple(lines),
            nodes=int(ctl[NODES]),
            depth=depth,
            max_depth=int(ctl[DEEPEST]),
            time_s=time.perf_counter() - start,
        )


@dataclass(frozen=True, slots=True)
class Run:
    """A run that the evaluation counts.

    Attributes:
        color: whose stones. cells: the stones, from one end to the other.
        open_ends: empty cells next to its ends (0 to 2). score: what it is worth.
    """

    color: Color
    cells: tuple[Move, ...]
    open_ends: int
    score: int


def count_runs(position: Position, scores: RunScores) -> list[Run]:
    """Every run with a score, most valuable first: why a position is worth what it is.

    Black's total minus White's, plus the position term, is the evaluation at a leaf. Stones of a
    run are counted on each line they form; single stones count once per line.
    """
    size, state = position.rules.size, position.state()
    shift = 5 - position.rules.win_length
    runs = []
    for cell in np.flatnonzero(position.cells != Stone.EMPTY):
        color = Color(int(position.cells[cell]))
        point = rule_kernels.to_point(int(cell), size)
        for step in DIRECTIONS:
            if state["cells"][point - step] == color:
                continue
            n = 1 + int(rule_kernels.run_length(state, point, step, color))
            ends = int(state["cells"][point - step] == 0) + int(state["cells"][point + n * step] == 0)
            won = rule_kernels.wins_along(state, point, color, step)
            length = max(1, n + shift)
            score = scores.five if won else int(scores.table[length, ends]) if length <= 4 else 0
            if score:
                cells = tuple(Move(rule_kernels.to_cell(point + i * step, size), size) for i in range(n))
                runs.append(Run(color, cells, ends, score))
    return sorted(runs, key=lambda run: (-run.score, run.cells))


def run_rows(runs: list[Run], size: int) -> list[dict[str, Any]]:
    """Counted runs as JSON-compatible rows."""
    return [
        {
            "color": run.color.letter,
            "cells": [format_move(cell, size) for cell in run.cells],
            "open_ends": run.open_ends,
            "score": run.score,
        }
        for run in runs
    ]


def trace_rows(trace: npt.NDArray[np.int64], size: int) -> list[dict[str, Any]]:
    """A recorded tree as JSON-compatible rows, in the order the nodes were entered.

    Values are from the side to move at the node, as in negamax; infinite bounds are None.
    """
    rows = []
    for number, raw in enumerate(trace.tolist()):
        parent, move, depth, alpha, beta, value, cutoff, color = raw
        rows.append(
            {
                "id": number,
                "parent": None if parent < 0 else parent,
                "move": None if move < 0 else format_move(move, size),
                "color": Color(color).letter,
                "depth": depth,
                "alpha": None if abs(alpha) >= INFINITY else alpha,
                "beta": None if abs(beta) >= INFINITY else beta,
                "value": value,
                "cutoff": bool(cutoff),
            }
        )
    return rows


def trace_text(trace: npt.NDArray[np.int64], size: int) -> str:
    """A recorded tree as indented text: move, window, value, and where a cut-off happened."""
    lines = []
    for row in trace_rows(trace, size):
        window = f"[{_show(row['alpha'], '-inf')}, {_show(row['beta'], '+inf')}]"
        mark = "  cut-off" if row["cutoff"] else ""
        indent = "  " * (row["depth"] - 1)
        lines.append(f"{indent}{row['color']} {row['move']}  {window}  value {_show(row['value'], '')}{mark}")
    return "\n".join(lines)


def _show(value: int | None, infinite: str) -> str:
    if value is None:
        return infinite
    if abs(value) > PROVEN:
        return f"{'win' if value > 0 else 'loss'} at ply {WIN - abs(value)}"
    return str(value)
