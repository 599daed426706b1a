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
from wuzi.evaluation.layout import ACCUMULATOR
from wuzi.search.alphabeta import deepen_kernels, move_kernels, node_kernels
from wuzi.search.alphabeta import kernels as alphabeta_kernels
from wuzi.search.alphabeta.parameters import PARAMETERS
from wuzi.search.alphabeta.root_guard import RootGuard
from wuzi.search.control import Control, new_control
from wuzi.search.layout import ALPHABETA, DEEPENING, MAX_LEVEL, PARAMETERS_RECORD, SEARCH_NODE
from wuzi.tactics.layout import PATTERNS, VCF, VCF_ENTRY

Table = npt.NDArray[np.uint64]
Points = Iterable[int]


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
        self.deep = np.zeros(1, DEEPENING)[0]
        self.spare = new_control()
        self.state: Any = None
        self._records = move_kernels.EngineRecords(
            state=None,
            patterns=self.patterns,
            tables=tables,
            work=self.work,
            params=parameters_record(parameters),
            net=net,
            accumulator=np.zeros(1, ACCUMULATOR)[0],
            vcf=self.vcf,
        )
        self._arrays = move_kernels.EngineArrays(
            entries=np.zeros(1 << 16, VCF_ENTRY),
            table=table,
            ctl=new_control(),
            vcf_ctl=np.zeros(8, np.int64),
            stack=np.zeros((2, MAX_LEVEL + 1), SEARCH_NODE),
        )

    def clear(self) -> None:
        """Forget everything learned in earlier searches, in the shared table too."""
        deepen_kernels.search_forget(self.work, self._arrays)

    def begin(self, position: Position, ctl: Control, wanted: Mapping[str, int], barred: Points) -> bool:
        """Begin a search of a position; whether a win by fours was found at once.

        ``wanted`` are fields of :data:`wuzi.search.layout.DEEPENING`; ``barred`` points are no candidates.
        """
        self.state = position.state()
        self._records = self._records._replace(state=self.state)
        self._arrays = self._arrays._replace(ctl=ctl)
        self.deep["barred"] = 0
        for point in barred:
            self.deep["barred"][point] = 1
        for name, value in wanted.items():
            self.deep[name] = value
        return bool(deepen_kernels.search_begin(self._records, self._arrays, self.spare, self.deep))

    def deepen(self, guard: RootGuard) -> bool:
        """Search one ply deeper and return whether to continue."""
        args = (self._records, self._arrays, self.spare, self.deep, guard.records, guard.arrays)
        return bool(deepen_kernels.search_deepen(*args))

    def search(self, ctl: Control, depth: int) -> None:
        """Search to a depth with a window that holds every value, for what it leaves in the shared table."""
        self.work["root_excluded"] = self.deep["barred"]
        self.work["root_window"] = 2 * deepen_kernels.ALL
        self.work["extensions"][0] = 0
        alphabeta_kernels.engine_search(
            self._records,
            self._arrays._replace(ctl=ctl),
            -deepen_kernels.ALL,
            deepen_kernels.ALL,
            depth * node_kernels.PLY,
            0,
            0,
        )

    @property
    def nodes(self) -> int:
        """Positions of this search so far."""
        return int(self._arrays.ctl[NODES]) + int(self.spare[NODES]) + int(self.deep["earlier"])


class Helpers:
    """Searches of the same position on other threads, which fill the common table.

    Every thread deepens by itself, the odd ones a ply ahead; the table brings what one has found to the
    others (known as lazy SMP). The answer is the first thread's. Results are not reproducible.
    """

    def __init__(self, spaces: Sequence[Workspace]) -> None:
        self._spaces = spaces
        self._ctls = [new_control() for _ in spaces]
        self._threads: list[threading.Thread] = []

    def start(self, position: Position, barred: Points, max_depth: int) -> None:
        """Begin; ``barred`` are points that are no candidates."""
        for number, (space, ctl) in enumerate(zip(self._spaces, self._ctls, strict=True)):
            space.begin(position, ctl, {"root_vcf_nodes": 0}, barred)
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
        space.search(ctl, depth)
        if ctl[STOP]:
            break
