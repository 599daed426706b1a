"""Position: set-up, what may be played, errors and the value it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from tests import naive
from tests.core.boards import position_of, random_game, rule_sets, seeds
from wuzi.core import Color, ForbiddenKind, Position, Reason, Rule, Rules, Stone
from wuzi.errors import ConfigError, GameOverError, IllegalMoveError, NotationError

pytestmark = pytest.mark.kernels

OVER = """
    X X X X X
    O O O O .
    . . . . .
    . . . . .
    . . . . .
"""


def test_the_empty_board() -> None:
    position = Position(Rules(size=9))
    assert (position.ply, position.to_move, position.last_move, position.key) == (0, Color.BLACK, None, 0)
    assert position.outcome is None
    assert not position.cells.any()
    assert position.cells.dtype == np.int8
    assert position == Position.from_cells(Rules(size=9), [0] * 81)
    assert position.winning_lines() == ()


@settings(max_examples=40)
@given(rule_sets(sizes=(3, 12)), seeds)
def test_set_up_equals_played(rules: Rules, seed: int) -> None:
    for played in random_game(rules, seed):
        board = played.cells.reshape(rules.size, rules.size)
        for cells in (played.cells, board, board.tolist(), board.astype(np.int64)):
            set_up = Position.from_cells(rules, cells, last_move=played.last_move)
            assert set_up == played
            assert hash(set_up) == hash(played)
            assert (set_up.key, set_up.ply, set_up.to_move) == (played.key, played.ply, played.to_move)
        if played.outcome is None or played.outcome.reason.label != "forbidden":
            assert set_up.outcome == played.outcome
            assert set_up.winning_lines() == played.winning_lines()


@given(rule_sets(sizes=(3, 12)), seeds)
@settings(max_examples=60)
def test_winning_rows_are_those_of_the_plain_rules(rules: Rules, seed: int) -> None:
    position = random_game(rules, seed)[-1]
    stones = position.cells.tolist()
    rows = set()
    for cell, color in enumerate(stones):
        found = position.winning_rows(cell)
        plain = naive.winning_rows(rules, stones, cell, color) if color else []
        assert [set(row) for row in found] == [set(row) for row in plain]
        rows |= {frozenset(row) for row in found}
    if position.outcome is not None and position.outcome.reason is Reason.LINE:
        assert {frozenset(row) for row in position.winning_lines()} == rows


def test_set_up_positions_keep_their_own_array() -> None:
    cells = np.zeros(25, np.int8)
    position = Position.from_cells(Rules(size=5), cells)
    cells[3] = Stone.BLACK
    assert not position.cells.any()
    with pytest.raises(ValueError, match="read-only"):
        position.cells[0] = 1


def test_whose_turn_a_set_up_position_takes_it_to_be() -> None:
    rules = Rules(size=5)
    cells = [0] * 25
    assert Position.from_cells(rules, cells).to_move is Color.BLACK
    cells[0] = Stone.BLACK
    assert Position.from_cells(rules, cells).to_move is Color.WHITE
    assert Position.from_cells(rules, cells, Color.BLACK).to_move is Color.BLACK
    cells[1] = Stone.WHITE
    assert Position.from_cells(rules, cells).to_move is Color.BLACK


@pytest.mark.parametrize(
    ("cells", "more", "error", "message"),
    [
        ([0] * 24, {}, ConfigError, "24 cells: expected 25 for 5x5"),
        ([0] * 225, {}, ConfigError, "225 cells: expected 25 for 5x5"),
        ([3] + [0] * 24, {}, ConfigError, "cell value 3: expected 0 .empty., 1 .black. or 2 .white."),
        ([-1] + [0] * 24, {}, ConfigError, "cell value -1"),
        ([0.5] + [0] * 24, {}, ConfigError, "cell value 0.5"),
        ([258] + [0] * 24, {}, ConfigError, "cell value 258"),
        ([1] + [0] * 24, {"last_move": 3}, ConfigError, "last move d5: there is no stone"),
        ([1] + [0] * 24, {"last_move": 25}, NotationError, "cell index 25: expected 0 to 24"),
        ([0] * 24 + [1], {"last_move": -1}, NotationError, "cell index -1: expected 0 to 24"),
        ([1] * 5 + [2] * 5 + [0] * 15, {}, ConfigError, "set-up position: both colours have a winning row"),
    ],
)
def test_nonsense_is_refused(cells: list[Any], more: dict[str, Any], error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        Position.from_cells(Rules(size=5), cells, **more)


@pytest.mark.parametrize("move", [-1, 25, 1000])
def test_cells_off_the_board(move: int) -> None:
    position = Position(Rules(size=5))
    for call in (position.play, position.check, position.forbidden_kind):
        with pytest.raises(IllegalMoveError, match=f"cell {move} is off the 5x5 board: expected 0 to 24"):
            call(move)


def test_text_that_is_no_cell_of_this_board() -> None:
    position = Position(Rules(size=5))
    for call in (position.play, position.forbidden_kind):
        with pytest.raises(NotationError, match="'f1' is no cell of a 5x5 board"):
            call("f1")


def test_an_occupied_cell() -> None:
    position = Position(Rules(size=9, rule="renju")).play("e5")
    with pytest.raises(IllegalMoveError, match=r"e5 is occupied by black at ply 2 \(renju 9x9\)"):
        position.play("4,4")
    with pytest.raises(IllegalMoveError, match="e6 is occupied by white at ply 3"):
        position.play("e6").play("e6")


def test_nothing_is_played_after_the_end() -> None:
    over = position_of(OVER, Rule.FREESTYLE)
    assert over.legal_moves == []
    assert not over.legal_mask().any()
    with pytest.raises(GameOverError, match=r"c1 at ply 10: the game is over \(black\)"):
        over.play("c1")


def test_playing_leaves_the_position_before_alone() -> None:
    before = Position(Rules(size=5))
    after = before.play("a1").play("0,0")
    assert before == Position(Rules(size=5))
    assert after.last_move == 0
    assert after.cells[20] == Stone.BLACK
    assert after.cells[0] == Stone.WHITE
    assert before != after
    assert len({before, after, before.play("a1")}) == 3


def test_positions_under_other_rules_are_other_positions() -> None:
    assert Position(Rules(size=9)) != Position(Rules(size=9, rule="renju"))
    assert Position(Rules(size=9)) != "nothing"


def test_positions_are_immutable() -> None:
    position = Position(Rules(size=9)).play("e5")
    with pytest.raises(AttributeError, match="Position is immutable: cannot set ply"):
        position.ply = 3


def test_kernel_records_of_a_position_are_fresh() -> None:
    position = Position(Rules(size=9)).play("e5")
    state = position.state()
    state["cells"][:] = 3
    assert position.state()["cells"].sum() != state["cells"].sum()
    over = position_of(OVER, Rule.FREESTYLE).state()
    assert (over["result"], over["reason"]) == (1, 1)


def test_the_board_as_text() -> None:
    position = Position(Rules(size=5)).play("a1").play("b5")
    assert str(position).splitlines() == [
        " 5 . O . . .",
        " 4 . . . . .",
        " 3 . . . . .",
        " 2 . . . . .",
        " 1 X . . . .",
        "   a b c d e",
    ]
    assert repr(position) == "<Position freestyle 5x5, ply 2, black to move>"
    assert str(Position(Rules(size=26))).splitlines()[-1].endswith("y z")


def test_forbidden_kinds_are_none_on_stones() -> None:
    position = Position(Rules(rule="renju")).play("h8")
    assert position.forbidden_kind("h8") is ForbiddenKind.NONE
