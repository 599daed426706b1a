"""One table of files and what they mean, which Python's readers and the page's pass.

``table/expected.json`` has an entry for each file of ``table/files``: the rule, size, moves, players, end and
so on that are read from it, and of each warning or error a part. ``given``, ``charset`` and ``game`` are what
the reader is told. ``page_error`` is what the page says of a kind of file that only Python reads. The page's
test is ``frontend/tests/records.test.ts``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wuzi.core import Opening, Rules, format_moves, parse_rule
from wuzi.errors import RecordError
from wuzi.records import GameRecord, dumps, find_format, loads, loads_each

TABLE = Path(__file__).parent / "table"
ENTRIES: list[dict[str, Any]] = json.loads((TABLE / "expected.json").read_text("utf-8"))
READABLE = [entry for entry in ENTRIES if "error" not in entry]
TOLD = frozenset({"file", "given", "charset", "game", "games", "page_error", "warnings", "error"})


def read(entry: dict[str, Any]) -> GameRecord | RecordError:
    """The game that an entry means, or the error in its place."""
    given = entry.get("given")
    rules = given and Rules(given["size"], given["win_length"], parse_rule(given["rule"]))
    data = (TABLE / "files" / entry["file"]).read_bytes()
    try:
        games = loads_each(data, rules=rules, charset=entry.get("charset"))
    except RecordError as error:
        return error
    assert len(games) == entry.get("games", 1)
    return games[entry.get("game", 1) - 1]


def told(record: GameRecord) -> dict[str, Any]:
    """What a record holds, as the table writes it."""
    size = record.rules.size
    line = list(record.root.main_line())
    setup = record.root.setup
    held: dict[str, Any] = {
        "rule": record.rules.rule.label,
        "size": size,
        "win_length": None if record.rules.win_length == 5 else record.rules.win_length,
        "moves": format_moves(record.moves, size),
        "black": record.black,
        "white": record.white,
        "date": record.date,
        "opening": None if record.rules.opening is Opening.FREE else str(record.rules.opening),
        "actions": None if record.opening is None else list(record.opening),
        "headers": record.headers,
        "comments": {str(i): node.comment for i, node in enumerate(line) if node.comment},
        "times": {str(i): node.time_ms for i, node in enumerate(line) if node.time_ms is not None},
        "marks": [
            " ".join(filter(None, (mark.kind.name.lower(), str(mark.move), mark.text)))
            for node in line
            for mark in node.marks
        ],
    }
    if setup is not None:
        held["setup"] = {"black": format_moves(setup.black, size), "white": format_moves(setup.white, size)}
        held["setup"] |= {} if setup.to_move is None else {"to_move": setup.to_move.name.lower()}
    if record.outcome is not None:
        winner = record.outcome.winner
        held["end"] = {"winner": winner and winner.name.lower(), "reason": record.outcome.reason.label}
    if (nodes := sum(1 for _ in record.root.walk())) != len(line):
        held["nodes"] = nodes
    try:
        record.game()
    except RecordError as error:
        held["no_game"] = str(error)
    return {key: value for key, value in held.items() if value or key == "moves"}


def expected(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key not in TOLD}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["file"])
def test_a_file_of_the_table_means_what_it_says(entry: dict[str, Any]) -> None:
    record = read(entry)
    if "error" in entry:
        assert isinstance(record, RecordError)
        assert entry["error"] in str(record)
        return
    assert isinstance(record, GameRecord), record
    assert told(record) == expected(entry)
    parts = entry.get("warnings", [])
    assert len(record.warnings) == len(parts), record.warnings
    assert all(part in warning for part, warning in zip(parts, record.warnings, strict=True))


@pytest.mark.parametrize("entry", READABLE, ids=lambda entry: entry["file"])
@pytest.mark.parametrize("name", ["sgf", "json", "psq", "rec"])
def test_what_was_read_is_written_and_read_again(entry: dict[str, Any], name: str) -> None:
    record = read(entry)
    assert isinstance(record, GameRecord)
    written = find_format(name)
    try:
        again = loads(dumps(record, name).encode(), name)
    except RecordError as error:
        assert name in ("psq", "rec") and "cannot hold set-up stones" in str(error)
        return
    assert set(again.warnings) <= set(record.warnings)
    lost = {"comments, variations or marks": ("comments", "marks", "nodes"), "date": ("date",)}
    lost |= {"headers": ("headers",), "swap opening": ("opening", "actions")}
    left_out = {key for loss in written.losses(record) for key in lost[loss]}
    kept = {key: value for key, value in expected(entry).items() if key not in left_out}
    assert {key: value for key, value in told(again).items() if key not in left_out} == kept


def test_the_table_names_every_file_once() -> None:
    named = [entry["file"] for entry in ENTRIES]
    assert sorted(named) == sorted(path.name for path in (TABLE / "files").iterdir())
