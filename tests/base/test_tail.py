"""Files of JSON lines, read while another process writes them."""

from __future__ import annotations

import json
import os
from pathlib import Path

from wuzi.base.tail import JsonTail


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
