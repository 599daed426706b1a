"""The commands that graphical interfaces add to the Gomocup protocol."""

from __future__ import annotations

import pytest

from tests.protocols.talk import Talk
from wuzi.core.rules import Rule
from wuzi.core.types import Color
from wuzi.protocols.gomocup.requests import Forget, GomocupTask
from wuzi.protocols.gomocup.steps import different


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


YIXIN = ("info show_detail 1", "yxshowinfo", "START 15 15", "INFO rule 1", "INFO max_node -1")
"""How Yixin-Board greets an engine."""


def with_yixin_board() -> Talk:
    talk = Talk()
    assert talk.say(*YIXIN)[-1] == "OK"
    return talk


def test_swap2_of_yixin_board_begins_with_three_stones() -> None:
    talk = with_yixin_board()
    talk.say("yxboard", "7,7,1", "done")  # an older position, which no longer counts
    three = ["MESSAGE SWAP2 MOVE1 0 0", "MESSAGE SWAP2 MOVE2 1 0", "MESSAGE SWAP2 MOVE3 2 0"]
    assert talk.say("yxswap2step1") == three
    assert (talk.last.task, talk.last.opening, talk.last.rule) == (GomocupTask.OPENING, (), Rule.STANDARD)


@pytest.mark.parametrize(
    ("number", "cells", "replies"),
    [
        (2, None, ["MESSAGE SWAP2 SWAP1 YES"]),
        (2, (50,), ["MESSAGE SWAP2 SWAP1 NO"]),
        (2, (50, 51), ["MESSAGE SWAP2 MOVE4 5 3", "MESSAGE SWAP2 MOVE5 6 3"]),
        (3, None, ["MESSAGE SWAP2 SWAP2 YES"]),
        (3, (50,), ["MESSAGE SWAP2 SWAP2 NO"]),
    ],
)
def test_swap2_of_yixin_board_chooses(number: int, cells: tuple[int, ...] | None, replies: list[str]) -> None:
    talk = with_yixin_board()
    talk.held = True
    stones = ("7,7,1", "8,8,2", "9,9,1", "3,4,2", "6,6,1")[: 2 * number - 1]
    assert talk.say("start 15 15", "yxboard", *stones, "done", f"yxswap2step{number}") == ["OK"]
    assert talk.last.opening == (112, 128, 144, 63, 96)[: 2 * number - 1]
    assert talk.handle(talk.session.answer(cells)) == replies
    talk.held = False
    # The board asks for the move by itself, as after any set-up.
    assert talk.say("board", "7,7,2", "8,8,1", "9,9,2", "done") == ["0,0"]


def test_soosorv_of_yixin_board_step_by_step() -> None:
    talk = with_yixin_board()
    talk.say("INFO rule 2")
    first, second, third = talk.say("yxsoosorvstep1")
    assert (first, second) == ("MESSAGE SOOSORV MOVE1 7 7", "MESSAGE SOOSORV MOVE2 7 6")
    assert third.startswith("MESSAGE SOOSORV MOVE3 ")
    assert (talk.last.rule, talk.last.task) == (Rule.RENJU, GomocupTask.BALANCE_ONE)
    assert len(talk.last.blocked) == 15 * 15 - 5 * 5
    assert talk.say("yxsoosorvstep2", "7,7", "7,6", "8,8", "done") == ["MESSAGE SOOSORV SWAP1 N"]
    assert (talk.last.me, talk.last.task) == (Color.WHITE, GomocupTask.CHOOSE)
    assert talk.say("yxsoosorvstep3", "7,7", "7,6", "8,8", "done") == ["MESSAGE SOOSORV MOVE4 0 0 1"]
    assert talk.say("yxsoosorvstep4 3", "7,7", "7,6", "8,8", "5,5", "done") == ["MESSAGE SOOSORV SWAP2 N"]
    assert (talk.last.me, talk.last.multipv) == (Color.BLACK, 3)
    four = ("7,7", "7,6", "8,8", "5,5")
    assert talk.say("yxsoosorvstep5 2", *four, "done") == [
        "MESSAGE SOOSORV MOVE5 REFRESH",
        "MESSAGE SOOSORV MOVE5 0 0",
        "MESSAGE SOOSORV MOVE5 1 0",
        "MESSAGE SOOSORV MOVE5 DONE",
    ]
    assert talk.say("yxsoosorvstep6", *four, "1,1", "2,2", "done") == ["MESSAGE SOOSORV MOVE5C 2 2"]
    assert (talk.last.me, talk.last.choices) == (Color.WHITE, (16, 32))
    assert len(talk.last.stones) == 4
    talk.held = True
    talk.say("yxsoosorvstep2", "7,7", "7,6", "8,8", "done")
    assert talk.handle(talk.session.answer(None)) == ["MESSAGE SOOSORV SWAP1 Y"]


@pytest.mark.parametrize(
    "lines",
    [
        ("yxswap2step2",),
        ("yxswap2step3",),
        ("yxsoosorvstep2", "7,7", "done"),
        ("yxsoosorvstep4", "7,7", "7,6", "8,8", "5,5", "done"),
        ("yxsoosorvstep5 9", "7,7", "7,6", "8,8", "5,5", "done"),
        ("yxsoosorvstep5 0", "7,7", "7,6", "8,8", "5,5", "done"),
        ("yxsoosorvstep6", "7,7", "7,6", "8,8", "5,5", "done"),
        ("yxsoosorvstep3", "7,7", "7,7", "8,8", "done"),
    ],
)
def test_a_step_that_cannot_be_is_refused_at_once(lines: tuple[str, ...]) -> None:
    (reply,) = with_yixin_board().say(*lines)
    assert reply.startswith("ERROR ")


@pytest.mark.parametrize(
    "command", ["yxquerydatabaseall", "yxblockpath", "yxsetbestmovedatabase", "yxswap2step4"]
)
def test_a_command_of_yixin_board_that_is_not_known_is_answered_once(command: str) -> None:
    talk = with_yixin_board()
    assert talk.say(command, "7,7", "8,8", "DONE") == [f"UNKNOWN command {command.upper()}"]
    assert talk.say("DONE") == ["UNKNOWN command DONE"]
    assert talk.say(command, "TURN 7,7") == [f"UNKNOWN command {command.upper()}", "0,0"]
    assert talk.say("8,8") == ["UNKNOWN command 8,8"]


def test_fifth_moves_are_no_images_of_each_other() -> None:
    black, white = Color.BLACK, Color.WHITE
    stones = ((112, black), (97, white), (127, black), (82, white))  # all in one column
    assert different([111, 113, 96, 98, 111, 0], stones, 15, 3) == (111, 96, 0)
    assert different([111, 113, 97], (*stones[:3], (83, white)), 15, 2) == (111, 113)
