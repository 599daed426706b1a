"""Beside a game: own clocks, a pause, the board turned, numbers from anywhere, pace, names and search."""

from __future__ import annotations

import gzip
import io
import json
import re

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.conftest import OpenScreen
from tests.browser.screen import Screen
from tests.browser.test_looks import PHONE, overflow

ON_A_SITE = True


def test_an_own_clock_is_paused_and_goes_on(screen: Screen) -> None:
    screen.go()
    screen.choose("preset", "9")
    screen.choose("clock", "custom")
    screen.test("clock-minutes").fill("0")
    expect(screen.test("start")).to_be_disabled()
    screen.test("clock-minutes").fill("2")
    screen.test("clock-increment").fill("3")
    screen.choose("mode", "two")
    screen.test("start").click()
    expect(screen.test("clock").last).to_have_text("2:00")
    screen.play("e5")
    screen.test("pause").click()
    expect(screen.test("resume")).to_be_visible()
    assert [one["running"] for one in screen.state["clocks"]] == [False, False]
    # The socket tells of the pause before the request for it is answered; until then keys ask for nothing.
    screen.settle()
    screen.page.keyboard.press("Space")
    expect(screen.test("pause")).to_be_visible()
    assert [one["running"] for one in screen.state["clocks"]] == [False, True]


def test_seconds_a_move_are_asked_for(screen: Screen) -> None:
    screen.go()
    screen.choose("preset", "9")
    screen.choose("clock", "move")
    screen.test("clock-move").fill("45")
    screen.choose("mode", "two")
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
    screen.shows(stones=3)
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
    screen.test("search-games").fill(name[1:])
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


def test_a_game_is_saved_as_a_picture_and_an_animation(screen: Screen) -> None:
    screen.open_game(None, None, moves=["e5", "f6", "e6"])
    screen.page.keyboard.press("s")
    saved = {}
    for kind in ("png", "gif"):
        with screen.page.expect_download() as download:
            screen.test(f"share-{kind}").click()
        # The whole file is read: an image of Pillow's keeps the file open until it is collected.
        saved[kind] = Image.open(io.BytesIO(download.value.path().read_bytes()))
    picture, film = saved["png"], saved["gif"]
    assert film.format == "GIF" and film.n_frames == 4 and film.size == picture.size
    side = picture.size[0]
    middle = side // 2
    for image, ply, dark in ((film, 0, False), (film, 1, True), (film, 3, True), (picture, 0, True)):
        image.seek(ply)
        color = image.convert("RGB").getpixel((middle - side // 40, middle - side // 40))
        assert (sum(color) < 200) == dark, (image.format, ply, color)


@pytest.mark.needs_server
def test_engines_are_listed_and_tried_out(open_screen: OpenScreen) -> None:
    for locale, options in (("en-US", {}), ("zh-CN", PHONE)):
        screen = open_screen(locale=locale, **options)
        screen.go("/engines")
        row = screen.test("engine-row").first
        row.locator("[data-test=probe]").click()
        expect(row.locator("[data-test=probed]")).to_contain_text(re.compile(r"[A-O]\d"))
        expect(screen.test("nets").locator("li").first).to_be_visible()
        assert overflow(screen) == 0


def test_on_a_phone_the_analysis_turns_and_numbers_by_buttons(open_screen: OpenScreen) -> None:
    screen = open_screen(**PHONE)
    screen.go("/analysis/a9b9c9?size=9&winLength=5&rule=freestyle")
    box, before = screen.board.bounding_box(), screen.cell("a9").bounding_box()
    screen.test("board-menu").click()
    screen.test("menu-rotate").click()
    screen.test("menu-origin").click()
    screen.page.keyboard.press("Escape")
    after = screen.cell("a9").bounding_box()
    assert box and before and after and after["x"] > box["x"] + box["width"] / 2 > before["x"]
    expect(screen.board.locator("text.number")).to_have_text(["1"])
    assert not overflow(screen)


def test_a_balancing_move_is_ringed(screen: Screen) -> None:
    screen.go("/analysis/h8?size=15&winLength=5&rule=freestyle")
    screen.test("balance").click()
    expect(screen.board.locator(".hint-ring")).to_be_visible()
    toast = screen.test("toast")
    said = re.search(r"Black then has (\d+)%", toast.inner_text())
    assert said
    alike = 40 <= int(said[1]) <= 60
    expect(toast).to_contain_text("both sides stand about alike." if alike else "No move was found")
    expect(toast).to_have_class(re.compile(r"\binfo\b" if alike else r"\bnote\b"))


@pytest.mark.needs_server
def test_puzzles_by_difficulty_and_a_streak(screen: Screen) -> None:
    screen.go("/puzzles")
    screen.page.locator("label:has(input[name=difficulty][value=hard])").click()
    screen.page.wait_for_url("**/puzzles/vcf-*")
    id_ = screen.page.url.rsplit("/", 1)[1]
    expect(screen.test("puzzle-message")).to_be_visible()
    expect(screen.page.get_by_text("· Hard")).to_be_visible()
    packed = screen.server.client.get("/api/v1/data/puzzles").content
    puzzle = next(one for one in json.loads(gzip.decompress(packed)) if one["id"] == id_)
    assert puzzle["difficulty"] == "hard"
    for place, move in enumerate(puzzle["solution"][::2]):
        screen.cell(move).click()
        expect(screen.cell(move)).not_to_have_attribute("data-stone", ".")
        screen.shows(stones=puzzle["ply"] + min(2 * place + 2, puzzle["length"]))
    expect(screen.test("streak")).to_contain_text("1")


WINS = ["h8", "a1", "i8", "o1", "j8", "a15"]
"""Black has an open three and is to move."""


def test_an_alarm_says_that_there_is_a_win_and_not_which(open_screen: OpenScreen) -> None:
    for locale, words in (("en-US", "There is a forced win"), ("zh-CN", "必胜")):
        screen = open_screen(locale=locale)
        screen.open_game(None, "weight", size=15, moves=WINS)
        expect(screen.test("alarm")).to_have_count(0)
        screen.page.evaluate("localStorage.setItem('wuzi.settings', JSON.stringify({ alarm: true }))")
        screen.page.reload()
        expect(screen.test("alarm")).to_contain_text(words)
        assert "k8" not in screen.test("alarm").inner_text().lower()
        screen.play("b15")
        expect(screen.test("alarm")).to_have_count(0)


def test_white_begins_against_a_level(screen: Screen) -> None:
    screen.go()
    screen.choose("preset", "9")
    screen.choose("level", "novice")
    screen.choose("begins", "true")
    expect(screen.test("summary")).to_contain_text("White begins")
    screen.test("start").click()
    # The person has Black and waits for White's first stone.
    screen.shows(stones=1)
    expect(screen.board.locator('[data-stone="W"]')).to_have_count(1)
    screen.play("a1")
    screen.shows(stones=3)
