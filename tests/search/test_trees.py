"""Tree searches against their twin, against stored trees, and by what must hold of any of them."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.fakes import HashedEvaluator
from tests.search.tree_twin import TwinSearch, visit_levels
from tests.search.trees import PLAIN, black_is_better, position, searched, tree_of
from wuzi.core import Color, Game, Rules, parse_moves
from wuzi.core.symmetry import NUM_SYMMETRIES, cell_maps, inverse, transform_moves, transform_planes
from wuzi.errors import GameOverError, IllegalMoveError
from wuzi.nets.evaluator import Floats, FunctionEvaluator, UniformEvaluator
from wuzi.search.tree.batched import BatchedTrees
from wuzi.search.tree.gumbel_kernels import considered_visits
from wuzi.search.tree.options import SearchAlgorithm, Tactics, TreeOptions, Unvisited

pytestmark = pytest.mark.kernels

GOLDEN = Path(__file__).parent / "golden" / "trees.json"
# ---------------------------------------------------------------------------- against the twin

WORD = (1 << 64) - 1

VARIANTS = {
    "defaults": (TreeOptions(), 160),
    "zero": (replace(PLAIN, c_puct=5.0, c_log=0.0, unvisited=Unvisited.ZERO, proofs=False), 200),
    "siblings": (
        replace(PLAIN, c_puct=0.8, c_log=0.0, unvisited=Unvisited.SIBLINGS, noise_fraction=0.01),
        120,
    ),
    "noise": (replace(PLAIN, noise_fraction=0.25), 150),
    "gumbel": (replace(PLAIN, form=SearchAlgorithm.GUMBEL), 96),
    "gumbel tactics": (TreeOptions(form=SearchAlgorithm.GUMBEL, considered=8), 64),
}


def gumbels_of(key: int, cells: int) -> Floats:
    """What the kernel draws for a key: splitmix64, the first three numbers for other things."""
    noise = []
    for index in range(3, 3 + cells):
        x = key + (index + 1) * 0x9E3779B97F4A7C15 & WORD
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & WORD
        x = (x ^ x >> 27) * 0x94D049BB133111EB & WORD
        u = ((x ^ x >> 31) // 2**11 + 0.5) / 2**53
        noise.append(-math.log(-math.log(u)))
    return np.array(noise, np.float32)


def test_gumbel_numbers_are_gumbel_numbers() -> None:
    trees = BatchedTrees(
        Rules(size=9), 50, UniformEvaluator(), TreeOptions(form=SearchAlgorithm.GUMBEL, gumbel_scale=2.0)
    )
    trees.draw_noise(np.arange(50), np.arange(50, dtype=np.uint64) * 7)
    noise = trees.memory.noise / 2
    assert noise[3] == pytest.approx(gumbels_of(21, 81), rel=1e-5)
    for at in (-1.0, 0.0, 1.0, 3.0):
        assert (noise < at).mean() == pytest.approx(math.exp(-math.exp(-at)), abs=0.025)
    assert abs(np.corrcoef(noise)[~np.eye(50, dtype=bool)]).max() < 0.5


# In the last one all moves but f3 are proven to lose, and the root is not.
@pytest.mark.parametrize("moves", ["", "c3c4d3d4", "c3a1d3a3e3b6", "c3b3d3a1e3"])
@pytest.mark.parametrize("name", VARIANTS)
def test_tree_equals_the_twin(name: str, moves: str) -> None:
    options, simulations = VARIANTS[name]
    if options.tactics is not Tactics.NONE and moves == "":
        simulations //= 4  # the twin looks for fives by playing every move
    start = position(moves, 6, 4)
    evaluator = HashedEvaluator(3)
    key = int(np.random.default_rng(11).integers(1 << 62, dtype=np.uint64))
    cells = start.rules.num_cells
    noise = None
    if options.form is SearchAlgorithm.GUMBEL:
        noise = gumbels_of(key, cells)
    elif options.noise_fraction:
        noise = np.random.default_rng(key).standard_gamma(options.noise_alpha, cells)
    twin = TwinSearch(start, evaluator, options, noise)
    twin.run(simulations)
    trees = searched(start, evaluator, options, simulations, seed=11)
    ours, theirs = tree_of(trees), twin.tree()
    assert {path: (n, p) for path, (n, _, p) in ours.items()} == {
        p: (n, q) for p, (n, _, q) in theirs.items()
    }
    assert [ours[path][1] for path in ours] == pytest.approx([theirs[path][1] for path in ours], abs=1e-6)
    if options.form is SearchAlgorithm.GUMBEL and not twin.root.proven:
        policy = np.zeros(cells)
        for move, share in twin.improved(twin.root).items():
            policy[move] = share
        assert trees.root(0).policy == pytest.approx(policy, abs=1e-5)
        _, completed = twin.completed(twin.root)
        value = sum(policy[move] * (2 * q - 1) for move, q in completed.items())
        assert trees.root(0).value == pytest.approx(value, abs=1e-5)


def test_sequential_halving_gives_the_visits_it_should() -> None:
    for simulations in (1, 2, 7, 16, 50, 200):
        for considered in (1, 2, 3, 5, 8, 16, 30):
            ours = [considered_visits(i, simulations, considered) for i in range(simulations)]
            assert ours == list(visit_levels(simulations, considered))
    root = searched(position("e5"), HashedEvaluator(), TreeOptions(form=SearchAlgorithm.GUMBEL), 64).root(0)
    visits = sorted((int(n) for n in root.visits if n), reverse=True)
    assert visits == [15] * 2 + [7] * 2 + [3] * 4 + [1] * 8 or sum(visits) == 64
    assert np.count_nonzero(root.visits) == 16


def test_stored_trees_are_found_again() -> None:
    """The trees of a hash-seeded evaluator; a change of these is a change of the search: say so."""
    found: dict[str, Any] = {}
    for name, (options, simulations) in VARIANTS.items():
        trees = searched(position("e5e6d5"), HashedEvaluator(5), options, simulations, seed=2)
        root = trees.root(0)
        found[name] = {
            "best": int(root.best),
            "visits": {str(cell): int(root.visits[cell]) for cell in np.flatnonzero(root.visits)},
            "nodes": trees.size(0),
            "deepest": trees.deepest(0),
        }
    assert found == json.loads(GOLDEN.read_text("utf-8"))


@pytest.mark.parametrize("form", list(SearchAlgorithm))
def test_the_benchmark_grows_the_tree_of_the_uniform_evaluator(form: SearchAlgorithm) -> None:
    options = TreeOptions(
        form=form, gumbel_scale=0.0, tactics=Tactics.NONE if form is SearchAlgorithm.PUCT else Tactics.FIVES
    )
    start = position("e5e6d5c4")
    trees = BatchedTrees(start.rules, 2, UniformEvaluator(), options)
    trees.new_game(1, start)
    assert trees.search_uniform(1, 300) == 300
    assert tree_of(trees, 1) == tree_of(searched(start, UniformEvaluator(), options, 300))
    assert trees.ply(1) == 4 and trees.idle


# ---------------------------------------------------------------------------- signs and symmetries


@pytest.mark.parametrize("form", list(SearchAlgorithm))
@pytest.mark.parametrize("wdl", [False, True])
def test_values_are_from_the_side_to_move(form: SearchAlgorithm, wdl: bool) -> None:
    def evaluate(features: Floats) -> tuple[Floats, Floats]:
        logits, values = black_is_better(features)
        if not wdl:
            return logits, values
        return logits, np.stack([(values + 1) / 2, np.zeros_like(values), (1 - values) / 2], axis=1)

    for moves, expected in (("e5e6", 0.8), ("e5e6d5", -0.8)):
        trees = searched(
            position(moves), FunctionEvaluator(evaluate, "az4-v1"), replace(PLAIN, form=form), 60
        )
        root = trees.root(0)
        assert root.value == pytest.approx(expected, abs=1e-5)
        assert root.values[root.visits > 0] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("form", list(SearchAlgorithm))
def test_search_commutes_with_the_symmetries(form: SearchAlgorithm) -> None:
    moves = parse_moves("e5e6d5f3", 9)
    rules, inner = Rules(size=9), HashedEvaluator(8)
    options = replace(PLAIN, form=form, gumbel_scale=0.0)
    expected = searched(Game.from_moves(rules, moves), inner, options, 80).root(0).visits

    for symmetry in range(1, NUM_SYMMETRIES):
        back = inverse(symmetry)

        def evaluate(features: Floats, symmetry: int = symmetry, back: int = back) -> tuple[Floats, Floats]:
            turned = np.ascontiguousarray(transform_planes(features, back), np.float32)
            logits, values = inner.evaluate(turned)
            out = np.empty_like(logits)
            out[:, cell_maps(9)[symmetry]] = logits
            return out, values

        game = Game.from_moves(rules, transform_moves(moves, 9, symmetry))
        found = searched(game, FunctionEvaluator(evaluate, "az4-v1"), options, 80).root(0).visits
        assert found[cell_maps(9)[symmetry]].tolist() == expected.tolist(), symmetry


# ---------------------------------------------------------------------------- noise and temperature


def test_root_noise_differs_from_search_to_search_and_is_a_mixture() -> None:
    options = replace(PLAIN, noise_fraction=0.25, noise_alpha=0.3)
    trees = BatchedTrees(Rules(size=9), 1, UniformEvaluator(), options)
    visits, priors = [], []
    for _ in range(3):
        trees.new_game(0, seed=trees.generator(0) if visits else 7)
        trees.search(100)
        visits.append(trees.root(0).visits.tolist())
        choices = trees.memory.choices[0][1:82]
        priors.append(choices["prior"][np.argsort(choices["point"])].copy())
        assert priors[-1].sum() == pytest.approx(1, abs=1e-5)
        assert priors[-1].min() >= 0.75 / 81 - 1e-7
    assert visits[0] != visits[1] != visits[2] != visits[0]
    assert np.abs(priors[0] - priors[1]).max() > 0.01
    assert trees.root(0).priors == pytest.approx(1 / 81), "the reported priors are without noise"
    trees.new_game(0, seed=7)
    trees.search(100)
    assert trees.root(0).visits.tolist() == visits[0]
    trees.new_game(0, seed=7)
    trees.search(100, noise=False)
    assert trees.root(0).visits.tolist() != visits[0]


def test_gumbel_noise_changes_the_moves_that_are_considered() -> None:
    options = replace(PLAIN, form=SearchAlgorithm.GUMBEL)
    moves = {searched(position("e5"), UniformEvaluator(), options, 16, seed=s).root(0).best for s in range(8)}
    assert len(moves) > 3
    still = replace(options, gumbel_scale=0.0)
    assert (
        len({searched(position("e5"), HashedEvaluator(), still, 16, seed=s).root(0).best for s in range(4)})
        == 1
    )


def test_temperature_chooses_and_zero_does_not() -> None:
    root = searched(position("e5e6"), HashedEvaluator(), PLAIN, 200).root(0)
    rng = np.random.default_rng(1)
    assert {root.choose(rng, 0.0) for _ in range(20)} == {root.best}
    drawn = [root.choose(rng, 1.0) for _ in range(400)]
    assert len(set(drawn)) > 5
    assert all(root.visits[move] for move in drawn)
    cold = [root.choose(rng, 0.05) for _ in range(100)]
    assert len(set(cold)) < len(set(drawn))
    top = int(root.visits.argmax())
    share = drawn.count(top) / 400
    assert share == pytest.approx(float(root.policy[top]), abs=0.1)


# ---------------------------------------------------------------------------- batches


def test_a_batched_search_looks_at_many_different_positions() -> None:
    seen: list[bytes] = []
    inner = HashedEvaluator(2)

    def evaluate(features: Floats) -> tuple[Floats, Floats]:
        seen.extend(planes.tobytes() for planes in features)
        return inner.evaluate(features)

    # Without the last stone's plane transpositions are equal: they are not duplicates of the search.
    for batch in (1, 16, 64):
        seen.clear()
        inner.batches.clear()
        options = replace(PLAIN, batch=batch)
        trees = searched(position("e5e6"), FunctionEvaluator(evaluate, "history11-v1"), options, 400)
        assert trees.root(0).visits.sum() == 400
        assert len(seen) == 401
        assert len(set(seen)) > 380
        assert max(inner.batches) == (batch if batch > 1 else 1)
        assert sum(inner.batches) / len(inner.batches) > 0.6 * batch


@pytest.mark.parametrize("form", list(SearchAlgorithm))
def test_a_game_does_not_depend_on_its_neighbours(form: SearchAlgorithm) -> None:
    options = TreeOptions(form=form, noise_fraction=0.25)
    rules = Rules(size=9)

    def play(trees: BatchedTrees, games: dict[int, int], plies: int) -> dict[int, list[int]]:
        played: dict[int, list[int]] = {seed: [] for seed in games.values()}
        for game, seed in games.items():
            trees.new_game(game, seed=seed)
        for _ in range(plies):
            for game, seed in games.items():
                trees.start(game, 20 + seed)
            while not trees.idle:
                trees.step()
            assert sorted(trees.done()) == sorted(games)
            for game, seed in games.items():
                move = trees.root(game).choose(trees.generator(game), 1.0)
                played[seed].append(int(move))
                trees.play(game, move)
        return played

    together = play(BatchedTrees(rules, 5, HashedEvaluator(), options), {i: i * 3 for i in range(5)}, 6)
    alone = play(BatchedTrees(rules, 2, HashedEvaluator(), options), {1: 6}, 6)
    assert alone[6] == together[6]
    assert len({tuple(moves) for moves in together.values()}) == 5


def test_games_go_on_independently() -> None:
    trees = BatchedTrees(Rules(size=6, win_length=4), 3, HashedEvaluator(), TreeOptions())
    for game in range(3):
        trees.new_game(game, seed=game)
        trees.start(game, 10 * (game + 1))
    finished, sizes = [], []
    while not trees.idle:
        sizes.append(trees.step())
        for game in trees.done():
            root = trees.root(game)
            assert root.simulations == 10 * (game + 1)
            finished.append(game)
            trees.play(game, root.best)
    assert finished == [0, 1, 2]
    assert sizes[0] == 3 and sizes[-1] == 1
    assert [trees.ply(game) for game in range(3)] == [1, 1, 1]
    assert all(trees.to_move(game) is Color.WHITE for game in range(3))


def test_whole_games_end_with_the_right_outcome() -> None:
    rules = Rules(size=6, win_length=4)
    trees = BatchedTrees(rules, 8, HashedEvaluator(1), TreeOptions(noise_fraction=0.25))
    record: list[list[int]] = [[] for _ in range(8)]
    for game in range(8):
        trees.new_game(game, seed=game)
    while going := [game for game in range(8) if trees.outcome(game) is None]:
        trees.search(12, going)
        for game in going:
            move = trees.root(game).choose(trees.generator(game), 1.0)
            record[game].append(int(move))
            trees.play(game, move)
    for game in range(8):
        assert Game.from_moves(rules, record[game]).outcome == trees.outcome(game)
        with pytest.raises(GameOverError):
            trees.start(game, 1)
        with pytest.raises(IllegalMoveError):
            trees.play(game, 0)


# ---------------------------------------------------------------------------- the subtree that stays
