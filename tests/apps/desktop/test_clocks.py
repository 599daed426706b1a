"""Chess clocks at the window."""

from __future__ import annotations

import pygame
import pytest

from tests.apps.desktop.conftest import Open
from tests.apps.desktop.person import Person
from wuzi.apps.desktop.match import Notice
from wuzi.apps.desktop.menu_scene import CLOCKS
from wuzi.apps.desktop.opponents import engine_seat
from wuzi.contract import Limit
from wuzi.core import Color, Opening, Reason, Rules
from wuzi.core.types import Outcome
from wuzi.games import Clock, GameSession, Seat, SeatKind

SHORT_S = 0.4
TIMED = Seat(limit=Limit(clock_s=500, increment_s=7))


def begin(
    it: Person, *seats: Seat, left_s: tuple[float, float] = (500, 500), rules: Rules = Rules(9)
) -> None:
    """Show a game in which the seats have so many seconds left."""
    session = GameSession(rules, seats or (TIMED, TIMED))
    session.clocks = [Clock(left, 7) for left in left_s]
    it.window.show_game(session)
    it.window.step(0.001)


def engine(player: str, level: str) -> Seat:
    """An engine with a clock."""
    return Seat(SeatKind.ENGINE, player, engine_seat(player, level).level, TIMED.limit)


def left(it: Person, seat: int) -> float:
    seconds = it.match.time_left(seat)
    assert seconds is not None
    return seconds


def test_the_menu_gives_both_seats_the_chosen_clock(it: Person) -> None:
    it.turn_to("menu.clock", "clock.blitz")
    it.press("menu.two")
    assert it.match.session.clocks == [Clock(*CLOCKS["blitz"] or (0,))] * 2
    it.place("h8")
    assert left(it, 0) > 180, "the increment was added"
    it.until(lambda: left(it, 1) < 180)
    it.key("esc")
    it.turn_to("menu.clock", "clock.none")
    it.press("menu.two")
    assert it.match.session.clocks == [None, None] and it.scene.frame_s is None


def test_an_analysis_has_no_clock_and_no_opening(it: Person) -> None:
    it.turn_to("menu.clock", "clock.slow")
    it.turn_to("menu.opening", "opening.name.swap1")
    it.press("menu.analyse")
    assert it.match.session.clocks == [None, None]
    assert it.match.game.rules.opening is Opening.FREE


def test_a_fallen_flag_ends_the_game(it: Person) -> None:
    begin(it, left_s=(500, SHORT_S))
    it.place("e5")
    it.until(lambda: it.match.session.is_over)
    assert it.match.game.outcome == Outcome(Color.BLACK, Reason.TIME)
    assert left(it, 1) == 0
    it.place("e6")
    assert it.match.game.ply == 1
    it.press("button.again")
    assert left(it, 1) == 500 and not it.match.session.is_over


def test_the_flag_falls_behind_the_help_too(it: Person) -> None:
    begin(it, left_s=(SHORT_S, 500))
    match = it.match
    it.key("f1")
    it.until(lambda: match.session.is_over)
    it.key("esc")
    assert it.match.game.outcome == Outcome(Color.WHITE, Reason.TIME)


def test_an_engine_loses_on_time(it: Person) -> None:
    begin(it, TIMED, engine("minimax-s1", "normal"), left_s=(500, SHORT_S))
    it.place("e5")
    it.until(lambda: it.match.session.is_over)
    assert it.match.game.outcome == Outcome(Color.BLACK, Reason.TIME)
    assert not it.match.is_thinking


def test_an_engine_gets_what_is_left_of_its_clock(it: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = []
    ask = it.window.pool.ask

    def noted(request, *args, **more):  # type: ignore[no-untyped-def]
        limits.append(request.limit)
        return ask(request, *args, **more)

    monkeypatch.setattr(it.window.pool, "ask", noted)
    begin(it, TIMED, engine("engine", "quick"), left_s=(500, 90))
    it.place("e5")
    it.until(lambda: it.match.game.ply == 2)
    assert (limits[-1].clock_s, limits[-1].increment_s) == (90, 7)
    assert 90 < left(it, 1) <= 97


def test_pausing_stops_the_clock_and_forgives_nothing(it: Person) -> None:
    begin(it, engine("minimax-s1", "normal"), TIMED)
    it.until(lambda: left(it, 0) < 499.9)
    before = left(it, 0)
    it.key("p")
    stopped = left(it, 0)
    assert it.match.session.timed_seat is None and stopped <= before
    it.window.step(0.05)
    assert left(it, 0) == stopped
    it.key("p")
    it.until(lambda: left(it, 0) < stopped)


def test_leaving_takes_the_time_of_the_turn_along(open_window: Open) -> None:
    it = open_window()
    begin(it)
    it.place("e5")
    it.until(lambda: left(it, 1) < 499.8)
    it.press("button.menu")
    again = open_window()
    again.press("menu.continue")
    assert left(again, 1) < 499.8
    again.key("u")
    again.until(lambda: left(again, 0) < 500)


def test_a_game_lost_on_time_goes_on_without_clocks(it: Person) -> None:
    begin(it, left_s=(500, SHORT_S))
    it.place("e5")
    it.until(lambda: it.match.session.is_over)
    it.press("button.undo")
    assert not it.match.session.is_over and it.match.session.clocks == [None, None]
    it.place("e6")
    assert it.match.game.ply == 2


def test_a_game_given_up_goes_on_with_its_clocks(it: Person) -> None:
    begin(it)
    it.place("e5")
    it.until(lambda: left(it, 1) < 499.9)
    it.match.resign()
    stood = left(it, 1)
    it.press("button.undo")
    assert it.match.session.timed_seat == 1 and left(it, 1) <= stood < 499.9
    it.key("p")
    assert it.match.is_held


def test_clocks_follow_their_players_when_colours_are_swapped(it: Person) -> None:
    begin(it, left_s=(400, 300), rules=Rules(9, opening=Opening.SWAP1))
    for move in ("e5", "e6", "d5"):
        it.place(move)
    it.key("1", "1")
    assert it.match.game.color_of(1) is Color.BLACK and it.match.session.timed_seat == 0
    assert 395 < left(it, 0) <= 407 and 295 < left(it, 1) <= 307


def test_a_running_clock_is_drawn_as_often_as_its_text_changes(it: Person) -> None:
    begin(it)
    it.until(lambda: (it.scene.frame_s or 0) > 0.1)
    assert (it.scene.frame_s or 9) <= 1
    begin(it, left_s=(15, 500))
    assert it.scene.frame_s == 0.1


def test_a_pause_with_clocks_covers_the_board(it: Person) -> None:
    begin(it)
    it.place("e5")

    def board() -> bytes:
        # A whole picture: the scene alone would lay the board's shadow over the one drawn before.
        it.window.redraw()
        it.window.step(0.001)
        return pygame.image.tobytes(it.window.surface.subsurface(it.game.grid.rect), "RGB")

    seen = board()
    it.key("p")
    covered = board()
    it.place("e6")
    assert it.match.game.ply == 1 and it.match.message == Notice("status.held")
    it.key("p")
    it.place("e6")
    assert it.match.game.ply == 2
    it.key("p")
    assert board() == covered != seen, "nothing of the position is to be seen"
    it.key("pageup")
    assert board() not in (covered, seen), "who steps back sees the stones"
    it.window.show_game(GameSession(Rules(9), (Seat(), Seat())))
    it.place("e5")
    it.key("p")
    assert not it.match.is_held, "without clocks nobody gains by looking"
