"""Exact values of small boards: who wins, how soon, and the moves that prove it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from wuzi.core.layout import MAX_NODES, NODES, STOP
from wuzi.core.notation import Move
from wuzi.core.position import Position
from wuzi.core.rules import Rules
from wuzi.core.symmetry import cell_maps
from wuzi.core.types import Color
from wuzi.errors import GameOverError, UnsupportedError
from wuzi.search.control import Control, new_control
from wuzi.search.exact import kernels as exact_kernels
from wuzi.search.layout import EXACT
from wuzi.tactics import vct_move_kernels
from wuzi.tactics.layout import VCT_ENTRY

MAX_SIZE = 8
TABLE_BITS = 20
DISTANCE_BITS = 19
DEFAULT_NODES = 50_000_000
DISTANCE_NODES = 1_000_000
_SEED = 0x5EED
_TRY_NODES = (50, 5_000, DEFAULT_NODES)


class Value(StrEnum):
    """The value of a position for the side to move, under best play of both."""

    WIN = "win"
    LOSS = "loss"
    DRAW = "draw"
    UNKNOWN = "unknown"
    """A limit stopped the search."""


@dataclass(frozen=True, slots=True)
class ExactSolution:
    """The answer of :class:`ExactSolver`.

    Attributes:
        value: for the side to move.
        plies: stones until the winning row under best play (the winner hurries, the loser resists as long
            as it can); None for a draw, or where that would take too long.
        moves: such a line, both sides, ending with the winning row; without ``plies`` a winning line
            against some defence; empty for a draw.
        nodes: positions looked at.
        time_s: seconds it took.
    """

    value: Value
    plies: int | None
    moves: tuple[Move, ...]
    nodes: int
    time_s: float


def why_unsupported(rules: Rules) -> str | None:
    """None if :class:`ExactSolver` knows these rules, else the reason."""
    if rules.rule.forbids:
        return "exact solving of renju: freestyle, standard and caro only"
    if rules.size > MAX_SIZE:
        return f"exact solving on {rules.size}x{rules.size}: boards up to {MAX_SIZE}x{MAX_SIZE} only"
    return None


class ExactSolver:
    """Solves positions of one set of rules; remembers what it learned."""

    def __init__(self, rules: Rules) -> None:
        """Make the tables; an UnsupportedError for renju, or a board over 8x8."""
        if (reason := why_unsupported(rules)) is not None:
            raise UnsupportedError(reason)
        self.rules = rules
        self._work = _board(rules)
        self._table = np.zeros(1 << TABLE_BITS, VCT_ENTRY)
        self._distances = np.zeros(1 << DISTANCE_BITS, VCT_ENTRY)

    def solve(
        self, position: Position, *, max_nodes: int | None = None, ctl: Control | None = None
    ) -> ExactSolution:
        """The value of a position, and the line of best play when a side wins.

        At most ``max_nodes`` positions are looked at for the value (fifty million by default). A million more
        may go into the shortest win and the longest defence; without them the line is any that wins. A
        GameOverError where the game is over.
        """
        self._check(position)
        start = time.perf_counter()
        ctl = new_control() if ctl is None else ctl
        ctl[MAX_NODES] = max_nodes or DEFAULT_NODES
        value = self._value(position, ctl)
        plies, moves = None, tuple[Move, ...]()
        if value in (Value.WIN, Value.LOSS):
            ctl[MAX_NODES] = int(ctl[NODES]) + DISTANCE_NODES
            attacker = position.to_move if value is Value.WIN else position.to_move.opponent
            plies = self._distance(position, attacker, ctl)
            moves = () if plies is None else tuple(self._best_line(position, attacker, plies, ctl))
            if plies is None or len(moves) < plies:
                plies, moves = None, tuple(self._any_line(position, attacker, ctl))
        return ExactSolution(value, plies, moves, int(ctl[NODES]), time.perf_counter() - start)

    def choose(self, position: Position, attacker: Color, ctl: Control | None = None) -> Move | None:
        """A move of the side to move that keeps its aim, whatever follows; None if it has none.

        The attacker's aim is to make a winning row, its opponent's that there be none. Playing these moves to
        the end is a proof, see :func:`wuzi.tactics.checker.why_strategy_fails`. None, too, where ``ctl`` was
        stopped from outside.
        """
        self._check(position)
        if (move := self._known_move(position, attacker)) is not None:
            return move
        aim = exact_kernels.YES if position.to_move is attacker else exact_kernels.NO
        ctl = new_control() if ctl is None else ctl
        if not _goes_on(ctl, DEFAULT_NODES) or self._ask(position, attacker, ctl) != aim:
            return None
        known = self._known_move(position, attacker)
        return self._tried_move(position, attacker, aim, ctl) if known is None else known

    def distances(
        self, position: Position, *, max_nodes: int | None = None, ctl: Control | None = None
    ) -> dict[Move, int]:
        """Plies to the end after each legal move of a lost position, the move itself counted.

        The greatest is the defence that resists longest. Empty where the position is not lost, or a limit
        stopped the search.
        """
        self._check(position)
        ctl = new_control() if ctl is None else ctl
        ctl[MAX_NODES] = int(ctl[NODES]) + (max_nodes or DEFAULT_NODES)
        if self._value(position, ctl) is not Value.LOSS:
            return {}
        found: dict[Move, int] = {}
        winner = position.to_move.opponent
        for move in position.legal_moves:
            after = position.play(move)
            plies = 0 if after.outcome is not None else self._distance(after, winner, ctl)
            if plies is None:
                return {}
            found[move] = plies + 1
        return found

    def likely_move(self, position: Position) -> Move:
        """A move without a search: a winning row, the stop of one, else the empty cell on most rows."""
        work = self._set_up(position, position.to_move)
        me, opponent = int(position.to_move) - 1, 2 - int(position.to_move)
        order = [int(cell) for cell in work["order"][: self.rules.num_cells] if not position.cells[cell]]
        wins, blocks = int(work["wins"][me]), int(work["wins"][opponent])
        urgent = [cell for cell in order if (wins or blocks) >> cell & 1]
        return Move((urgent or order)[0], self.rules.size)

    def _check(self, position: Position) -> None:
        if position.rules != self.rules:
            raise UnsupportedError(f"a solver for {self.rules.label} was asked about {position.rules.label}")
        if position.outcome is not None:
            raise GameOverError(f"there is nothing to solve: the game is over ({position.outcome.result})")

    def _set_up(self, position: Position, attacker: Color) -> Any:
        work = self._work
        work["stones"], work["keys"] = 0, 0
        for cell in map(int, np.flatnonzero(position.cells)):
            color = int(position.cells[cell]) - 1
            work["stones"][color] |= np.uint64(1 << cell)
            work["keys"] ^= work["zobrist"][:, color, cell]
        work["side"], work["attacker"] = int(position.to_move), int(attacker)
        exact_kernels.exact_scan(work)
        return work

    def _ask(self, position: Position, attacker: Color, ctl: Control) -> int:
        """Whether the attacker wins: NO, YES or CUT of the kernels."""
        return int(exact_kernels.exact_search(self._set_up(position, attacker), self._table, ctl))

    def _value(self, position: Position, ctl: Control) -> Value:
        for attacker, value in ((position.to_move, Value.WIN), (position.to_move.opponent, Value.LOSS)):
            answer = self._ask(position, attacker, ctl)
            if answer == exact_kernels.CUT:
                return Value.UNKNOWN
            if answer == exact_kernels.YES:
                return value
        return Value.DRAW

    def _distance(self, position: Position, attacker: Color, ctl: Control) -> int | None:
        """Plies to a win that is known to exist; None if a limit came first."""
        first = 1 if position.to_move is attacker else 2
        for depth in range(first, self.rules.num_cells - position.ply + 1, 2):
            if self._within(position, attacker, depth, ctl):
                return depth
            if ctl[STOP]:
                break
        return None

    def _within(self, position: Position, attacker: Color, depth: int, ctl: Control) -> bool:
        work = self._set_up(position, attacker)
        return bool(exact_kernels.exact_within(work, self._distances, ctl, depth, 0) == exact_kernels.YES)

    def _known_move(self, position: Position, attacker: Color) -> Move | None:
        """A move after which the table, or one look, says that the mover's aim is reached."""
        work = self._set_up(position, attacker)
        me, opponent = int(position.to_move) - 1, 2 - int(position.to_move)
        if wins := int(work["wins"][me]):
            return Move((wins & -wins).bit_length() - 1, self.rules.size)
        blocks = int(work["wins"][opponent])
        for move in position.legal_moves:
            if blocks and not blocks >> move & 1:
                continue
            key = exact_kernels.exact_child_key(work, move)
            place = int(vct_move_kernels.vct_find(self._table, key))
            if place >= 0:
                if int(self._table["delta"][place]) == 0:
                    return move
            elif self._settles(position, move, attacker):
                return move
        return None

    def _tried_move(self, position: Position, attacker: Color, aim: int, ctl: Control) -> Move | None:
        """A move that reaches the aim where a pairing, not a move, told that it can be reached."""
        for nodes in _TRY_NODES:
            for move in position.legal_moves:
                after = position.play(move)
                if not _goes_on(ctl, nodes):
                    return None
                if after.outcome is None and self._ask(after, attacker, ctl) == aim:
                    return move
        return None

    def _settles(self, position: Position, move: Move, attacker: Color) -> bool:
        """Whether a look at the board after the move shows that the mover's aim is reached."""
        work = self._work
        mover = int(position.to_move)
        exact_kernels.exact_toggle(work, move)
        work["side"] = 3 - mover
        exact_kernels.exact_scan(work)
        wins = [int(bits) for bits in work["wins"]]
        lives = bool(work["live"][int(attacker) - 1])
        work["side"] = mover
        exact_kernels.exact_toggle(work, move)
        if wins[2 - mover]:
            return False
        if mover == int(attacker):
            return lives and wins[mover - 1].bit_count() > 1
        return not lives or wins[mover - 1].bit_count() > 1

    def _best_line(self, position: Position, attacker: Color, plies: int, ctl: Control) -> Iterator[Move]:
        """Best play of both sides to the end, ``plies`` long; shorter if a limit comes first."""
        while plies > 0:
            if self._within(position, attacker, plies, ctl) and plies > 2:
                self._within(position, attacker, plies - 2, ctl)
            move = self._next_of_line(position, attacker, plies, ctl)
            if move is None:
                return
            yield move
            position, plies = position.play(move), plies - 1

    def _next_of_line(self, position: Position, attacker: Color, plies: int, ctl: Control) -> Move | None:
        """A move that keeps to the length of the win; what the table knows is asked first."""
        attacking = position.to_move is attacker
        known = [move for move in position.legal_moves if self._remembers(position, move, attacker, plies)]
        for move in [*known, *position.legal_moves]:
            after = position.play(move)
            if after.outcome is not None:
                fits = plies == 1 and after.outcome.winner is attacker
            elif attacking:
                fits = self._within(after, attacker, plies - 1, ctl)
            else:
                fits = not self._within(after, attacker, plies - 3, ctl)
            if ctl[STOP]:
                return None
            if fits:
                return move
        return None

    def _remembers(self, position: Position, move: Move, attacker: Color, plies: int) -> bool:
        """Whether the table of distances knows that the move keeps to the length of the win."""
        work = self._set_up(position, attacker)
        place = int(vct_move_kernels.vct_find(self._distances, exact_kernels.exact_child_key(work, move)))
        if place < 0:
            return False
        if position.to_move is attacker:
            return int(self._distances["phi"][place]) <= plies - 1
        return int(self._distances["delta"][place]) >= plies - 3

    def _any_line(self, position: Position, attacker: Color, ctl: Control) -> Iterator[Move]:
        """A winning line against some defence, to the end, or until it is stopped from outside."""
        while position.outcome is None:
            move = self.choose(position, attacker, ctl)
            if move is None:
                if not _goes_on(ctl, DEFAULT_NODES):
                    return
                move = position.legal_moves[0]
            yield move
            position = position.play(move)


