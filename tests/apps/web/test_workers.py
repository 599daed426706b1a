"""Workers that crash, hang, fail or are too few: the game waits with a reason and goes on."""

from __future__ import annotations

import os
import signal
import sys
import textwrap
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.web_server import RunningServer, running_server, until

pytestmark = pytest.mark.slow

posix_only = pytest.mark.skipif(os.name != "posix", reason="stops a process with a POSIX signal")


def thinking_game(server: RunningServer) -> dict[str, Any]:
    game = server.new_game(None, "mcts-tactical/strong")
    server.post(f"/games/{game['id']}/moves", {"move": "e5"}, 202)
    server.wait_for_thinking(game)
    return game


def runs(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def fake_worker(folder: Path, body: str) -> tuple[str, ...]:
    """The command of a worker that comes up as usual and then does what ``body`` says with each start."""
    script = folder / "worker.py"
    capabilities = {
        "rules": ["freestyle"],
        "minSize": 3,
        "maxSize": 26,
        "winLengths": None,
        "openings": ["free"],
        "deterministic": True,
    }
    head = f"""
        import json, os, sys, time
        def say(**message):
            print(json.dumps(message), flush=True)
        say(type="ready")
        for line in sys.stdin:
            request = json.loads(line)
            kind, id = request["type"], request.get("id")
            if kind == "warm":
                say(type="warmed", id=id)
            elif kind == "ping":
                say(type="pong", id=id)
            elif kind == "describe":
                say(type="described", id=id, name="fake", capabilities={capabilities!r})
            elif kind == "start":
    """
    script.write_text(
        textwrap.dedent(head).rstrip() + "\n" + textwrap.indent(textwrap.dedent(body), " " * 8), "utf-8"
    )
    return (sys.executable, str(script))


@posix_only
def test_a_killed_worker_is_a_message_and_resume_gets_a_new_one(server: RunningServer) -> None:
    game = thinking_game(server)
    before = set(server.context.pool.pids)
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    state = server.wait_for(game, lambda state: state["engineError"])
    assert state["engineError"]["code"] == "engine_crashed"
    assert "SIGKILL" in state["engineError"]["message"]
    assert state["thinking"] is None
    state = server.post(f"/games/{game['id']}/resume")
    assert state["engineError"] is None
    server.post(f"/games/{game['id']}/move-now", {}, 202)
    assert server.wait_for(game, lambda state: state["ply"] == 2)["engineError"] is None
    assert not before & set(server.context.pool.pids)


@posix_only
def test_a_worker_that_died_idle_is_replaced_silently(server: RunningServer) -> None:
    game = server.new_game(None, "weight")
    server.play(game, "e5")
    pids = server.context.pool.pids
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    until(lambda: not any(runs(pid) for pid in pids), "the workers died")
    assert server.play(game, "a1")["ply"] == 4


def test_undo_after_a_crash_clears_the_error(tmp_path: Path) -> None:
    with running_server(tmp_path, worker_command=fake_worker(tmp_path, "sys.exit(3)")) as server:
        game = server.new_game(None, "weight")
        state = server.play(game, "e5")
        assert state["engineError"]["code"] == "engine_crashed"
        assert "exit status 3" in state["engineError"]["message"]
        state = server.post(f"/games/{game['id']}/undo")
        assert (state["ply"], state["engineError"]) == (0, None)


@pytest.mark.parametrize("shown", [True, False])
def test_the_last_lines_of_a_crashed_worker_are_shown_where_nobody_else_sees_them(
    tmp_path: Path, shown: bool
) -> None:
    command = fake_worker(tmp_path, 'print("out of memory", file=sys.stderr, flush=True); sys.exit(3)')
    with running_server(tmp_path, worker_command=command, show_engine_log=shown) as server:
        state = server.play(server.new_game(None, "weight"), "e5")
        log = state["engineError"]["log"].splitlines()
        if shown:
            assert len(log) <= 20 and log[-1] == "out of memory"
            assert any('> {"type":"start"' in line for line in log)
        else:
            assert log == []


def test_a_worker_that_hangs_is_killed(tmp_path: Path) -> None:
    command = fake_worker(tmp_path, "time.sleep(3600)")
    with running_server(tmp_path, worker_command=command, grace_s=0.2, max_move_s=0.2, workers=1) as server:
        game = server.new_game(None, "weight")
        before = server.context.pool.pids
        state = server.play(game, "e5")
        assert state["engineError"]["code"] == "engine_timeout"
        server.post(f"/games/{game['id']}/resume")
        server.wait_for(game, lambda state: state["engineError"])
        assert not set(before) & set(server.context.pool.pids)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ('say(type="error", id=id, code="engine_failed", message="no idea")', "engine_failed"),
        ('say(type="done", id=id)', "engine_failed"),
        ('say(type="done", id=id, action={"type":"pass"}, moveInfos=[], rootInfo={})', "engine_failed"),
        (
            'say(type="done", id=id, action={"type":"place","moves":["e5"]}, moveInfos=[],'
            ' rootInfo={"winrate":None}, resigned=False)',
            "engine_failed",
        ),
        ('print("not json", flush=True); sys.exit(0)', "engine_crashed"),
    ],
)
def test_answers_that_make_no_sense_are_errors(tmp_path: Path, body: str, code: str) -> None:
    with running_server(tmp_path, worker_command=fake_worker(tmp_path, body)) as server:
        state = server.play(server.new_game(None, "weight"), "e5")
        assert state["engineError"]["code"] == code
        assert state["ply"] == 1


