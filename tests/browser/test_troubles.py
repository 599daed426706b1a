"""What people see when an engine dies, hangs or must wait, and when the server goes away."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.apps.web.test_workers import fake_worker
from tests.browser.conftest import OpenScreen
from tests.browser.screen import Screen
from tests.browser.test_looks import PHONE, overflow, violations
from tests.web_server import RunningServer, running_server

posix_only = pytest.mark.skipif(os.name != "posix", reason="stops a process with a POSIX signal")


def kill_workers(server: RunningServer) -> None:
    for pid in server.context.pool.pids:
        os.kill(pid, signal.SIGKILL)


@posix_only
@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_a_killed_engine_is_a_message_with_a_way_on(open_screen: OpenScreen, locale: str) -> None:
    screen = open_screen(locale=locale)
    game = screen.open_game(None, "mcts-tactical/strong")
    screen.play("e5")
    screen.server.wait_for_thinking(game)
    expect(screen.test("stop")).to_be_visible()
    kill_workers(screen.server)
    crash = screen.test("engine-crash")
    expect(crash).to_contain_text({"en-US": "has stopped working", "zh-CN": "已停止工作"}[locale])
    expect(crash).to_contain_text("SIGKILL")
    screen.shows(stones=1)
    crash.locator("button.primary").click()
    expect(crash).to_have_count(0)
    screen.test("move-now").click()
    screen.shows(stones=2)


def test_the_last_lines_of_a_crashed_engine_can_be_read_on_a_phone(
    open_screen: OpenScreen, tmp_path: Path
) -> None:
    body = 'print("MemoryError: " + "x" * 200, file=sys.stderr, flush=True); sys.exit(3)'
    command = fake_worker(tmp_path, body)
    with running_server(tmp_path, worker_command=command, show_engine_log=True) as server:
        game = server.new_game(None, "weight", moves=["e5"])
        screen = open_screen(on=server, viewport={"width": 390, "height": 844}, color_scheme="dark")
        screen.go(f"/play/{game['id']}")
        log = screen.test("engine-log")
        expect(log.locator("pre")).not_to_be_visible()
        log.locator("summary").click()
        expect(log.locator("pre")).to_contain_text("MemoryError: xxx")
        expect(log.locator("pre")).to_contain_text('> {"type":"start"')
        assert overflow(screen) == 0
        assert violations(screen) == []
        screen.page.context.close()


@posix_only
def test_undo_is_another_way_on(screen: Screen) -> None:
    game = screen.open_game(None, "mcts-tactical/strong")
    screen.play("e5")
    screen.server.wait_for_thinking(game)
    kill_workers(screen.server)
    expect(screen.test("engine-crash")).to_be_visible()
    screen.test("undo").click()
    screen.shows(stones=0)
    expect(screen.test("engine-crash")).to_have_count(0)


def test_waiting_for_a_worker_is_said(open_screen: OpenScreen, tmp_path: Path) -> None:
    with running_server(tmp_path, workers=1) as server:
        screen = open_screen(on=server)
        with server.asking() as others:
            long = {"type": "start", "position": {"size": 9}, "engine": "mcts-tactical", "level": "strong"}
            for name in "abcdefgh":
                others.send(json.dumps(long | {"id": name, "isMove": True}))
            screen.open_game("mcts-tactical/strong", None)
            expect(screen.page.get_by_text("searches ahead of you")).to_be_visible()
        # It may have moved before anyone could look.
        screen.shows(stones=1)
        expect(screen.page.get_by_text("searches ahead of you")).to_have_count(0)
        screen.page.context.close()


@pytest.mark.parametrize(
    ("options", "words"),
    [({}, "connection"), (PHONE | {"locale": "zh-CN"}, "连接")],
    ids=["desktop", "phone-zh"],
)
def test_a_server_that_comes_back_goes_on_with_the_game(
    open_screen: OpenScreen, tmp_path: Path, options: dict[str, Any], words: str
) -> None:
    with running_server(tmp_path) as first:
        screen = open_screen(on=first, **options)
        screen.open_game(None, None)
        screen.play("e5")
        port = first.port
    expect(screen.test("link-lost")).to_contain_text(words, ignore_case=True)
    assert overflow(screen) == 0
    screen.shows(stones=1)
    with running_server(tmp_path, port=port) as second:
        screen.server = second
        expect(screen.test("link-lost")).to_have_count(0)
        screen.play("d5")
        assert screen.state["moves"] == ["e5", "d5"]
        screen.troubles = [trouble for trouble in screen.troubles if "WebSocket" not in trouble]
        screen.page.context.close()


def test_where_the_engines_do_not_start_the_browser_plays(open_screen: OpenScreen, tmp_path: Path) -> None:
    with running_server(tmp_path, worker_command=(sys.executable, "-c", "raise SystemExit(1)")) as server:
        screen = open_screen(on=server)
        screen.go()
        expect(screen.test("crashed")).to_contain_text("engines do not start")
        screen.start("levels", level="novice")
        screen.play("e5")
        screen.shows(stones=2)
        screen.open_game(None, None)
        screen.play("e5", "d5")
        screen.page.context.close()
