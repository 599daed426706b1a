"""Extra stones for the weaker side."""

from __future__ import annotations

import numpy as np

from wuzi.core import Color, Game, Opening, Position, Rules, Stone
from wuzi.errors import UnsupportedError

MAX_HANDICAP = 3
MIN_SIZE = 7
MIN_WIN_LENGTH = 5
STONES = ((0, 0), (-2, 2), (2, 2), (2, -2))
"""Rows and columns from the centre: no two of them make a row with anything between."""


def handicap_game(rules: Rules, extra: int) -> Game:
    """A game in which Black has its first stone and ``extra`` more before White's first move.

    UnsupportedError for swap openings, which even out by themselves, and boards without room.

    >>> print(handicap_game(Rules(9), 1).to_move.name)
    WHITE
    """
    if not 1 <= extra <= MAX_HANDICAP:
        raise UnsupportedError(f"handicap {extra}: expected 1 to {MAX_HANDICAP} extra stones")
    if rules.opening is not Opening.FREE or rules.size < MIN_SIZE or rules.win_length < MIN_WIN_LENGTH:
        needed = f"the free opening, a board of {MIN_SIZE}x{MIN_SIZE} or more, and five in a row"
        raise UnsupportedError(f"a handicap needs {needed}: not {rules.label}")
    centre = rules.size // 2
    cells = np.zeros((rules.size, rules.size), np.int8)
    for row, col in STONES[: extra + 1]:
        cells[centre + row, centre + col] = Stone.BLACK
    return Game(rules, Position.from_cells(rules, cells.ravel(), Color.WHITE))
