"""The window operated by keys and mouse, without a screen: real events, real sessions, an instant worker."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import psutil
import pygame
import pytest

from tests.apps.desktop.conftest import Open
from tests.apps.desktop.person import Person
from wuzi.apps.desktop.game_scene import GameScene
from wuzi.apps.desktop.menu_scene import BOARDS, FilesScene, MenuScene
from wuzi.apps.desktop.opponents import engine_seat
from wuzi.apps.desktop.theme import THEMES
from wuzi.contract import Limit
from wuzi.core import Color, Game, Move, Rules, parse_move
from wuzi.core.types import Reason
from wuzi.games import GameSession, Seat

SLOW = engine_seat("minimax-s1", "normal")
"""The fake worker thinks at this opponent until it is told to stop."""

DEADLY = engine_seat("mcts-s0", "default")
"""The fake worker ends itself at this one."""


def play(it: Person, *seats: Seat, moves: str = "", rules: Rules = Rules(9)) -> GameScene:
    """Show a game."""
    game = Game.from_moves(rules, moves.split()) if moves else None
    it.window.show_game(GameSession(rules, seats or (Seat(), Seat()), game))
    it.window.step(0.001)
    return it.game


# ---------------------------------------------------------------------------- whole games


def test_a_game_against_the_engine_is_won_by_the_mouse_alone(it: Person) -> None:
    it.until(lambda: it.button("menu.first").enabled)
    it.choice("menu.board").turn(1)
    it.press("menu.first")
    assert it.match.game.rules.size == BOARDS[1][0] == 9
    for ply, move in enumerate(("c5", "d5", "e5", "f5", "g5")):
        it.place(move)
        assert it.match.game.position.cells[parse_move(move, 9)] == Color.BLACK
        if ply < 4:
            it.until(lambda ply=ply: it.match.game.ply == 2 * ply + 2)
    outcome = it.match.game.outcome
    assert outcome is not None and outcome.winner is Color.BLACK and outcome.reason is Reason.LINE
    assert it.match.winrate == 1.0
    it.press("button.again")
    assert it.match.game.ply == 0


def test_a_game_is_lost_by_the_keyboard_alone(it: Person) -> None:
    it.until(lambda: it.button("menu.second").enabled)
    while it.scene.focus is None or it.scene.widgets[it.scene.focus] is not it.button("menu.second"):
        it.key("tab")
    it.key("enter")
    for ply, move in enumerate(("h1", "a1", "h3", "c1")):
        it.until(lambda ply=ply: it.match.game.ply == 2 * ply + 1)
        it.place_by_keys(move)
        assert it.match.game.ply >= 2 * ply + 2
    it.until(lambda: it.match.session.is_over)
    assert it.match.game.outcome is not None and it.match.game.outcome.winner is Color.BLACK
    it.key("esc")
    assert isinstance(it.scene, MenuScene)


def test_two_engines_play_until_they_are_paused(it: Person) -> None:
    play(it, engine_seat("engine", "quick"), engine_seat("levels", "casual"))
    it.until(lambda: it.match.game.ply >= 2)
    it.press("button.pause")
    assert it.match.session.paused and not it.match.is_thinking
    it.key("p")
    assert it.match.is_thinking


# ---------------------------------------------------------------------------- what one can do


def test_undo_redo_and_stepping(it: Person) -> None:
    play(it, moves="e5 e6 d5 d6")
    it.press("button.undo")
    assert it.match.game.ply == 3
    it.key("y")
    assert it.match.game.ply == 4
    it.key("pageup", "pageup", "pageup")
    assert it.match.game.ply == 1
    it.key("end")
    assert it.match.game.ply == 4
    it.key("home")
    assert it.match.game.ply == 0
    it.post(pygame.MOUSEWHEEL, x=0, y=-1, flipped=False, which=0)
    assert it.match.game.ply == 1


def test_undo_against_an_engine_comes_back_to_the_person(it: Person) -> None:
    play(it, Seat(), engine_seat("engine", "quick"))
    it.place("e5")
    it.until(lambda: it.match.game.ply == 2)
    it.press("button.undo")
    assert it.match.game.ply == 0
    assert it.match.is_person_to_act


def test_a_hint_comes_in_two_steps(it: Person) -> None:
    play(it, moves="e5 e6")
    it.key("h")
    it.until(lambda: it.match.hint)
    hint = it.match.hint
    assert hint is not None and hint.move in hint.area and not hint.told
    it.press("button.hint_more")
    assert it.match.hint is not None and it.match.hint.told
    it.place("d5")
    assert it.match.hint is None


def test_analysis_follows_the_position(it: Person) -> None:
    play(it, moves="e5 e6")
    it.key("a")
    it.until(lambda: it.match.report)
    report = it.match.report
    assert report is not None and len(report.candidates) == 5 and report.game is it.match.game
    it.place("d5")
    assert it.match.report is None or it.match.report.game is it.match.game
    it.until(lambda: it.match.report)
    it.key("a")
    assert not it.match.is_busy


def test_the_continuation_under_the_mouse_is_shown(it: Person) -> None:
    scene = play(it, moves="e5 e6")
    it.key("a")
    it.until(lambda: it.match.report and not it.match.is_busy)
    it.window.step(0.3)
    x, y = scene.grid.point(parse_move("a9", 9))
    it.post(pygame.MOUSEMOTION, pos=(round(x), round(y)), rel=(0, 0), buttons=(0, 0, 0), touch=False)
    shown = scene._shown_line()
    assert shown is not None and shown.pv[0] == parse_move("a9", 9)


def test_a_turned_board_is_played_by_mouse_and_keys_and_stays_turned(it: Person) -> None:
    play(it, moves="e5")
    usual = it.game.grid.point(0)
    it.key("f")
    x, y = it.game.grid.point(0)
    assert (x > usual[0] + 100, y) == (True, usual[1]), "the upper left corner is on the right"
    it.place("a9")
    assert it.match.game.moves[-1] == parse_move("a9", 9)
    it.key("left", "left", "enter")
    assert it.match.game.moves[-1] == parse_move("a7", 9), "to the left of a9 is seen what was below it"
    it.key("F")
    assert it.game.grid.point(0) == usual
    assert it.window.preferences.turned == 5
    it.window.step(0.01)


def test_cells_are_named_by_row_and_column_where_that_is_chosen(it: Person) -> None:
    game = play(it, moves="e5 i9 a1")
    game.cursor = parse_move("i9", 9)
    assert game._place_text().endswith(" · I9")
    plain = pygame.image.tobytes(it.window.surface, "RGB")
    it.key("c")
    it.window.step(0.001)
    assert it.window.preferences.matrix and game._place_text().endswith(" · A9"), "document 000's"
    assert game.panel._cell(Move("a1", 9)) == "I1"
    assert pygame.image.tobytes(it.window.surface, "RGB") != plain
    it.key("c")
    assert game._place_text().endswith(" · I9")


def test_a_pause_stops_the_clocks_of_people(it: Person) -> None:
    timed = Seat(limit=Limit(clock_s=60))
    play(it, timed, timed)
    it.place("e5")
    assert it.match.session.timed_seat == 1
    it.press("button.pause")
    assert it.match.session.timed_seat is None and it.match.session.paused
    it.press("button.go_on")
    assert it.match.session.timed_seat == 1


def test_threats_are_those_of_the_rule_book(it: Person) -> None:
    play(it, moves="d5 a1 e5 a3 f5 i9")
    it.press("button.threats")
    gains = {gain for threat in it.match.threats if threat.color is Color.BLACK for gain in threat.gains}
    assert {parse_move("c5", 9), parse_move("g5", 9)} <= gains


def test_an_occupied_cell_and_a_late_click_change_nothing(it: Person) -> None:
    play(it, moves="e5")
    it.place("e5")
    assert it.match.game.ply == 1
    assert it.match.message is not None and it.match.message.key == "note.occupied"
    play(it, Seat(), SLOW)
    it.place("e5")
    it.place("e4")
    assert it.match.game.ply == 1
    assert it.match.message is not None and it.match.message.key == "note.not_your_turn"


def test_move_now_and_leaving_stop_the_search(it: Person) -> None:
    play(it, Seat(), SLOW)
    it.place("e5")
    it.until(lambda: it.match.report)
    it.press("button.move_now")
    it.until(lambda: it.match.game.ply == 2)
    it.place("e4")
    assert it.match.is_thinking
    match = it.match
    it.press("button.menu")
    assert not match.is_thinking and isinstance(it.scene, MenuScene)


def test_restart_asks_twice_while_a_game_runs(it: Person) -> None:
    play(it, moves="e5 e6")
    it.press("button.restart")
    assert it.match.game.ply == 2
    it.press("button.restart_sure")
    assert it.match.game.ply == 0


def test_resigning_ends_the_game(it: Person) -> None:
    play(it, Seat(), engine_seat("engine", "quick"))
    it.press("button.resign")
    assert it.match.game.outcome is not None and it.match.game.outcome.reason is Reason.RESIGNATION


# ---------------------------------------------------------------------------- when things fail


@pytest.mark.skipif(os.name != "posix", reason="stops a process with a POSIX signal")
@pytest.mark.may_skip
def test_a_killed_worker_is_replaced_and_the_game_goes_on(it: Person) -> None:
    play(it, Seat(), SLOW)
    it.place("e5")
    it.until(lambda: it.match.report)
    killed = it.window.pool.pids
    it.match.report = None  # each process of this engine reports once
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    it.until(lambda: it.match.message)
    assert it.match.message is not None and it.match.message.key == "note.engine_restarted"
    assert it.match.game.ply == 1
    it.until(lambda: it.window.pool.pids and it.window.pool.pids != killed)
    it.until(lambda: it.match.report)
    it.key("m")
    it.until(lambda: it.match.game.ply == 2)


def test_an_engine_that_keeps_dying_waits_for_the_person(it: Person) -> None:
    play(it, Seat(), DEADLY)
    it.place("e5")
    it.until(lambda: it.match.session.failure)
    assert it.match.session.failure is not None and it.match.session.failure.code == "engine_crashed"
    assert it.match.game.ply == 1
    it.press("button.engine_again")
    it.until(lambda: it.match.session.failure)
    it.press("button.undo")
    assert it.match.game.ply == 0 and it.match.session.failure is None


def test_no_process_is_left_when_the_window_closes(open_window: Open) -> None:
    it = open_window()
    it.until(lambda: it.window.pool.pids)
    pids = it.window.pool.pids
    it.post(pygame.QUIT)
    assert not it.window.is_open
    it.close()
    assert not any(psutil.pid_exists(pid) for pid in pids)


# ---------------------------------------------------------------------------- what is kept


def test_the_running_game_is_offered_again(open_window: Open) -> None:
    it = open_window()
    play(it, Seat(), engine_seat("levels", "casual"), moves="")
    it.place("e5")
    it.until(lambda: it.match.game.ply == 2)
    moves = it.match.game.moves
    again = open_window()
    again.press("menu.continue")
    assert again.match.game.moves == moves
    assert again.match.session.seats[1].player == "levels"
    again.place("e4")
    again.until(lambda: again.match.game.ply == 4)


def test_a_finished_game_is_not_offered(open_window: Open) -> None:
    it = open_window()
    play(it, moves="e5 e6")
    it.place("d5")
    it.press("button.resign")
    again = open_window()
    assert not any(getattr(w, "label", "") == again.text("menu.continue") for w in again.scene.widgets)


def test_saved_games_come_back_with_their_players(it: Person) -> None:
    play(it, Seat(), engine_seat("levels", "casual"), moves="e5 a1 e6 a2")
    it.key("s")
    assert it.match.message is not None and it.match.message.key == "note.saved"
    it.key("o")
    assert isinstance(it.scene, FilesScene)
    it.key("tab", "enter")
    assert it.match.game.ply == 4
    assert [seat.player for seat in it.match.session.seats] == ["", "levels"]


def test_a_file_is_opened_by_dropping_it(it: Person, tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("(;GM[4]FF[4]SZ[9];B[ee];W[ed])", encoding="utf-8")
    it.post(pygame.DROPFILE, file=str(path))
    assert it.match.game.ply == 2
    bad = tmp_path / "bad.sgf"
    bad.write_text("nonsense", encoding="utf-8")
    it.post(pygame.DROPFILE, file=str(bad))
    assert it.match.game.ply == 2


def test_a_file_dropped_on_the_help_ends_the_search_behind_it(it: Person, tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("(;GM[4]FF[4]SZ[9];B[ee];W[ed])", encoding="utf-8")
    play(it, Seat(), SLOW)
    it.place("e5")
    match = it.match
    it.key("f1")
    assert match.is_thinking
    it.post(pygame.DROPFILE, file=str(path))
    assert it.match is not match and not match.is_thinking


def test_a_restarted_game_is_no_longer_offered(open_window: Open) -> None:
    it = open_window()
    play(it)
    it.place("e5")
    it.key("r", "r")
    assert it.match.game.ply == 0
    again = open_window()
    assert not any(getattr(w, "label", "") == again.text("menu.continue") for w in again.scene.widgets)


def test_preferences_are_remembered_and_broken_ones_ignored(open_window: Open, tmp_path: Path) -> None:
    it = open_window()
    it.key("d", "l")
    it.resize(900, 700)
    it.close()
    stored = json.loads((tmp_path / "config" / "desktop.json").read_text(encoding="utf-8"))
    assert (stored["theme"], stored["language"]) == ("dark", "zh")
    assert (stored["width"], stored["height"]) == (900, 700)
    again = open_window()
    assert again.window.theme is THEMES["dark"] and again.window.size == (900, 700)
    again.close()
    (tmp_path / "config" / "desktop.json").write_text("{broken", encoding="utf-8")
    assert open_window().window.theme is THEMES["light"]
