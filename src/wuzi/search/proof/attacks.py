"""Wins by threats, written as nodes of a proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wuzi.core import rule_kernels
from wuzi.core.classes import FIVE
from wuzi.core.layout import BLACK, MAX_NODES, NODES, PAD, STATE, STRIDE, WALL, WHITE
from wuzi.search.proof import attack_kernels
from wuzi.search.proof.boards import Boards, bits
from wuzi.tactics import kernels as pattern_kernels
from wuzi.tactics import vcf_kernels, vct_kernels
from wuzi.tactics.classes import tables
from wuzi.tactics.layout import PATTERNS, VCF, VCF_ENTRY, VCT, VCT_ENTRY

TABLE_BITS = 21
VCF_TABLE_BITS = 17
LEAF_NODES = 20


@dataclass(frozen=True, slots=True)
class Tree:
    """A won attack.

    Attributes:
        text: its node, as the file of a proof has it.
        nodes: how many moves of Black stand in the text.
        zone: where one more white stone may disturb it.
        white: the white stones that were on the board.
    """

    text: str
    nodes: int
    zone: int
    white: int


class AttackFinder:
    """The threat search with one table for all positions of a proof."""

    def __init__(self, boards: Boards) -> None:
        rules = boards.rules
        self._boards, self._rules = boards, rules
        self._tables = tables(rules.rule, rules.win_length)
        self._state, self._patterns = np.zeros(1, STATE)[0], np.zeros(1, PATTERNS)[0]
        self._work = np.zeros(1, VCT)[0]
        self._work["leaf_nodes"] = LEAF_NODES
        self._tree = np.zeros(1, attack_kernels.TREE)[0]
        self._records = vct_kernels.VctRecords(
            self._state, self._patterns, self._tables, self._work, np.zeros(1, VCF)[0]
        )
        self._arrays = vct_kernels.VctArrays(
            np.zeros(1 << VCF_TABLE_BITS, VCF_ENTRY),
            np.zeros(1 << TABLE_BITS, VCT_ENTRY),
            np.zeros(8, np.int64),
            np.zeros(8, np.int64),
        )
        rows, columns = np.divmod(np.arange(rules.num_cells), rules.size)
        self._points = (rows + PAD) * STRIDE + columns + PAD
        self._off = list(bits(boards.off))
        self._names = {int(p): boards.names[c] for c, p in enumerate(self._points)}
        self._cells = np.zeros(rules.num_cells, np.int8)
        self.searched = 0
        self.was_cut = False
        """Whether the last search for an attack ended at its limit."""

    def set_up(self, black: int, white: int, to_move: int) -> None:
        """Put the stones on the board and count the patterns."""
        self._cells[:] = 0
        self._cells[list(bits(black))] = BLACK
        self._cells[list(bits(white))] = WHITE
        rules = self._rules
        args = (self._cells, rules.size, rules.win_length, int(rules.rule), to_move)
        rule_kernels.load(self._state, *args)
        self._state["cells"][self._points[self._off]] = WALL
        pattern_kernels.patterns_from_state(self._state, self._patterns, self._tables)
        table, work = self._arrays.table, self._work
        if work["used"] > len(table) // 2:
            table["key"] = 0
            work["used"] = 0

    def fives(self, color: int) -> list[int]:
        """The cells where that colour makes a winning row now."""
        classes = self._patterns["classes"][color - 1][self._points]
        return [int(c) for c in np.flatnonzero((classes == FIVE) & (self._cells == 0))]

    def wins(self, color: int, most: int) -> bool:
        """Whether that colour, to move, is seen to win by threats within so many positions."""
        ctl = self._arrays.ctl
        ctl[:] = 0
        ctl[MAX_NODES] = most
        found = vct_kernels.vct_search(self._records, self._arrays, color) == vcf_kernels.WIN
        self.searched += int(ctl[NODES])
        return bool(found)

    def attack(self, most: int) -> Tree | None:
        """Black's win by threats, to move or after White passes, if one is found within so many positions."""
        tree = self._tree
        found = attack_kernels.attack_tree(self._records, self._arrays, tree, BLACK, most)
        self.searched += int(self._arrays.ctl[NODES])
        self.was_cut = found == vcf_kernels.CUT
        if found != vcf_kernels.WIN or tree["failed"]:
            return None
        text, nodes = _Writer(tree, self._names).text()
        zone = np.packbits(tree["zone"][self._points], bitorder="little").tobytes()
        white = sum(1 << int(c) for c in np.flatnonzero(self._cells == WHITE))
        return Tree(text, nodes, int.from_bytes(zone, "little"), white)


class _Writer:
    """Makes text of a tree of the kernels."""

    def __init__(self, tree: Any, names: dict[int, str]) -> None:
        nodes, edges = int(tree["num_nodes"]), int(tree["num_edges"])
        of_nodes, of_edges = ("move", "passed", "first"), ("reply", "target", "next")
        self._move, self._passed, self._first = (tree[name][:nodes].tolist() for name in of_nodes)
        self._reply, self._target, self._next = (tree[name][:edges].tolist() for name in of_edges)
        self._names, self._parts = names, list[str]()
        self._number: dict[int, int] = {}

    def text(self) -> tuple[str, int]:
        """The text, and how many moves of Black it has."""
        self._write(0)
        return "".join(self._parts), len(self._number)

    def _write(self, node: int) -> None:
        parts = self._parts
        if node in self._number:
            parts.append(f"@{self._number[node]}")
            return
        self._number[node] = len(self._number)
        parts.append(self._names[self._move[node]])
        passed, edge = self._passed[node], self._first[node]
        if passed < 0 and edge < 0:
            return
        parts.append("(")
        if passed >= 0:
            parts.append("-")
            self._write(passed)
        while edge >= 0:
            parts.append(self._names[self._reply[edge]])
            self._write(self._target[edge])
            edge = self._next[edge]
        parts.append(")")
