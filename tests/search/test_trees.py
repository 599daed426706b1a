"""Tree searches against their twin, against stored trees, and by what must hold of any of them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.search.tree_twin import TwinSearch, visit_levels
from wuzi.core import Color, Game, Move, Position, Rules, parse_moves, rule_kernels
from wuzi.core.symmetry import NUM_SYMMETRIES, cell_maps, inverse, transform_moves, transform_planes
from wuzi.errors import ConfigError, GameOverError, IllegalMoveError, PlayerError, UnsupportedError
from wuzi.nets.evaluator import Evaluator, Floats, FunctionEvaluator, UniformEvaluator
from wuzi.search.layout import PROVEN_DRAW
from wuzi.search.tree.batched import BatchedTrees
from wuzi.search.tree.gumbel_kernels import considered_visits
from wuzi.search.tree.options import Form, Tactics, TreeOptions, Unvisited
from wuzi.testing.fakes import HashedEvaluator

pytestmark = pytest.mark.kernels

GOLDEN = Path(__file__).parent / "golden" / "trees.json"
PLAIN = TreeOptions(tactics=Tactics.NONE)

Tree = dict[tuple[int, ...], tuple[int, float, int]]


def tree_of(trees: BatchedTrees, game: int = 0) -> Tree:
    """Visits, mean value for the mover, proven result, by the moves that lead to a node."""
    memory = trees.memory
    nodes, choices, stats = memory.nodes[game], memory.choices[game], memory.stats[game]
    size = trees.rules.size
    found: Tree = {}

    def walk(node: int, path: tuple[int, ...]) -> None:
        here = nodes[node]
        edge = stats[here["edge"]]
        assert edge["pending"] == 0
        found[path] = int(edge["visits"]), float(edge["value"]), int(here["proven"])
        moves = set()
        for i in range(int(here["count"])):
            number = int(here["first"]) + i
            moves.add(int(choices[number]["point"]))
            if i < here["tried"] and stats[number]["child"]:
                child = int(stats[number]["child"])
                assert nodes[child]["parent"] == node and nodes[child]["edge"] == number and child > node
                walk(child, (*path, int(rule_kernels.to_cell(int(choices[number]["point"]), size))))
        assert len(moves) == here["count"]

    walk(0, ())
    assert len(found) == trees.size(game)
    return found


def searched(
    game: Game | Position,
    evaluator: Evaluator,
    options: TreeOptions,
    simulations: int,
    seed: int = 0,
) -> BatchedTrees:
    trees = BatchedTrees(game.rules, 1, evaluator, options)
    trees.new_game(0, game, seed=seed)
    trees.search(simulations)
    return trees


def position(moves: str, size: int = 9, win_length: int = 5) -> Position:
    return Game.from_moves(Rules(size=size, win_length=win_length), parse_moves(moves, size)).position


# ---------------------------------------------------------------------------- against the twin

VARIANTS = {
    "defaults": (TreeOptions(), 160),
    "zero": (replace(PLAIN, c_puct=5.0, c_log=0.0, unvisited=Unvisited.ZERO, proofs=False), 200),
    "siblings": (
        replace(PLAIN, c_puct=0.8, c_log=0.0, unvisited=Unvisited.SIBLINGS, noise_fraction=0.01),
        120,
    ),
    "noise": (replace(PLAIN, noise_fraction=0.25), 150),
    "gumbel": (replace(PLAIN, form=Form.GUMBEL), 96),
    "gumbel tactics": (TreeOptions(form=Form.GUMBEL, considered=8), 64),
}


@pytest.mark.parametrize("moves", ["", "c3c4d3d4", "c3a1d3a3e3b6"])
@pytest.mark.parametrize("name", VARIANTS)
def test_tree_equals_the_twin(name: str, moves: str) -> None:
    options, simulations = VARIANTS[name]
    if options.tactics is not Tactics.NONE and moves == "":
        simulations //= 4  # the twin looks for fives by playing every move
    start = position(moves, 6, 4)
    evaluator = HashedEvaluator(3)
    rng = np.random.default_rng(11)
    cells = start.rules.num_cells
    noise = None
    if options.form is Form.GUMBEL:
        noise = rng.gumbel(size=cells)
    elif options.noise_fraction:
        noise = rng.standard_gamma(options.noise_alpha, cells)
    twin = TwinSearch(start, evaluator, options, noise)
    twin.run(simulations)
    trees = searched(start, evaluator, options, simulations, seed=11)
    ours, theirs = tree_of(trees), twin.tree()
    assert {path: (n, p) for path, (n, _, p) in ours.items()} == {
        p: (n, q) for p, (n, _, q) in theirs.items()
    }
    assert [ours[path][1] for path in ours] == pytest.approx([theirs[path][1] for path in ours], abs=1e-6)
    if options.form is Form.GUMBEL and not twin.root.proven:
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
    root = searched(position("e5"), HashedEvaluator(), TreeOptions(form=Form.GUMBEL), 64).root(0)
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


@pytest.mark.parametrize("form", list(Form))
def test_the_benchmark_grows_the_tree_of_the_uniform_evaluator(form: Form) -> None:
    options = TreeOptions(
        form=form, gumbel_scale=0.0, tactics=Tactics.NONE if form is Form.PUCT else Tactics.FIVES
    )
    start = position("e5e6d5c4")
    trees = BatchedTrees(start.rules, 2, UniformEvaluator(), options)
    trees.new_game(1, start)
    assert trees.search_uniform(1, 300) == 300
    assert tree_of(trees, 1) == tree_of(searched(start, UniformEvaluator(), options, 300))
    assert trees.ply(1) == 4 and trees.idle


# ---------------------------------------------------------------------------- signs and symmetries


def black_is_better(features: Floats) -> tuple[Floats, Floats]:
    """Black stands at +0.8, told from the side to move (plane 3 of az4: Black to move)."""
    n, _, rows, cols = features.shape
    values = np.where(features[:, 3, 0, 0] > 0, 0.8, -0.8).astype(np.float32)
    return np.zeros((n, rows * cols), np.float32), values


@pytest.mark.parametrize("form", list(Form))
@pytest.mark.parametrize("wdl", [False, True])
def test_values_are_from_the_side_to_move(form: Form, wdl: bool) -> None:
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


@pytest.mark.parametrize("form", list(Form))
def test_search_commutes_with_the_symmetries(form: Form) -> None:
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
    options = replace(PLAIN, form=Form.GUMBEL)
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


@pytest.mark.parametrize("form", list(Form))
def test_a_game_does_not_depend_on_its_neighbours(form: Form) -> None:
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


@pytest.mark.parametrize("options", [TreeOptions(), replace(PLAIN, batch=8), TreeOptions(form=Form.GUMBEL)])
def test_the_kept_tree_is_the_subtree(options: TreeOptions) -> None:
    trees = searched(position("e5e6d5c4"), HashedEvaluator(4), options, 300)
    kept = []
    for ply in range(3):
        before = tree_of(trees)
        move = int(np.argsort(trees.root(0).visits)[-2 if ply == 1 else -1])
        if trees.root(0).proven:
            break
        below = {path[1:]: entry for path, entry in before.items() if path[:1] == (move,)}
        trees.play(0, move)
        kept.append(len(below))
        assert tree_of(trees) == below
        trees.search(100)
        after = tree_of(trees)
        assert after[()][0] >= below[()][0]
        assert trees.root(0).visits.sum() >= below[()][0] - 1
    assert kept and max(kept) > 20


def test_search_on_a_kept_tree_goes_on_as_it_would_have() -> None:
    """Without noise, simulations below a move do not depend on how the root was reached."""
    trees = searched(position("e5"), HashedEvaluator(4), PLAIN, 300)
    best = trees.root(0).best
    trees.play(0, best)
    visits = int(tree_of(trees)[()][0])
    trees.search(400 - visits)
    fresh = searched(position("e5").play(best), HashedEvaluator(4), PLAIN, 399)
    assert tree_of(trees) == tree_of(fresh)


def test_an_untried_move_leaves_nothing_to_keep() -> None:
    trees = searched(position("e5"), HashedEvaluator(), PLAIN, 5)
    trees.play(0, int(np.flatnonzero((trees.root(0).visits == 0) & (trees.root(0).priors > 0))[0]))
    assert trees.size(0) == 1
    trees.search(10)
    assert trees.root(0).visits.sum() == 10


def test_a_root_can_be_read_as_soon_as_it_was_evaluated() -> None:
    trees = BatchedTrees(Rules(size=9), 1, HashedEvaluator(), PLAIN)
    trees.new_game(0, position("e5"))
    with pytest.raises(ConfigError, match="not searched"):
        trees.root(0)
    trees.start(0, 100)
    assert trees.step() == 1
    root = trees.root(0)
    assert root.simulations == 0 and root.best == root.priors.argmax()
    assert root.policy.tolist() == root.priors.tolist() and root.priors[40] == 0
    trees.search(100)
    move = trees.root(0).best
    trees.play(0, move)
    kept = trees.root(0)
    assert kept.priors[move] == 0 and kept.priors.sum() == pytest.approx(1, abs=1e-5)


# ---------------------------------------------------------------------------- proofs and tactics


def test_tic_tac_toe_is_proven_a_draw_and_its_blunders_lost() -> None:
    search = replace(PLAIN, c_puct=5.0, c_log=0.0)
    root = searched(position("b2a3", 3, 3), UniformEvaluator(), search, 20_000).root(0)
    assert root.proven == PROVEN_DRAW and root.value == 0
    assert root.proofs[root.best] == PROVEN_DRAW
    lost = position("b2a2", 3, 3)  # an edge instead of a corner loses
    root = searched(lost, UniformEvaluator(), search, 20_000).root(0)
    assert root.proven > 0 and root.proven != PROVEN_DRAW and root.value == 1
    assert lost.play(root.best).outcome is None
    answer = searched(lost.play(root.best), UniformEvaluator(), search, 20_000).root(0)
    assert answer.proven < 0 and answer.value == -1
    assert answer.policy.sum() == pytest.approx(1)


def test_proven_results_equal_a_full_search() -> None:
    """Every root of random 3x3 and 4x4 endings: result by search to the end."""

    def solve(p: Position) -> int:
        if p.outcome is not None:
            return 0 if p.outcome.winner is None else -1
        return max(-solve(p.play(m)) for m in p.legal_moves)

    rng = np.random.default_rng(5)
    proven = 0
    for _ in range(25):
        p = Position(Rules(size=4, win_length=3 + int(rng.integers(2))))
        while p.ply < 10 and p.outcome is None:
            p = p.play(int(rng.choice(p.legal_moves)))
        if p.outcome is not None:
            continue
        tactics = Tactics.FIVES if p.rules.win_length == 4 else Tactics.NONE
        options = TreeOptions(c_puct=20.0, c_log=0.0, tactics=tactics)
        root = searched(p, HashedEvaluator(), options, 20_000).root(0)
        proven += bool(root.proven)
        if not root.proven:
            continue  # visits of proven draws can use the search up
        assert root.value == solve(p)
        assert -solve(p.play(root.best)) == root.value
    assert proven >= 10


@pytest.mark.parametrize("form", list(Form))
def test_fives_blocks_and_open_fours_come_before_the_net(form: Form) -> None:
    options = TreeOptions(form=form)
    five = searched(position("c5a1d5a2e5a4f5a6"), HashedEvaluator(), options, 50).root(0)
    assert five.best in parse_moves("b5g5", 9) and five.proven == 2 and five.evaluated == 0
    block = searched(position("c5b5d5a1e5a3f5"), HashedEvaluator(), options, 50).root(0)
    assert block.best == parse_moves("g5", 9)[0] and block.visits.sum() == 1 and block.evaluated == 1
    hopeless = searched(position("c5a1d5a2e5a4f5"), HashedEvaluator(), options, 50).root(0)
    assert hopeless.proven == -3 and hopeless.value == -1
    open_four = searched(position("c5a1d5a2e5a4"), HashedEvaluator(), options, 50).root(0)
    assert open_four.best in parse_moves("b5f5", 9) and open_four.proven == 4


def test_wins_by_fours_are_found_before_the_net() -> None:
    start = position("f6d2g4e7f5h4c8e3b6g2g7e4")
    with_vcf = searched(start, HashedEvaluator(), TreeOptions(tactics=Tactics.VCF), 10).root(0)
    plain = searched(start, HashedEvaluator(), TreeOptions(), 10).root(0)
    assert plain.proven == 0
    assert with_vcf.proven - 1 >= 7 and with_vcf.evaluated == 0
    assert with_vcf.best == parse_moves("e6", 9)[0] and with_vcf.value == 1
    below = BatchedTrees(start.rules, 1, HashedEvaluator(), TreeOptions(tactics=Tactics.VCF, vcf_tree=0))
    below.new_game(0, start.play("a9").play("a1"))
    below.search(1)
    assert below.root(0).proven > 0, "the root has its own budget"


def test_search_improves_on_a_bad_prior() -> None:
    """The net thinks least of the move that wins; visits and policy must end on it."""
    for moves, wins, size, length in (("c5a1d5a2e5a4f5a6", "b5g5", 9, 5), ("c3b3d3a6e3", "f3", 6, 4)):
        start = position(moves, size, length)
        good = list(parse_moves(wins, size))

        def evaluate(
            features: Floats, good: list[Move] = good, ply: int = start.ply
        ) -> tuple[Floats, Floats]:
            n, _, rows, cols = features.shape
            logits = np.zeros((n, rows * cols), np.float32)
            at_root = features[:, :2].sum(axis=(1, 2, 3)) == ply
            logits[np.ix_(at_root, good)] = -1.5
            return logits, np.zeros(n, np.float32)

        for form in Form:
            options = replace(PLAIN, form=form, considered=81, batch=8, gumbel_scale=0.0)
            root = searched(start, FunctionEvaluator(evaluate, "az4-v1"), options, 12_000).root(0)
            others = np.setdiff1d(start.legal_moves, good)
            assert root.priors[good].max() < root.priors[others].min() / 4
            assert root.best in good, (moves, form)
            assert root.policy[good].sum() > 0.5, (moves, form)
            assert root.values[root.best] > root.values[others].min() + 0.3


def test_gumbel_policy_is_better_than_the_prior_by_its_own_values() -> None:
    for seed in range(5):
        root = searched(position("e5e6"), HashedEvaluator(seed), replace(PLAIN, form=Form.GUMBEL), 32).root(0)
        tried = root.visits > 0
        prior, policy = root.priors[tried], root.policy[tried]
        assert (policy / policy.sum() * root.values[tried]).sum() > (
            prior / prior.sum() * root.values[tried]
        ).sum()
        assert root.policy.sum() == pytest.approx(1, abs=1e-5)


def test_black_avoids_forbidden_points_in_renju() -> None:
    rules = Rules(size=15, rule="renju")
    start = Game.from_moves(rules, parse_moves("h8a1h9a3g10a5f10a7", 15)).position
    foul = np.flatnonzero(start.forbidden_mask())
    assert len(foul)
    root = searched(start, UniformEvaluator(), PLAIN, 300).root(0)
    assert not root.priors[foul].any() and root.priors.sum() == pytest.approx(1, abs=1e-5)


# ---------------------------------------------------------------------------- limits and errors


def test_a_full_tree_ends_the_search_and_says_so() -> None:
    trees = BatchedTrees(Rules(size=9), 1, HashedEvaluator(), PLAIN, max_nodes=70)
    trees.new_game(0)
    trees.search(500)
    assert trees.memory.trees[0]["full"]
    assert trees.size(0) <= 70
    assert trees.root(0).visits.sum() == trees.root(0).simulations == 69


def test_wrong_answers_of_an_evaluator_are_errors() -> None:
    def wrong(make: Callable[[int], tuple[np.ndarray, np.ndarray]]) -> BatchedTrees:
        trees = BatchedTrees(Rules(size=9), 1, FunctionEvaluator(lambda x: make(len(x)), "az4-v1"), PLAIN)
        trees.new_game(0)
        return trees

    zeros: Callable[..., np.ndarray] = lambda *shape: np.zeros(shape, np.float32)  # noqa: E731
    with pytest.raises(PlayerError, match=r"logits \(1, 36\)"):
        wrong(lambda n: (zeros(n, 36), zeros(n))).search(1)
    with pytest.raises(PlayerError, match="not finite"):
        wrong(lambda n: (zeros(n, 81), zeros(n) + math.nan)).search(1)


def test_what_does_not_fit_is_refused() -> None:
    rules = Rules(size=9)
    with pytest.raises(UnsupportedError, match="15x15"):
        BatchedTrees(rules, 1, FunctionEvaluator(black_is_better, "az4-v1", 15))
    with pytest.raises(UnsupportedError, match="tactics=fives"):
        BatchedTrees(Rules(size=3, win_length=3), 1, HashedEvaluator())
    with pytest.raises(UnsupportedError, match="caro"):
        BatchedTrees(Rules(size=9, rule="caro"), 1, HashedEvaluator(), TreeOptions(tactics=Tactics.VCF))
    trees = BatchedTrees(rules, 1, HashedEvaluator())
    with pytest.raises(ConfigError, match="new_game"):
        trees.start(0, 1)
    with pytest.raises(ConfigError, match="expected freestyle 9x9"):
        trees.new_game(0, Position(Rules(size=6, win_length=4)))
    with pytest.raises(GameOverError):
        trees.new_game(0, position("c5a1d5a2e5a4f5a6g5"))
    with pytest.raises(ConfigError, match="planes"):
        trees.use(HashedEvaluator(planes="res3-v1"))
    with pytest.raises(ConfigError, match="batch=0"):
        TreeOptions(batch=0)


def test_the_example_of_the_documentation_runs() -> None:
    text = (Path(__file__).parents[2] / "docs" / "search.md").read_text("utf-8")
    names: dict[str, Any] = {}
    exec(text.split("```python\n")[1].split("```")[0], names)
    assert [names["trees"].ply(game) for game in range(64)] == [4] * 64
