"""The answer of a tree search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wuzi.core.notation import Move
from wuzi.search.layout import PROVEN_DRAW
from wuzi.search.tree.options import with_temperature

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Root:
    """What a search found at its root. Arrays are by cell; values are the side to move's.

    Attributes:
        best: the move to play without any temperature.
        value: expected result, -1 to 1; exact where ``proven``.
        proven: n + 1 for a proven win in n plies, -(n + 1) for a loss in n, ``PROVEN_DRAW``, else 0.
        visits: int32, of this search and of what was kept from earlier ones.
        values: float32, 0 where never tried.
        proofs: int16, ``proven`` of each move.
        priors: float32, the net's policy over the legal moves, without noise.
        policy: float32, the training target: the improved policy (Gumbel), else shares of visits; of
            moves that are proven to lose only where all are.
        simulations: how many the search did.
        evaluated: positions it sent to the evaluator since the game began.
    """

    best: Move
    value: float
    proven: int
    visits: Ints
    values: Floats
    proofs: npt.NDArray[np.int16]
    priors: Floats
    policy: Floats
    simulations: int
    evaluated: int

    def choose(self, rng: np.random.Generator, temperature: float) -> Move:
        """A move drawn from the softened policy, or the best one at temperature 0."""
        if temperature <= 0:
            return self.best
        chances = with_temperature(self.policy, temperature)
        return Move(rng.choice(len(self.policy), p=chances), self.best.size)


def proven_plies(proven: int) -> int | None:
    """Plies to a proven win (positive) or loss (negative); None for a draw and where nothing is proven."""
    if proven in (0, PROVEN_DRAW):
        return None
    return proven - 1 if proven > 0 else proven + 1
