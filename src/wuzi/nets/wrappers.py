"""Evaluators around evaluators: remembered, or averaged over symmetries."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import blake2b

import numpy as np

from wuzi.core.symmetry import NUM_SYMMETRIES, inverse, transform_planes
from wuzi.nets.evaluator import Evaluator, Floats, policy_of


class CachedEvaluator:
    """Remembers the latest answers by the content of the features; counts its ``hits`` and ``misses``."""

    def __init__(self, inner: Evaluator, capacity: int = 100_000) -> None:
        """Remember up to ``capacity`` positions; the least recently used go first."""
        self.planes, self.size = inner.planes, inner.size
        self.hits = self.misses = 0
        self._inner = inner
        self._capacity = capacity
        self._known: OrderedDict[bytes, tuple[Floats, Floats]] = OrderedDict()

    def evaluate(self, features: Floats) -> tuple[Floats, Floats]:
        """See :class:`Evaluator`; equal positions of a batch are asked for once."""
        keys = [blake2b(row.tobytes(), digest_size=16).digest() for row in features]
        new = {key: i for i, key in enumerate(keys) if key not in self._known}
        self.misses += len(new)
        self.hits += len(keys) - len(new)
        found = {key: self._known[key] for key in keys if key not in new}
        if new:
            logits, values = self._inner.evaluate(np.ascontiguousarray(features[list(new.values())]))
            found |= {key: (logits[i].copy(), values[i].copy()) for i, key in enumerate(new)}
        for key, answer in found.items():
            self._known[key] = answer
            self._known.move_to_end(key)
        while len(self._known) > self._capacity:
            self._known.popitem(last=False)
        return np.stack([found[key][0] for key in keys]), np.stack([found[key][1] for key in keys])


def _turned(features: Floats, symmetry: int) -> Floats:
    return np.ascontiguousarray(transform_planes(features, symmetry), np.float32)


def _turned_back(logits: Floats, size: int, symmetry: int) -> Floats:
    boards = transform_planes(logits.reshape(-1, size, size), inverse(symmetry))
    return np.ascontiguousarray(boards, np.float32).reshape(len(logits), -1)


class SymmetricEvaluator:
    """The mean of the answers for all eight images of a position: probabilities and values."""

    def __init__(self, inner: Evaluator) -> None:
        """Average ``inner``; eight times its work."""
        self.planes, self.size = inner.planes, inner.size
        self._inner = inner

    def evaluate(self, features: Floats) -> tuple[Floats, Floats]:
        """See :class:`Evaluator`; the logits are logarithms of the mean probabilities."""
        batch, size = len(features), features.shape[-1]
        images = np.concatenate([_turned(features, s) for s in range(NUM_SYMMETRIES)])
        logits, values = self._inner.evaluate(images)
        parts = [
            policy_of(_turned_back(part, size, s)) for s, part in enumerate(np.split(logits, NUM_SYMMETRIES))
        ]
        mean = np.mean(parts, axis=0)
        value = values.reshape(NUM_SYMMETRIES, batch, *values.shape[1:]).mean(axis=0)
        return np.log(np.maximum(mean, 1e-30)).astype(np.float32), value.astype(np.float32)
