"""What surrounds wuzi goes wrong: a full disk, a clock that jumps, two servers on one database, no home."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import pytest

from tests.web_server import RunningServer, running_server
from wuzi.apps.web.server import serve
from wuzi.apps.web.settings import Settings
from wuzi.apps.web.store import FILE_NAME
from wuzi.core import kernel_cache
from wuzi.core.kernel_cache import cache_dir
from wuzi.errors import ConfigError

pytestmark = pytest.mark.slow

HOLDING = """
import sys, time
from pathlib import Path
from wuzi.apps.web import server, settings
with server._alone(settings.Settings(data_dir=Path(sys.argv[1]))):
    print(flush=True)
    time.sleep(600)
"""
SMALL = 40
"""Games that do not fit into what is left of a full database."""


def stored(folder: Path) -> dict[str, int]:
    """The games in the database, each with the number of its actions."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as base:
        rows = base.execute("SELECT id, data FROM games").fetchall()
    return {name: len(json.loads(game)["actions"]) for name, game in rows}


def sweep(server: RunningServer) -> None:
    asyncio.run_coroutine_threadsafe(server.context.sweep(), server.loop).result(60)


def allow_pages(server: RunningServer, pages: int) -> None:
    """Let the database grow to so many pages; 0: no more than it has, as on a full disk."""
    base = server.context.store._db
    most = pages or base.execute("PRAGMA page_count").fetchone()[0]
    base.execute(f"PRAGMA max_page_count = {most}")


def test_a_full_disk_is_told_and_takes_no_game_away(tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        kept = server.new_game(None, None)
        data = server.get(f"/store/games/{kept['id']}")["data"]
        allow_pages(server, 0)
        answers = [server.client.put(f"/api/v1/store/games/many{n}", json=body(data)) for n in range(SMALL)]
        refused = [one.json() for one in answers if one.status_code == 503]
        assert refused and {one["code"] for one in refused} == {"storage_failed"}
        assert len(stored(tmp_path)) == 1 + SMALL - len(refused)
        allow_pages(server, 10_000)
        assert server.client.put(f"/api/v1/store/games/many{SMALL - 1}", json=body(data)).is_success
        assert server.play(kept, "a1")["ply"] == 1


def body(data: dict[str, Any]) -> dict[str, Any]:
    return {"version": 0, "summary": {}, "data": data}


def test_what_was_answered_for_is_in_the_database(tmp_path: Path) -> None:
    """A kill at any moment loses nothing that a client has seen."""
    with running_server(tmp_path) as server:
        game = server.new_game(None, None)
        for ply, move in enumerate(("a1", "b2", "c3", "d4"), 1):
            server.play(game, move)
            assert stored(tmp_path)[game["id"]] == ply


def test_a_clock_that_jumps_removes_no_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, jumps = time.time, [0.0]
    monkeypatch.setattr(time, "time", lambda: real() + jumps[-1])
    with running_server(tmp_path) as server:
        game = server.new_game(None, None)
        for move, jump in (("a1", 3e6), ("b2", -3e6), ("c3", 0.0)):
            jumps.append(jump)
            state = server.play(game, move)
            sweep(server)
        assert state["ply"] == 3
        assert [one["id"] for one in server.get("/store/games")] == [game["id"]]


def test_a_second_server_on_the_database_is_refused(tmp_path: Path) -> None:
    with running_lock(tmp_path), pytest.raises(ConfigError, match="another server uses this folder"):
        serve(port=0, settings=Settings(data_dir=tmp_path))


@contextmanager
def running_lock(folder: Path) -> Iterator[None]:
    """Another process that holds what a server holds; killed at the end, which must free it."""
    with subprocess.Popen([sys.executable, "-c", HOLDING, str(folder)], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline()
        try:
            yield
        finally:
            other.kill()


@pytest.mark.parametrize(("what", "value"), [("name", "another"), ("features", {"avx9": True})])
def test_another_processor_has_a_cache_of_its_own(
    monkeypatch: pytest.MonkeyPatch, what: str, value: str | dict[str, bool]
) -> None:
    """A home on two machines: neither runs what was compiled for the other."""
    here = kernel_cache.wanted_dir.__wrapped__()
    found = llvm.FeatureMap(value) if isinstance(value, dict) else value
    monkeypatch.setattr(kernel_cache.llvm, f"get_host_cpu_{what}", lambda: found)
    elsewhere = kernel_cache.wanted_dir.__wrapped__()
    assert elsewhere != here and elsewhere.parent == here.parent


def test_a_home_that_cannot_be_written_is_named_where_it_is_needed(tmp_path: Path) -> None:
    """Everything but what has to be kept works."""
    nowhere = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"), "/dev/null")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WUZI_")}
    env = {**kept, **nowhere, "PYTHONPATH": os.pathsep.join(sys.path)}

    def run(*arguments: str) -> Any:
        command = [sys.executable, "-m", "wuzi", *arguments]
        return subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=120)

    assert run("players").returncode == 0
    # Compiled kernels are kept among the temporary files of the user, and found there again.
    env["TMPDIR"] = str(tmp_path)
    spare = tmp_path / f"wuzi-{os.getuid()}" / "kernels"
    spare.parent.mkdir(mode=0o700)
    spare.symlink_to(cache_dir().parent)
    done = run("convert", "h8 i9", str(tmp_path / "game.sgf"))
    assert done.stderr.count("\n") == 0
    env["WUZI_CACHE_DIR"] = str(cache_dir().parents[1])
    done = run("convert", "h8 i9", str(tmp_path / "game.sgf"))
    assert done.returncode == 0, done.stderr
    refused = run("serve", "--port", "0")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "/dev/null" in refused.stderr
