"""Whole games in the browser: won, lost, taken back, resumed, stopped and hinted, in both languages."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenScreen
from tests.browser.screen import Screen, towards_a_row, without_a_plan
from tests.browser.test_looks import PHONE, overflow
from tests.web_server import RunningServer, until
from wuzi.core import format_move, parse_move

ON_A_SITE = True

LANGUAGES = {
    "en-US": {"lang": "en", "win": "You win!", "lose": "You lost", "black": "Black"},
    "zh-CN": {"lang": "zh-CN", "win": "你赢了！", "lose": "你输了", "black": "黑"},
}


@pytest.mark.parametrize("locale", LANGUAGES)
def test_a_game_is_won(open_screen: OpenScreen, locale: str) -> None:
    words, screen = LANGUAGES[locale], open_screen(locale=locale)
    screen.go()
    expect(screen.page.locator("html")).to_have_attribute("lang", words["lang"])
    screen.start("random")
    screen.play_out(towards_a_row)
    expect(screen.test("result")).to_contain_text(words["win"])
    expect(screen.test("result")).to_contain_text(words["black"])
    expect(screen.page.locator("circle.win-ring").nth(4)).to_be_visible()
    old = screen.game_id
    screen.test("rematch").click()
    screen.page.wait_for_url(lambda url: not url.endswith(old))
    screen.shows(stones=0)


@pytest.mark.parametrize("locale", LANGUAGES)
def test_a_game_is_lost(open_screen: OpenScreen, locale: str) -> None:
    words, screen = LANGUAGES[locale], open_screen(locale=locale)
    screen.go()
    screen.start("weight", first="engine")
    screen.shows(stones=1)
    screen.play_out(without_a_plan)
    expect(screen.test("result")).to_contain_text(words["lose"])
    assert screen.state["outcome"]["winner"] == "B"


def test_minimax_beats_a_passive_player_on_the_big_board(screen: Screen) -> None:
    screen.go()
    screen.start("minimax-s1", preset="15", level="easy")
    screen.play_out(without_a_plan)
    expect(screen.test("result")).to_contain_text("You lost")


def test_a_level_shows_its_strength_and_answers(open_screen: OpenScreen) -> None:
    for locale, measured in (("en-US", "Measured strength"), ("zh-CN", "实测棋力")):
        screen = open_screen(locale=locale)
        screen.go()
        expect(screen.test("rating")).to_contain_text(measured)
        screen.start("levels", preset="15", level="novice")
        screen.play("h8")
        screen.shows(stones=2)
        assert screen.state["seats"][1]["level"] == "novice"


@pytest.mark.needs_server
def test_the_game_is_there_after_a_reload_and_in_the_list(screen: Screen, open_screen: OpenScreen) -> None:
    screen.go()
    screen.start("weight")
    screen.play("e5")
    screen.shows(stones=2)
    before = screen.state["moves"]
    screen.page.reload()
    screen.shows(stones=2)
    expect(screen.cell("e5")).to_have_attribute("data-stone", "B")
    screen.play("a1")
    screen.shows(stones=4)
    assert screen.state["moves"][:2] == before
    address = screen.page.url
    other = open_screen(locale="zh-CN")
    other.page.goto(address)
    other.shows(stones=4)
    screen.go()
    screen.page.locator(f'a[href="/play/{address.rsplit("/", 1)[1]}"]').first.click()
    screen.shows(stones=4)


@pytest.mark.needs_server
def test_two_windows_show_the_same_game(screen: Screen, open_screen: OpenScreen) -> None:
    game = screen.open_game(None, None)
    other = open_screen()
    other.go(f"/play/{game['id']}")
    screen.play("e5")
    other.shows(stones=1)
    other.play("d5")
    screen.shows(stones=2)


def test_undo_and_redo(screen: Screen) -> None:
    screen.open_game(None, "weight")
    expect(screen.test("undo")).to_be_disabled()
    screen.play("e5")
    screen.shows(stones=2)
    screen.play("a1")
    screen.shows(stones=4)
    screen.test("undo").click()
    screen.shows(stones=2)
    screen.test("undo").click()
    screen.shows(stones=0)
    expect(screen.test("undo")).to_be_disabled()
    screen.test("redo").click()
    screen.shows(stones=2)
    screen.play("i9")
    screen.shows(stones=4)
    expect(screen.test("redo")).to_be_disabled()


def test_stop_continue_and_move_now(screen: Screen) -> None:
    screen.open_game(None, "engine/strong")
    screen.play("e5")
    screen.test("stop").click()
    screen.test("resume").click()
    screen.test("move-now").click()
    screen.shows(stones=2)
    until(lambda: screen.state["winrate"] is not None, "the judge's win rate, which comes after the move")


def test_undo_while_the_engine_thinks_takes_back_my_stone(screen: Screen) -> None:
    screen.open_game(None, "engine/strong")
    screen.play("e5")
    expect(screen.test("stop")).to_be_visible()
    screen.test("undo").click()
    screen.shows(stones=0)
    screen.play("d5")
    assert screen.state["moves"][0] == "d5"


def test_resigning_asks_first(screen: Screen) -> None:
    screen.open_game(None, "weight")
    screen.test("resign").click()
    assert screen.state["outcome"] is None
    screen.test("confirm").click()
    expect(screen.test("result")).to_contain_text("You lost")


def test_a_hint_shows_the_area_and_then_the_move(screen: Screen) -> None:
    screen.open_game(None, None, moves=["a1", "a9", "b1", "b9", "c1", "c9", "d1", "d9"])
    screen.test("hint").click()
    expect(screen.page.locator("g.area rect")).not_to_have_count(0)
    expect(screen.test("hint-card")).to_contain_text("This move wins at once")
    screen.test("hint").click()
    expect(screen.test("hint-words")).to_contain_text("makes five and wins")
    expect(screen.test("hint-card")).not_to_contain_text("This move wins at once")  # the same in other words
    assert screen.state["ply"] == 8


def test_occupied_points_and_wrong_turns_are_refused_in_words(screen: Screen) -> None:
    screen.open_game(None, None)
    screen.play("e5")
    screen.cell("e5").click()
    expect(screen.page.locator(".status.refused")).to_contain_text("already a stone")
    assert screen.state["ply"] == 1


def test_renju_marks_forbidden_points_and_asks_twice(screen: Screen) -> None:
    moves = ["h8", "a1", "i8", "a3", "g9", "a5", "g10", "a7"]
    screen.open_game(None, None, size=15, rules={"rule": "renju"}, moves=moves)
    expect(screen.page.locator("path.cross")).to_have_count(1)
    label = screen.cell("g8").get_attribute("aria-label") or ""
    assert "double three" in label
    screen.cell("g8").click()
    expect(screen.page.locator(".status.refused")).to_contain_text("double three")
    assert screen.state["ply"] == 8
    screen.cell("g8").click()
    expect(screen.test("result")).to_contain_text("White wins")


def test_typed_moves_and_the_keyboard(screen: Screen) -> None:
    screen.open_game(None, None)
    screen.test("typed-move").fill("e5")
    screen.test("typed-move").press("Enter")
    screen.shows(stones=1)
    screen.cell("e5").focus()
    screen.page.keyboard.press("ArrowRight")
    screen.page.keyboard.press("Enter")
    screen.shows(stones=2)
    expect(screen.cell("f5")).to_have_attribute("data-stone", "W")
    expect(screen.test("live")).not_to_be_empty()


def test_a_button_that_searches_keeps_the_focus(screen: Screen) -> None:
    screen.open_game(None, None, moves=["e5", "a1", "d5", "a3"])
    screen.test("hint").focus()
    screen.page.keyboard.press("Enter")
    expect(screen.test("hint-card")).to_contain_text("shaded area")
    expect(screen.test("hint")).to_be_focused()
    screen.page.keyboard.press("Enter")
    expect(screen.test("hint-card")).to_contain_text("for Black")


def test_after_the_mouse_the_page_has_the_keys(screen: Screen) -> None:
    screen.open_game(None, None)
    keys = screen.page.keyboard
    screen.play("e5", "f6")
    keys.press("ArrowLeft")  # the game, not a cursor on the board
    screen.shows(stones=1)
    keys.press("Enter")  # back to the game, not a stone
    screen.shows(stones=2)
    screen.test("undo").click()
    screen.shows(stones=1)
    keys.press("Enter")  # not the button once more
    keys.press("?")
    expect(screen.page.get_by_role("dialog")).to_be_visible()
    keys.press("Escape")
    screen.cell("d4").click()
    screen.shows(stones=2)
    screen.test("typed-move").click()
    keys.type("a1")
    screen.cell("g7").click()  # a click elsewhere ends the typing
    screen.shows(stones=3)
    keys.press("ArrowLeft")
    screen.shows(stones=2)
    assert screen.state["moves"] == ["e5", "d4", "g7"]
    # Tab alone leads to the points.
    keys.press("End")
    screen.shows(stones=3)
    screen.page.locator("main").focus()
    tab_to(screen, "[data-cell]", most=3)
    keys.press("ArrowRight")
    keys.press("Enter")
    screen.shows(stones=4)


def test_every_screen_lists_its_keys(screen: Screen) -> None:
    for path in ("/", "/settings", "/arena", "/review", "/puzzles", "/help"):
        screen.go(path)
        screen.page.locator("main h1").first.click()
        screen.page.keyboard.press("?")
        expect(screen.page.get_by_role("dialog").get_by_role("row").first).to_be_visible()
        screen.page.keyboard.press("Escape")


@pytest.mark.parametrize(("locale", "options"), [("en-US", {}), ("zh-CN", PHONE)])
def test_a_whole_game_with_the_keyboard_alone(
    open_screen: OpenScreen, locale: str, options: dict[str, Any]
) -> None:
    words, screen = LANGUAGES[locale], open_screen(locale=locale, **options)
    keys = screen.page.keyboard
    screen.go()
    expect(screen.test("start")).to_be_enabled()
    for name, value in (("preset", "9"), ("opponent", "random")):
        if name == "opponent":
            tab_to(screen, '[data-test="others"] > summary')
            keys.press("Enter")
        tab_to(screen, f'input[name="{name}"]')
        while screen.page.evaluate("document.activeElement.value") != value:
            keys.press("ArrowDown")
    keys.press("Enter")  # plays, as in a form
    screen.page.wait_for_url("**/play/*")
    expect(screen.board).to_be_visible()
    # The next Tab goes on in the new screen, not in the header of the page.
    assert screen.page.evaluate("document.activeElement.id") == "main"
    tab_to(screen, "[data-cell]", most=3)
    played = -1
    while True:
        # The board shows a stone before the server has it: the state of before is none to go by.
        state = screen.server.wait_for(
            {"id": screen.game_id},
            lambda state, before=played: (
                state["outcome"] or (state["ply"] > before and state["ply"] % 2 == 0)
            ),
        )
        if state["outcome"]:
            break
        screen.shows(stones=state["ply"])
        played, goal = state["ply"], parse_move(towards_a_row(state), 9)
        here = int(screen.page.evaluate("document.activeElement.dataset.cell"))
        down, right = goal // 9 - here // 9, goal % 9 - here % 9
        for count, forwards, backwards in (
            (down, "ArrowDown", "ArrowUp"),
            (right, "ArrowRight", "ArrowLeft"),
        ):
            for _ in range(abs(count)):
                keys.press(forwards if count > 0 else backwards)
        keys.press("Enter")
        expect(screen.cell(format_move(goal, 9))).to_have_attribute("data-stone", "B")
    expect(screen.test("result")).to_contain_text(words["win"])
    expect(screen.test("live")).to_contain_text(words["black"])
    tab_to(screen, '[data-test="rematch"]')
    keys.press("Enter")
    screen.shows(stones=0)


def tab_to(screen: Screen, selector: str, most: int = 60) -> None:
    """Press Tab until the element has the focus."""
    for _ in range(most):
        screen.page.keyboard.press("Tab")
        if screen.page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{selector} is not reached by {most} tabs")


def test_one_engine_judges_the_game_at_every_level(screen: Screen) -> None:
    """The weakest level has no opinion of its own; bar and moves show numbers all the same."""
    screen.open_game(None, "levels/novice")
    screen.play("e5")
    screen.shows(stones=2)
    expect(screen.page.locator(".bar-upright")).to_have_attribute("aria-label", re.compile(r"\d+%"))
    expect(screen.page.locator(".moves .rate").nth(1)).to_have_text(re.compile(r"\d+%"))
    assert screen.state["winrate"] is None


def test_swap2_says_who_took_which_colour(screen: Screen) -> None:
    screen.open_game(None, None, size=15, rules={"opening": "swap2"})
    screen.play("h8", "h9", "j10")
    screen.test("send-opening").click()
    screen.test("swap").click()
    expect(screen.page.locator("p:has([data-test=opening-note])")).to_have_text(
        "Black was chosen. White to move"
    )


def test_swap2_is_played_through(screen: Screen) -> None:
    screen.open_game(None, None, size=15, rules={"opening": "swap2"})
    screen.play("h8", "h9", "j10")
    screen.test("send-opening").click()
    screen.test("place-two").click()
    screen.play("a1", "o15")
    screen.test("send-opening").click()
    screen.test("swap").click()
    screen.play("g7")
    state = screen.state
    assert (state["ply"], state["phase"]) == (6, "play")
    assert [seat["color"] for seat in state["seats"]] == ["B", "W"]


@pytest.mark.parametrize(("device", "locale"), [("desktop", "en-US"), ("phone", "zh-CN")])
def test_swap1_is_played_through(open_screen: OpenScreen, device: str, locale: str) -> None:
    screen = open_screen(**(PHONE if device == "phone" else {}), locale=locale)
    screen.open_game(None, None, size=15, rules={"opening": "swap1"})
    screen.play("h8", "h9", "j10")
    screen.test("send-opening").click()
    expect(screen.test("place-two")).to_have_count(0)
    assert overflow(screen) == 0
    screen.test("swap").click()
    expect(screen.test("swap")).to_have_count(0)
    screen.play("g7")
    state = screen.state
    assert (state["ply"], state["phase"]) == (4, "play")
    assert [seat["color"] for seat in state["seats"]] == ["W", "B"]


def test_swap2_against_an_engine_that_places_first(screen: Screen) -> None:
    screen.open_game("weight", None, size=15, rules={"opening": "swap2"})
    screen.shows(stones=3)
    screen.test("swap").click()
    screen.shows(stones=4)
    assert screen.state["seats"][1]["color"] == "B"


def test_engines_are_watched_to_the_end(screen: Screen) -> None:
    screen.open_game("weight", "random", size=7)
    expect(screen.test("result")).to_contain_text("Black wins")


def test_the_language_is_switched_and_remembered(screen: Screen) -> None:
    screen.go()
    expect(screen.page.get_by_role("heading", name="Five in a row")).to_be_visible()
    screen.test("language").click()
    expect(screen.page.get_by_role("heading", name="五子棋")).to_be_visible()
    expect(screen.page.locator("html")).to_have_attribute("lang", "zh-CN")
    screen.page.reload()
    expect(screen.page.get_by_role("heading", name="五子棋")).to_be_visible()


def test_nothing_is_asked_of_other_machines(screen: Screen) -> None:
    asked: list[str] = []
    screen.page.on("request", lambda request: asked.append(request.url))
    screen.go()
    screen.start("weight")
    screen.play("e5")
    screen.shows(stones=2)
    own = screen.server.url.removesuffix("#").rstrip("/")
    foreign = [url for url in asked if not re.match(rf"{own}/|data:|blob:", url)]
    assert foreign == []


def test_a_double_click_plays_once(screen: Screen, server: RunningServer) -> None:
    game = screen.open_game(None, None)
    screen.cell("e5").dblclick()
    screen.shows(stones=1)
    seen: dict[str, Any] = server.state(game["id"])
    assert seen["moves"] == ["e5"]


def test_a_removed_game_is_put_back(screen: Screen) -> None:
    game = screen.open_game(None, None, moves=["e5"])
    screen.play("e6")
    state = screen.server.wait_for(game, lambda state: len(state["moves"]) == 2)
    screen.go("/")
    games = screen.page.locator("li.game")
    expect(games).to_have_count(1)
    games.get_by_role("button", name="Delete this game").click()
    expect(games).to_have_count(0)
    screen.page.get_by_role("button", name="Put it back").click()
    expect(games).to_have_count(1)
    screen.go(f"/play/{game['id']}")
    screen.shows(stones=2)
    assert screen.server.state(game["id"])["moves"] == state["moves"]
