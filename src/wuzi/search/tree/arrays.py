"""The memory of many trees: records and arrays that the kernels work on."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.core.layout import STATE
from wuzi.core.rules import Rules
from wuzi.search.layout import TREE, TREE_CHOICE, TREE_EDGE, TREE_NODE
from wuzi.search.tree import batch_kernels
from wuzi.search.tree import kernels as tree_kernels
from wuzi.tactics.classes import tables
from wuzi.tactics.layout import PATTERNS, TABLES

SPARE_NODES = 64
"""Room for positions that simulations pass through without the net: forced blocks."""

Array = npt.NDArray[Any]


class TreeArrays:
    """Trees of equal capacity, one a game, with the boards at their roots.

    Attributes:
        trees: [games] records (:data:`wuzi.search.layout.TREE`).
        nodes, choices, stats: [games, capacity], see :mod:`wuzi.search.layout`.
        places: int32 [nodes], scratch.
        states, patterns, tables: the board at each root and its patterns (none without tactics).
        noise, priors, visits_before: [games, cells]: the root's noise, its priors without it, and the
            visits that its moves had before the search.
    """

    def __init__(self, rules: Rules, games: int, tactical: bool, max_nodes: int) -> None:
        self._cells = rules.num_cells
        self._max_nodes = max(max_nodes, SPARE_NODES)
        self.trees = np.zeros(games, TREE)
        self.nodes: Array = np.zeros((games, 0), TREE_NODE)
        self.choices: Array = np.zeros((games, 0), TREE_CHOICE)
        self.stats: Array = np.zeros((games, 0), TREE_EDGE)
        self.places: Array = np.zeros(0, np.int32)
        self.states = np.zeros(games, STATE)
        self.patterns = np.zeros(games if tactical else 1, PATTERNS)
        self.tables = tables(rules.rule, rules.win_length) if tactical else np.zeros(1, TABLES)[0]
        self.noise = np.zeros((games, self._cells), np.float32)
        self.priors = np.zeros((games, self._cells), np.float32)
        self.visits_before = np.zeros((games, self._cells), np.int32)
        self.reserve(SPARE_NODES)

    def batch(self, vcf: Any, entries: Array, ctl: Array, options: Any) -> batch_kernels.TreeBatch:
        """All of it for the kernels, with the work space of the search for fours and the options' record."""
        return batch_kernels.TreeBatch(
            *(self.trees, self.nodes, self.choices, self.stats, self.places),
            *(self.states, self.patterns, self.tables, vcf, entries, ctl, options),
            *(self.noise, self.priors, self.visits_before),
        )

    def init_root(self, game: int) -> None:
        """Make a tree a lone root."""
        tree_kernels.init_root(self.trees[game], self.nodes[game], self.stats[game])

    def reserve(self, nodes: int) -> None:
        """Make room for so many nodes a tree, within the maximum; half as many again to have some peace.

        Memory that no tree has reached is not touched.
        """
        old = self.nodes.shape[1]
        if min(nodes, self._max_nodes) <= old:
            return
        nodes = min(nodes + nodes // 2, self._max_nodes)
        edges = nodes * self._cells + 1
        used_edges = int(self.trees["edges"].max())
        self.nodes = _larger(self.nodes, nodes, int(self.trees["nodes"].max()))
        self.choices = _larger(self.choices, edges, used_edges)
        self.stats = _larger(self.stats, edges, used_edges)
        self.places = np.zeros(nodes, np.int32)


def _larger(old: Array, columns: int, used: int) -> Array:
    new = np.empty((old.shape[0], columns), old.dtype)
    new[:, :used] = old[:, :used]
    return new
