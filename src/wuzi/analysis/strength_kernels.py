"""How strong a side played, from how likely each named level plays its moves."""

from __future__ import annotations

from numba import float64, from_dtype, void

from wuzi.analysis.layout import RATED, STRENGTH
from wuzi.core.jit import kernel
from wuzi.core.math_kernels import exponential

StrengthRecord = from_dtype(STRENGTH)

STEP, BEYOND = 10.0, 100.0
"""Ratings in such steps, and up to so many Elo beyond those of the levels, are equally likely beforehand."""
TRUST = 0.8
"""What a log-likelihood counts: moves of a game are not independent, and nobody plays as a level does."""
TAIL = 0.025


@kernel(float64(StrengthRecord, float64))
def log_likelihood(strength, elo):
    """The log-likelihood of a rating, on straight lines between the levels and level beyond them."""
    ratings, logs = strength.ratings, strength.logs
    if elo <= ratings[0]:
        return logs[0]
    for i in range(1, RATED):
        if elo < ratings[i]:
            part = (elo - ratings[i - 1]) / (ratings[i] - ratings[i - 1])
            return logs[i - 1] + part * (logs[i] - logs[i - 1])
    return logs[RATED - 1]


@kernel(void(StrengthRecord))
def estimate_strength(strength):
    """The mean of the ratings, weighted by their likelihood, and the interval with 95 % of the weight."""
    best = strength.logs[0]
    for i in range(1, RATED):
        best = max(best, strength.logs[i])
    first = strength.ratings[0] - BEYOND
    last = strength.ratings[RATED - 1] + BEYOND
    total = mean = 0.0
    elo = first
    while elo <= last:
        weight = exponential(TRUST * (log_likelihood(strength, elo) - best))
        total += weight
        mean += weight * elo
        elo += STEP
    strength.elo = mean / total
    strength.low, strength.high = first, last
    sum_ = 0.0
    elo = first
    while elo <= last:
        sum_ += exponential(TRUST * (log_likelihood(strength, elo) - best))
        if sum_ < TAIL * total:
            strength.low = elo + STEP
        if sum_ <= (1.0 - TAIL) * total:
            strength.high = elo + STEP
        elo += STEP
    strength.high = min(strength.high, last)
