"""``wuzi serve --reload`` starts its server again after a change."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import pytest

from wuzi.apps import cli
from wuzi.apps.web import reload

WAIT_S = 60


def test_a_changed_file_starts_the_server_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, log = tmp_path / "code", tmp_path / "log"
    code.mkdir()
    (code / "a.py").write_text("1", encoding="utf-8")
    monkeypatch.setattr(reload, "LOOK_S", 0.02)
    server = f"import sys, time; print(sys.argv[1], file=open({str(log)!r}, 'a')); time.sleep(600)"
    said: list[str] = []

    def starts() -> int:
        return len(log.read_text("utf-8").splitlines()) if log.exists() else 0

    def say(text: str) -> None:
        said.append(text)
        if len(said) == 2:
            raise KeyboardInterrupt

    def change() -> None:
        for number in (1, 2):
            deadline = time.monotonic() + WAIT_S
            while starts() < number and time.monotonic() < deadline:
                time.sleep(0.02)
            (code / f"b{number}.py").write_text("1", encoding="utf-8")

    threading.Thread(target=change, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        reload.serve_again(["--port"], code, (sys.executable, "-c", server), say)
    assert said == [f"wuzi: b{n}.py has changed: starting again" for n in (1, 2)]
    assert log.read_text("utf-8").split() == ["--port"] * 2


def test_the_command_runs_itself_without_the_option(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[list[str]] = []
    monkeypatch.setattr(reload, "serve_again", given.append)
    monkeypatch.setattr(sys, "argv", ["wuzi", "serve", "--reload", "--port", "8123"])
    assert cli.main(["serve", "--reload", "--port", "8123"]) == 0
    assert given == [["--port", "8123"]]
