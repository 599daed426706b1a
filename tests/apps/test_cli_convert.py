"""Converting game records on the command line."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from wuzi.apps.cli import main
from wuzi.core import Game, Rules

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "game.sgf"
    Game.from_moves(Rules(size=15), ["h8", "j9", "i7"]).save(path)
    return path


@pytest.mark.parametrize("name", ["sgf", "json", "psq", "rec", "pos"])
def test_every_format_leads_back(saved: Path, tmp_path: Path, name: str) -> None:
    there, back = tmp_path / f"there.{name}", tmp_path / "back.sgf"
    assert main(["convert", str(saved), str(there)]) == 0
    assert main(["convert", str(there), str(back)]) == 0
    assert Game.load(back).moves == Game.load(saved).moves


def test_pictures_are_written(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", str(saved), "--to", "svg"]) == 0
    assert capsys.readouterr().out.startswith("<svg")
    assert main(["convert", str(saved), "--to", "txt"]) == 0
    assert capsys.readouterr().out.count("\n") >= 15


def test_standard_input_is_read(wuzi_command: Run) -> None:
    done = wuzi_command("convert", "-", "--to", "pos", text="7,7 7,6")
    assert (done.returncode, done.stdout) == (0, "h8h9\n"), done.stderr


def test_what_is_lost_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.sgf"
    Game.from_moves(Rules(size=9, win_length=4), ["e5"]).save(path)
    assert main(["convert", str(path), "--to", "pos"]) == 0
    shown = capsys.readouterr()
    assert shown.out == "e5\n"
    assert "pos cannot hold rules: left out" in shown.err


def test_one_game_of_several_is_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "codes.pos"
    path.write_text("h8h9\ni7i8\n")
    assert main(["convert", str(path), "--to", "pos", "--game", "2"]) == 0
    shown = capsys.readouterr()
    assert shown.out == "i7i8\n"
    assert "game 2 of 2" in shown.err
    assert main(["convert", str(path), "--to", "pos", "--game", "3"]) == 2


@pytest.mark.parametrize(
    ("content", "arguments", "said"),
    [
        ("h8h9", [], "the format of standard output is unknown: say --to with one of sgf"),
        ("h8h9", ["--to", "gif"], "gif"),
        ("h8h8", ["--to", "sgf"], "h8"),
        ("(;GM[4]SZ[15];B[hh", ["--to", "pos"], "game"),
        ("nonsense!", ["--to", "sgf"], "game"),
        ("", ["--to", "sgf"], "game"),
    ],
)
def test_bad_input_is_one_line_and_2(
    tmp_path: Path, content: str, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game"
    path.write_text(content)
    assert main(["convert", str(path), *arguments]) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith("wuzi: error: ")
    assert said in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""


def test_a_failed_conversion_leaves_the_target_alone(saved: Path, tmp_path: Path) -> None:
    target = tmp_path / "kept.psq"
    target.write_text("kept")
    broken = tmp_path / "broken.sgf"
    broken.write_text("(;GM[4")
    assert main(["convert", str(broken), str(target)]) == 2
    assert target.read_text() == "kept"
