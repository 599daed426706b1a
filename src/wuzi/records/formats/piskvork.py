"""What Piskvork's two text formats share: move lines, end codes, and the line that wuzi adds.

Both formats hold stones, thinking times, names and an *end code*: 0 a normal finish, 7 an illegal move,
9 and 15 out of time, -1 not known, anything else a failure of the engine to move. They hold no rule.

Newer Gomocup archives end with a line ``winner,Rule`` (``1,Freestyle``; 1 the player who moved first, 0 a
draw); readers that do not know it stop before it. wuzi writes it always, with ``?`` for no winner, and adds
``key=value`` fields for what else would be lost: ``win_length``, ``size`` and ``reason``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from wuzi.core import Color, Move, Outcome, Reason, Rule, Rules
from wuzi.errors import ConfigError, RecordError
from wuzi.records.model import GameRecord, RecordNode
from wuzi.records.replay import BOARD_REASONS
from wuzi.records.results import parse_reason
from wuzi.records.rule_names import find_rule

HUMANS = ("homo-1", "homo-2")
"""The names Piskvork gives to nameless players."""

_MOVE = re.compile(r"\s*(\d{1,4})\s*,\s*(\d{1,4})\s*(?:,\s*(-?\d{1,12})\s*)?", re.ASCII)
WINNERS = ("0", "1", "2", "?")
_KEYS = ("win_length", "size", "reason")
_CODES = {Reason.TIME: 15, Reason.CRASH: 3, Reason.ILLEGAL: 7}
_REASONS = {0: None, -1: None, 7: Reason.ILLEGAL, 9: Reason.TIME, 15: Reason.TIME}
_ALMOST_FULL = 25
"""Piskvork and the Gomocup judge call a draw when this many cells, or fewer, are left."""


@dataclass(frozen=True, slots=True)
class Trailer:
    """The last line: who won, under which rule, and what else is known."""

    winner: str
    rule: Rule | None
    values: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Lines:
    """The lines of a file, read from the top, with their numbers for messages."""

    lines: list[str]
    index: int = 0

    @classmethod
    def of(cls, text: str) -> Lines:
        """The lines of a text, without blanks at the ends and without empty lines at the end."""
        return cls([line.strip() for line in text.rstrip().splitlines()])

    def next(self, expected: str) -> str:
        """The next line.

        Raises:
            RecordError: there is none.
        """
        if self.index >= len(self.lines):
            raise RecordError(f"line {self.index + 1}: the file ends, expected {expected}")
        self.index += 1
        return self.lines[self.index - 1]

    def rest(self) -> list[str]:
        """The remaining lines that are not empty."""
        return [line for line in self.lines[self.index :] if line]


@dataclass(frozen=True, slots=True)
class PlacedStone:
    """A move line: column and row as written, and the thinking time (None when 0 or absent)."""

    line: int
    x: int
    y: int
    time_ms: int | None


def is_move_line(line: str) -> bool:
    """Whether a line is ``x,y`` or ``x,y,time``."""
    return _MOVE.fullmatch(line) is not None


def read_stones(lines: Lines) -> list[PlacedStone]:
    """The move lines from here on; stops at the first line that is none."""
    stones = []
    while lines.index < len(lines.lines):
        line = lines.lines[lines.index]
        found = _MOVE.fullmatch(line)
        if found is None and line:
            break
        lines.index += 1
        if found is not None:
            time_ms = int(found[3] or 0)
            stones.append(
                PlacedStone(lines.index, int(found[1]), int(found[2]), time_ms if time_ms > 0 else None)
            )
    return stones


def add_stones(root: RecordNode, stones: list[PlacedStone], size: int, origin: int) -> None:
    """Append the moves below ``root``; coordinates are counted from ``origin`` (0 or 1).

    Raises:
        RecordError: a coordinate is off the board.
    """
    node, color = root, Color.BLACK
    for stone in stones:
        col, row = stone.x - origin, stone.y - origin
        if not (0 <= col < size and 0 <= row < size):
            raise RecordError(
                f"line {stone.line}: {stone.x},{stone.y} is off the {size}x{size} board: "
                f"expected {origin} to {size - 1 + origin}"
            )
        node = node.add(RecordNode(move=Move(row * size + col, size), color=color, time_ms=stone.time_ms))
        color = color.opponent


def format_stones(record: GameRecord, format_name: str, origin: int) -> list[str]:
    """The move lines of a record's main line.

    Raises:
        RecordError: the record needs set-up stones, which the format cannot hold.
    """
    size = record.rules.size
    lines = []
    for node in plain_moves(record, format_name):
        row, col = divmod(int(node.move or 0), size)
        lines.append(f"{col + origin},{row + origin},{node.time_ms or 0}")
    return lines


def plain_moves(record: GameRecord, format_name: str) -> list[RecordNode]:
    """The moves of the main line of a record that begins with Black on the empty board.

    Raises:
        RecordError: it does not.
    """
    line = list(record.root.main_line())
    moves = [node for node in line if node.move is not None]
    setups = [node.setup for node in line if node.setup is not None]
    bare = all(not (s.black or s.white or s.empty) and s.to_move is not Color.WHITE for s in setups)
    if not bare or (moves and moves[0].color is not Color.BLACK):
        raise RecordError(
            f"{format_name} cannot hold set-up stones or a first move by white: use sgf or json"
        )
    return moves


def read_trailer(rest: list[str]) -> Trailer | None:
    """Take the line that names winner and rule off the end of ``rest``, if it is there.

    Raises:
        RecordError: the line has a field that is not known.
    """
    parts = [part.strip() for part in rest[-1].split(",")] if rest else []
    if len(parts) < 2 or parts[0] not in WINNERS or not any(char.isalpha() for char in parts[1]):
        return None
    rest.pop()
    values: dict[str, str] = {}
    for part in parts[2:]:
        key, _, value = part.partition("=")
        if key not in _KEYS or not value:
            raise RecordError(f"last line: unknown field {part[:40]!r}, expected one of {', '.join(_KEYS)}")
        values[key] = value
    return Trailer(parts[0], find_rule(parts[1]), values)


def format_trailer(record: GameRecord, usual_size: int | None = None) -> str:
    """The line that names winner and rule; the size too, unless it is ``usual_size`` or that is None."""
    outcome, rules = record.outcome, record.rules
    winner = "?" if outcome is None else str(int(outcome.winner or 0))
    parts = [winner, rules.rule.label.capitalize()]
    if rules.win_length != 5:
        parts.append(f"win_length={rules.win_length}")
    if usual_size is not None and rules.size != usual_size:
        parts.append(f"size={rules.size}")
    if outcome is not None and outcome.reason not in BOARD_REASONS and outcome.reason not in _CODES:
        parts.append(f"reason={outcome.reason.label}")
    return ",".join(parts)


def end_code(outcome: Outcome | None) -> int:
    """The end code that Piskvork writes for such an end."""
    if outcome is None or outcome.reason in (Reason.RESIGNATION, Reason.AGREEMENT, Reason.ADJUDICATION):
        return -1
    return _CODES.get(outcome.reason, 0)


def make_rules(trailer: Trailer | None, size: int, defaults: Rules | None) -> tuple[Rules, list[str]]:
    """The rules of a file and what to warn about; ``defaults`` fill in what it does not say.

    Raises:
        RecordError: impossible rules.
    """
    base = defaults or Rules()
    warnings = []
    rule = trailer.rule if trailer else None
    if rule is None:
        warnings.append(f"the file names no rule: read as {base.rule.label}")
        rule = base.rule
    told = trailer.values.get("win_length") if trailer else None
    win_length = number(told, "win_length") if told else 5 if trailer else min(base.win_length, size)
    try:
        return Rules(size, win_length, rule), warnings
    except ConfigError as error:
        raise RecordError(str(error)) from error


def number(text: str, what: str) -> int:
    """A small whole number.

    Raises:
        RecordError: the text is none.
    """
    if not re.fullmatch(r"\d{1,4}", text, re.ASCII):
        raise RecordError(f"{what} {text[:20]!r}: expected a whole number")
    return int(text)


def read_outcome(code: int | None, trailer: Trailer | None, n_moves: int, size: int) -> Outcome | None:
    """How the game ended, by its end code and last line; the board may know better."""
    to_move = Color.BLACK if n_moves % 2 == 0 else Color.WHITE
    reason = _REASONS.get(code, Reason.CRASH) if code is not None else None
    if trailer is not None and "reason" in trailer.values:
        reason = parse_reason(trailer.values["reason"])
    if trailer is not None and trailer.winner != "?":
        winner = Color(int(trailer.winner)) if trailer.winner != "0" else None
        usual = Reason.LINE if winner else Reason.DRAW_FULL
        return Outcome(winner, reason or usual)
    if reason is not None:
        return Outcome(to_move.opponent, reason)
    if code == 0 and n_moves >= size * size - _ALMOST_FULL and n_moves > _ALMOST_FULL:
        return Outcome(None, Reason.ADJUDICATION)
    return None
