"""What a stone is worth by its place: the classes of one line, and of a cell on its four lines.

The numbers are part of the tables and are written here only. Kernels take the plain integers below the
classes: an enumeration compiles more slowly.
"""

from __future__ import annotations

from enum import IntEnum


class LineClass(IntEnum):
    """The class of a stone on one line, weakest first (names for win length five; four works alike)."""

    DEAD = 0
    """No winning row through this stone is possible."""
    OVERLINE = 1
    """Longer than a winning row, where that does not win."""
    CLOSED_ONE = 2
    OPEN_ONE = 3
    CLOSED_TWO = 4
    """A move makes a closed three."""
    OPEN_TWO = 5
    """One or two moves make an open three."""
    OPEN_TWO_A = 6
    """Three moves make an open three."""
    OPEN_TWO_B = 7
    """Four or more moves make an open three."""
    CLOSED_THREE = 8
    """A move makes a four, none an open four."""
    OPEN_THREE = 9
    """One move makes an open four."""
    OPEN_THREE_S = 10
    """Two or more moves make an open four."""
    FOUR = 11
    """One move makes five."""
    OPEN_FOUR = 12
    """Two or more moves make five."""
    FIVE = 13
    """A winning row."""
    DOUBLE_FOUR = 14
    """Renju, Black: two fours on one line (``X_XXX_X``), which is forbidden."""


class CellClass(IntEnum):
    """What one stone on an empty cell makes, weakest first."""

    NONE = 0
    FORBIDDEN = 1
    """Renju, Black: an overline, two fours or two threes by their lines; the exact test is
    :func:`wuzi.core.rule_kernels.forbidden_kind`, since a three may not be a real one."""
    TWO = 2
    CLOSED_THREE = 3
    DOUBLE_TWO = 4
    CLOSED_THREE_PLUS = 5
    """A closed three with an open two or another closed three."""
    THREE = 6
    """An open three."""
    THREE_PLUS = 7
    """An open three with an open two or a closed three."""
    DOUBLE_THREE = 8
    FOUR = 9
    FOUR_PLUS = 10
    """A four with an open two or a closed three."""
    FOUR_THREE = 11
    """A four and an open three."""
    OPEN_FOUR = 12
    """An open four or two fours: wins unless the opponent makes five first."""
    FIVE = 13
    """A winning row."""


LINE_CLOSED_THREE = int(LineClass.CLOSED_THREE)
LINE_OPEN_THREE = int(LineClass.OPEN_THREE)
LINE_OPEN_THREE_S = int(LineClass.OPEN_THREE_S)
LINE_FOUR = int(LineClass.FOUR)
LINE_OPEN_FOUR = int(LineClass.OPEN_FOUR)
LINE_FIVE = int(LineClass.FIVE)

FORBIDDEN = int(CellClass.FORBIDDEN)
CLOSED_THREE = int(CellClass.CLOSED_THREE)
DOUBLE_TWO = int(CellClass.DOUBLE_TWO)
THREE = int(CellClass.THREE)
THREE_PLUS = int(CellClass.THREE_PLUS)
DOUBLE_THREE = int(CellClass.DOUBLE_THREE)
FOUR = int(CellClass.FOUR)
FOUR_PLUS = int(CellClass.FOUR_PLUS)
FOUR_THREE = int(CellClass.FOUR_THREE)
OPEN_FOUR = int(CellClass.OPEN_FOUR)
FIVE = int(CellClass.FIVE)
