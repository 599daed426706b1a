"""The score table of document 000 in plain Python: no compiled kernels, nothing to load.

A stone put on an empty cell joins the stones of its colour that touch it in a line. The number of
stones in that row (the new one included) and its open ends (0, 1 or 2 empty cells beyond it) look up
a score. A cell is worth the sum over the four lines, once for the own stones (attack) and once for
the opponent's (defence).

======  =============  ============
stones  two open ends  one open end
======  =============  ============
1       15             10
2       100            10
3       500            30
4       5000           400
5       100000         100000
======  =============  ============

A row without open ends is worth nothing unless it wins. Five also wins with both ends closed.
"""

from __future__ import annotations

from collections.abc import Sequence

FIVE = 100_000
SCORES: tuple[tuple[int, int, int], ...] = (
    (0, 0, 0),
    (0, 10, 15),
    (0, 10, 100),
    (0, 30, 500),
    (0, 400, 5000),
    (FIVE, FIVE, FIVE),
)
"""``SCORES[stones][open_ends]``."""

_DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def row_score(stones: int, open_ends: int, win_length: int = 5) -> int:
    """The score of a row; for other win lengths, of the row in the table that lacks as many stones.

    >>> row_score(3, 2), row_score(3, 2, win_length=4)
    (500, 5000)
    """
    return SCORES[max(1, min(5, stones + 5 - win_length))][open_ends]


def side_score(cells: Sequence[int], size: int, win_length: int, cell: int, color: int) -> int:
    """What a stone of ``color`` on the empty ``cell`` would be worth to its own side, over the four lines."""
    row, col = divmod(cell, size)
    total = 0
    for down, right in _DIRECTIONS:
        stones, open_ends = 1, 0
        for sign in (1, -1):
            y, x = row + sign * down, col + sign * right
            while 0 <= y < size and 0 <= x < size and cells[y * size + x] == color:
                stones += 1
                y, x = y + sign * down, x + sign * right
            if 0 <= y < size and 0 <= x < size and cells[y * size + x] == 0:
                open_ends += 1
        total += row_score(stones, open_ends, win_length)
    return total


def best_cell(cells: Sequence[int], size: int, win_length: int, me: int) -> int:
    """The empty cell of highest score for colour ``me``; ties go to the centre, then to the lowest index."""
    empty = [cell for cell in range(size * size) if cells[cell] == 0]
    if not empty:
        raise ValueError(f"no empty cell on a {size}x{size} board")

    def rank(cell: int) -> tuple[int, int, int]:
        row, col = divmod(cell, size)
        attack = side_score(cells, size, win_length, cell, me)
        defence = side_score(cells, size, win_length, cell, 3 - me)
        # Twice the distances, so that the centre of an even board lies between its middle cells.
        off_centre = (2 * row - size + 1) ** 2 + (2 * col - size + 1) ** 2
        return -(attack + defence), off_centre, cell

    return min(empty, key=rank)
