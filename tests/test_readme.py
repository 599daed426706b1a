"""The Python of the READMEs works as written."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.kernels
@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_python_example_runs_as_written(name: str, tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / name).read_text("utf-8"), re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "game.sgf").read_text("utf-8").startswith("(;")
    assert len(done.stdout.splitlines()) >= 6
