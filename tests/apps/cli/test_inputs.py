"""What commands take as games, where files go wrong, and the configuration file as ``doctor`` sees it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import wuzi
from wuzi.apps.cli import main
from wuzi.apps.cli.inputs import read_game, read_games
from wuzi.apps.cli.options import FileBoard
from wuzi.errors import RecordError, WuziError

pytestmark = pytest.mark.kernels
RULES = wuzi.Rules(size=9)
BOARD = FileBoard(size=9)


@pytest.fixture(autouse=True)
def own_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WUZI_CONFIG_DIR", str(tmp_path / "config"))


@pytest.mark.parametrize(
    "given", ["e5 f6", "e5,f6", "e5f6", "4,4 5,3", "E5,F6", "1. e5 f6", "{}.sgf", "{}.pos"]
)
def test_every_command_reads_a_game_the_same_way(
    given: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = wuzi.Game.from_moves(RULES, "e5,f6")
    given = given.format(tmp_path / "game")
    if Path(given).suffix in (".sgf", ".pos"):
        game.save(given)
    record = read_game(given, BOARD)
    assert record.game().moves == game.moves
    assert main(["convert", given, "--to", "pos", "--size", "9"]) == 0
    assert capsys.readouterr().out == "e5f6\n"
    assert main(["solve", given, "--size", "9", "--json", "--nodes", "100"]) == 0
    assert json.loads(capsys.readouterr().out)["result"] == "none"


def test_what_is_neither_a_file_nor_moves_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"^nowhere\.sgf: cannot be read: No such file"):
        read_games("nowhere.sgf", BOARD)
    with pytest.raises(WuziError, match=r"moves: .*occupied"):
        read_games("e5 e5", BOARD)
    with pytest.raises(RecordError, match="cannot be read: Is a directory"):
        read_games(str(tmp_path), BOARD)


def test_an_error_names_the_file_asked_for(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "nodir" / "x.sgf"
    assert main(["convert", "h8i9", str(target)]) != 0
    assert capsys.readouterr().err == f"wuzi: error: {target}: No such file or directory\n"


def test_a_diagram_of_any_size_is_read_back(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    for size in (3, 6, 9, 15, 19, 22, 26):
        game = wuzi.Game.from_moves(wuzi.Rules(size=size, win_length=min(5, size)), "b2 a1 c3")
        game.save(path)
        assert main(["convert", str(path), "--to", "txt"]) == 0
        again = capsys.readouterr().out
        drawn = path.read_text().replace("[", " ").replace("]", " ")  # who moved last is not kept
        assert [row.split() for row in again.splitlines()[1:]] == [
            row.split() for row in drawn.splitlines()[1:]
        ]
        assert f"{size}x{size}" in again.splitlines()[0]


def test_records_are_bytes_whatever_the_console_can_show(tmp_path: Path) -> None:
    source = tmp_path / "game.sgf"
    source.write_text("(;GM[4]SZ[15]RU[freestyle]PB[张三];B[hh]C[五])", encoding="utf-8")
    command = [sys.executable, "-m", "wuzi", "convert", str(source), "-", "--to", "sgf"]
    environment = os.environ | {"PYTHONIOENCODING": "cp1252"}
    done = subprocess.run(command, check=True, capture_output=True, env=environment)
    assert "PB[张三]".encode() in done.stdout


def test_a_rec_file_is_20x20_unless_said_otherwise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "game.rec"
    source.write_text("A\nB\n7,7,1\n8,8,1\n0\n")
    for options, size in (([], 20), (["--rule", "renju"], 20), (["--size", "15"], 15)):
        assert main(["convert", str(source), "--to", "sgf", *options]) == 0
        assert f"SZ[{size}]" in capsys.readouterr().out
    assert read_game(str(source), FileBoard()).rules.size == 20


def test_a_charset_that_is_given_counts(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    source = tmp_path / "game.sgf"
    source.write_bytes("(;GM[4]SZ[15]RU[0]PB[Žák];B[hh])".encode("cp1250"))
    assert main(["convert", str(source), "--to", "sgf", "--charset", "windows-1250"]) == 0
    out, err = capsysbinary.readouterr()
    assert "PB[Žák]".encode() in out and err == b""
    assert main(["convert", str(source), "--to", "sgf", "--charset", "klingon"]) == 2
    assert b"unknown charset 'klingon': expected one of utf-8, gb18030" in capsysbinary.readouterr().err


def test_a_file_of_a_go_editor_needs_a_rule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "game.sgf"
    source.write_text("(;GM[1]SZ[15]RU[Japanese]KM[6.5];B[hh];W[ii])")
    assert main(["convert", str(source), "--to", "sgf"]) == 2
    assert "GM[1] (Go): expected GM[4], gomoku and renju; give the rule (--rule)" in capsys.readouterr().err
    assert main(["convert", str(source), "--to", "sgf", "--rule", "renju"]) == 0
    out, err = capsys.readouterr()
    assert "GM[4]" in out and "RU[renju]" in out
    assert "GM[1] (Go) is not gomoku: read as gomoku" in err


def test_one_broken_game_of_a_collection_leaves_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "all.sgf"
    good = "(;GM[4]SZ[15]RU[freestyle]PB[Ann]DT[2026-11-27];B[hh])"
    source.write_text(f"{good}(;GM[4]SZ[9]RU[0];B[ee];W[ee]){good}")
    for number, code in ((1, 0), (2, 2), (3, 0)):
        assert main(["convert", str(source), "--to", "pos", "--game", str(number)]) == code
    assert "game 2: move 2: e5 is occupied" in capsys.readouterr().err
    assert main(["convert", str(source), "--to", "pos", "--all"]) == 0
    out, err = capsys.readouterr()
    assert out == "h8\nh8\n" and "game 2: move 2: e5 is occupied" in err
    assert main(["convert", str(source), "--list"]) == 0
    first, second, _ = capsys.readouterr().out.splitlines()
    assert first == "1: Ann - ?, 2026-11-27, freestyle 15x15, 1 moves, unfinished"
    assert second.startswith("2: cannot be read: move 2: e5 is occupied")


@pytest.mark.parametrize("command", [["doctor"], ["config", "show"], ["config"]])
@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("[play\n", 1, "end of a table declaration"),
        ("[play]\nplayer = 'engine'\nsiz = 3\n", 3, "unknown key 'siz' in [play]"),
        ("# mine\n[match]\ngames = 'many'\n", 3, "[match] games = 'many': expected a whole number"),
        ("[models.list]\nx = 1\n", 2, "unknown key 'x' in [models.list]"),
    ],
)
def test_a_broken_configuration_stops_with_its_line(
    command: list[str], text: str, line: int, said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "config" / "config.toml"
    path.parent.mkdir()
    path.write_text(text)
    assert main(command) == 2
    error = capsys.readouterr().err
    assert str(path) in error and f"line {line}" in error and said in error
    assert main(["config", "path"]) == 0
