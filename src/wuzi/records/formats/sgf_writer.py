"""Writing SGF: from a GameRecord to text."""

from __future__ import annotations

from wuzi.core import Opening
from wuzi.errors import RecordError
from wuzi.records.formats import sgf_grammar
from wuzi.records.formats import sgf_values as values
from wuzi.records.formats.sgf_grammar import Properties
from wuzi.records.formats.sgf_reader import APPLICATION, GOMOKU, HEADERS, PRIVATE, RESERVED
from wuzi.records.model import GameRecord, MarkKind, RecordNode
from wuzi.records.words import format_result, result_loses_reason

LINE_WIDTH = 79

NODE_NAMES = frozenset({"B", "W", "AB", "AW", "AE", "PL", "C"})
"""Properties that the fields of a node are written to: none of them may be kept raw beside them."""

ROOT_NAMES = frozenset({"PB", "PW", "DT", PRIVATE, *HEADERS})
"""The same for the fields of the record, which stand at its root."""


def format_record(record: GameRecord) -> str:
    """The SGF text of a record; a RecordError for what SGF cannot hold, such as a cell off the board."""
    return sgf_grammar.format_tree(
        record.root, lambda node: node.children, lambda node: _properties(record, node), LINE_WIDTH
    )


def check_properties(record: GameRecord) -> None:
    """Refuse a record that :func:`format_record` could not write; raises RecordError as that does."""
    for node in record.root.walk():
        _properties(record, node)


def _properties(record: GameRecord, node: RecordNode) -> Properties:
    own = _node_properties(node, record.rules.size)
    if node is not record.root:
        return own
    if taken := ROOT_NAMES & node.properties.keys():
        raise _written_itself(min(taken))
    return _merged(_root_properties(record), own)


def _root_properties(record: GameRecord) -> Properties:
    rules = record.rules
    simple = {
        "FF": "4",
        "GM": GOMOKU,
        "CA": "UTF-8",
        "AP": record.headers.get("application", APPLICATION),
        "SZ": str(rules.size),
        "RU": rules.rule.label,
        "PB": record.black,
        "PW": record.white,
        "DT": record.date,
        "RE": format_result(record.outcome) if record.outcome else "",
    }
    for name, header in HEADERS.items():
        if header != "application":
            simple[name] = record.headers.get(header, "")
    properties = {name: [values.raw_text(value)] for name, value in simple.items() if value}
    if pairs := _private_pairs(record):
        properties[PRIVATE] = [values.raw_pair(key, value) for key, value in pairs]
    return properties


def _private_pairs(record: GameRecord) -> list[tuple[str, str]]:
    """What SGF has no property for."""
    pairs = []
    if record.rules.win_length != 5:
        pairs.append(("win_length", str(record.rules.win_length)))
    if record.rules.opening is not Opening.FREE:
        pairs.append(("opening", str(record.rules.opening)))
    if record.opening is not None:
        pairs.append(("actions", " ".join(record.opening)))
    if record.outcome is not None and result_loses_reason(record.outcome):
        pairs.append(("reason", record.outcome.reason.label))
    known = set(HEADERS.values())
    for key, value in record.headers.items():
        if key in RESERVED:
            raise RecordError(f"header {key!r}: this name is taken by the record itself")
        if key not in known:
            pairs.append((key, value))
    return pairs


def _node_properties(node: RecordNode, size: int) -> Properties:
    properties: Properties = {}
    if node.move is not None:
        if node.color is None or node.setup is not None:
            raise RecordError(f"move {node.move}: expected a colour and no set-up stones beside it")
        properties[node.color.letter] = [values.raw_point(node.move, size)]
    if node.setup is not None:
        for name, moves in (("AB", node.setup.black), ("AW", node.setup.white), ("AE", node.setup.empty)):
            if moves:
                properties[name] = [values.raw_point(move, size) for move in moves]
        if node.setup.to_move is not None:
            properties["PL"] = [node.setup.to_move.letter]
    if node.comment:
        properties["C"] = [values.raw_text(node.comment)]
    for mark in node.marks:
        value = values.raw_point(mark.move, size)
        if mark.kind is MarkKind.LABEL:
            value += ":" + values.raw_text(mark.text)
        properties.setdefault(mark.kind.value, []).append(value)
    if node.time_ms is not None:
        properties[PRIVATE] = [values.raw_pair("time_ms", str(node.time_ms))]
    return _merged(properties, _kept(node))


def _kept(node: RecordNode) -> Properties:
    """The raw properties that the record keeps for other programs."""
    kept: Properties = {}
    for name, raws in node.properties.items():
        values.check_property(name, raws)
        if name in NODE_NAMES:
            raise _written_itself(name)
        for raw in raws if name == PRIVATE else ():
            pair = values.pair(raw)
            if pair is None:
                raise RecordError(f"property {PRIVATE}: expected key:value, not {raw[:20]!r}")
            if pair[0] == "time_ms":
                raise _written_itself(f"{PRIVATE}[time_ms]")
        kept[name] = list(raws)
    return kept


def _merged(first: Properties, second: Properties) -> Properties:
    clash = (first.keys() & second.keys()) - {PRIVATE} - {kind.value for kind in MarkKind}
    if clash:
        raise _written_itself(min(clash))
    return {name: first.get(name, []) + second.get(name, []) for name in {**first, **second}}


def _written_itself(name: str) -> RecordError:
    return RecordError(f"property {name}: the record writes it itself")
