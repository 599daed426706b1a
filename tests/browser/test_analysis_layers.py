"""The analysis screen: layers, ends of games, refusals, lost workers and connections, phones, axe."""

from __future__ import annotations

import json
import os
import signal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.browser.analysing import LINK, MCTS, analysis, candidates, layer, rows, status
from tests.browser.conftest import OpenScreen
from tests.browser.screen import STEP_MS, Screen
from tests.browser.test_looks import PHONE, every_look, overflow, violations
from tests.web_server import running_server, until


def test_layers_explain_the_position(screen: Screen) -> None:
    analysis(screen, f"/analysis/e5a1d5a2c5a3{LINK}", 6)
    layer(screen, "threats")
    expect(screen.test("threat-list")).to_contain_text("open three", timeout=STEP_MS)
    screen.test("forced-line").first.hover()
    expect(screen.test("line").locator("text").first).to_have_text("1")
    layer(screen, "scores")
    expect(screen.test("score-reasons")).to_contain_text("attack", timeout=STEP_MS)
    expect(screen.test("heat").locator("rect").first).to_be_attached()
    layer(screen, "tree")
    tree = screen.test("search-tree")
    expect(tree).to_be_visible(timeout=STEP_MS)
    before = tree.get_by_role("button").count()
    tree.get_by_role("button").first.click()
    expect(tree.get_by_role("button")).not_to_have_count(before)
    layer(screen, "factors")
    net, chosen = (screen.page.locator(".layers select").nth(number) for number in range(2))
    expect(net).to_have_value("s2-ppo")
    expect(screen.page.locator(".layers .gauges")).to_contain_text("Urgency")
    shown = set()
    for name in ("attention", "field", "gradient", "next_value"):
        chosen.select_option(name)
        expect(screen.test("heat").locator("text").first).to_be_visible()
        shown.add(screen.test("heat").inner_html())
    assert len(shown) == 4
    net.select_option("s1")
    expect(screen.page.get_by_text("not a three-factor net")).to_be_visible()


def test_the_choices_of_a_layer_are_in_sight(open_screen: OpenScreen) -> None:
    screen = open_screen(viewport={"width": 1366, "height": 768})
    analysis(screen, f"/analysis/e5a1d5a2c5a3{LINK}", 6)
    screen.test("analyse").click()
    expect(rows(screen).first).to_be_visible(timeout=STEP_MS)
    for name, last in (("policy", ".layers select"), ("factors", ".layers select >> nth=1")):
        layer(screen, name)
        expect(screen.page.locator(last)).to_be_visible(timeout=STEP_MS)
        part, whole = (screen.page.locator(one).bounding_box() for one in (last, ".looks"))
        assert part and whole and part["y"] + part["height"] <= whole["y"] + whole["height"], name


@pytest.mark.parametrize("size", [(400, 800), (800, 380)])
def test_actions_fit_a_phone(open_screen: OpenScreen, size: tuple[int, int]) -> None:
    screen = open_screen(viewport={"width": size[0], "height": size[1]})
    analysis(screen, f"/analysis/e5a1d5a2c5a3{LINK}", 6)
    spans = screen.page.locator(".at-actions .btn:visible").evaluate_all(
        """all => all.map(one => {
            const boxes = [...one.children].map(part => part.getBoundingClientRect()).filter(box => box.width)
            return [Math.min(...boxes.map(box => box.left)), Math.max(...boxes.map(box => box.right))]
        })"""
    )
    assert len(spans) == 7
    assert all(before[1] <= after[0] for before, after in pairwise(spans)), spans
    looks = screen.page.locator(".looks")
    assert looks.evaluate("one => one.scrollHeight - one.clientHeight") <= 0, (
        "the page scrolls, not its parts"
    )


def test_a_layer_with_nothing_to_show_says_why(screen: Screen) -> None:
    engine = json.dumps({"engine": "engine", "limitKind": "nodes", "limit": 10_000})
    analysis(screen, "/analysis/h8i9?size=15&winLength=5&rule=freestyle", 2, config=engine)
    layer(screen, "visits")
    screen.test("analyse").click()
    status(screen, "done")
    expect(screen.test("layer-empty")).to_be_visible()
    layer(screen, "policy")
    net = screen.page.locator(".layers select")
    expect(net).to_have_value("15x15")  # the strongest of those made for the board
    expect(net.locator("option", has_text="Two-stage net")).to_have_count(0)
    engines = screen.test("analysis-engine").locator("option")
    names = engines.all_inner_texts()
    assert len(names) == len(set(names)), "no engine twice"
    assert "Net for 15×15" in names and "Net for 15×15, at first sight" in names
    assert not {"Two-stage net", "wuzi", "Random"} & set(names)


def test_where_no_net_fits_the_board_their_boards_are_named(screen: Screen) -> None:
    def of_one_board(route: Route) -> None:
        nets = route.fetch().json()
        route.fulfill(json=[net for net in nets if net["name"] in ("s1", "s3-6x6")])

    screen.page.route("**/api/v1/nets", of_one_board)
    analysis(screen, "/analysis/h8i9?size=15&winLength=5&rule=freestyle", 2)
    layer(screen, "policy")
    expect(screen.test("no-net-fits")).to_contain_text("9×9")


