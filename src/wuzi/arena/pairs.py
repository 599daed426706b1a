"""Two methods against each other, what can be said of many pairs at once, and how far two evaluations agree.

The unit is an opening played with both colours, once or several times. Where the first player was drawn
it is a game with all its copies: methods that always answer alike repeat games move by move, and a copy
tells nothing new. Whether one method is better is decided by an exact sign test over the units it won and
lost (level ones say nothing), and since many pairs are tested at once, the p-values of a stage are adjusted
by Holm's step-down rule, which bounds the chance of any false statement.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from wuzi.arena.analysis import distinct_games
from wuzi.arena.rating import Estimate, mean_score, score_interval, tally
from wuzi.arena.results import GameResult

LEVEL = 0.05
"""Chance that any statement of a stage is false although its methods are equal."""


@dataclass(frozen=True, slots=True)
class PairFigures:
    """Two methods; everything as ``first`` sees it."""

    first: str  # first, second: the methods, the one with the higher score first
    second: str
    games: int
    wins: int
    draws: int
    losses: int
    score: Estimate | None  # mean score with its 95 % interval; None without games
    error: float  # standard error of the score, from the spread between units
    won: int  # won, level, lost: units
    level: int
    lost: int
    distinct: int | None  # games with different moves; None when the record does not tell
    p: float  # of the sign test, two-sided; 1 without decisive units
    adjusted: float  # the same, adjusted for all pairs of the stage
    # whether it is being played on, so that this is none of the looks that may judge it
    between: bool = False

    @property
    def decisive(self) -> int:
        """Units that one of the two won."""
        return self.won + self.lost

    @property
    def significant(self) -> bool:
        """Whether the first is better, all pairs of the stage considered."""
        return self.adjusted <= LEVEL and not self.between

    def seen_by(self, name: str) -> PairFigures:
        """The same with ``name`` first."""
        if name == self.first:
            return self
        score = self.score
        score = score and Estimate(1 - score.value, 1 - score.high, 1 - score.low)
        turned = replace(self, first=self.second, second=self.first, score=score)
        return replace(turned, wins=self.losses, losses=self.wins, won=self.lost, lost=self.won)


def pair_figures(records: Sequence[GameResult], first: str, second: str, *, unit: int = 2) -> PairFigures:
    """What happened between two methods; not adjusted for other pairs yet."""
    games = [game for game in records if {game.black, game.white} == {first, second}]
    distinct = distinct_games(games) if games else 0
    games = clustered(games) if unit == 1 else games
    counted = tally(games, first, second)
    if counted.score < 0.5:
        first, second = second, first
        counted = tally(games, first, second)
    complete = counted.units[counted.units[:, 1] % unit == 0, 0]
    won, lost = int((complete > 0.5).sum()), int((complete < 0.5).sum())
    p = sign_test(won, lost)
    return PairFigures(
        first=first,
        second=second,
        **counted.counts,
        score=score_interval(counted) if counted.games else None,
        error=mean_score(counted)[1] if counted.games else math.nan,
        won=won,
        level=len(complete) - won - lost,
        lost=lost,
        distinct=distinct,
        p=p,
        adjusted=p,
    )


def clustered(records: Sequence[GameResult]) -> list[GameResult]:
    """The same games, copies of one game (players, colours and moves) as one unit."""
    copies = (f"{game.black}/{game.white}/{game.moves}" if game.moves else game.game_id for game in records)
    return [replace(game, game_id=copy, opening_id="") for game, copy in zip(records, copies, strict=True)]


def all_pairs(
    records: Sequence[GameResult], names: Sequence[str], *, unit: int = 2, looks: int = 1
) -> tuple[PairFigures, ...]:
    """All pairs of these methods that met, their p-values adjusted for each other."""
    found = [pair_figures(records, *two, unit=unit) for two in combinations(names, 2)]
    met = [pair for pair in found if pair.games]
    adjusted = holm([min(1.0, looks * pair.p) for pair in met])
    return tuple(replace(pair, adjusted=p) for pair, p in zip(met, adjusted, strict=True))


def pair_of(pairs: Sequence[PairFigures], first: str, second: str) -> PairFigures | None:
    """The pair of these two as the first sees it, None if they did not meet."""
    for pair in pairs:
        if {pair.first, pair.second} == {first, second}:
            return pair.seen_by(first)
    return None


def sign_test(won: int, lost: int) -> float:
    """Two-sided p-value of ``won`` against ``lost`` when both were equally likely: exact, binomial.

    >>> round(sign_test(9, 1), 4), sign_test(0, 0)
    (0.0215, 1.0)
    """
    n, most = won + lost, max(won, lost)
    tail = sum(math.comb(n, k) for k in range(most, n + 1))
    return min(1.0, float(2 * tail / 2**n))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values (S. Holm, Scand. J. Statist. 6, 1979), in the order given.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        highest = max(highest, min(1.0, p_values[i] * (len(p_values) - rank)))
        adjusted[i] = highest
    return adjusted
