"""Statistics of pairs: against exact values, simulation, and what they are used for."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research.agreement import compare_reported, compare_stages, fisher_test
from research.config import DocumentResult
from research.prose import needed
from tests.arena.games import games_of
from wuzi.arena.pairs import all_pairs, holm, pair_of, sign_test


@pytest.mark.parametrize(
    ("won", "lost", "p"), [(5, 0, 0.0625), (0, 5, 0.0625), (3, 3, 1.0), (10, 2, 0.03857)]
)
def test_the_sign_test_is_the_binomial_one(won: int, lost: int, p: float) -> None:
    assert sign_test(won, lost) == pytest.approx(p, abs=1e-5)


def test_fisher_agrees_with_enumeration() -> None:
    assert fisher_test(((3, 1), (1, 3))) == pytest.approx(34 / 70)
    assert fisher_test(((25, 25), (58, 2))) < 1e-6, "the document's Minimax against basic"
    assert fisher_test(((5, 0), (5, 0))) == 1.0


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_never_lowers_a_p_value_and_keeps_their_order(values: list[float]) -> None:
    adjusted = holm(values)
    assert all(a >= p for a, p in zip(adjusted, values, strict=True))
    assert all(a <= min(1, p * len(values)) for a, p in zip(adjusted, values, strict=True))
    for i, p in enumerate(values):
        assert all(adjusted[i] <= adjusted[j] for j, q in enumerate(values) if p < q)


def test_equal_players_are_seldom_told_apart_however_many_pairs_there_are() -> None:
    """The point of the adjustment: without it most of these stages would name a winner."""
    draw = random.Random(1)
    false = unadjusted = 0
    for _ in range(200):
        values = []
        for _ in range(20):
            won = sum(draw.random() < 0.5 for _ in range(30))
            values.append(sign_test(won, 30 - won))
        false += min(holm(values)) <= 0.05
        unadjusted += min(values) <= 0.05
    assert false <= 20
    assert unadjusted > 80


def test_copies_of_a_game_are_one_unit() -> None:
    """40 wins by one line of moves and a loss by another are one unit each."""
    games = games_of({("a", "b"): (40, 1, 0)})
    sides = [("black", "e5")] * 40 + [("white", "d4")]
    copies = [
        replace(game, black="a", white="b", winner=winner, moves=moves)
        for game, (winner, moves) in zip(games, sides, strict=True)
    ]
    (pair,) = all_pairs(copies, ["a", "b"], unit=1)
    assert (pair.wins, pair.losses, pair.distinct) == (40, 1, 2)
    assert (pair.won, pair.lost, pair.p) == (1, 1, 1.0)
    assert pair.score is not None and pair.score.value == pytest.approx(40 / 41)
    assert pair.score.low < 0.5, "two units say next to nothing"


def test_what_a_verdict_takes_is_the_least_that_is_one() -> None:
    for decisive, tests in ((5, 1), (6, 1), (16, 10), (30, 55)):
        k = needed(decisive, tests)
        if k is None:
            assert tests * sign_test(decisive, 0) > 0.05
        else:
            assert tests * sign_test(k, decisive - k) <= 0.05
            assert k == decisive // 2 or tests * sign_test(k - 1, decisive - k + 1) > 0.05
    assert needed(5, 1) is None and needed(6, 1) == 6


def test_a_pair_is_seen_from_both_sides() -> None:
    games = games_of({("a", "b"): (14, 4, 2), ("a", "c"): (20, 0, 0)})
    pairs = all_pairs(games, ["b", "a", "c"])
    assert [(pair.first, pair.second) for pair in pairs] == [("a", "b"), ("a", "c")]
    here, there = pair_of(pairs, "a", "b"), pair_of(pairs, "b", "a")
    assert here is not None and there is not None
    assert (here.wins, here.draws, here.losses) == (14, 2, 4) == (there.losses, there.draws, there.wins)
    assert here.score is not None and there.score is not None
    assert here.score.value + there.score.value == pytest.approx(1)
    assert there.score.low <= there.score.value <= there.score.high
    assert here.won + here.level + here.lost == 10
    assert pair_of(pairs, "b", "c") is None
    sweep = pair_of(pairs, "a", "c")
    assert sweep is not None and sweep.significant and sweep.adjusted == pytest.approx(2 * sign_test(10, 0))


def test_a_second_look_has_its_price() -> None:
    games = games_of({("a", "b"): (20, 0, 0)})
    (once,), (twice,) = (all_pairs(games, ["a", "b"], looks=looks) for looks in (1, 2))
    assert twice.adjusted == pytest.approx(2 * once.adjusted)


REPORTED = [
    DocumentResult("1", "minimax", "basic", 25, 25, 0),
    DocumentResult("1", "mcts", "basic", 18, 32, 0),
    DocumentResult("1", "mcts", "minimax", 1, 49, 0),
    DocumentResult("2", "minimax", "basic", 58, 2, 0),
    DocumentResult("2", "mcts", "basic", 38, 22, 0),
    DocumentResult("2", "mcts", "minimax", 1, 59, 0),
]


def test_the_documents_two_evaluations_contradict_each_other() -> None:
    found = compare_reported(REPORTED)
    assert found is not None
    assert {(pair.first, pair.second) for pair in found.differing} == {
        ("minimax", "basic"),
        ("mcts", "basic"),
    }
    assert found.mean_difference > 2 * found.expected_difference
    assert (found.same_winner, found.with_winner) == (1, 2)
    assert compare_reported(REPORTED[:3]) is None


def test_two_evaluations_of_the_same_players_agree() -> None:
    results = {("a", "b"): (70, 30, 0), ("a", "c"): (90, 10, 0), ("b", "c"): (80, 20, 0)}
    stages = [all_pairs(games_of(results, seed), ["a", "b", "c"]) for seed in (1, 2)]
    found = compare_stages(*stages)
    assert found is not None and not found.differing
    assert found.correlation == pytest.approx(1) and found.mean_difference == 0
    assert found.same_winner == found.with_winner == 3 and math.isnan(found.tau)
    turned = all_pairs(games_of({("a", "b"): (10, 90, 0)}), ["a", "b"])
    other = compare_stages(stages[0], turned)
    assert other is not None and len(other.differing) == 1 and other.same_winner == 0
    assert compare_stages(stages[0], ()) is None
