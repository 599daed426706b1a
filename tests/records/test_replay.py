"""Records through the rule book."""

from __future__ import annotations

import pytest

from wuzi.core import Color, Game, Outcome, Reason, Rule, Rules, parse_moves
from wuzi.errors import RecordError
from wuzi.records import GameRecord, RecordNode, add_moves


def record_of(moves: str, rules: Rules = Rules()) -> GameRecord:
    record = GameRecord(rules)
    add_moves(record.root, parse_moves(moves, rules.size))
    return record


def test_the_main_line_is_the_first_child() -> None:
    record = record_of("h8 j9 i7")
    record.root.children[0].add(RecordNode(move=parse_moves("a1", 15)[0], color=Color.WHITE))
    assert record.game() == Game.from_moves(Rules(), ["h8", "j9", "i7"])


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        ("h8 h8", "move 2: h8 is occupied by black"),
        ("a1 b1 a2 b2 a3 b3 a4 b4 a5 b5", "move 10: .*the game is over"),
    ],
)
def test_impossible_lines_name_the_move(moves: str, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        record_of(moves).game()


def test_a_line_out_of_turn_names_the_move() -> None:
    record = record_of("h8 j9")
    record.root.children[0].children[0].color = Color.BLACK
    with pytest.raises(RecordError, match=r"move 2 \(j9\) is played by black: expected white"):
        record.game()


@pytest.mark.parametrize(
    ("moves", "outcome", "message"),
    [
        ("h8", Outcome(Color.BLACK, Reason.LINE), "the board does not show it after 1 moves"),
        ("a1 b1 a2 b2 a3 b3 a4 b4 a5", Outcome(Color.WHITE, Reason.TIME), r"the board shows black \(line\)"),
    ],
)
def test_an_outcome_against_the_board_is_refused(moves: str, outcome: Outcome, message: str) -> None:
    record = record_of(moves)
    record.outcome = outcome
    with pytest.raises(RecordError, match=message):
        record.game()


def test_a_forbidden_point_ends_a_renju_record() -> None:
    rules = Rules(15, 5, Rule.RENJU)
    record = record_of("h8 a1 h9 a15 g10 o1 i10 o15 h10", rules)
    assert record.game().outcome == Outcome(Color.WHITE, Reason.FORBIDDEN)


def test_records_compare_whole_trees() -> None:
    a, b = record_of("h8 j9 i7"), record_of("h8 j9 i7")
    assert a == b
    b.root.children[0].children[0].children[0].comment = "!"
    assert a != b
    assert a.root != "a node"


def test_names_are_kept_on_one_line() -> None:
    record = GameRecord(black=" 张\n三 ", headers={"event": "a\tb", "empty": " "})
    assert (record.black, record.headers) == ("张 三", {"event": "a b"})
