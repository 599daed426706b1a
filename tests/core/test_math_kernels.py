"""The mathematics of the kernels against that of Python."""

from __future__ import annotations

import math

import numpy as np
import pytest

from wuzi.core.math_kernels import exponential, unit
from wuzi.core.rule_kernels import xorshift

pytestmark = pytest.mark.kernels


def test_the_exponential_is_right_to_the_last_places() -> None:
    rng = np.random.default_rng(3)
    for x in [0.0, 1.0, -1.0, 0.5, -0.5, 700.0, -700.0, 1e-300, *rng.uniform(-600, 600, 2000).tolist()]:
        assert exponential(x) == pytest.approx(math.exp(x), rel=4e-16 * max(1.0, abs(x) / 100))
    assert exponential(0.0) == 1.0 and exponential(-701.0) == 0.0 and exponential(900.0) == exponential(700.0)


def test_numbers_below_one_are_spread_evenly() -> None:
    state, found = np.uint64(12345), []
    for _ in range(20_000):
        state = np.uint64(xorshift(state))
        found.append(unit(state))
    counts, _ = np.histogram(found, 20, (0.0, 1.0))
    assert counts.sum() == 20_000 and 0 <= min(found) and max(found) < 1
    assert ((counts - 1000) ** 2 / 1000).sum() < 43.8, "chi-square of 19 degrees, 1 in 1000"
