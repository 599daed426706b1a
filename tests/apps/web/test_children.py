"""Jobs that a server runs as children: real commands, stopped, killed and left behind."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from wuzi.apps.child import is_running
from wuzi.apps.web.children import Children, ChildState, ChildStatus, LiveChild
from wuzi.apps.web.problems import ProblemError
from wuzi.base.store import JsonTail

pytestmark = pytest.mark.slow

WAIT_S = 240.0


def arguments_of(child: LiveChild) -> list[str]:
    if (child.run / "tournament.json").exists():
        return ["tournament", "--out", str(child.run), "--resume", "--no-report", "--json", "-j", "1"]
    players = [part for spec in child.state.request["players"] for part in ("--player", spec)]
    games = str(child.state.request["games"])
    own = ["--size", "5", "--openings", "none", "--out", str(child.run), "--no-report", "--json", "-j", "1"]
    return ["tournament", *players, "--games", games, *own]


def shelf(folder: Path, **changes: Any) -> Children:
    return Children(folder / "jobs", arguments_of, **{"most_running": 2, **changes})


SHORT = {"players": ["random", "weight"], "games": 4}
LONG = {"players": ["random", "weight"], "games": 100_000}


async def until(what: Callable[[], Any]) -> None:
    deadline = time.monotonic() + WAIT_S
    while not what():
        assert time.monotonic() < deadline, "waited too long"
        await asyncio.sleep(0.05)


def games_of(child: LiveChild) -> list[dict[str, Any]]:
    return JsonTail(child.run / "games.jsonl").read()[1]


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(work)


def test_a_job_runs_to_its_end_and_is_found_again(tmp_path: Path) -> None:
    async def work() -> None:
        jobs = shelf(tmp_path)
        child = await jobs.create(SHORT)
        assert child.status is ChildStatus.RUNNING
        await until(lambda: child.is_over)
        assert (child.status, child.state.exit) == (ChildStatus.DONE, 0)
        assert len(games_of(child)) == 4
        again = shelf(tmp_path)
        (found,) = await again.all()
        assert (found.id, found.status, found.state.request) == (child.id, ChildStatus.DONE, SHORT)
        assert '"games": 4' in (found.folder / "child.log").read_text("utf-8")

    run(work())


def test_stopped_and_resumed(tmp_path: Path) -> None:
    async def work() -> None:
        jobs = shelf(tmp_path)
        child = await jobs.create(LONG)
        await until(lambda: len(games_of(child)) > 1)
        await jobs.stop(child)
        played = games_of(child)
        assert child.status is ChildStatus.STOPPED and not is_running(child.folder)
        await jobs.resume(child)
        await until(lambda: len(games_of(child)) > len(played))
        assert games_of(child)[: len(played)] == played
        await jobs.delete(child)
        assert not child.folder.exists()
        with pytest.raises(ProblemError):
            await jobs.get(child.id)

    run(work())


def test_a_killed_job_says_so_and_goes_on(tmp_path: Path) -> None:
    async def work() -> None:
        jobs = shelf(tmp_path)
        child = await jobs.create(LONG)
        await until(lambda: games_of(child))
        assert child.process is not None
        os.kill(child.process.pid, signal.SIGKILL)
        await until(lambda: child.is_over)
        assert child.status is ChildStatus.FAILED and "SIGKILL" in child.state.message
        await jobs.resume(child)
        assert child.status is ChildStatus.RUNNING and child.state.message == ""
        await jobs.close()

    run(work())


def test_a_wrong_command_fails_with_its_own_words(tmp_path: Path) -> None:
    async def work() -> None:
        jobs = shelf(tmp_path)
        child = await jobs.create({"players": ["random", "nobody"], "games": 2})
        await until(lambda: child.is_over)
        assert child.status is ChildStatus.FAILED and "unknown player 'nobody'" in child.state.message

    run(work())


def test_a_closed_server_lets_its_jobs_go_on_when_it_starts_again(tmp_path: Path) -> None:
    async def work() -> None:
        jobs = shelf(tmp_path)
        child, other = await jobs.create(LONG), await jobs.create(LONG)
        await until(lambda: games_of(child) and games_of(other))
        await jobs.stop(other)
        await jobs.close()
        again = shelf(tmp_path)
        await again.revive()
        assert (await again.get(child.id)).status is ChildStatus.RUNNING
        assert (await again.get(other.id)).status is ChildStatus.STOPPED
        await again.close()

    run(work())


_SERVER = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_children import LONG, shelf

async def serve():
    child = await shelf(Path(sys.argv[1])).create(LONG)
    print(child.id, flush=True)
    await asyncio.sleep(3600)

asyncio.run(serve())
"""


@pytest.mark.skipif(os.name != "posix", reason="kills as POSIX does")
def test_a_killed_server_leaves_no_child_behind(tmp_path: Path) -> None:
    here = str(Path(__file__).parent)
    server = subprocess.Popen(
        [sys.executable, "-c", _SERVER, str(tmp_path), here], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    name = server.stdout.readline().strip()
    run_folder = tmp_path / "jobs" / name / "run"

    async def work() -> None:
        await until(lambda: JsonTail(run_folder / "games.jsonl").read()[1])
        server.kill()
        server.wait()
        jobs = shelf(tmp_path)
        child = await jobs.get(name)
        await until(lambda: child.is_over)
        assert child.status is ChildStatus.INTERRUPTED and not is_running(child.folder)
        played = len(games_of(child))
        await jobs.resume(child)
        await until(lambda: len(games_of(child)) > played)
        await jobs.close()

    with server.stdout:
        run(work())


def test_limits(tmp_path: Path) -> None:
    async def work() -> None:
        jobs = shelf(tmp_path, most_running=1, most_kept=2)
        child = await jobs.create(LONG)
        with pytest.raises(ProblemError, match="1 of 1 runs are going on"):
            await jobs.create(SHORT)
        await jobs.stop(child)
        await jobs.create(LONG)
        with pytest.raises(ProblemError, match="going on"):
            await jobs.resume(child)
        with pytest.raises(ProblemError, match="2 runs are kept"):
            await jobs.create(SHORT)
        await jobs.close()

    run(work())


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../../etc", "a" * 12, "run", "child.json", "a/b", "\0", "é" * 12]
)
def test_no_other_folder_is_reached(tmp_path: Path, name: str) -> None:
    (tmp_path / "jobs" / ("b" * 12)).mkdir(parents=True)
    (tmp_path / "child.json").write_text("{}")

    async def work() -> None:
        with pytest.raises(ProblemError) as caught:
            await shelf(tmp_path).get(name)
        assert caught.value.code == "not_found"

    run(work())


def test_a_broken_state_is_named_and_does_not_hide_the_others(tmp_path: Path) -> None:
    texts = ["", "[]", '{"v": 2}', '{"v": 1}', '{"v": 1, "status": "asleep"}', "\xff"]
    good = {"v": 1, **asdict(ChildState(SHORT, created=1.0))}

    async def work() -> None:
        for name, text in zip("abcdefg", [*texts, json.dumps(good)], strict=True):
            folder = tmp_path / "jobs" / (name * 12)
            folder.mkdir(parents=True)
            (folder / "child.json").write_text(text, "latin-1")
        jobs = shelf(tmp_path)
        assert [one.id for one in await jobs.all()] == ["g" * 12]
        for name in "abcdef":
            with pytest.raises(ProblemError, match=r"child\.json"):
                await jobs.get(name * 12)

    run(work())
