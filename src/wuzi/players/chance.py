"""Draws from a generator of our own, which are the same in every build, and openings drawn by it."""

from __future__ import annotations

import numpy as np

from wuzi.core import Game, Move
from wuzi.players import level_kernels
from wuzi.players.layout import LEVEL

NUM_OPENINGS = 8 * 7
"""Openings of three stones (``level_kernels.OPENINGS``), in all their symmetries."""


class Chance:
    """Draws that depend on nothing but a seed and what is on the board, from a generator of our own."""

    def __init__(self, seed: int, game: Game) -> None:
        self.record = np.zeros(1, LEVEL)[0]
        key = int(game.position.key) & (2**64 - 1)
        args = (np.uint64(seed & (2**64 - 1)), np.uint64(key), len(game.actions))
        level_kernels.level_seed(self.record, *args)

    def below(self, count: int) -> int:
        """A number from 0 to ``count`` - 1."""
        return int(level_kernels.level_draw(self.record, count))


def balanced_three(size: int, choice: int) -> tuple[Move, ...]:
    """Cells for black, white and black near the centre of a board of ``size`` >= 5."""
    cells = np.zeros(3, np.int64)
    level_kernels.opening_stones(size, choice % NUM_OPENINGS, cells)
    return tuple(Move(int(cell), size) for cell in cells)
