from __future__ import annotations

import math
import random
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.arena.games import STUDY, games_of, record
from wuzi.arena.rating import (
    ELO_PER_LOGIT,
    Tally,
    balanced_mean,
    elo,
    elo_difference,
    likelihood_of_superiority,
    rate,
    score_interval,
    tally,
    wilson,
    win_matrix,
)
from wuzi.arena.results import GameResult

NAMES = ["a", "b", "c", "d"]


def expected_score(difference: float) -> float:
    """The score that an Elo difference predicts."""
    return 1 / (1 + 10 ** (-difference / 400))


def singles(wins: int, losses: int, draws: int) -> Tally:
    scores = [1.0] * wins + [0.0] * losses + [0.5] * draws
    return Tally(wins, losses, draws, np.array([(score, 1) for score in scores]))


def slow_bradley_terry(wins: dict[tuple[str, str], float], names: list[str]) -> dict[str, float]:
    """Zermelo's fixed-point iteration, in plain loops: the slow twin."""
    strength = dict.fromkeys(names, 1.0)
    for _ in range(20_000):
        following = {}
        for i in names:
            won = sum(wins.get((i, j), 0.0) for j in names)
            below = sum(
                (wins.get((i, j), 0.0) + wins.get((j, i), 0.0)) / (strength[i] + strength[j])
                for j in names
                if j != i
            )
            following[i] = won / below
        scale = math.exp(sum(map(math.log, following.values())) / len(names))
        following = {name: value / scale for name, value in following.items()}
        change = max(abs(math.log(following[n] / strength[n])) for n in names)
        strength = following
        if change < 1e-13:
            break
    return {name: ELO_PER_LOGIT * math.log(value) for name, value in strength.items()}


