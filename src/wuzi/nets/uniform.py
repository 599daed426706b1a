"""The evaluator that knows nothing: what a tree search does on its own."""

from __future__ import annotations

import numpy as np

from wuzi.nets.evaluator import Floats


class UniformEvaluator:
    """Every move equally likely, every position even.

    Attributes:
        planes: the planes it is given.
        size: None, it takes every size.
    """

    size: int | None = None

    def __init__(self, planes: str = "az4-v1") -> None:
        self.planes = planes

    def evaluate(self, features: Floats) -> tuple[Floats, Floats]:
        """Zero logits [B, cells] and zero values [B]."""
        cells = features.shape[2] * features.shape[3]
        return np.zeros((len(features), cells), np.float32), np.zeros(len(features), np.float32)
