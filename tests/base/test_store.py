"""Files of lines that only grow: cut anywhere, read while another process writes them."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wuzi.base.store import JsonLines, JsonTail, LineFile, pack, packed_path
from wuzi.errors import RecordError


def test_each_whole_line_comes_once(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    tail = JsonTail(path)
    assert tail.read() == (False, [])
    path.write_text('{"a": 1}\n{"a"')
    assert tail.read() == (False, [{"a": 1}])
    assert tail.read() == (False, [])
    with open(path, "a") as file:
        file.write(': 2}\nnonsense\n\n[3]\n{"a": 4}\n')
    assert tail.read() == (False, [{"a": 2}, {"a": 4}])
    assert tail.broken == 2


def test_a_file_that_became_shorter_was_replaced_or_went_away_is_begun_anew(tmp_path: Path) -> None:
    path, other = tmp_path / "lines.jsonl", tmp_path / "other"
    path.write_text('{"a": 1}\n{"a": 2}\n')
    tail = JsonTail(path)
    tail.read()
    other.write_text('{"b": 1}\n{"b": 2}\n{"b": 3}\n')  # longer: its size alone would not tell
    os.replace(other, path)
    assert tail.read() == (True, [{"b": 1}, {"b": 2}, {"b": 3}])
    path.write_text('{"c": 1}\n')
    assert tail.read() == (True, [{"c": 1}])
    path.unlink()
    assert tail.read() == (True, [])
    assert tail.read() == (False, [])


def test_a_look_is_bounded_and_a_longer_line_comes_whole(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    lines = [{"a": 1}, {"a": "x" * 1000}, {"a": 2}, {"a": 3}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    tail = JsonTail(path, most=12)
    found = []
    for most in (2, 2, 1):
        _, some = tail.read()
        assert len(some) <= most
        found += some
    assert found == lines
    assert JsonTail(path).read() == (False, lines)


def test_whole_lines_are_appended_after_any_cut(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "lines.jsonl"
    rows = [{"a": 1}, {"b": "五" * 3}, {"c": [1.5, None]}]
    whole = JsonLines(path, version=3)
    for row in rows:
        whole.add(row)
    data = path.read_bytes()
    assert data.startswith(b'{"v": 3, "a": 1}\n') and "五五五".encode() in data
    assert [row for _, row in whole.objects()] == rows
    assert [row for _, row in whole.objects(first=2)] == rows[2:]
    for cut in range(1, len(data.splitlines(keepends=True)[-1])):
        path.write_bytes(data[:-cut])
        caplog.clear()
        assert [row for _, row in JsonLines(path, version=3).objects()] == rows[:2]
        assert "line 3 is broken and dropped" in caplog.text
        JsonLines(path, version=3).add(rows[2])
        assert path.read_bytes() == data


def test_a_last_line_that_is_no_object_is_dropped_and_one_before_it_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    for broken in ("{", "[1]", "\0\0\0"):
        path.write_text(f'{{"a": 1}}\n{broken}\n')
        assert [row for _, row in JsonLines(path).objects()] == [{"a": 1}]
        JsonLines(path, compact=True).add({"b": 2})
        assert path.read_text() == '{"a": 1}\n{"b":2}\n'
        path.write_text(f'{{"a": 1}}\n{broken}\n{{"b": 2}}\n')
        with pytest.raises(RecordError, match="line 2"):
            list(JsonLines(path).objects())
    path.write_text('{"v": 9}\n')
    with pytest.raises(RecordError, match="line 1: v is 9: expected schema version 1"):
        list(JsonLines(path, version=1).objects())


def test_a_missing_or_empty_file_holds_no_lines(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    assert list(LineFile(path).lines()) == []
    LineFile(path).repair()
    assert not path.exists()
    path.touch()
    LineFile(path).append("one")
    assert list(LineFile(path).lines()) == [(f"{path}: line 1", b"one\n")]
    with pytest.raises(RecordError, match="cannot be read"):
        list(LineFile(tmp_path).lines())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_an_error_that_names_the_file() -> None:
    with pytest.raises(OSError, match="/dev/full"):
        LineFile(Path("/dev/full")).append("one")


def test_a_line_that_did_not_fit_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    path = tmp_path / "lines"
    book = LineFile(path)
    book.append("x" * 10)
    old, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (15, old[1]))
        with pytest.raises(OSError, match="lines"):
            book.append("y" * 10)
        assert path.read_bytes() == b"x" * 10 + b"\n"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, handler)
    book.append("z")
    assert path.read_bytes() == b"x" * 10 + b"\nz\n"


@given(
    lines=st.lists(st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=30)),
    kept=st.integers(0, 400),
    chunk=st.integers(1, 50),
)
def test_any_cut_keeps_the_whole_lines_before_it(lines: list[str], kept: int, chunk: int) -> None:
    with TemporaryDirectory() as folder, patch("wuzi.base.store._CHUNK", chunk):
        path = Path(folder) / "lines"
        for line in lines:
            LineFile(path).append(line)
        data = path.read_bytes()[:kept] if lines else b""
        path.write_bytes(data)
        LineFile(path).append("end")
        whole = data[: data.rfind(b"\n") + 1]
        assert path.read_bytes() == whole + b"end\n"
        assert b"".join(line for _, line in LineFile(path).lines()) == whole + b"end\n"


def test_a_packed_file_is_read_under_its_old_name_and_unpacked_to_grow(tmp_path: Path) -> None:
    path, packed = tmp_path / "lines.jsonl", tmp_path / "lines.jsonl.gz"
    rows = [{"a": i} for i in range(3)]
    for row in rows:
        JsonLines(path).add(row)
    plain = path.read_bytes()
    pack(path)
    assert [one.name for one in tmp_path.iterdir()] == [packed.name]
    for name in (path, packed):
        assert [row for _, row in JsonLines(name).objects()] == rows
        assert LineFile(name).exists() and LineFile(name).begin(4) == b'{"a"'
    with pytest.raises(RecordError, match=r"lines.jsonl.gz: line 3: v is None"):
        list(JsonLines(path, version=1).objects(2))
    JsonLines(packed).add({"a": 3})
    assert path.read_bytes() == plain + b'{"a": 3}\n' and not packed.exists()


def test_of_two_different_files_neither_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    JsonLines(path).add({"a": 1})
    plain = path.read_bytes()
    pack(path)
    path.write_bytes(plain)
    with pytest.raises(RecordError, match="expected one of the two"):
        list(LineFile(path).lines())
    path.write_bytes(b"{}\n")
    with pytest.raises(RecordError, match="expected one of the two"):
        LineFile(path).append("{}")
    path.write_bytes(plain)
    LineFile(path).append("{}")  # killed while unpacking, it goes on where it stood
    assert path.read_bytes() == plain + b"{}\n" and not packed_path(path).exists()


@pytest.mark.parametrize("wrong", [b"no gzip", b"cut"])
def test_a_broken_packed_file_is_an_error_that_names_it(tmp_path: Path, wrong: bytes) -> None:
    path = tmp_path / "lines.jsonl"
    JsonLines(path).add({"a": "x" * 99})
    pack(path)
    packed = packed_path(path)
    packed.write_bytes(packed.read_bytes()[:-9] if wrong == b"cut" else wrong)
    before = packed.read_bytes()
    with pytest.raises(RecordError, match=r"lines.jsonl.gz: cannot be read"):
        list(LineFile(path).lines())
    with pytest.raises(RecordError, match=r"lines.jsonl.gz: cannot be read"):
        LineFile(path).append("{}")
    assert packed.read_bytes() == before and not path.exists()
