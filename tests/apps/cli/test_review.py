"""``wuzi review``: files, errors, and going on after a kill."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wuzi.analysis.review import next_task, restore
from wuzi.apps.cli import main
from wuzi.records import load

ROOT = Path(__file__).resolve().parents[3]
GAME = ROOT / "tests" / "analysis" / "review" / "games" / "missed_vcf.sgf"
FAST = ["--player", "engine:table_mb=16", "--quick-nodes", "200", "--nodes", "200", "--verify-nodes", "400"]
FAST += ["--proof-nodes", "5000", "--no-strength"]


def test_a_review_writes_its_files_and_is_not_done_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["review", str(GAME), "--out", str(out), *FAST]) == 0
    text = capsys.readouterr().out
    assert "Forced wins not played" in text
    assert "Worst moves" in text
    names = {f"missed_vcf.review.{kind}" for kind in ("sgf", "html", "csv", "jsonl")}
    assert {path.name for path in out.iterdir()} == names
    saved = restore(load(out / "missed_vcf.review.sgf"))
    assert saved is not None and next_task(saved) is None
    # An analyst that cannot play these rules would fail: the saved results are used.
    assert main(["review", str(out / "missed_vcf.review.sgf"), "--json", "--lang", "zh"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["file"] == "missed_vcf"
    assert data["complete"]
    assert data["moves"][19]["missed"]["kind"] == "vcf"


@pytest.mark.slow
def test_it_goes_on_after_a_kill(tmp_path: Path) -> None:
    journal = tmp_path / "missed_vcf.review.jsonl"
    command = [
        sys.executable,
        "-m",
        "wuzi",
        "review",
        str(GAME),
        "--out",
        str(tmp_path),
        *FAST,
        "--nodes",
        "20000",
    ]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL) as child:
        until = time.monotonic() + 120
        while not (journal.is_file() and journal.read_bytes().count(b"\n") > 5):
            assert time.monotonic() < until and child.poll() is None
            time.sleep(0.01)
        child.kill()
    before = journal.read_bytes()
    whole = before[: before.rindex(b"\n") + 1]
    done = subprocess.run(command, env=env, capture_output=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert journal.read_bytes().startswith(whole), "nothing was analysed twice"
    saved = restore(load(tmp_path / "missed_vcf.review.sgf"))
    assert saved is not None and next_task(saved) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(;GM[4]SZ[15]RU[freestyle];B[hh];W[hh])", "move 2: h8 is occupied by black"),
        ("(;GM[4]SZ[15]RU[freestyle];B[hh];B[hi])", "expected white"),
        ("(;GM[4]SZ[15]RU[freestyle])", "has no moves"),
        ("nonsense", "unknown kind of game file|no SGF game"),
    ],
)
def test_records_that_cannot_be_reviewed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    path = tmp_path / "bad.sgf"
    path.write_text(text)
    assert main(["review", str(path)]) == 2
    error = capsys.readouterr().err
    assert "bad.sgf" in error
    assert any(part in error for part in message.split("|"))


def test_bad_options_are_one_line_and_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", str(GAME), "--lang", "fr"]) == 2
    assert main(["review", str(tmp_path / "missing.sgf")]) == 2
    copy = tmp_path / GAME.name
    copy.write_bytes(GAME.read_bytes())
    assert main(["review", str(GAME), str(copy), *FAST]) == 2
    assert "two games are called 'missed_vcf'" in capsys.readouterr().err
    assert main(["review", str(GAME), "--player", "solver"]) == 2
