from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.arena.games import games_of, record
from wuzi.arena.analysis import analyse
from wuzi.arena.rating import tally
from wuzi.arena.results import GameResult
from wuzi.arena.sprt import NELO_PER_SIGMA, SprtConfig, most_likely, outcome_counts, sprt
from wuzi.errors import ConfigError

# Pair counts LL, LD, WL + DD, WD, WW with the bounds and the ratio their test servers published.
PUBLISHED = [
    ((758, 38802, 84253, 39511, 772), 0, 2, 2.93),
    ((19, 6089, 15803, 6441, 22), 0.5, 2.5, 2.95),
    ((289, 26459, 62934, 26379, 331), -1.75, 0.25, 2.94),
    ((118, 38575, 109888, 38432, 122), -1.75, 0.25, 2.95),
    ((2, 1925, 6607, 2176, 2), 0, 2, 2.94),
    ((5, 2968, 10474, 3253, 5), 0.5, 2.5, 2.96),
    ((0, 1236, 4490, 1474, 1), 0, 2, 2.94),
    ((352, 579, 1264, 743, 464), 9, 16, 4.60),
]


@pytest.mark.parametrize(("counts", "elo0", "elo1", "llr"), PUBLISHED)
def test_published_tests_have_the_published_ratio(
    counts: tuple[int, ...], elo0: float, elo1: float, llr: float
) -> None:
    assert sprt(counts, SprtConfig(elo0, elo1)).llr == pytest.approx(llr, abs=0.0051)


def test_published_normalised_elo() -> None:
    assert sprt((352, 579, 1264, 743, 464), SprtConfig(9, 16)).nelo == pytest.approx(24.25, abs=0.005)


def test_bounds_are_walds() -> None:
    assert SprtConfig().bounds == pytest.approx((-2.944, 2.944), abs=1e-3)
    low, high = SprtConfig(alpha=0.1, beta=0.05).bounds
    assert (low, high) == pytest.approx((math.log(0.05 / 0.9), math.log(0.95 / 0.1)))


def slow_most_likely(seen: np.ndarray, t: float) -> float:
    """Best log-likelihood over three-outcome distributions with that t-value, by a plain grid.

    The deviation fixes the mean (by the t-value), and both fix the three probabilities.
    """
    best = -math.inf
    for deviation in np.linspace(0.001, 0.6, 60_001):
        mean = 0.5 + t * deviation
        square = deviation**2 + mean**2
        win = 2 * square - mean
        half = 4 * (mean - square)
        lose = 1 - win - half
        if min(win, half, lose) > 0:
            best = max(best, sum(s * math.log(p) for s, p in zip(seen, (lose, half, win), strict=True)))
    return best


@pytest.mark.parametrize("t", [0.0, 0.05, -0.08, 0.3])
def test_three_outcomes_agree_with_the_slow_twin(t: float) -> None:
    seen, scores = np.array([0.35, 0.2, 0.45]), np.array([0.0, 0.5, 1.0])
    fast = most_likely(seen, scores, t)
    assert float(seen @ np.log(fast)) == pytest.approx(slow_most_likely(seen, t), abs=1e-7)


@settings(max_examples=60)
@given(
    st.lists(st.integers(1, 400), min_size=5, max_size=5),
    st.floats(-60, 60),
    st.integers(0, 2**32 - 1),
)
def test_the_constrained_maximum_is_one(counts: list[int], nelo: float, seed: int) -> None:
    """It meets the constraint, sums to one, and no step along the constraint improves it."""
    seen = np.array(counts) / sum(counts)
    scores = np.linspace(0, 1, 5)
    t = nelo * math.sqrt(2) / NELO_PER_SIGMA
    p = most_likely(seen, scores, t)

    def t_value(q: np.ndarray) -> float:
        mean = float(q @ scores)
        return (mean - 0.5) / math.sqrt(float(q @ (scores - mean) ** 2))

    assert p.sum() == pytest.approx(1, abs=1e-9)
    assert p.min() > 0
    assert t_value(p) == pytest.approx(t, abs=1e-8)
    gradients = np.array([np.ones(5), np.zeros(5)])
    for i in range(5):
        step = np.zeros(5)
        step[i] = 1e-6
        gradients[1, i] = (t_value(p + step) - t_value(p - step)) / 2e-6
    # The gradient of the likelihood is a combination of the constraints' gradients (Lagrange).
    wanted = seen / p
    coefficients, *_ = np.linalg.lstsq(gradients.T, wanted, rcond=None)
    assert np.abs(gradients.T @ coefficients - wanted).max() < 1e-3 * wanted.max()


