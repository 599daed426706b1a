"""A position: stones and the side to move, under rules. An immutable value."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from wuzi.base.imports import game_files
from wuzi.core import game_kernels, rule_kernels
from wuzi.core.layout import DRAW, IS_OVER, IS_TAKEN, STATE
from wuzi.core.notation import Move
from wuzi.core.rules import Rules
from wuzi.core.types import Color, ForbiddenKind, Outcome, Reason, Stone
from wuzi.errors import ConfigError, GameOverError, IllegalMoveError

MoveLike = Move | int | str

_FIELDS = ("rules", "cells", "ply", "to_move", "last_move", "key", "outcome")


@cache
def _cells_of(size: int) -> tuple[Move, ...]:
    return tuple(Move(cell, size) for cell in range(size * size))


class Position:
    """Stones on a board and the side to move. Immutable, hashable, cheap to hold.

    Attributes:
        rules: the rules in force.
        cells: int8 [size * size], read-only, values of :class:`wuzi.core.types.Stone`.
        ply: number of stones on the board.
        to_move: the colour to move.
        last_move: the last stone placed, or None.
        key: 64-bit Zobrist key of stones and side to move; equal for equal positions on one size.
        outcome: None while the game is being played, else LINE, DRAW_FULL or FORBIDDEN.

    >>> position = Position(Rules(size=9)).play("e5")
    >>> position.to_move, position.ply
    (<Color.WHITE: 2>, 1)
    """

    __slots__ = ("__dict__", *_FIELDS)

    rules: Rules
    cells: npt.NDArray[np.int8]
    ply: int
    to_move: Color
    last_move: Move | None
    key: int
    outcome: Outcome | None

    def __init__(self, rules: Rules) -> None:
        self._fill(rules, np.zeros(rules.num_cells, np.int8), 0, Color.BLACK, None, 0, None)

    @classmethod
    def from_cells(
        cls,
        rules: Rules,
        cells: npt.ArrayLike,
        to_move: Color | None = None,
        last_move: MoveLike | None = None,
    ) -> Position:
        """A set-up position: size * size values of Stone (EMPTY, BLACK or WHITE), row 0 at the top.

        By default Black is to move when both have equally many stones, else White.

        Raises:
            ConfigError: wrong number of cells or values, no stone at ``last_move``, or both colours have
                a winning row.
            NotationError: ``last_move`` is off the board.
        """
        board = np.array(cells).reshape(-1)
        if board.size != rules.num_cells:
            raise ConfigError(f"{board.size} cells: expected {rules.num_cells} for {rules.size}x{rules.size}")
        if not np.isin(board, (0, 1, 2)).all():
            bad = board[~np.isin(board, (0, 1, 2))][0]
            raise ConfigError(f"cell value {bad}: expected 0 (empty), 1 (black) or 2 (white)")
        board = board.astype(np.int8)
        if to_move is None:
            to_move = Color(game_kernels.side_by_count(board))
        if last_move is not None:
            last_move = Move(last_move, rules.size)
            if board[last_move] == Stone.EMPTY:
                raise ConfigError(f"last move {last_move}: there is no stone")
        self = _restored(rules, board.tobytes(), Color(to_move), last_move, None)
        state = self.state()
        if not game_kernels.judge_set_up(state):
            raise ConfigError("set-up position: both colours have a winning row")
        object.__setattr__(self, "outcome", _outcome_of(state))
        return self

    def state(self) -> Any:
        """A fresh kernel record (:data:`wuzi.core.layout.STATE`) of this position, for searches."""
        state = np.zeros(1, STATE)[0]
        rules = self.rules
        rule_kernels.load(state, self.cells, rules.size, rules.win_length, int(rules.rule), int(self.to_move))
        if self.outcome is not None:
            winner = self.outcome.winner
            state["result"] = DRAW if winner is None else int(winner)
            state["reason"] = int(self.outcome.reason)
        return state

    def check(self, move: MoveLike) -> Move:
        """The move as a cell, if it can be played here.

        Raises:
            NotationError: text that names no cell.
            IllegalMoveError: off the board or occupied.
            GameOverError: the game has ended.
        """
        cell = self._cell(move)
        why_not = game_kernels.why_not(self.cells, int(self.outcome is not None), int(cell))
        if why_not == IS_OVER and self.outcome is not None:
            raise GameOverError(f"{cell} at ply {self.ply + 1}: the game is over ({self.outcome.result})")
        if why_not == IS_TAKEN:
            owner = Color(int(self.cells[cell])).name.lower()
            where = f"ply {self.ply + 1} ({self.rules.label})"
            raise IllegalMoveError(f"{cell} is occupied by {owner} at {where}")
        return cell

    def _cell(self, move: MoveLike) -> Move:
        """The move as a cell of this board, whatever stands there."""
        size = self.rules.size
        if isinstance(move, int | np.integer) and not 0 <= move < size * size:
            raise IllegalMoveError(
                f"cell {move:d} is off the {size}x{size} board: expected 0 to {size * size - 1}"
            )
        return Move(move, size)

    def play(self, move: MoveLike) -> Position:
        """The position after the side to move plays ``move``.

        A forbidden point may be played, and loses. Raises as :meth:`check`.
        """
        cell = self.check(move)
        state = self.state()
        rule_kernels.push(state, rule_kernels.to_point(cell, self.rules.size))
        cells = self.cells.copy()
        cells[cell] = int(self.to_move)
        after = Position.__new__(Position)
        key, color = int(state["key"]), Color(int(state["side"]))
        return after._fill(self.rules, cells, self.ply + 1, color, cell, key, _outcome_of(state))

    def legal_mask(self) -> npt.NDArray[np.bool_]:
        """Mask [size * size]: where the side to move may play; all False when the game is over.

        Forbidden points are legal (and lose): see :meth:`forbidden_mask`.
        """
        mask = np.empty(self.rules.num_cells, np.int8)
        game_kernels.legal_map(self.cells, int(self.outcome is not None), mask)
        return mask.view(np.bool_)

    @property
    def legal_moves(self) -> list[Move]:
        """All cells of :meth:`legal_mask`, in increasing order."""
        return list(compress(_cells_of(self.rules.size), self.legal_mask().tolist()))

    def forbidden_mask(self) -> npt.NDArray[np.bool_]:
        """Mask [size * size]: points forbidden to Black in renju, whoever is to move."""
        return np.not_equal(self._forbidden_kinds, 0)

    def forbidden_kind(self, move: MoveLike) -> ForbiddenKind:
        """Why ``move`` is forbidden to Black (NONE if it is not, or outside renju).

        Raises:
            NotationError, IllegalMoveError: no cell of this board.
        """
        return ForbiddenKind(int(self._forbidden_kinds[self._cell(move)]))

    @cached_property
    def _forbidden_kinds(self) -> npt.NDArray[np.int8]:
        kinds = np.zeros(self.rules.num_cells, np.int8)
        if self.rules.rule.forbids:
            rule_kernels.forbidden_map(self.state(), kinds)
        return kinds

    def winning_lines(self) -> tuple[tuple[Move, ...], ...]:
        """The rows that won, each from one end to the other; empty unless the game ended by a row."""
        if self.outcome is None or self.outcome.reason is not Reason.LINE:
            return ()
        return tuple(self._winning_rows(self.outcome.winner))

    def winning_rows(self, cell: MoveLike) -> list[tuple[Move, ...]]:
        """The rows through a stone that win by the rules: along the row, the column, and both diagonals.

        Raises:
            NotationError, IllegalMoveError: no cell of this board.
        """
        move, size = self._cell(cell), self.rules.size
        ways = (1, size, size + 1, size - 1)
        rows = (row for row in self._winning_rows(int(self.cells[move])) if move in row)
        return sorted(rows, key=lambda row: ways.index(row[1] - row[0]))

    def _winning_rows(self, color: int | None) -> Iterator[tuple[Move, ...]]:
        if not color:
            return
        found, at = np.empty(6 * self.rules.num_cells, np.int64), 0
        end = game_kernels.winning_rows(self.state(), int(color), found)
        while at < end:
            after = at + 1 + int(found[at])
            yield tuple(Move(int(cell), self.rules.size) for cell in found[at + 1 : after])
            at = after

    def _fill(self, *values: Any) -> Position:
        """This position with values for its fields, in their order."""
        for name, value in zip(_FIELDS, values, strict=True):
            object.__setattr__(self, name, value)
        self.cells.flags.writeable = False
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        same = self.rules == other.rules and self.to_move == other.to_move
        return same and bool(np.array_equal(self.cells, other.cells))

    def __hash__(self) -> int:
        return hash((self.rules, self.key))

    def __reduce__(self) -> tuple[Any, ...]:
        outcome = self.outcome
        return _restored, (self.rules, self.cells.tobytes(), self.to_move, self.last_move, outcome)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Position is immutable: cannot set {name}")

    def __str__(self) -> str:
        """The board as text: ``X`` Black, ``O`` White, row 0 on top."""
        size = self.rules.size
        rows = self.cells.reshape(size, size)
        lines = [f"{size - i:2d} " + " ".join(".XO"[int(cell)] for cell in row) for i, row in enumerate(rows)]
        return "\n".join([*lines, "   " + " ".join("abcdefghijklmnopqrstuvwxyz"[:size])])

    def __repr__(self) -> str:
        return f"<Position {self.rules.label}, ply {self.ply}, {self.to_move.name.lower()} to move>"

    if not TYPE_CHECKING:

        def _repr_svg_(self) -> str:
            return game_files().draw(self)


def _outcome_of(state: Any) -> Outcome | None:
    """How a record says that its game ended."""
    result = int(state["result"])
    if not result:
        return None
    return Outcome(None if result == DRAW else Color(result), Reason(int(state["reason"])))


def _restored(
    rules: Rules, cells: bytes, to_move: Color, last_move: Move | None, outcome: Outcome | None
) -> Position:
    """A position from what :meth:`Position.__reduce__` kept of it."""
    board = np.frombuffer(cells, np.int8).copy()
    state = np.zeros(1, STATE)[0]
    rule_kernels.load(state, board, rules.size, rules.win_length, int(rules.rule), int(to_move))
    ply, key = int(np.count_nonzero(board)), int(state["key"])
    return Position.__new__(Position)._fill(rules, board, ply, to_move, last_move, key, outcome)
