"""Loading and saving: formats by extension and by looks, whole files or none, messages with names."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

import pytest

from wuzi.base.atomic import naming, write_atomic
from wuzi.core import Game, Rules
from wuzi.errors import ConfigError, RecordError
from wuzi.records import GameRecord, dumps, find_format, list_formats, load, load_all, loads, save

GAME = Game.from_moves(Rules(), ["h8", "j9", "i7"])
READABLE = [name for name, found in list_formats().items() if found.read is not None]


def test_the_names_and_extensions_of_the_formats() -> None:
    assert {name: found.extensions for name, found in list_formats().items()} == {
        "sgf": (".sgf",),
        "json": (".json",),
        "psq": (".psq",),
        "rec": (".rec",),
        "pos": (".pos",),
        "pos-top": (".pos-top",),
        "lib": (".lib",),
        "sav": (".sav",),
        "txt": (".txt",),
        "svg": (".svg",),
    }
    assert find_format("SGF").name == "sgf"
    with pytest.raises(ConfigError, match="unknown game format 'pgn': expected one of sgf, json"):
        find_format("pgn")


@pytest.mark.parametrize("name", READABLE)
def test_files_load_by_extension_and_by_looks(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"game.{name}"
    GAME.save(path)
    loaded = load(path).game()
    assert (loaded.position.cells == GAME.position.cells).all()
    if name == "pos-top":
        return  # looks like pos, which is what a text without a name is taken for
    # A `.rec` file with another ending is still recognised, and so on.
    other = path.rename(tmp_path / "game.dat")
    assert (load(other).game().position.cells == GAME.position.cells).all()
    assert load(other, name).rules.size == 15


def test_game_load_gives_the_game(tmp_path: Path) -> None:
    GAME.save(tmp_path / "g.sgf")
    assert Game.load(tmp_path / "g.sgf") == GAME


def test_text_files_may_hold_any_format(tmp_path: Path) -> None:
    (tmp_path / "moves.txt").write_text("h8 j9 i7", encoding="utf-8")
    assert load(tmp_path / "moves.txt").game() == GAME


def test_messages_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "bad.psq"
    path.write_text("Piskvorky 15x15, 0:0, 0\n99,1,0\n")
    with pytest.raises(RecordError, match=r"bad\.psq: line 2: 99,1 is off the 15x15 board"):
        load(path)
    with pytest.raises(RecordError, match=r"x\.xyz: unknown extension '\.xyz': expected one of \.sgf"):
        save(GAME, tmp_path / "x.xyz")
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.sgf")


def test_several_games_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "all.sgf"
    path.write_text(dumps(GAME) + dumps(GAME.undo()), encoding="utf-8")
    assert [len(record.moves) for record in load_all(path)] == [3, 2]


def test_a_failed_save_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    save(GAME, path)
    before = path.read_bytes()
    broken = GameRecord.from_game(GAME)
    broken.root.properties["XX"] = ("]",)
    with pytest.raises(RecordError, match=r"game\.sgf: property XX"):
        save(broken, path)
    assert path.read_bytes() == before
    broken = GameRecord.from_game(GAME, black="\ud800")
    with pytest.raises(RecordError, match="cannot be written"):
        save(broken, tmp_path / "game.json")
    assert [entry.name for entry in tmp_path.iterdir()] == ["game.sgf"]


def test_a_crash_while_writing_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_atomic(path, b"old")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_atomic(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_told_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "game.sgf"
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as found:
        write_atomic(path, b"new")
    assert found.value.filename == str(path)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError) as missing, naming("other"), open(path, "rb"):
        pass
    assert missing.value.filename == str(path), "it has a name of its own"


@pytest.mark.parametrize(("system", "replaced"), [("win32", True), ("linux", False)])
def test_windows_waits_for_a_reader_of_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str, replaced: bool
) -> None:
    path = tmp_path / "file"
    write_atomic(path, b"old")
    refusals = [PermissionError("in use"), PermissionError("in use")]
    rename = os.replace

    def in_use(source: Path, target: Path) -> None:
        if refusals:
            raise refusals.pop()
        rename(source, target)

    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(os, "replace", in_use)
    if replaced:
        write_atomic(path, b"new")
    else:
        with pytest.raises(PermissionError):
            write_atomic(path, b"new")
    assert path.read_bytes() == (b"new" if replaced else b"old")
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to(target)
    write_atomic(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_what_a_format_leaves_out_is_told(caplog: pytest.LogCaptureFixture) -> None:
    record = GameRecord.from_game(GAME, black="张三", date="2026-11-21")
    record.root.comment = "开局"
    assert find_format("sgf").losses(record) == []
    assert find_format("psq").losses(record) == ["comments, variations or marks", "date"]
    with caplog.at_level(logging.INFO, "wuzi.records.files"):
        dumps(record, "psq")
    assert "psq cannot hold comments, variations or marks, date: left out" in caplog.text


def test_unknown_content_is_refused() -> None:
    with pytest.raises(RecordError, match="unknown kind of game file, it begins 'hello'"):
        loads("hello")
    with pytest.raises(RecordError, match="unknown kind"):
        loads(b"")
