"""The archives: a source archive from the tree, and from it a wheel, without Node, outside the repository."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import dev
import pytest
import third_party
import yaml

import wuzi

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "wuzi"


def build(kind: str, source: Path, target: Path, path: str) -> Path:
    """An archive by the standard front end; the build's requirements are those of the environment."""
    done = subprocess.run(
        [sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "--outdir", str(target), str(source)],
        cwd=target,
        env={**os.environ, "PATH": path, "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    (archive,) = target.iterdir()
    return archive


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The source archive, and the wheel built from it with nothing on PATH."""
    folder = tmp_path_factory.mktemp("archives")
    for name in ("sdist", "wheel", "source", "nothing"):
        (folder / name).mkdir()
    sdist = build("sdist", ROOT, folder / "sdist", os.environ["PATH"])
    with tarfile.open(sdist) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.4 and newer
        archive.extractall(folder / "source")
    (source,) = (folder / "source").iterdir()
    return sdist, build("wheel", source, folder / "wheel", str(folder / "nothing"))


@pytest.mark.ci("builds both archives, which .ci/run tries out alone")
def test_the_wheel_holds_the_whole_package_and_its_notices(archives: tuple[Path, Path]) -> None:
    _, wheel = archives
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        info = f"wuzi-{wuzi.__version__}.dist-info"
        metadata = HeaderParser().parsestr(archive.read(f"{info}/METADATA").decode())
        packages = archive.read("wuzi/data/web/packages.txt").decode().split()
        notices = archive.read(f"{info}/licenses/THIRD-PARTY.md").decode()
        commands = archive.read(f"{info}/entry_points.txt").decode()
    own = {path.relative_to(PACKAGE.parent).as_posix() for path in PACKAGE.rglob("*") if path.is_file()}
    assert {name for name in own if "__pycache__" not in name} <= names
    assert {"wuzi/py.typed", "wuzi/data/fonts/OFL.txt", f"{info}/licenses/LICENSE"} <= names
    assert not any(name.startswith(("tests/", "frontend/", "scripts/", "research/")) for name in names)
    assert (metadata["Version"], metadata["License-Expression"]) == (wuzi.__version__, "MIT")
    assert {"wuzi", "pbrain-wuzi"} == set(re.findall(r"^([\w-]+) = wuzi\.", commands, re.MULTILINE))
    listed = re.findall(r"^\| ([@\w/-]+) \| [\d.]+ \| [\w.-]+ \|$", notices, re.MULTILINE)
    assert sorted(listed) == sorted(place.rpartition("node_modules/")[2] for place in packages)


@pytest.mark.ci("builds both archives, which .ci/run tries out alone")
def test_the_source_archive_holds_what_the_checks_need(archives: tuple[Path, Path]) -> None:
    sdist, _ = archives
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {"LICENSE", "THIRD-PARTY.md", "CITATION.cff", "Makefile", "pyproject.toml", "hatch_build.py"}
    wanted |= {"src/wuzi/data/web/index.html", "frontend/package-lock.json", ".ci/run", "scripts/dev.py"}
    wanted |= {
        "tests/test_packaging.py",
        "docs/python.md",
        "research/README.md",
        "plugins/wuzi-keras/pyproject.toml",
    }
    assert {name for name in wanted if not any(n == name or n.startswith(name + "/") for n in names)} == set()
    assert not any("node_modules" in name or "__pycache__" in name for name in names)
    assert not any(name.startswith(("benchmarks/", "tests/evidence/")) for name in names)


def test_the_notices_name_the_versions_of_the_lock_file() -> None:
    text = (ROOT / third_party.NOTICES).read_text("utf-8")
    rows = re.findall(r"^\| ([@\w/-]+) \| ([\d.]+) \| ([\w.-]+) \|$", text, re.MULTILINE)
    locked = json.loads((ROOT / third_party.LOCK).read_text("utf-8"))["packages"]
    known = {
        (place.rpartition("node_modules/")[2], entry.get("version"), entry.get("license"))
        for place, entry in locked.items()
    }
    assert set(rows) <= known
    wanted = json.loads((ROOT / "frontend" / "package.json").read_text("utf-8"))["dependencies"]
    assert set(wanted) <= {name for name, _, _ in rows}
    for name, version, _ in rows:
        assert f"{name} {version}" in text, "its licence's text is there"


def test_there_is_one_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == wuzi.__version__
    assert (citation["license"], citation["cff-version"]) == ("MIT", "1.2.0")
    assert '"version"' not in (ROOT / "frontend" / "package.json").read_text("utf-8")


def test_the_forge_runs_our_own_commands_on_all_systems() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8"))["jobs"]
    matrix = jobs["quick"]["strategy"]["matrix"]
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "windows", "macos"}
    said = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text("utf-8"))
    assert matrix["python"] == said
    commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    for command in commands:
        if command != ".ci/run":
            assert command.removeprefix("python scripts/dev.py ") in dev.COMMANDS
    assert {"setup", "lint", "types", "imports", "quick", "front", "build"} <= {
        c.split()[-1] for c in commands
    }
