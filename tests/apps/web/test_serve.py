"""``wuzi serve`` as people start it: a process of its own, ended by Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
import pytest

from wuzi.apps.web.server import is_loopback, listen, settings_at
from wuzi.apps.web.settings import Settings
from wuzi.errors import ConfigError

pytestmark = pytest.mark.slow

WAIT_S = 120


@pytest.mark.parametrize(
    ("host", "proxy", "shown"),
    [
        ("127.0.0.1", "", True),
        ("localhost", "", True),
        ("::1", "", True),
        ("127.0.0.1", "play.example.org", False),
        ("0.0.0.0", "", False),
        ("192.168.1.5", "", False),
    ],
)
def test_an_engines_log_is_shown_where_nobody_else_reaches_the_server(
    monkeypatch: pytest.MonkeyPatch, host: str, proxy: str, shown: bool
) -> None:
    monkeypatch.setenv("WUZI_ALLOWED_HOSTS", proxy)
    assert settings_at(host, Settings()).show_engine_log is shown


@contextmanager
def served(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A running ``wuzi serve`` and its URL; killed if the test has not ended it."""
    env = {**os.environ, "WUZI_DATA_DIR": str(folder / "data"), "PYTHONPATH": os.pathsep.join(sys.path)}
    log = folder / "serve.log"
    with log.open("w", encoding="utf-8") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "wuzi", "serve", "--port", "0", *arguments],
            stdout=out,
            stderr=subprocess.STDOUT,
            env=env,
            text=True,
        )
    try:
        yield process, wait_for_url(process, log)
    finally:
        process.kill()
        process.wait()


def wait_for_url(process: subprocess.Popen[str], log: Path) -> str:
    deadline = time.monotonic() + WAIT_S
    while not (found := re.search(r"wuzi is at (http://\S+)", log.read_text("utf-8"))):
        assert process.poll() is None, log.read_text("utf-8")
        assert time.monotonic() < deadline, log.read_text("utf-8")
        time.sleep(0.05)
    return found[1]


@pytest.mark.skipif(os.name != "posix", reason="sends a POSIX signal")
def test_serve_answers_and_ctrl_c_ends_it_with_its_workers(tmp_path: Path) -> None:
    with served(tmp_path) as (process, url):
        assert url.startswith("http://127.0.0.1:")
        assert httpx.get(f"{url}/api/v1/health").json()["status"] == "ok"
        assert len(httpx.get(f"{url}/api/v1/engines", timeout=WAIT_S).json()) > 3
        refused = httpx.get(url, headers={"host": "evil.example"})
        assert refused.status_code == 403
        workers = psutil.Process(process.pid).children(recursive=True)
        assert workers
        process.send_signal(signal.SIGINT)
        assert process.wait(WAIT_S) in (0, 130)
        assert not [worker for worker in workers if worker.is_running()]
    assert "Traceback" not in (tmp_path / "serve.log").read_text("utf-8")
    assert (tmp_path / "data" / "games.sqlite3").exists()


def test_other_machines_only_with_a_warning(tmp_path: Path) -> None:
    with served(tmp_path, "--host", "0.0.0.0") as (_, url):
        assert httpx.get(f"{url}/api/v1/health", headers={"host": "lab.example"}).status_code == 200
    assert "everyone who can reach this machine" in (tmp_path / "serve.log").read_text("utf-8")


def test_of_two_servers_that_start_at_once_one_gets_the_port() -> None:
    with listen("127.0.0.1", 0) as first, pytest.raises(ConfigError, match="cannot listen"):
        listen("127.0.0.1", first.getsockname()[1])


def test_a_port_in_use_is_one_clear_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        env = {**os.environ, "WUZI_DATA_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-m", "wuzi", "serve", "--port", port],
            capture_output=True,
            text=True,
            env=env,
            timeout=WAIT_S,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert port in done.stderr


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("example.org", False)],
)
def test_loopback(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback
