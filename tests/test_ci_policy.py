"""Under CI=true nothing is skipped in silence."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

SKIPPING = "import pytest\ndef test_a():\n    pytest.skip('no browser')\n"
ALLOWED = (
    "import pytest\n@pytest.mark.may_skip\n@pytest.mark.skipif(True, reason='other system')\n"
    "def test_a():\n    assert False\n"
)
EXPECTED_FAILURE = "import pytest\n@pytest.mark.xfail(strict=True)\ndef test_a():\n    assert False\n"
SKIPPED_MODULE = "import pytest\npytest.importorskip('nowhere_to_be_found')\n"


def outcome(folder: Path, content: str, ci: str) -> int:
    (folder / "test_it.py").write_text(content)
    path = os.pathsep.join(str(ROOT / name) for name in ("tests", "scripts", "src"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "conftest", "-p", "no:cacheprovider"]
    return subprocess.run(
        [*command, "-o", "markers=may_skip", "test_it.py"],
        cwd=folder,
        env={**os.environ, "CI": ci, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        check=False,
    ).returncode


@pytest.mark.parametrize(
    ("content", "in_ci"),
    [(SKIPPING, 1), (ALLOWED, 0), (EXPECTED_FAILURE, 0), (SKIPPED_MODULE, 2)],
)
def test_skips_fail_in_ci_only(tmp_path: Path, content: str, in_ci: int) -> None:
    assert outcome(tmp_path, content, "true") == in_ci
    assert outcome(tmp_path, content, "") in (0, 5)


MOST_IN_CI = 24  # with the 1,000 mutated proofs


def test_what_only_ci_runs_says_why_and_is_little() -> None:
    marks = [
        (path.name, node)
        for path in sorted(ROOT.joinpath("tests").rglob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.ci"
    ]
    assert 1 <= len(marks) <= MOST_IN_CI, [name for name, _ in marks]
    for name, mark in marks:
        (reason,) = map(ast.literal_eval, mark.args)
        assert len(reason) > 10, f"{name}: pytest.mark.ci needs a reason"
