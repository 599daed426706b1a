"""Piskvork's two text formats, ``.psq`` and ``.rec``.

``.psq`` is the format of the Piskvork manager and of Gomocup's archives::

    Piskvorky 15x15, 11:11, 0       board, levels of the two players, who moved first (0 or 1)
    8,8,120                         column and row from 1, from the upper left; milliseconds (rounded)
    9,8,95
    AlphaGomoku                     both players, the first of them player 0 (in tournaments only)
    Embryo
    0                               end code
    1,Freestyle                     winner and rule (newer archives, and always in wuzi's files)

``.rec`` is that of the Gomotur manager, which Piskvork reads and writes too; the board is 20x20 unless
wuzi's last line or the caller says otherwise::

    AlphaGomoku                     the player who moved first
    Embryo
    7,7,120                         column and row from 0, from the upper left; milliseconds
    8,7,95
    0                               end code
    1,Freestyle,size=15             winner, rule, size (wuzi's files only)

Both hold the main line from the empty board, thinking times, names and an *end code*: 0 a normal finish, 7 an
illegal move, 9 and 15 out of time, -1 not known, anything else a failure of the engine to move. The last line
has 1 for the player who moved first, 2 for the other, 0 for a draw; readers that do not know it stop before
it. wuzi writes it always, with ``?`` for no winner, and adds ``key=value`` fields for what else would be
lost: ``win_length``, ``size`` and ``reason``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from wuzi.core import MAX_SIZE, MIN_SIZE, Color, Move, Outcome, Reason, Rule, Rules
from wuzi.errors import ConfigError, RecordError
from wuzi.records.model import GameRecord, RecordNode
from wuzi.records.replay import BOARD_REASONS, corrected
from wuzi.records.words import find_rule, parse_reason

HUMANS = ("homo-1", "homo-2")
"""The names Piskvork gives to nameless players."""

USUAL_SIZE = 20
"""Of rec files."""

HEADER = re.compile(
    r"Piskvorky\s+(\d{1,4})\s*x\s*(\d{1,4})(?:\s*,\s*-?\d+\s*:\s*-?\d+\s*,\s*([01]))?\s*",
    re.ASCII | re.IGNORECASE,
)
_CODE = re.compile(r"-?\d{1,6}", re.ASCII)
_MOVE = re.compile(r"\s*(\d{1,4})\s*,\s*(\d{1,4})\s*(?:,\s*(-?\d{1,12}(?:\.\d{0,9})?)\s*)?", re.ASCII)
_LIKE_MOVE = re.compile(r"\s*-?\d+\s*,\s*-?\d+\s*(?:,.*)?", re.ASCII)
WINNERS = ("0", "1", "2", "?")
_KEYS = ("win_length", "size", "reason")
_CODES = {Reason.TIME: 15, Reason.CRASH: 3, Reason.ILLEGAL: 7}
_REASONS = {0: None, -1: None, 7: Reason.ILLEGAL, 9: Reason.TIME, 15: Reason.TIME}
_ALMOST_FULL = 25
"""Piskvork and the Gomocup judge call a draw when this many cells, or fewer, are left."""


@dataclass(frozen=True, slots=True)
class _Trailer:
    """The last line: who won, under which rule, and what else is known."""

    winner: str
    rule: Rule | None
    values: dict[str, str] = field(default_factory=dict)


def _expect(lines: list[str], index: int, expected: str) -> str:
    """The line of that index; a RecordError if there is none."""
    if index >= len(lines):
        raise RecordError(f"line {index + 1}: the file ends, expected {expected}")
    return lines[index]


class _PlacedStone(NamedTuple):
    """A move line: its number, column and row as written, and the thinking time (None when 0 or absent)."""

    line: int
    x: int
    y: int
    time_ms: int | None


def is_move_line(line: str) -> bool:
    """Whether a line is ``x,y`` or ``x,y,time``."""
    return _MOVE.fullmatch(line) is not None


def _read_stones(lines: list[str], index: int) -> tuple[list[_PlacedStone], list[str]]:
    """The move lines from ``index`` on, and what comes after them; empty lines do not count."""
    stones = []
    while index < len(lines) and (not lines[index] or _MOVE.fullmatch(lines[index])):
        index += 1
        if found := _MOVE.fullmatch(lines[index - 1]):
            time_ms = int(float(found[3] or 0) + 0.5)
            stones.append(_PlacedStone(index, int(found[1]), int(found[2]), time_ms if time_ms > 0 else None))
    if any(map(_LIKE_MOVE.fullmatch, lines[index:])):
        raise RecordError(f"line {index + 1}: {lines[index][:40]!r} among the moves: expected '8,8,120'")
    return stones, [line for line in lines[index:] if line]


def _add_stones(root: RecordNode, stones: list[_PlacedStone], size: int, origin: int) -> None:
    """Append the moves below ``root``; coordinates are counted from ``origin`` (0 or 1)."""
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


def _format_stones(record: GameRecord, format_name: str, origin: int) -> list[str]:
    """The move lines of a record's main line; set-up stones are a RecordError."""
    size = record.rules.size
    lines = []
    for node in plain_moves(record, format_name):
        row, col = divmod(int(node.move or 0), size)
        lines.append(f"{col + origin},{row + origin},{node.time_ms or 0}")
    return lines