def test_a_worker_that_cannot_start_is_a_problem(tmp_path: Path) -> None:
    missing = (str(tmp_path / "no-such-program"),)
    with running_server(tmp_path, worker_command=missing) as server:
        assert server.get("/engines", 503)["code"] == "engine_crashed"
        assert server.get("/health")["status"] == "ok"
        game = server.new_game(None, None)
        assert server.play(game, "e5")["ply"] == 1


def test_waiting_searches_say_how_many_are_ahead(tmp_path: Path) -> None:
    with running_server(tmp_path, workers=1) as server:
        first, second, third = (server.new_game("mcts-tactical/strong", None) for _ in range(3))
        state = server.wait_for(third, lambda state: state["thinking"]["queuedAhead"] == 2)
        assert state["thinking"]["seat"] == 0
        assert server.get(f"/games/{second['id']}")["thinking"]["queuedAhead"] == 1
        server.post(f"/games/{first['id']}/move-now", {}, 202)
        server.wait_for(second, lambda state: state["thinking"]["queuedAhead"] == 0)
        for game in (second, third):
            server.wait_for(game, lambda state: state["thinking"]["queuedAhead"] == 0)
            server.post(f"/games/{game['id']}/move-now", {}, 202)
            server.wait_for(game, lambda state: state["ply"] == 1)


def test_too_many_waiting_searches_are_refused(tmp_path: Path) -> None:
    with running_server(tmp_path, workers=1, max_queue=6) as server:
        server.get("/engines")
        games = [server.new_game("mcts-tactical/strong", None) for _ in range(9)]
        codes = [server.get(f"/games/{game['id']}")["engineError"] for game in games]
        busy = [code for code in codes if code]
        assert {error["code"] for error in busy} == {"engine_busy"}
        assert len(busy) == 2


def test_stopping_the_server_ends_all_workers(tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        thinking_game(server)
        until(lambda: server.context.pool.pids, "a worker")
        pids = server.context.pool.pids
    assert not [pid for pid in pids if psutil.pid_exists(pid)]


def test_the_loop_answers_while_engines_think(tmp_path: Path) -> None:
    with running_server(tmp_path, workers=1) as server:
        thinking_game(server)
        for _ in range(50):
            assert server.get("/health")["status"] == "ok"
