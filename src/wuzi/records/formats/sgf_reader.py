"""SGF, the smart game format: FF[4] GM[4], in UTF-8, with variations and comments.

What is written, and how it is read:

* ``SZ`` the board size, 3 to 26, square. Missing: 15, with a warning.
* ``RU`` the rule: ``freestyle``, ``standard``, ``renju``, ``caro``, ``caro_overline``; Gomocup's rule numbers
  and common other names are understood. Missing or unknown: freestyle, with a warning.
* ``PB PW DT RE`` names, date, result; ``RE[B+]`` for a row, ``+R`` resignation, ``+T`` time, ``+F`` a crash
  or an illegal move, ``0`` a draw. ``EV RO PC GN AN US SO CP ON BR WR BT WT TM OT AP`` are headers.
* ``AB AW AE PL`` set-up stones; before the first move they make the starting position.
* ``WUZI``, private, holds ``key:value`` pairs: ``win_length`` (when not 5), ``opening`` (``swap1``,
  ``swap2``) with ``actions`` (``place3 swap``: see :mod:`wuzi.records.words`), ``reason`` (how the game
  ended, when RE cannot say it), headers without an SGF name, and on moves ``time_ms``.
* ``KM`` is never written: there is no komi in gomoku. All other properties are kept as they are.
* A pass is an error. ``GM`` missing is read as gomoku with a warning; another game is an error, unless RU
  names a rule of gomoku. Points as ``HH`` or ``h8`` are read with a warning.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from sgfmill import sgf_grammar

from wuzi.core import Color, Move, Opening, Outcome, Rule, Rules
from wuzi.errors import ConfigError, RecordError
from wuzi.records.formats import sgf_values as values
from wuzi.records.model import GameRecord, Mark, MarkKind, RecordNode, SetUp
from wuzi.records.replay import settle
from wuzi.records.words import UNKNOWN_RESULTS, find_rule, parse_reason, parse_result

GOMOKU = "4"
"""SGF's number for gomoku and renju."""

PRIVATE = "WUZI"
"""The property that holds what SGF has no name for, as ``key:value`` pairs."""

APPLICATION = "wuzi"
RESERVED = frozenset({"win_length", "opening", "actions", "reason", "time_ms"})
"""Keys of the private property that headers may not use."""

_NAMES = (
    "EV:event RO:round PC:place GN:name AN:annotator US:user SO:source CP:copyright ON:opening_name "
    "BR:black_rank WR:white_rank BT:black_team WT:white_team TM:time_s OT:overtime AP:application"
)
HEADERS: dict[str, str] = dict(re.findall(r"(\w+):(\w+)", _NAMES))
"""SGF properties of the root that are kept as headers, by header name."""

_GAMES = {"1": "Go", "2": "Othello", "3": "chess", "11": "Hex"}
_START = re.compile(rb"\(\s*;")
_COLORS = {"b": Color.BLACK, "black": Color.BLACK, "1": Color.BLACK}
_COLORS |= {"w": Color.WHITE, "white": Color.WHITE, "2": Color.WHITE}

_Properties = dict[str, list[bytes]]


def parse_collection(content: str, rules: Rules | None = None) -> list[GameRecord]:
    """All games of a text; ``rules`` are assumed where it says none. A RecordError names line and column."""
    try:
        data = content.encode("utf-8")
    except UnicodeEncodeError as error:
        raise RecordError(f"character {error.start + 1} cannot be part of a text") from error
    records = []
    position = 0
    while found := _START.search(data, position):
        tree, end = _parse_tree(data, found.start())
        try:
            records.append(_GameReader(data, found.start(), rules).read(tree))
        except RecordError as error:
            raise RecordError(f"game {len(records) + 1}: {error}") from error
        position = end
    if not records:
        raise RecordError("no SGF game: expected '(;' somewhere")
    return records


def _parse_tree(data: bytes, start: int) -> tuple[Any, int]:
    """The coarse tree of the game at ``start``, and where it ends."""
    _, end = sgf_grammar.tokenise(data, start)
    try:
        return sgf_grammar.parse_sgf_game(data[start:end]), end
    except ValueError as error:
        end = len(data) - len(data[end:].lstrip())
        rest = data[end : end + 20].decode("utf-8", "replace").split("\n")[0]
        missing = "a ']' is missing" if rest.startswith("[") else f"near {rest!r}"
        what = missing if rest else "the file ends: is a ')' missing?"
        raise RecordError(f"{_line_of(data, end)}: broken SGF ({error}): {what}") from error


def _line_of(data: bytes, offset: int) -> str:
    before = data[:offset]
    column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
    return f"line {before.count(bytes([10])) + 1}, column {column}"


