"""The engine's side of the Gomocup protocol, as scripts of lines and replies."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.protocols.talk import Talk, first_answer
from wuzi.core.rules import Rule
from wuzi.core.types import Color
from wuzi.protocols.gomocup.requests import Limits


def test_a_plain_game() -> None:
    talk = Talk()
    assert talk.say("START 20", "INFO timeout_turn 1000", "BEGIN") == ["OK", "0,0"]
    assert talk.say("TURN 5,5") == ["1,0"]
    assert talk.last.stones == ((0, Color.BLACK), (105, Color.WHITE))
    assert talk.last.me is Color.BLACK
    assert talk.say("RESTART", "TURN 0,0") == ["OK", "1,0"]
    assert talk.last.me is Color.WHITE
    assert talk.say("end") == []
    assert talk.ended


def test_start_is_a_bare_ok_and_sizes_are_checked() -> None:
    talk = Talk()
    assert talk.say("START 15", "START 5", "START 26") == ["OK"] * 3
    for bad in ("START 4", "START 27", "START -3", "START 99999999999999999999", "START", "START big"):
        (reply,) = talk.say(bad)
        assert reply.startswith("ERROR")
    # Yixin-Board says the width and the height.
    assert talk.say("START 15 15", "start  20\t20") == ["OK"] * 2
    for bad in ("START 15 20", "START 15 15 15", "START 15 x", "START 27 27", "START 15,15"):
        (reply,) = talk.say(bad)
        assert reply.startswith("ERROR"), bad
    assert talk.say("START 15 20") == ["ERROR START 15 20: rectangular board is not supported"]
    assert talk.say("RECTSTART 15,15", "RECTSTART 15,20") == [
        "OK",
        "ERROR rectangular board is not supported",
    ]


def test_the_board_decides_the_colours_by_counts() -> None:
    talk = Talk()
    talk.say("START 15")
    assert talk.say("BOARD", "7,7,2", "DONE") == ["0,0"]
    assert talk.last.me is Color.WHITE
    assert talk.say("BOARD", "8,8,2", "7,7,1", "DONE") == ["0,0"]
    assert talk.last.me is Color.BLACK
    assert talk.last.stones == ((128, Color.WHITE), (112, Color.BLACK))
    assert talk.say("BOARD", "DONE") == ["0,0"]
    assert talk.last.stones == ()


def test_forbidden_points_on_a_board_are_empty_cells() -> None:
    talk = Talk()
    talk.say("START 15", "INFO rule 4")
    assert talk.say("BOARD", "0,0,3", "7,7,2", "DONE") == ["0,0"]
    assert talk.last.rule is Rule.RENJU


def test_the_rule_may_come_after_start_and_change() -> None:
    talk = Talk()
    talk.say("START 15", "INFO rule 4", "BEGIN")
    assert talk.last.rule is Rule.RENJU
    talk.say("INFO rule 1", "TURN 7,7")
    assert talk.last.rule is Rule.STANDARD


JUNK = (
    "INFO timeout_turn soon",
    "INFO timeout_turn 1e3",
    "INFO timeout_match 10,5",
    "INFO time_left 12.5.1",
    "INFO time_left",
    "INFO max_memory",
    "INFO max_node -",
    "INFO rule x",
    "INFO rule 64",
    "INFO thread_num \u0663",
)
COMMANDS = (
    ["START 15"],
    ["RESTART"],
    ["BEGIN"],
    ["TURN 7,7"],
    ["PLAY 7,7"],
    ["TAKEBACK 3,3"],
    ["BOARD", "7,7,2", "DONE"],
    ["SWAP2BOARD", "DONE"],
    ["YXBOARD", "7,7,2", "DONE"],
    ["YXNBEST 2"],
    ["YXBALANCEONE"],
    ["YXSHOWFORBID"],
    ["ABOUT"],
)


@pytest.mark.parametrize("junk", JUNK)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda lines: lines[0])
def test_a_malformed_info_line_costs_no_command(junk: str, command: list[str]) -> None:
    set_up = ["START 15", "INFO rule 0"] + (["YXBOARD", "3,3,1", "DONE"] if "TAKEBACK" in command[0] else [])
    plain, talk = Talk(), Talk()
    plain.say(*set_up)
    talk.say(*set_up)
    expected = plain.say(*command)
    said = talk.say(junk, *command)
    if junk == "INFO rule 64" and command[0] in ("START 15", "RESTART"):
        assert said[0].startswith("ERROR rule 64 is not supported"), (
            "no game is begun under a rule not played"
        )
        said = talk.say(*command)
    elif command != ["ABOUT"] or junk != "INFO rule 64":
        assert said.pop(0).startswith("MESSAGE ")
    assert said == expected
    assert talk.requests == plain.requests


def test_info_is_answered_only_where_something_is_wrong() -> None:
    talk = Talk()
    talk.say("START 15")
    lines = ["INFO", "INFO evaluate 3,3", "INFO folder /tmp", "INFO what ever", "INFO timeout_turn 500.0"]
    assert talk.say(*lines) == []
    assert talk.session.limits.timeout_turn == 500
    assert talk.say("INFO time_left 12.5") == []
    assert talk.session.limits.time_left == 12


def test_play_takeback_and_their_errors() -> None:
    talk = Talk()
    assert (
        talk.say("TURN 1,1", "PLAY 1,1", "TAKEBACK 1,1", "BEGIN", "RESTART")
        == ["ERROR there is no board: send START first"] * 5
    )
    assert talk.say("START 15", "PLAY 7,7", "TAKEBACK 7,7", "PLAY 8,8") == ["OK", "7,7", "OK", "8,8"]
    for bad in ("PLAY 8,8", "TURN 8,8", "TURN 15,0", "TURN x", "TURN", "TAKEBACK 1,1", "BEGIN"):
        (reply,) = talk.say(bad)
        assert reply.startswith("ERROR"), bad
    assert talk.say("TURN 9,9") == ["0,0"]
    assert talk.last.stones[0] == (8 * 15 + 8, Color.BLACK)


def test_bad_boards_are_refused_and_change_nothing() -> None:
    talk = Talk()
    talk.say("START 15", "PLAY 7,7")
    for bad in ("7,7", "7,7,4", "15,7,1", "hello", "BEGIN", "7,7,1,1"):
        (reply,) = talk.say("BOARD", "1,1,2", bad, "DONE")
        assert reply.startswith("ERROR BOARD line"), bad
    (reply,) = talk.say("BOARD", "1,1,2", "1,1,1", "DONE")
    assert reply.startswith("ERROR")
    assert talk.say("TURN 1,1") == ["0,0"]
    assert (7 * 15 + 7, Color.BLACK) in talk.last.stones


def test_a_new_game_ends_an_unfinished_board() -> None:
    talk = Talk()
    assert talk.say("START 15", "BOARD", "7,7,1", "START 20", "BEGIN") == ["OK", "OK", "0,0"]
    talk.say("BOARD", "7,7,1", "END")
    assert talk.ended


def test_a_full_board_is_an_error() -> None:
    talk = Talk()
    talk.say("START 5")
    stones = [f"{x},{y},{(x + y) % 2 + 1}" for x in range(5) for y in range(5)]
    assert talk.say("BOARD", *stones, "DONE") == ["ERROR the board is full"]
    assert talk.say("BOARD", *stones[:-2], "DONE") == ["4,3"]
    assert talk.say("TURN 4,4") == ["ERROR the board is full"]


def test_swap2() -> None:
    talk = Talk()
    talk.say("START 15")
    assert talk.say("SWAP2BOARD", "DONE") == ["0,0 1,0 2,0"]
    assert talk.last.opening == ()
    assert talk.say("SWAP2BOARD", "7,7", "8,8", "9,7", "DONE") == ["0,0"]
    assert talk.last.opening == (112, 128, 114)
    assert talk.last.me is Color.WHITE
    talk.held = True
    talk.say("SWAP2BOARD", "7,7", "8,8", "9,7", "DONE")
    assert talk.handle(talk.session.answer(None)) == ["SWAP"]
    talk.say("SWAP2BOARD", "7,7", "8,8", "9,7", "DONE")
    assert talk.handle(talk.session.answer((0, 1))) == ["0,0 1,0"]
    talk.say("SWAP2BOARD", "7,7", "8,8", "9,7", "0,0", "1,0", "DONE")
    with pytest.raises(ValueError, match="1"):
        talk.session.answer((2, 3))
    assert talk.handle(talk.session.answer((2,))) == ["2,0"]
    talk.held = False
    for bad in (["7,7"], ["7,7", "7,7", "8,8"], ["7,7", "8,8", "9,9,1"]):
        (reply,) = talk.say("SWAP2BOARD", *bad, "DONE")
        assert reply.startswith("ERROR SWAP2BOARD")
    assert talk.say("BOARD", "7,7,1", "8,8,2", "9,7,1", "0,0,2", "DONE") == ["1,0"]


def test_while_thinking() -> None:
    talk = Talk(held=True)
    assert talk.say("START 15", "BEGIN", "ABOUT", "INFO time_left 5", "TURN 3,3", "FOO") == [
        "OK",
        'name="test"',
    ]
    assert talk.session.thinking
    talk.say("STOP", "YXSTOP")
    assert talk.stops == 2
    talk.held = False
    assert talk.handle(talk.session.answer((112,))) == ["7,7", "0,0", "UNKNOWN command FOO"]
    talk.held = True
    talk.say("TURN 4,4", "START 20", "BEGIN")
    assert talk.stops == 3
    assert talk.handle(talk.session.answer((1,))) == ["1,0", "OK"]
    assert talk.last.size == 20
    assert talk.say("END") == []
    assert talk.ended


def test_unplayable_answers_are_the_callers_mistake() -> None:
    talk = Talk(held=True)
    talk.say("START 15", "TURN 7,7")
    for bad in (None, (), (112,), (225,), (-1,), (0, 1)):
        with pytest.raises(ValueError):
            talk.session.answer(bad)
    assert talk.handle(talk.session.answer((0,))) == ["0,0"]
    with pytest.raises(ValueError, match="nothing was asked"):
        talk.session.answer((1,))


def test_waiting_commands_are_bounded() -> None:
    talk = Talk(held=True)
    talk.say("START 15", "BEGIN")
    replies = talk.say(*["NOISE"] * 5000)
    assert replies == ["ERROR too many commands while thinking"] * (5000 - 4096)


def test_unknown_commands_are_echoed_harmlessly() -> None:
    talk = Talk()
    assert talk.say("yxquerydatabaseall") == ["UNKNOWN command YXQUERYDATABASEALL"]
    (reply,) = talk.say("\x00\x1b[31m五" + "x" * 100_000)
    assert reply.isascii()
    assert len(reply) < 80


def test_limits_reach_the_request() -> None:
    talk = Talk()
    talk.say("START 15", "INFO max_memory 1000", "INFO max_node 500", "INFO max_depth 3", "BEGIN")
    assert (talk.last.max_memory, talk.last.max_nodes, talk.last.max_depth) == (1000, 500, 3)
    talk.say("INFO max_memory -5", "INFO max_node 0", "INFO max_depth -1", "TURN 7,7")
    assert (talk.last.max_memory, talk.last.max_nodes, talk.last.max_depth) == (0, None, None)


MILLISECONDS = st.integers(-10, 500) | st.integers(-(10**18), 10**18)
LEAST_S = 0.025  # no answer comes sooner


@given(st.none() | MILLISECONDS, MILLISECONDS, st.none() | MILLISECONDS, st.floats(0, 1e9), MILLISECONDS)
@example(turn_ms=200, match_ms=0, left_ms=None, used_s=0, increment_ms=0)
@example(turn_ms=10**18, match_ms=10**18, left_ms=None, used_s=0, increment_ms=10**18)
def test_budgets_are_sane_for_any_limits(
    turn_ms: int | None, match_ms: int, left_ms: int | None, used_s: float, increment_ms: int
) -> None:
    limits = Limits(
        timeout_turn=turn_ms, timeout_match=match_ms, time_left=left_ms, time_increment=increment_ms
    )
    budget = limits.budget(used_s)
    assert 0 < budget.soft_s < budget.hard_s
    assert budget.increment_s >= 0
    if turn_ms is not None:
        assert budget.hard_s <= max(LEAST_S, turn_ms / 1000)
    left_s = match_ms / 1000 - used_s if match_ms > 0 else None
    if left_ms is not None:
        left_s = left_ms / 1000 if left_ms < 2**31 - 1 else None
    if left_s is None:
        assert budget.clock_s is None
    else:
        assert budget.hard_s <= max(LEAST_S, left_s)
        assert budget.clock_s is not None
        assert 0 <= budget.clock_s <= max(0, left_s)


@pytest.mark.parametrize("turn_ms", [25, 30, 50, 100, 200, 240, 400, 1000])
def test_a_short_move_keeps_its_limit(turn_ms: int) -> None:
    budget = Limits(timeout_turn=turn_ms).budget(0)
    assert budget.soft_s < budget.hard_s <= turn_ms / 1000


def test_time_keeping() -> None:
    def soft(
        turn_ms: int | None, match_ms: int = 0, left_ms: int | None = None, used_s: float = 0.0
    ) -> float:
        return Limits(timeout_turn=turn_ms, timeout_match=match_ms, time_left=left_ms).budget(used_s).soft_s

    assert soft(0) <= 0.02
    assert soft(200) == pytest.approx(0.188)
    assert soft(1000) == pytest.approx(0.95)
    assert soft(30_000, 0, 2**31 - 1) == pytest.approx(29.7)
    assert soft(30_000, 180_000, 20_000) < 20 / 4
    assert soft(30_000, 180_000, -5000) <= 0.02
    assert soft(30_000, 180_000, None, 179.0) < soft(30_000, 180_000, None, 10.0)


def test_time_that_the_manager_does_not_count_is_counted_here() -> None:
    talk = Talk(held=True)
    talk.say("START 15", "INFO timeout_turn 10000", "INFO timeout_match 20000", "BEGIN")
    talk.handle(talk.session.answer((112,), used_s=19.0))
    talk.say("TURN 0,0")
    first, second = (request.budget for request in talk.requests)
    assert second.soft_s < first.soft_s / 5
    assert second.clock_s is not None
    assert second.clock_s < 1
    talk.handle(talk.session.answer((113,), used_s=1.0))
    talk.say("RESTART", "BEGIN")
    assert talk.last.budget == talk.requests[0].budget


WORDS = [
    *("START", "RESTART", "RECTSTART", "BEGIN", "TURN", "BOARD", "SWAP2BOARD", "DONE", "PLAY", "TAKEBACK"),
    *("INFO", "INFO rule", "INFO timeout_turn", "INFO time_left", "ABOUT", "STOP", "5", "15", "3,3", "4,4,1"),
    *("0,0,2", "9", "-1", "", ",", "x", "YXBOARD", "YXNBEST", "YXBLOCK", "YXBLOCKUNDO", "YXBLOCKRESET"),
    *(
        "YXSHOWFORBID",
        "YXSHOWINFO",
        "YXHASHCLEAR",
        "YXBALANCEONE",
        "YXBALANCETWO",
        "INFO pondering 1",
        "INFO rule 4",
    ),
]
lines = st.lists(st.sampled_from(WORDS), max_size=3).map(" ".join) | st.text(max_size=40)


class Garbage(RuleBasedStateMachine):
    """Any lines in any order: the session survives and each reply is one short ASCII line."""

    def __init__(self) -> None:
        super().__init__()
        self.talk = Talk()

    def note(self, replies: list[str]) -> None:
        for reply in replies:
            assert reply.isascii()
            assert reply.isprintable()
            assert len(reply) < 160

    @rule(line=lines)
    def speak(self, line: str) -> None:
        if not line.strip().upper().startswith("END"):
            self.note(self.talk.say(line))

    @rule()
    def hold(self) -> None:
        self.talk.held = True

    @rule()
    def release(self) -> None:
        self.talk.held = False
        if self.talk.session.thinking:
            self.note(self.talk.handle(self.talk.session.answer(first_answer(self.talk.last))))

    @invariant()
    def goes_on(self) -> None:
        assert not self.talk.ended

    def teardown(self) -> None:
        self.release()
        self.talk.say("DONE")
        assert "OK" in self.talk.say("START 15") or "OK" in self.talk.say("START 15")
        assert self.talk.say("END") == []
        assert self.talk.ended


TestGarbage = Garbage.TestCase
TestGarbage.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)


@pytest.mark.parametrize("before", ["", " ", "\t", "\ufeff", " \t ", "\ufeff\t"])
@pytest.mark.parametrize("between", [" ", "\t", "  \t"])
@pytest.mark.parametrize("after", ["", " ", "\t", "\r"])
def test_blanks_and_marks_around_a_command_mean_nothing(before: str, between: str, after: str) -> None:
    talk = Talk()
    words = (("START", "15"), ("INFO", f"rule{between}4"), ("Turn", "7,7"))
    lines = [f"{before}{word}{between}{rest}{after}" for word, rest in words]
    assert talk.say(*lines, f"{before}about{after}") == ["OK", "0,0", 'name="test"']
    assert talk.last.rule is Rule.RENJU
    assert talk.say(f"{before}{after}") == []


def test_odd_lines_are_answered_at_once_or_ignored() -> None:
    talk = Talk()
    talk.say("START 15")
    huge = "9" * 400
    for line, word in (
        ("TURN +7,7", "ERROR"),
        ("TURN 7;7", "ERROR"),
        (f"TURN {huge},7", "ERROR"),
        (f"START {huge}", "ERROR"),
        (f"INFO timeout_turn {huge}", "MESSAGE"),
        ("TAKEBACK", "ERROR"),
        ("7,7", "UNKNOWN"),
        ("DONE", "UNKNOWN"),
    ):
        (reply,) = talk.say(line)
        assert reply.split()[0] == word, line
    assert talk.say("", "INFO", "INFO timeout_turn +500", f"INFO max_node {huge}", "TURN 7 , 7") == ["0,0"]
    assert talk.last.budget.soft_s < 0.5


def test_pondering_ends_when_it_is_switched_off() -> None:
    talk = Talk()
    talk.say("START 15", "INFO pondering 1", "TURN 7,7")
    assert (len(talk.ponders), talk.stops) == (1, 0)
    assert talk.say("INFO pondering 1", "INFO timeout_turn 100") == []
    assert talk.stops == 0
    assert talk.say("info pondering 0") == []
    assert talk.stops == 1
    # The search for an answer that is owed goes on.
    talk.say("INFO pondering 1")
    talk.held = True
    assert talk.say("TURN 8,8", "INFO pondering 0") == []
    assert talk.stops == 1
