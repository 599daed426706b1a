"""Games side by side against the rule book, one game at a time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wuzi.core import Game, Position, Reason, Rule, Rules
from wuzi.core.batch import GameBatch
from wuzi.core.layout import STATE
from wuzi.errors import ConfigError, IllegalMoveError

pytestmark = pytest.mark.kernels

BOARDS = (
    Rules(size=3, win_length=3),
    Rules(size=5, win_length=4),
    Rules(size=6, win_length=4),
    Rules(size=7, win_length=5, rule=Rule.STANDARD),
    Rules(size=7, win_length=5, rule=Rule.RENJU),
)


def wins_now(position: Position, color: int) -> set[int]:
    """Cells where ``color`` would win at once if it were to move, by the rule book."""
    found = set()
    for cell in np.flatnonzero(position.cells == 0):
        # The colour to move is set up rather than played to, so that both sides can be asked.
        after = Position.from_cells(position.rules, position.cells, color).play(int(cell))  # type: ignore[arg-type]
        if after.outcome is not None and after.outcome.winner == color:
            found.add(int(cell))
    return found


@settings(max_examples=25)
@given(board=st.sampled_from(BOARDS), seed=st.integers(0, 2**32 - 1), forced=st.booleans())
def test_games_follow_the_rule_book(board: Rules, seed: int, forced: bool) -> None:
    games = GameBatch(board, 4, seed=seed, random_plies=5, forced=forced)
    twins: list[Any] = [games.position(game) for game in range(4)]
    assert all(twin.outcome is None for twin in twins), "a start is never decided"
    for _ in range(board.num_cells):
        masks = games.masks()
        for twin, mask in zip(twins, masks, strict=True):
            expected = set(np.flatnonzero(twin.legal_mask()).tolist())
            if forced and expected and board.rule is not Rule.RENJU:
                own, opponent = (wins_now(twin, color) for color in (twin.to_move, twin.to_move.opponent))
                expected = own or opponent or expected
            if not forced or board.rule is not Rule.RENJU:
                assert set(np.flatnonzero(mask).tolist()) == expected
        actions, _ = games.choose(np.zeros(masks.shape, np.float32), masks)
        movers = [twin.to_move for twin in twins]
        over = [twin.outcome is not None for twin in twins]
        rewards, dones, *_ = games.play(actions)
        for i in range(4):
            if over[i]:
                assert dones[i] and rewards[i] == 0 and actions[i] == -1
                continue
            twins[i] = twins[i].play(int(actions[i]))
            outcome = twins[i].outcome
            winner = None if outcome is None else outcome.winner
            assert bool(dones[i]) == (outcome is not None)
            assert rewards[i] == (0 if winner is None else 1 if winner == movers[i] else -1)
            assert np.array_equal(games.position(i).cells, twins[i].cells)
    assert all(twin.outcome is not None for twin in twins)


def test_a_foul_is_rewarded_with_minus_one() -> None:
    rules = Rules(rule=Rule.RENJU)
    games = GameBatch(rules, 1)
    record = np.zeros(1, STATE)
    twin = Game(rules)
    for text in ("h8", "a1", "i8", "a3", "j9", "a5", "j10", "a7"):
        twin = twin.play(text)
    record[0] = twin.position.state()
    games.states[:] = record
    foul = next(i for i, kind in enumerate(twin.position.forbidden_mask()) if kind)
    rewards, dones, *_ = games.play(np.array([foul]))
    assert (rewards[0], dones[0]) == (-1, 1)
    assert games.states[0]["reason"] == Reason.FORBIDDEN


def test_masked_choice_is_legal_and_its_probability_right() -> None:
    games = GameBatch(Rules(size=5, win_length=4), 400, seed=3, random_plies=12)
    rng = np.random.default_rng(1)
    masks = games.masks()
    # Illegal cells look best: only the mask keeps them out.
    logits = (rng.normal(size=masks.shape) + 50 * (1 - masks)).astype(np.float32)
    actions, log_probs = games.choose(logits, masks)
    assert masks[np.arange(400), actions].all()
    weights = np.exp(logits.astype(float)) * masks
    expected = np.log(weights / weights.sum(axis=1, keepdims=True) + 1e-300)[np.arange(400), actions]
    assert log_probs == pytest.approx(expected, abs=1e-5)
    greedy, _ = games.choose(logits, masks, greedy=True)
    assert np.array_equal(greedy, np.where(masks == 1, logits, -np.inf).argmax(axis=1))


def test_choice_has_the_frequencies_of_the_policy() -> None:
    games = GameBatch(Rules(size=3, win_length=3), 6000, seed=5)
    logits = np.tile(np.log(np.array([4, 2, 1, 1, 1, 1, 1, 1, 4], np.float32)), (6000, 1))
    actions, _ = games.choose(logits, games.masks())
    share = np.bincount(actions, minlength=9) / 6000
    for cell, weight in enumerate((4, 2, 1, 1, 1, 1, 1, 1, 4)):
        p = weight / 16
        assert abs(share[cell] - p) < 4 * math.sqrt(p * (1 - p) / 6000)


def test_starts_differ_and_repeat_by_seed() -> None:
    rules = Rules(size=6, win_length=4)
    one, same, other = (GameBatch(rules, 64, seed=seed, random_plies=9) for seed in (1, 1, 2))
    assert np.array_equal(one.states, same.states)
    assert not np.array_equal(one.states["key"], other.states["key"])
    assert set(one.states["ply"].tolist()) == set(range(10))
    assert set(GameBatch(rules, 64, seed=1).states["ply"].tolist()) == {0}


def test_wrong_arguments_are_named() -> None:
    rules = Rules(size=3, win_length=3)
    with pytest.raises(ConfigError, match="9 random stones"):
        GameBatch(rules, 1, random_plies=9)
    with pytest.raises(ConfigError, match="0 games"):
        GameBatch(rules, 0)
    games = GameBatch(rules, 2)
    with pytest.raises(IllegalMoveError, match="cell 9 in game 1"):
        games.play(np.array([0, 9]))
    games.play(np.array([0, 0]))
    with pytest.raises(IllegalMoveError, match="cell 0 in game 0: expected an empty cell"):
        games.play(np.array([0, 1]))