def _goes_on(ctl: Control, nodes: int) -> bool:
    """Allow so many more positions; False where not their number but somebody outside stopped the search."""
    if ctl[STOP] and ctl[NODES] < ctl[MAX_NODES]:
        return False
    ctl[MAX_NODES], ctl[STOP] = ctl[NODES] + nodes, 0
    return True


def _board(rules: Rules) -> Any:
    """The empty board of these rules: its rows, its order of cells, its keys."""
    work = np.zeros(1, EXACT)[0]
    size, cells = rules.size, rules.num_cells
    on = np.zeros(cells, np.int64)
    lines: dict[tuple[int, int, int], int] = {}
    count = 0
    for cell in range(cells):
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            row, col = divmod(cell, size)
            places = [(row + i * down, col + i * right) for i in range(-1, rules.win_length + 1)]
            inside = [0 <= r < size and 0 <= c < size for r, c in places]
            if not all(inside[1:-1]):
                continue
            bits = [r * size + c if ok else -1 for (r, c), ok in zip(places, inside, strict=True)]
            work["windows"][count] = sum(1 << bit for bit in bits[1:-1])
            work["ends"][count] = sum(1 << bit for bit in (bits[0], bits[-1]) if bit >= 0)
            work["closed"][count] = inside[0] and inside[-1]
            # A line is named by its direction and by what stays the same along it.
            name = (down, right, row * right - col * down)
            work["line_of"][count] = lines.setdefault(name, len(lines))
            on[bits[1:-1]] += 1
            count += 1
    work["num_windows"], work["num_lines"], work["num_cells"] = count, len(lines), cells
    work["exact"] = rules.rule.exact != 0
    work["caro"] = rules.rule.blockable
    work["order"][:cells] = np.argsort(-on, kind="stable")
    numbers = np.random.default_rng(_SEED).integers(1, 1 << 63, (2, cells), dtype=np.uint64)
    for symmetry, where in enumerate(cell_maps(size)):
        work["zobrist"][symmetry, :, :cells] = numbers[:, where]
    return work