def plain_moves(record: GameRecord, format_name: str) -> list[RecordNode]:
    """The moves of the main line; a RecordError unless it begins with Black on the empty board."""
    line = list(record.root.main_line())
    moves = [node for node in line if node.move is not None]
    setups = [node.setup for node in line if node.setup is not None]
    bare = all(not (s.black or s.white or s.empty) and s.to_move is not Color.WHITE for s in setups)
    if not bare or (moves and moves[0].color is not Color.BLACK):
        raise RecordError(
            f"{format_name} cannot hold set-up stones or a first move by white: use sgf or json"
        )
    return moves


def _read_trailer(rest: list[str]) -> _Trailer | None:
    """Take the line that names winner and rule off the end of ``rest``, if it is there."""
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
    return _Trailer(parts[0], find_rule(parts[1]), values)


def _format_trailer(record: GameRecord, usual_size: int | None = None) -> str:
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


def _end_code(outcome: Outcome | None) -> int:
    """The end code that Piskvork writes for such an end."""
    if outcome is None or outcome.reason in (Reason.RESIGNATION, Reason.AGREEMENT, Reason.ADJUDICATION):
        return -1
    return _CODES.get(outcome.reason, 0)


def _make_rules(trailer: _Trailer | None, size: int, defaults: Rules | None) -> tuple[Rules, list[str]]:
    """The rules of a file and what to warn about; ``defaults`` fill in what it does not say."""
    base = defaults or Rules()
    warnings = []
    rule = trailer.rule if trailer else None
    if rule is None:
        warnings.append(f"the file names no rule: read as {base.rule.label}")
        rule = base.rule
    told = trailer.values.get("win_length") if trailer else None
    win_length = _number(told, "win_length") if told else 5 if trailer else min(base.win_length, size)
    try:
        return Rules(size, win_length, rule), warnings
    except ConfigError as error:
        raise RecordError(str(error)) from error


def _number(text: str, what: str) -> int:
    """A small whole number, or a RecordError."""
    if not re.fullmatch(r"\d{1,4}", text, re.ASCII):
        raise RecordError(f"{what} {text[:20]!r}: expected a whole number")
    return int(text)


def _read_outcome(code: int | None, trailer: _Trailer | None, n_moves: int, size: int) -> Outcome | None:
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


def _made(
    rules: Rules,
    names: list[str],
    warnings: list[str],
    outcome: Outcome | None,
    stones: list[_PlacedStone],
    origin: int,
) -> GameRecord:
    record = GameRecord(rules, black=names[0], white=names[1], outcome=outcome, warnings=tuple(warnings))
    _add_stones(record.root, stones, rules.size, origin)
    return corrected(record)


def _nameless(names: list[str]) -> list[str]:
    return ["" if name == human else name for name, human in zip(names, HUMANS, strict=True)]


