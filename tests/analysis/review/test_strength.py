"""The strength of a side, from how likely the levels play its moves."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from wuzi.analysis import strength_kernels
from wuzi.analysis.layout import RATED, STRENGTH
from wuzi.analysis.review import Review, ReviewOptions, run_review, strength
from wuzi.analysis.review.judgement import judge
from wuzi.analysis.review.model import next_task, review_from_json
from wuzi.analysis.review.output import review_json
from wuzi.analysis.review.results import LevelFit, TaskKind, parse_result, result_json
from wuzi.analysis.review.strength import LEAST_MOVES, RATED_LEVELS, estimated
from wuzi.core import Game, Rule, Rules, parse_moves
from wuzi.errors import RecordError, UnsupportedError
from wuzi.players import create_player
from wuzi.players.level import LevelConfig, LevelPlayer
from wuzi.players.levels import LevelName, level_ratings

MOVES = "e5f6f5g5d5e4d4d6c5b5e6f7c6"
TINY = ReviewOptions(quick_nodes=200, deep_nodes=400, verify_nodes=400, multipv=2, proof_nodes=2000)


def game(count: int = 20, size: int = 15) -> Game:
    return Game.from_moves(Rules(size), parse_moves(MOVES, size)[:count])


def twin(logs: list[float]) -> tuple[float, float, float]:
    """As the kernel estimates, in plain numpy."""
    ratings = [level_ratings()[level.name].elo for level in RATED_LEVELS]
    grid = np.arange(ratings[0] - 100.0, ratings[-1] + 100.0 + 1e-9, 10.0)
    weights = np.exp(strength_kernels.TRUST * (np.interp(grid, ratings, logs) - max(logs)))
    share = np.cumsum(weights) / weights.sum()
    low = grid[min(int(np.searchsorted(share, 0.025)), len(grid) - 1)]
    high = grid[min(int(np.searchsorted(share, 0.975, side="right")), len(grid) - 1)]
    return float((grid * weights).sum() / weights.sum()), float(low), float(high)


@pytest.mark.parametrize("seed", range(12))
def test_the_kernel_estimates_as_its_slow_twin(seed: int) -> None:
    logs = (np.random.default_rng(seed).normal(size=RATED) * (seed + 0.5)).tolist()
    record = np.zeros(1, STRENGTH)[0]
    record["ratings"] = [level_ratings()[level.name].elo for level in RATED_LEVELS]
    record["logs"] = logs
    strength_kernels.estimate_strength(record)
    elo, low, high = twin(logs)
    assert record["elo"] == pytest.approx(elo)
    assert (record["low"], record["high"]) == (pytest.approx(low, abs=10), pytest.approx(high, abs=10))
    assert low <= record["elo"] <= high


@pytest.mark.parametrize("name", [LevelName.NOVICE, LevelName.BEGINNER, LevelName.CASUAL])
def test_likelihoods_are_the_frequencies_of_many_seeds(name: LevelName) -> None:
    played, seeds = Counter[int](), 400
    for seed in range(seeds):
        player = LevelPlayer(LevelConfig(name, seed))
        action = player.think(game()).action
        played[int(action.move)] += 1  # type: ignore[union-attr]
    level = LevelPlayer(LevelConfig(name))
    likely = {move: level.likelihood(game(), move) for move in game().legal_moves}
    assert sum(likely.values()) == pytest.approx(1)
    for move, share in likely.items():
        assert played[int(move)] / seeds == pytest.approx(share, abs=0.09), str(move)


def test_the_whole_engine_and_unknown_rules_have_no_likelihoods() -> None:
    move = game().legal_moves[0]
    with pytest.raises(UnsupportedError, match="no likelihoods"):
        LevelPlayer(LevelConfig(LevelName.MASTER)).likelihood(game(), move)
    caro = Game(Rules(15, rule=Rule.CARO))
    with pytest.raises(UnsupportedError, match="caro"):
        LevelPlayer(LevelConfig(LevelName.CLUB)).likelihood(caro, caro.legal_moves[0])


def test_a_level_is_found_by_moves_that_only_it_plays() -> None:
    for place, level in enumerate(RATED_LEVELS):
        fits = [LevelFit(tuple(float(i == place) for i in range(RATED)), 0.1)] * 12
        found = estimated(fits)
        assert found is not None
        assert (found.level, found.moves) == (level.name, 12)
        assert found.low <= level_ratings()[level.name].elo <= found.high
    assert estimated([LevelFit((1.0,) * RATED, 1.0)] * (LEAST_MOVES - 1)) is None


def test_a_review_estimates_both_sides_and_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strength, "LEAST_MOVES", 6)  # a longer game would only take longer
    review = reviewed(Review.of(game(12), TINY))
    black, white = judge(review).sides
    assert black.strength is not None
    assert white.strength is not None
    assert (black.strength.moves, white.strength.moves) == (6, 6)
    told = review_json(review)["sides"][0]["strength"]
    assert told == {
        "elo": black.strength.elo,
        "low": black.strength.low,
        "high": black.strength.high,
        "level": str(black.strength.level),
        "moves": 6,
    }
    again = review_from_json(review.to_json(), review.subject.game)
    assert judge(again).sides == (black, white)


@pytest.mark.parametrize(
    ("options", "size"), [(replace(TINY, strength=False), 15), (replace(TINY, deep_nodes=0), 15), (TINY, 9)]
)
def test_strength_is_not_estimated_where_nothing_is_measured(options: ReviewOptions, size: int) -> None:
    review = reviewed(Review.of(game(3, size), options))
    assert not any(key.startswith(TaskKind.LEVELS) for key in review.results)
    assert all(side.strength is None for side in judge(review).sides)


def test_an_earlier_review_stays_complete() -> None:
    review = reviewed(Review.of(game(3), replace(TINY, strength=False)))
    data = review.to_json()
    del data["options"]["strength"]
    assert next_task(review_from_json(data, review.subject.game)) is None


def test_fits_are_checked_when_they_are_read() -> None:
    fit = LevelFit((0.0, 0.25, 0.5, 0.75, 1.0, 0.0, 0.0), 0.125)
    assert parse_result(TaskKind.LEVELS, result_json(fit), 15) == fit
    for wrong in ([0.5] * (RATED - 1), [1.5] * RATED, ["x"] * RATED, None):
        with pytest.raises(RecordError):
            parse_result(TaskKind.LEVELS, {"likelihoods": wrong, "policy": 0.5}, 15)


def reviewed(review: Review) -> Review:
    with create_player(review.options.player) as player:
        assert run_review(review, player)
    return review
