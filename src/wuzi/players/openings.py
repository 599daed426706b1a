"""Three stones that a swap opening can begin with."""

from __future__ import annotations

BALANCED_OPENINGS: tuple[tuple[tuple[int, int], ...], ...] = (
    ((-2, -1), (2, 1), (1, 1)),
    ((-2, -2), (1, 1), (0, 1)),
    ((-1, 0), (0, -1), (1, 0)),
    ((-2, 0), (0, 0), (2, 1)),
    ((-2, -1), (-1, -2), (0, 0)),
    ((-2, 0), (-1, 0), (1, 0)),
    ((-2, -1), (2, -1), (1, 0)),
)
"""Black, white and black stones as (column, row) offsets from the centre.

Chosen by experiment: a mid-strength engine against itself on 15x15 freestyle scored between 43 % and
58 % with Black in each (6 to 14 games an opening), against 66 % over all openings tried.
"""


def balanced_three(size: int, choice: int) -> tuple[int, int, int]:
    """Cells for black, white and black near the centre of a board of ``size`` >= 5."""
    symmetry, index = divmod(choice, len(BALANCED_OPENINGS))
    cells = []
    for dx, dy in BALANCED_OPENINGS[index]:
        x, y = (-dx if symmetry & 1 else dx), (-dy if symmetry & 2 else dy)
        if symmetry & 4:
            x, y = y, x
        cells.append((size // 2 + y) * size + size // 2 + x)
    first, second, third = cells
    return first, second, third
