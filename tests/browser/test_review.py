"""Reviews, training and puzzles in a real browser, on the real server."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenScreen
from tests.browser.screen import Screen
from tests.browser.test_looks import AXE, every_look, overflow, violations
from tests.web_server import RunningServer, page_game
from wuzi.core import format_move
from wuzi.tactics.suite import PuzzleTheme, load_suite

GAME = Path(__file__).resolve().parents[1] / "analysis" / "review" / "games" / "missed_vcf.sgf"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
BAD = 19


@pytest.fixture(scope="module")
def review(server: RunningServer) -> dict[str, Any]:
    """A finished review of a real game in which White misses a win by fours."""
    review_id, found = server.new_review(GAME.read_text())
    assert found["complete"]
    return found | {"id": review_id}


def read_through(screen: Screen, review: dict[str, Any], words: str) -> None:
    """Look at the missed win and its line."""
    screen.go(f"/review/{review['id']}")
    expect(screen.test("report")).to_be_visible()
    rank = review["worst"].index(BAD)
    expect(screen.test("worst").locator("button")).to_have_count(min(5, len(review["worst"])))
    if rank >= 5:
        screen.test("worst-more").click()
    screen.test("worst").locator("button").nth(rank).click()
    expect(screen.test("note")).to_contain_text(words)
    screen.shows(stones=BAD + 1)
    screen.test("missedLine").click()
    screen.shows(stones=BAD)
    drawn = screen.test("line").locator("circle")
    expect(drawn).to_have_count(1)
    # After the mouse the page has the keys: stone by stone, and back.
    screen.page.keyboard.press("Space")
    screen.page.keyboard.press("ArrowRight")
    expect(drawn).to_have_count(3)
    screen.page.keyboard.press("ArrowLeft")
    expect(drawn).to_have_count(2)
    screen.test("missedLine").click()
    screen.shows(stones=BAD + 1)


def test_a_record_is_reviewed_from_its_text_to_its_files(open_screen: OpenScreen) -> None:
    screen = open_screen()
    screen.go("/review")
    screen.choose("depth", "quick")
    screen.test("record-text").fill("h8i8h9i9h10")
    screen.test("record-open").click()
    screen.page.wait_for_url("**/review/*")
    expect(screen.test("report")).to_be_visible()
    expect(screen.test("progress")).to_have_count(0, timeout=60_000)
    with screen.page.expect_download() as download:
        screen.test("export-sgf").click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert "WZREVIEW[" in text
    screen.page.reload()
    expect(screen.test("report")).to_be_visible()


def test_a_bad_record_is_refused_with_its_reason(open_screen: OpenScreen) -> None:
    screen = open_screen()
    screen.go("/review")
    screen.test("record-text").fill("(;GM[4]SZ[15]RU[freestyle];B[hh];W[hh])")
    screen.test("record-open").click()
    expect(screen.page.get_by_text("occupied")).to_be_visible()


def test_a_known_missed_win_on_the_desktop_in_english(
    open_screen: OpenScreen, review: dict[str, Any]
) -> None:
    read_through(open_screen(), review, "Missed a forced win by fours")


def test_missed_wins_and_losing_moves_stand_apart(open_screen: OpenScreen, review: dict[str, Any]) -> None:
    screen = open_screen()
    screen.go(f"/review/{review['id']}")
    marked = [review["moves"][ply] for ply in review["worst"]]
    screen.choose("worst-kind", "missed")
    missed = [one for one in review["moves"] if one["missed"] or one["openWin"]]
    expect(screen.test("worst").locator("button")).to_have_count(min(5, len(missed)))
    expect(screen.test("worst").locator("button", has_text="missed")).to_have_count(
        sum(one["missed"] is not None for one in marked)
    )
    expect(screen.test("worst").locator("button").first).to_contain_text("missed")
    assert 0 < len(missed) < len(marked)
    assert len(missed) == sum(side["missedWins"] for side in review["sides"])


def test_a_known_missed_win_on_a_phone_in_chinese(open_screen: OpenScreen, review: dict[str, Any]) -> None:
    screen = open_screen(**PHONE, locale="zh-CN")
    read_through(screen, review, "错过必胜")
    wide = screen.page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    assert not wide, "nothing sticks out at the side"


def test_reviews_are_read_with_the_keyboard(open_screen: OpenScreen, review: dict[str, Any]) -> None:
    screen = open_screen()
    screen.go(f"/review/{review['id']}")
    expect(screen.test("report")).to_be_visible()
    # What the graph shows to the eye, the list of moves says.
    expect(screen.test("losses").locator("rect")).not_to_have_count(0)
    moves = screen.page.get_by_role("list", name="Moves").get_by_role("button")
    expect(moves.nth(BAD)).to_contain_text("Black")
    assert re.search(r"\d %|\d%", moves.nth(BAD).inner_text())
    screen.page.keyboard.press("Home")
    screen.shows(stones=0)
    screen.page.keyboard.press("ArrowRight")
    screen.shows(stones=1)
    screen.page.keyboard.press("n")
    first = next(move for move in review["moves"][1:] if move["mark"] not in (None, "good"))
    screen.shows(stones=first["ply"] + 1)


@pytest.mark.parametrize("how", ["click", "touch", "keyboard"])
def test_an_own_move_is_played_in_the_analysis(
    open_screen: OpenScreen, review: dict[str, Any], how: str
) -> None:
    screen = open_screen(**({**PHONE, "locale": "zh-CN"} if how == "touch" else {}))
    screen.go(f"/review/{review['id']}?ply={BAD}")
    screen.shows(stones=BAD)
    hint = "点击空位" if how == "touch" else "Click a free point"
    expect(screen.test("own-move")).to_contain_text(hint)
    taken, free = review["moves"][0]["move"], "a1"
    if how == "touch":
        screen.cell(free).tap()
        expect(screen.page.locator("g.ghost.preview")).to_be_visible()
        screen.cell(free).tap()
    elif how == "click":
        screen.cell(taken).click()
        screen.cell(free).click()
    else:
        screen.page.keyboard.press("a")
        screen.page.wait_for_url("**/analysis**")
        screen.shows(stones=BAD)
        screen.page.go_back()
        screen.shows(stones=BAD)
        screen.cell(free).focus()
        screen.page.keyboard.press("Enter")
    screen.page.wait_for_url("**/analysis")
    screen.shows(stones=BAD + 1)
    expect(screen.cell(free)).to_have_attribute("data-stone", review["moves"][BAD]["color"])
    screen.page.go_back()
    expect(screen.test("own-move")).to_be_visible()
    screen.shows(stones=BAD)


def test_a_finished_game_takes_no_own_move(open_screen: OpenScreen, server: RunningServer) -> None:
    record = "a1a9b1b9c1c9d1d9e1"
    review_id, _ = server.new_review(record, quick_nodes=100, verify_nodes=100)
    screen = open_screen()
    screen.go(f"/review/{review_id}")
    screen.shows(stones=9)
    expect(screen.test("own-move")).to_have_count(0)
    screen.cell("h8").click()
    screen.page.keyboard.press("ArrowLeft")
    screen.shows(stones=8)
    expect(screen.test("own-move")).to_be_visible()


def test_mistakes_are_retried(open_screen: OpenScreen, review: dict[str, Any]) -> None:
    screen = open_screen()
    screen.go(f"/review/{review['id']}")
    screen.test("train").click()
    screen.choose("train-side", "both")
    tasks = [move for move in review["moves"] if move["mark"] in ("mistake", "blunder")]
    for task in tasks:
        screen.shows(stones=task["ply"])
        if task["ply"] == BAD:
            break
        screen.test("next-task").click()
    screen.cell(task["move"]).click()
    expect(screen.test("verdict")).to_have_class("verdict fails")
    screen.test("again").click()
    screen.shows(stones=BAD)
    screen.cell(task["missed"]["moves"][0]).click()
    expect(screen.test("verdict")).to_have_class("verdict solved")
    screen.test("leave-training").click()
    expect(screen.test("note")).to_be_visible()


@pytest.mark.parametrize("options", [{}, {**PHONE, "locale": "zh-CN"}], ids=["desktop", "phone"])
def test_a_puzzle_is_solved_and_stays_solved(open_screen: OpenScreen, options: dict[str, Any]) -> None:
    puzzle = next(one for one in load_suite([PuzzleTheme.DEFENCE]) if one.rules.size == 15)
    right = format_move(puzzle.line[0], puzzle.rules.size)
    wrong = next(
        format_move(move, puzzle.rules.size) for move in puzzle.position.legal_moves if move != puzzle.line[0]
    )
    screen = open_screen(**options)
    screen.go("/settings")
    screen.choose("input", "direct")
    screen.go(f"/puzzles/{puzzle.id}")
    screen.shows(stones=len(puzzle.moves))
    screen.cell(wrong).click()
    expect(screen.test("puzzle-again")).to_be_visible()
    screen.test("puzzle-again").click()
    screen.cell(right).click()
    expect(screen.test("puzzle-message")).to_have_class("task card solved")
    screen.test("puzzle-why").click()
    expect(screen.test("why-steps").locator("li").first).to_be_visible()
    screen.test("why-steps").get_by_role("button").first.click()
    expect(screen.test("line").locator("text")).to_have_text(["1"])
    assert (violations(screen), overflow(screen)) == ([], 0)
    screen.page.reload()
    expect(screen.test("puzzle-forget")).to_be_visible()


def test_a_blunder_is_held_back_if_one_wants_that(open_screen: OpenScreen) -> None:
    screen = open_screen()
    screen.go("/settings")
    screen.page.get_by_role("switch", name="Blunder warning").check()
    screen.open_game("random", None, moves=["e5", "a1", "f5", "a2", "g5"])
    screen.shows(stones=5)
    screen.cell("a9").click()
    expect(screen.test("blunder")).to_be_visible()
    screen.test("blunder-back").click()
    screen.shows(stones=5)
    screen.cell("a9").click()
    screen.test("blunder-play").click()
    expect(screen.cell("a9")).to_have_attribute("data-stone", "W")


def test_a_clock_runs_out(open_screen: OpenScreen) -> None:
    screen = open_screen()
    screen.open_game(None, None, clock={"seconds": 3})
    expect(screen.test("clock")).to_have_count(2)
    expect(screen.test("result")).to_contain_text("Black ran out of time.")


def test_forbidden_points_say_why(open_screen: OpenScreen) -> None:
    screen = open_screen()
    moves = ["h8", "a1", "i8", "c1", "h9", "e1", "i9", "g1", "j8", "a3", "k10", "c3"]
    game = screen.open_game(None, None, size=15, rules={"rule": "renju"}, moves=moves)
    mask = page_game(screen.server.get(f"/store/games/{game['id']}")["data"]).position.forbidden_mask()
    point = screen.cell(format_move(int(mask.nonzero()[0][0]), 15))
    point.hover()
    expect(screen.test("forbidden-why")).to_contain_text("forbidden to Black")
    point.click()  # the reason once, and what a second click does
    expect(screen.page.locator(".status.refused .text")).to_have_text(
        re.compile(r"^Forbidden point \(.+\): Black loses here\. Choose it again to play it anyway\.$")
    )


@every_look
def test_axe_finds_nothing_in_reviews_and_puzzles(
    open_screen: OpenScreen, review: dict[str, Any], options: dict[str, Any], locale: str, scheme: str
) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not installed (npm ci in frontend/)")
    screen = open_screen(**options, color_scheme=scheme, locale=locale, reduced_motion="reduce")
    found = {}
    for path in ("/review", f"/review/{review['id']}", "/puzzles"):
        screen.go(path)
        expect(screen.page.get_by_role("main")).to_be_visible()
        screen.settle()
        assert overflow(screen) == 0, path
        found[path] = violations(screen)
    screen.go(f"/review/{review['id']}")
    screen.test("train").click()
    expect(screen.test("training")).to_be_visible()
    found["training"] = violations(screen)
    screen.open_game(None, None, clock={"seconds": 900})
    expect(screen.test("clock")).to_have_count(2)
    found["clock"] = violations(screen)
    bad = {place: what for place, what in found.items() if what}
    assert not bad, json.dumps(bad, indent=1)


@pytest.mark.parametrize(("width", "height"), [(320, 568), (844, 390), (1024, 700)])
def test_no_size_scrolls_reviews_sideways(
    open_screen: OpenScreen, review: dict[str, Any], width: int, height: int
) -> None:
    screen = open_screen(viewport={"width": width, "height": height})
    for path in ("/", "/review", f"/review/{review['id']}", "/puzzles"):
        screen.go(path)
        expect(screen.page.get_by_role("main")).to_be_visible()
        screen.settle()
        assert overflow(screen) == 0, path


def test_a_review_is_opened_as_a_study(open_screen: OpenScreen, review: dict[str, Any]) -> None:
    screen = open_screen()
    screen.go(f"/review/{review['id']}?ply={BAD + 1}")
    screen.test("review-study").click()
    screen.page.wait_for_url("**/analysis")
    expect(screen.stones).to_have_count(BAD + 1)
    said = review["moves"][BAD]
    expect(screen.test("comment")).to_have_value("\n".join(said["text"]["en"]))
    expect(screen.test("tree-current").locator(".symbol")).to_have_text("??")
    nodes = screen.page.locator('[data-test="tree-node"], [data-test="tree-current"]')
    assert nodes.count() > len(review["moves"]), "lines beside the moves are variations"
    screen.page.keyboard.press("Home")
    screen.shows(stones=0)
    screen.page.go_back()
    screen.page.wait_for_url(f"**/review/*ply={BAD + 1}")
    size = nodes.count
    screen.cell("a1").click()
    screen.page.wait_for_url("**/analysis")
    expect(screen.stones).to_have_count(BAD + 2)
    assert size() > len(review["moves"]), "an own move is played in the same study"
