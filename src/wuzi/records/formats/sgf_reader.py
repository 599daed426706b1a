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
* Gomoku has no passes: those that end a game are left out with a warning (two of them are a draw), as is
  what follows one in a variation; a pass between moves of the main line is an error.
* ``GM`` missing is read as gomoku with a warning. Another game, as Go editors write it, is an error unless RU
  or the caller names a rule of gomoku. Points as ``HH`` or ``h8`` are read with a warning.
* ``QPR`` and ``QSLB``, ``QSLW`` of GomokuQuest hold its opening stones, which are read as the first moves.
"""

from __future__ import annotations

import re
from dataclasses import replace

from wuzi.core import Color, Move, Opening, Outcome, Reason, Rules
from wuzi.errors import ConfigError, RecordError
from wuzi.records.formats import sgf_grammar
from wuzi.records.formats import sgf_values as values
from wuzi.records.formats.sgf_grammar import Properties, RawGame
from wuzi.records.model import GameRecord, Mark, MarkKind, RecordNode, SetUp, add_moves
from wuzi.records.replay import corrected
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
_SIZE_OF_GO = 19
"""Of a file for Go that has no SZ."""
_COLORS = {"b": Color.BLACK, "black": Color.BLACK, "1": Color.BLACK}
_COLORS |= {"w": Color.WHITE, "white": Color.WHITE, "2": Color.WHITE}
_QUEST = re.compile(r"QPR\d?|QSL[A-Z]?\d?")
"""GomokuQuest's names for proposed stones and for those of the side that chose."""


def parse_collection(content: str, rules: Rules | None = None) -> list[GameRecord | RecordError]:
    """All games of a text, or in the place of a game that cannot be read the error, which names the place.

    ``rules`` are assumed where the text says none. A RecordError if the text has no game at all.
    """
    values.writable(content)
    found: list[GameRecord | RecordError] = []
    for game in sgf_grammar.games(content):
        try:
            found.append(_GameReader(content, rules).read(game))
        except RecordError as error:
            found.append(error)
            game.end = sgf_grammar.next_root(content, game.start, game.end)
    if not found:
        raise RecordError("no SGF game: expected '(;' somewhere")
    return found