def test_the_figures_of_a_layer_can_be_heard(screen: Screen) -> None:
    analysis(screen, config=MCTS.replace("60", "1"))
    layer(screen, "visits")
    screen.test("analyse").click()
    status(screen, "done")
    expect(screen.board.locator('[aria-label*="Visits"]').first).to_be_attached()


def test_the_end_of_a_game_is_no_place_to_search(screen: Screen) -> None:
    screen.open_game(None, None, moves=["a1", "a9", "b1", "b9", "c1", "c9", "d1", "d9", "e1"])
    screen.test("analyse-game").click()
    expect(screen.stones).to_have_count(9)
    expect(screen.page.get_by_text("Black has 5 in a row")).to_be_visible()
    expect(screen.test("analyse")).to_be_disabled()
    screen.page.keyboard.press("ArrowLeft")
    expect(screen.test("analyse")).to_be_enabled()


def test_a_refusal_says_why(screen: Screen) -> None:
    screen.page.route("**/ws/v1/analysis", lambda route: route.continue_())
    analysis(screen, config=MCTS)
    socket_url = screen.server.url.replace("http", "ws") + "/ws/v1/analysis"
    # The page's own limits keep it from asking too much: fill them from elsewhere.
    with opened(socket_url, screen.server.settings.max_client_analysis_sockets):
        screen.test("analyse").click()
        expect(screen.test("link-lost")).to_be_visible()
    expect(screen.test("link-lost")).to_have_count(0, timeout=STEP_MS)
    candidates(screen)


def opened(url: str, count: int) -> Any:
    """So many open sockets."""
    from contextlib import ExitStack

    from websockets.sync.client import connect

    stack = ExitStack()
    for _ in range(count):
        stack.enter_context(connect(url))
    return stack


@pytest.mark.skipif(os.name != "posix", reason="kills a process with a POSIX signal")
def test_a_killed_worker_is_no_end(screen: Screen) -> None:
    analysis(screen, config=MCTS.replace("60", "10"))
    screen.test("analyse").click()
    candidates(screen)
    for pid in screen.server.context.pool.pids:
        os.kill(pid, signal.SIGKILL)
    status(screen, "done")
    expect(screen.test("analysis-problem")).to_have_count(0)


def test_a_lost_connection_is_shown_and_the_search_resumed(open_screen: OpenScreen, tmp_path: Path) -> None:
    with running_server(tmp_path) as first:
        until(lambda: first.client.get("/api/v1/engines").is_success, "the engines are ready")
        screen = open_screen(on=first)
        analysis(screen, config=MCTS)
        screen.test("analyse").click()
        candidates(screen)
        port = first.port
    expect(screen.test("link-lost")).to_be_visible()
    expect(screen.stones).to_have_count(5)
    with running_server(tmp_path, port=port) as second:
        screen.server = second
        expect(screen.test("link-lost")).to_have_count(0, timeout=STEP_MS)
        status(screen, "running")
        screen.troubles.clear()  # the browser logs every attempt to reconnect
        screen.page.context.close()


@pytest.mark.parametrize(("size", "locale"), [((390, 844), "zh-CN"), ((844, 390), "en-US")])
def test_a_phone_has_all_of_it(open_screen: OpenScreen, locale: str, size: tuple[int, int]) -> None:
    viewport = {"width": size[0], "height": size[1]}
    screen = open_screen(**PHONE | {"viewport": viewport}, locale=locale)
    analysis(screen, config=MCTS.replace("60", "1"))
    assert overflow(screen) == 0
    box = screen.board.bounding_box()
    assert box is not None
    assert box["width"] > 300
    screen.test("analyse").tap()
    candidates(screen)
    status(screen, "done")
    assert overflow(screen) == 0
    screen.cell("a1").tap()
    expect(screen.stones).to_have_count(5)
    screen.cell("a1").tap()
    expect(screen.stones).to_have_count(6)


@every_look
def test_axe_finds_nothing(
    open_screen: OpenScreen, options: dict[str, Any], locale: str, scheme: str
) -> None:
    screen = open_screen(**options, color_scheme=scheme, locale=locale, reduced_motion="reduce")
    analysis(screen, config=MCTS.replace("60", "1"))
    screen.test("analyse").click()
    status(screen, "done")
    found = {"candidates": violations(screen)}
    for name in ("threats", "scores", "tree", "factors"):
        layer(screen, name)
        screen.settle()
        found[name] = violations(screen)
    screen.test("edit-board").click()
    found["editor"] = violations(screen)
    screen.page.keyboard.press("Escape")
    screen.test("study-share").click()
    expect(screen.test("record-text")).to_be_visible()
    found["share"] = violations(screen)
    bad = {place: what for place, what in found.items() if what}
    assert not bad, json.dumps(bad, indent=1, ensure_ascii=False)
