"""Training in a real browser: real runs of the command line, watched while they are written."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.apps.desktop.conftest import FAKE
from tests.browser.conftest import OpenScreen
from tests.browser.screen import Screen
from tests.browser.test_looks import AXE, PHONE, every_look, overflow, violations
from tests.training.tiny import SMALLEST, begin, settings
from tests.web_server import RunningServer, running_server, until
from wuzi.apps.cli import main
from wuzi.training.run.directory import RunDirectory

TOKEN = "a token of the tests"
SETS = [part for text in SMALLEST for part in ("--set", text)]
SLOW_MS = 120_000
"""For what a process must do first."""

LIVE = ("--preset", "s3-6x6", *SETS, "--set", "run.iterations=16")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run that ended, and one that was killed with something to say of its health."""
    folder = tmp_path_factory.mktemp("runs")
    assert main(["train", "--preset", "s3-6x6", *SETS, "--run-dir", str(folder / "six"), "--json"]) == 0
    begin(folder / "sick", settings("run.iterations=50"))
    sick = RunDirectory(folder / "sick")
    plain = {"games": 20, "new_rows": 400, "plies": 25.0, "black_wins": 20, "white_wins": 0, "draws": 0}
    more = {"games_seen": 200, "duplicates": 0.5, "policy_entropy": 1.5, "entropy": 1.2, "kl": 0.02}
    for iteration in range(1, 31):
        figures = {"loss": 4 / iteration, "lr": 10 ** -(2 + iteration / 15), "seconds": 10.0 * iteration}
        sick.append("metrics.jsonl", {"iteration": iteration, **plain, **more, **figures})
    status = {
        "schema": 1,
        "state": "running",
        "at": "2026-01-01T00:00:00+00:00",
        "pid": 1,
        "text": "",
        "work": {},
    }
    (sick.path / "status.json").write_text(json.dumps(status), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def trainer(
    server: RunningServer, runs: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningServer]:
    """A server that shows the runs and trains for who knows the token."""
    given: dict[str, Any] = {"runs_dir": runs, "training_token": TOKEN, "workers": 1}
    with running_server(tmp_path_factory.mktemp("data"), **given) as running:
        yield running


def state_is(screen: Screen, state: str) -> None:
    expect(screen.test("state").first).to_have_attribute("data-state", state, timeout=SLOW_MS)


def leave(screen: Screen) -> None:
    """Close the page before its server goes."""
    screen.page.goto("about:blank")


def test_a_run_is_watched_to_its_end_on_two_screens_in_two_languages(
    open_screen: OpenScreen, server: RunningServer, tmp_path: Path
) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    with running_server(tmp_path / "data", runs_dir=folder, worker_command=FAKE) as reading:
        desktop = open_screen(reading)
        phone = open_screen(reading, **PHONE, locale="zh-CN", color_scheme="dark")
        for screen in (desktop, phone):
            screen.go("/training")
            expect(screen.test("training-empty")).to_be_visible()
            expect(screen.test("training-read-only")).to_be_visible()
        command = [sys.executable, "-m", "wuzi", "train", *LIVE, "--run-dir", str(folder / "live"), "--json"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            for screen in (desktop, phone):
                screen.test("run").click()
                state_is(screen, "running")
            iteration = re.compile(r"Iteration \d+ of 16")
            expect(desktop.test("iteration")).to_contain_text(iteration, timeout=SLOW_MS)
            expect(phone.test("iteration")).to_contain_text(re.compile(r"第 \d+ 轮"), timeout=SLOW_MS)
            for screen in (desktop, phone):
                expect(screen.test("chart-loss")).to_be_visible(timeout=SLOW_MS)
                state_is(screen, "finished")
            assert process.wait(60) == 0
        expect(desktop.test("iteration")).to_contain_text("Iteration 16 of 16")
        expect(desktop.test("health")).to_contain_text("The run has reached its end.")
        expect(phone.test("health")).to_contain_text("训练已到终点。")
        for screen in (desktop, phone):
            expect(screen.test("chart-loss").locator(".reading")).to_contain_text("16")
            expect(screen.test("scores").locator("tbody tr")).to_have_count(16)
            assert overflow(screen) == 0
            leave(screen)


def test_curves_are_read_with_mouse_and_keys_and_as_a_table(
    open_screen: OpenScreen, trainer: RunningServer
) -> None:
    screen = open_screen(trainer)
    screen.go("/training/sick")
    chart = screen.test("chart-loss")
    reading = chart.locator(".reading")
    expect(reading).to_contain_text("Iteration 30")
    chart.locator("input").focus()
    screen.page.keyboard.press("Home")
    expect(reading).to_contain_text("Iteration 1")
    expect(reading).to_contain_text("total4")
    screen.page.keyboard.press("ArrowRight")
    expect(reading).to_contain_text("total2")
    chart.locator("input").blur()
    box = chart.locator(".plot").bounding_box()
    assert box is not None
    screen.page.mouse.move(box["x"] + 60, box["y"] + box["height"] / 2)
    expect(reading).to_contain_text(re.compile(r"Iteration [1-3]\D"))
    screen.page.mouse.move(0, 0)
    expect(reading).to_contain_text("Iteration 30")
    chart.locator("summary").click()
    expect(chart.locator("tbody tr")).to_have_count(30)


@pytest.mark.parametrize(
    ("options", "killed", "one_sided"),
    [
        ({}, "ended without a message", "Black won 100%"),
        ({**PHONE, "locale": "zh-CN"}, "无声无息", "黑胜 100%"),
    ],
    ids=["desktop", "phone"],
)
def test_health_comes_first_and_in_both_languages(
    open_screen: OpenScreen, trainer: RunningServer, options: dict[str, Any], killed: str, one_sided: str
) -> None:
    screen = open_screen(trainer, **options)
    screen.go("/training/sick")
    state_is(screen, "crashed")
    expect(screen.test("health")).to_contain_text(killed)
    expect(screen.test("health")).to_contain_text("wuzi train --resume")
    expect(screen.test("findings")).to_contain_text(one_sided)
    expect(screen.test("findings").locator("li")).to_have_count(2)


def test_its_games_open_on_the_board_and_its_nets_play(
    open_screen: OpenScreen, trainer: RunningServer
) -> None:
    screen = open_screen(trainer)
    screen.go("/training/six")
    expect(screen.test("games-first")).to_be_disabled()  # few games: the first are shown with the latest
    expect(screen.test("sample").first).to_contain_text("Game 1 ")
    game = trainer.get("/runs/six/games?first=0&limit=1")["games"][0]
    screen.test("sample").first.click()
    screen.page.wait_for_url("**/analysis")
    screen.shows(stones=game["ply"])
    screen.go("/training/six")
    screen.test("net-level").select_option("policy")
    screen.test("play-black").first.click()
    screen.page.wait_for_url("**/play/*")
    expect(screen.board).to_be_visible()
    screen.play("c3")
    expect(screen.stones).to_have_count(2, timeout=SLOW_MS)


def test_parameters_are_compared_with_another_run(open_screen: OpenScreen, trainer: RunningServer) -> None:
    screen = open_screen(trainer)
    screen.go("/training/six")
    parameters = screen.test("parameters")
    parameters.locator("summary").click()
    expect(parameters).to_contain_text("simulations")
    screen.test("compare").select_option("sick")
    expect(parameters).to_contain_text("Only what differs from sick")
    expect(parameters.locator("dt")).to_have_text(["iterations"])
    expect(parameters).to_contain_text("50")


def test_a_run_is_begun_stopped_and_goes_on_with_the_token(
    open_screen: OpenScreen, trainer: RunningServer
) -> None:
    screen = open_screen(trainer)
    screen.go("/training")
    screen.test("start-run").locator("summary").first.click()
    expect(screen.test("begin-run")).to_be_disabled()
    fields = {"run-name": "mine", "run-size": "5", "run-iterations": "1000"}
    for name, value in fields.items():
        screen.page.locator(f'[name="{name}"]').fill(value)
    screen.page.get_by_text("More", exact=True).last.click()
    for name in ("run-simulations", "run-games", "run-workers"):
        screen.page.locator(f'[name="{name}"]').fill("1")
    screen.test("token").fill("a wrong one")
    screen.test("begin-run").click()
    expect(screen.page.get_by_text("The token is not the one")).to_be_visible()
    screen.test("token").fill(TOKEN)
    screen.test("estimate-run").click()
    expect(screen.test("run-time")).to_contain_text("on this server", timeout=SLOW_MS)
    screen.test("begin-run").click()
    screen.page.wait_for_url("**/training/mine")
    state_is(screen, "running")
    expect(screen.test("iteration")).to_contain_text("of 1,000", timeout=SLOW_MS)
    screen.test("stop-run").click()
    screen.test("confirm").click()
    state_is(screen, "stopped")
    screen.test("resume-run").click()
    state_is(screen, "running")
    screen.test("stop-run").click()
    screen.test("confirm").click()
    state_is(screen, "stopped")
    assert trainer.get("/runs/mine")["canStop"] is False


def test_a_lost_server_is_said_and_found_again(
    open_screen: OpenScreen, server: RunningServer, runs: Path, tmp_path: Path
) -> None:
    given: dict[str, Any] = {"runs_dir": runs, "worker_command": FAKE}
    with running_server(tmp_path, **given) as first:
        port = first.port
        screen = open_screen(first)
        phone = open_screen(first, **PHONE)
        screen.go("/training/six")
        phone.go("/training")
        expect(screen.test("curves")).to_be_visible()
        expect(phone.test("run").first).to_be_visible()
    expect(screen.test("link-lost")).to_be_visible(timeout=SLOW_MS)
    expect(phone.test("training-lost")).to_be_visible(timeout=SLOW_MS)
    expect(screen.test("curves")).to_be_visible()
    with running_server(tmp_path, port, **given):
        expect(screen.test("link-lost")).to_have_count(0, timeout=SLOW_MS)
        expect(phone.test("training-lost")).to_have_count(0, timeout=SLOW_MS)
        screen.go("/training/nothing")
        expect(screen.page.get_by_text("There is no such training run")).to_be_visible()
        leave(screen)
        leave(phone)
    for one in (screen, phone):  # what the browser says of its refused connections
        assert all("ERR_CONNECTION_REFUSED" in trouble for trouble in one.troubles)
        one.troubles.clear()


@every_look
def test_axe_finds_nothing_in_training(
    open_screen: OpenScreen, trainer: RunningServer, options: dict[str, Any], locale: str, scheme: str
) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not installed (npm ci in frontend/)")
    screen = open_screen(trainer, **options, color_scheme=scheme, locale=locale, reduced_motion="reduce")
    found = {}
    screen.go("/training")
    expect(screen.test("run").first).to_be_visible()
    screen.test("start-run").locator("summary").first.click()
    found["list"] = violations(screen)
    for run in ("six", "sick"):
        screen.go(f"/training/{run}")
        expect(screen.test("curves")).to_be_visible()
        screen.test("parameters").locator("summary").click()
        screen.test("chart-loss").locator("summary").click()
        found[run] = violations(screen)
        assert overflow(screen) == 0, run
    bad = {place: what for place, what in found.items() if what}
    assert not bad, json.dumps(bad, indent=1)


@pytest.mark.parametrize(("width", "height"), [(320, 568), (844, 390), (1024, 700), (1920, 1080)])
def test_no_size_scrolls_training_sideways(
    open_screen: OpenScreen, trainer: RunningServer, width: int, height: int
) -> None:
    screen = open_screen(trainer, viewport={"width": width, "height": height})
    for path in ("/", "/training", "/training/six", "/training/sick"):
        screen.go(path)
        expect(screen.page.get_by_role("main")).to_be_visible()
        screen.settle()
        assert overflow(screen) == 0, path


def test_training_is_found_from_every_width(open_screen: OpenScreen, trainer: RunningServer) -> None:
    for width in (320, 390, 844, 1280):
        screen = open_screen(trainer, viewport={"width": width, "height": 700})
        screen.go("/")
        expect(screen.page.get_by_role("main")).to_be_visible()
        more = screen.test("nav-more")
        if more.is_visible():
            more.click()
        link = screen.page.locator('a[href="/training"]:visible')
        expect(link).to_have_count(1)
        link.click()
        expect(screen.test("run").first).to_be_visible()


def test_the_page_of_a_server_without_a_folder_says_so(
    open_screen: OpenScreen, server: RunningServer
) -> None:
    until(
        lambda: (
            server.get("/training") == {"hasRuns": False, "canStart": False, "presets": [], "missing": None}
        ),
        "no runs",
    )
    screen = open_screen()
    screen.go("/training")
    expect(screen.test("training-no-folder")).to_be_visible()
