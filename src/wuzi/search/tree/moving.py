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
from wuzi.search.tree.batched import BatchedTrees

Doubles = npt.NDArray[np.float64]
Keys = npt.NDArray[np.uint64]


class Conclusion(NamedTuple):
    """What a search came to: the cell drawn, and the root's value for the side to move."""

    move: int
    value: float
    cells: npt.NDArray[np.int16]  # those with a share in the policy [K]
    shares: Floats  # rounded [K]
    surprise: float  # the policy's divergence from the net's, in nats
    decided: bool  # whether the root was forced or proven


class BatchMover:
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

    def seat(self, game: int, moves: Sequence[int]) -> None:
        """Forget a game and begin another after these moves; an IllegalMoveError for one that is none."""
        trees, rules = self._trees, self._trees.rules
        cells = np.array(moves, np.int64)
        how = rules.size, rules.win_length, int(rules.rule)
        legal = int(moving_kernels.seat_game(trees.batch, game, cells, *how))
        if legal < len(cells):
            raise IllegalMoveError(f"cell {moves[legal]} of {moves}: occupied, or the game is over")

    def conclude(
        self, games: Sequence[int], temperatures: Sequence[float], draws: Doubles
    ) -> list[Conclusion]:
        """Read the roots of games whose searches have ended, and draw their moves at these temperatures by
        numbers from 0 to 1.
        """
        trees, chosen, n = self._trees, self._chosen, len(games)
        moving_kernels.conclude(
            *(trees.batch, trees.rows, chosen, np.array(games, np.int64)),
            *(np.array(temperatures, np.float64), draws),
        )
        counts = chosen.counts[:n].tolist()
        cells = [chosen.cells[i, :count].copy() for i, count in enumerate(counts)]
        shares = [chosen.shares[i, :count].copy() for i, count in enumerate(counts)]
        moves, decided = chosen.moves[:n].tolist(), chosen.decided[:n].astype(bool).tolist()
        values, surprises = chosen.values[:n].tolist(), chosen.surprises[:n].tolist()
        return [*map(Conclusion, moves, values, cells, shares, surprises, decided)]

    def play(
        self, games: Sequence[int], moves: Sequence[int], *, reuse: bool, dead_draws: bool = False
    ) -> list[int]:
        """Play a move in each of some games; the kernels' results, 0 where the game is not over.

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

    def start(self, games: Sequence[int], simulations: Sequence[int], keys: Keys) -> None:
        """Begin searches with fresh noise by these keys, which say all chance in them; see
        :meth:`wuzi.search.tree.batched.BatchedTrees.start`.
        """
        trees, which = self._trees, np.array(games, np.int64)
        trees.draw_noise(which, keys)
        trees.start_all(which, np.array(simulations, np.int64))
