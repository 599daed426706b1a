"""The examples are typed: mypy --strict accepts them against an installed package with its py.typed."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import textwrap
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

WRONG = """
import wuzi

game = wuzi.Game(wuzi.Rules(size="15"))
result = wuzi.player("engine").think(game, 3)
for line in result.info.lines:
    text: str = line.winrate
move: wuzi.core.Game = result.move
wuzi.match("weight", "random", sice=9)
"""


def installed(folder: Path) -> Path:
    """The Python of an environment in which wuzi lies as pip would put it."""
    venv.create(folder, with_pip=False)
    (packages,) = folder.glob("[Ll]ib/**/site-packages")
    (packages / "wuzi").symlink_to(ROOT / "src" / "wuzi", target_is_directory=True)
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    return folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"


def checked(code: dict[str, str], folder: Path) -> str:
    for name, text in code.items():
        (folder / f"{name}.py").write_text(text, "utf-8")
    (folder / "mypy.ini").write_text("[mypy]\nstrict = true\npython_version = 3.11\n", "utf-8")
    python = installed(folder / "environment")
    command = [sys.executable, "-m", "mypy", "--python-executable", str(python), "--cache-dir", "cache"]
    names = [f"{name}.py" for name in code]
    done = subprocess.run([*command, *names], cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def example(page: str) -> str:
    """All examples of a page, as a program of somebody who types."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)
    return "def main() -> None:\n" + textwrap.indent("\n".join(blocks), "    ")


@pytest.mark.ci("a second run of mypy over all of the package, in an environment of its own")
def test_the_examples_are_typed_and_mistakes_are_found(tmp_path: Path) -> None:
    said = checked(
        {"readme": example("README.md"), "python_page": example("docs/python.md"), "wrong": WRONG}, tmp_path
    )
    found = re.findall(r"^(\w+)\.py:(\d+): error: .*\[([\w-]+)\]$", said, re.MULTILINE)
    assert found == [
        ("wrong", "4", "arg-type"),
        ("wrong", "5", "arg-type"),
        ("wrong", "7", "assignment"),
        ("wrong", "8", "assignment"),
        ("wrong", "9", "call-arg"),
    ], said
