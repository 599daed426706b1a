"""The Python of the READMEs works as written."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.slow
@pytest.mark.kernels
@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_python_example_runs_as_written(name: str, tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / name).read_text("utf-8"), re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "game.sgf").read_text("utf-8").startswith("(;")
    *lines, elo = done.stdout.splitlines()
    assert len(lines) == 5
    for line in lines:
        move, winrate, visits, *pv = line.split()
        assert pv[0] == move and re.fullmatch(r"\d{1,3}\.\d%", winrate) and visits.isdecimal(), line
        assert all(re.fullmatch(r"[a-o]([1-9]|1[0-5])", cell) for cell in pv), line
        assert not {"h8", "j9"} & set(pv) and len(set(pv)) == len(pv), line
    assert len({line.split()[0] for line in lines}) == 5
    assert re.fullmatch(r"[+-](\d+|inf) \[[+-](\d+|inf), [+-](\d+|inf)\]", elo), elo
