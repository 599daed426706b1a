"""Strength from results: Elo differences, intervals, and Bradley-Terry ratings of many players.

Everything works on **units**: all games from one opening are one unit, however often it was played
(they share its bias and are not independent), and so is a game without opening or partner.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wuzi.arena.results import GameResult

FloatArray = NDArray[np.float64]

ELO_PER_LOGIT = 400 / math.log(10)
"""Elo points per unit of natural log-odds: 173.7."""

Z95 = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95 % interval; an end is infinite where the data set no bound."""

    value: float
    low: float
    high: float

    @property
    def error(self) -> float:
        """Half the width of the interval: the ± of match programs."""
        return (self.high - self.low) / 2

    def rounded(self, digits: int) -> dict[str, float]:
        """The value and the ends by name, with so many digits; what is infinite or undefined is left out."""
        values = {"value": self.value, "low": self.low, "high": self.high}
        return {name: round(value, digits) for name, value in values.items() if math.isfinite(value)}

    def __str__(self) -> str:
        return f"{self.value:+.0f} [{self.low:+.0f}, {self.high:+.0f}]"


@dataclass(frozen=True, slots=True)
class Tally:
    """Games of one player against another (or against all).

    ``units`` holds the player's score in each unit, 0 to 1, and its number of games, ``[U, 2]``; ``names``
    what each unit is called. ``pairs`` holds the player's points, 0 to 2, in each pair of games: one opening,
    each moving first once. An opening that was played several times is one unit with several pairs.
    """

    wins: int
    losses: int
    draws: int
    units: FloatArray
    names: tuple[str, ...] = ()
    pairs: tuple[float, ...] = ()

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.losses + self.draws

    @property
    def counts(self) -> dict[str, Any]:
        """Games, wins, draws and losses by these names."""
        return {"games": self.games, "wins": self.wins, "draws": self.draws, "losses": self.losses}

    @property
    def score(self) -> float:
        """Mean score, a draw counting half; 0.5 without games."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5


def tally(records: Iterable[GameResult], player: str, opponent: str | None = None) -> Tally:
    """Count the games of ``player`` against ``opponent``, or against everybody."""
    wins = losses = draws = 0
    units: dict[tuple[str, str], list[float]] = {}
    turns: dict[tuple[str, str, str], tuple[list[float], list[float]]] = {}
    for game in records:
        if player not in (game.black, game.white) or game.black == game.white:
            continue
        other = game.white if game.black == player else game.black
        if opponent is not None and other != opponent:
            continue
        score = game.score(player)
        wins, losses, draws = wins + (score == 1), losses + (score == 0), draws + (score == 0.5)
        units.setdefault((other, game.unit), []).append(score)
        turns.setdefault((other, game.unit, game.pair), ([], []))[game.first_player != player].append(score)
    table = [(sum(scores) / len(scores), len(scores)) for scores in units.values()]
    names = tuple(unit for _, unit in units)
    pairs = tuple(a + b for first, second in turns.values() for a, b in zip(first, second, strict=False))
    return Tally(wins, losses, draws, np.array(table, dtype=np.float64).reshape(-1, 2), names, pairs)


def wilson(successes: float, n: int, z: float = Z95) -> Estimate:
    """Wilson's score interval for a proportion (E. B. Wilson, JASA 22, 1927).

    It stays inside [0, 1] and is not degenerate at 0 or n successes, unlike the textbook interval.

    >>> print(*(f"{x:.3f}" for x in (wilson(50, 50).low, wilson(50, 50).high)))
    0.929 1.000
    """
    if n == 0:
        return Estimate(math.nan, 0.0, 1.0)
    p = successes / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    # Rounding must not leave p just outside at 0 and n successes.
    return Estimate(p, max(0.0, min(p, centre - half)), min(1.0, max(p, centre + half)))


def elo(score: float) -> float:
    """The Elo difference that predicts this score (A. Elo's logistic curve).

    >>> round(elo(0.645), 1), elo(1.0)
    (103.7, inf)
    """
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return -400 * math.log10(1 / score - 1)


def elo_difference(results: Tally) -> Estimate:
    """Elo of a match with the interval of the mean unit score.

    With n games at 50 % and no draws the half-width is 681 / sqrt(n). Pairs usually make it smaller,
    because what the opening or the colour decides cancels within the pair. Where that normal
    approximation fails (all units agree, or the interval would leave 0..1), :func:`score_interval` is
    used, so that no finite match claims certainty.
    """
    if results.games == 0:
        return Estimate(0.0, -math.inf, math.inf)
    mean, error = mean_score(results)
    low, high = mean - Z95 * error, mean + Z95 * error
    if error == 0 or low <= 0 or high >= 1:
        interval = score_interval(results)
        low, high = interval.low, interval.high
    return Estimate(elo(mean), elo(low), elo(high))


def score_interval(results: Tally, *, samples: int = 4000, seed: int = 0) -> Estimate:
    """Mean score of at least one game, with an interval that is honest for few and one-sided results.

    The Bayesian bootstrap of :func:`rate`. A clean sweep is bounded on one side only.
    """
    mean, rng = results.score, np.random.default_rng(seed)
    weights = rng.standard_gamma(1, (samples, len(results.units)))
    found = bracket(mean, _resampled_scores(results.units, weights, rng))
    return Estimate(mean, 0.0 if mean == 0 else found.low, 1.0 if mean == 1 else found.high)


def balanced_mean(
    values: Iterable[tuple[Hashable, str, float]], *, samples: int = 1000, seed: int = 0
) -> Estimate:
    """Mean of values in [0, 1], every group (opponent, pairing) weighing alike however many games it has.

    ``values`` are (group, unit, value). The interval is the Bayesian bootstrap of :func:`rate`: a unit has
    one random weight in all groups. NaN without values.
    """
    groups: dict[Hashable, dict[str, list[float]]] = {}
    for group, unit, value in values:
        groups.setdefault(group, {}).setdefault(unit, []).append(value)
    if not groups:
        return Estimate(math.nan, 0.0, 1.0)
    names = dict.fromkeys(name for units in groups.values() for name in units)
    place = {name: i for i, name in enumerate(names)}
    rng = np.random.default_rng(seed)
    weights = rng.standard_gamma(1, (samples, len(place)))
    means, drawn = [], np.zeros(samples)
    for units in groups.values():
        table = np.array([(sum(found) / len(found), len(found)) for found in units.values()])
        means.append(float(np.average(table[:, 0], weights=table[:, 1])))
        own = weights[:, [place[name] for name in units]]
        drawn += _resampled_scores(table, own, rng, 1 / len(groups)) / len(groups)
    mean = min(1.0, math.fsum(means) / len(means))
    found = bracket(mean, drawn)
    return Estimate(mean, 0.0 if mean == 0 else found.low, 1.0 if mean == 1 else found.high)


def bracket(value: float, samples: FloatArray) -> Estimate:
    """A value with the interval that holds 95 % of its bootstrap samples, and the value itself."""
    low, high = np.quantile(samples, (0.025, 0.975))
    return Estimate(value, min(float(low), value), max(float(high), value))


def mean_score(results: Tally) -> tuple[float, float]:
    """Mean score per game and its standard error, from the spread between units (ratio estimator)."""
    scores, weights = results.units[:, 0], results.units[:, 1]
    total = float(weights.sum())
    mean = float((scores * weights).sum() / total)
    residuals = weights * (scores - mean)
    return mean, math.sqrt(float((residuals**2).sum())) / total


def likelihood_of_superiority(wins: int, losses: int) -> float:
    """Probability that the winner is the stronger one: Phi((W - L) / sqrt(W + L)); draws say nothing.

    >>> round(likelihood_of_superiority(61, 32), 4)
    0.9987
    """
    if wins + losses == 0:
        return 0.5
    return NormalDist().cdf((wins - losses) / math.sqrt(wins + losses))


@dataclass(frozen=True, slots=True)
class Ratings:
    """Bradley-Terry ratings in Elo points.

    Attributes:
        labels: the players, strongest first.
        estimates: rating of each with its interval.
        samples: bootstrap ratings, ``[S, P]`` in the order of ``labels``.
        is_lower_bound: True when some player (or group) won or lost everything, so that the likelihood has no
            maximum; then every player got half a win and half a loss, spread over its opponents, and
            ratings are lower bounds of the distance.
        connected: False when the games fall into groups that never met; ratings then only compare
            within a group.
    """

    labels: tuple[str, ...]
    estimates: tuple[Estimate, ...]
    samples: FloatArray
    is_lower_bound: bool
    connected: bool

    def separable(self, first: str, second: str) -> bool:
        """Whether the 95 % interval of the difference of two ratings leaves out zero."""
        a, b = self.labels.index(first), self.labels.index(second)
        low, high = np.quantile(self.samples[:, a] - self.samples[:, b], (0.025, 0.975))
        return bool(low > 0 or high < 0)

    def of(self, label: str) -> Estimate:
        """The rating of one player."""
        return self.estimates[self.labels.index(label)]

    def above(self, label: str, others: Sequence[str]) -> tuple[float, FloatArray]:
        """A player's rating less the mean rating of others, and the samples ``[S]`` of that difference."""
        own, places = self.labels.index(label), [self.labels.index(name) for name in others]
        mean = sum(self.estimates[i].value for i in places) / len(places)
        samples = self.samples[:, own] - self.samples[:, places].mean(axis=1)
        return self.estimates[own].value - mean, samples


def rate(
    records: Sequence[GameResult],
    *,
    labels: Sequence[str] | None = None,
    anchor: tuple[str, float] | None = None,
    samples: int = 1000,
    seed: int = 0,
) -> Ratings:
    """Maximum-likelihood Bradley-Terry ratings (Bradley & Terry, Biometrika 39, 1952).

    A draw counts as half a win for each side. Of the two usual alternatives (Rao-Kupper, Davidson)
    neither is used: Gomoku has few draws to estimate their extra parameter from, and with half wins two
    players' difference is exactly the Elo of their score, so that tables, matches and ratings agree.

    The intervals are a Bayesian bootstrap (Rubin, Ann. Statist. 9, 1981) over the units: an opening that
    several pairs of players played has one random weight for all of them. One extra unit of weight, half a
    won and half a lost one, keeps a clean sweep or a row of identical units from claiming a width of zero
    (Jeffreys' prior, spread over the units). A player gets about one such unit, not one for every opponent:
    the unit of a pair is divided by the opponents of whichever of the two has fewer. In a round robin with
    many clean sweeps whole units would pull every sample towards the middle, and the intervals would hold
    the truth about 60 times of 100.

    ``labels`` are the players, by default everybody in the records; ``anchor`` is a player and its fixed
    rating, without which the mean is 0.
    """
    names = tuple(labels or sorted({name for game in records for name in (game.black, game.white)}))
    wins = win_matrix(records, names)
    met = wins + wins.T > 0
    opponents = met.sum(axis=1)
    prior = met / np.maximum(1, np.minimum(opponents[:, None], opponents))
    is_lower_bound = not _strongly_connected(wins[None])[0]
    if is_lower_bound:
        wins = wins + 0.5 * prior
    point = _shift(fit_bradley_terry(wins[None])[0], names, anchor)
    rng = np.random.default_rng(seed)
    drawn = fit_bradley_terry(_bootstrap(records, names, prior, samples, rng))
    drawn = np.stack([_shift(row, names, anchor) for row in drawn]) if samples else np.empty((0, len(names)))
    # Equal ratings differ in their last digits from one processor to the next.
    order = sorted(range(len(names)), key=lambda i: (-round(float(point[i]), 6), names[i]))
    drawn = drawn[:, order]
    estimates = tuple(
        bracket(float(point[i]), drawn[:, k] if samples else point[i]) for k, i in enumerate(order)
    )
    connected = bool(_strongly_connected(met[None].astype(np.float64))[0])
    return Ratings(tuple(names[i] for i in order), estimates, drawn, is_lower_bound, connected)


def win_matrix(records: Iterable[GameResult], names: Sequence[str]) -> FloatArray:
    """``wins[i, j]``: points of player i against player j, a draw half a point each."""
    index = {name: i for i, name in enumerate(names)}
    wins = np.zeros((len(names), len(names)))
    for game in records:
        if game.black in index and game.white in index and game.black != game.white:
            b, w = index[game.black], index[game.white]
            score = game.score(game.black)
            wins[b, w] += score
            wins[w, b] += 1 - score
    return wins


def fit_bradley_terry(wins: FloatArray, iterations: int = 100) -> FloatArray:
    """Ratings ``[S, P]`` in Elo points with mean 0, by damped Newton steps on the concave log-likelihood.

    ``wins[S, P, P]`` are points of i against j. Every group of players must have taken points from the
    others (Ford, Amer. Math. Monthly 64, 1957), else there is no maximum.
    """
    batch, players, _ = wins.shape
    strength = np.zeros((batch, players))
    games = wins + wins.transpose(0, 2, 1)
    won = wins.sum(axis=2)
    diagonal = np.arange(players)
    for _ in range(iterations):
        p = 1 / (1 + np.exp(strength[:, None, :] - strength[:, :, None]))
        gradient = won - (games * p).sum(axis=2)
        weight = games * p * (1 - p)
        hessian = -weight
        hessian[:, diagonal, diagonal] += weight.sum(axis=2)
        # The likelihood does not see a common shift (nor one of a group that met nobody else): the
        # all-ones matrix and a small ridge fix it at zero.
        hessian += 1 / players
        hessian[:, diagonal, diagonal] += 1e-9
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        largest = np.abs(step).max(axis=1, keepdims=True)
        strength += step * np.minimum(1, 1.5 / np.maximum(largest, 1e-12))
        if largest.max(initial=0) < 1e-10:
            break
    strength -= strength.mean(axis=1, keepdims=True)
    return np.asarray(strength * ELO_PER_LOGIT)


def _bootstrap(
    records: Sequence[GameResult],
    names: Sequence[str],
    prior: FloatArray,
    samples: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Win matrices ``[samples, P, P]``, the units randomly reweighted, alike for every pair of players."""
    index = {name: i for i, name in enumerate(names)}
    by_pair: dict[tuple[str, str], list[GameResult]] = {}
    for game in records:
        if game.black in index and game.white in index and game.black != game.white:
            key = (min(game.black, game.white), max(game.black, game.white))
            by_pair.setdefault(key, []).append(game)
    wins = np.zeros((samples, len(names), len(names)))
    place = {unit: i for i, unit in enumerate(sorted({game.unit for game in records}))}
    weights = rng.standard_gamma(1, (samples, len(place)))
    for (first, second), games in sorted(by_pair.items()):
        i, j = index[first], index[second]
        counted = tally(games, first, second)
        own = weights[:, [place[unit] for unit in counted.names]]
        mean = _resampled_scores(counted.units, own, rng, prior[i, j])
        wins[:, i, j] = mean * len(games)
        wins[:, j, i] = (1 - mean) * len(games)
    return wins


def _resampled_scores(
    units: FloatArray, weights: FloatArray, rng: np.random.Generator, prior: float = 1.0
) -> FloatArray:
    """Mean scores ``[samples]`` of units with random weights ``[samples, U]`` and ``prior`` more of them.

    They are never quite 0 or 1.
    """
    scores = np.concatenate([units[:, 0], [0.0, 1.0]])
    sizes = np.concatenate([units[:, 1], np.full(2, units[:, 1].mean())])
    extra = rng.standard_gamma(prior / 2, (len(weights), 2))
    weights = np.concatenate([weights, extra], axis=1) * sizes
    mean = (weights * scores).sum(axis=1) / weights.sum(axis=1)
    return np.asarray(np.clip(mean, 1e-6, 1 - 1e-6))


def _shift(ratings: FloatArray, names: Sequence[str], anchor: tuple[str, float] | None) -> FloatArray:
    if anchor is None or anchor[0] not in names:
        return ratings
    return np.asarray(ratings - ratings[list(names).index(anchor[0])] + anchor[1])


def _strongly_connected(wins: FloatArray) -> NDArray[np.bool_]:
    """Whether everybody can be reached from everybody along "took points from", for each ``[P, P]``."""
    players = wins.shape[1]
    reach = (wins > 0) | np.eye(players, dtype=bool)
    for _ in range(max(1, math.ceil(math.log2(max(players, 2))))):
        reach = (reach.astype(np.float64) @ reach.astype(np.float64)) > 0
    return np.asarray(reach.all(axis=(1, 2)))
