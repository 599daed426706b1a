"""The commands that graphical interfaces add to the Gomocup protocol."""

from __future__ import annotations

import pytest

from tests.protocols.talk import Talk
from wuzi.core.rules import Rule
from wuzi.core.types import Color
from wuzi.protocols.gomocup.requests import Forget, GomocupTask


def started(*lines: str) -> Talk:
    talk = Talk()
    assert talk.say("START 15", *lines) == ["OK"]
    return talk


def test_the_greeting_says_what_can_be_set() -> None:
    assert Talk().say("yxshowinfo") == [
        "MESSAGE test 1",
        "MESSAGE INFO MAX_THREAD_NUM 1",
        "MESSAGE INFO MAX_HASH_SIZE 22",
    ]


def test_a_position_without_an_answer_then_candidates() -> None:
    talk = started()
    assert talk.say("yxboard", "7,7,1", "8,8,2", "9,9,1", "done") == []
    assert talk.say("yxnbest 3") == ["0,0"]
    # White is to move, whoever the stones are said to belong to.
    assert (talk.last.me, talk.last.multipv) == (Color.WHITE, 3)
    assert dict(talk.last.stones) == {112: Color.BLACK, 128: Color.WHITE, 144: Color.BLACK}
    assert talk.say("yxnbest 2") == ["1,0"]
    assert talk.last.me is Color.BLACK
    assert len(talk.last.stones) == 4


@pytest.mark.parametrize("first", [1, 2])
def test_turn_after_a_position_plays_for_the_side_to_move(first: int) -> None:
    talk = started()
    assert talk.say("yxboard", f"7,7,{first}", f"8,8,{3 - first}", "done", "TURN 9,9") == ["0,0"]
    assert talk.last.me is Color.WHITE
    assert dict(talk.last.stones) == {112: Color.BLACK, 128: Color.WHITE, 144: Color.BLACK}
    assert talk.say("TURN 3,3") == ["1,0"]
    assert talk.last.me is Color.WHITE


def test_taking_back_in_a_position() -> None:
    talk = started()
    talk.say("yxboard", "7,7,1", "8,8,2", "done")
    assert talk.say("TAKEBACK 8,8", "yxnbest 1") == ["OK", "0,0"]
    assert talk.last.me is Color.WHITE
    assert talk.last.stones == ((112, Color.BLACK),)


def test_a_real_board_ends_the_analysis() -> None:
    talk = started()
    talk.say("yxboard", "7,7,1", "done")
    assert talk.say("BOARD", "7,7,2", "DONE") == ["0,0"]
    assert talk.last.me is Color.WHITE


def test_forbidden_points() -> None:
    talk = started("INFO rule 4")
    talk.say("yxboard", "7,7,1", "8,8,2", "done")
    assert talk.say("yxshowforbid") == ["FORBID 00000100."]
    assert talk.last.task is GomocupTask.FORBIDDEN
    assert talk.last.rule is Rule.RENJU
    assert talk.last.stones == ((112, Color.BLACK), (128, Color.WHITE))
    talk.say("yxboard", "7,7,1", "done")
    assert talk.say("yxshowforbid") == ["FORBID ."]
    talk.say("INFO rule 0", "yxboard", "done")
    assert talk.say("yxshowforbid") == ["FORBID ."]
    assert Talk().say("yxshowforbid") == ["ERROR there is no board: send START first"]


def test_rule_two_is_renju_for_graphical_interfaces_only() -> None:
    talk = started("INFO rule 2")
    told, answer = talk.say("BEGIN")
    assert told.startswith("MESSAGE rule 2 is not supported")
    assert answer == "0,0"
    assert talk.last.rule is Rule.FREESTYLE
    assert started("INFO rule 2").say("RESTART")[0].startswith("ERROR rule 2 is not supported")
    talk = started("INFO rule 2")
    talk.say("yxshowinfo")
    assert talk.say("BEGIN") == ["0,0"]
    assert talk.last.rule is Rule.RENJU
    talk.say("RESTART", "INFO rule 6", "BEGIN")
    assert talk.last.rule is Rule.FREESTYLE


def test_blocked_points() -> None:
    talk = started()
    talk.say("yxblock", "0,0", "1,0", "2,0", "done", "BEGIN")
    assert talk.last.blocked == {0, 1, 2}
    talk.say("yxblockundo", "1,0", "done", "TURN 7,7")
    assert talk.last.blocked == {0, 2}
    talk.say("yxblockreset", "TURN 8,8")
    assert talk.last.blocked == set()
    assert talk.say("yxblock", "15,0", "done")[0].startswith("ERROR YXBLOCK line 15,0")


def test_balance() -> None:
    talk = started()
    assert talk.say("yxbalanceone 30") == ["0,0"]
    assert (talk.last.task, talk.last.bias) == (GomocupTask.BALANCE_ONE, 30)
    assert talk.say("yxbalancetwo") == ["1,0 2,0"]
    assert talk.last.task is GomocupTask.BALANCE_TWO
    assert talk.say("yxnbest 1") == ["3,0"]
    assert talk.last.me is Color.WHITE
    assert talk.say("yxbalanceone much")[0].startswith("ERROR balance much")


@pytest.mark.parametrize("bad", ["0", "-1", "101", "many", ""])
def test_wrong_numbers_of_candidates(bad: str) -> None:
    assert started().say(f"yxnbest {bad}")[0].startswith("ERROR YXNBEST")


def test_the_table_is_cleared_and_sized() -> None:
    talk = started("INFO hash_size 65536", "INFO max_memory 350000000", "INFO thread_num 4")
    assert talk.session.receive("yxhashclear") == [Forget()]
    talk.say("BEGIN")
    assert (talk.last.hash_kb, talk.last.max_memory, talk.last.threads) == (65536, 350_000_000, 1)


def test_no_limit_in_many_digits() -> None:
    talk = started("INFO max_node 18446744073709551615", "INFO max_depth 100")
    assert talk.say("BEGIN") == ["0,0"]
    assert (talk.last.max_nodes, talk.last.max_depth) == (None, 100)


def test_pondering_is_off_unless_switched_on() -> None:
    talk = started()
    talk.say("BEGIN", "TURN 7,7")
    assert not talk.ponders
    talk.say("INFO pondering 1", "TURN 8,8")
    (ponder,) = talk.ponders
    assert ponder.me is Color.BLACK
    assert len(ponder.stones) == 5
    talk.say("yxnbest 3", "yxbalanceone 0")
    assert len(talk.ponders) == 1
    talk.held = True
    talk.say("TURN 9,9", "ABOUT", "TAKEBACK 9,9")
    talk.handle(talk.session.answer((100,)))
    assert len(talk.ponders) == 1


def test_stop_is_heard_whenever_it_comes() -> None:
    talk = started()
    talk.say("yxstop", "STOP")
    assert talk.stops == 2