class _GameReader:
    """Reads one game; knows where it is, for messages, and collects warnings."""

    def __init__(self, data: bytes, start: int, rules: Rules | None) -> None:
        self._data = data
        self._start = start
        self._defaults = rules
        self._node_index = 0
        self._warnings: dict[str, None] = {}
        self._size = 0

    def read(self, tree: Any) -> GameRecord:
        """The record of a coarse tree, checked against the rules."""
        try:
            record = self._record(tree)
        except RecordError as error:
            raise RecordError(f"{self._place()}: {error}") from error
        record.warnings = tuple(self._warnings)
        record = settle(record)
        if record.outcome is not None:  # the board shows what the text did not say in words we know
            record.root.properties.pop("RE", None)
        return record

    def _record(self, tree: Any) -> GameRecord:
        properties: _Properties = dict(tree.sequence[0])
        private = self._private(properties.pop(PRIVATE, []))
        rules = self._rules(properties, private)
        outcome = self._outcome(properties, private)
        words = private.pop("actions", None)
        for key in sorted(RESERVED & private.keys()):
            self._warn(f"{PRIVATE}[{key}:...] says nothing here: left out")
            del private[key]
        headers = self._headers(properties)
        record = GameRecord(
            rules=rules,
            black=self._take(properties, "PB"),
            white=self._take(properties, "PW"),
            date=self._take(properties, "DT"),
            outcome=outcome,
            opening=None if words is None else tuple(words.split()),
            headers=headers | private,
        )
        for name in ("FF", "CA"):
            properties.pop(name, None)
        record.root = self._node(properties)
        if record.root.move is not None:
            self._warn("the first node holds a move: read as the first move")
            first, record.root = record.root, RecordNode()
            record.root.add(first)
        self._grow(tree, record.root.children[0] if record.root.children else record.root)
        return record

    def _grow(self, tree: Any, root: RecordNode) -> None:
        """Attach all nodes after the first one, in the order of the file."""
        stack = [(tree, root, 1)]
        while stack:
            coarse, parent, first = stack.pop()
            for raw_properties in coarse.sequence[first:]:
                self._node_index += 1
                properties: _Properties = dict(raw_properties)
                private = properties.get(PRIVATE, [])
                node = self._node(properties)
                self._time(node, private)
                parent = parent.add(node)
            stack.extend((child, parent, 0) for child in reversed(coarse.children))

    def _rules(self, properties: _Properties, private: dict[str, str]) -> Rules:
        defaults = self._defaults or Rules()
        game = self._take(properties, "GM")
        ru = self._take(properties, "RU")
        rule = find_rule(ru) if ru else None
        if not game:
            self._warn("GM is missing: read as gomoku")
        elif game != GOMOKU and rule is None:
            name = f" ({_GAMES[game]})" if game in _GAMES else ""
            raise RecordError(f"GM[{game[:20]}]{name}: expected GM[4], gomoku and renju")
        elif game != GOMOKU:
            self._warn(f"GM[{game[:20]}] is not gomoku: read as gomoku because of RU[{ru[:40]}]")
        if rule is None:
            self._warn(
                f"{f'RU[{ru[:40]}] is unknown' if ru else 'RU is missing'}: read as {defaults.rule.label}"
            )
            rule = defaults.rule
        if "SZ" in properties:
            self._size = values.board_size(properties.pop("SZ")[0])
        else:
            self._size = defaults.size
            self._warn(f"SZ is missing: read as {self._size}x{self._size}")
        length = private.pop("win_length", "")
        try:
            win_length = int(length) if length else min(defaults.win_length, self._size)
            win_length = 5 if rule is Rule.RENJU and not length and self._size >= 5 else win_length
            return Rules(self._size, win_length, rule, private.pop("opening", Opening.FREE))  # type: ignore[arg-type]
        except ConfigError as error:
            raise RecordError(str(error)) from error
        except ValueError:
            raise RecordError(f"win_length {length[:20]!r}: expected a number such as 5") from None

    def _outcome(self, properties: _Properties, private: dict[str, str]) -> Outcome | None:
        told = " ".join(values.simple(raw) for raw in properties.get("RE", []))
        reason = private.pop("reason", None)
        if told.lower() in UNKNOWN_RESULTS:
            if told in ("", "?"):
                properties.pop("RE", None)
            return None
        outcome = parse_result(told)
        if outcome is None:
            self._warn(f"RE[{told[:40]}] is no known result: ignored")
            return None
        properties.pop("RE")
        return outcome if reason is None else replace(outcome, reason=parse_reason(reason))

    def _headers(self, properties: _Properties) -> dict[str, str]:
        named = [(name, header) for name, header in HEADERS.items() if name in properties]
        headers = {header: self._take(properties, name) for name, header in named}
        if headers.get("application", "").split(":")[0] == APPLICATION:
            del headers["application"]
        return headers

    def _node(self, properties: _Properties) -> RecordNode:
        """The node of some properties, without children; everything not understood is kept."""
        node = RecordNode()
        if properties.pop("", None):
            self._warn("a property named in small letters only was left out")
        colors = [name for name in ("B", "W") if name in properties]
        if len(colors) > 1:
            raise RecordError("a black and a white move in one node")
        node.setup = self._setup(properties)
        if colors:
            if node.setup is not None:
                raise RecordError("a move and set-up stones in one node")
            node.color = Color.BLACK if colors == ["B"] else Color.WHITE
            node.move = self._move(colors[0], properties.pop(colors[0]))
        node.comment = "\n".join(values.text(raw) for raw in properties.pop("C", []))
        node.marks = self._marks(properties)
        node.properties = {
            name: tuple(raw.decode("utf-8") for raw in raws) for name, raws in properties.items()
        }
        return node

    def _move(self, name: str, raws: list[bytes]) -> Move:
        if len(raws) > 1:
            raise RecordError(f"{len(raws)} moves in one node: expected one")
        if values.is_pass(raws[0], self._size):
            raise RecordError(f"{name}[{values.simple(raws[0])}] is a pass: there are no passes in gomoku")
        move, style = values.point(raws[0], self._size)
        self._warn_style(style)
        return move

    def _setup(self, properties: _Properties) -> SetUp | None:
        if not {"AB", "AW", "AE", "PL"} & properties.keys():
            return None
        cells = {}
        for name in ("AB", "AW", "AE"):
            cells[name], style = values.points(properties.pop(name, []), self._size)
            self._warn_style(style)
        to_move = None
        if "PL" in properties:
            told = self._take(properties, "PL")
            to_move = _COLORS.get(told.lower())
            if to_move is None:
                raise RecordError(f"PL[{told[:20]}]: expected B or W")
        return SetUp(tuple(cells["AB"]), tuple(cells["AW"]), tuple(cells["AE"]), to_move)

    def _marks(self, properties: _Properties) -> tuple[Mark, ...]:
        marks: list[Mark] = []
        for kind in MarkKind:
            raws = properties.get(kind.value)
            if raws is None:
                continue
            try:
                marks += self._marks_of(kind, raws)
            except RecordError as error:
                self._warn(f"{kind.value} is kept as it is: {error}")
            else:
                del properties[kind.value]
        return tuple(marks)

    def _marks_of(self, kind: MarkKind, raws: list[bytes]) -> list[Mark]:
        if kind is not MarkKind.LABEL:
            return [Mark(kind, move) for move in values.points(raws, self._size)[0]]
        marks = []
        for raw in raws:
            where, label = sgf_grammar.parse_compose(raw)
            if label is None:
                raise RecordError(f"[{values.simple(raw)[:20]}]: expected a point, a colon and a label")
            marks.append(Mark(kind, values.point(where, self._size)[0], values.simple(label)))
        return marks

    def _time(self, node: RecordNode, raws: list[bytes]) -> None:
        """Take the thinking time out of a node's private property."""
        private = self._private(raws)
        told = private.pop("time_ms", None)
        if told is None:
            return
        if not re.fullmatch(r"\d{1,12}", told, re.ASCII):
            raise RecordError(f"time_ms {told[:20]!r}: expected milliseconds, a whole number")
        node.time_ms = int(told)
        rest = tuple(values.raw_pair(key, value).decode("utf-8") for key, value in private.items())
        node.properties.pop(PRIVATE)
        if rest:
            node.properties[PRIVATE] = rest

    def _private(self, raws: list[bytes]) -> dict[str, str]:
        pairs = [values.pair(raw) for raw in raws]
        if None in pairs:
            raise RecordError(f"{PRIVATE} property: expected key:value")
        return dict(pair for pair in pairs if pair is not None)

    def _take(self, properties: _Properties, name: str) -> str:
        """Remove a property and return its text, on one line; empty when it is absent."""
        return values.simple(b" ".join(properties.pop(name, [])))

    def _warn(self, text: str) -> None:
        self._warnings[text] = None

    def _warn_style(self, style: values.PointStyle) -> None:
        if style is not values.PointStyle.SGF:
            self._warn(f"points are written as {style.value}")

    def _place(self) -> str:
        """Line and column of the current node."""
        depth = -1
        inside = escaped = False
        for offset in range(self._start, len(self._data)):
            byte = self._data[offset : offset + 1]
            if inside:
                inside = escaped or byte != b"]"
                escaped = not escaped and byte == b"\\"
            elif byte == b"[":
                inside = True
            elif byte == b";":
                depth += 1
                if depth == self._node_index:
                    return f"{_line_of(self._data, offset)} (node {depth + 1})"
        return f"node {self._node_index + 1}"
