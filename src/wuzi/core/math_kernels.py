"""Mathematics that is the same on every machine and in every build: sums and products alone."""

from __future__ import annotations

from numba import float64, int64, uint64

from wuzi.core.jit import kernel

LOG2_E = 1.4426950408889634
LN2_HIGH = 0.693147180369123816490
LN2_LOW = 1.90821492927058770002e-10
"""The natural logarithm of 2 in two parts, of which a whole number times the first is exact."""
TERMS = 14


@kernel(float64(float64))
def exponential(x):
    """The exponential function: the power series of what is left of x beyond whole powers of two."""
    if x < -700.0:
        return 0.0
    x = min(x, 700.0)
    n = int64(x * LOG2_E + (0.5 if x >= 0.0 else -0.5))
    rest = (x - n * LN2_HIGH) - n * LN2_LOW
    total = 1.0
    for i in range(TERMS, 0, -1):
        total = 1.0 + total * rest / i
    factor = 2.0 if n > 0 else 0.5
    n = abs(n)
    while n > 0:
        if n & 1:
            total *= factor
        factor *= factor
        n >>= 1
    return total


@kernel(float64(uint64))
def unit(x):
    """A number from 0 to below 1 from the state of a generator (:func:`wuzi.core.rule_kernels.xorshift`)."""
    return int64(uint64(x * uint64(0x2545F4914F6CDD1D)) >> uint64(11)) * (1.0 / (1 << 53))
