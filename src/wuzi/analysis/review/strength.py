"""How strong a side played, in the ratings of the named levels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wuzi.analysis.layout import STRENGTH
from wuzi.analysis.review.results import LevelFit
from wuzi.analysis.strength_kernels import estimate_strength
from wuzi.core import Rules
from wuzi.players.levels import LEVELS, LevelName, level_ratings

RATED_LEVELS = tuple(level for level in LEVELS.values() if level.searches_less)
"""The levels that a side is compared with, weakest first: all but the whole engine."""
LIKELY = 0.4
"""Part of the moves of a level's search for which the policy's stand: nobody searches just as it does."""
ASTRAY, ANY = 0.02, 0.005
"""Part of the moves that nothing explains, and how likely each of those is."""
RATED_RULES = Rules()
"""The levels are rated in freestyle on 15x15."""
LEAST_MOVES = 12
"""Moves of a side from which on its strength is estimated: with fewer the interval says nothing."""


@dataclass(frozen=True, slots=True)
class Strength:
    """How strong a side played.

    Attributes:
        elo: the estimate, on the scale of the levels.
        low, high: its 95 % interval.
        level: the level whose rating is nearest.
        moves: the moves that it rests on.
    """

    elo: int
    low: int
    high: int
    level: LevelName
    moves: int


def are_rated(rules: Rules) -> bool:
    """Whether the ratings of the levels are about these rules."""
    return rules.label == RATED_RULES.label


def log_likelihoods(fits: Sequence[LevelFit]) -> list[float]:
    """The logarithm of how likely each level plays the moves of a side."""
    found = []
    for i, level in enumerate(RATED_LEVELS):
        likely = LIKELY * (1 - level.haste)
        own = 1 - likely - ASTRAY
        found.append(
            sum(math.log(own * fit.likelihoods[i] + likely * fit.policy + ASTRAY * ANY) for fit in fits)
        )
    return found


def estimated(fits: Sequence[LevelFit]) -> Strength | None:
    """The estimate from the fits of a side's moves; None for too few of them."""
    if len(fits) < LEAST_MOVES:
        return None
    record = np.zeros(1, STRENGTH)[0]
    record["ratings"] = [level_ratings()[level.name].elo for level in RATED_LEVELS]
    record["logs"] = log_likelihoods(fits)
    estimate_strength(record)
    elo, low, high = (float(record[name]) for name in ("elo", "low", "high"))
    nearest = min(RATED_LEVELS, key=lambda level: abs(level_ratings()[level.name].elo - elo))
    return Strength(round(elo), round(low), round(high), nearest.name, len(fits))
