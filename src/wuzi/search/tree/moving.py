"""Between two searches: choosing, playing and starting again in many games of self-play at once.

What :class:`wuzi.search.tree.batched.BatchedTrees` does for one game at a time, in one call of a kernel
for all games whose searches have ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from wuzi.errors import IllegalMoveError
from wuzi.nets.evaluator import Floats
from wuzi.search.tree import moving_kernels
from wuzi.search.tree.arrays import SPARE_NODES
from wuzi.search.tree.batched import BatchedTrees

Ints = npt.NDArray[np.int64]


class Conclusion(NamedTuple):
    """What a search came to: the cell drawn, and the root's value for the side to move."""

    move: int
    value: float
    cells: npt.NDArray[np.int16]  # those with a share in the policy [K]
    shares: Floats  # rounded [K]
    surprise: float  # the policy's divergence from the net's, in nats
    decided: bool  # whether the root was forced or proven


class Moving:
    """The moves of the games of some trees."""

    def __init__(self, trees: BatchedTrees) -> None:
        self._trees = trees
        games, cells = trees.games, trees.rules.num_cells
        self._chosen = moving_kernels.ChosenMoves(
            moves=np.zeros(games, np.int64),
            values=np.zeros(games, np.float64),
            surprises=np.zeros(games, np.float64),
            decided=np.zeros(games, np.int64),
            cells=np.zeros((games, cells), np.int16),
            shares=np.zeros((games, cells), np.float32),
            counts=np.zeros(games, np.int64),
        )

    def conclude(self, games: Sequence[int], temperatures: Sequence[float]) -> list[Conclusion]:
        """Read the roots of games whose searches have ended, and draw their moves at these temperatures."""
        trees, chosen, n = self._trees, self._chosen, len(games)
        draws = [trees.generator(game).random() for game in games]
        moving_kernels.conclude(
            *(trees.batch, trees.rows, chosen, np.array(games, np.int64)),
            *(np.array(temperatures, np.float64), np.array(draws, np.float64)),
        )
        counts = chosen.counts[:n].tolist()
        return [
            Conclusion(
                *(int(chosen.moves[i]), float(chosen.values[i])),
                *(chosen.cells[i, :count].copy(), chosen.shares[i, :count].copy()),
                *(float(chosen.surprises[i]), bool(chosen.decided[i])),
            )
            for i, count in enumerate(counts)
        ]

    def play(
        self, games: Sequence[int], moves: Sequence[int], *, reuse: bool, dead_draws: bool = False
    ) -> list[int]:
        """Play a move in each of some games; the kernels' results, 0 where the game goes on.

        With ``dead_draws`` a draw is also a board that nobody can win on any more. An IllegalMoveError for a
        move that is none; the games before it have moved.
        """
        results = np.zeros(len(games), np.int64)
        which, cells = np.array(games, np.int64), np.array(moves, np.int64)
        batch = self._trees.batch
        played = int(moving_kernels.play_all(batch, which, cells, int(reuse), int(dead_draws), results))
        if played < len(games):
            raise IllegalMoveError(
                f"cell {moves[played]} of game {games[played]}: occupied, or the game is over"
            )
        return results.tolist()

    def start(self, games: Sequence[int], simulations: Sequence[int]) -> None:
        """Begin searches with fresh noise; see :meth:`wuzi.search.tree.batched.BatchedTrees.start`."""
        for game in games:
            self._trees.draw_noise(game)
        memory = self._trees.memory
        which, wanted = np.array(games, np.int64), np.array(simulations, np.int64)
        memory.reserve(int(moving_kernels.start_all(memory.trees, which, wanted)) + SPARE_NODES)
