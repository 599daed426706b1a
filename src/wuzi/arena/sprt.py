"""Sequential probability ratio test on opening pairs.

Hypotheses are stated in **normalised Elo**, the score's distance from 50 % in standard deviations of one
game times 800 / ln 10, so that the number of games a test needs does not depend on how drawish the game
or how biased the book is. The test is the generalised one (GSPRT): the likelihoods of both hypotheses are
maximised over all distributions of pair scores {0, 1/2, 1, 3/2, 2} that have the stated normalised Elo
(M. Van den Bergh, "The generalized SPRT", 2020; Wald, "Sequential Analysis", 1947, for the bounds).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wuzi.arena.rating import ELO_PER_LOGIT, Tally
from wuzi.base.schema import build_config
from wuzi.errors import ConfigError

NELO_PER_SIGMA = 2 * ELO_PER_LOGIT
"""Normalised Elo per standard deviation of one game: 347.4."""

_EMPTY = 1e-3
"""Stands for a count of zero: an outcome not seen yet is not impossible."""


@dataclass(frozen=True, slots=True)
class SprtConfig:
    """Hypotheses and error rates of a test.

    Attributes:
        elo0, elo1: normalised Elo of the null and of the alternative hypothesis, ``elo0 < elo1``.
        alpha: probability of accepting ``elo1`` when ``elo0`` is true.
        beta: probability of accepting ``elo0`` when ``elo1`` is true.

    Raises:
        ConfigError: impossible values.
    """

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ConfigError(f"sprt elo0={self.elo0:g}, elo1={self.elo1:g}: expected elo0 below elo1")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise ConfigError(f"sprt {name}={getattr(self, name):g}: expected more than 0, below 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's bounds of the log-likelihood ratio: (accept elo0, accept elo1)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    @classmethod
    def parse(cls, text: str) -> SprtConfig:
        """Read ``elo0=0,elo1=10,alpha=0.05,beta=0.05``; what is left out has its default."""
        parts = [part.partition("=") for part in re.split(r"[,\s]+", text.strip()) if part]
        made: SprtConfig = build_config(cls, {}, {key: value for key, _, value in parts}, "sprt")
        return made


@dataclass(frozen=True, slots=True)
class SprtState:
    """Where a test stands."""

    llr: float  # log-likelihood ratio of elo1 against elo0
    low: float  # low, high: its bounds
    high: float
    counts: tuple[float, ...]  # outcomes, worst to best: five for pairs, three for single games
    nelo: float  # the normalised Elo of the sample; 0 without spread

    @property
    def decision(self) -> str:
        """``H1`` (elo1 accepted), ``H0`` (elo0 accepted) or empty while the test is open."""
        return "H1" if self.llr >= self.high else "H0" if self.llr <= self.low else ""

    def __str__(self) -> str:
        bound = self.high if self.llr >= 0 else self.low
        text = f"SPRT: llr {self.llr:.3g} ({self.llr / bound:.1%})"
        text += f", lbound {self.low:.3g}, ubound {self.high:.3g}"
        return text + (f" - {self.decision} was accepted" if self.decision else "")


def outcome_counts(results: Tally) -> tuple[int, ...]:
    """Pentanomial counts (LL, LD, WL + DD, WD, WW) if the games are pairs, else (L, D, W).

    Only whole pairs count: a pair whose second game is still running is left out.
    """
    if results.pairs:
        return pair_counts(results.pairs)
    return (results.losses, results.draws, results.wins)


def pair_counts(pairs: Sequence[float]) -> tuple[int, ...]:
    """Pentanomial counts of the points, 0 to 2, of pairs."""
    return tuple(pairs.count(halves / 2) for halves in range(5))


def sprt(counts: Sequence[float], config: SprtConfig) -> SprtState:
    """The state of the test after these outcomes."""
    low, high = config.bounds
    values = np.array(counts, dtype=np.float64)
    total = float(values.sum())
    if total == 0:
        return SprtState(0.0, low, high, tuple(counts), 0.0)
    values[values == 0] = _EMPTY
    seen = values / values.sum()
    scores = np.linspace(0, 1, len(values))
    # The mean of a pair has 1/sqrt(2) of one game's deviation, so its t-value is sqrt(2) larger.
    games_per_unit = 2 if len(values) == 5 else 1
    scale = math.sqrt(games_per_unit) / NELO_PER_SIGMA
    null = most_likely(seen, scores, config.elo0 * scale)
    alternative = most_likely(seen, scores, config.elo1 * scale)
    llr = float(values.sum() * (seen * np.log(alternative / null)).sum())
    llr = round(llr, 9) + 0.0  # zero is neither -1e-18 nor -0
    mean = float(seen @ scores)
    deviation = math.sqrt(float(seen @ (scores - mean) ** 2))
    return SprtState(llr, low, high, tuple(counts), (mean - 0.5) / deviation / scale)


def most_likely(
    seen: NDArray[np.float64], scores: NDArray[np.float64], t_value: float
) -> NDArray[np.float64]:
    """The distribution with ``(mean - 1/2) / deviation = t_value`` under which ``seen`` is most likely.

    The constraint ``g(p) = mean - 1/2 - t deviation`` is curved; around a distribution with mean m and
    deviation s it is the linear one ``sum p_i (a_i - 1/2 - t/2 (s + (a_i - m)^2 / s)) = 0``. Each step
    solves the linear problem exactly (Lagrange: ``p_i = seen_i / (1 + x d_i)``) and linearises again.
    """
    p = np.full(len(seen), 1 / len(seen))
    for _ in range(100):
        mean = float(p @ scores)
        deviation = math.sqrt(float(p @ (scores - mean) ** 2))
        directions = scores - 0.5 - t_value / 2 * (deviation + (scores - mean) ** 2 / deviation)
        following = _tilt(seen, directions)
        if np.abs(following - p).max() < 1e-12:
            return following
        p = following
    return p


def _tilt(seen: NDArray[np.float64], directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """``seen_i / (1 + x d_i)`` with the x for which the mean of ``d`` is zero, by bisection."""
    low, high = -1 / float(directions.max()), -1 / float(directions.min())
    for _ in range(200):
        x = (low + high) / 2
        if x in (low, high):
            break
        if float((seen * directions / (1 + x * directions)).sum()) > 0:
            low = x
        else:
            high = x
    return np.asarray(seen / (1 + x * directions))
