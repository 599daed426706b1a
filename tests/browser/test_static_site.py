"""The page without any server: `wuzi site` on a plain host of files, whose network is then cut."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Response, expect

from tests.browser.engine_sample import check_engine
from tests.browser.file_host import FileHost, kept_whole, opened
from tests.browser.screen import Screen
from tests.browser.test_looks import overflow, violations
from wuzi.core import Rule, Rules, format_move
from wuzi.tactics.suite import PuzzleTheme, load_suite

STONES = '[role="grid"] [data-stone="B"], [role="grid"] [data-stone="W"]'
OVER_OR_STONES = f"""([end, stones]) => document.querySelector(`[data-test="${{end}}"]`)
    || document.querySelectorAll('{STONES}').length >= stones"""
GAME = "(;FF[4]GM[4]SZ[9];B[ee];W[ed];B[de];W[dd];B[ce];W[fe];B[be];W[cd];B[ae])"
both_languages = pytest.mark.parametrize(
    "locale",
    [
        "en-US",
        pytest.param("zh-CN", marks=pytest.mark.ci("a game, ten puzzles and a review, again in Chinese")),
    ],
)


def plays_a_game(screen: Screen) -> None:
    screen.go("/")
    screen.start("levels", level="novice")
    for _ in range(41):
        waiting = screen.page.locator(
            '[data-test="result"], [data-cell][data-stone="."]:not([aria-disabled="true"])'
        )
        expect(waiting.first).to_be_visible()
        expect(screen.test("thinking")).to_have_count(0)
        if screen.test("result").count():
            break
        free = screen.board.locator('[data-stone="."]')
        cell = int(free.nth(free.count() // 2).get_attribute("data-cell") or 0)
        screen.play(format_move(cell, 9))
        stones = screen.stones.count()
        screen.page.wait_for_function(OVER_OR_STONES, arg=["result", stones + stones % 2])
    expect(screen.test("result")).to_be_visible()


def analyses(screen: Screen) -> None:
    screen.go("/analysis/e5e6d5d6c5?size=9&winLength=5&rule=freestyle")
    expect(screen.stones).to_have_count(5)
    screen.test("analyse").click()
    expect(screen.test("candidate").first).to_be_visible()
    for layer in ("threats", "scores", "tree"):
        screen.choose("layer", layer)
        expect(screen.page.get_by_role("alert")).to_have_count(0)


def solves_puzzles(screen: Screen) -> None:
    freestyle = [
        one
        for one in load_suite([PuzzleTheme.VCF, PuzzleTheme.DEFENCE])
        if one.rules == Rules(15, rule=Rule.FREESTYLE)
    ]
    by_fours = [one for one in freestyle if one.theme is PuzzleTheme.VCF and len(one.line) == 5][:4]
    defences = [one for one in freestyle if one.theme is PuzzleTheme.DEFENCE][:6]
    screen.go("/settings")
    screen.choose("input", "direct")
    for puzzle in [*defences, *by_fours]:
        screen.go(f"/puzzles/{puzzle.id}")
        screen.shows(stones=len(puzzle.moves))
        for played, move in enumerate(puzzle.line):
            if played % 2 == 0:
                screen.cell(format_move(move, 15)).click()
                end = 'puzzle-message"].solved, [data-test="none'
                screen.page.wait_for_function(OVER_OR_STONES, arg=[end, len(puzzle.moves) + played + 2])
                if screen.page.locator('[data-test="puzzle-message"].solved').count():
                    break
        expect(screen.test("puzzle-message")).to_have_class("task card solved")
        screen.test("puzzle-why").click()
        expect(screen.test("why-steps").locator("li").first).to_be_visible()


def reviews_a_game(screen: Screen) -> None:
    screen.go("/review")
    screen.choose("depth", "quick")
    screen.test("record-text").fill(GAME)
    screen.test("record-open").click()
    expect(screen.stones).to_have_count(9)
    expect(screen.page.locator("section.progress")).to_have_count(0)


def test_a_first_game_is_small(browser: Browser, host: FileHost, site: Path) -> None:
    """Until a level has answered, engine and net included, as a host that compresses sends it."""
    screen, failed = opened(browser, host, locale="en-US", service_workers="block")
    answers: list[Response] = []

    def note(response: Response) -> None:
        answers.append(response)

    screen.page.context.on("response", note)
    screen.go("/")
    screen.start("levels", "15", level="casual")
    screen.play("h8")
    expect(screen.stones).to_have_count(2)
    sizes = {one.url: len(gzip.compress(one.body())) for one in answers}
    assert any("freestyle-5" in url for url in sizes), sizes
    assert 300_000 < sum(sizes.values()) < 500_000, sizes
    # What all visitors need is asked for by the entry, once; workers load the kernels from the cache.
    entry = (site / "index.html").read_text("utf-8")
    for name in (
        "data/facts-",
        "assets/kernels-",
        "assets/local-",
        "assets/rules-",
        "assets/instant-",
        r"assets/game-\S+\.css",
    ):
        assert re.search(rf'<link rel="(module)?preload" [^>]*href="\./{name}', entry), name
        assert "kernels" in name or sum(re.search(name, one.url) is not None for one in answers) == 1, name
    assert failed == []
    screen.page.context.close()


@both_languages
def test_everything_works_without_a_network(browser: Browser, host: FileHost, locale: str) -> None:
    screen, failed = opened(browser, host, locale=locale)
    screen.go("/")
    kept_whole(screen)
    host.cut()
    plays_a_game(screen)
    # An address of the page can be opened again, and the game is still there.
    screen.page.reload()
    expect(screen.test("result")).to_be_visible()
    assert violations(screen) == []
    analyses(screen)
    assert violations(screen) == []
    solves_puzzles(screen)
    assert violations(screen) == []
    reviews_a_game(screen)
    assert violations(screen) == []
    assert overflow(screen) == 0
    assert failed == []
    assert screen.troubles == []
    screen.page.context.close()


def test_what_else_a_game_needs(browser: Browser, host: FileHost) -> None:
    """Handicap, names and their search, probes, balance; what needs a server is not shown."""
    screen, failed = opened(browser, host, locale="en-US", service_workers="block")
    screen.go("/")
    screen.choose("handicap", "2")
    expect(screen.test("summary")).to_contain_text("2 extra black stones")
    expect(screen.test("rules").locator("summary")).to_contain_text("2 extra black stones")
    screen.start("levels", level="novice")
    # Black has three stones, and White answers where the level has that colour.
    expect(screen.board.locator('[data-stone="B"]')).to_have_count(3)
    expect(screen.board.locator('[data-stone="W"]')).to_have_count(1)
    screen.test("menu").click()
    screen.test("menu-name").click()
    screen.test("game-name").fill("Against  Ada")
    screen.test("save-name").click()
    screen.go("/")
    screen.test("search-games").fill("ada 9x9")
    expect(screen.page.get_by_text("Against Ada")).to_be_visible()
    screen.test("search-games").fill("bob")
    expect(screen.test("none-found")).to_be_visible()
    screen.choose("clock", "move")
    screen.test("clock-move").fill("300")
    screen.choose("mode", "two")
    screen.test("start").click()
    clock = screen.page.locator(".game-clock.runs")
    expect(clock).to_have_text("4:55")
    screen.page.reload()
    assert clock.inner_text() <= "4:55", "the turn so far is not given back"
    screen.go("/engines")
    row = screen.test("engine-row").first
    row.locator('[data-test="probe"]').click()
    expect(row.locator('[data-test="probed"]')).to_contain_text(re.compile(r"[A-O]\d+ "))
    screen.go("/analysis/e5e6?size=9&winLength=5&rule=freestyle")
    expect(screen.stones).to_have_count(2)
    screen.test("balance").click()
    expect(screen.board.locator(".hint-ring")).to_have_count(1)
    screen.go("/settings")
    # No engine thinks on a person's time: that switch is the server's.
    expect(screen.page.get_by_role("switch")).to_have_count(4)
    assert failed == []
    assert screen.troubles == []
    screen.page.context.close()


def test_rules_are_asked_for_and_own_moves_tried(browser: Browser, host: FileHost) -> None:
    screen, failed = opened(browser, host, locale="zh-CN", service_workers="block")
    screen.go("/review")
    screen.choose("depth", "quick")
    screen.test("record-text").fill(GAME.replace("GM[4]", "GM[1]"))
    screen.test("record-open").click()
    screen.test("record-rule-renju").click()
    expect(screen.stones).to_have_count(9)
    expect(screen.page.get_by_role("main")).to_contain_text("有禁手")
    screen.page.keyboard.press("ArrowLeft")
    expect(screen.stones).to_have_count(8)
    screen.cell("a9").click()
    expect(screen.test("analyse")).to_be_visible()
    expect(screen.stones).to_have_count(9)
    screen.go("/puzzles")
    expect(screen.test("puzzle-message")).to_be_visible()
    screen.choose("theme", "defence")  # another theme brings a puzzle of its own
    expect(screen.test("puzzle-threat")).to_be_visible()
    screen.go("/analysis")
    screen.test("study-share").click()
    screen.test("record-text").last.fill("(;GM[4]SZ[15];B[zz])")
    screen.test("record-open").last.click()
    expect(screen.test("record-problem").last).to_contain_text("[zz] 不是 15×15 棋盘上的点")
    assert failed == []
    assert screen.troubles == []
    screen.page.context.close()


def test_its_engine_finds_what_the_native_one_finds(browser: Browser, host: FileHost, site: Path) -> None:
    page = browser.new_page()
    page.goto(host.url)
    check_engine(page.evaluate, site)
    page.close()
