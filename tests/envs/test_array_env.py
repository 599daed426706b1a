"""The array environment against the rule book, one game at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wuzi.core import Position, Rule, Rules
from wuzi.envs import ArrayEnv
from wuzi.errors import ConfigError, IllegalMoveError

pytestmark = pytest.mark.kernels

BOARDS = (
    Rules(size=3, win_length=3),
    Rules(size=5, win_length=4),
    Rules(size=6, win_length=4, rule=Rule.CARO),
    Rules(size=7, win_length=5, rule=Rule.STANDARD),
    Rules(size=7, win_length=5, rule=Rule.RENJU),
    Rules(size=26),
)


def observed(env: ArrayEnv, game: int, twin: Position) -> None:
    """What the environment shows of a game is what the position holds."""
    size = env.rules.size
    board = twin.cells.reshape(size, size)
    own, opponent, black = env.planes()[game]
    assert np.array_equal(env.boards()[game], board)
    assert np.array_equal(own, board == twin.to_move)
    assert np.array_equal(opponent, board == twin.to_move.opponent)
    assert (black == (twin.to_move == 1)).all()
    assert env.to_move[game] == twin.to_move
    assert np.array_equal(env.masks()[game], twin.legal_mask())


@settings(max_examples=25)
@given(board=st.sampled_from(BOARDS), seed=st.integers(0, 2**32 - 1), random_plies=st.integers(0, 5))
def test_games_follow_the_rule_book(board: Rules, seed: int, random_plies: int) -> None:
    env = ArrayEnv(board, 3, seed=seed, random_plies=random_plies)
    twins = [env.position(game) for game in range(3)]
    assert all(twin.outcome is None and twin.ply <= random_plies for twin in twins)
    for _ in range(min(40, 2 * board.num_cells)):
        actions = env.random_actions()
        step = env.step(actions)
        for i, twin in enumerate(twins):
            mover, after = twin.to_move, twin.play(int(actions[i]))
            outcome = after.outcome
            assert step.dones[i] == (outcome is not None)
            assert step.lengths[i] == after.ply
            winner = None if outcome is None else outcome.winner
            assert step.winners[i] == (winner or 0)
            assert step.rewards[i] == (0 if winner is None else 1 if winner is mover else -1)
            if outcome is not None:
                after = env.position(i)
                assert after.outcome is None and after.ply <= random_plies, "a new game has begun"
            observed(env, i, after)
            twins[i] = after


def test_a_game_depends_on_its_seed_and_not_on_its_neighbours() -> None:
    many, few = ArrayEnv(Rules(size=6), 8, seed=3), ArrayEnv(Rules(size=6), 2, seed=3)
    for _ in range(100):
        a, b = many.random_actions(), few.random_actions()
        assert np.array_equal(a[:2], b)
        many.step(a)
        few.step(b)
    assert np.array_equal(many.boards()[:2], few.boards())
    many.reset(3)
    assert not many.boards().any()
    few.reset(3)
    assert np.array_equal(many.random_actions()[:2], few.random_actions())


def test_random_actions_are_legal_and_equally_likely() -> None:
    env = ArrayEnv(Rules(size=3, win_length=3), 900, seed=1)
    env.step(np.full(900, 4))
    counts = np.bincount(env.random_actions(), minlength=9)
    assert counts[4] == 0
    expected = 900 / 8
    chi2 = float((((np.delete(counts, 4) - expected) ** 2) / expected).sum())
    assert chi2 < 24.3, "seven degrees of freedom: one in a thousand"


def test_an_illegal_action_is_named_and_nothing_is_played() -> None:
    env = ArrayEnv(Rules(size=5), 3)
    env.step([1, 2, 3])
    before = env.boards()
    for actions, text in (
        ([0, 2, 0], "cell 2 in game 1: expected an empty cell"),
        ([0, 0, 25], "cell 25 in game 2: expected an empty cell"),
        ([-1, 0, 0], "cell -1 in game 0: expected an empty cell"),
    ):
        with pytest.raises(IllegalMoveError, match=text):
            env.step(actions)
        assert np.array_equal(env.boards(), before)
    for wrong in ([0, 1], [0.0, 1.0, 2.0], [[0, 1, 2]]):
        with pytest.raises(ConfigError, match="expected whole numbers"):
            env.step(wrong)


def test_planes_fill_a_given_array() -> None:
    env = ArrayEnv(Rules(size=5), 2)
    out = np.full((2, 3, 5, 5), 7, np.float32)
    assert env.planes(out) is out
    assert out.sum() == 2 * 25
    with pytest.raises(ConfigError, match="expected a float32 array"):
        env.planes(np.zeros((2, 3, 5, 5)))  # type: ignore[arg-type]


@pytest.mark.parametrize(("num_games", "random_plies"), [(0, 0), (4, -1), (4, 25)])
def test_impossible_settings_are_refused(num_games: int, random_plies: int) -> None:
    with pytest.raises(ConfigError):
        ArrayEnv(Rules(size=5), num_games, random_plies=random_plies)
