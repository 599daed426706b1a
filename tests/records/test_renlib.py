"""RenLib libraries: the bytes of the format, and what becomes of odd files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.records.strategies import texts
from wuzi.core import Game, Rule, Rules, parse_move
from wuzi.errors import RecordError
from wuzi.records import GameRecord, Mark, MarkKind, RecordNode, dumps, load, loads, save
from wuzi.records.formats import renlib

HEADER = b"\xffRenLib\xff\x03\x04" + b"\xff" * 10
H8, H9, I9 = 0x78, 0x68, 0x69  # row 7 from the top, column 8: h8 is the centre


def cell(text: str) -> int:
    return parse_move(text, 15)


def names(record: GameRecord) -> list[str]:
    return [node.comment for node in record.root.main_line()]


def test_a_library_written_by_hand() -> None:
    data = HEADER + bytes((0, 0x08)) + b"hello\0"
    data += bytes((H8, 0x00))
    data += bytes((H9, 0x80 | 0x40 | 0x10))  # a marked leaf with a sibling
    data += bytes((I9, 0x40 | 0x08 | 0x01, 0, 1)) + b"one\x08two\r\nthree\0\0" + b"A\0"
    record = loads(data)
    assert record.root.comment == "hello"
    (h8,) = record.root.children
    assert h8.move == cell("h8") and h8.marks == (Mark(MarkKind.LABEL, cell("i9"), "A"),)
    h9, i9 = h8.children
    assert (h9.move, i9.move) == (cell("h9"), cell("i9"))
    assert h9.marks == (Mark(MarkKind.CIRCLE, cell("h9")),)
    assert i9.comment == "one\ntwo\nthree"
    assert record.rules == Rules(size=15)
    assert loads(data, rules=Rules(size=9, rule=Rule.RENJU)).rules == Rules(size=15, rule=Rule.RENJU)


def test_siblings_return_to_the_right_parent() -> None:
    # h8 (h9 (i9, i8), g7), all below one another with leaves closing the levels.
    data = HEADER + bytes((0, 0, H8, 0, H9, 0x80, I9, 0xC0, 0x79, 0x40, 0x87, 0x40))
    (h8,) = loads(data).root.children
    assert [child.move for child in h8.children] == [cell("h9"), cell("g7")]
    assert [child.move for child in h8.children[0].children] == [cell("i9"), cell("i8")]


def test_an_old_file_without_header_and_with_old_comments() -> None:
    data = bytes((H8, 0x20)) + b"h}" + bytes((ord("r") | 0x80, 0)) + bytes((H9, 0x40))
    record = renlib.parse(data.decode("latin-1"))
    assert [node.comment for node in record.root.main_line()] == ["", "hår", ""]


def test_texts_on_the_board_need_no_stone_and_passes_are_cut() -> None:
    data = HEADER + bytes((0, 0, H8, 0, H9, 0x80 | 0x40 | 0x02 | 0x01, 0, 1)) + b"x\0"
    data += bytes((I9, 0x80 | 0x40, 0, 0, H9, 0x40))
    record = loads(data)
    (h8,) = record.root.children
    assert h8.marks == (Mark(MarkKind.LABEL, cell("h9"), "x"),)
    assert h8.children[0].move == cell("i9")
    assert any("1 move(s) after a pass were left out" in warning for warning in record.warnings)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "expected its header, or h8"),
        (b"\xffRenLib\xff", "header of 8 bytes"),
        (HEADER[:8] + b"\x03\x05" + b"\xff" * 10, "version 3.5: expected at most 3.4"),
        (HEADER + b"\0\0\x78", "ends inside a move"),
        (HEADER + b"\0\x08ab", "ends inside a move or a text"),
        (HEADER + b"\0\0\x70\x40", "cell 0x70 is off the board"),
        (HEADER + b"\0\0\xf1\x40", "cell 0xf1 is off the board"),
        (HEADER + b"\0\0\x78\x00\x78\x40", "occupied"),
    ],
)
def test_what_is_no_library_is_refused(data: bytes, text: str) -> None:
    with pytest.raises(RecordError, match=text):
        loads(data, "lib")


def test_a_library_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renlib, "MAX_NODES", 3)
    data = HEADER + bytes((0, 0)) + bytes((H8, 0xC0)) * 5
    with pytest.raises(RecordError, match="too large"):
        loads(data)


@st.composite
def trees(draw: st.DrawFn) -> GameRecord:
    """Variations of a few moves each, with comments, labels and circles."""
    record = GameRecord(Rules(size=15))
    record.root.comment = draw(texts)
    game = Game(record.rules)
    open_nodes = [(record.root, game)]
    for _ in range(draw(st.integers(0, 12))):
        node, game = draw(st.sampled_from(open_nodes))
        move = draw(st.sampled_from([m for m in game.position.legal_moves if m < 40]))
        if any(child.move == move for child in node.children):
            continue
        child = node.add(RecordNode(move=move, color=game.to_move, comment=draw(texts)))
        if draw(st.booleans()):
            child.marks = (Mark(MarkKind.CIRCLE, move),)
        label = draw(st.sampled_from(["", "A", "好", "x y"]))
        if label:
            node.marks += (Mark(MarkKind.LABEL, move, label),)
        after = game.play(move)
        if after.outcome is None:
            open_nodes.append((child, after))
    return record


def sorted_marks(record: GameRecord) -> GameRecord:
    for node in record.root.walk():
        node.marks = tuple(sorted(node.marks, key=str))
    return record


@given(trees())
def test_trees_come_back_whole(record: GameRecord) -> None:
    text = dumps(record, "lib")
    again = loads(text.encode("latin-1"))
    assert again.warnings == ()
    assert sorted_marks(again) == sorted_marks(record)
    assert dumps(again, "lib") == text


def test_files_are_bytes(tmp_path: Path) -> None:
    game = Game.from_moves(Rules(size=15), ["h8", "h9"])
    path = tmp_path / "game.lib"
    save(game, path)
    assert path.read_bytes() == HEADER + bytes((0, 0, H8, 0, H9, 0x40))
    assert load(path).game() == game
    assert Game.load(path) == game


@pytest.mark.parametrize("size", [3, 14, 16, 26])
def test_other_boards_are_refused(size: int) -> None:
    rules = Rules(size=size, win_length=min(5, size))
    with pytest.raises(RecordError, match="lib holds 15x15 boards only"):
        dumps(Game(rules).play(0), "lib")
    with pytest.raises(RecordError, match="set-up stones"):
        position = Game(Rules(size=15)).play(0).position
        dumps(Game(replace(rules, size=15, win_length=5), position), "lib")
