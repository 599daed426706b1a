"""Perft: counting all games to a depth, to check the rule book against known totals."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from wuzi.core import rule_kernels
from wuzi.core.position import Position
from wuzi.core.rules import Rules
from wuzi.errors import ConfigError


@dataclass(frozen=True, slots=True)
class PerftResult:
    """Totals of a perft.

    Attributes:
        nodes: nodes[i] is the number of positions after i + 1 stones.
        finished: games that ended within the depth.
        time_s: seconds it took.
    """

    nodes: tuple[int, ...]
    finished: int
    time_s: float


def perft(rules: Rules, depth: int) -> PerftResult:
    """Play every game of at most ``depth`` stones from the empty board.

    >>> perft(Rules(size=3, win_length=3), 3).nodes
    (9, 72, 504)
    """
    if not 1 <= depth <= rules.num_cells:
        raise ConfigError(f"depth {depth}: expected 1 to {rules.num_cells}")
    nodes = np.zeros(depth, np.int64)
    start = time.perf_counter()
    finished = rule_kernels.perft(Position(rules).state(), depth, nodes)
    return PerftResult(tuple(map(int, nodes)), int(finished), time.perf_counter() - start)
