"""The lines between BOARD (or SWAP2BOARD, YXBOARD, YXBLOCK, YXBLOCKUNDO) and DONE."""

from __future__ import annotations

from dataclasses import dataclass, field

from wuzi.protocols.gomocup.limits import printable
from wuzi.protocols.gomocup.wire import parse_cell, parse_stone

BLOCKS = ("BOARD", "YXBOARD", "SWAP2BOARD", "YXBLOCK", "YXBLOCKUNDO")
_WITH_COLOURS = ("BOARD", "YXBOARD")
_NEITHER = 3


@dataclass(slots=True)
class Block:
    """An unfinished block.

    Attributes:
        name: the command that opened it.
        size: rows and columns of the board, 0 if there is none.
        stones: who stands on a cell, in the order of the lines: 1 own, 2 the opponent's. Always 1 in
            blocks whose lines are bare cells.
        error: the first thing that was wrong.
    """

    name: str
    size: int
    stones: dict[int, int] = field(default_factory=dict)
    error: str | None = None

    def add(self, line: str) -> bool:
        """Take one line; True when it is DONE."""
        text = line.strip()
        if text.upper() == "DONE":
            return True
        if self.error is None:
            self.error = self._put(text)
        return False

    def _put(self, text: str) -> str | None:
        if self.name in _WITH_COLOURS:
            stone = parse_stone(text, self.size)
            form = "x,y,who"
        else:
            cell = parse_cell(text, self.size)
            stone = None if cell is None else (cell, 1)
            form = "x,y"
        if stone is None:
            return f"{self.name} line {printable(text)}: expected {form} on the board"
        if stone[0] in self.stones:
            return f"{self.name} line {printable(text)}: the cell is taken"
        # 3 marks forbidden points in renju, which are empty cells.
        if stone[1] != _NEITHER:
            self.stones[stone[0]] = stone[1]
        return None
