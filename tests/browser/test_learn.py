"""The page on which a net learns: a training without a network, a game against the net, its files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from playwright.sync_api import Browser, Download, Route, expect
from static_host import ISOLATION, static_host

from tests.browser.conftest import OpenScreen
from tests.browser.file_host import FileHost, kept_whole, opened
from tests.browser.screen import Screen
from tests.browser.test_looks import overflow, violations
from wuzi.nets.file import load_net

WIDE, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 844}
SCORED = """least => {
    const found = document.querySelector('[data-test="learn-score"]').dataset.score
    return found !== '' && Number(found) >= least
}"""
SEES_MORE = """least =>
    Number(document.querySelector('[data-test="learn-status"]').dataset.iteration) >= least"""
OVER_OR_STONES = """least => document.querySelector('[data-test="learn-words"]').dataset.over === 'true'
    || document.querySelectorAll('[role="grid"] [data-stone]:not([data-stone="."])').length >= least"""


def score(screen: Screen) -> float:
    return float(screen.test("learn-score").get_attribute("data-score") or "nan")


def iteration(screen: Screen) -> int:
    return int(screen.test("learn-status").get_attribute("data-iteration") or 0)


def state(screen: Screen, wanted: str) -> None:
    expect(screen.test("learn-status")).to_have_attribute("data-state", wanted)


def pause(screen: Screen) -> float:
    """Seconds until it has stopped."""
    begun = time.monotonic()
    screen.test("learn-pause").click()
    state(screen, "paused")
    return time.monotonic() - begun


def wuzi(*words: str) -> str:
    command = [sys.executable, "-m", "wuzi", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def plays_against_it(screen: Screen) -> None:
    """A game to its end, on the first free point each time."""
    screen.test("learn-play-B").click()
    words = screen.test("learn-words")
    for _ in range(18):
        expect(words).to_have_text("Your turn.")
        before = screen.stones.count()
        free = screen.board.locator('[data-stone="."]').first
        free.click()
        screen.page.wait_for_function(OVER_OR_STONES, arg=before + 2)
        if words.get_attribute("data-over") == "true":
            break
    expect(words).to_have_text("White has won.")


def saved(screen: Screen, folder: Path) -> Path:
    """The weights file, its card beside it."""
    given: list[Download] = []

    def note(one: Download) -> None:
        given.append(one)

    screen.page.on("download", note)
    screen.test("learn-save").click()
    deadline = time.monotonic() + 60
    while len(given) < 2:
        assert time.monotonic() < deadline, given
        screen.page.wait_for_timeout(50)
    weights, card = (folder / one.suggested_filename for one in given)
    for one in given:
        one.save_as(folder / one.suggested_filename)
    assert card == weights.with_suffix(".json")
    return weights


def test_a_net_learns_without_a_network(browser: Browser, host: FileHost, tmp_path: Path) -> None:
    screen, failed = opened(browser, host, locale="en-US", accept_downloads=True)
    screen.go("/learn")
    kept_whole(screen)
    host.cut()
    screen.page.reload()
    screen.test("learn-go").click()
    screen.page.wait_for_function(SCORED, arg=0)
    first = score(screen)
    assert first < 15, "it knows only the rules"
    # Far outside of the interval of 120 games.
    screen.page.wait_for_function(SCORED, arg=first + 30)
    pause(screen)
    done = iteration(screen)
    screen.page.reload()
    state(screen, "paused")
    assert done - 1 <= iteration(screen) <= done
    assert score(screen) >= first + 30
    screen.test("learn-go").click()
    screen.page.wait_for_function(SEES_MORE, arg=done + 1)
    pause(screen)
    assert violations(screen) == []

    # What the net sees of a position, now and at the beginning.
    screen.play("c3")
    expect(screen.page.locator('[data-test="heat"] rect').first).to_be_visible()
    screen.test("learn-slider").fill("0")
    expect(screen.test("learn-net")).to_have_text("The net at the beginning")
    at = screen.test("learn-score").get_attribute("data-at") or ""
    screen.test("learn-slider").fill(at)
    plays_against_it(screen)

    path = saved(screen, tmp_path)
    card = load_net(path).card
    assert (card.rules.size, card.rules.win_length, len(card.checks)) == (6, 4, 4)
    said = json.loads(wuzi("evaluate", "--net", str(path), "--moves", "c3", "--json"))
    assert len(said["policy"]) == 36
    # The page has measured the net that is saved in the same games.
    found = wuzi(
        *("match", f"net=policy:net={path}", "weight", "--size", "6", "--win-length", "4"),
        *("--games", "120", "--out", str(tmp_path / "match"), "--json"),
    )
    scores = {one["label"]: one["score"]["value"] for one in json.loads(found)["players"]}
    assert 100 * scores["net"] == pytest.approx(score(screen), abs=2.5)

    # And back: another training begins with it.
    screen.test("learn-files").set_input_files([path, path.with_suffix(".json")])
    screen.page.wait_for_function(f"() => !({SEES_MORE})(1)")
    screen.test("learn-go").click()
    screen.page.wait_for_function(SCORED, arg=0)
    assert score(screen) >= first + 20, "the net of the file, and not a fresh one"
    screen.test("learn-files").set_input_files([path])
    expect(screen.page.get_by_role("alert")).to_contain_text("NAME.json")
    assert overflow(screen) == 0
    assert failed == []
    assert screen.troubles == []
    screen.page.context.close()


def small(screen: Screen) -> None:
    """A training whose iterations take little, under way."""
    screen.go("/learn")
    screen.test("choose-size").select_option("5")
    screen.test("choose-winLength").select_option("3")
    screen.test("learn-go").click()
    screen.page.wait_for_function(SEES_MORE, arg=1, polling=50)


def test_the_page_answers_while_a_net_learns_and_a_pause_holds(open_screen: OpenScreen) -> None:
    screen = open_screen()
    small(screen)
    heat = screen.page.locator('[data-test="heat"] rect')
    for move in ("c3", "b2", "d4"):
        screen.play(move)
        expect(heat.first).to_be_visible()
    state(screen, "going")
    pause(screen)
    status = screen.test("learn-status")
    told = status.inner_text()
    # Each stone is a question that the thread answers: it would have told of more by then.
    for move in ("a5", "e1", "e5", "a1"):
        screen.play(move)
        screen.page.wait_for_timeout(300)
        assert status.inner_text() == told
    screen.test("learn-go").click()
    screen.page.wait_for_function(SEES_MORE, arg=iteration(screen) + 1, polling=50)


def test_in_a_hidden_tab_nothing_is_lost(open_screen: OpenScreen) -> None:
    screen = open_screen()
    small(screen)
    tab = screen.page.context.new_cdp_session(screen.page)
    # What a browser does to a tab that was hidden for long: nothing of it runs.
    tab.send("Page.setWebLifecycleState", {"state": "frozen"})
    screen.page.wait_for_timeout(1000)
    tab.send("Page.setWebLifecycleState", {"state": "active"})
    done = iteration(screen)
    screen.page.wait_for_function(SEES_MORE, arg=done + 2, polling=50)
    done = iteration(screen)
    # And a tab that the browser gives up: it is loaded again when somebody looks at it.
    tab.send("Page.setWebLifecycleState", {"state": "frozen"})
    screen.page.reload()
    state(screen, "paused")
    assert iteration(screen) >= done - 1
    screen.test("learn-go").click()
    screen.page.wait_for_function(SEES_MORE, arg=done + 1, polling=50)


def test_a_training_that_learns_nothing_begins_again(open_screen: OpenScreen) -> None:
    """With a learning rate of zero: three times with another seed, then it goes on."""
    screen = open_screen()

    def still(route: Route) -> None:
        recipes = route.fetch().json()
        recipes["preset"]["learn"] |= {"lr": 0, "lr_last": 0}
        route.fulfill(json=recipes)

    screen.page.route("**/recipes*.json", still)
    small(screen)
    expect(screen.test("learn-given-up")).to_be_visible()
    state(screen, "going")
    screen.page.wait_for_function(SEES_MORE, arg=6, polling=50)
    pause(screen)
    assert violations(screen) == []


def test_where_the_host_isolates_the_page_others_play_its_games(browser: Browser, site: Path) -> None:
    asked: list[str] = []
    with static_host(site, ISOLATION) as url:
        screen, failed = opened(browser, SimpleNamespace(url=f"{url}#"), service_workers="block")
        page = screen.page
        page.on("request", lambda request: asked.append(request.url))
        small(screen)
        assert page.evaluate("crossOriginIsolated")
        pause(screen)
        told = screen.test("learn-status").inner_text()
        page.wait_for_timeout(1000)
        assert screen.test("learn-status").inner_text() == told
        done = iteration(screen)
        page.reload()
        state(screen, "paused")
        assert iteration(screen) >= done - 1
        screen.test("learn-go").click()
        page.wait_for_function(SEES_MORE, arg=done + 2, polling=50)
        assert any("playWorker" in one for one in asked) == ((os.cpu_count() or 1) > 1)
        assert (screen.troubles, failed) == ([], [])
        page.context.close()


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
@pytest.mark.parametrize("viewport", [WIDE, PHONE])
def test_it_fits_its_window(open_screen: OpenScreen, locale: str, viewport: dict[str, int]) -> None:
    screen = open_screen(locale=locale, viewport=viewport)
    screen.go("/learn")
    state(screen, "none")
    assert overflow(screen) == 0
    assert violations(screen) == []
    screen.test("choose-size").select_option("5")
    screen.test("choose-winLength").select_option("3")
    screen.test("learn-go").click()
    screen.page.wait_for_function(SEES_MORE, arg=1)
    pause(screen)
    assert overflow(screen) == 0
    assert violations(screen) == []
