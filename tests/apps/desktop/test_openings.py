"""Swap and swap2 at the window, by mouse and keys, between people and engines."""

from __future__ import annotations

import pytest

from tests.apps.desktop.conftest import Open
from tests.apps.desktop.person import Person
from wuzi.apps.desktop.menu_scene import FilesScene
from wuzi.apps.desktop.opponents import engine_seat
from wuzi.core import Color, Keep, Opening, Phase, PlaceSeveral, Rules, Swap, parse_move
from wuzi.games import GameSession, Seat

ENGINE = engine_seat("engine", "quick")
"""Takes Black when it chooses first, keeps White after five stones."""

ADDS_TWO = engine_seat("weight", "default")
"""Adds two stones in swap2."""


def begin(it: Person, *seats: Seat, opening: Opening = Opening.SWAP2) -> None:
    """Show a game with an opening protocol."""
    it.window.show_game(GameSession(Rules(15, opening=opening), seats or (Seat(), Seat())))
    it.window.step(0.001)


def put(it: Person, *moves: str) -> None:
    for move in moves:
        it.place(move)


def labels(it: Person) -> list[str]:
    """What is asked: the buttons with a digit key."""
    return [one.label for one in it.scene.widgets if getattr(one, "key", "")]


def status(it: Person) -> str:
    return it.game.panel.status_text(is_starting=False)[0]


def test_two_people_open_with_swap2_by_the_mouse(it: Person) -> None:
    it.turn_to("menu.opening", "opening.name.swap2")
    assert it.button("menu.first").note == it.text("menu.first_note_swap")
    it.press("menu.two")
    assert it.match.game.rules.opening is Opening.SWAP2
    assert labels(it) == [it.text("opening.hand_over"), it.text("opening.take_back")]
    assert not it.button("opening.hand_over").enabled
    put(it, "h8", "i9", "a1")
    it.press("opening.take_back")
    it.place("f9")
    assert it.match.game.ply == 0 and it.match.shown.ply == 3
    it.place("a2")
    assert it.match.message is not None and it.match.message.key == "note.hand_over"
    it.press("opening.hand_over")
    assert it.match.game.phase is Phase.CHOOSE and it.match.game.seat_to_act == 1
    it.place("a3")
    assert it.match.game.ply == 3, "first the choice"
    assert it.match.message is not None and it.match.message.key == "note.choose_first"
    it.press("opening.add_two")
    put(it, "g7", "h10")
    it.press("opening.hand_over")
    assert it.match.game.phase is Phase.CHOOSE_AFTER_FIVE and it.match.game.seat_to_act == 0
    assert it.text("opening.add_two") not in labels(it)
    it.press("opening.take_black")
    assert it.match.game.phase is Phase.PLAY
    assert it.match.game.seat_of(Color.BLACK) == 0 and it.match.game.to_move is Color.WHITE
    assert labels(it) == []
    assert status(it).startswith(it.text("status.chosen", name="Player 1", color="Black"))
    it.place("a1")
    assert it.match.game.ply == 6 and it.match.game.to_move is Color.BLACK


def test_a_swap_is_decided_by_the_keyboard_alone(it: Person) -> None:
    begin(it, opening=Opening.SWAP1)
    for move in ("h8", "i9", "f9"):
        it.place_by_keys(move)
    it.key("1")
    assert it.match.game.phase is Phase.CHOOSE
    assert labels(it) == [it.text("opening.take_black"), it.text("opening.keep_white")]
    it.key("3")
    assert it.match.game.phase is Phase.CHOOSE, "there is no third choice"
    it.key("tab", "tab", "enter")
    assert it.match.game.actions[-1] == Keep() and it.match.game.seat_of(Color.WHITE) == 1
    it.place_by_keys("a1")
    assert it.match.game.ply == 4


def test_stones_and_choices_are_taken_back(it: Person) -> None:
    begin(it)
    put(it, "h8", "h8", "i9")
    assert it.match.draft == (parse_move("h8", 15), parse_move("i9", 15)), "an occupied cell takes no stone"
    it.key("u")
    assert len(it.match.draft) == 1
    put(it, "i9", "f9")
    it.key("1", "3")
    assert it.match.stones_due == 2 and labels(it)[1] == it.text("opening.cancel")
    it.place("a1")
    it.key("backspace", "2")
    assert it.match.stones_due == 0 and it.match.can_add_two
    it.key("1")
    assert it.match.game.actions[-1] == Swap()
    it.key("u", "u")
    assert it.match.game.ply == 0
    it.key("y", "y")
    assert it.match.game.actions[-1] == Swap()


