"""An evaluator without a net for golden trees: repeatable noise."""

from __future__ import annotations

import hashlib

import numpy as np

from wuzi.nets.evaluator import Floats


class HashedEvaluator:
    """Logits and values that look random and depend on the features of the position (and the seed) alone.

    Attributes:
        planes: the planes it hashes.
        size: None, it takes every size.
        batches: how many positions each call held.
    """

    size: int | None = None

    def __init__(self, seed: int = 0, planes: str = "az4-v1", *, spread: float = 4.0) -> None:
        """Choose the noise; ``spread`` is the width of the range of logits."""
        self.planes = planes
        self.batches: list[int] = []
        self._seed = seed
        self._spread = spread

    def evaluate(self, features: Floats) -> tuple[Floats, Floats]:
        """Logits [B, cells] and values [B] between -0.9 and 0.9."""
        self.batches.append(len(features))
        cells = features.shape[2] * features.shape[3]
        logits = np.empty((len(features), cells), np.float32)
        values = np.empty(len(features), np.float32)
        for i, planes in enumerate(features):
            text = planes.tobytes() + self._seed.to_bytes(8, "little")
            key = int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")
            # The raw stream of a bit generator never changes, unlike those of the distributions.
            numbers = (np.random.PCG64(key).random_raw(cells + 1) >> 11) * 2.0**-53
            logits[i] = (numbers[:cells] - 0.5) * self._spread
            values[i] = 1.8 * numbers[cells] - 0.9
        return logits, values
