"""Every line of the tutorials works as written: typed into a shell, in order, in an empty folder."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tutorials import TUTORIALS, Block, blocks, script_of


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.ci("types three tutorials into a shell, with servers and training: three minutes")
@pytest.mark.kernels
@pytest.mark.skipif(os.name != "posix", reason="the scripts are for a POSIX shell")
@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_runs_line_by_line(page: Path, tmp_path: Path) -> None:
    port = free_port()
    settings = tmp_path / "settings"
    settings.mkdir()
    (settings / "config.toml").write_text(f"[serve]\nport = {port}\n", encoding="utf-8")
    work = tmp_path / "work"
    work.mkdir()
    env = {
        **os.environ,
        "WUZI_CONFIG_DIR": str(settings),
        "WUZI_DATA_DIR": str(tmp_path / "data"),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    done = subprocess.run(
        ["bash", "-x", "-c", script_of(page, port)],
        cwd=work,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=1800,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "Traceback" not in done.stderr


def code(block: Block) -> list[str]:
    """A block without its comments, which are translated."""
    return [line for whole in block.text.splitlines() if (line := whole.partition(" #")[0].strip())]


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_the_chinese_tutorial_has_the_same_lines(page: Path) -> None:
    chinese = page.with_name(f"{page.stem}.zh.md")
    one, other = list(blocks(page)), list(blocks(chinese))
    assert [(block.mark, block.kind, block.title, code(block)) for block in one] == [
        (block.mark, block.kind, block.title, code(block)) for block in other
    ]
