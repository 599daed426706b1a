from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.arena.games import STUDY, games_of
from wuzi.apps.cli import main
from wuzi.arena.openings import load_shipped
from wuzi.arena.results import write_csv
from wuzi.core import Rules
from wuzi.workers.local import worker_environment

pytestmark = pytest.mark.slow

ENV = {**os.environ, **worker_environment()}


def test_match_prints_score_elo_and_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["weight", "R=random @nodes=5", "--size", "7", "--games", "6", "--out", str(tmp_path / "m")]
    assert main(["match", *arguments, "--sprt", "elo0=0,elo1=100"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Score of weight vs R: ")
    for text in ("Elo difference: ", "LOS: ", "SPRT: llr ", "Distinct games: ", "! weight – R: a sample of"):
        assert text in out
    assert Path(out.strip().splitlines()[-1]).name.startswith("batch_results_")


def test_tournament_ends_in_record_csv_charts_and_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    players = ["-p", "weight", "-p", "random", "-p", "minimax:depth=1"]
    common = ["--size", "7", "--win-length", "4", "--games", "4", "--out", str(tmp_path)]
    assert main(["tournament", *players, *common, "--lang", "zh"]) == 0
    out = capsys.readouterr().out
    assert "名次" in out and "不能区分" in out
    folder = next(tmp_path.glob("fig_anly_batch_results_*"))
    assert len(list(folder.glob("*.png"))) == 12
    assert (folder / "report.html").exists() and (folder / "summary.json").exists()
    assert main(["tournament", "--resume", "--out", str(tmp_path), "--json", "--no-report"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["games"] == 12 and data["csv"].endswith(".csv")


def test_openings_come_from_the_book_of_the_board_and_a_resumed_run_keeps_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    players = ["-p", "weight", "-p", "random", "-p", "minimax:depth=1", "--ladder", "--games", "2"]
    for name, more in (("book", []), ("random", ["--openings", "auto"])):
        out = ["--out", str(tmp_path / name), "--no-report", "--json"]
        assert main(["tournament", *players, "--size", "9", *more, *out]) == 0
        assert main(["tournament", *players, "--size", "9", "--resume", *out]) == 0
    games = [json.loads(line) for line in (tmp_path / "book" / "games.jsonl").read_text().splitlines()]
    assert {game["opening_id"] for game in games} == {load_shipped("freestyle-9", Rules(9))[0].id}
    settings = json.loads((tmp_path / "random" / "tournament.json").read_text())["settings"]
    assert settings["openings"] == "auto" and settings["format"] == "ladder"
    capsys.readouterr()
    assert main(["tournament", *players, "--gauntlet"]) == 2
    assert "--gauntlet and --ladder" in capsys.readouterr().err


def test_a_match_with_a_test_answers_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "m"
    arguments = ["weight", "random", "--size", "9", "--concurrency", "2", "--sprt", "elo0=-30,elo1=30"]
    assert main(["match", *arguments, "--out", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "weight beat random" in shown and "H1 was accepted" in shown
    settings = json.loads((out / "tournament.json").read_text())["settings"]
    assert settings["games"] == 300, "each opening of the book with both colours"


def test_report_writes_charts_and_prints_findings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_csv(games_of(STUDY), tmp_path / "study.csv")
    arguments = [str(tmp_path / "study.csv"), "-o", str(tmp_path / "o"), "--format", "svg"]
    assert main(["report", *arguments, "--anchor", "AlphaZero=1000"]) == 0
    out = capsys.readouterr().out
    assert "Minimax beat Enhanced: 49 wins, 2 draws, 9 losses" in out
    assert len(list((tmp_path / "o" / "fig_anly_study").glob("*.svg"))) == 12
    summary = json.loads((tmp_path / "o" / "fig_anly_study" / "summary.json").read_text(encoding="utf-8"))
    assert summary["players"][-1]["rating"]["value"] == 1000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["match", "weight", "nobody"], "unknown player 'nobody'"),
        (["match", "weight", "random", "--sprt", "elo0=9,elo1=1"], "expected elo0 below elo1"),
        (["match", "weight", "random", "--opening-plies", "x"], "--opening-plies 'x'"),
        (["match", "weight", "random", "--openings", "no.txt"], "no.txt: cannot be read"),
        (["match", "weight", "random", "--resume"], "--resume needs --out"),
        (["match", "weight", "random", "--report"], "--report needs --out"),
        (["match", "weight", "random", "--size", "2"], "board size 2"),
        (["tournament", "-p", "weight"], "1 players: expected at least 2"),
        (["tournament", "-p", "weight", "-p", "weight"], "two players are called 'weight'"),
        (["tournament", "--resume"], "--resume needs --out"),
        (["report", "none.csv"], "none.csv: cannot be read"),
        (["report", "none.csv", "--anchor", "x"], "--anchor 'x'"),
        (["match", "weight @speed=1", "random"], "budget 'speed=1'"),
    ],
)
def test_bad_input_is_one_clear_line_and_exit_code_2(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err and len(captured.err.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_ctrl_c_shows_the_result_so_far_and_how_to_go_on(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "wuzi", "match", "weight", "random", "--size", "9", "--games", "2000"]
    process = subprocess.Popen(
        [*command, "--out", str(tmp_path)], env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    games = tmp_path / "games.jsonl"
    while process.poll() is None and (not games.exists() or games.read_bytes().count(b"\n") < 6):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out.startswith("Score of weight vs random: ")
    assert f"continue with --out {tmp_path} --resume" in err and "Traceback" not in err
