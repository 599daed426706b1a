"""The arena in a real browser: set up, watched to its end, its results and charts; results from a file."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenScreen
from tests.browser.screen import Screen
from tests.browser.test_looks import AXE, PHONE, every_look, overflow, violations
from tests.web_server import RunningServer, until

CSV = "black,white,winner\nA,B,black\nB,A,draw\nA,B,B\n"
LONG_MS = 240_000
SLOW = "mcts:preset=s0,simulations=20000"
"""A player whose games last longer than the page takes to show them."""


def set_up(screen: Screen, games: int) -> None:
    """A match on a small board, by the form."""
    screen.go("/arena")
    for seat, spec in enumerate((SLOW, "weight")):
        screen.test(f"player-{seat}").select_option(value="-1")
        screen.test(f"spec-{seat}").fill(spec)
    screen.test("arena-size").fill("9")
    screen.test("arena-games").fill(str(games))
    screen.test("arena-openings").select_option("auto")
    screen.test("arena-begin").click()
    screen.page.wait_for_url("**/arena/*")


@pytest.mark.parametrize(("device", "locale"), [("desktop", "en-US"), ("phone", "zh-CN")])
def test_an_arena_is_watched_to_its_end(open_screen: OpenScreen, device: str, locale: str) -> None:
    screen = open_screen(**(PHONE if device == "phone" else {}), locale=locale)
    set_up(screen, 6)
    expect(screen.test("boards").get_by_role("img").first).to_be_visible(timeout=LONG_MS)
    boards = screen.test("boards")
    expect(boards.locator('[data-test="live-clock"].runs').first).to_be_visible()
    expect(boards.locator('[data-test="chance"]').first).to_have_text(re.compile(r"^\d+%$"))
    if device == "desktop":
        narrow = boards.get_by_role("img").first.bounding_box()
        screen.test("board-large").first.click()
        large = boards.get_by_role("img").first.bounding_box()
        assert narrow and large and large["width"] > narrow["width"]
    else:
        expect(screen.test("board-large").first).to_be_hidden()
    assert overflow(screen) == 0
    if locale == "zh-CN":
        expect(boards).to_contain_text(f"蒙特卡洛（{SLOW}）")
    expect(screen.test("status")).to_have_attribute("data-status", "done", timeout=LONG_MS)
    expect(screen.test("boards")).to_have_count(0)
    expect(screen.test("headline")).to_contain_text(SLOW)
    expect(screen.test("findings").locator("li").first).to_contain_text("6" if locale == "en-US" else "局")
    assert overflow(screen) == 0
    screen.test("draw-charts").click()
    pictures = screen.test("charts").locator("img")
    expect(pictures).to_have_count(12, timeout=LONG_MS)
    pictures.last.scroll_into_view_if_needed()
    until(lambda: pictures.last.evaluate("picture => picture.naturalWidth"), "the last chart is shown")
    assert overflow(screen) == 0
    screen.test("games").get_by_role("link").first.click()
    screen.page.wait_for_url("**/analysis**")  # the code in the address is gone at once
    expect(screen.board).to_be_visible()
    expect(screen.stones.nth(8)).to_be_visible()


@pytest.mark.parametrize(
    ("options", "locale", "rows"), [({}, "en-US", 1), (PHONE, "zh-CN", 2)], ids=["desktop", "phone"]
)
def test_boards_stand_side_by_side_or_on_a_phone_below_each_other(
    open_screen: OpenScreen, options: dict[str, Any], locale: str, rows: int
) -> None:
    screen = open_screen(**options, locale=locale)
    set_up(screen, 200)
    boards = screen.test("boards").locator("li")
    expect(boards).to_have_count(2, timeout=LONG_MS)
    tops = {round(box["y"]) for box in (one.bounding_box() for one in boards.all()) if box}
    assert len(tops) == rows
    assert overflow(screen) == 0
    expect(boards.locator('[data-test="board-result"]').first).to_be_visible(timeout=LONG_MS)
    screen.test("arena-remove").click()
    screen.test("confirm").click()
    screen.page.wait_for_url("**/arena")


def test_it_is_stopped_resumed_and_removed(open_screen: OpenScreen) -> None:
    screen = open_screen()
    set_up(screen, 1000)
    expect(screen.test("headline")).to_be_visible(timeout=LONG_MS)
    screen.test("arena-stop").click()
    expect(screen.test("status")).to_have_attribute("data-status", "stopped", timeout=LONG_MS)
    expect(screen.test("note")).to_be_visible()
    screen.page.reload()
    screen.test("arena-resume").click()
    expect(screen.test("status")).to_have_attribute("data-status", "running")
    screen.test("arena-remove").click()
    screen.test("confirm").click()
    screen.page.wait_for_url("**/arena")


def test_what_the_server_refuses_is_said_in_the_form(open_screen: OpenScreen) -> None:
    screen = open_screen()
    screen.go("/arena")
    screen.test("player-0").select_option(value="-1")
    screen.test("spec-0").fill("external:cmd=/bin/true")
    screen.test("arena-begin").click()
    expect(screen.test("refused")).to_contain_text("command line only")


def test_results_of_a_file(open_screen: OpenScreen) -> None:
    screen = open_screen(**PHONE, locale="zh-CN")
    screen.go("/arena")
    bad = {"name": "bad.csv", "mimeType": "text/csv", "buffer": b"black,white,winner\nA,B,C\n"}
    screen.test("csv-file").set_input_files(bad)
    expect(screen.test("upload-refused")).to_contain_text("文件 bad.csv 第 2 行“winner”列：'C'：应为")
    good = {"name": "good.csv", "mimeType": "text/csv", "buffer": CSV.encode()}
    screen.test("csv-file").set_input_files(good)
    screen.page.wait_for_url("**/results/*")
    expect(screen.page.get_by_role("heading", name="good.csv")).to_be_visible()
    expect(screen.test("headline")).to_contain_text("A")
    assert overflow(screen) == 0


@pytest.fixture(scope="module")
def finished(server: RunningServer) -> dict[str, Any]:
    """A tournament of three that is over."""
    specs = ("random", "weight", "minimax:preset=s0,depth=1")
    body = {
        "players": [{"spec": spec} for spec in specs],
        "games": 2,
        "rules": {"size": 7},
        "openings": "auto",
    }
    begun: dict[str, Any] = server.post("/arenas", body, 201)
    until(lambda: server.get(f"/arenas/{begun['id']}")["status"] == "done", "the arena ended")
    return begun


@every_look
def test_axe_finds_nothing(
    open_screen: OpenScreen, finished: dict[str, Any], options: dict[str, Any], locale: str, scheme: str
) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not installed (npm ci in frontend/)")
    screen = open_screen(**options, color_scheme=scheme, locale=locale, reduced_motion="reduce")
    found = {}
    for path in ("/arena", f"/arena/{finished['id']}", "/arena/" + "a" * 12):
        screen.go(path)
        screen.settle()
        expect(screen.page.get_by_role("heading", level=1)).to_be_visible()
        found[path] = violations(screen)
    if options is PHONE:
        screen.test("nav-more").click()
        expect(screen.page.locator('nav a[href="/arena"]')).to_be_visible()
        found["menu"] = violations(screen)
    bad = {place: what for place, what in found.items() if what}
    assert not bad, json.dumps(bad, indent=1)


@pytest.mark.parametrize(("width", "height"), [(320, 568), (844, 390), (1920, 1080)])
def test_no_size_scrolls_sideways(
    open_screen: OpenScreen, finished: dict[str, Any], width: int, height: int
) -> None:
    screen = open_screen(viewport={"width": width, "height": height})
    for path in ("/arena", f"/arena/{finished['id']}"):
        screen.go(path)
        expect(screen.page.get_by_role("heading", level=1)).to_be_visible()
        screen.settle()
        assert overflow(screen) == 0, path


def test_the_menu_of_a_phone_by_keyboard(open_screen: OpenScreen) -> None:
    screen = open_screen(viewport={"width": 390, "height": 844})
    screen.go("/help")
    screen.test("nav-more").focus()
    screen.page.keyboard.press("Enter")
    expect(screen.test("nav-more")).to_have_attribute("aria-expanded", "true")
    screen.page.keyboard.press("Escape")
    expect(screen.test("nav-more")).to_have_attribute("aria-expanded", "false")
    screen.page.keyboard.press("Enter")
    for _ in ("openings", "learn", "arena"):
        screen.page.keyboard.press("Tab")
    screen.page.keyboard.press("Enter")
    screen.page.wait_for_url("**/arena")
    expect(screen.test("nav-more")).to_have_attribute("aria-expanded", "false")
