"""JSON game records, version 1: everything a GameRecord holds.

::

    {"format": "wuzi-record", "version": 1,
     "rules": {"size": 15, "win_length": 5, "rule": "freestyle", "opening": "free"},
     "players": {"black": "...", "white": "..."}, "date": "2026-11-21",
     "result": {"winner": "black", "reason": "line"},
     "opening": ["place3", "swap"],
     "headers": {"event": "..."},
     "setup": {"black": ["h8"], "white": [], "empty": [], "to_move": "white"},
     "moves": ["h8", "j9"], "times_ms": [120, null],
     "nodes": [{"parent": 0, "move": "h8", "color": "black", "comment": "...", "time_ms": 120,
                "marks": [{"kind": "label", "cell": "h8", "text": "A"}], "setup": {...},
                "properties": {"KM": ["0"]}}]}

Cells are renju text. ``moves`` is always the main line. A tree that holds more than bare moves has ``nodes``
too, parents before children, the first node being the root (without ``parent``); then the nodes count, and
``setup`` and ``times_ms`` are inside them. Keys that would be empty are left out; unknown keys are ignored
with a warning. Versions to come will still read version 1.
"""

from __future__ import annotations

import json
from typing import Any

from wuzi.base.json_fields import Fields
from wuzi.core import Color, Move, Opening, Outcome, Rules, format_move, parse_move
from wuzi.errors import RecordError, WuziError
from wuzi.records.formats.sgf_values import check_property
from wuzi.records.formats.sgf_writer import check_properties
from wuzi.records.model import GameRecord, Mark, MarkKind, RecordNode, SetUp, add_moves
from wuzi.records.replay import corrected, start_position
from wuzi.records.words import parse_reason

FORMAT = "wuzi-record"
VERSION = 1
_SET_UP = ("black", "white", "empty")
_COLORS = {color.name.lower(): color for color in Color}


def parse(text: str) -> GameRecord:
    """The record of a JSON text; a RecordError for anything that is none, or cannot be played."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"no JSON: {error}") from error
    return from_json(data)


def parse_all(text: str, rules: Rules | None = None) -> list[GameRecord | RecordError]:
    """The records of a text with one JSON record, or one a line; an error that names its line for others."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    try:
        json.loads(lines[0][1]) if len(lines) > 1 else None
    except (ValueError, RecursionError):
        return [parse(text)]
    records: list[GameRecord | RecordError] = []
    for number, line in lines or [(1, text)]:
        try:
            records.append(parse(line))
        except RecordError as error:
            records.append(RecordError(f"line {number}: {error}"))
    return records


def format_record(record: GameRecord) -> str:
    """The JSON text of a record, indented, with a line break; a RecordError for a cell off the board."""
    return json.dumps(to_json(record), ensure_ascii=False, indent=1) + "\n"


def to_json(record: GameRecord) -> dict[str, Any]:
    """The record as a value that :mod:`json` can write; a RecordError for a cell off the board."""
    rules, outcome = record.rules, record.outcome
    data = _filled(
        format=FORMAT,
        version=VERSION,
        rules=rules.to_json() | {"opening": str(rules.opening)},
        players=_filled(black=record.black, white=record.white) or None,
        date=record.date,
        result=outcome and {"winner": _color_name(outcome.winner), "reason": outcome.reason.label},
        opening=None if record.opening is None else list(record.opening),
        headers=record.headers or None,
    )
    try:
        data |= _tree(record)
    except WuziError as error:
        raise RecordError(f"record: {error}") from error
    return data


def from_json(data: object) -> GameRecord:
    """The record of a parsed JSON value; errors as of :func:`parse`."""
    fields = Fields.of(data, "record")
    if fields.text("format") != FORMAT:
        raise RecordError(f"format {fields.text('format')[:40]!r}: expected {FORMAT!r}")
    version = fields.number("version")
    if version != VERSION:
        raise RecordError(f"record version {version}: this wuzi reads version {VERSION}")
    rules = _rules(fields.fields("rules"))
    players = fields.fields("players")
    record = GameRecord(
        rules=rules,
        black=players.text("black"),
        white=players.text("white"),
        date=fields.text("date"),
        outcome=_outcome(fields),
        opening=tuple(fields.texts("opening")) if fields.has("opening") else None,
        headers=fields.fields("headers").all_texts(),
    )
    moves = [_cell(text, rules.size, f"moves[{i}]") for i, text in enumerate(fields.texts("moves"))]
    if fields.has("nodes"):
        record.root = _read_nodes(fields.items("nodes"), rules.size)
        if fields.has("moves") and record.moves != tuple(moves):
            raise RecordError("moves: expected the main line of nodes")
    else:
        _read_line(record, moves, fields)
    players.close()
    fields.close()
    record.warnings = tuple(fields.warnings)
    check_properties(record)
    return corrected(record)


def _tree(record: GameRecord) -> dict[str, Any]:
    """The parts of the record that hold stones."""
    size = record.rules.size
    root, nodes = record.root, [node for node in record.root.main_line() if node.move is not None]
    data: dict[str, Any] = {"moves": [format_move(move, size) for move in record.moves]}
    if not _is_bare(record):
        return data | {"nodes": _write_nodes(root, size)}
    if root.setup is not None:
        data["setup"] = _write_setup(root.setup, size)
    if any(node.time_ms is not None for node in nodes):
        data["times_ms"] = [node.time_ms for node in nodes]
    return data


def _is_bare(record: GameRecord) -> bool:
    """Whether set-up stones, moves and times tell everything."""
    root = record.root
    nodes = list(root.walk())[1:]
    if record.has_extras or root.time_ms is not None:
        return False
    color = start_position(record).to_move
    for node in nodes:
        if node.move is None or node.setup is not None or node.color is not color:
            return False
        color = color.opponent
    return True


