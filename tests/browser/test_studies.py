"""Studies: chapters, names, marks and collections, and what is pasted on a board."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import OpenScreen
from tests.browser.screen import Screen
from tests.browser.test_looks import every_look, overflow, violations

ON_A_SITE = True

COLLECTION = """(;FF[4]GM[4]SZ[9]RU[freestyle]GN[First]EV[Lessons];B[ee];W[dd])
(;FF[4]GM[4]SZ[9]RU[freestyle]GN[Second]EV[Lessons]C[Look];B[aa]CR[bb]AR[aa:cc])
(;FF[4]GM[4]SZ[9]RU[freestyle];B[zz])"""
PASTE = """text => {
    const data = new DataTransfer()
    data.setData('text/plain', text)
    const told = { clipboardData: data, bubbles: true, cancelable: true }
    document.body.dispatchEvent(new ClipboardEvent('paste', told))
}"""


def paste(screen: Screen, text: str) -> None:
    screen.page.evaluate(PASTE, text)


def marks(screen: Screen, kind: str) -> Locator:
    return screen.board.locator(f'[data-mark="{kind}"]')


def close_dialog(screen: Screen) -> None:
    screen.page.keyboard.press("Escape")
    expect(screen.page.locator("dialog[open]")).to_have_count(0)


def name(screen: Screen, field: str, text: str) -> None:
    screen.test(field).fill(text)
    screen.test(field).press("Tab")


def test_chapters_have_names_and_last_over_a_reload(screen: Screen, tmp_path: Path) -> None:
    screen.go("/analysis/e5d5?size=9&winLength=5&rule=freestyle")
    screen.shows(stones=2)
    screen.test("comment").fill("a plan")
    screen.test("study-share").click()
    name(screen, "chapter-name", "The plan")
    screen.test("add-chapter").click()
    screen.shows(stones=0)
    screen.cell("a1").click()
    screen.test("study-share").click()
    name(screen, "chapter-name", "The corner")
    name(screen, "study-name", "Nine by nine")
    expect(screen.test("chapter")).to_have_text(["1. The plan", "2. The corner"])
    with screen.page.expect_download() as download:
        screen.test("save-study").click()
    saved = tmp_path / "study.sgf"
    download.value.save_as(saved)
    assert download.value.suggested_filename == "Nine-by-nine.sgf"
    text = saved.read_text("utf-8")
    assert text.count("(;FF[4]") == 2 and "GN[The plan]" in text and "C[a plan]" in text
    close_dialog(screen)
    screen.page.reload()
    expect(screen.test("chapter-choice").locator("option")).to_have_text(["1. The plan", "2. The corner"])
    screen.test("chapter-choice").select_option("1. The plan")
    screen.shows(stones=2)
    screen.page.keyboard.press("ArrowRight")
    expect(screen.test("comment")).to_have_value("a plan")
    # As one file they come back elsewhere.
    screen.test("study-new").click()
    screen.shows(stones=0)
    screen.page.locator('dialog input[type="file"]').first.wait_for(state="detached")
    screen.test("study-share").click()
    screen.page.locator('input[type="file"]').set_input_files(saved)
    expect(screen.page.locator("dialog[open]")).to_have_count(0)
    screen.shows(stones=2)
    expect(screen.test("chapter-choice").locator("option")).to_have_text(["1. The plan", "2. The corner"])


def drag(screen: Screen, first: str, last: str, button: Literal["left", "right"]) -> None:
    """Press the button on one cell and let it go on another."""
    start, end = screen.cell(first).bounding_box(), screen.cell(last).bounding_box()
    assert start and end
    screen.page.mouse.move(start["x"] + 8, start["y"] + 8)
    screen.page.mouse.down(button=button)
    screen.page.mouse.move(end["x"] + 8, end["y"] + 8, steps=4)
    screen.page.mouse.up(button=button)


def test_marks_are_drawn_by_mouse_and_by_pen_and_stay(screen: Screen) -> None:
    screen.go("/analysis/e5?size=9&winLength=5&rule=freestyle")
    screen.shows(stones=1)
    screen.cell("d4").click(button="right")
    screen.cell("e5").click(button="right", modifiers=["Shift"])
    drag(screen, "a1", "c3", "right")
    for kind in ("circle", "square", "arrow"):
        expect(marks(screen, kind)).to_have_count(1)
    screen.shows(stones=1)
    screen.test("board-menu").click()
    screen.test("menu-draw").click()
    screen.test("pen-label").click()
    screen.cell("g7").click()
    screen.cell("h8").click()
    expect(marks(screen, "label")).to_have_text(["A", "B"])
    screen.test("pen-arrow").click()
    screen.cell("g7").click()
    screen.cell("h8").click()
    expect(marks(screen, "arrow")).to_have_count(2)
    drag(screen, "a9", "c8", "left")
    expect(marks(screen, "arrow")).to_have_count(3)
    drag(screen, "a9", "c8", "left")
    expect(marks(screen, "arrow")).to_have_count(2)
    screen.shows(stones=1)
    screen.test("pen-end").click()
    screen.cell("d4").click(button="right")
    expect(marks(screen, "circle")).to_have_count(0)
    screen.page.reload()
    expect(marks(screen, "arrow")).to_have_count(2)
    # They belong to the position.
    screen.cell("f6").click()
    expect(marks(screen, "arrow")).to_have_count(0)


def test_a_variation_moves_up_one_place(screen: Screen) -> None:
    screen.go("/analysis/e5?size=9&winLength=5&rule=freestyle")
    for move in ("a1", "b1", "c1"):
        screen.cell(move).click()
        screen.shows(stones=2)
        screen.page.keyboard.press("ArrowLeft")
        screen.shows(stones=1)
    screen.page.locator(".tree .node", has_text="C1").click()
    screen.test("tree-raise").click()
    expect(screen.page.locator(".tree .node")).to_have_text([*map(_ends, ("E5", "A1", "C1", "B1"))])


def _ends(move: str) -> re.Pattern[str]:
    return re.compile(f"{move}\\s*$")


@pytest.mark.parametrize("text", ["e5 e6 d4", "1. e5 e6 2. d4", "e5e6d4"])
def test_moves_are_read_on_the_board_on_which_they_are_pasted(screen: Screen, text: str) -> None:
    screen.go("/analysis/e5?size=9&winLength=5&rule=renju")
    screen.shows(stones=1)
    paste(screen, text)
    screen.shows(stones=3)
    expect(screen.page.locator(".where").first).to_have_attribute("title", re.compile("9×9.*Renju"))
    expect(screen.page.locator('rect[data-cell="81"]')).to_have_count(0)
    paste(screen, "h8 i9 o15")
    screen.shows(stones=3)
    expect(screen.page.locator(".where").first).to_have_attribute("title", re.compile("15×15.*Freestyle"))


def test_what_is_pasted_on_a_board_is_opened_as_a_study(screen: Screen) -> None:
    screen.open_game(None, None, moves=["e5"])
    paste(screen, "h8 i9 j7")
    expect(screen.board).to_be_visible()
    assert "/play/" in screen.page.url, "a game is not left without a word"
    screen.test("toast").get_by_role("button").first.click()
    screen.page.wait_for_url("**/analysis")
    screen.shows(stones=3)
    paste(screen, "(;FF[4]GM[4]SZ[9]RU[standard];B[ee](;W[dd])(;W[ff]))")
    expect(screen.page.locator(".tree .node")).to_have_count(3)
    screen.go("/puzzles")
    expect(screen.board).to_be_visible()
    screen.page.wait_for_url("**/puzzles/*")  # the first puzzle has its own address
    paste(screen, COLLECTION)
    screen.page.wait_for_url("**/analysis")
    expect(screen.page.locator(".chapters")).to_contain_text("Lessons")
    expect(screen.test("chapter-choice").locator("option")).to_have_text(["1. First", "2. Second"])
    expect(screen.page.get_by_text("Not all games of the file could be read")).to_be_visible()
    screen.test("chapter-choice").select_option("2. Second")
    expect(marks(screen, "circle")).to_have_count(1)
    expect(marks(screen, "arrow")).to_have_count(1)
    # What makes no sense is refused, and nothing is lost.
    paste(screen, "not a record at all")
    expect(screen.page.get_by_text("cannot be read", exact=False).last).to_be_visible()
    expect(marks(screen, "arrow")).to_have_count(1)
    # Where somebody types, pasting is typing.
    screen.test("comment").focus()
    screen.page.evaluate(
        "document.activeElement.dispatchEvent(new ClipboardEvent('paste', { bubbles: true }))"
    )
    expect(marks(screen, "arrow")).to_have_count(1)


@every_look
def test_it_looks_right(open_screen: OpenScreen, options: dict[str, Any], locale: str, scheme: str) -> None:
    screen = open_screen(**options, locale=locale, color_scheme=scheme)
    screen.go("/analysis")
    expect(screen.board).to_be_visible()
    paste(screen, COLLECTION)
    expect(screen.test("chapter-choice")).to_be_visible()
    screen.test("chapter-choice").select_option(index=1)
    expect(marks(screen, "arrow")).to_have_count(1)
    screen.test("board-menu").click()
    screen.test("menu-draw").click()
    expect(screen.test("pen-circle")).to_be_visible()
    assert overflow(screen) == 0
    assert violations(screen) == []
    screen.test("study-share").click()
    expect(screen.test("chapters")).to_be_visible()
    assert overflow(screen) == 0
    assert violations(screen) == []
