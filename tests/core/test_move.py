"""A move is an int that prints as its cell: in text the cell, everywhere else the number."""

from __future__ import annotations

import copy
import csv
import io
import json
import pickle
import sqlite3

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from wuzi.core import Game, Move, Rules, format_move, parse_move
from wuzi.errors import IllegalMoveError, NotationError

H8 = Move("h8", 15)


@given(st.integers(3, 26), st.data())
def test_it_prints_as_it_is_written_and_counts_as_its_number(size: int, data: st.DataObject) -> None:
    cell = data.draw(st.integers(0, size * size - 1))
    move, text = Move(cell, size), format_move(cell, size)
    assert str(move) == f"{move}" == format(move, "") == "%s" % move == text  # noqa: UP031
    assert f"{move:>5}|{move:5}|{move:<4}|" == f"{text:>5}|{text:5}|{text:<4}|"
    assert f"{move:d} {move:04x}" == f"{cell:d} {cell:04x}" and "%d" % move == str(cell)  # noqa: UP031
    assert repr(move) == f"Move('{text}', size={size})" and eval(repr(move)) == move
    assert Move(text, size) == Move(np.int16(cell), size) == move and Move(move, size) is move
    assert move == cell and hash(move) == hash(cell) and {cell: 1}[move] == 1 and not move < cell
    assert type(int(move)) is int and type(move + 0) is int and type(move // size) is int
    assert list(range(size * size))[move] == cell and sorted([move, cell - 1, cell + 1])[1] is move


def test_writers_of_numbers_write_the_number() -> None:
    assert json.dumps({"moves": [H8], "by": {H8: 1}}) == '{"moves": [112], "by": {"112": 1}}'
    assert json.dumps([H8], indent=1) == "[\n 112\n]"
    array = np.array([H8, Move(0, 15)])
    assert array.dtype == np.array([112, 0]).dtype and array.tolist() == [112, 0]
    board = np.zeros(225, np.int8)
    board[H8] = 1
    assert np.flatnonzero(board == 1).tolist() == [H8] and np.int16(H8) == 112
    assert sqlite3.connect(":memory:").execute("select ?, typeof(?)", (H8, H8)).fetchone() == (112, "integer")
    out = io.StringIO()
    csv.writer(out).writerow([int(H8), H8])
    assert out.getvalue() == "112,h8\r\n"


@njit("int64(int64)")
def _successor(cell: int) -> int:
    return cell + 1


def test_kernels_take_it_as_a_number() -> None:
    assert _successor(H8) == 113


def test_copies_keep_the_board() -> None:
    for again in (copy.copy(H8), copy.deepcopy(H8), *(pickle.loads(pickle.dumps(H8, p)) for p in range(6))):
        assert type(again) is Move and again == H8 and str(again) == "h8" and again.size == 15


def test_what_a_game_gives_prints() -> None:
    game = Game(Rules(size=9)).play("e5").play(np.int64(0)).play(8)
    assert [str(move) for move in game.moves] == ["e5", "a9", "i9"]
    assert str(game.position.last_move) == "i9" and str(game.position.legal_moves[0]) == "b9"
    assert str(parse_move("7,7", 15)) == "h8"


@pytest.mark.parametrize("cell", [1.9, 1.0, True, np.True_, (7, 6), None, b"h8", [1]])
def test_what_is_no_cell_is_refused(cell: object) -> None:
    with pytest.raises(
        NotationError, match="is no cell: expected text such as 'h8' or a number from 0 to 80"
    ):
        Game(Rules(size=9)).play(cell)  # type: ignore[arg-type]


@pytest.mark.parametrize("cell", [-1, 81, np.int64(99)])
def test_numbers_off_the_board_are_refused(cell: int) -> None:
    with pytest.raises(NotationError, match=f"cell index {cell}: expected 0 to 80"):
        Move(cell, 9)
    with pytest.raises(IllegalMoveError, match=f"cell {cell} is off the 9x9 board"):
        Game(Rules(size=9)).play(cell)


def test_a_number_without_a_board_is_an_int() -> None:
    with pytest.raises(TypeError, match="size"):
        Move(112)  # type: ignore[call-arg]
