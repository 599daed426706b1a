"""Tree searches: subtrees that are kept, proven results, tactics before the net, and refusals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.fakes import HashedEvaluator
from tests.search.trees import PLAIN, black_is_better, position, searched, tree_of
from wuzi.core import Game, Move, Position, Rules, parse_moves
from wuzi.errors import ConfigError, GameOverError, PlayerError, UnsupportedError
from wuzi.nets.evaluator import Floats, FunctionEvaluator, UniformEvaluator
from wuzi.search.layout import PROVEN_DRAW
from wuzi.search.tree.batched import BatchedTrees
from wuzi.search.tree.options import SearchAlgorithm, Tactics, TreeOptions

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize(
    "options", [TreeOptions(), replace(PLAIN, batch=8), TreeOptions(form=SearchAlgorithm.GUMBEL)]
)
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


@pytest.mark.parametrize("form", list(SearchAlgorithm))
def test_fives_blocks_and_open_fours_come_before_the_net(form: SearchAlgorithm) -> None:
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

        for form in SearchAlgorithm:
            options = replace(PLAIN, form=form, considered=81, batch=8, gumbel_scale=0.0)
            root = searched(start, FunctionEvaluator(evaluate, "az4-v1"), options, 12_000).root(0)
            others = np.setdiff1d(start.legal_moves, good)
            assert root.priors[good].max() < root.priors[others].min() / 4
            assert root.best in good, (moves, form)
            assert root.policy[good].sum() > 0.5, (moves, form)
            assert root.values[root.best] > root.values[others].min() + 0.3


def test_gumbel_policy_is_better_than_the_prior_by_its_own_values() -> None:
    for seed in range(5):
        root = searched(
            position("e5e6"), HashedEvaluator(seed), replace(PLAIN, form=SearchAlgorithm.GUMBEL), 32
        ).root(0)
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
