"""What a tree search asks of a net: features in, policy logits and values out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


@runtime_checkable
class Evaluator(Protocol):
    """A policy and value for a batch of positions.

    Attributes:
        planes: the feature planes it reads, by name (:mod:`wuzi.nets.planes`).
        size: the one board size it can evaluate, or None when its weights fit every size.
    """

    planes: str
    size: int | None

    def evaluate(self, features: Floats) -> tuple[Floats, Floats]:
        """Evaluate positions, each from the view of its side to move.

        Args:
            features: float32 [B, C, N, N], as the encoder of ``planes`` makes them.

        Returns:
            Policy logits, float32 [B, N * N] in cell order, occupied cells included (the search masks
            them); and the value, float32 [B] in [-1, 1], or float32 [B, 3] with the probabilities of
            win, draw and loss.

        Raises:
            ConfigError: features of another shape than the net was made for.
        """
        ...


class FunctionEvaluator:
    """A function as an :class:`Evaluator`: for wrappers, and for tests that need an exact answer."""

    def __init__(
        self, evaluate: Callable[[Floats], tuple[Floats, Floats]], planes: str, size: int | None = None
    ) -> None:
        self.planes = planes
        self.size = size
        self._evaluate = evaluate

    def evaluate(self, features: Floats) -> tuple[Floats, Floats]:
        """The function's answer."""
        return self._evaluate(features)


class UniformEvaluator(FunctionEvaluator):
    """Knows nothing: every move equally likely, every position of any size even."""

    def __init__(self, planes: str = "az4-v1") -> None:
        super().__init__(_nothing, planes)


def _nothing(features: Floats) -> tuple[Floats, Floats]:
    cells = features.shape[2] * features.shape[3]
    return np.zeros((len(features), cells), np.float32), np.zeros(len(features), np.float32)


def scalar_value(value: Floats) -> Floats:
    """Values as expected results: float32 [B] stays, win/draw/loss [B, 3] becomes win - loss."""
    return value if value.ndim == 1 else value[:, 0] - value[:, 2]


def policy_of(logits: Floats) -> Floats:
    """Logits [B, A] as probabilities over all cells, occupied ones included."""
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    probabilities: Floats = shifted / shifted.sum(axis=1, keepdims=True)
    return probabilities
