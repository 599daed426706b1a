"""What commands take as games, where files go wrong, and the configuration file as ``doctor`` sees it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import wuzi
from wuzi.apps.cli import main
from wuzi.apps.cli.inputs import read_games
from wuzi.errors import RecordError, WuziError

pytestmark = pytest.mark.kernels
RULES = wuzi.Rules(size=9)


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
    (record,) = read_games(given, RULES)
    assert record.game().moves == game.moves
    assert main(["convert", given, "--to", "pos", "--size", "9"]) == 0
    assert capsys.readouterr().out == "e5f6\n"
    assert main(["solve", given, "--size", "9", "--json", "--nodes", "100"]) == 0
    assert json.loads(capsys.readouterr().out)["result"] == "none"


def test_what_is_neither_a_file_nor_moves_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"^nowhere\.sgf: cannot be read: No such file"):
        read_games("nowhere.sgf", RULES)
    with pytest.raises(WuziError, match=r"moves: .*occupied"):
        read_games("e5 e5", RULES)
    with pytest.raises(RecordError, match="cannot be read: Is a directory"):
        read_games(str(tmp_path), RULES)


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