def test_the_test_is_symmetric_and_decides() -> None:
    config = SprtConfig(-10, 10)
    here = sprt((5, 60, 200, 90, 15), config)
    there = sprt((15, 90, 200, 60, 5), config)
    assert here.llr == pytest.approx(-there.llr)
    strong = sprt((0, 0, 20, 60, 80), SprtConfig(0, 10))
    assert strong.decision == "" or strong.llr > 2.944
    assert sprt((200, 400, 300, 100, 20), SprtConfig(0, 20)).decision == "H0"
    assert sprt((20, 100, 300, 400, 200), SprtConfig(0, 20)).decision == "H1"
    assert sprt((0, 0, 0, 0, 0), SprtConfig()).llr == 0


def test_text_is_that_of_the_usual_match_programs() -> None:
    state = sprt((352, 579, 1264, 743, 464), SprtConfig(9, 20))
    assert str(state).startswith("SPRT: llr ")
    assert "lbound -2.94, ubound 2.94" in str(state)


def test_whole_pairs_are_counted_and_single_games_by_themselves() -> None:
    games = games_of({("a", "b"): (6, 3, 1)})
    assert sum(outcome_counts(tally(games, "a"))) == 5
    assert sum(outcome_counts(tally(games[:-1], "a"))) == 4
    alone = [game for game in games if game.game_id.endswith("-1")]
    assert len(outcome_counts(tally(alone, "a"))) == 3


def test_an_opening_played_again_gives_another_pair() -> None:
    """Three openings in turn, everything won: no game is lost to the test, and two make a pair."""

    def played(count: int) -> list[GameResult]:
        games = []
        for number in range(count):
            black, white = ("a", "b") if number % 2 == 0 else ("b", "a")
            winner = "black" if black == "a" else "white"
            games.append(record(number, black, white, winner, opening_id=f"o{number // 2 % 3}"))
        return games

    for count in (6, 7, 8, 9, 12):
        counts = outcome_counts(tally(played(count), "a", "b"))
        assert counts == (0, 0, 0, 0, count // 2)
        assert analyse(played(count)).pairs[0].pairs == count // 2
    # A table of another program has no ids; its rows need not be in order.
    rows = [replace(game, game_id=f"line{i}") for i, game in enumerate(played(12))]
    assert outcome_counts(tally(sorted(rows, key=lambda game: game.black), "a", "b")) == (0, 0, 0, 0, 6)
    # Games with one colour only are no pairs.
    alone = [game for game in rows if game.black == "a"]
    assert outcome_counts(tally(alone, "a", "b")) == (0, 0, 6)


@pytest.mark.parametrize(
    "text", ["elo0=5,elo1=5", "elo2=1", "elo0=x", "alpha=0", "beta=0.7", "elo0=10,elo1=0"]
)
def test_impossible_tests_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="sprt"):
        SprtConfig.parse(text)


def test_parse() -> None:
    assert SprtConfig.parse("elo0=-5, elo1=5 alpha=0.1") == SprtConfig(-5, 5, 0.1, 0.05)


def test_an_even_score_says_nothing_between_opposite_hypotheses() -> None:
    for counts in ((3, 4, 7, 4, 3), (5, 2, 5), (1, 0, 1)):
        assert str(sprt(counts, SprtConfig(-30, 30)).llr) == "0.0"
