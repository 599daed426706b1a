"""Many games between two searches: the same as one game at a time; planes written on the way."""

from __future__ import annotations

import numpy as np
import pytest

from wuzi.core import Rule, Rules
from wuzi.errors import IllegalMoveError, PlayerError
from wuzi.nets.evaluator import Floats, FunctionEvaluator
from wuzi.nets.planes import PlaneEncoder
from wuzi.nets.wrappers import RandomSymmetryEvaluator
from wuzi.search.tree.batched import BatchedTrees
from wuzi.search.tree.moving import Moving
from wuzi.search.tree.options import Form, TreeOptions, soften
from wuzi.testing.fakes import HashedEvaluator

pytestmark = pytest.mark.kernels

TACTICAL = "tactical18-v1"


def hashed(planes: str = TACTICAL) -> FunctionEvaluator:
    """Answers that depend on every bit of the planes, the same in any batch."""
    inner = HashedEvaluator(3)
    return FunctionEvaluator(inner.evaluate, planes)


def play_on(trees: BatchedTrees, plies: int, simulations: int) -> list[tuple[int, ...]]:
    """Play the best moves in all games; the moves."""
    moves: list[list[int]] = [[] for _ in range(trees.games)]
    for _ in range(plies):
        trees.search(simulations)
        for game in range(trees.games):
            if trees.outcome(game) is None:
                move = trees.root(game).best
                moves[game].append(int(move))
                trees.play(game, move)
    return [tuple(found) for found in moves]


@pytest.mark.parametrize(
    "rules",
    [
        Rules(size=9),
        Rules(size=8, rule=Rule.RENJU),
        Rules(size=7, rule=Rule.CARO),
        Rules(size=6, win_length=4),
    ],
    ids=lambda rules: rules.label,
)
def test_planes_of_the_trees_patterns_are_those_of_the_boards(rules: Rules) -> None:
    encoder = PlaneEncoder(TACTICAL, rules)
    seen = 0

    def check(features: Floats) -> tuple[Floats, Floats]:
        nonlocal seen
        assert np.array_equal(features, encoder.encode(trees._leaves.states[: len(features)]))
        seen += len(features)
        return hashed().evaluate(features)

    trees = BatchedTrees(rules, 6, FunctionEvaluator(check, TACTICAL), TreeOptions(form=Form.GUMBEL))
    for game in range(6):
        trees.new_game(game, seed=game)
    play_on(trees, 14, 12)
    assert seen > 300


def test_a_turned_batch_is_what_the_wrapper_makes_of_it() -> None:
    """Planes written turned and logits read turned are those of the evaluator that turns arrays."""
    found = []
    for hidden in (False, True):
        evaluator = RandomSymmetryEvaluator(hashed(), 5)
        shown = FunctionEvaluator(evaluator.evaluate, TACTICAL) if hidden else evaluator
        trees = BatchedTrees(Rules(size=7), 5, shown, TreeOptions(noise_fraction=0.2))
        for game in range(5):
            trees.new_game(game, seed=game)
        found.append(play_on(trees, 10, 16))
    assert found[0] == found[1]


def test_numbers_that_are_not_finite_leave_the_trees_alone() -> None:
    def broken(features: Floats) -> tuple[Floats, Floats]:
        logits = np.zeros((len(features), 49), np.float32)
        logits[-1, -1] = np.inf
        return logits, np.zeros(len(features), np.float32)

    trees = BatchedTrees(Rules(size=7), 3, FunctionEvaluator(broken, TACTICAL))
    for game in range(3):
        trees.new_game(game)
        trees.start(game, 4)
    with pytest.raises(PlayerError, match="not finite"):
        trees.step()
    assert [trees.size(game) for game in range(3)] == [1, 1, 1]


def both(form: Form, games: int = 8) -> tuple[BatchedTrees, BatchedTrees]:
    """Two times the same searches, ended."""
    found = []
    for _ in range(2):
        trees = BatchedTrees(
            Rules(size=6, win_length=4), games, hashed(), TreeOptions(form=form, gumbel_scale=1)
        )
        for game in range(games):
            trees.new_game(game, seed=game)
        trees.search(12)
        found.append(trees)
    return found[0], found[1]


@pytest.mark.parametrize("form", list(Form))
def test_moving_all_games_is_moving_each(form: Form) -> None:
    one, other = both(form)
    moving = Moving(other)
    for ply in range(10):
        games = [game for game in range(8) if one.outcome(game) is None]
        warm = 1.0 if ply % 2 else 0.0
        moves, worth, policies = moving.conclude(games, [warm] * len(games))
        for i, game in enumerate(games):
            root = one.root(game)
            one.generator(game).random()
            assert worth[i] == pytest.approx(root.value)
            cells, shares = policies[i]
            rounded = np.zeros(36)
            rounded[cells] = shares
            assert rounded == pytest.approx(root.policy, abs=1 / 65535)
            assert root.policy[moves[i]] > 0 or form is Form.GUMBEL
            if not warm:
                assert moves[i] == root.best
            one.play(game, int(moves[i]), reuse=ply % 3 > 0)
        results = moving.play(games, moves, reuse=ply % 3 > 0)
        assert [bool(result) for result in results] == [one.outcome(game) is not None for game in games]
        left = [game for game in games if one.outcome(game) is None]
        moving.start(left, [12] * len(left))
        for game in left:
            one.start(game, 12)
        for trees in (one, other):
            while not trees.idle:
                trees.step()
    assert np.array_equal(one.records()["cells"], other.records()["cells"])


def test_moves_are_drawn_as_the_softened_policy_says() -> None:
    trees = BatchedTrees(Rules(size=6, win_length=4), 1, hashed(), TreeOptions(noise_fraction=0.25))
    trees.new_game(0, seed=4)
    trees.search(40)
    moving, root = Moving(trees), trees.root(0)
    for temperature in (1.0, 0.5):
        drawn = [moving.conclude([0], [temperature])[0][0] for _ in range(3000)]
        found = np.bincount(drawn, minlength=36) / 3000
        wanted = soften(root.policy, temperature)
        assert np.abs(found - wanted).max() < 0.04
        assert not found[wanted == 0].any()


def test_illegal_moves_are_refused() -> None:
    one, _ = both(Form.PUCT, 2)
    moving = Moving(one)
    move = int(one.root(0).best)
    assert moving.play([0], [move], reuse=True) == [0]
    with pytest.raises(IllegalMoveError, match=f"cell {move} of game 0"):
        moving.play([0], [move], reuse=True)
