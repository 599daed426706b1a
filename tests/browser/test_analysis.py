"""The analysis screen: candidates, lines, layers, variations, set-up boards, files, lost connections."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.browser.conftest import OpenScreen
from tests.browser.screen import STEP_MS, Screen
from tests.browser.test_looks import PHONE, every_look, overflow, violations
from tests.web_server import running_server, until
from wuzi.records import loads

LINK = "?size=9&winLength=5&rule=freestyle"
OPEN = f"/analysis/e5e6d5d6c5{LINK}"
MCTS = json.dumps(
    {"engine": "mcts-tactical", "level": "strong", "multipv": 5, "limitKind": "time", "limit": 60}
)
SGF = "(;FF[4]GM[4]SZ[9];B[ee]C[the centre](;W[fe];B[ff])(;W[dd]C[or here];B[cc]))"


def analysis(screen: Screen, path: str = OPEN, stones: int = 5, config: str = "") -> None:
    """Open the screen; ``config`` is a stored choice of the engine."""
    if config:
        screen.page.add_init_script(f"localStorage.setItem('wuzi.analysis', {json.dumps(config)})")
    screen.go(path)
    expect(screen.board).to_be_visible()
    expect(screen.stones).to_have_count(stones)
    screen.page.wait_for_url("**/analysis")


def layer(screen: Screen, name: str) -> None:
    screen.choose("layer", name)


def rows(screen: Screen) -> Locator:
    return screen.test("candidate")


def nodes(screen: Screen) -> Locator:
    return screen.page.locator('[data-test="tree-node"], [data-test="tree-current"]')


def status(screen: Screen, phase: str) -> None:
    expect(screen.test("analysis-status")).to_have_attribute("data-phase", phase, timeout=STEP_MS)


def candidates(screen: Screen, count: int = 5) -> None:
    expect(rows(screen)).to_have_count(count, timeout=STEP_MS)


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


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (1440, 900)])
def test_tree_and_graph_are_in_sight(open_screen: OpenScreen, width: int, height: int) -> None:
    screen = open_screen(viewport={"width": width, "height": height})
    engine = {"engine": "engine", "multipv": 12, "limitKind": "nodes", "limit": 10_000}
    analysis(screen, config=json.dumps(engine))
    screen.test("analyse").click()
    candidates(screen, 12)
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
    screen.test("study-text").fill(SGF)
    screen.test("study-open").click()
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


def test_a_broken_record_is_refused_in_words(screen: Screen) -> None:
    analysis(screen)
    screen.test("study-share").click()
    screen.test("study-text").fill("this is no game")
    screen.test("study-open").click()
    expect(screen.test("toast")).to_contain_text("cannot be read")
    expect(screen.stones).to_have_count(5)


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
    with opened(socket_url, screen.server.settings.max_client_sockets):
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


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
@pytest.mark.parametrize("size", [(390, 844), (844, 390)])
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
    expect(screen.test("study-text")).to_be_visible()
    found["share"] = violations(screen)
    bad = {place: what for place, what in found.items() if what}
    assert not bad, json.dumps(bad, indent=1, ensure_ascii=False)
