"""Credit against twins in plain Python that follow one game at a time, from each player's own view."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wuzi.training.methods.ppo.returns import (
    diffuse,
    gradient_targets,
    negamax_returns,
    next_targets,
    spread_by_formula,
    spread_over_games,
    strategy_rates,
    win_pay,
)

Arrays = dict[str, Any]


def random_rollout(rng: np.random.Generator, steps: int = 12, games: int = 3) -> Arrays:
    dones = (rng.random((steps, games)) < 0.25).astype(np.uint8)
    return {
        "rewards": (dones * rng.choice([-1, 0, 1], (steps, games))).astype(np.float32),
        "values": rng.uniform(-1, 1, (steps, games)).astype(np.float32),
        "dones": dones,
        "ours": np.ones((steps, games), np.uint8),
        "last_values": rng.uniform(-1, 1, games).astype(np.float32),
    }


def advantages_by_delta(a: Arrays, gamma: float, lam: float, game: int) -> list[float]:
    """delta_t = r_t - gamma V_{t+1} (1 - done) - V_t; A_t = delta_t - gamma lambda (1 - done) A_{t+1}."""
    steps = len(a["rewards"])
    found, later = [0.0] * steps, 0.0
    for t in reversed(range(steps)):
        after = a["values"][t + 1, game] if t + 1 < steps else a["last_values"][game]
        goes_on = 1 - int(a["dones"][t, game])
        delta = a["rewards"][t, game] - gamma * after * goes_on - a["values"][t, game]
        later = delta - gamma * lam * goes_on * later
        found[t] = float(later)
    return found


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), gamma=st.floats(0, 1), lam=st.floats(0, 1))
def test_advantages_are_the_two_player_form_of_gae(seed: int, gamma: float, lam: float) -> None:
    a = random_rollout(np.random.default_rng(seed))
    found = negamax_returns(**a, gamma=gamma, gae_lambda=lam) - a["values"]
    for game in range(3):
        assert found[:, game] == pytest.approx(advantages_by_delta(a, gamma, lam, game), abs=1e-4)


def test_signs_of_a_won_game() -> None:
    """Black wins at ply 5: black moves get gamma^distance, white moves its negative."""
    steps, gamma = 5, 0.9
    zeros = np.zeros((steps, 1), np.float32)
    rewards, dones = zeros.copy(), np.zeros((steps, 1), np.uint8)
    rewards[-1], dones[-1] = 1, 1
    ours = np.ones_like(dones)
    last = np.array([0.7], np.float32)  # belongs to the next game
    returns = negamax_returns(rewards, zeros, dones, ours, last, gamma, 1.0)
    expected = [gamma**4, -(gamma**3), gamma**2, -gamma, 1]
    assert returns[:, 0] == pytest.approx(expected)


def single_agent_return(a: Arrays, gamma: float, lam: float, game: int, t: int) -> float:
    """The learner's lambda-return where every other move is the opponent's, part of its surroundings."""
    if a["dones"][t, game]:
        return float(a["rewards"][t, game])
    if t + 1 == len(a["rewards"]):
        return -gamma * float(a["last_values"][game])
    if a["dones"][t + 1, game]:
        return -gamma * float(a["rewards"][t + 1, game])
    if t + 2 == len(a["rewards"]):
        return gamma**2 * float(a["last_values"][game])
    later = single_agent_return(a, gamma, lam, game, t + 2)
    return gamma**2 * ((1 - lam) * float(a["values"][t + 2, game]) + lam * later)


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), lam=st.floats(0, 1))
def test_an_opponent_is_part_of_the_surroundings(seed: int, lam: float) -> None:
    a = random_rollout(np.random.default_rng(seed))
    a["ours"][1::2] = 0
    noise = np.random.default_rng(0).uniform(-1, 1, a["values"].shape).astype(np.float32)
    found = negamax_returns(**a, gamma=0.9, gae_lambda=lam)
    a["values"][1::2] = noise[1::2]
    again = negamax_returns(**a, gamma=0.9, gae_lambda=lam)
    assert np.array_equal(found[::2], again[::2]), "values of the opponent's rows are not looked at"
    for game in range(3):
        for t in range(0, 12, 2):
            # Only where the learner moves at even steps throughout: no game ended at an odd distance.
            assert found[t, game] == pytest.approx(single_agent_return(a, 0.9, lam, game, t), abs=1e-5)


def test_next_targets() -> None:
    a = random_rollout(np.random.default_rng(4))
    found = next_targets(a["rewards"], a["values"], a["dones"], a["last_values"], 0.9)
    for t in range(12):
        for game in range(3):
            after = a["values"][t + 1, game] if t < 11 else a["last_values"][game]
            expected = a["rewards"][t, game] if a["dones"][t, game] else -0.9 * after
            assert found[t, game] == pytest.approx(expected, abs=1e-6)


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), horizon=st.integers(0, 6))
def test_the_temporal_gradient_adds_up_formula_4_1(seed: int, horizon: int) -> None:
    a = random_rollout(np.random.default_rng(seed))
    seen = a["rewards"], a["values"], a["dones"], a["last_values"]
    found = gradient_targets(*seen, rate=0.8, horizon=horizon)
    for game in range(3):
        for t in range(12):
            worth, path, step = float(a["values"][t, game]), [], t
            # V(S_t), V(S_t+1), ... in the view of the mover at t; the result stands for a finished game.
            while step < 12:
                path.append((-1) ** (step - t) * float(a["values"][step, game]))
                if a["dones"][step, game]:
                    path.append((-1) ** (step - t) * float(a["rewards"][step, game]))
                    break
                step += 1
            else:
                path.append((-1) ** (step - t) * float(a["last_values"][game]))
            worth += sum(0.8**k * (path[k + 1] - path[k]) for k in range(min(horizon + 1, len(path) - 1)))
            assert found[t, game] == pytest.approx(worth, abs=1e-4)
    assert np.allclose(gradient_targets(*seen, 0.8, 0), next_targets(*seen, 1.0)), "the listing is one step"


def test_a_shorter_win_pays_more() -> None:
    pay = win_pay(np.array([7, 9, 25]), 25, 0.5)
    assert pay.tolist() == pytest.approx([1 - 0.5 * 7 / 25, 1 - 0.5 * 9 / 25, 0.5])
    assert win_pay(np.array([7, 25]), 25, 0.0).tolist() == [1, 1]


# ---------------------------------------------------------------------------- document 002's diffusion


def diffuse_slowly(rewards: Any, rates: Any, horizons: Any, two_player: bool) -> list[float]:
    """The formula of section 7 term by term: what each move gets of each later reward."""
    steps = len(rewards)
    found = [float(r) for r in rewards]
    for t in range(steps):
        for later in range(t + 1, steps):
            h = later - t
            part = float(rewards[later]) * float(rates[t]) ** h
            sign = (-1) ** h if two_player else 1
            if h < horizons[t]:
                found[t] += sign * part
            if h < horizons[later]:
                found[t] += sign * part * 0.5
    return found


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), two_player=st.booleans(), steps=st.integers(1, 15))
def test_diffusion_term_by_term(seed: int, two_player: bool, steps: int) -> None:
    rng = np.random.default_rng(seed)
    rewards = rng.normal(size=steps).astype(np.float32)
    rates = rng.uniform(0.5, 0.95, steps).astype(np.float32)
    horizons = rng.integers(1, 12, steps)
    found = diffuse(rewards, rates, horizons, two_player=two_player)
    assert found == pytest.approx(diffuse_slowly(rewards, rates, horizons, two_player), abs=1e-4)


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), forward=st.integers(0, 9), backward=st.integers(0, 9))
def test_formula_7_1_term_by_term(seed: int, forward: int, backward: int) -> None:
    rng = np.random.default_rng(seed)
    rewards = rng.normal(size=int(rng.integers(1, 14))).astype(np.float32)
    last = len(rewards) - 1
    for two_player in (False, True):
        found = spread_by_formula(rewards, (0.9, 0.6), (forward, backward), two_player=two_player)
        for t, reward in enumerate(rewards):
            worth = float(reward)
            for h in range(1, last + 1):
                sign = (-1) ** h if two_player else 1
                worth += sign * 0.9**h * float(rewards[t + h]) if h <= forward and t + h <= last else 0
                worth += sign * 0.6**h * float(rewards[t - h]) * 0.5 if h <= backward and t >= h else 0
            assert found[t] == pytest.approx(worth, abs=1e-4)


def test_the_formula_carries_earlier_rewards_to_later_moves_and_the_listing_does_not() -> None:
    rewards = np.array([1, 0, 0], np.float32)
    formula = spread_by_formula(rewards, (0.5, 0.5), (5, 5), two_player=False)
    assert formula.tolist() == [1, 0.25, 0.125]
    listing = diffuse(rewards, np.full(3, 0.5, np.float32), np.full(3, 5), two_player=False)
    assert listing.tolist() == [1, 0, 0]


def test_the_document_rewards_the_loser_too() -> None:
    rewards = np.array([0, 0, 0, 0, 1], np.float32)
    rates, horizons = np.full(5, 0.8, np.float32), np.full(5, 10)
    as_written = diffuse(rewards, rates, horizons, two_player=False)
    assert (as_written > 0).all(), "the loser's moves are rewarded for losing"
    assert as_written[3] == pytest.approx(1.5 * 0.8)
    mended = diffuse(rewards, rates, horizons, two_player=True)
    assert (np.sign(mended) == [1, -1, 1, -1, 1]).all()


def test_strategy_sets_rate_and_horizon() -> None:
    alpha, beta = np.array([0, 1, 0], np.float32), np.array([0, 0, 1], np.float32)
    rates, horizons = strategy_rates(alpha, beta, 10)
    assert rates.tolist() == pytest.approx([0.7, 0.9, 0.6])
    assert horizons.tolist() == [10, 10, 5]


def test_diffusion_stays_within_a_game_and_leaves_unfinished_ones_out() -> None:
    rewards = np.array([[0], [1], [0], [0], [-1], [0]], np.float32)
    dones = np.array([[0], [1], [0], [0], [1], [0]], np.uint8)
    rates, horizons = np.full((6, 1), 0.5, np.float32), np.full((6, 1), 10)
    found, known = spread_over_games(partial(diffuse, two_player=True), dones, rewards, rates, horizons)
    assert known[:, 0].tolist() == [True, True, True, True, True, False]
    assert found[:5, 0].tolist() == pytest.approx([-0.75, 1, -0.375, 0.75, -1])
