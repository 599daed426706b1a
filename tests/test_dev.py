"""The development commands: what they do is the same wherever the clone lies."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import warnings
from importlib.util import cache_from_source
from pathlib import Path

import dev
import pytest
from _pytest.config import parse_warning_filter

ROOT = Path(__file__).resolve().parent.parent
FILTERS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]
BAD_ESCAPE = 'pattern = "\\d"\n'


@pytest.mark.parametrize(
    "name", ["wuzi", "test", "tests", "testing", "serve", "tune", "dashboard", "keras", "tést dir"]
)
def test_modules_of_the_environment_are_compiled_in_a_folder_of_any_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = tmp_path / name / "wuzi" / ".venv"
    package = environment / "lib" / "site-packages" / "package"
    (package / "tests").mkdir(parents=True)
    for file in (package / "used.py", package / "tests" / "unused.py"):
        file.write_text(BAD_ESCAPE, encoding="utf-8")
    monkeypatch.setattr(dev, "PYTHON", Path(sys.executable))
    dev.compile_modules(environment)
    assert Path(cache_from_source(str(package / "used.py"))).is_file()
    assert not (package / "tests" / "__pycache__").exists()


def is_error(where: str, category: type[Warning], module: str | None = None) -> bool:
    """Whether pytest makes an error of a warning from that file, or module."""
    with warnings.catch_warnings(record=True):
        for text in FILTERS["filterwarnings"]:
            warnings.filterwarnings(*parse_warning_filter(text, escape=False))
        try:
            warnings.warn_explicit("a warning", category, where, 1, **({"module": module} if module else {}))
        except category:
            return True
    return False


@pytest.mark.parametrize(
    "clone", ["/home/a/wuzi", "/home/a/test/wuzi", "/src/wuzi", "/home/tests/tést dir/scripts/wuzi"]
)
def test_only_warnings_of_our_own_code_are_errors(clone: str) -> None:
    package = f"{clone}/.venv/lib/python3.13/site-packages/other/tests/one.py"
    for category in (DeprecationWarning, SyntaxWarning, RuntimeWarning):
        assert not is_error(package, category), "what Python says when it compiles a module"
        assert not is_error(package, category, "other.one")
        assert is_error(f"{clone}/src/wuzi/core/one.py", category)
        assert is_error(f"{clone}/src/wuzi/core/one.py", category, "wuzi.core.one")
        assert is_error(f"{clone}/tests/core/test_one.py", category, "tests.core.test_one")
    assert is_error(package, ResourceWarning), "a file that nobody closes"
    assert is_error(package, pytest.PytestUnraisableExceptionWarning)


SMALL_PART = (
    "tests/test_dev.py",
    "tests/test_repo.py",
    "tests/base",
    "tests/records/test_sgf.py",
    "tests/core/test_notation.py",
)


@pytest.mark.ci("sets up a clone in a folder of such a name: a minute")
def test_a_clone_below_a_folder_called_test_is_set_up_and_tested(tmp_path: Path) -> None:
    clone = tmp_path / "tést dir" / "test" / "wuzi"
    clone.parent.mkdir(parents=True)
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{ROOT}", clone], check=True)
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "WUZI_VENV")}
    env |= {"WUZI_CACHE_DIR": str(tmp_path / "cache"), "WUZI_DATA_DIR": str(tmp_path / "data")}
    set_up = "import sys; sys.path.insert(0, 'scripts'); import dev; dev.setup(())"
    subprocess.run([sys.executable, "-c", set_up], cwd=clone, env=env, check=True)
    (packages,) = (clone / ".venv").rglob("site-packages")
    assert (packages / "fastapi" / "__pycache__").is_dir()
    # pytest and its companions come from the environment that runs this.
    own = next(path for path in map(Path, sys.path) if (path / "pytest").is_dir())
    (packages / "companions.pth").write_text(f"{own}\n", encoding="utf-8")
    python = clone / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    part = [
        python,
        "-m",
        "pytest",
        "-q",
        "-n",
        "2",
        "-p",
        "no:cacheprovider",
        "-m",
        "not ci and not slow",
        *SMALL_PART,
    ]
    done = subprocess.run(part, cwd=clone, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
