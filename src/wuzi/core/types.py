"""The small types of the rule book: colours, stones, cells and actions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from wuzi.core.notation import Move


class Color(IntEnum):
    """Who a stone belongs to. Black always places the first stone."""

    BLACK = 1
    WHITE = 2

    @property
    def opponent(self) -> Color:
        """The other colour.

        >>> Color.BLACK.opponent
        <Color.WHITE: 2>
        """
        return Color(3 - self)

    @property
    def letter(self) -> str:
        """``B`` or ``W``, as in SGF."""
        return "B" if self is Color.BLACK else "W"


class Stone(IntEnum):
    """What a cell holds; the values of every ``cells`` array."""

    EMPTY = 0
    BLACK = 1
    WHITE = 2
    WALL = 3


class Reason(IntEnum):
    """How a game ended."""

    LINE = 1
    """Enough stones in a row."""
    DRAW_FULL = 2
    """The board is full."""
    FORBIDDEN = 3
    """Black played a forbidden point (renju)."""
    RESIGNATION = 4
    AGREEMENT = 5
    """Both sides agreed on a draw."""
    TIME = 6
    """Out of time."""
    CRASH = 7
    """The player's process ended or never answered."""
    ILLEGAL = 8
    """The player answered with an illegal move."""
    ADJUDICATION = 9
    """The referee ended the game."""

    @property
    def label(self) -> str:
        """The lower-case name used in records, such as ``draw_full``."""
        return self.name.lower()


class ForbiddenKind(IntEnum):
    """Why a point is forbidden to Black in renju."""

    NONE = 0
    OVERLINE = 1
    DOUBLE_FOUR = 2
    DOUBLE_THREE = 3

    @property
    def label(self) -> str:
        """The lower-case name used in records, such as ``double_three``."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game.

    Attributes:
        winner: the winning colour, or None for a draw.
        reason: how the game ended.
    """

    winner: Color | None
    reason: Reason

    @property
    def result(self) -> str:
        """``black``, ``white`` or ``draw``: the words of the result files."""
        return "draw" if self.winner is None else self.winner.name.lower()


@dataclass(frozen=True, slots=True)
class Place:
    """Place one stone of the side to move. In a swap phase it also means: keep the colour."""

    move: Move


@dataclass(frozen=True, slots=True)
class PlaceSeveral:
    """Place several stones in one turn (the opening stones of swap1 and swap2)."""

    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Swap:
    """Take the other colour."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep the colour one has, without placing a stone yet."""


Action = Place | PlaceSeveral | Swap | Keep
