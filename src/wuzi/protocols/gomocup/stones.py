"""The stones of one game as the Gomocup protocol sees them: own and the opponent's, not black and white."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from wuzi.core.types import Color
from wuzi.protocols.gomocup.steps import STEPS
from wuzi.protocols.gomocup.wire import parse_cell, parse_stone, printable

OWN, THEIRS = 1, 2
BLOCKS = (
    *("BOARD", "YXBOARD", "SWAP2BOARD", "YXBLOCK", "YXBLOCKUNDO"),
    *(name for name, step in STEPS.items() if step.takes_stones),
)
_WITH_COLOURS = ("BOARD", "YXBOARD")


class Stones:
    """Who stands where, in the order of play as far as known.

    In a game the engine moves whenever it is asked to. An analysis position (YXBOARD) has a side to
    move of its own; if that is the "opponent", the engine takes its side when it is asked.
    """

    def __init__(self) -> None:
        self.who: dict[int, int] = {}
        self._next: int | None = None

    def clear(self) -> None:
        """Take all stones away."""
        self.who.clear()
        self._next = None

    def set_up(self, stones: Mapping[int, int], *, analysis: bool) -> None:
        """Replace the position."""
        self.who, self._next = dict(stones), None
        if analysis:
            self.analyse()

    def analyse(self) -> None:
        """From now on the position has a side to move of its own."""
        if self._next is None:
            self._next = self.black() if self.mover() is Color.BLACK else 3 - self.black()

    def _lead(self) -> int:
        """How many stones more the engine has than its opponent."""
        return sum(1 if who == OWN else -1 for who in self.who.values())

    def put(self, cell: int, who: int) -> None:
        """Place a stone; in an analysis position the side to move owns it, whatever the command says."""
        if self._next is not None and self._next != who:
            self._change_sides()
        self.who[cell] = who
        if self._next is not None:
            self._next = 3 - who

    def remove(self, cell: int) -> None:
        """Take a stone back; its side is to move."""
        who = self.who.pop(cell)
        if self._next is not None:
            self._next = who

    def take_turn(self) -> None:
        """The engine is asked to move: it plays the side to move."""
        if self._next == THEIRS:
            self._change_sides()

    def _change_sides(self) -> None:
        self.who = {cell: 3 - who for cell, who in self.who.items()}
        if self._next is not None:
            self._next = 3 - self._next

    def own_color(self) -> Color:
        """The engine's colour when it is to move."""
        return Color.WHITE if self._lead() < 0 else Color.BLACK

    def black(self) -> int:
        """Who plays Black: the side with more stones, else the side of the first one."""
        if lead := self._lead():
            return OWN if lead > 0 else THEIRS
        return next(iter(self.who.values()), OWN)

    def mover(self) -> Color:
        """The colour to move, by the number of stones."""
        return Color.WHITE if self._lead() else Color.BLACK

    def colored(self, own: Color) -> tuple[tuple[int, Color], ...]:
        """(cell, colour) in order."""
        return tuple((cell, own if who == OWN else own.opponent) for cell, who in self.who.items())


@dataclass(slots=True)
class Block:
    """The lines so far between a command of :data:`BLOCKS` and DONE.

    Attributes:
        name: the command that opened it.
        args: what followed it on its line.
        size: rows and columns of the board, 0 if there is none.
        stones: who stands on a cell, in the order of the lines: 1 own, 2 the opponent's. Always 1 in
            blocks whose lines are bare cells.
        error: the first thing that was wrong.
    """

    name: str
    size: int
    stones: dict[int, int] = field(default_factory=dict)
    error: str | None = None
    args: str = ""

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
            stone, form = parse_stone(text, self.size), "x,y,who"
        else:
            cell, form = parse_cell(text, self.size), "x,y"
            stone = None if cell is None else (cell, OWN)
        if stone is None:
            return f"{self.name} line {printable(text)}: expected {form} on the board"
        if stone[0] in self.stones:
            return f"{self.name} line {printable(text)}: the cell is taken"
        if stone[1] in (OWN, THEIRS):  # 3 marks forbidden points in renju, which are empty cells
            self.stones[stone[0]] = stone[1]
        return None
