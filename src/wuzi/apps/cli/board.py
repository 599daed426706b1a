"""The board in a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rich.text import Text

from wuzi.core import Color, Move, Position, Style


def board(
    position: Position, ranks: Mapping[Move, int] = MappingProxyType({}), style: Style = Style.RENJU
) -> Text:
    """The stones, the last one in brackets, and ``*`` for forbidden points.

    Candidates are shown by their ranks, and ``?`` is a move asked about, of rank 0. Beside the board are the
    letters and numbers of a style, renju or matrix.
    """
    size, by_rows = position.rules.size, style is Style.MATRIX
    forbidden = position.forbidden_mask()
    text = Text()
    for row in range(size):
        text.append(f"{chr(ord('A') + row) if by_rows else size - row:>2} ", style="dim")
        for col in range(size):
            cell = Move(row * size + col, size)
            stone = int(position.cells[cell])
            if stone:
                sign = ".XO"[stone]
                marked = f"({sign})" if cell == position.last_move else f" {sign} "
                text.append(marked, style="bold" if stone == Color.BLACK else "bold yellow")
            elif cell in ranks:
                shade = "bold green" if ranks[cell] == 1 else "cyan"
                text.append(f"{ranks[cell] or '?'!s:>2} ", style=shade)
            else:
                text.append(" * " if forbidden[cell] else " . ", style="red" if forbidden[cell] else "dim")
        text.append("\n")
    names = (f"{col + 1:>2} " if by_rows else f" {chr(ord('a') + col)} " for col in range(size))
    text.append("   " + "".join(names), style="dim")
    return text
