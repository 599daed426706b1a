"""Values of SGF properties: texts, points, composed values, between raw text and Python.

Points are two letters, column then row, ``aa`` in the upper left corner. Other gomoku programs also write
capitals (``HH``) and renju cells (``h8``, rows from the bottom); on boards up to 26x26 both are unambiguous
and are understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum

from wuzi.core import MAX_SIZE, MIN_SIZE, Move, Style, try_parse_move
from wuzi.errors import RecordError
from wuzi.records.formats import sgf_grammar

LETTERS = "abcdefghijklmnopqrstuvwxyz"
_PAIR = re.compile(r"[A-Za-z]{2}")


class PointStyle(Enum):
    """How a point was written, in words for a warning."""

    SGF = "two small letters"
    CAPITALS = "capital letters"
    RENJU = "renju cells (letter and row number from the bottom)"


def text(raw: str) -> str:
    """The meaning of a raw Text value: escapes removed, line breaks as line feeds."""
    return sgf_grammar.unescaped(raw)


def simple(raw: str) -> str:
    """The meaning of a raw SimpleText value, on one line."""
    return " ".join(sgf_grammar.unescaped(raw).split())


def raw_text(value: str) -> str:
    """The raw value that encodes a text; a RecordError for a lone surrogate."""
    return sgf_grammar.escaped(writable(value))


def writable(value: str) -> str:
    """The text itself; a RecordError for a lone surrogate, which no file can hold."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise RecordError(f"text {value[:40]!r}: character {error.start + 1} cannot be written") from error
    return value


def raw_pair(first: str, second: str) -> str:
    """The raw value ``first:second``."""
    return raw_text(first).replace(":", "\\:") + ":" + raw_text(second)


def pair(raw: str) -> tuple[str, str] | None:
    """The two texts of a composed value; None when it is not composed."""
    first, second = sgf_grammar.split_pair(raw)
    return None if second is None else (simple(first), simple(second))


def check_property(name: str, raws: Iterable[str]) -> None:
    """Make sure that a kept property can be written again; else a RecordError."""
    if not sgf_grammar.is_name(name):
        raise RecordError(f"property {name[:20]!r}: expected a name of capital letters")
    kept = [writable(raw) for raw in raws]
    if not kept or not all(map(sgf_grammar.is_value, kept)):
        raise RecordError(f"property {name}: expected raw SGF values, with ] and \\ escaped")


def raw_point(move: Move, size: int) -> str:
    """The raw value of a cell; a RecordError off the board."""
    row, col = divmod(int(move), size)
    if not (0 <= row < size and 0 <= move):
        raise RecordError(f"cell {move}: expected 0 to {size * size - 1}")
    return LETTERS[col] + LETTERS[row]


def point(raw: str, size: int) -> tuple[Move, PointStyle]:
    """The cell that a raw value names, and how it was written; else a RecordError."""
    value = simple(raw)
    if _PAIR.fullmatch(value):
        col, row = (LETTERS.index(letter) for letter in value.lower())
        if col < size and row < size:
            style = PointStyle.SGF if value.islower() else PointStyle.CAPITALS
            return Move(row * size + col, size), style
    elif (move := try_parse_move(value, size, Style.RENJU)) is not None:
        return move, PointStyle.RENJU
    last = LETTERS[size - 1] * 2
    raise RecordError(f"[{value[:20]}] is no point of a {size}x{size} board: expected [aa] to [{last}]")


def points(raws: Iterable[str], size: int) -> tuple[list[Move], PointStyle]:
    """The cells of a list of points, rectangles ``aa:cc`` included, and the most unusual style used."""
    cells: list[Move] = []
    style = PointStyle.SGF
    for raw in raws:
        first, second = sgf_grammar.split_pair(raw)
        corner, used = point(first, size)
        style = style if used is PointStyle.SGF else used
        if second is None:
            cells.append(corner)
            continue
        other, _ = point(second, size)
        (top, left), (bottom, right) = divmod(corner, size), divmod(other, size)
        if top > bottom or left > right:
            raise RecordError(f"rectangle [{simple(raw)[:20]}]: expected the upper left corner first")
        cells += [Move(r * size + c, size) for r in range(top, bottom + 1) for c in range(left, right + 1)]
    return cells, style


def is_pass(raw: str, size: int) -> bool:
    """Whether a move value is a pass: empty, or ``tt`` where that is off the board."""
    value = simple(raw).lower()
    return not value or (value == "tt" and size < LETTERS.index("t") + 1)


def board_size(raw: str) -> int:
    """The size of a square board that wuzi plays, or a RecordError."""
    value = simple(raw)
    found = re.fullmatch(r"(\d{1,4})(?:\s*[:x]\s*(\d{1,4}))?", value, re.ASCII)
    if not found:
        raise RecordError(f"SZ[{value[:20]}]: expected a board size such as 15")
    width, height = int(found[1]), int(found[2] or found[1])
    if width != height:
        raise RecordError(f"SZ[{value}]: wuzi plays square boards only")
    if not MIN_SIZE <= width <= MAX_SIZE:
        raise RecordError(f"SZ[{value}]: expected {MIN_SIZE} to {MAX_SIZE}")
    return width
