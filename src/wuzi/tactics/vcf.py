"""Wins by continuous fours (VCF): each attacking move makes a four, so each reply is forced."""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from wuzi.core import rule_kernels
from wuzi.core.layout import MAX_NODES, NODES
from wuzi.core.lines import check_supported
from wuzi.core.notation import Move
from wuzi.core.position import Position
from wuzi.core.rules import Rules
from wuzi.errors import UnsupportedError
from wuzi.tactics import vcf_kernels
from wuzi.tactics.classes import tables
from wuzi.tactics.layout import PATTERNS, VCF, VCF_ENTRY
from wuzi.tactics.proof import completed

TABLE_BITS = 18


class Verdict(StrEnum):
    """What a solver can say of a position, for the side to move."""

    WIN = "win"
    NONE = "none"
    """Proved that there is no such win."""
    UNKNOWN = "unknown"
    """A limit stopped the search."""


VERDICTS = (Verdict.NONE, Verdict.WIN, Verdict.UNKNOWN)
"""What a kernel's answer means, by its number."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The answer of a solver.

    Attributes:
        verdict: win, none or unknown.
        moves: the winning line, both sides, ending with the winning row or with the move that makes
            two points of it at once; empty without a win.
        nodes: positions looked at.
        time_s: seconds it took.
    """

    verdict: Verdict
    moves: tuple[Move, ...]
    nodes: int
    time_s: float

    @property
    def plies(self) -> int:
        """Length of the line."""
        return len(self.moves)


def check_rules(rules: Rules) -> None:
    """Refuse rules that searches for threats do not know.

    Raises:
        UnsupportedError: caro, where an open four can be stopped, or a win length other than 4 and 5.
    """
    if rules.rule.blockable:
        raise UnsupportedError(f"wins by fours in {rules.rule.label}: an open four can be stopped there")
    check_supported(rules)


class VcfSolver:
    """Finds wins by fours. An answer does not depend on the positions asked before."""

    def __init__(self) -> None:
        self._patterns = np.zeros(1, PATTERNS)[0]
        self._work = np.zeros(1, VCF)[0]
        self._entries = np.zeros(1 << TABLE_BITS, VCF_ENTRY)

    def clear(self) -> None:
        """Forget earlier positions, so that a search that is cut short ends as in a new solver."""
        if self._work["solved"]:
            self._work["solved"] = 0
            self._entries.view(np.uint8).fill(0)

    def solve(self, position: Position, *, max_nodes: int | None = None, ctl: Any = None) -> Solution:
        """The shortest win by fours of the side to move (fewest fours), if there is one.

        After ``max_nodes`` positions the verdict is ``unknown``; ``ctl`` (int64 [8]) can stop the search from
        another thread.

        Raises:
            UnsupportedError: not freestyle, standard or renju with win length 4 or 5.
        """
        rules = position.rules
        check_rules(rules)
        start = time.perf_counter()
        if position.outcome is not None:
            return Solution(Verdict.NONE, (), 0, 0.0)
        control = np.zeros(8, np.int64) if ctl is None else ctl
        found = self._run(position, max_nodes, control)
        points = self._work["line"][: int(self._work["length"])] if found == vcf_kernels.WIN else ()
        moves = tuple(Move(rule_kernels.to_cell(int(p), rules.size), rules.size) for p in points)
        return Solution(
            VERDICTS[found],
            completed(position, moves) if moves else (),
            int(control[NODES]),
            time.perf_counter() - start,
        )

    def search(self, position: Position, *, max_nodes: int | None = None) -> int:
        """Search as :meth:`solve` does and count the positions, for measuring the speed."""
        control = np.zeros(8, np.int64)
        self._run(position, max_nodes, control)
        return int(control[NODES])

    def _run(self, position: Position, max_nodes: int | None, control: Any) -> int:
        """Run the kernel on a position that is not over."""
        state, table = position.state(), tables(position.rules.rule, position.rules.win_length)
        control[MAX_NODES] = max_nodes or 0
        args = (state, self._patterns, table, self._work, self._entries, control)
        return int(vcf_kernels.vcf_solve(*args))
