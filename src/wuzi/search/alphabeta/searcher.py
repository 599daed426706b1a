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
from wuzi.core.notation import Move
from wuzi.core.position import Position
from wuzi.core.rules import Rules
from wuzi.evaluation.codebook import LOGIT, CodebookNet, codebook_record, shipped_record
from wuzi.search.alphabeta import node_kernels
from wuzi.search.alphabeta.root_guard import RootGuard
from wuzi.search.alphabeta.workspace import Helpers, Workspace
from wuzi.search.control import Control, counted, drive, new_control, scored_line
from wuzi.search.layout import UNSCORED
from wuzi.search.time_management import Allotment, TimeKeeper, allot
from wuzi.tactics.classes import tables

_ENTRY_BYTES = 16
_MARGIN_S = 0.005
DEFAULT_S = 1.0
"""Seconds of a search without any limit."""


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
        table = np.zeros((entries, 2), np.uint64)
        self._spaces = [
            Workspace(of_rules, record, options.vcf_nodes, options.parameters, table)
            for _ in range(max(1, options.threads))
        ]
        self._guard = RootGuard(of_rules)

    def clear(self) -> None:
        """Forget everything learned in earlier searches, so that the next one is reproducible."""
        for space in self._spaces:
            space.clear()
        self._guard.clear()

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
        allotment = allot(limit) or (None if bounded else Allotment(DEFAULT_S, DEFAULT_S, saves=False))
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
    """One run: its kernels' work space, the clock, and what is told of it."""

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
        self._on_info, self._keeper = on_info, keeper
        self._reporting = threading.Lock()
        self._start = time.perf_counter()
        self._info: SearchInfo | None = None
        self._space = search._spaces[0]
        self._barred = [int(rule_kernels.to_point(int(cell), position.rules.size)) for cell in excluded]
        self._wanted = {
            "multipv": multipv,
            "guard_percent": search._options.guard_percent,
            "root_vcf_nodes": search._options.root_vcf_nodes,
        }
        self.helpers = Helpers(search._spaces[1:])

    def deepen(self, max_depth: int) -> SearchInfo:
        """Search depth 1, 2, ... until the limit or a proven win."""
        space, deep = self._space, self._space.deep
        if space.begin(self._position, self._ctl, self._wanted, self._barred):
            self._report()
        else:
            if deep["forced"]:
                self._keeper.set_forced()
            self.helpers.start(self._position, self._barred, self._search._options.max_depth)
            going = True
            while going:
                going = space.deepen(self._search._guard) and deep["depth"] < max_depth
                if deep["reported"]:
                    best = self._report().lines[0]
                    self._keeper.note(int(deep["line_depth"]), int(best.move), best.value or 0.0)
                going = going and not self._keeper.enough()
        assert self._info is not None
        # What the unfinished iteration looked at counts too.
        seconds = time.perf_counter() - self._start
        by_fours = sum(int(space.work["vcf_total"]) for space in self._search._spaces)
        extra = {"vcf_nodes": by_fours}
        return replace(self._info, nodes=self._nodes(), time_s=seconds, extra=extra)

    def _nodes(self) -> int:
        return self._space.nodes + self.helpers.nodes()

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

    def _cell(self, point: int) -> Move:
        size = self._position.rules.size
        return Move(rule_kernels.to_cell(point, size), size)

    def _line(self, place: int) -> Line:
        """A line that the kernels know."""
        deep, color = self._space.deep, self._position.to_move
        points = deep["lines"][0, place, : int(deep["lengths"][0, place])]
        cells = tuple(self._cell(int(point)) for point in points)
        score = int(deep["scores"][0, place])
        if score == UNSCORED:
            return Line(move=cells[0], pv=cells)
        return scored_line(
            cells, score, color, win=node_kernels.MATE, proven=node_kernels.MATE_BOUND, scale=2 * LOGIT
        )

    def _report(self) -> SearchInfo:
        deep = self._space.deep
        self._info = info = SearchInfo(
            color=self._position.to_move,
            lines=tuple(self._line(place) for place in range(int(deep["count"]))),
            nodes=self._nodes(),
            depth=int(deep["line_depth"]),
            max_depth=int(deep["deepest"]),
            time_s=time.perf_counter() - self._start,
        )
        if self._on_info is not None:
            with self._reporting:
                self._on_info(info)
        return info
