"""The stones of one game as the Gomocup protocol sees them: own and the opponent's, not black and white."""

from __future__ import annotations

from collections.abc import Mapping

from wuzi.core.types import Color

OWN, THEIRS = 1, 2


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
        self.who = dict(stones)
        self._next = None
        if analysis:
            self.analyse()

    def analyse(self) -> None:
        """From now on the position has a side to move of its own."""
        if self._next is None:
            self._next = self._side_to_move()

    def _side_to_move(self) -> int:
        return self.black() if self.mover() is Color.BLACK else 3 - self.black()

    def _counts(self) -> tuple[int, int]:
        own = sum(who == OWN for who in self.who.values())
        return own, len(self.who) - own

    def put(self, cell: int, who: int) -> None:
        """Place a stone; in an analysis position it is of the side to move, whoever it is said to be."""
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
        own, theirs = self._counts()
        return Color.WHITE if own < theirs else Color.BLACK

    def black(self) -> int:
        """Who plays Black: the side with more stones, else the side of the first one."""
        own, theirs = self._counts()
        if own != theirs:
            return OWN if own > theirs else THEIRS
        return next(iter(self.who.values()), OWN)

    def mover(self) -> Color:
        """The colour to move, by the number of stones."""
        own, theirs = self._counts()
        return Color.BLACK if own == theirs else Color.WHITE

    def colored(self, own: Color) -> tuple[tuple[int, Color], ...]:
        """(cell, colour) in order."""
        return tuple((cell, own if who == OWN else own.opponent) for cell, who in self.who.items())
