"""Beside a game: own clocks, a pause, the board turned, numbers from anywhere, pace, names and search."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenScreen
from tests.browser.screen import Screen
from tests.browser.test_looks import PHONE, overflow


def test_an_own_clock_is_paused_and_goes_on(screen: Screen) -> None:
    screen.go()
    screen.choose("clock", "custom")
    screen.test("clock-minutes").fill("0")
    expect(screen.test("start")).to_be_disabled()
    screen.test("clock-minutes").fill("2")
    screen.test("clock-increment").fill("3")
    screen.choose("opponent", "two")
    screen.choose("preset", "9")
    screen.test("start").click()
    expect(screen.test("clock").last).to_have_text("2:00")
    screen.play("e5")
    screen.test("pause").click()
    expect(screen.test("resume")).to_be_visible()
    assert [one["running"] for one in screen.state["clocks"]] == [False, False]
    screen.page.keyboard.press("Space")
    expect(screen.test("pause")).to_be_visible()
    assert [one["running"] for one in screen.state["clocks"]] == [False, True]


def test_seconds_a_move_are_asked_for(screen: Screen) -> None:
    screen.go()
    screen.choose("clock", "move")
    screen.test("clock-move").fill("45")
    screen.choose("opponent", "two")
    screen.choose("preset", "9")
    screen.test("start").click()
    assert [one["moveS"] for one in screen.state["clocks"]] == [45, 45]


def test_the_board_turns_under_mouse_and_keys_and_numbers_begin_anywhere(screen: Screen) -> None:
    screen.open_game(None, None)
    screen.page.keyboard.press("f")
    box, first = screen.board.bounding_box(), screen.cell("a9").bounding_box()
    assert box and first and first["x"] > box["x"] + box["width"] / 2, (
        "the upper left corner lies on the right"
    )
    screen.play("a9", "b9", "c9")
    assert screen.state["moves"] == ["a9", "b9", "c9"]
    screen.page.keyboard.press("Shift+M")
    expect(screen.board.locator("text.number")).to_have_text(["1"])
    screen.page.keyboard.press("Shift+M")
    expect(screen.board.locator("text.number")).to_have_text(["1", "2", "3"])
    screen.page.reload()
    turned = screen.cell("a9").bounding_box()
    assert turned and abs(turned["x"] - first["x"]) < 2, "the choice is kept"


@pytest.mark.parametrize(("locale", "name"), [("en-US", "The dragon"), ("zh-CN", "大龙")])
def test_a_game_has_a_name_and_is_found_by_it(open_screen: OpenScreen, locale: str, name: str) -> None:
    screen = open_screen(locale=locale, **PHONE)
    game = screen.open_game(None, None)
    screen.test("menu").click()
    screen.test("menu-name").click()
    screen.test("game-name").fill(name)
    screen.test("save-name").click()
    screen.server.wait_for(game, lambda state: state["name"] == name)
    screen.go()
    screen.test("search-games").fill(name[:2])
    found = screen.page.locator(".game")
    expect(found).to_have_count(1)
    expect(found).to_contain_text(name)
    screen.test("search-games").fill("no such game")
    expect(screen.test("none-found")).to_be_visible()
    assert overflow(screen) == 0


def test_the_pace_of_watched_engines_is_set(screen: Screen) -> None:
    game = screen.open_game("weight", "weight", size=15)
    screen.test("pace").select_option("5")
    screen.server.wait_for(game, lambda state: state["paceS"] == 5)
