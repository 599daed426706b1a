"""How many stones of a recorded game were given, not chosen."""

from __future__ import annotations

import dataclasses

import pytest

import wuzi
from wuzi.analysis.review import Review, ReviewOptions, judge
from wuzi.arena.export import file_record
from wuzi.arena.openings import book_stones, load_shipped
from wuzi.arena.results import GameResult
from wuzi.core import format_moves
from wuzi.records import GameRecord

pytestmark = pytest.mark.kernels
RULES = wuzi.Rules(size=9)


def test_a_match_names_its_opening_with_its_stones() -> None:
    opening = load_shipped("freestyle-9", RULES)[3].transformed(9, 5)
    moves = format_moves(opening.moves, 9)
    later = opening.game(RULES).legal_moves[0]
    result = GameResult(
        "g", "a", "b", "draw", opening_id=opening.id, opening=moves, size=9, moves=f"{moves}{later}"
    )
    record = file_record(result)
    again = wuzi.records.loads(wuzi.records.dumps(record))
    assert again.headers["opening_name"] == f"{opening.id} {moves}"
    assert book_stones(again) == len(opening.moves) > 0
    again.headers["opening_name"] = opening.id  # as matches wrote it before
    assert book_stones(again) == len(opening.moves)
    for name in ("", "Kagetsu", "n0", f"{opening.id} a1a2", "x h99", f"x {moves}{later}a9"):
        again.headers["opening_name"] = name
        assert book_stones(again) == 0


def test_stones_of_a_book_are_nobodys_mistake() -> None:
    game = wuzi.Game.from_moves(RULES, "e5 a1 e6 a9 e7")
    review = Review.of(game, ReviewOptions(book=3))
    assert review.judged_from == 3
    marks = [move.mark for move in judge(review).moves]
    assert marks[:3] == [None] * 3
    assert dataclasses.replace(review.options, book=0) == ReviewOptions()
    assert book_stones(GameRecord.from_game(game)) == 0
