"""How far two evaluations of the same pairs agree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import NormalDist, StatisticsError, correlation

from research.config import DocumentResult
from wuzi.arena import PairFigures, Ratings, holm
from wuzi.arena.pairs import LEVEL, pair_of
from wuzi.arena.rating import wilson


def fisher_test(table: tuple[tuple[int, int], tuple[int, int]]) -> float:
    """Two-sided p-value of Fisher's exact test: could two evaluations have the same chances?

    >>> round(fisher_test(((8, 2), (1, 5))), 4)
    0.035
    """
    (a, b), (c, d) = table
    row, column, total = a + b, a + c, a + b + c + d

    def chance(k: int) -> float:
        return math.comb(row, k) * math.comb(total - row, column - k) / math.comb(total, column)

    seen = chance(a)
    possible = range(max(0, column - (total - row)), min(row, column) + 1)
    return min(1.0, sum(p for k in possible if (p := chance(k)) <= seen * (1 + 1e-9)))


@dataclass(frozen=True, slots=True)
class PairTwice:
    """A pair in two evaluations, as ``first`` sees it."""

    first: str
    second: str
    before: float
    after: float
    games: tuple[int, int]  # of both evaluations
    p: float  # could both have the same expected score? Two-sided; adjusted for all pairs

    @property
    def differs(self) -> bool:
        """Whether chance does not explain the difference, all pairs considered."""
        return self.p <= LEVEL


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two evaluations of the same pairs."""

    pairs: tuple[PairTwice, ...]  # those that both have
    correlation: float  # of the scores; NaN with fewer than three pairs
    mean_difference: float  # mean absolute difference of the scores
    expected_difference: float  # what chance alone would make of it
    same_winner: int  # pairs with the same leader in both
    with_winner: int  # pairs that have one in both
    tau: float  # Kendall's rank correlation of the ratings; NaN where there are none

    @property
    def differing(self) -> tuple[PairTwice, ...]:
        """The pairs whose two scores chance does not explain."""
        return tuple(pair for pair in self.pairs if pair.differs)


def compare_stages(
    before: Sequence[PairFigures],
    after: Sequence[PairFigures],
    ratings: tuple[Ratings | None, Ratings | None] = (None, None),
) -> Agreement | None:
    """Agreement of two stages; None if no pair is in both."""
    found, errors = [], []
    for pair in before:
        other = pair_of(after, pair.first, pair.second)
        if other is None or pair.score is None or other.score is None:
            continue
        error = math.hypot(_error(pair), _error(other))
        errors.append(error)
        z = abs(pair.score.value - other.score.value) / error
        p = 2 * NormalDist().cdf(-z)
        games = (pair.games, other.games)
        found.append(PairTwice(pair.first, pair.second, pair.score.value, other.score.value, games, p))
    return _agreement(found, errors, _tau(*ratings)) if found else None


def compare_reported(results: Sequence[DocumentResult]) -> Agreement | None:
    """Agreement of a document's two evaluations; None if it has not two."""
    names = list(dict.fromkeys(result.evaluation for result in results))
    if len(names) != 2:
        return None
    later = {(r.first, r.second): r for r in results if r.evaluation == names[1]}
    found, errors = [], []
    for one in (r for r in results if r.evaluation == names[0]):
        two = later.get((one.first, one.second))
        if two is None:
            continue
        games = tuple(r.wins + r.losses + r.draws for r in (one, two))
        scores = [(r.wins + r.draws / 2) / n for r, n in zip((one, two), games, strict=True)]
        spread = [wilson(s * n, n).error / 1.96 for s, n in zip(scores, games, strict=True)]
        errors.append(math.hypot(*spread))
        p = fisher_test(((one.wins, one.losses), (two.wins, two.losses)))
        found.append(PairTwice(one.first, one.second, scores[0], scores[1], (games[0], games[1]), p))
    return _agreement(found, errors, math.nan) if found else None


def _error(pair: PairFigures) -> float:
    """Standard error of a score, never zero: a clean sweep is not certainty."""
    assert pair.score is not None
    return max(pair.error, pair.score.error / 1.96, 1e-6)


def _agreement(found: Sequence[PairTwice], errors: Sequence[float], tau: float) -> Agreement:
    adjusted = holm([pair.p for pair in found])
    pairs = tuple(replace(pair, p=p) for pair, p in zip(found, adjusted, strict=True))
    decided = [pair for pair in pairs if pair.before != 0.5 and pair.after != 0.5]
    return Agreement(
        pairs=pairs,
        correlation=_correlation([p.before for p in pairs], [p.after for p in pairs]),
        mean_difference=sum(abs(p.before - p.after) for p in pairs) / len(pairs),
        # The mean of |x| is sqrt(2 / pi) standard deviations for a normal x.
        expected_difference=math.sqrt(2 / math.pi) * sum(errors) / len(errors),
        same_winner=sum((p.before > 0.5) == (p.after > 0.5) for p in decided),
        with_winner=len(decided),
        tau=tau,
    )


def _correlation(xs: Sequence[float], ys: Sequence[float]) -> float:
    try:
        return correlation(xs, ys) if len(xs) > 2 else math.nan
    except StatisticsError:  # one of them is constant
        return math.nan


def _tau(before: Ratings | None, after: Ratings | None) -> float:
    """Kendall's tau of two rankings over the methods that both have."""
    if before is None or after is None:
        return math.nan
    common = [label for label in before.labels if label in after.labels]
    pairs = list(combinations(common, 2))
    if not pairs:
        return math.nan
    place = {label: i for i, label in enumerate(after.labels)}
    return sum(1 if place[a] < place[b] else -1 for a, b in pairs) / len(pairs)