def test_an_engine_chooses_its_colour(it: Person) -> None:
    begin(it, Seat(), ENGINE)
    put(it, "h8", "i9", "f9")
    it.key("1")
    it.until(lambda: it.match.game.phase is Phase.PLAY)
    assert it.match.game.actions[-1] == Swap() and it.match.game.color_of(1) is Color.BLACK
    assert status(it).startswith(it.text("status.chosen", name="wuzi engine", color="Black"))
    it.place("a1")
    it.until(lambda: it.match.game.ply == 5)


def test_an_engine_places_three_and_the_person_chooses(it: Person) -> None:
    begin(it, ENGINE, Seat(), opening=Opening.SWAP1)
    it.until(lambda: it.match.game.phase is Phase.CHOOSE)
    assert it.match.game.ply == 3 and it.match.is_opening
    it.press("opening.take_black")
    it.until(lambda: it.match.game.ply == 4)
    assert it.match.game.color_of(0) is Color.WHITE
    assert it.match.is_person_to_act


def test_an_engine_adds_two_stones_and_the_person_chooses(it: Person) -> None:
    begin(it, Seat(), ADDS_TWO)
    put(it, "h8", "i9", "f9")
    it.key("1")
    it.until(lambda: it.match.game.phase is Phase.CHOOSE_AFTER_FIVE)
    it.key("2")
    assert it.match.game.actions[-1] == Keep()
    it.until(lambda: it.match.is_thinking is False)
    assert it.match.game.color_of(0) is Color.WHITE and it.match.is_person_to_act


def test_two_engines_open_by_themselves(it: Person) -> None:
    it.until(lambda: it.button("menu.watch").enabled)
    it.turn_to("menu.opening", "opening.name.swap1")
    it.until(lambda: it.button("menu.watch").enabled)
    it.press("menu.watch")
    assert not it.match.is_opening
    it.until(lambda: it.match.game.phase is Phase.PLAY)
    kinds = [type(action) for action in it.match.game.actions[:2]]
    assert kinds == [PlaceSeveral, Swap]


def test_an_engine_that_does_not_know_the_opening_is_refused(it: Person) -> None:
    it.window.preferences.opponent = "random"
    it.window.refresh()
    it.until(lambda: it.window.capabilities("random"))
    it.turn_to("menu.opening", "opening.name.swap2")
    assert not it.button("menu.first").enabled
    assert it.choice("menu.opponent").problem == it.text("menu.refuses.opening", name="Random")
    assert it.button("menu.two").enabled


def test_the_opening_is_analysed_by_its_stones(it: Person) -> None:
    begin(it)
    put(it, "h8", "i9", "f9")
    it.key("1", "a")
    it.until(lambda: it.match.report)
    assert it.match.report is not None and it.match.report.game is it.match.game
    assert not it.button("button.hint").enabled
    it.key("h")
    assert not it.match.waits_for_hint


def test_the_graph_steps_by_stones(it: Person) -> None:
    begin(it)
    put(it, "h8", "i9", "f9")
    it.key("1", "2")
    put(it, "a1", "a2", "a3")
    for ply in (0, 3, 5, 6):
        it.match.go_to_ply(ply)
        assert it.match.game.ply == ply
        assert it.match.last_ply == 6
    it.match.go_to_ply(2)
    assert it.match.game.ply == 0, "three stones were one action"


def test_an_opening_in_progress_is_kept_and_saved(open_window: Open) -> None:
    it = open_window()
    begin(it, Seat(), ADDS_TWO)
    put(it, "h8", "i9", "f9")
    it.key("1")
    it.until(lambda: it.match.game.phase is Phase.CHOOSE_AFTER_FIVE)
    game = it.match.game
    it.key("s")
    again = open_window()
    again.press("menu.continue")
    assert again.match.game == game and again.match.is_opening
    again.key("o")
    assert isinstance(again.scene, FilesScene)
    again.key("tab", "enter")
    assert again.match.game == game, "the file tells who did what"
    again.key("1")
    assert again.match.game.color_of(0) is Color.BLACK


@pytest.mark.parametrize("size", [(480, 560), (1060, 740)])
def test_choices_have_one_line_each_where_there_is_no_room(it: Person, size: tuple[int, int]) -> None:
    it.resize(*size)
    begin(it)
    put(it, "h8", "i9", "f9")
    it.key("1")
    rects = [one.rect for one in it.scene.widgets if getattr(one, "key", "")]
    in_a_row = len({rect.y for rect in rects}) == 1
    assert in_a_row == (size[0] < 600)
    assert (not it.button("opening.take_black").note) == in_a_row
