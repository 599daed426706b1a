"""Pure Monte Carlo tree search: no network, no hand-made values."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from wuzi.contract import Limit, Line, SearchInfo, Stop
from wuzi.core import rule_kernels
from wuzi.core.layout import DEEPEST, LINES, MAX_NODES, NODES
from wuzi.core.notation import Move
from wuzi.core.position import Position
from wuzi.search.control import counted, drive, new_control, time_budget
from wuzi.search.layout import NODE
from wuzi.search.montecarlo import kernels as montecarlo_kernels
from wuzi.tactics.classes import tables
from wuzi.tactics.layout import PATTERNS, TABLES

_UNLIMITED = 1 << 40
_PV_LENGTH = 10


class Rollouts(StrEnum):
    """How the games below the tree are played."""

    RANDOM = "random"
    """Uniformly random moves."""
    TACTICAL = "tactical"
    """Random moves, but fives are made and stopped and an open four wins (win lengths 4 and 5)."""


class TreeFormula(StrEnum):
    """By what the next move in the tree is chosen."""

    UCB1 = "ucb1"
    """Wins and the logarithm of visits (document 000)."""
    PUCT = "puct"
    """The formula of a search with a net, with the same prior for each move (documents 001 and 003)."""


EXPLORATION = {TreeFormula.UCB1: 1.414, TreeFormula.PUCT: 5.0}
"""The documents' constants: of UCB1 for rewards 0, 0.5 and 1, of PUCT for -1, 0 and 1."""


@dataclass(frozen=True, slots=True)
class MctsOptions:
    """What the search does.

    Attributes:
        simulations: random games, unless a limit says otherwise; the first of PUCT is played from the root.
        formula: by what moves in the tree are chosen.
        exploration: its constant; none: that of :data:`EXPLORATION`.
        rollouts: how they are played.
        max_nodes: size of the tree; when it is full, simulations continue below its leaves.
        seed: the same seed gives the same search.
    """

    simulations: int
    exploration: float | None = None
    rollouts: Rollouts = Rollouts.RANDOM
    formula: TreeFormula = TreeFormula.UCB1
    max_nodes: int = 1_000_000
    seed: int = 0


class MctsSearch:
    """One search of one position."""

    def __init__(self, position: Position, options: MctsOptions) -> None:
        self._position = position
        self._options = options
        rules = position.rules
        self._mode = montecarlo_kernels.PLAIN
        if options.rollouts is Rollouts.TACTICAL:
            self._mode = montecarlo_kernels.TACTICAL
        elif rules.rule.forbids:
            self._mode = montecarlo_kernels.RULE_BOOK
        puct = options.formula is TreeFormula.PUCT
        self._formula = montecarlo_kernels.PUCT if puct else montecarlo_kernels.UCB1
        tactical = self._mode == montecarlo_kernels.TACTICAL
        self._tables = tables(rules.rule, rules.win_length) if tactical else np.zeros(1, TABLES)[0]
        self._patterns = np.zeros(1, PATTERNS)[0]
        self._root = np.zeros(1, LINES)[0]
        self._work = np.zeros(1, LINES)[0]
        for number, record in enumerate((self._root, self._work)):
            mixed = int(rule_kernels.mix(np.uint64((options.seed * 2 + number + 1) & (2**64 - 1))))
            record["rng"] = mixed or 1
        self._state = position.state()

    def run(
        self,
        limit: Limit = Limit(),
        *,
        multipv: int = 1,
        stop: Stop | None = None,
        on_info: Callable[[SearchInfo], None] | None = None,
    ) -> SearchInfo:
        """Search until the limit; without one, the configured number of simulations."""
        budget = time_budget(limit)
        simulations = counted(limit)
        if simulations is None:
            simulations = _UNLIMITED if budget else self._options.simulations
        capacity = min(self._options.max_nodes, simulations + 1)
        nodes = np.zeros(max(2, capacity), NODE)
        path = np.zeros(self._position.rules.num_cells + 2, np.int64)
        ctl = new_control()
        start = time.perf_counter()
        args = (self._state, self._patterns, self._tables, self._root)
        montecarlo_kernels.mcts_setup(*args, nodes, ctl, self._mode)
        wanted = self._options.exploration
        c_milli = round((EXPLORATION[self._options.formula] if wanted is None else wanted) * 1000)

        run = montecarlo_kernels.MctsRun(*args, self._work, nodes, path, ctl)

        def search() -> None:
            montecarlo_kernels.mcts_run(run, simulations, c_milli, self._mode, self._formula)

        def info() -> SearchInfo:
            return self._info(nodes, ctl, multipv, time.perf_counter() - start)

        def report() -> None:
            if on_info is not None and nodes[0]["first_child"]:
                on_info(info())

        drive(search, ctl, budget_s=budget, stop=stop, on_tick=report if on_info else None)
        final = info()
        if on_info is not None:
            on_info(final)
        return final

    def _info(self, nodes: np.ndarray, ctl: np.ndarray, multipv: int, elapsed: float) -> SearchInfo:
        children = _children(nodes, 0)
        children.sort(key=lambda n: (-int(nodes[n]["visits"]), int(nodes[n]["place"])))
        return SearchInfo(
            color=self._position.to_move,
            lines=tuple(self._line(nodes, child) for child in children[: max(1, multipv)]),
            nodes=int(ctl[MAX_NODES]),
            simulations=int(ctl[NODES]),
            max_depth=int(ctl[DEEPEST]),
            time_s=elapsed,
        )

    def _line(self, nodes: np.ndarray, child: int) -> Line:
        visits = int(nodes[child]["visits"])
        rate = min(1.0, float(nodes[child]["value_sum"]) / visits) if visits else 0.5
        pv: list[Move] = []
        node = child
        while node and len(pv) < _PV_LENGTH and nodes[node]["visits"]:
            pv.append(self._cell(nodes, node))
            below = _children(nodes, node)
            node = max(below, key=lambda n: int(nodes[n]["visits"]), default=0)
        move, color = self._cell(nodes, child), self._position.to_move
        return Line(move=move, value=2 * rate - 1, color=color, visits=visits, pv=tuple(pv))

    def _cell(self, nodes: np.ndarray, node: int) -> Move:
        size = self._position.rules.size
        row, col = divmod(int(nodes[node]["place"]), 32)
        return Move(row * size + col, size)


def _children(nodes: np.ndarray, node: int) -> list[int]:
    found = []
    child = int(nodes[node]["first_child"])
    while child:
        found.append(child)
        child = int(nodes[child]["next_sibling"])
    return found