class _GameReader:
    """Reads one game; knows where it is, for messages, and collects warnings."""

    def __init__(self, text: str, rules: Rules | None) -> None:
        self._text = text
        self._defaults = rules
        self._at = self._index = 0
        self._warnings: dict[str, None] = {}
        self._size = 0
        self._passes: dict[int, tuple[str, int, int]] = {}

    def read(self, game: RawGame) -> GameRecord:
        """The record of a game, checked against the rules."""
        if game.error:
            raise RecordError(game.error)
        try:
            record = self._record(game)
            ending = self._leave_out_passes(record.root)
        except RecordError as error:
            raise RecordError(f"{self._place()}: {error}") from error
        record.warnings = tuple(self._warnings)
        record = corrected(record)
        if ending > 1 and record.outcome is None:
            record.outcome = Outcome(None, Reason.AGREEMENT)
        if record.outcome is not None:  # the board shows what the text did not say in words we know
            record.root.properties.pop("RE", None)
        return record

    def _record(self, game: RawGame) -> GameRecord:
        properties = game.nodes[0].properties
        self._at = game.nodes[0].at
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
        quest = self._quest_stones(properties)
        root = self._node(properties, 0)
        if root.move is not None:
            self._warn("the first node holds a move: read as the first move")
            record.root = RecordNode()
            first = record.root.add(root)
        else:
            record.root = first = root
        self._grow(game, add_moves(first, quest))
        return record

    def _grow(self, game: RawGame, first: RecordNode) -> None:
        """Attach all nodes after the first one, in the order of the file."""
        made = [first]
        for index, raw in enumerate(game.nodes[1:], 1):
            self._at, self._index = raw.at, index
            parent = made[raw.parent or 0]
            stones = self._quest_stones(raw.properties)
            if stones:
                parent = add_moves(parent, stones, parent.color.opponent if parent.color else Color.BLACK)
            if raw.properties or not stones:
                private = raw.properties.get(PRIVATE, [])
                node = self._node(raw.properties, index)
                self._time(node, private)
                parent = parent.add(node)
            made.append(parent)

    def _quest_stones(self, properties: Properties) -> list[Move]:
        """Take GomokuQuest's opening stones out of a node's properties."""
        names = [name for name in properties if _QUEST.fullmatch(name)]
        cells = [cell for name in names for raw in properties.pop(name) for cell in raw.split(",")]
        stones = [values.point(cell, self._size)[0] for cell in cells if cell.strip()]
        if stones:
            self._warn("GomokuQuest's opening stones are read as the first moves")
        return stones

    def _leave_out_passes(self, root: RecordNode) -> int:
        """Check where the passes stand, and cut variations there; how many end the main line."""
        if not self._passes:
            return 0
        ending: list[tuple[str, int, int]] = []
        line = set()
        for node in root.main_line():
            line.add(id(node))
            if id(node) in self._passes:
                ending.append(self._passes[id(node)])
            elif ending and node.move is not None:
                told, self._at, self._index = ending[0]
                raise RecordError(f"{told} is a pass: there are no passes in gomoku")
        for node in root.walk():
            if id(node) in self._passes and id(node) not in line and node.children:
                node.children.clear()
                self._warn("a variation ends at a pass: there are no passes in gomoku")
        if ending:
            draw = ", and two of them a draw" if len(ending) > 1 else ""
            self._warn(f"{ending[0][0]} is a pass: left out, there are no passes in gomoku{draw}")
        return len(ending)

    def _rules(self, properties: Properties, private: dict[str, str]) -> Rules:
        defaults = self._defaults or Rules()
        game = self._take(properties, "GM")
        ru = self._take(properties, "RU")
        rule = find_rule(ru) if ru else None
        named = f"GM[{game[:20]}]" + (f" ({_GAMES[game]})" if game in _GAMES else "")
        if not game:
            self._warn("GM is missing: read as gomoku")
        elif game != GOMOKU and rule is None and self._defaults is None:
            raise RecordError(
                f"{named}: expected GM[4], gomoku and renju; give the rule (--rule) if it is gomoku"
            )
        elif game != GOMOKU:
            why = f"RU[{ru[:40]}]" if rule is not None else "the rule that was given"
            self._warn(f"{named} is not gomoku: read as gomoku because of {why}")
        if rule is None:
            self._warn(
                f"{f'RU[{ru[:40]}] is unknown' if ru else 'RU is missing'}: read as {defaults.rule.label}"
            )
            rule = defaults.rule
        if "SZ" in properties:
            self._size = values.board_size(properties.pop("SZ")[0])
        else:
            self._size = _SIZE_OF_GO if game == "1" else defaults.size
            self._warn(f"SZ is missing: read as {self._size}x{self._size}")
        length = private.pop("win_length", "")
        try:
            win_length = int(length) if length else min(defaults.win_length, self._size)
            only = None if length or self._size < 5 else rule.win_length
            win_length = win_length if only is None else only
            return Rules(self._size, win_length, rule, private.pop("opening", Opening.FREE))  # type: ignore[arg-type]
        except ConfigError as error:
            raise RecordError(str(error)) from error
        except ValueError:
            raise RecordError(f"win_length {length[:20]!r}: expected a number such as 5") from None

    def _outcome(self, properties: Properties, private: dict[str, str]) -> Outcome | None:
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

    def _headers(self, properties: Properties) -> dict[str, str]:
        named = [(name, header) for name, header in HEADERS.items() if name in properties]
        headers = {header: self._take(properties, name) for name, header in named}
        if headers.get("application", "").split(":")[0] == APPLICATION:
            del headers["application"]
        return headers

    def _node(self, properties: Properties, index: int) -> RecordNode:
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
            node.move = self._move(colors[0], properties.pop(colors[0]), node, index)
            if node.move is not None:
                node.color = Color.BLACK if colors == ["B"] else Color.WHITE
        node.comment = "\n".join(values.text(raw) for raw in properties.pop("C", []))
        node.marks = self._marks(properties)
        node.properties = {name: tuple(raws) for name, raws in properties.items()}
        return node

    def _move(self, name: str, raws: list[str], node: RecordNode, index: int) -> Move | None:
        if len(raws) > 1:
            raise RecordError(f"{len(raws)} moves in one node: expected one")
        if values.is_pass(raws[0], self._size):
            self._passes[id(node)] = (f"{name}[{values.simple(raws[0])}]", self._at, index)
            return None
        move, style = values.point(raws[0], self._size)
        self._warn_style(style)
        return move

    def _setup(self, properties: Properties) -> SetUp | None:
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

    def _marks(self, properties: Properties) -> tuple[Mark, ...]:
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

    def _marks_of(self, kind: MarkKind, raws: list[str]) -> list[Mark]:
        if kind is not MarkKind.LABEL:
            return [Mark(kind, move) for move in values.points(raws, self._size)[0]]
        marks = []
        for raw in raws:
            where, label = sgf_grammar.split_pair(raw)
            if label is None:
                raise RecordError(f"[{values.simple(raw)[:20]}]: expected a point, a colon and a label")
            marks.append(Mark(kind, values.point(where, self._size)[0], values.simple(label)))
        return marks

    def _time(self, node: RecordNode, raws: list[str]) -> None:
        """Take the thinking time out of a node's private property."""
        private = self._private(raws)
        told = private.pop("time_ms", None)
        if told is None:
            return
        if not re.fullmatch(r"\d{1,12}", told, re.ASCII):
            raise RecordError(f"time_ms {told[:20]!r}: expected milliseconds, a whole number")
        node.time_ms = int(told)
        rest = tuple(values.raw_pair(key, value) for key, value in private.items())
        node.properties.pop(PRIVATE)
        if rest:
            node.properties[PRIVATE] = rest

    def _private(self, raws: list[str]) -> dict[str, str]:
        pairs = [values.pair(raw) for raw in raws]
        if None in pairs:
            raise RecordError(f"{PRIVATE} property: expected key:value")
        return dict(pair for pair in pairs if pair is not None)

    def _take(self, properties: Properties, name: str) -> str:
        """Remove a property and return its text, on one line; empty when it is absent."""
        return values.simple(" ".join(properties.pop(name, [])))

    def _warn(self, text: str) -> None:
        self._warnings[text] = None

    def _warn_style(self, style: values.PointStyle) -> None:
        if style is not values.PointStyle.SGF:
            self._warn(f"points are written as {style.value}")

    def _place(self) -> str:
        """Line and column of the current node."""
        return f"{sgf_grammar.place(self._text, self._at)} (node {self._index + 1})"
