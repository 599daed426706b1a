"""Many games between two searches: the same as one game at a time; planes written on the way."""

from __future__ import annotations

import numpy as np
import pytest

from tests.fakes import HashedEvaluator
from wuzi.core import Game, Rule, Rules
from wuzi.errors import IllegalMoveError, PlayerError
from wuzi.nets.evaluator import Floats, FunctionEvaluator
from wuzi.nets.planes import PlaneEncoder
from wuzi.search.tree.batched import BatchedTrees
from wuzi.search.tree.moving import BatchMover
from wuzi.search.tree.options import SearchAlgorithm, Tactics, TreeOptions, with_temperature
from wuzi.search.tree.root import Root

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

    trees = BatchedTrees(
        rules, 6, FunctionEvaluator(check, TACTICAL), TreeOptions(form=SearchAlgorithm.GUMBEL)
    )
    for game in range(6):
        trees.new_game(game, seed=game)
    play_on(trees, 14, 12)
    assert seen > 300


class Blurred:
    """Sees each cell with its eight neighbours: its answer turns with the board."""

    size = None

    def __init__(self, planes: str) -> None:
        self.planes = planes
        self.seen: set[bytes] = set()

    def evaluate(self, features: Floats) -> tuple[Floats, Floats]:
        self.seen |= {board.tobytes() for board in features}
        weights = 2.0 ** -np.arange(features.shape[1])
        # Whole numbers over a power of two add up to the same in any order.
        board = np.tensordot(np.rint(features * 8), weights, (1, 0))
        padded = np.pad(board, ((0, 0), (2, 2), (2, 2)))
        size = board.shape[1]
        spread = sum(padded[:, 2 + i : 2 + i + size, 2 + j : 2 + j + size] for i, j in NEAR)
        middle = -np.maximum(*np.abs(np.indices((size, size)) - (size - 1) / 2)) / 8
        values = np.sin(board.sum(axis=(1, 2))).astype(np.float32)
        return (spread / 32 + middle).astype(np.float32).reshape(len(board), -1), values


NEAR = [(i, j) for i in (-2, -1, 0, 1, 2) for j in (-2, -1, 0, 1, 2)]


@pytest.mark.parametrize("planes", [TACTICAL, "az4-v1"])
def test_orientations_change_what_the_net_sees_and_not_what_is_played(planes: str) -> None:
    played, seen = [], []
    for turned in (False, True):
        evaluator = Blurred(planes)
        options = TreeOptions(form=SearchAlgorithm.GUMBEL, random_symmetry=turned)
        trees = BatchedTrees(Rules(size=7), 3, evaluator, options)
        roots = []
        for game in range(3):
            # A board without any symmetry, so that no two moves are equal.
            trees.new_game(game, Game.from_moves(Rules(size=7), [8 + game, 17, 26 + game, 30]), seed=game)
            trees.start(game, 1, noise=False)
        while not trees.idle:
            trees.step()
        roots += [trees.root(game) for game in range(3)]
        played.append([np.concatenate([root.priors, [root.value]]) for root in roots])
        seen.append(evaluator.seen)
    assert np.allclose(played[0], played[1], atol=1e-6)
    assert len(seen[1] - seen[0]) >= 2


@pytest.mark.parametrize("planes", [TACTICAL, "az4-v1"])
def test_orientations_are_the_games_own(planes: str) -> None:
    """The same game alone and among 64: no orientation is drawn for a batch."""
    options = TreeOptions(form=SearchAlgorithm.GUMBEL, random_symmetry=True)
    found = []
    for games, which in ((1, 0), (64, 37)):
        trees = BatchedTrees(Rules(size=7), games, hashed(planes), options)
        for game in range(games):
            trees.new_game(game, seed=7 if game == which else 100 + game)
        found.append(play_on(trees, 8, 10)[which])
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


def both(form: SearchAlgorithm, games: int = 8) -> tuple[BatchedTrees, BatchedTrees]:
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


def divergence(root: Root) -> float:
    own = root.policy > 0
    return float((root.policy[own] * np.log(root.policy[own] / root.priors[own].clip(1e-30))).sum())


@pytest.mark.parametrize("form", list(SearchAlgorithm))
def test_moving_all_games_is_moving_each(form: SearchAlgorithm) -> None:
    one, other = both(form)
    moving = BatchMover(other)
    for ply in range(10):
        games = [game for game in range(8) if one.outcome(game) is None]
        warm = 1.0 if ply % 2 else 0.0
        draws = np.array([other.generator(game).random() for game in games])
        ends = moving.conclude(games, [warm] * len(games), draws)
        moves = [end.move for end in ends]
        for i, game in enumerate(games):
            root, end = one.root(game), ends[i]
            one.generator(game).random()
            assert end.value == pytest.approx(root.value)
            assert end.surprise == pytest.approx(divergence(root), abs=1e-4)
            assert end.decided == (root.proven != 0 or np.count_nonzero(root.priors) == 1)
            rounded = np.zeros(36)
            rounded[end.cells] = end.shares
            assert rounded == pytest.approx(root.policy, abs=1 / 65535)
            assert root.policy[moves[i]] > 0 or form is SearchAlgorithm.GUMBEL
            if not warm:
                assert moves[i] == root.best
            one.play(game, int(moves[i]), reuse=ply % 3 > 0)
        results = moving.play(games, moves, reuse=ply % 3 > 0)
        assert [bool(result) for result in results] == [one.outcome(game) is not None for game in games]
        left = [game for game in games if one.outcome(game) is None]
        keys = [other.generator(game).integers(1 << 62, dtype=np.uint64) for game in left]
        moving.start(left, [12] * len(left), np.array(keys, np.uint64))
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
    moving, root = BatchMover(trees), trees.root(0)
    for temperature in (1.0, 0.5):
        draws = np.random.default_rng(4).random((3000, 1))
        drawn = [moving.conclude([0], [temperature], draw)[0].move for draw in draws]
        found = np.bincount(drawn, minlength=36) / 3000
        wanted = with_temperature(root.policy, temperature)
        assert np.abs(found - wanted).max() < 0.04
        assert not found[wanted == 0].any()


def test_illegal_moves_are_refused() -> None:
    one, _ = both(SearchAlgorithm.PUCT, 2)
    moving = BatchMover(one)
    move = int(one.root(0).best)
    assert moving.play([0], [move], reuse=True) == [0]
    with pytest.raises(IllegalMoveError, match=f"cell {move} of game 0"):
        moving.play([0], [move], reuse=True)


@pytest.mark.parametrize("tactics", [Tactics.NONE, Tactics.FIVES])
def test_a_game_that_is_seated_is_the_game_begun(tactics: Tactics) -> None:
    """As `new_game`, over a game that was searched before."""
    rules, moves = Rules(size=7), [24, 25, 17, 31, 10]
    one, other = (BatchedTrees(rules, 2, hashed(), TreeOptions(tactics=tactics)) for _ in range(2))
    for trees in (one, other):
        for game in range(2):
            trees.new_game(game, seed=game)
        trees.search(20)
    one.new_game(1, Game.from_moves(rules, moves), seed=5)
    BatchMover(other).seat(1, moves)
    other.reseed(1, 5)
    for trees in (one, other):
        trees.search(30, [1])
    assert one.records()[1].tobytes() == other.records()[1].tobytes()
    assert np.array_equal(one.root(1).visits, other.root(1).visits)
    assert one.root(1).evaluated == other.root(1).evaluated
    with pytest.raises(IllegalMoveError, match="cell 24 of "):
        BatchMover(other).seat(1, [24, 25, 24])
