"""Wrapped evaluators: remembered and averaged answers."""

from __future__ import annotations

import numpy as np
import pytest

from wuzi.core.symmetry import transform_planes
from wuzi.nets import CachedEvaluator, Evaluator, SymmetricEvaluator, policy_of
from wuzi.nets.evaluator import Floats, FunctionEvaluator, scalar_value
from wuzi.nets.file import NetFile

RANDOM = np.random.default_rng(3)
FEATURES = (RANDOM.random((6, 4, 6, 6)) < 0.3).astype(np.float32)


def counting(inner: Evaluator) -> tuple[Evaluator, list[int]]:
    sizes: list[int] = []

    def evaluate(features: Floats) -> tuple[Floats, Floats]:
        sizes.append(len(features))
        return inner.evaluate(features)

    return FunctionEvaluator(evaluate, inner.planes, inner.size), sizes


def test_cached_answers_are_the_same_and_asked_for_once(trained: NetFile) -> None:
    inner, sizes = counting(trained.onnx())
    cached = CachedEvaluator(inner, capacity=6)
    assert isinstance(cached, Evaluator) and (cached.planes, cached.size) == ("az4-v1", 6)
    doubled = np.concatenate([FEATURES, FEATURES])
    for _ in range(2):
        for found, expected in zip(cached.evaluate(doubled), trained.onnx().evaluate(doubled), strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-6)
    assert sizes == [6]
    assert (cached.hits, cached.misses) == (18, 6)
    other = FEATURES[:1].copy()
    other[0, 0, 0, 0] = 5
    cached.evaluate(other)
    cached.evaluate(FEATURES[:1])
    assert sizes == [6, 1, 1], "the oldest position was forgotten"


def test_a_batch_larger_than_the_memory(trained: NetFile) -> None:
    cached = CachedEvaluator(trained.onnx(), capacity=2)
    logits, _ = cached.evaluate(FEATURES)
    np.testing.assert_allclose(logits, trained.onnx().evaluate(FEATURES)[0], atol=1e-6)


@pytest.mark.parametrize("symmetry", range(8))
def test_symmetric_answers_turn_with_the_board(trained: NetFile, symmetry: int) -> None:
    evaluator = SymmetricEvaluator(trained.onnx())
    logits, values = evaluator.evaluate(FEATURES)
    turned = np.ascontiguousarray(transform_planes(FEATURES, symmetry))
    turned_logits, turned_values = evaluator.evaluate(turned)
    boards = policy_of(logits).reshape(-1, 6, 6)
    np.testing.assert_allclose(
        transform_planes(boards, symmetry).reshape(6, -1), policy_of(turned_logits), atol=1e-5
    )
    np.testing.assert_allclose(values, turned_values, atol=1e-6)


def test_symmetric_answers_are_means(trained: NetFile) -> None:
    logits, values = SymmetricEvaluator(trained.onnx()).evaluate(FEATURES)
    images = [np.ascontiguousarray(transform_planes(FEATURES, s)) for s in range(8)]
    alone = [trained.onnx().evaluate(image) for image in images]
    np.testing.assert_allclose(values, np.mean([value for _, value in alone], axis=0), atol=1e-6)
    np.testing.assert_allclose(policy_of(logits).sum(axis=1), 1, atol=1e-5)


def test_values_as_scalars() -> None:
    wdl = np.array([[0.5, 0.25, 0.25], [0, 0, 1]], np.float32)
    assert scalar_value(wdl).tolist() == [0.25, -1]
    assert scalar_value(wdl[:, 0]).tolist() == [0.5, 0]
