"""Moves in words: what a stone makes, stops, threatens and allows, and why a hint suggests it.

Only what is proved is reported.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import auto

import numpy as np

from wuzi.analysis import explain_kernels
from wuzi.analysis.layout import EXPLAINED, LINE_ROOM
from wuzi.base.words import Bilingual, filled
from wuzi.contract import Line, own_winrate
from wuzi.core import Game, Move, Position, format_move
from wuzi.core.layout import MAX_CELLS
from wuzi.core.lines import WIN_LENGTHS
from wuzi.tactics.classes import tables
from wuzi.tactics.layout import MAX_THREATS, PATTERNS, TABLES, THREAT, VCF, VCF_ENTRY
from wuzi.tactics.vcf import TABLE_BITS

FOUR_NODES = 20_000
"""Positions that each search for a win by fours may look at."""

AREA_RADIUS, SMALL_SIZE = 2, 10
"""A hint's area reaches so far from its middle; one point less on boards up to that size."""


class Said(Bilingual):
    """What can be said of a move, in both languages; ``{cells}`` are the cells it is about."""

    WINS = auto()
    FOUL_OVERLINE = auto()
    FOUL_DOUBLE_FOUR = auto()
    FOUL_DOUBLE_THREE = auto()
    LEAVES_FIVE = auto()
    STOPS_FIVE = auto()
    STOPS_OPEN_THREE = auto()
    STOPS_FOUR_FOUR = auto()
    STOPS_FOUR_THREE = auto()
    STOPS_THREE_THREE = auto()
    STOPS_FOURS = auto()
    OPEN_FOUR = auto()
    TWO_FOURS = auto()
    FOUR_THREE = auto()
    FOUR = auto()
    TWO_THREES = auto()
    OPEN_THREE = auto()
    PREPARES_FOUR_FOUR = auto()
    PREPARES_FOUR_THREE = auto()
    PREPARES_THREE_THREE = auto()
    BEGINS_FOURS = auto()
    THREATENS_FOURS = auto()
    ALLOWS_FOURS = auto()
    WINS_IN = auto()
    LOSES_IN = auto()
    TWO_TWOS = auto()
    OPEN_TWO = auto()
    CLOSED_THREE = auto()
    TAKES_THREE = auto()
    TAKES_TWO = auto()
    QUIET = auto()
    STOPS_FOUR_FOUR_HERE = auto()
    STOPS_FOUR_THREE_HERE = auto()
    STOPS_THREE_THREE_HERE = auto()

    def at(self, move: Move, cells: tuple[Move, ...]) -> Said:
        """The same where ``cells`` are no other place than the move's own, if there are words for that."""
        return Said.__members__.get(f"{self.name}_HERE", self) if cells == (move,) else self


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing to say of a move, the cells it is about, and how many plies off a proven end is."""

    said: Said
    cells: tuple[Move, ...] = ()
    plies: int = 0

    def text(self, size: int, language: str = "en") -> str:
        """The sentence for a board of that size, in ``en`` or ``zh``."""
        cells = " ".join(format_move(cell, size) for cell in self.cells)
        return filled(self.said.text(language), cells=cells, plies=self.plies)


class _Board:
    """A position with the records that kernels explain it by.

    Threats are named for win lengths four and five, wins by fours for freestyle, standard and renju.
    """

    def __init__(self, position: Position, max_nodes: int = 0) -> None:
        rules = position.rules
        named = rules.win_length in WIN_LENGTHS
        self.position = position
        self.work = np.zeros(1, EXPLAINED)[0]
        self.work["named"] = named
        self.work["solves"] = named and max_nodes > 0 and not rules.rule.blockable
        self.work["max_nodes"] = max_nodes
        of_rules = tables(rules.rule, rules.win_length) if named else np.zeros(1, TABLES)[0]
        entries = np.zeros(1 << TABLE_BITS if self.work["solves"] else 1, VCF_ENTRY)
        cells = np.zeros((2, MAX_CELLS), np.int64)
        patterns, vcf = np.zeros(1, PATTERNS)[0], np.zeros(1, VCF)[0]
        self.records = explain_kernels.ExplainRecords(position.state(), patterns, of_rules, vcf, self.work)
        before, after = np.zeros((2, MAX_THREATS), THREAT)
        ctl, line = np.zeros(8, np.int64), np.zeros(LINE_ROOM, np.int64)
        arrays = (before, after, entries, ctl, line, *cells)
        self.arrays = explain_kernels.ExplainArrays._make(arrays)


class Explainer:
    """Explains moves of one position that is not over; what is known of the position is found once.

    Where threats have no names, only the end of the game and what the search proved are reported.
    """

    def __init__(self, position: Position, *, max_nodes: int = FOUR_NODES) -> None:
        self._board = _Board(position, max_nodes)
        explain_kernels.explain_begin(self._board.records, self._board.arrays)

    def explain(self, move: Move, line: Line | None = None) -> tuple[Remark, ...]:
        """What a legal move does, most important first; ``line`` is what a search proved of it."""
        board, size = self._board, self._board.position.rules.size
        win_in = (line and line.win_in) or 0
        count = int(explain_kernels.explain_move(board.records, board.arrays, int(move), win_in))
        work, remarks = board.work, []
        for i in range(count):
            cells = work["cells"][i, : int(work["num_cells"][i])]
            told = tuple(Move(int(cell), size) for cell in cells)
            remarks.append(Remark(_SAID[int(work["said"][i])].at(move, told), told, int(work["plies"][i])))
        return tuple(remarks)


_SAID = tuple(Said)


class HintReason(Bilingual):
    """Why a move is suggested, in both languages."""

    WINS = auto()
    BLOCKS_WIN = auto()
    OPEN_FOUR = auto()
    DOUBLE_THREAT = auto()
    STOPS_OPEN_FOUR = auto()
    WINNING_LINE = auto()
    BEST_DEFENCE = auto()
    ADVANTAGE = auto()
    DIFFICULT = auto()
    BEST_FOUND = auto()


def hint_area(move: Move, size: int) -> tuple[Move, ...]:
    """The cells of a square region that holds ``move``, usually not in its middle.

    The shift depends on nothing but the move, so asking again tells no more.
    """
    radius = AREA_RADIUS if size > SMALL_SIZE else AREA_RADIUS - 1
    row, col = divmod(int(move), size)
    shift_row, shift_col = (row * 7 + col * 3) % 3 - 1, (row * 5 + col * 11) % 3 - 1
    rows = range(max(0, row + shift_row - radius), min(size, row + shift_row + radius + 1))
    cols = range(max(0, col + shift_col - radius), min(size, col + shift_col + radius + 1))
    return tuple(Move(r * size + c, size) for r in rows for c in cols)


def hint_reason(game: Game, move: Move, line: Line | None = None) -> HintReason:
    """Why ``move`` is good for the side to move, as far as is certain; ``line`` is what its search thinks."""
    board = _Board(game.position)
    winrate = None if line is None else line.winrate
    rate = math.nan if winrate is None else own_winrate(winrate, game.to_move)
    win_in = (line and line.win_in) or 0
    why = explain_kernels.hint_why(board.records, board.arrays, int(move), win_in, rate)
    return tuple(HintReason)[int(why)]
