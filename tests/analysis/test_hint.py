"""Hints: the area holds the move, the reason is true."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wuzi.analysis import Explainer, HintReason, hint_area, hint_reason
from wuzi.contract import Line
from wuzi.core import Game, Move, Rules, parse_move, parse_moves


@given(st.integers(3, 26), st.data())
def test_the_area_holds_the_move_and_stays_on_the_board(size: int, data: st.DataObject) -> None:
    move = Move(data.draw(st.integers(0, size * size - 1)), size)
    area = hint_area(move, size)
    assert move in area
    assert len(set(area)) == len(area) <= (9 if size <= 10 else 25)
    assert all(0 <= cell < size * size for cell in area)


@pytest.mark.parametrize(
    ("moves", "move", "reason"),
    [
        ("a1i1b1i3c1i5d1i7", "e1", HintReason.WINS),
        ("a1i1b1i3c1i5d1", "e1", HintReason.BLOCKS_WIN),
        ("a1i1b1i3c1i5d1", "e5", HintReason.BEST_FOUND),
        ("", "e5", HintReason.BEST_FOUND),
        ("c5a1d5a3e5a8", "f5", HintReason.OPEN_FOUR),
        ("c5a1d5a3e5", "f5", HintReason.STOPS_OPEN_FOUR),
        ("d5a1e5i9e4a4e3i3", "e2", HintReason.OPEN_FOUR),
        ("e5a1f5a3g7i1g6i9", "g5", HintReason.DOUBLE_THREAT),
    ],
)
def test_reasons_seen_on_the_board(moves: str, move: str, reason: HintReason) -> None:
    game = Game.from_moves(Rules(size=9), parse_moves(moves, 9))
    assert hint_reason(game, parse_move(move, 9)) is reason


@pytest.mark.parametrize(
    ("moves", "move", "said"),
    [
        ("a1i1b1i3c1i5d1i7", "e1", "makes five and wins"),
        ("a1i1b1i3c1i5d1", "e1", "stops a five"),
        ("c5a1d5a3e5a8", "f5", "makes an open four"),
        ("c5a1d5a3e5", "f5", "stops an open three"),
        ("e5a1f5a3g7i1g6i9", "g5", "makes two open threes at once"),
    ],
)
def test_what_is_seen_on_the_board_is_in_the_words_too(moves: str, move: str, said: str) -> None:
    """So the page, which has the words, leaves these reasons out."""
    game = Game.from_moves(Rules(size=9), parse_moves(moves, 9))
    assert said in [remark.text(9) for remark in Explainer(game.position).explain(parse_move(move, 9))]


@pytest.mark.parametrize(
    ("ply", "line", "reason"),
    [
        (0, {"win_in": 5}, HintReason.WINNING_LINE),
        (0, {"win_in": -4}, HintReason.BEST_DEFENCE),
        (0, {"value": 0.8}, HintReason.ADVANTAGE),
        (1, {"value": -0.8}, HintReason.DIFFICULT),
        (1, {"value": 0.0}, HintReason.BEST_FOUND),
    ],
)
def test_reasons_of_the_search(ply: int, line: dict[str, float], reason: HintReason) -> None:
    game = Game.from_moves(Rules(size=9), ["e5"][:ply])
    move = Move(0, 15)
    assert hint_reason(game, move, Line(move, color=game.to_move, **line)) is reason  # type: ignore[arg-type]


def test_both_languages_are_there() -> None:
    for reason in HintReason:
        assert reason.en.endswith(".")
        assert reason.zh.endswith("。")
