"""What one thread of the engine's search works on, and its helpers on other threads."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.core.layout import NODES, STOP
from wuzi.core.position import Position
from wuzi.errors import ConfigError
from wuzi.evaluation.codebook_kernels import accumulator_from_state
from wuzi.evaluation.layout import ACCUMULATOR
from wuzi.search.alphabeta.kernels import engine_search
from wuzi.search.alphabeta.move_kernels import EngineArrays, EngineRecords, near_from_state
from wuzi.search.alphabeta.node_kernels import MATE, PLY, leaf_vcf
from wuzi.search.alphabeta.parameters import PARAMETERS
from wuzi.search.control import Control, new_control
from wuzi.search.layout import ALPHABETA, MAX_LEVEL, PARAMETERS_RECORD, SEARCH_NODE
from wuzi.tactics.kernels import patterns_from_state
from wuzi.tactics.layout import PATTERNS, VCF, VCF_ENTRY

Table = npt.NDArray[np.uint64]
Points = Iterable[int]
ALL = 2 * MATE
"""Beyond every value."""


def parameters_record(changes: Mapping[str, int] = {}) -> Any:
    """The search's parameters, with ``changes``, and the tables made of them, as the kernels read them; a
    ConfigError where there is no such parameter.
    """
    unknown = set(changes) - set(PARAMETERS)
    if unknown:
        raise ConfigError(f"search parameter {sorted(unknown)[0]!r}: expected one of {', '.join(PARAMETERS)}")
    values = {**PARAMETERS, **changes}
    record = np.zeros(1, PARAMETERS_RECORD)[0]
    for name, value in values.items():
        record[name] = value
    plies = np.arange(64.0)
    logs = np.log(np.maximum(1, plies))
    record["reductions"][:] = np.round(values["lmr_base"] + np.outer(logs, logs) * values["lmr_scale"])
    counts = values["lmp_base"] + values["lmp_step"] * plies ** (values["lmp_power"] / 100)
    record["lmp_counts"][:] = np.minimum(counts / 100, 10_000)
    return record


class Workspace:
    """The records of one thread; the transposition table is shared."""

    def __init__(
        self, tables: Any, net: Any, vcf_nodes: int, parameters: Mapping[str, int], table: Table
    ) -> None:
        self.work = np.zeros(1, ALPHABETA)[0]
        self.work["vcf_nodes"] = vcf_nodes
        self.patterns = np.zeros(1, PATTERNS)[0]
        self.vcf = np.zeros(1, VCF)[0]
        self.state: Any = None
        self._records = EngineRecords(
            state=None,
            patterns=self.patterns,
            tables=tables,
            work=self.work,
            params=parameters_record(parameters),
            net=net,
            accumulator=np.zeros(1, ACCUMULATOR)[0],
            vcf=self.vcf,
        )
        self._arrays = EngineArrays(
            entries=np.zeros(1 << 16, VCF_ENTRY),
            table=table,
            ctl=new_control(),
            vcf_ctl=np.zeros(8, np.int64),
            stack=np.zeros((2, MAX_LEVEL + 1), SEARCH_NODE),
        )

    def clear(self) -> None:
        """Forget everything learned in earlier searches."""
        self._arrays.entries["key"] = 0
        self._arrays.entries["left"] = 0
        for name in ("history", "counter", "age"):
            self.work[name] = 0

    def set_up(self, position: Position) -> None:
        """Begin a search of a position."""
        self.state = position.state()
        self._records = own = self._records._replace(state=self.state)
        patterns_from_state(self.state, self.patterns, own.tables)
        accumulator_from_state(self.state, self.patterns, own.net, own.accumulator)
        near_from_state(self.state, self.work)
        self.work["age"] += 1
        self.work["history"][:] //= 4
        self.work["vcf_total"] = 0
        self.work["excluded"][:] = 0
        self.exclude(())

    def exclude(self, points: Points) -> None:
        """Leave these points out at the root, and no others."""
        self.work["root_excluded"][:] = 0
        for point in points:
            self.work["root_excluded"][point] = 1

    def search(self, ctl: Control, low: int, high: int, depth: int) -> int:
        """The value of the position within a window, for the side to move."""
        self.work["root_window"] = high - low
        self.work["extensions"][0] = 0
        arrays = self._arrays._replace(ctl=ctl)
        return int(engine_search(self._records, arrays, low, high, depth * PLY, 0, 0))

    def by_fours(self, nodes: int) -> int:
        """Plies to a win by fours found within ``nodes`` positions, 0 for none; ``vcf`` holds its line."""
        return int(leaf_vcf(self._records, self._arrays, nodes))


class Helpers:
    """Searches of the same position on other threads, which fill the common table.

    Every thread deepens by itself, the odd ones a ply ahead; the table brings what one has found to the
    others (known as lazy SMP). The answer is the first thread's. Results are not reproducible.
    """

    def __init__(self, spaces: Sequence[Workspace]) -> None:
        self._spaces = spaces
        self._ctls = [new_control() for _ in spaces]
        self._threads: list[threading.Thread] = []

    def start(self, position: Position, excluded: Points, max_depth: int) -> None:
        """Begin; ``excluded`` are points that are no candidates."""
        for number, (space, ctl) in enumerate(zip(self._spaces, self._ctls, strict=True)):
            space.set_up(position)
            space.exclude(excluded)
            args = (space, ctl, 1 + (number + 1) % 2, max_depth)
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


def _deepen(space: Workspace, ctl: Control, first: int, max_depth: int) -> None:
    for depth in range(first, max_depth + 1):
        space.search(ctl, -ALL, ALL, depth)
        if ctl[STOP]:
            break
