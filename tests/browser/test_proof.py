"""The shipped proofs on the site without a server: the perfect opponent, the tree, and the analysis board."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, expect

from tests.browser.file_host import FileHost, opened
from tests.browser.test_looks import overflow, violations
from tests.browser.test_static_site import both_languages
from wuzi.core import Color, Game, Rules
from wuzi.players.proof_player import proved_move

REPLY = "a15"
MISSED = Path(__file__).resolve().parents[1] / "analysis" / "review" / "games" / "missed_vcf.sgf"
MISSED_AT = 19


def played_out(replies: int) -> list[str]:
    """Black by the proof after the proved reply; White takes cells of the lowest row."""
    game = Game(Rules(15)).play("h8").play(REPLY)
    for _ in range(replies):
        move = proved_move(game)
        assert move is not None
        game = game.play(move)
        if game.outcome is not None:
            break
        free = next(
            m for m in ("a1", "c1", "e1", "g1", "i1", "k1", "m1", "o1") if m not in map(str, game.moves)
        )
        game = game.play(free)
    return [str(move) for move in game.moves]


@both_languages
def test_the_perfect_opponent_wins_at_once_whatever_white_plays(
    browser: Browser, host: FileHost, locale: str
) -> None:
    screen, failed = opened(browser, host, locale=locale, service_workers="block")
    screen.go("/")
    screen.start("proof", preset="15", first="engine")
    expect(screen.stones).to_have_count(1)
    expect(screen.test("proof-note")).to_have_attribute("data-state", "proved")
    moves = played_out(20)
    for ply in range(1, len(moves), 2):
        screen.play(moves[ply])
        expect(screen.stones).to_have_count(min(ply + 2, len(moves)))
        assert screen.cell(moves[min(ply + 1, len(moves) - 1)]).get_attribute("data-stone") == "B"
    expect(screen.test("result")).to_be_visible()
    expect(screen.test("proof-note")).to_have_attribute("data-state", "proved")

    screen.go("/")
    screen.start("proof", preset="15", first="engine")
    expect(screen.stones).to_have_count(1)
    screen.play("h9")
    expect(screen.stones).to_have_count(3)
    expect(screen.test("proof-note")).to_have_attribute("data-state", "proved")
    assert (failed, screen.troubles) == ([], [])


@both_languages
def test_the_tree_is_walked_shared_and_played_from(browser: Browser, host: FileHost, locale: str) -> None:
    scheme: Any = "dark" if locale == "zh-CN" else "light"
    screen, failed = opened(
        browser, host, locale=locale, color_scheme=scheme, service_workers="block", bypass_csp=True
    )
    screen.go("/proof")
    screen.page.wait_for_url("**/proof/h8")
    expect(screen.page.locator('[data-test="replies"] > g')).to_have_count(224)
    expect(screen.test("proof-status")).to_contain_text("32")
    screen.cell(REPLY).click()
    expect(screen.stones).to_have_count(3)
    screen.page.wait_for_url(f"**/proof/h8{REPLY}*")
    assert (violations(screen), overflow(screen)) == ([], 0)
    screen.test("proof-show").click()
    line = screen.page.locator('[data-test="line"] > g')
    assert line.count() % 2 == 0, "White's reply first, Black's five last"
    address = screen.page.url
    screen.test("proof-back").click()
    expect(screen.stones).to_have_count(1)
    screen.cell("h9").click()
    expect(screen.test("proof-status")).to_have_class("now card proved")
    expect(screen.stones).to_have_count(3)
    screen.go("/proof/h8a15o1a1")
    expect(screen.test("proof-status")).to_have_class("now card open")

    screen.page.goto(address)
    screen.page.reload()
    expect(screen.stones).to_have_count(3)
    screen.test("proof-play").click()
    screen.page.wait_for_url("**/play/*")
    expect(screen.stones).to_have_count(3)
    expect(screen.test("proof-note")).to_have_attribute("data-state", "proved")
    screen.go("/proof/h8h8")
    expect(screen.page.get_by_role("heading", level=1)).to_be_visible()
    assert (failed, screen.troubles) == ([], [])


def test_the_analysis_says_what_is_proved_and_shows_the_win(browser: Browser, host: FileHost) -> None:
    screen, failed = opened(browser, host, locale="en-US", service_workers="block")
    screen.go(f"/analysis/h8{REPLY}?size=15&winLength=5&rule=freestyle")
    expect(screen.test("proof-note")).to_have_attribute("data-state", "proved")
    screen.test("proof-show").click()
    stones = screen.page.locator('[data-test="line"] > g')
    assert stones.count() % 2 == 1, "Black's move first, Black's five last"
    screen.go("/analysis/h8h9o1a1?size=15&winLength=5&rule=freestyle")
    expect(screen.stones).to_have_count(4)
    expect(screen.test("proof-note")).to_have_count(0)
    assert (failed, screen.troubles) == ([], [])


def test_the_games_of_these_tests_end_in_a_win_of_black() -> None:
    game = Game(Rules(15))
    for move in played_out(20):
        game = game.play(move)
    assert game.outcome is not None and game.outcome.winner is Color.BLACK


@both_languages
def test_a_theorem_of_a_review_is_shown_and_can_be_defended_against(
    browser: Browser, host: FileHost, locale: str
) -> None:
    screen, failed = opened(browser, host, locale=locale, service_workers="block", bypass_csp=True)
    screen.go("/review")
    screen.choose("depth", "quick")
    screen.test("record-text").fill(MISSED.read_text())
    screen.test("record-open").click()
    expect(screen.test("report")).to_be_visible()
    expect(screen.test("progress")).to_have_count(0)
    screen.page.goto(f"{screen.page.url.split('?')[0]}?ply={MISSED_AT + 1}")
    screen.page.reload()
    expect(screen.test("theorem").first).to_be_visible()
    expect(screen.stones).to_have_count(MISSED_AT + 1)
    assert (violations(screen), overflow(screen)) == ([], 0)
    screen.test("missedLine").click()
    line = [text.strip().lower() for text in screen.page.locator(".stepper .moves > span").all_inner_texts()]
    assert len(line) >= 3
    screen.test("defend-0").click()
    defence = screen.test("defend")
    expect(screen.stones).to_have_count(MISSED_AT + 1)
    expect(screen.cell(line[0])).to_have_attribute("data-stone", "W")
    for stones in range(MISSED_AT + 3, MISSED_AT + 43, 2):
        taken = screen.board.locator('[data-stone="."]')
        block = line[1] if stones == MISSED_AT + 3 else None
        (screen.cell(block) if block else taken.first).click()
        expect(screen.stones).to_have_count(stones)
        expect(defence).to_have_attribute("data-state", re.compile("ask|won"))
        if defence.get_attribute("data-state") == "won":
            break
    expect(defence).to_have_attribute("data-state", "won")
    screen.test("defend-again").click()
    expect(screen.stones).to_have_count(MISSED_AT + 1)
    screen.test("leave-defence").click()
    expect(screen.test("note")).to_be_visible()
    assert (failed, screen.troubles) == ([], [])
