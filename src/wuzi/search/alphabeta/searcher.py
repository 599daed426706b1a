"""The engine's search from outside: deepening, aspiration, several candidates, limits, reports."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from wuzi.contract import Limit, Line, SearchInfo, Stop
from wuzi.core import rule_kernels
from wuzi.core.classes import CellClass
from wuzi.core.layout import DEEPEST, NODES, STOP
from wuzi.core.notation import Move
from wuzi.core.position import Position
from wuzi.core.rules import Rules
from wuzi.evaluation.codebook import LOGIT, CodebookNet, codebook_record, shipped_record
from wuzi.search.alphabeta.node_kernels import MATE, MATE_BOUND
from wuzi.search.alphabeta.root_guard import RootGuard
from wuzi.search.alphabeta.workspace import ALL, Helpers, Workspace
from wuzi.search.control import Control, counted, drive, new_control, scored_line
from wuzi.search.layout import MAX_LEVEL
from wuzi.search.time_management import Allotment, TimeKeeper, allot
from wuzi.tactics.classes import tables

_ASPIRATION = 60
_ENTRY_BYTES = 16
_MARGIN_S = 0.005
_DEFAULT = Allotment(1.0, 1.0, saves=False)


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """What the search does.

    Attributes:
        table_mb: memory of the transposition table.
        vcf_nodes: positions the threat search may look at below a leaf.
        root_vcf_nodes: the same before the search begins.
        max_depth: deepest iteration.
        threads: how many search at once.
        guard_percent: positions spent on threats after the best move, for a hundred others; 0: none.
        parameters: changes of :data:`wuzi.search.alphabeta.parameters.PARAMETERS`.
    """

    table_mb: int = 64
    vcf_nodes: int = 150
    root_vcf_nodes: int = 20_000
    max_depth: int = 60
    threads: int = 1
    guard_percent: int = 15
    parameters: Mapping[str, int] = field(default_factory=dict)


class AlphaBetaSearch:
    """A search for one set of rules; its table survives from move to move."""

    def __init__(
        self, rules: Rules, options: EngineOptions = EngineOptions(), net: CodebookNet | None = None
    ) -> None:
        self.rules = rules
        self._options = options
        record = codebook_record(net, rules) if net else shipped_record(rules.rule, rules.win_length)
        of_rules = tables(rules.rule, rules.win_length)
        entries = 1 << max(10, int(math.log2(max(1, options.table_mb) * (1 << 20) / _ENTRY_BYTES)))
        self._table = np.zeros((entries, 2), np.uint64)
        self._spaces = [
            Workspace(of_rules, record, options.vcf_nodes, options.parameters, self._table)
            for _ in range(max(1, options.threads))
        ]
        self._guard = RootGuard(options.guard_percent) if options.guard_percent else None

    def clear(self) -> None:
        """Forget everything learned in earlier searches, so that the next one is reproducible."""
        self._table[:] = 0
        for space in self._spaces:
            space.clear()

    def run(
        self,
        position: Position,
        limit: Limit = Limit(),
        *,
        multipv: int = 1,
        stop: Stop | None = None,
        on_info: Callable[[SearchInfo], None] | None = None,
        excluded: frozenset[int] = frozenset(),
    ) -> SearchInfo:
        """Deepen until the limit; without any limit, one second. The position must not be over.

        On one thread, at fixed nodes or depth, after :meth:`clear`, the result is a function of the position
        alone; a limit of nodes is one of the first thread.
        ``excluded`` cells are no candidates (not all may be). ``on_info`` hears of each depth, and
        meanwhile of the root move being searched (``current`` in ``extra``), from two threads but one at
        a time. ``extra`` of the result counts the positions of the searches for fours at the leaves
        (``vcf_nodes``), which ``nodes`` leaves out.
        """
        bounded = any(x is not None for x in (limit.nodes, limit.depth, limit.simulations))
        allotment = allot(limit) or (None if bounded else _DEFAULT)
        keeper = TimeKeeper(allotment, margin_s=_MARGIN_S, single=multipv <= 1)
        ctl = new_control(counted(limit))
        task = _Task(self, position, ctl, max(1, multipv), on_info, keeper, excluded)
        depth = min(limit.depth or self._options.max_depth, self._options.max_depth)
        on_tick = None if on_info is None else task.tick
        try:
            work = partial(task.deepen, depth)
            return drive(work, ctl, budget_s=keeper.deadline_s, stop=stop, on_tick=on_tick)
        finally:
            task.helpers.stop()


class _Task:
    """One run: the records of one position and what was found so far."""

    def __init__(
        self,
        search: AlphaBetaSearch,
        position: Position,
        ctl: Control,
        multipv: int,
        on_info: Callable[[SearchInfo], None] | None,
        keeper: TimeKeeper,
        excluded: frozenset[int],
    ) -> None:
        self._search, self._position, self._ctl = search, position, ctl
        self._multipv, self._on_info, self._keeper = multipv, on_info, keeper
        self._excluded = excluded
        self._reporting = threading.Lock()
        self._start = time.perf_counter()
        self._info: SearchInfo | None = None
        self._earlier = 0
        self._space = search._spaces[0]
        self._space.set_up(position)
        self._guard = search._guard if multipv == 1 else None
        if self._guard is not None:
            self._guard.begin()
        self._root_excluded = [self._point(cell) for cell in excluded]
        self.helpers = Helpers(search._spaces[1:])

    def deepen(self, max_depth: int) -> SearchInfo:
        """Search depth 1, 2, ... until the limit or a proven win."""
        if (line := self._by_fours()) is not None:
            self._report([line], 1)
        else:
            if self._is_forced():
                self._keeper.set_forced()
            self.helpers.start(self._position, self._root_excluded, self._search._options.max_depth)
            scores = [0] * self._multipv
            for depth in range(1, max_depth + 1):
                lines = self._checked(self._iterate(depth, scores), depth, scores)
                if lines:
                    self._report(lines, depth)
                    self._keeper.note(depth, int(lines[0].move), lines[0].value or 0.0)
                if self._ctl[STOP] or self._settled(depth) or self._keeper.enough():
                    break
        if self._info is None:
            self._report(self._at_least_something(), 0)
        assert self._info is not None
        # What the unfinished iteration looked at counts too.
        seconds = time.perf_counter() - self._start
        by_fours = sum(int(space.work["vcf_total"]) for space in self._search._spaces)
        extra = {"vcf_nodes": by_fours}
        return replace(self._info, nodes=self._nodes(), time_s=seconds, extra=extra)

    def _checked(self, lines: list[Line], depth: int, scores: list[int]) -> list[Line]:
        """The candidates without a first one that the guard sees losing, unless all others lose too."""
        before, first = len(self._root_excluded), lines
        while self._guard is not None and lines and not lines[0].win_in:
            if not self._guard.loses(self._position, lines[0].move, self._ctl):
                return lines
            self._root_excluded.append(self._point(lines[0].move))
            lines = self._iterate(depth, scores)
            if not lines and self._choices():
                lines = self._at_least_something()
                self._ctl[STOP] = 1
        if lines is not first and (not lines or (lines[0].win_in or 0) < 0):
            # The enemy may not see the win by threats, and it is the longer way to lose.
            del self._root_excluded[before:]
            self._guard, lines = None, first
        return lines

    def _nodes(self) -> int:
        return self._earlier + int(self._ctl[NODES]) + self.helpers.nodes()

    def tick(self) -> None:
        """Between two depths: how far the search is, and which move at the root it looks at."""
        with self._reporting:
            if self._info is None or self._on_info is None:
                return
            state = self._space.state
            point = int(state["history"][self._position.ply])
            seconds = time.perf_counter() - self._start
            extra = {"current": int(self._cell(point))} if state["ply"] > self._position.ply else {}
            self._on_info(replace(self._info, nodes=self._nodes(), time_s=seconds, extra=extra))

    def _is_forced(self) -> bool:
        """Whether the enemy threatens five at exactly one point."""
        enemy = int(self._position.to_move.opponent) - 1
        return int(self._space.patterns["counts"][enemy][CellClass.FIVE]) == 1

    def _at_least_something(self) -> list[Line]:
        """An answer for a search that was stopped before it had any: one ply, a few thousand positions."""
        self._earlier += int(self._ctl[NODES])
        self._ctl = new_control(3000)
        if lines := self._iterate(1, [0] * self._multipv):
            return lines
        # Even that was cut short: the first move the policy would try.
        work, legal = self._space.work, self._position.legal_mask()
        points = (int(p) for p in work["moves"][0] if p and not work["root_excluded"][p])
        move = next(cell for cell in map(self._cell, points) if legal[cell])
        return [Line(move=move, pv=(move,))]

    def _settled(self, depth: int) -> bool:
        """Whether deeper search cannot change the first line: it is proved within the depth."""
        assert self._info is not None or self._ctl[STOP]
        if self._info is None or not self._info.lines[0].win_in:
            return False
        return self._multipv == 1 and abs(self._info.lines[0].win_in) <= depth + 2

    def _by_fours(self) -> Line | None:
        """A win by fours from the root, looked for with a larger budget."""
        if self._multipv > 1 or self._excluded:
            return None
        distance = self._space.by_fours(self._search._options.root_vcf_nodes)
        if not distance:
            return None
        points = self._space.vcf["line"][: int(self._space.vcf["length"])]
        return self._line(tuple(self._cell(int(p)) for p in points), MATE - distance)

    def _iterate(self, depth: int, scores: list[int]) -> list[Line]:
        """The candidates at one depth; a cut-short iteration gives what improves on the last, or nothing."""
        work = self._space.work
        self._space.exclude(self._root_excluded)
        lines: list[Line] = []
        for number in range(min(self._multipv, self._choices())):
            score = self._aspire(depth, scores[number])
            length = int(work["pv_length"][0])
            stopped = bool(self._ctl[STOP])
            if not length or (stopped and number > 0):
                return [] if stopped else lines  # there are fewer candidates than were asked for
            points = [int(p) for p in work["pv"][0][:length]]
            cells = tuple(self._cell(p) for p in points)
            if stopped:
                # The old best move was searched first, so a different one here is better than it.
                known = self._info is not None and self._info.lines[0].move == cells[0]
                return [] if known or abs(score) >= ALL or self._multipv > 1 else [self._line(cells, score)]
            scores[number] = score
            lines.append(self._line(cells, score))
            work["root_excluded"][points[0]] = 1
        return sorted(lines, key=lambda line: -(line.score or 0.0))

    def _choices(self) -> int:
        """How many moves are candidates at the root."""
        return sum(self._point(move) not in self._root_excluded for move in self._position.legal_moves)

    def _point(self, move: int) -> int:
        return int(rule_kernels.to_point(int(move), self._position.rules.size))

    def _aspire(self, depth: int, guess: int) -> int:
        """Search with a narrow window around the last score, widened until the score is inside."""
        wide = depth < 4 or abs(guess) > MATE_BOUND
        margin = _ASPIRATION
        low, high = (-ALL, ALL) if wide else (guess - margin, guess + margin)
        while True:
            score = self._space.search(self._ctl, low, high, depth)
            if self._ctl[STOP] or low < score < high or (low, high) == (-ALL, ALL):
                return score
            margin *= 4
            if margin > MATE_BOUND // 100:
                low, high = -ALL, ALL
            elif score <= low:
                low = score - margin
            else:
                high = score + margin

    def _cell(self, point: int) -> Move:
        size = self._position.rules.size
        return Move(rule_kernels.to_cell(point, size), size)

    def _line(self, cells: tuple[Move, ...], score: int) -> Line:
        color, scale = self._position.to_move, 2 * LOGIT
        return scored_line(cells, score, color, win=MATE, proven=MATE_BOUND, scale=scale)

    def _report(self, lines: list[Line], depth: int) -> None:
        known = {line.move for line in lines}
        if self._info is not None and len(lines) < self._multipv:
            lines = lines + [line for line in self._info.lines if line.move not in known]
        self._info = SearchInfo(
            color=self._position.to_move,
            lines=tuple(lines[: self._multipv]),
            nodes=self._nodes(),
            depth=depth,
            max_depth=min(int(self._ctl[DEEPEST]), MAX_LEVEL),
            time_s=time.perf_counter() - self._start,
        )
        if self._on_info is not None:
            with self._reporting:
                self._on_info(self._info)
