"""The analysis screen: candidates, lines, layers, variations, set-up boards, files, lost connections."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.analysing import MCTS, SGF, analysis, candidates, layer, nodes, rows, status
from tests.browser.conftest import OpenScreen
from tests.browser.screen import STEP_MS, Screen
from wuzi.records import loads

ON_A_SITE = True


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_a_position_is_analysed_and_stopped(open_screen: OpenScreen, locale: str) -> None:
    screen = open_screen(locale=locale)
    analysis(screen, config=MCTS)
    screen.test("analyse").click()
    candidates(screen)
    status(screen, "running")
    expect(screen.test("candidates").locator(".best .inner").first).to_be_attached()
    screen.test("analyse").click()
    status(screen, "done")
    expect(screen.test("live")).to_contain_text({"en-US": "Best move", "zh-CN": "最佳着法"}[locale])
    expect(screen.board.locator('[aria-label*="1,"], [aria-label*="1，"]').first).to_be_attached()


def test_pointing_at_a_candidate_shows_its_line_and_a_click_plays_it(screen: Screen) -> None:
    analysis(screen, config=MCTS)
    screen.test("analyse").click()
    candidates(screen)
    screen.test("analyse").click()
    status(screen, "done")
    rows(screen).nth(1).hover()
    expect(screen.test("line").locator("text").first).to_have_text("1")
    screen.page.mouse.move(5, 5)
    expect(screen.test("line")).to_have_count(0)
    rows(screen).first.locator("button.move").focus()
    expect(screen.test("line")).to_be_attached()
    rows(screen).first.locator(".pv button").nth(1).click()
    expect(screen.stones).to_have_count(7)


def test_a_line_is_stepped_through_with_keys_and_wheel(screen: Screen) -> None:
    analysis(screen, config=MCTS)
    screen.test("analyse").click()
    candidates(screen)
    screen.test("analyse").click()
    status(screen, "done")
    shown = screen.test("line").locator("text")
    screen.page.locator("body").focus()
    for _ in range(2):
        screen.page.keyboard.press("]")
    expect(shown).to_have_count(2)
    screen.page.keyboard.press("[")
    expect(shown).to_have_count(1)
    screen.board.hover(position={"x": 20, "y": 20})
    screen.page.mouse.wheel(0, 100)
    expect(shown).to_have_count(2)
    screen.page.mouse.wheel(0, -100)
    screen.page.mouse.wheel(0, -100)
    expect(shown).to_have_count(0)


def test_a_layer_stays_beside_a_line_which_escape_ends(screen: Screen) -> None:
    engine = {"engine": "engine", "multipv": 3, "limitKind": "nodes", "limit": 10_000}
    analysis(screen, config=json.dumps(engine))
    keys = screen.page.keyboard
    keys.press("Space")
    status(screen, "done")
    for name, marks in (("threats", "threats"), ("scores", "heat")):
        layer(screen, name)
        expect(screen.test(marks)).to_be_attached(timeout=STEP_MS)
        keys.press("Escape")
        before = screen.test("line").count()  # that of a forced win is drawn without being asked for
        figures = screen.test(marks).inner_html()
        keys.press("]")
        expect(screen.test("line")).to_have_count(1)
        expect(screen.test("line").locator("text")).to_have_count(1)
        expect(screen.test(marks).locator("line, rect").first).to_be_attached()
        keys.press("Escape")
        expect(screen.test("line")).to_have_count(before)
        assert screen.test(marks).inner_html() == figures


def test_escape_leaves_the_comment(screen: Screen) -> None:
    analysis(screen)
    screen.test("comment").fill("What if?")
    screen.page.keyboard.press("Escape")
    screen.page.keyboard.press("ArrowLeft")
    expect(screen.stones).to_have_count(4)


@pytest.mark.needs_server
@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_a_net_plays_and_shows_its_win_rate_visits_and_policy(open_screen: OpenScreen, locale: str) -> None:
    screen = open_screen(locale=locale)
    screen.go()
    screen.start("net-s1")
    screen.play("e5")
    screen.shows(stones=2)
    expect(screen.page.get_by_role("figure")).to_contain_text("%")
    screen.go(f"/analysis?game={screen.game_id}")
    expect(screen.stones).to_have_count(2)
    expect(screen.test("analysis-engine")).to_have_value("net-s1")
    screen.test("strength").select_option("visits 1000")
    screen.test("analyse").click()
    candidates(screen)
    status(screen, "done")
    for row in rows(screen).all():
        winrate, _, visits, prior = row.locator("td.number").all_inner_texts()
        assert "%" in winrate and "%" in prior and visits
    layer(screen, "visits")
    screen.page.mouse.move(5, 5)
    expect(screen.test("heat").locator("text").first).to_be_visible(timeout=STEP_MS)
    layer(screen, "policy")
    expect(screen.page.locator(".layers select")).to_have_value("s1")
    expect(screen.page.locator(".layers .gauges dd").first).to_contain_text("%", timeout=STEP_MS)
    screen.page.mouse.move(5, 5)  # from a candidate whose line is shown in the map's place
    expect(screen.test("heat").locator("text").first).to_be_visible(timeout=STEP_MS)


def test_a_new_position_is_analysed_by_itself_until_one_stops(screen: Screen) -> None:
    # A quiet position of a large board: from one that is as good as won the server's limit of visits is
    # reached within a second, and the search is over before anybody has seen it run.
    analysis(screen, "/analysis/h8i9?size=15&winLength=5&rule=freestyle", 2, config=MCTS)
    screen.test("analyse").click()
    status(screen, "running")
    screen.play("j7")
    status(screen, "running")
    expect(screen.test("tree-current")).to_contain_text("J7")
    screen.page.keyboard.press("Escape")
    status(screen, "done")
    screen.page.keyboard.press("ArrowLeft")
    status(screen, "done")  # known already
    screen.page.keyboard.press("Home")
    status(screen, "idle")


def test_keys_alone_do_it(screen: Screen) -> None:
    analysis(screen, config=MCTS.replace("60", "1"))
    screen.page.locator("body").focus()
    screen.page.keyboard.press("Space")
    candidates(screen)
    status(screen, "done")
    screen.page.keyboard.press("Enter")
    expect(screen.stones).to_have_count(6)
    screen.page.keyboard.press("Escape")
    screen.page.keyboard.press("ArrowLeft")
    expect(screen.stones).to_have_count(5)
    screen.page.keyboard.press("/")
    screen.page.keyboard.type("a1")
    screen.page.keyboard.press("Enter")
    expect(screen.cell("a1")).to_have_attribute("data-stone", "W")
    screen.page.locator("body").focus()
    screen.board.locator('[tabindex="0"]').focus()
    screen.page.keyboard.press("ArrowRight")
    screen.page.keyboard.press("Enter")
    expect(screen.stones).to_have_count(7)
    screen.page.keyboard.press("Escape")
    screen.page.keyboard.press("5")
    expect(screen.test("threat-list")).to_be_visible(timeout=STEP_MS)
    screen.page.keyboard.press("?")
    expect(screen.page.get_by_role("dialog")).to_be_visible()


def test_after_the_mouse_the_page_has_the_keys(screen: Screen) -> None:
    analysis(screen, config=MCTS)
    keys = screen.page.keyboard
    screen.play("a1")
    expect(screen.stones).to_have_count(6)
    keys.press("ArrowLeft")
    expect(screen.stones).to_have_count(5)
    keys.press("Enter")  # no stone: nothing has been analysed
    expect(screen.stones).to_have_count(5)
    keys.press("Space")
    candidates(screen)
    layer(screen, "threats")
    keys.press("ArrowRight")  # the game, not the next layer
    expect(screen.stones).to_have_count(6)
    expect(screen.page.locator('input[name="layer"][value="threats"]')).to_be_checked()
    keys.press("Escape")
    screen.page.get_by_role("button", name="To the start").click()
    keys.press("Space")  # begins to analyse; the button is not pressed again
    expect(screen.test("analysis-status")).to_have_attribute("data-phase", re.compile("queued|running"))


def test_variations_grow_and_go_and_survive_a_reload(screen: Screen) -> None:
    analysis(screen)
    screen.page.keyboard.press("ArrowLeft")
    screen.page.keyboard.press("ArrowLeft")
    screen.play("a1")
    expect(nodes(screen)).to_have_count(6)
    screen.test("comment").fill("What if?")
    screen.page.locator("body").click(position={"x": 2, "y": 300})
    screen.page.keyboard.press("ArrowUp")
    expect(screen.test("tree-current")).to_contain_text("D6")
    screen.page.keyboard.press("ArrowDown")
    expect(screen.test("tree-current")).to_contain_text("A1")
    screen.test("tree-up").click()
    screen.page.keyboard.press("Home")
    screen.page.keyboard.press("End")
    expect(screen.test("tree-current")).to_contain_text("A1")
    screen.page.reload()
    expect(screen.test("tree-current")).to_contain_text("A1")
    expect(screen.test("comment")).to_have_value("What if?")
    screen.page.keyboard.press("Delete")
    expect(nodes(screen)).to_have_count(5)
    screen.test("tree-undo").click()
    expect(nodes(screen)).to_have_count(6)
    expect(screen.test("comment")).to_have_value("What if?")


def test_it_goes_on_until_it_is_stopped_and_is_still_known_after_a_reload(screen: Screen) -> None:
    analysis(screen, config=json.dumps({"engine": "engine", "multipv": 3, "limitKind": "time", "limit": 1}))
    screen.test("strength").select_option(label="Until stopped")
    screen.test("analyse").click()
    candidates(screen, 3)
    status(screen, "running")
    screen.page.keyboard.press("Escape")
    status(screen, "done")
    best = rows(screen).first.locator("button.move").inner_text()
    expect(screen.test("reason")).to_contain_text(best)
    screen.page.reload()
    candidates(screen, 3)
    status(screen, "done")
    expect(rows(screen).first.locator("button.move")).to_have_text(best)


def test_tree_and_graph_are_in_sight(open_screen: OpenScreen) -> None:
    screen = open_screen(viewport={"width": 1440, "height": 900})
    engine = {"engine": "engine", "multipv": 12, "limitKind": "nodes", "limit": 10_000}
    analysis(screen, config=json.dumps(engine))
    screen.test("analyse").click()
    candidates(screen, 12)
    for width, height in ((1440, 900), (1366, 768)):
        screen.page.set_viewport_size({"width": width, "height": height})
        screen.settle()
        for part in (".tree", ".graph svg", ".bar", '[data-test="comment"]', '[data-test="typed-move"]'):
            box = screen.page.locator(part).first.bounding_box()
            assert box is not None and box["y"] + box["height"] <= height, part
        assert screen.page.evaluate("document.documentElement.scrollHeight") <= height
        heights = {row.bounding_box()["height"] for row in rows(screen).all()}  # type: ignore[index]
        assert max(heights) < 40, "one line each"


def test_one_point_of_view(screen: Screen) -> None:
    """White to move wins: for Black that is a loss, in the list and on the board; for White it is not."""
    path = "/analysis/a1e5a3e6a5e7c2e8c4?size=9&winLength=5&rule=freestyle"
    engine = {"engine": "engine", "multipv": 2, "limitKind": "nodes", "limit": 10_000}
    analysis(screen, path, 9, config=json.dumps(engine))
    screen.test("analyse").click()
    status(screen, "done")
    expect(rows(screen).first.locator("td.number").first).to_contain_text("−M1")
    expect(screen.test("candidates")).to_contain_text("−M1")
    expect(screen.test("tree-current")).to_contain_text("−M1")
    screen.go("/settings")
    screen.choose("perspective", "toMove")
    screen.go("/analysis")
    status(screen, "done")
    expect(rows(screen).first.locator("td.number").first).to_contain_text("M1")
    for place in (rows(screen).first, screen.test("candidates"), screen.test("tree-current")):
        expect(place).not_to_contain_text("−M1")


def test_a_board_is_set_up(screen: Screen) -> None:
    analysis(screen)
    screen.test("edit-board").click()
    screen.choose("tool", "erase")
    screen.cell("e5").click()
    screen.choose("tool", "W")
    screen.cell("a1").click()
    screen.cell("a2").click()
    screen.choose("to-move", "B")
    screen.test("editor-done").click()
    expect(screen.test("editor")).to_have_count(0)
    expect(screen.stones).to_have_count(6)
    expect(screen.cell("a1")).to_have_attribute("data-stone", "W")
    screen.test("study-share").click()
    link = screen.page.locator("dialog input[readonly]").input_value()
    assert "toMove=B" in link
    screen.page.keyboard.press("Escape")
    screen.test("study-new").click()
    expect(screen.stones).to_have_count(0)
    screen.page.goto(link)
    expect(screen.stones).to_have_count(6)
    screen.test("edit-board").click()
    screen.test("editor-size").select_option("15")
    screen.test("editor-done").click()
    expect(screen.board.locator("[data-cell]")).to_have_count(225)
    expect(screen.stones).to_have_count(6)


def test_a_record_comes_in_with_its_variations_and_goes_out_again(screen: Screen, tmp_path: Path) -> None:
    analysis(screen)
    screen.test("study-share").click()
    screen.test("record-text").fill(SGF)
    screen.test("record-open").click()
    expect(screen.stones).to_have_count(3)
    expect(nodes(screen)).to_have_count(5)
    screen.page.keyboard.press("Home")
    screen.page.keyboard.press("ArrowRight")
    expect(screen.test("comment")).to_have_value("the centre")
    screen.test("study-share").click()
    with screen.page.expect_download() as download:
        screen.test("save-sgf").click()
    file = tmp_path / "study.sgf"
    download.value.save_as(file)
    record = loads(file.read_bytes())
    assert {node.comment for node in record.root.walk()} == {"", "the centre", "or here"}
    assert len(list(record.root.walk())) == 6


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_a_broken_record_is_refused_in_the_dialog(open_screen: OpenScreen, locale: str) -> None:
    """The message is above the dialog's backdrop, the focus stays, and Escape closes as before."""
    screen = open_screen(locale=locale)
    analysis(screen)
    screen.test("study-share").click()
    dialog = screen.page.locator("dialog[open]")
    for text in ("garbage xyz", "(;SZ[9];B[zz])"):
        screen.test("record-text").fill(text)
        screen.test("record-open").click()
        expect(dialog.locator('[role="alert"]')).to_be_visible()
        assert screen.page.evaluate("document.activeElement.dataset.test") == "record-open"
        screen.test("record-text").fill("")
        expect(dialog.locator('[role="alert"]')).to_have_count(0)
    screen.test("copy-link").click()
    toast = dialog.locator('[data-test="toast"]')
    toast.locator("button").click()  # nothing lies over it
    expect(toast).to_have_count(0)
    screen.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(screen.stones).to_have_count(5)


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_an_analysis_outlasts_the_opening_of_another_one(open_screen: OpenScreen, locale: str) -> None:
    screen = open_screen(locale=locale)
    analysis(screen)
    screen.test("comment").fill("a plan")
    screen.go("/analysis/h8i9?size=15&winLength=5&rule=freestyle")
    expect(screen.stones).to_have_count(2)
    expect(screen.test("toast")).to_be_visible()
    screen.page.reload()
    screen.test("study-new").click()
    expect(screen.stones).to_have_count(0)
    screen.test("study-share").click()
    expect(screen.test("saved-study")).to_have_count(2)
    screen.test("saved-study").last.click()
    expect(screen.stones).to_have_count(5)
    expect(screen.test("comment")).to_have_value("a plan")
    screen.page.reload()
    expect(screen.test("comment")).to_have_value("a plan")