def _write_nodes(root: RecordNode, size: int) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    stack: list[tuple[RecordNode, int | None]] = [(root, None)]
    while stack:
        node, parent = stack.pop()
        index = len(out)
        out.append(_write_node(node, parent, size))
        stack.extend((child, index) for child in reversed(node.children))
    return out


def _write_node(node: RecordNode, parent: int | None, size: int) -> dict[str, Any]:
    marks = [
        _filled(kind=mark.kind.name.lower(), cell=format_move(mark.move, size), text=mark.text)
        for mark in node.marks
    ]
    return _filled(
        parent=parent,
        move=None if node.move is None else format_move(node.move, size),
        color=None if node.move is None else _color_name(node.color),
        setup=None if node.setup is None else _write_setup(node.setup, size),
        comment=node.comment,
        time_ms=node.time_ms,
        marks=marks or None,
        properties={name: list(values) for name, values in node.properties.items()} or None,
    )


def _write_setup(setup: SetUp, size: int) -> dict[str, Any]:
    stones = {key: [format_move(move, size) for move in getattr(setup, key)] or None for key in _SET_UP}
    return _filled(**stones, to_move=_color_name(setup.to_move))


def _rules(fields: Fields) -> Rules:
    usual = Rules()
    try:
        rules = Rules(
            fields.number("size", usual.size),
            fields.number("win_length", usual.win_length),
            fields.text("rule") or usual.rule,  # type: ignore[arg-type]
            fields.text("opening") or Opening.FREE,  # type: ignore[arg-type]
        )
    except WuziError as error:
        raise RecordError(f"rules: {error}") from error
    fields.close()
    return rules


def _outcome(fields: Fields) -> Outcome | None:
    if not fields.has("result"):
        return None
    result = fields.fields("result")
    winner = _color(result.text("winner"), "result.winner")
    outcome = Outcome(winner, parse_reason(result.text("reason")))
    result.close()
    return outcome


def _read_line(record: GameRecord, moves: list[Move], fields: Fields) -> None:
    """Fill the tree from ``setup``, ``moves`` and ``times_ms``."""
    if fields.has("setup"):
        record.root.setup = _read_setup(fields.fields("setup"), record.rules.size)
    times = fields.numbers_or_null("times_ms")
    if times and len(times) != len(moves):
        raise RecordError(f"times_ms: {len(times)} times, expected {len(moves)}, one a move")
    add_moves(record.root, moves, start_position(record).to_move)
    for node, time_ms in zip(list(record.root.main_line())[1:], times, strict=False):
        node.time_ms = time_ms


def _read_nodes(items: list[Fields], size: int) -> RecordNode:
    nodes: list[RecordNode] = []
    for index, fields in enumerate(items):
        node = _read_node(fields, size)
        if index:
            parent = fields.number("parent", -1)
            if not 0 <= parent < index:
                raise RecordError(f"{fields.where}.parent is {parent}: expected 0 to {index - 1}")
            nodes[parent].add(node)
        fields.close()
        nodes.append(node)
    if not nodes:
        raise RecordError("nodes: expected at least the root")
    if nodes[0].move is not None:
        raise RecordError("nodes[0].move: the root holds no move")
    return nodes[0]


def _read_node(fields: Fields, size: int) -> RecordNode:
    node = RecordNode(comment=fields.text("comment"))
    if fields.has("move"):
        node.move = _cell(fields.text("move"), size, f"{fields.where}.move")
        node.color = _color(fields.text("color"), f"{fields.where}.color")
        if node.color is None:
            raise RecordError(f"{fields.where}.color: expected black or white")
    if fields.has("setup"):
        node.setup = _read_setup(fields.fields("setup"), size)
        if node.move is not None:
            raise RecordError(f"{fields.where}: a move and set-up stones in one node")
    if fields.has("time_ms"):
        node.time_ms = fields.number("time_ms")
    node.marks = tuple(_read_mark(mark, size) for mark in fields.items("marks"))
    node.properties = fields.fields("properties").all_text_lists()
    for name, raws in node.properties.items():
        check_property(name, raws)
    return node


def _read_mark(fields: Fields, size: int) -> Mark:
    kind = fields.text("kind")
    if kind.upper() not in MarkKind.__members__:
        names = ", ".join(MarkKind.__members__).lower()
        raise RecordError(f"{fields.where}.kind {kind[:20]!r}: expected one of {names}")
    move = _cell(fields.text("cell"), size, f"{fields.where}.cell")
    mark = Mark(MarkKind[kind.upper()], move, fields.text("text"))
    fields.close()
    return mark


def _read_setup(fields: Fields, size: int) -> SetUp:
    black, white, empty = (
        tuple(_cell(text, size, f"{fields.where}.{key}") for text in fields.texts(key)) for key in _SET_UP
    )
    setup = SetUp(black, white, empty, _color(fields.text("to_move"), f"{fields.where}.to_move"))
    fields.close()
    return setup


def _cell(text: str, size: int, where: str) -> Move:
    try:
        return parse_move(text, size)
    except WuziError as error:
        raise RecordError(f"{where}: {error}") from error


def _color(text: str, where: str) -> Color | None:
    if text and text not in _COLORS:
        raise RecordError(f"{where} {text[:20]!r}: expected black or white")
    return _COLORS.get(text)


def _color_name(color: Color | None) -> str | None:
    return None if color is None else color.name.lower()


def _filled(**data: Any) -> dict[str, Any]:
    """The keys that say something: neither None nor an empty text."""
    return {key: value for key, value in data.items() if value not in (None, "")}
