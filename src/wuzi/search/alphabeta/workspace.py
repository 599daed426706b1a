"""What one thread of the engine's search works on, and its helpers on other threads."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.core.position import Position
from wuzi.evaluation.codebook_kernels import sums_from_state
from wuzi.evaluation.layout import SUMS
from wuzi.search.alphabeta.kernels import MATE, PLY, engine_search, leaf_vcf
from wuzi.search.alphabeta.move_kernels import near_from_state
from wuzi.search.alphabeta.parameters import set_parameters
from wuzi.search.control import Control, new_control
from wuzi.search.layout import ALPHABETA, NODES, STOP
from wuzi.tactics.kernels import patterns_from_state
from wuzi.tactics.layout import PATTERNS, VCF, VCF_ENTRY

Table = npt.NDArray[np.uint64]
Points = Iterable[int]
ALL = 2 * MATE
"""Beyond every value."""


class Workspace:
    """The records of one thread; the transposition table is shared."""

    def __init__(self, tables: Any, net: Any, vcf_nodes: int, parameters: Mapping[str, int]) -> None:
        self._tables, self._net = tables, net
        self.work = np.zeros(1, ALPHABETA)[0]
        self.work["vcf_nodes"] = vcf_nodes
        set_parameters(self.work, parameters)
        self.patterns = np.zeros(1, PATTERNS)[0]
        self.vcf = np.zeros(1, VCF)[0]
        self._sums = np.zeros(1, SUMS)[0]
        self._entries = np.zeros(1 << 16, VCF_ENTRY)
        self._threat_ctl = np.zeros(8, np.int64)
        self.state: Any = None

    def clear(self) -> None:
        """Forget everything learned in earlier searches."""
        self._entries["key"] = 0
        self._entries["left"] = 0
        for name in ("history", "counter", "age"):
            self.work[name] = 0

    def set_up(self, position: Position) -> None:
        """Begin a search of a position."""
        self.state = position.state()
        patterns_from_state(self.state, self.patterns, self._tables)
        sums_from_state(self.state, self.patterns, self._net, self._sums)
        near_from_state(self.state, self.work)
        self.work["age"] += 1
        self.work["history"][:] //= 4
        self.work["vcf_total"] = 0
        self.work["excluded"][:] = 0
        self.work["barred"][:] = 0

    def bar(self, points: Points) -> None:
        """Leave these points out at the root, and no others."""
        self.work["barred"][:] = 0
        for point in points:
            self.work["barred"][point] = 1

    def search(self, table: Table, ctl: Control, low: int, high: int, depth: int) -> int:
        """The value of the position within a window, for the side to move."""
        args = (self.state, self.patterns, self._tables, self.work, self._net, self._sums)
        self.work["root_delta"] = high - low
        self.work["extra"][0] = 0
        return int(
            engine_search(
                *args, self.vcf, self._entries, table, ctl, self._threat_ctl, low, high, depth * PLY, 0, 0
            )
        )

    def by_fours(self, nodes: int) -> int:
        """Plies to a win by fours found within ``nodes`` positions, 0 for none; ``vcf`` holds its line."""
        args = (self.state, self.patterns, self._tables, self.work, self.vcf, self._entries)
        return int(leaf_vcf(*args, self._threat_ctl, nodes))


class Helpers:
    """Searches of the same position on other threads, which fill the common table.

    Every thread deepens by itself, the odd ones a ply ahead; the table brings what one has found to the
    others (known as lazy SMP). The answer is the first thread's. Results are not reproducible.
    """

    def __init__(self, spaces: Sequence[Workspace], table: Table) -> None:
        self._spaces, self._table = spaces, table
        self._ctls = [new_control() for _ in spaces]
        self._threads: list[threading.Thread] = []

    def start(self, position: Position, barred: Points, max_depth: int) -> None:
        """Begin; ``barred`` are points that are no candidates."""
        for number, (space, ctl) in enumerate(zip(self._spaces, self._ctls, strict=True)):
            space.set_up(position)
            space.bar(barred)
            args = (space, self._table, ctl, 1 + (number + 1) % 2, max_depth)
            self._threads.append(threading.Thread(target=_deepen, args=args, daemon=True))
            self._threads[-1].start()

    def nodes(self) -> int:
        """Positions looked at so far."""
        return sum(int(ctl[NODES]) for ctl in self._ctls)

    def stop(self) -> None:
        """End them, and wait until they have."""
        for ctl in self._ctls:
            ctl[STOP] = 1
        for thread in self._threads:
            thread.join()


def _deepen(space: Workspace, table: Table, ctl: Control, first: int, max_depth: int) -> None:
    for depth in range(first, max_depth + 1):
        space.work["root_depth"] = depth
        space.search(table, ctl, -ALL, ALL, depth)
        if ctl[STOP]:
            break
