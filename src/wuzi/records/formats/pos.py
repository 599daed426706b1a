"""Position codes: the moves of a game as one word, ``h8h9i7``.

Most programs count rows from the bottom, as wuzi does; c-gomoku-cli and Gomocup's opening lists count them
from the top (``origin="top"``). A code holds moves from the empty board and nothing else: the reader says
which rules to assume.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from wuzi.core import Color, Move, Rules, format_moves, parse_moves
from wuzi.core.notation import narrow
from wuzi.errors import NotationError, RecordError
from wuzi.records.formats.piskvork import plain_moves
from wuzi.records.model import GameRecord, add_moves
from wuzi.records.replay import corrected

_CONTINUED = re.compile(r"(?!1\.)\d{1,3}\.")
"""A line that begins with the number of a later move continues the game before it."""
_TURN = re.compile(r"[a-z]\d{1,2}(?:[\s,;]+[a-z]\d{1,2})?", re.IGNORECASE)
"""A move, or those of both sides, as they stand in a line of their own."""
_CELL = re.compile(r"[a-z]\d{1,2}")
_LINK = re.compile(r"https?://[^\s#]*#/?")


class Origin(StrEnum):
    """Where a position code counts rows from."""

    BOTTOM = "bottom"
    TOP = "top"


def parse_code(text: str, size: int, origin: Origin | str = Origin.BOTTOM) -> tuple[Move, ...]:
    """The moves of a position code; a NotationError if it names no cells of a board of this size.

    >>> parse_code("a1", 15) == parse_code("a15", 15, "top")
    True
    """
    return tuple(_turned(parse_moves(text, size), size, Origin(origin)))


def format_code(moves: Sequence[Move], size: int, origin: Origin | str = Origin.BOTTOM) -> str:
    """The position code of some moves.

    >>> format_code(parse_code("h8h9", 15), 15, "top")
    'h8h7'
    """
    return format_moves(_turned(moves, size, Origin(origin)), size)


def parse_all(
    text: str, rules: Rules | None = None, origin: Origin | str = Origin.BOTTOM
) -> list[GameRecord | RecordError]:
    """One record a line; empty lines and those beginning with ``#`` are skipped. Without any, the empty game.

    A game may fill several lines if they begin with the numbers of its moves (``1. h8 i9``, then ``2. g7``),
    or if each is a move or a pair (``h8 i9``, then ``g7``) and no cell comes twice.
    A line may also be a link whose part behind the ``#`` is a code, as gomocalc makes them. A line that
    is no position code, or cannot be played, gives a RecordError that names it.
    """
    rules = rules or Rules()
    records: list[GameRecord | RecordError] = []
    for number, line in _games(text):
        try:
            record = GameRecord(rules)
            add_moves(record.root, parse_code(without_link(line), rules.size, origin), Color.BLACK)
            records.append(corrected(record))
        except (NotationError, RecordError) as error:
            records.append(RecordError(f"line {number}: {error}"))
    return records or [GameRecord(rules)]


def _games(text: str) -> list[tuple[int, str]]:
    """The games of a text, each with the number of its first line."""
    games: list[tuple[int, str]] = []
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if games and _CONTINUED.match(line):
            begun, moves = games.pop()
            games.append((begun, f"{moves} {line}"))
        elif line and not line.startswith("#"):
            games.append((number, line))
    if len(games) > 1 and all(_TURN.fullmatch(narrow(line)) for _, line in games):
        joined = " ".join(line for _, line in games)
        cells = _CELL.findall(narrow(joined).lower())
        if len(set(cells)) == len(cells):
            return [(games[0][0], joined)]
    return games


def format_record(record: GameRecord, origin: Origin | str = Origin.BOTTOM) -> str:
    """The position code of a main line, and a line break; a RecordError for set-up stones."""
    moves = [node.move for node in plain_moves(record, "pos") if node.move is not None]
    return format_code(moves, record.rules.size, origin) + "\n"


def without_link(line: str) -> str:
    """The position code in a line that may be a link to it.

    >>> without_link("https://gomocalc.com/#/h8h9")
    'h8h9'
    """
    return _LINK.sub("", line.strip(), count=1)


def _turned(moves: Sequence[Move], size: int, origin: Origin) -> list[Move]:
    """The cells with rows counted from the other side when ``origin`` is the top."""
    if origin is Origin.BOTTOM:
        return list(moves)
    return [Move((size - 1 - move // size) * size + move % size, size) for move in moves]
