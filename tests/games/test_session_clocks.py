"""The clocks of a session: time that runs down, increments, flags, pauses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.games.test_game_session import ENGINE, HUMAN, RULES, cell
from wuzi.contract import Limit
from wuzi.core import (
    Color,
    Game,
    Outcome,
    Reason,
    Rules,
)
from wuzi.games import (
    Clock,
    GameSession,
    Seat,
    SeatKind,
    session_from_json,
    session_to_json,
)
from wuzi.games.seats import REST_S


def test_clocks_run_down_add_increments_and_flag() -> None:
    timed = Seat(limit=Limit(clock_s=10, increment_s=1))
    session = GameSession(RULES, [timed, timed])
    session.play("e5", elapsed_s=4)
    assert session.limit_for(0).clock_s == 7
    assert session.limit_for(1).clock_s == 10
    session.play("d5", elapsed_s=10.5)
    assert session.game.outcome is not None
    assert (session.game.outcome.winner, session.game.outcome.reason) == (Color.BLACK, Reason.TIME)


def test_a_turn_without_an_action_costs_its_time_only() -> None:
    timed = Seat(limit=Limit(clock_s=10, increment_s=1))
    session = GameSession(RULES, [timed, Seat(SeatKind.ENGINE, "random", limit=timed.limit)])
    session.run_clock(4)
    assert session.timed_seat == 0 and session.clocks[0] == Clock(6, 1)
    session.play("e5", elapsed_s=2)
    assert session.clocks[0] == Clock(5, 1) and session.timed_seat == 1
    session.pause()
    session.run_clock(99)
    assert session.timed_seat is None and session.clocks[1] == Clock(10, 1), "a paused clock stands"
    session.resume()
    session.fail(session.begin_search(), "engine_crashed", "exit code 1")
    assert session.timed_seat is None
    session.resume()
    session.run_clock(99)
    assert session.timed_seat == 1 and session.flag(0)


def test_a_game_lost_on_time_goes_on_without_clocks() -> None:
    timed = Seat(limit=Limit(clock_s=10, increment_s=1))
    session = GameSession(RULES, [timed, timed])
    session.play("e5", elapsed_s=1)
    session.undo()
    assert session.clocks == [Clock(9, 1), Clock(10, 1)], "an open game keeps them"
    assert session.flag(99)
    session.undo()
    assert not session.is_over and session.clocks == [None, None]
    assert session.restarted().clocks == [Clock(10, 1), Clock(10, 1)]


@pytest.mark.parametrize("end", [GameSession.resign, GameSession.offer_draw])
def test_a_game_given_up_or_drawn_goes_on_with_the_clocks_as_they_stood(
    end: Callable[[GameSession], None],
) -> None:
    timed = Seat(limit=Limit(clock_s=60, increment_s=5))
    session = GameSession(RULES, [timed, timed])
    session.play("e5", elapsed_s=10)
    session.run_clock(20)
    end(session)
    assert session.timed_seat is None
    session.undo()
    assert session.game.ply == 1 and session.timed_seat == 1
    assert session.clocks == [Clock(55, 5), Clock(40, 5)], "the turn that ended the game stays charged"
    session.pause()
    assert session.paused


def test_a_game_won_on_the_board_is_taken_back_with_its_clocks() -> None:
    timed = Seat(limit=Limit(clock_s=60))
    session = GameSession(RULES, [timed, timed])
    for move in ("a9", "a8", "b9", "b8", "c9", "c8", "d9", "d8", "e9"):
        session.play(move, elapsed_s=1)
    assert session.is_over
    session.undo()
    assert session.clocks == [Clock(55), Clock(56)] and session.timed_seat == 0


def test_who_steps_back_through_a_game_that_ended_loses_no_time_by_looking() -> None:
    timed = Seat(limit=Limit(clock_s=60))
    session = GameSession(RULES, [timed, timed])
    session.play("e5")
    session.resign()
    session.undo(1)
    assert session.clocks == [None, None]


def test_a_game_that_ended_with_a_clock_run_out_goes_on_without_clocks() -> None:
    session = GameSession(RULES, [Seat(limit=Limit(clock_s=10))] * 2)
    session.run_clock(99)
    session.resign()
    session.undo()
    assert session.clocks == [None, None]


def test_undo_takes_an_increment_back_and_redo_gives_it_again() -> None:
    timed = Seat(limit=Limit(clock_s=60, increment_s=5))
    session = GameSession(RULES, [timed, replace(ENGINE, limit=timed.limit)])
    for _ in range(3):
        session.play("e5", elapsed_s=2)
        assert session.answer(session.begin_search(), cell("d5"), elapsed_s=4)
        session.undo()
    assert session.clocks == [Clock(54, 5), Clock(48, 5)], "six and twelve seconds were used"
    session.redo()
    assert session.clocks == [Clock(59, 5), Clock(53, 5)]
    session.undo(1)
    session.redo(1)
    assert session.clocks == [Clock(59, 5), Clock(53, 5)]


def test_an_increment_used_already_is_paid_from_the_next_ones() -> None:
    timed = Seat(limit=Limit(clock_s=60, increment_s=20))
    session = GameSession(RULES, [timed, Seat()])
    session.play("e5", elapsed_s=10)
    session.play("d5")
    session.run_clock(58)
    session.undo(2)
    assert session.clocks[0] == Clock(REST_S, 20, owed_s=20 - (12 - REST_S)), "not below a rest"
    session = session_from_json(session_to_json(session))
    session.redo(2)
    assert session.clocks[0] == Clock(12, 20)
    session.run_clock(11)
    for _ in range(3):
        session.undo(2)
        assert session.clocks[0] == Clock(1, 20, owed_s=20), "what is left below the rest is kept"
        session.play("e5")
        session.play("d5")
        assert session.clocks[0] == Clock(1, 20), "and does not grow"


def test_an_opening_earned_no_increment() -> None:
    timed = Seat(limit=Limit(clock_s=60, increment_s=5))
    session = GameSession(RULES, [timed, timed], Game.from_moves(RULES, "e5 d5"))
    session.begun = 2
    session.undo()
    assert session.clocks == [Clock(60, 5), Clock(60, 5)]
    session.redo()
    session.play("e6")
    session.undo(2)
    session.redo(1)
    assert session.clocks == [Clock(60, 5), Clock(60, 5)]
    session.undo(1)
    session.play("d6", elapsed_s=1)
    session.undo(1)
    assert session.clocks == [Clock(60, 5), Clock(59, 5)], "another move in its place does"


def test_a_flag_falls_for_the_seat_to_act_only() -> None:
    seats = [Seat(limit=Limit(clock_s=10, increment_s=2)), Seat()]
    session = GameSession(Rules(9), seats)
    assert not session.flag(9.9)
    session.play("e5", elapsed_s=4)
    assert session.clocks[0] == Clock(8, 2)
    assert not session.flag(1e6), "White has no clock"
    session.play("e6")
    assert session.flag(8)
    assert session.game.outcome == Outcome(Color.WHITE, Reason.TIME)
    assert not session.flag(8), "the game is over"


def test_a_pause_stops_the_clock_of_a_person() -> None:
    session = GameSession(RULES, [replace(HUMAN, limit=Limit(clock_s=60.0)), HUMAN])
    assert session.timed_seat == 0
    session.pause()
    assert session.timed_seat is None
    session.resume()
    assert session.timed_seat == 0


def test_seconds_a_move_begin_anew_and_run_out() -> None:
    session = GameSession(RULES, [replace(HUMAN, move_s=10.0), replace(ENGINE, move_s=10.0)])
    session.play("e5", elapsed_s=4.0)
    assert [clock and clock.left_s for clock in session.clocks] == [10.0, 10.0]
    assert session.limit_for(1).time_s == 9.0, "its answer must arrive in time"
    assert session.limit_for(1).clock_s is None
    again = session_from_json(session_to_json(session))
    assert (again.seats, again.clocks) == (session.seats, session.clocks)
    assert session.answer(session.begin_search(), cell("d5"), elapsed_s=1.0)
    assert session.flag(10.0)
    assert session.game.outcome == Outcome(Color.WHITE, Reason.TIME)


def test_an_engine_that_resigns_has_used_its_time() -> None:
    session = GameSession(RULES, [replace(ENGINE, limit=Limit(clock_s=10)), HUMAN])
    assert session.answer(session.begin_search(), cell("d5"), resigned=True, elapsed_s=4.0)
    assert session.clocks[0] == Clock(6.0)
    assert session.game.outcome == Outcome(Color.WHITE, Reason.RESIGNATION)
