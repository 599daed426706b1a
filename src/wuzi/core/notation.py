"""Text for cells: ``h8`` (renju style), ``7,7`` (Gomocup), ``H8`` read as row and column (matrix).

The board is indexed once and for all as ``row * size + column`` with row 0 at the top.

* renju: column letters from the left without skipping, row numbers from the **bottom**: ``a1`` is the
  lower left corner, ``h8`` the centre of 15x15.
* gomocup: ``x,y`` with x the column from the left and y the row from the **top**, both from zero.
* matrix: row letters from the **top**, column numbers from the left: ``A1`` is the upper left corner.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from operator import index
from typing import SupportsIndex

from wuzi.errors import NotationError

_RENJU = re.compile(r"([a-zA-Z])([1-9][0-9]?)")
_NUMBER_FORMATS = tuple("bcdeEfFgGnoxX%")
_GOMOCUP = re.compile(r"(\d{1,3})\s*,\s*(\d{1,3})", re.ASCII)
_BETWEEN = re.compile(r"[\s;,、]+|[0-9]{1,3}(?:\.+|[)、])")
"""What may stand between cells: separators, and the numbers of moves."""
_NARROW = str.maketrans({code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " "})


class Style(StrEnum):
    """How cells are written for people."""

    RENJU = "renju"
    GOMOCUP = "gomocup"
    MATRIX = "matrix"


class Move(int):
    """A cell of a board: ``row * size + column``, row 0 at the top; an int that prints as it is written.

    ``str()`` and f-strings give the cell in renju style. Everything else is that of the number: equality,
    hashing, ordering, indexing, JSON, NumPy, and arithmetic, whose results are plain ints. ``int(move)``,
    ``f"{move:d}"`` and ``"%d" % move`` give the number itself.

    >>> move = Move("h8", 15)
    >>> print(move, int(move), move == 112, move + 1, [move])
    h8 112 True 113 [Move('h8', size=15)]
    """

    size: int

    def __new__(cls, cell: SupportsIndex | str, size: int) -> Move:
        """The cell of that number or name.

        Args:
            cell: the number, or text such as ``h8`` or ``7,7``.
            size: rows of the board. It is required: a number alone names no cell, and stays an ``int``.

        Raises:
            NotationError: the board has no such cell.
        """
        if isinstance(cell, Move) and cell.size == size:
            return cell
        if isinstance(cell, str):
            return parse_move(cell, size)
        last = size * size - 1
        if isinstance(cell, bool) or not hasattr(cell, "__index__"):
            raise NotationError(
                f"{cell!r} is no cell: expected text such as 'h8' or a number from 0 to {last}"
            )
        number = index(cell)
        if not 0 <= number <= last:
            raise NotationError(f"cell index {number}: expected 0 to {last}")
        self = int.__new__(cls, number)
        self.size = size
        return self

    def __str__(self) -> str:
        row, col = divmod(int(self), self.size)
        return f"{chr(ord('a') + col)}{self.size - row}"

    def __format__(self, spec: str) -> str:
        return format(int(self) if spec[-1:] in _NUMBER_FORMATS else str(self), spec)

    def __repr__(self) -> str:
        return f"Move({str(self)!r}, size={self.size})"

    def __reduce__(self) -> tuple[object, ...]:
        return Move, (int(self), self.size)


def narrow(text: str) -> str:
    """The text with ASCII for the full-width letters, digits and signs of Chinese and Japanese keyboards.

    >>> narrow("Ｈ８，ｉ１０")
    'H8,i10'
    """
    return text.translate(_NARROW)


def format_move(move: int, size: int, style: Style = Style.RENJU) -> str:
    """The text of a cell.

    >>> format_move(7 * 15 + 7, 15), format_move(0, 15), format_move(0, 15, Style.GOMOCUP)
    ('h8', 'a15', '0,0')
    """
    cell = Move(move, size)
    row, col = divmod(int(cell), size)
    if style is Style.GOMOCUP:
        return f"{col},{row}"
    if style is Style.MATRIX:
        return f"{chr(ord('A') + row)}{col + 1}"
    return str(cell)


def try_parse_move(text: str, size: int, style: Style | None = None) -> Move | None:
    """The cell that ``text`` names, or None.

    Without a style both ``h8`` (renju) and ``7,7`` (Gomocup) are understood; the matrix style
    must be asked for, because ``H8`` means another cell in it.
    """
    text = narrow(text).strip()
    if style in (None, Style.GOMOCUP) and (found := _GOMOCUP.fullmatch(text)):
        col, row = int(found[1]), int(found[2])
    elif style is not Style.GOMOCUP and (found := _RENJU.fullmatch(text)):
        letter, number = ord(found[1].lower()) - ord("a"), int(found[2])
        row, col = (letter, number - 1) if style is Style.MATRIX else (size - number, letter)
    else:
        return None
    return Move(row * size + col, size) if 0 <= row < size and 0 <= col < size else None


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
    """A sequence of cells: a position code (``h8h9i7``), or cells separated by blanks or commas, or numbered.

    Full-width letters, digits and commas are understood, as :func:`narrow` reads them. A NotationError for
    what is no cell, and for more cells than the board has.

    >>> parse_moves("h8h9 i7", 15) == parse_moves("7,7 7,6 8,8", 15) == parse_moves("1. H8, H9 2. I7", 15)
    True
    """
    moves: list[Move] = []
    text, pos = narrow(text), 0
    while pos < len(text):
        if between := _BETWEEN.match(text, pos):
            pos = between.end()
            continue
        found = _GOMOCUP.match(text, pos) or _RENJU.match(text, pos)
        if not found:
            raise NotationError(
                f"move {len(moves) + 1} in {text[pos : pos + 20]!r}: expected cells like 'h8' or '7,7'"
            )
        if len(moves) == size * size:
            raise NotationError(f"more than {size * size} moves: a {size}x{size} board has no more cells")
        moves.append(parse_move(found[0], size))
        pos = found.end()
    return tuple(moves)


def format_moves(moves: Iterable[int], size: int) -> str:
    """A position code: renju-style cells without separators.

    >>> format_moves(parse_moves("7,7 7,6", 15), 15)
    'h8h9'
    """
    return "".join(format_move(move, size) for move in moves)