@pytest.mark.parametrize(("n", "half_width"), [(100, 68.1), (400, 34.05), (1000, 21.5), (4000, 10.8)])
def test_half_width_at_an_even_score_is_681_over_root_n(n: int, half_width: float) -> None:
    estimate = elo_difference(singles(n // 2, n // 2, 0))
    assert estimate.value == 0
    assert estimate.error == pytest.approx(half_width, rel=0.03)
    assert 681 / math.sqrt(n) == pytest.approx(half_width, rel=0.01)


def test_the_example_of_the_usual_match_programs() -> None:
    results = singles(61, 32, 7)
    assert results.score == pytest.approx(0.645)
    estimate = elo_difference(results)
    assert estimate.value == pytest.approx(103.7, abs=0.1)
    assert estimate.error == pytest.approx(69.5, abs=0.1)  # worked by hand from the trinomial variance
    assert likelihood_of_superiority(61, 32) == pytest.approx(0.9987, abs=1e-4)


def test_pairs_as_a_published_match_reports_them() -> None:
    # 6804 games, pairs LL..WW 352, 579, 1264, 743, 464: published as Elo 19.83 +/- 6.77.
    counts = [352, 579, 1264, 743, 464]
    units = [(k / 4, 2) for k, count in enumerate(counts) for _ in range(count)]
    estimate = elo_difference(Tally(2718, 2330, 1756, np.array(units)))
    assert estimate.value == pytest.approx(19.83, abs=0.005)
    assert estimate.error == pytest.approx(6.77, abs=0.01)


@given(st.floats(-1500, 1500))
def test_elo_and_expected_score_are_inverse(difference: float) -> None:
    assert elo(expected_score(difference)) == pytest.approx(difference, abs=1e-6)


@given(st.integers(0, 200), st.integers(0, 200))
def test_wilson_is_symmetric_and_holds_its_estimate(successes: int, failures: int) -> None:
    n = successes + failures
    if n == 0:
        assert (wilson(0, 0).low, wilson(0, 0).high) == (0, 1)
        return
    here, there = wilson(successes, n), wilson(failures, n)
    assert 0 <= here.low <= here.value <= here.high <= 1
    assert here.low == pytest.approx(1 - there.high)


def test_wilson_against_its_defining_equation() -> None:
    bound = wilson(49, 60)
    for p in (bound.low, bound.high):
        assert abs(49 / 60 - p) == pytest.approx(1.959964 * math.sqrt(p * (1 - p) / 60), rel=1e-5)


@given(
    st.dictionaries(
        st.sampled_from([(a, b) for a in NAMES for b in NAMES if a < b]),
        st.tuples(st.integers(1, 12), st.integers(1, 12), st.integers(0, 4)),
        min_size=6,
        max_size=6,
    )
)
def test_ratings_agree_with_the_slow_twin(results: dict[tuple[str, str], tuple[int, int, int]]) -> None:
    games = games_of(results)
    wins: dict[tuple[str, str], float] = {}
    for game in games:
        for one, two in ((game.black, game.white), (game.white, game.black)):
            wins[one, two] = wins.get((one, two), 0.0) + game.score(one)
    twin = slow_bradley_terry(wins, NAMES)
    ratings = rate(games, labels=NAMES, samples=0)
    assert not ratings.is_lower_bound
    for name in NAMES:
        assert ratings.of(name).value == pytest.approx(twin[name], abs=1e-3)


def test_two_players_differ_by_the_elo_of_their_score() -> None:
    games = games_of({("a", "b"): (30, 12, 18)})
    ratings = rate(games)
    gap = ratings.of("a").value - ratings.of("b").value
    assert gap == pytest.approx(elo(tally(games, "a").score), abs=1e-6)


def test_the_study_is_ranked_by_its_own_numbers() -> None:
    ratings = rate(games_of(STUDY))
    assert ratings.labels == ("Minimax", "Enhanced", "Pure MCTS", "AlphaZero")
    # An independent fit (draws entered as one win each way) gave +344, +16, -124, -237.
    for name, value in (("Minimax", 344), ("Enhanced", 16), ("Pure MCTS", -124), ("AlphaZero", -237)):
        estimate = ratings.of(name)
        assert estimate.value == pytest.approx(value, abs=12)
        assert estimate.low < value < estimate.high
    assert ratings.separable("Minimax", "Enhanced")


def test_an_anchor_moves_everybody_alike() -> None:
    games = games_of(STUDY)
    free, fixed = rate(games), rate(games, anchor=("AlphaZero", 1000))
    assert fixed.of("AlphaZero").value == pytest.approx(1000)
    assert fixed.of("AlphaZero").low == pytest.approx(1000)
    for name in free.labels:
        shift = fixed.of(name).value - free.of(name).value
        assert shift == pytest.approx(1000 - free.of("AlphaZero").value)


def test_a_clean_sweep_is_a_lower_bound_not_infinity() -> None:
    ratings = rate(games_of({("a", "b"): (20, 0, 0)}))
    assert ratings.is_lower_bound
    assert math.isfinite(ratings.of("a").value)
    assert ratings.separable("a", "b")
    assert math.isinf(elo_difference(tally(games_of({("a", "b"): (20, 0, 0)}), "a")).value)


def test_identical_pairs_do_not_claim_certainty() -> None:
    games = [record(i, *(("a", "b") if i % 2 == 0 else ("b", "a")), winner="black") for i in range(20)]
    ratings = rate(games)
    assert ratings.of("a").value == pytest.approx(0, abs=1e-6)
    assert ratings.of("a").high - ratings.of("a").low > 20
    assert not ratings.separable("a", "b")


def test_groups_that_never_met_are_told() -> None:
    games = games_of({("a", "b"): (3, 2, 1), ("c", "d"): (1, 4, 1)})
    assert not rate(games).connected
    assert rate(games_of({("a", "b"): (3, 2, 1), ("b", "c"): (1, 4, 1)})).connected


def test_pairs_share_a_unit_and_points_add_up() -> None:
    games = games_of(STUDY)
    counted = tally(games, "Minimax", "Enhanced")
    assert (counted.wins, counted.losses, counted.draws) == (49, 9, 2)
    assert len(counted.units) == 30
    assert win_matrix(games, ["Minimax", "Enhanced"]).tolist() == [[0, 50], [10, 0]]
    assert tally(games, "Minimax").games == 180


@pytest.mark.parametrize(("skill", "bias"), [(0.5, 0.0), (0.65, 0.15), (0.9, 0.05)])
def test_intervals_hold_the_truth_about_as_often_as_they_say(skill: float, bias: float) -> None:
    """Pairs whose games share a colour bias; 95 % intervals of the mean score from 30 pairs."""
    draw = random.Random(1)
    hits, trials = 0, 300
    for trial in range(trials):
        pairs = [
            ((draw.random() < min(1, skill + bias)) + (draw.random() < skill - bias)) / 2 for _ in range(30)
        ]
        truth = (min(1, skill + bias) + skill - bias) / 2
        wins = int(2 * sum(pairs))
        results = Tally(wins, 60 - wins, 0, np.array([(score, 2) for score in pairs]))
        interval = score_interval(results, samples=800, seed=trial)
        hits += interval.low <= truth <= interval.high
    assert 0.90 <= hits / trials <= 0.995


def test_ratings_of_a_round_robin_with_clean_sweeps_hold_the_truth() -> None:
    """Eleven players up to 1,500 points apart, 20 games a pair: most pairs of them are clean sweeps."""
    truth = {f"p{i:02d}": 150.0 * i for i in range(11)}
    draw = random.Random(5)
    hits = inside = 0
    trials = 12
    for trial in range(trials):
        results = {}
        for (first, one), (second, two) in combinations(truth.items(), 2):
            wins = sum(draw.random() < expected_score(one - two) for _ in range(20))
            results[first, second] = (wins, 20 - wins, 0)
        ratings = rate(games_of(results, seed=trial), anchor=("p00", 0.0), samples=300, seed=trial)
        for name in list(truth)[1:]:
            found = ratings.of(name)
            hits += found.low <= truth[name] <= found.high
            inside += found.low < found.value < found.high
    assert inside == trials * 10
    assert 0.88 <= hits / (trials * 10) <= 0.999


def _played(label: str, other: str, opening: int, scores: str, lap: int = 0) -> list[GameResult]:
    """Games of one opening, ``label`` with each colour in turn; ``+`` won, ``-`` lost."""
    return [
        GameResult(
            f"{label}{other}{opening}.{lap}-{i + 1}",
            *((label, other) if i % 2 == 0 else (other, label)),
            "black" if (score == "+") == (i % 2 == 0) else "white",
            opening_id=f"n{opening}",
        )
        for i, score in enumerate(scores)
    ]


def test_an_opening_that_is_played_again_is_the_same_unit() -> None:
    once = [game for i in range(30) for game in _played("a", "b", i, "++" if i % 3 else "--")]
    again = [game for i in range(30) for game in _played("a", "b", i, "++" if i % 3 else "--", lap=1)]
    alone, both = tally(once, "a", "b"), tally(once + again, "a", "b")
    assert len(both.units) == len(alone.units) == 30 and both.games == 2 * alone.games
    assert score_interval(both) == score_interval(alone)
    apart = [replace(game, opening_id=game.opening_id + "x") for game in again]
    wide, narrow = score_interval(both), score_interval(tally(once + apart, "a", "b"))
    assert narrow.error < 0.8 * wide.error
    errors = [[e.error for e in rate(games).estimates] for games in (once, once + again)]
    assert errors[0] == pytest.approx(errors[1])


def test_an_opening_that_all_pairs_share_has_one_weight_in_ratings() -> None:
    """a beats b and c in the same openings: its rating is as unsure as these few openings leave it."""
    shared = [
        game
        for i in range(20)
        for other in "bcdef"
        for game in _played("a", other, i, "++" if i % 4 else "--")
    ]
    own = [replace(game, opening_id=f"{game.opening_id}/{game.game_id[:2]}") for game in shared]
    assert rate(own).of("a").error < 0.6 * rate(shared).of("a").error


def test_every_group_weighs_alike_however_many_games_it_has() -> None:
    rows = [("b", f"o{i}", 1.0) for i in range(10)] + [("c", f"p{i}", 0.0) for i in range(90)]
    found = balanced_mean(rows)
    assert found.value == 0.5 and found.low < 0.5 < found.high
    assert math.isnan(balanced_mean([]).value)
    assert balanced_mean([("b", "o", 1.0)]).high == 1.0 and balanced_mean([("b", "o", 0.0)]).low == 0.0
