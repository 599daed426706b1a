"""Records out of the browser and into it, and links to positions."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenScreen
from tests.browser.screen import Screen
from tests.browser.test_looks import violations
from wuzi.records import loads

ON_A_SITE = True

MOVES = ["e5", "e6", "d5", "d6", "c5"]


@pytest.mark.parametrize("format", ["sgf", "psq", "json"])
def test_a_game_goes_out_and_comes_in_again(screen: Screen, tmp_path: Path, format: str) -> None:
    game = screen.open_game(None, None, moves=MOVES)
    screen.test("menu").click()
    screen.test("menu-share").click()
    with screen.page.expect_download() as download:
        screen.test(f"share-{format}").click()
    file = tmp_path / f"game.{format}"
    download.value.save_as(file)
    assert len(loads(file.read_bytes()).game().moves) == len(MOVES)
    screen.go()
    screen.page.locator('input[type="file"]').set_input_files(file)
    screen.shows(stones=len(MOVES))
    assert screen.game_id != game["id"]
    assert screen.state["moves"] == MOVES


def test_pasted_text_is_opened(screen: Screen) -> None:
    screen.go()
    screen.page.locator("textarea").fill("(;GM[4]SZ[15]PB[Ann]PW[Bo];B[hh];W[ih])")
    screen.page.get_by_role("button", name="Open", exact=True).click()
    screen.shows(stones=2)
    expect(screen.page.get_by_text("Ann")).to_be_visible()


def test_a_broken_record_is_refused_in_words(screen: Screen) -> None:
    screen.go()
    screen.page.locator("textarea").fill("this is no game")
    screen.page.get_by_role("button", name="Open", exact=True).click()
    expect(screen.test("record-problem")).to_contain_text("cannot be read")


@pytest.mark.needs_server
def test_a_chinese_page_says_in_chinese_what_is_wrong_with_a_file(open_screen: OpenScreen) -> None:
    screen = open_screen(locale="zh-CN")
    screen.go()
    for text, said in {
        "h8 h8": "无法读取这份棋谱：第 1 行：第 2 手：h8 已有黑方的棋子（第 2 手，无禁手 15×15）",
        "(;GM[4]SZ[15];B[zz])": "（第 2 个节点）：[zz] 不是 15×15 棋盘上的点：应为 [aa] 至 [oo]",
        "(;GM[4]SZ[15];B[hh]": "第 1 行第 20 列：SGF 有误：文件提前结束",
    }.items():
        screen.page.locator("textarea").fill(text)
        screen.test("record-open").click()
        expect(screen.test("record-problem")).to_contain_text(said)


GO = "(;GM[1]SZ[15];B[hh];W[ih])"
"""As Go editors write the moves of a game of five in a row."""


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_a_record_that_names_no_game_is_read_under_a_chosen_rule(
    open_screen: OpenScreen, locale: str
) -> None:
    screen = open_screen(locale=locale)
    screen.go()
    screen.test("record-text").fill(GO)
    screen.test("record-open").click()
    expect(screen.test("record-rule-renju")).to_be_visible()
    assert violations(screen) == []
    screen.test("record-rule-renju").click()
    screen.shows(stones=2)
    assert screen.state["rules"]["rule"] == "renju"
    expect(screen.test("toast")).to_have_count(0)


@pytest.mark.needs_server
def test_the_rule_that_a_record_was_guessed_to_have_can_be_chosen(screen: Screen) -> None:
    screen.go()
    screen.test("record-text").fill("h8i9h9")
    screen.test("record-open").click()
    screen.shows(stones=3)
    guessed = screen.game_id
    assert screen.state["rules"]["rule"] == "freestyle"
    screen.test("toast").get_by_role("button", name="Choose the rule").click()
    screen.test("record-rule-standard").click()
    screen.page.wait_for_url(lambda url: not url.endswith(guessed))
    screen.shows(stones=3)
    assert screen.state["rules"]["rule"] == "standard"
    assert screen.server.client.get(f"/api/v1/store/games/{guessed}").status_code == 404


def test_a_named_rule_is_not_asked_for(screen: Screen) -> None:
    screen.go()
    screen.test("record-text").fill("(;GM[4]RU[freestyle]SZ[15];B[hh])")
    screen.test("record-open").click()
    screen.shows(stones=1)
    screen.settle()
    expect(screen.test("toast")).to_have_count(0)


@pytest.mark.needs_server
def test_analysis_and_review_ask_for_the_rule_too(screen: Screen) -> None:
    screen.go("/analysis")
    screen.test("study-share").click()
    screen.test("record-text").fill(GO)
    screen.test("record-open").click()
    screen.test("record-rule-standard").click()
    screen.shows(stones=2)
    expect(screen.page.get_by_role("dialog")).to_have_count(0)
    screen.go("/review")
    screen.choose("depth", "quick")
    screen.test("record-text").fill(GO)
    screen.test("record-open").click()
    screen.test("record-rule-renju").click()
    screen.page.wait_for_url("**/review/*")
    review = screen.server.get(f"/store/reviews/{screen.page.url.rsplit('/', 1)[1]}")
    assert review["data"]["game"]["rules"]["rule"] == "renju"


def test_a_position_link_shows_the_position_and_goes_on_from_it(screen: Screen) -> None:
    screen.open_game(None, None, moves=MOVES)
    screen.test("menu").click()
    screen.test("menu-share").click()
    link = screen.page.locator("dialog input[readonly], [role=dialog] input[readonly]").input_value()
    screen.page.goto(link)
    screen.test("open-two").click()
    screen.shows(stones=len(MOVES))
    assert screen.state["moves"] == MOVES


def test_a_broken_link_says_so(screen: Screen) -> None:
    screen.go("/p/h8h8?size=15&winLength=5&rule=freestyle")
    expect(screen.page.get_by_text("occupied")).to_be_visible()


def test_unknown_games_and_addresses_say_so(screen: Screen) -> None:
    screen.go("/play/no-such-game")
    expect(screen.page.get_by_role("main").get_by_role("heading")).to_be_visible()
    expect(screen.board).to_have_count(0)
    screen.go("/no/such/page")
    expect(screen.page.get_by_role("main").get_by_role("heading")).to_be_visible()
