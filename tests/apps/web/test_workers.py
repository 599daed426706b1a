"""Workers that crash, hang, fail or are too few: the game waits with a reason and goes on."""

from __future__ import annotations

import os
import signal
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from websockets.sync.client import ClientConnection

from tests.web_server import RunningServer, read, running_server, say, until

pytestmark = pytest.mark.slow

posix_only = pytest.mark.skipif(os.name != "posix", reason="stops a process with a POSIX signal")


POSITION = {"size": 9, "moves": ["e5"]}
MOVE = {"type": "start", "id": "move", "position": POSITION, "engine": "weight", "isMove": True}
LONG = MOVE | {"engine": "mcts-tactical", "level": "strong"}


@contextmanager
def thinking(server: RunningServer) -> Iterator[ClientConnection]:
    """A socket whose search a worker's process has."""
    with server.asking() as socket:
        say(socket, LONG)
        read(socket, "info")
        yield socket


def move(server: RunningServer) -> dict[str, Any]:
    return server.ask(**MOVE)


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
def test_a_killed_worker_is_a_message_and_the_next_move_gets_a_new_one(server: RunningServer) -> None:
    with thinking(server) as socket:
        before = set(server.context.pool.pids)
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        error = read(socket, "done", "error")
        assert error["code"] == "engine_crashed" and "SIGKILL" in error["message"]
        say(socket, LONG)
        read(socket, "info")
        say(socket, {"type": "stop", "id": "move"})
        assert read(socket, "done", "error")["type"] == "done"
        assert not before & set(server.context.pool.pids)


@posix_only
def test_a_worker_that_died_idle_is_replaced_silently(server: RunningServer) -> None:
    assert move(server)["type"] == "done"
    pids = server.context.pool.pids
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    until(lambda: not any(runs(pid) for pid in pids), "the workers died")
    assert move(server)["type"] == "done"


@pytest.mark.parametrize("shown", [True, False])
def test_the_last_lines_of_a_crashed_worker_are_shown_where_nobody_else_sees_them(
    tmp_path: Path, shown: bool
) -> None:
    command = fake_worker(tmp_path, 'print("out of memory", file=sys.stderr, flush=True); sys.exit(3)')
    with running_server(tmp_path, worker_command=command, show_engine_log=shown) as server:
        error = move(server)
        assert error["code"] == "engine_crashed" and "exit status 3" in error["message"]
        log = error["log"].splitlines()
        if shown:
            assert len(log) <= 20 and log[-1] == "out of memory"
            assert any('> {"type":"start"' in line for line in log)
        else:
            assert log == []


def test_a_worker_that_hangs_is_killed(tmp_path: Path) -> None:
    command = fake_worker(tmp_path, "time.sleep(3600)")
    with running_server(tmp_path, worker_command=command, grace_s=0.2, max_move_s=0.2, workers=1) as server:
        before = server.context.pool.pids
        assert move(server)["code"] == "engine_timeout"
        assert move(server)["code"] == "engine_timeout"
        assert not set(before) & set(server.context.pool.pids)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ('say(type="error", id=id, code="engine_failed", message="no idea")', "engine_failed"),
        ('say(type="done", id=id)', "engine_failed"),
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
        assert move(server)["code"] == code


def test_a_worker_that_cannot_start_is_a_problem(tmp_path: Path) -> None:
    missing = (str(tmp_path / "no-such-program"),)
    with running_server(tmp_path, worker_command=missing) as server:
        assert server.get("/engines", 503)["code"] == "engine_crashed"
        assert server.get("/health")["status"] == "ok"
        assert move(server)["code"] == "engine_crashed"
        assert server.play(server.new_game(None, None), "e5")["ply"] == 1


def test_waiting_searches_say_how_many_are_ahead_and_when_they_begin(tmp_path: Path) -> None:
    with running_server(tmp_path, workers=1) as server, server.asking() as socket:
        for name in ("a", "b", "c"):
            say(socket, LONG, id=name)
        begun: dict[str, bool] = {}
        ahead: dict[str, int] = {}
        while not (begun.get("a") and ahead.get("c", 0) >= 2):
            message = read(socket, "queued")
            ahead[message["id"]] = max(message["ahead"], ahead.get(message["id"], 0))
            begun[message["id"]] = message["begun"]
        assert not begun["b"] and not begun["c"] and ahead["b"] >= 1
        for name in ("a", "b", "c"):
            while read(socket, "info", "queued")["id"] != name:
                pass
            say(socket, {"type": "stop", "id": name})
            assert read(socket, "done")["id"] == name


def test_too_many_waiting_searches_are_refused(tmp_path: Path) -> None:
    with running_server(tmp_path, workers=1, max_queue=6) as server, server.asking() as socket:
        server.get("/engines")
        for number in range(9):
            say(socket, LONG, id=str(number))
        errors = [read(socket, "error") for _ in range(2)]
        assert {error["code"] for error in errors} == {"engine_busy"}


def test_stopping_the_server_ends_all_workers(tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        with thinking(server):
            pids = server.context.pool.pids
            assert pids
    assert not [pid for pid in pids if psutil.pid_exists(pid)]


def test_the_loop_answers_while_engines_think(tmp_path: Path) -> None:
    with running_server(tmp_path, workers=1) as server, thinking(server):
        for _ in range(50):
            assert server.get("/health")["status"] == "ok"
