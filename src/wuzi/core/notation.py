"""Text for cells: ``h8`` (renju style), ``7,7`` (Gomocup), ``H8`` read as row and column (matrix).

The board is indexed once and for all as ``row * size + column`` with row 0 at the top.

* renju: column letters from the left without skipping, row numbers from the **bottom**: ``a1`` is the
  lower left corner, ``h8`` the centre of 15x15.
* gomocup: ``x,y`` with x the column from the left and y the row from the **top**, both from zero.
* matrix: row letters from the **top**, column numbers from the left: ``A1`` is the upper left corner.
"""

from __future__ import annotations

import re
from enum import StrEnum

from wuzi.core.types import Move
from wuzi.errors import NotationError

_RENJU = re.compile(r"([a-zA-Z])([1-9][0-9]?)")
_GOMOCUP = re.compile(r"(\d{1,3})\s*,\s*(\d{1,3})")


class Style(StrEnum):
    """How cells are written for people."""

    RENJU = "renju"
    GOMOCUP = "gomocup"
    MATRIX = "matrix"


def format_move(move: int, size: int, style: Style = Style.RENJU) -> str:
    """The text of a cell.

    >>> format_move(7 * 15 + 7, 15), format_move(0, 15), format_move(0, 15, Style.GOMOCUP)
    ('h8', 'a15', '0,0')
    """
    row, col = divmod(int(move), size)
    if not 0 <= row < size:
        raise NotationError(f"cell index {move}: expected 0 to {size * size - 1}")
    if style is Style.GOMOCUP:
        return f"{col},{row}"
    if style is Style.MATRIX:
        return f"{chr(ord('A') + row)}{col + 1}"
    return f"{chr(ord('a') + col)}{size - row}"


def try_parse_move(text: str, size: int, style: Style | None = None) -> Move | None:
    """The cell that ``text`` names, or None.

    Without a style both ``h8`` (renju) and ``7,7`` (Gomocup) are understood; the matrix style
    must be asked for, because ``H8`` means another cell in it.
    """
    text = text.strip()
    if style in (None, Style.GOMOCUP) and (found := _GOMOCUP.fullmatch(text)):
        col, row = int(found[1]), int(found[2])
    elif style is not Style.GOMOCUP and (found := _RENJU.fullmatch(text)):
        letter, number = ord(found[1].lower()) - ord("a"), int(found[2])
        row, col = (letter, number - 1) if style is Style.MATRIX else (size - number, letter)
    else:
        return None
    return Move(row * size + col) if 0 <= row < size and 0 <= col < size else None


def parse_move(text: str, size: int, style: Style | None = None) -> Move:
    """The cell that ``text`` names.

    Raises:
        NotationError: the text names no cell of a board of this size.

    >>> parse_move("h8", 15) == parse_move("7,7", 15) == 112
    True
    """
    move = try_parse_move(text, size, style)
    if move is None:
        last = format_move(size - 1, size, style or Style.RENJU)
        raise NotationError(
            f"{text.strip()[:40]!r} is no cell of a {size}x{size} board: "
            f"expected something like {last!r}" + ("" if style else " or '7,7' (column,row)")
        )
    return move


def parse_moves(text: str, size: int) -> tuple[Move, ...]:
    """A sequence of cells: a position code (``h8h9i7``) or cells separated by blanks.

    >>> parse_moves("h8h9 i7", 15) == parse_moves("7,7 7,6 8,8", 15)
    True
    """
    moves: list[Move] = []
    pos = 0
    while pos < len(text):
        if text[pos] in " \t\r\n;":
            pos += 1
            continue
        found = _GOMOCUP.match(text, pos) or _RENJU.match(text, pos)
        if not found:
            raise NotationError(
                f"move {len(moves) + 1} in {text[pos : pos + 20]!r}: expected cells like 'h8' or '7,7'"
            )
        moves.append(parse_move(found[0], size))
        pos = found.end()
    return tuple(moves)


def format_moves(moves: tuple[Move, ...] | list[Move], size: int) -> str:
    """A position code: renju-style cells without separators.

    >>> format_moves(parse_moves("7,7 7,6", 15), 15)
    'h8h9'
    """
    return "".join(format_move(move, size) for move in moves)