def _written_names(record: GameRecord, format_name: str) -> list[str]:
    names = [record.black or HUMANS[0], record.white or HUMANS[1]]
    for name in names:
        if is_move_line(name):
            raise RecordError(f"player name {name!r}: {format_name} would read it as a move")
    return names


def parse_psq(text: str, rules: Rules | None = None) -> GameRecord:
    """The record of a psq text; ``rules`` are assumed where it says none. A RecordError names the line."""
    lines = [line.strip() for line in text.rstrip().splitlines()]
    first = _expect(lines, 0, "a line such as 'Piskvorky 15x15, 0:0, 0'")
    header = HEADER.fullmatch(first)
    if header is None:
        raise RecordError(f"line 1: {first[:40]!r}, expected a line such as 'Piskvorky 15x15, 0:0, 0'")
    width, height = int(header[1]), int(header[2])
    if width != height or not MIN_SIZE <= width <= MAX_SIZE:
        raise RecordError(f"line 1: a {width}x{height} board, expected a square of {MIN_SIZE} to {MAX_SIZE}")
    stones, rest = _read_stones(lines, 1)
    trailer = _read_trailer(rest)
    found, warnings = _make_rules(trailer, width, rules)
    names, code = _names_and_code(rest, warnings)
    names = _nameless(names)
    if header[3] == "1":
        names.reverse()
    return _made(found, names, warnings, _read_outcome(code, trailer, len(stones), width), stones, origin=1)


def format_psq(record: GameRecord) -> str:
    """The psq text of a main line; a RecordError for set-up stones or a name that would be read as a move."""
    size = record.rules.size
    lines = [f"Piskvorky {size}x{size}, 0:0, 0", *_format_stones(record, "psq", origin=1)]
    if record.black or record.white:
        lines += _written_names(record, "psq")
    lines += [str(_end_code(record.outcome)), _format_trailer(record)]
    return "\n".join(lines) + "\n"


def _names_and_code(rest: list[str], warnings: list[str]) -> tuple[list[str], int | None]:
    """The two names (player 0 first) and the end code at the end of a file."""
    code = None
    if rest and len(rest) != 2 and _CODE.fullmatch(rest[-1]):
        code = int(rest.pop())
    if len(rest) not in (0, 2):
        warnings.append(f"{len(rest)} lines after the moves: expected two names, or none, and a code")
    names = [*rest[:2], "", ""][:2]
    return names, code


def parse_rec(text: str, rules: Rules | None = None) -> GameRecord:
    """The record of a rec text; ``rules`` are assumed where it says none. A RecordError names the line."""
    lines = [line.strip() for line in text.rstrip().splitlines()]
    names = [_expect(lines, index, "a player's name") for index in (0, 1)]
    if any(map(is_move_line, names)):
        raise RecordError("lines 1 and 2: moves, expected the names of the two players")
    stones, rest = _read_stones(lines, 2)
    trailer = _read_trailer(rest)
    told = trailer.values.get("size") if trailer else None
    size = _number(told, "size") if told else rules.size if rules and not trailer else USUAL_SIZE
    found, warnings = _make_rules(trailer, size, rules)
    if trailer is None and rules is None:
        warnings.append(f"rec files do not say the board size: read as {size}x{size}")
    code = int(rest.pop(0)) if rest and _CODE.fullmatch(rest[0]) else None
    if not stones and code is None:
        number = next((i for i, line in enumerate(lines, 1) if i > 2 and line), len(lines) + 1)
        raise RecordError(f"line {number}: expected a move such as '7,7,120'")
    if rest:
        warnings.append(f"ignored after the moves: {rest[0][:40]!r}")
    outcome = _read_outcome(code, trailer, len(stones), size)
    return _made(found, _nameless(names), warnings, outcome, stones, origin=0)


def format_rec(record: GameRecord) -> str:
    """The rec text of a main line; a RecordError for set-up stones or a name that would be read as a move."""
    lines = [*_written_names(record, "rec"), *_format_stones(record, "rec", origin=0)]
    lines += [str(_end_code(record.outcome)), _format_trailer(record, USUAL_SIZE)]
    return "\n".join(lines) + "\n"
