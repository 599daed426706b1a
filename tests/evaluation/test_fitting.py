"""The training of the codebook net: games, gradients, a net that comes out better than it went in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wuzi.arena.openings import default_openings, load_shipped
from wuzi.core import Rules
from wuzi.core.rule_kernels import to_point
from wuzi.evaluation.codebook import codebook_record, dump_net, parse_net

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from research.fitting.games import compare, play_games
from research.fitting.positions import load
from research.fitting.training import Options, Trainer, orbits, start
from wuzi.evaluation.codebook import quantised
from wuzi.search.tree.options import SearchAlgorithm
from wuzi.training.data.games import Shards
from wuzi.training.methods.selfplay.generate import generate
from wuzi.training.run.config import SelfPlaySection

pytestmark = [pytest.mark.kernels, pytest.mark.slow]


@pytest.mark.parametrize("rule", ["freestyle", "renju"])
def test_gradients_are_the_slopes_of_the_loss_and_training_lowers_it(rule: str, tmp_path: Path) -> None:
    from research.fitting.gradient_kernels import run

    rules = Rules(9, 5, rule)
    know_nothing = quantised(start(rules, np.random.default_rng(0)), orbits(), {})
    games = tmp_path / "games.npz"
    play_games(rules, know_nothing, games, 40, 60, seed=3)
    positions = load(rules, [games])
    assert len(positions.ply) > 100
    assert set(np.unique(positions.result)) <= {0.0, 0.5, 1.0}
    trainer = Trainer(rules, positions, Options(epochs=1, policy_weight=0.5))
    batch = np.arange(40)
    rng = np.random.default_rng(1)
    for weight in trainer.weights:
        np.add(weight, rng.normal(0, 0.1, weight.shape), out=weight, casting="same_kind")
    weights, gradients = trainer.weights, trainer._gradients

    def loss() -> float:
        book = trainer.codebook()
        sums = run(
            batch, *trainer._board, trainer._data, weights, book, gradients, book.copy() * 0, 0.5, False
        )
        return float(sums[0] + 0.5 * sums[1])

    book = trainer.codebook()
    in_book = np.zeros_like(book)
    run(batch, *trainer._board, trainer._data, weights, book, gradients, in_book, 0.5, True)
    gradients.windows[:] = in_book
    for name in ("windows", "pairs", "first", "threats", "second", "last", "direct", "policy", "places"):
        weight, gradient = getattr(weights, name), getattr(gradients, name)
        at = np.unravel_index(np.abs(gradient).argmax(), gradient.shape)
        kept, step = weight[at].copy(), 0.01
        weight[at] = kept + step
        above = loss()
        weight[at] = kept - step
        below = loss()
        weight[at] = kept
        assert (above - below) / (2 * step) == pytest.approx(float(gradient[at]), rel=0.1, abs=0.02), name
    trainer = Trainer(rules, positions, Options(epochs=1))
    before = trainer.held_out_losses()
    for number in range(30):
        trainer._learn(np.flatnonzero(positions.game % 10 != 0)[number % 2 :: 2], 1000)
    after = trainer.held_out_losses()
    assert after["policy_held_out_loss"] < before["policy_held_out_loss"]  # type: ignore[operator]
    net = trainer.net({"games": 40})
    assert codebook_record(parse_net(dump_net(net), "net", rules.rule, 5), rules)["rows"].any()


def test_nets_are_compared_from_openings_with_both_colours() -> None:
    rules = Rules(9, 5)
    book = load_shipped(default_openings(rules), rules)[:3]
    *_, alike = compare(rules, (None, None), book, 200, table_mb=1)
    assert (alike.games, alike.score) == (6, 0.5)
    assert (alike.units == [[0.5, 2.0]] * 3).all()
    nothing = quantised(start(rules, np.random.default_rng(0)), orbits(), {})
    *_, worse = compare(rules, (nothing, None), book, 500, table_mb=1)
    assert worse.score < 0.5


def test_self_play_gives_soft_targets(tmp_path: Path) -> None:
    rules = Rules(9)
    options = SelfPlaySection(
        search=SearchAlgorithm.GUMBEL,
        simulations=16,
        considered=4,
        concurrency=8,
        workers=1,
        opening_share=1.0,
    )
    generate("codebook", rules, options, tmp_path, games=16)
    positions = load(rules, [tmp_path])
    games = list(Shards(tmp_path).read(0))
    searched = sum(len(game.rows) for game in games)
    assert 50 < len(positions.ply) < searched
    starts = np.cumsum([0] + [len(game.moves) for game in games])
    soft = 0
    for i in range(0, len(positions.ply), 7):
        game = games[positions.game[i]]
        assert starts[positions.game[i]] == positions.first[i]
        row = game.rows[positions.ply[i] - game.opening]
        part = slice(positions.begin[i], positions.begin[i + 1])
        assert positions.wanted[part].tolist() == [to_point(int(cell), 9) for cell in row.cells]
        assert np.array_equal(positions.shares[part], row.shares)
        won = (game.result if positions.ply[i] % 2 == 0 else -game.result) / 2 + 0.5
        assert positions.result[i] == won
        if abs(row.value) < 1:
            assert positions.hope[i] == pytest.approx((row.value + 1) / 2)
        soft += len(row.cells) > 1
    assert soft > 5
    trainer = Trainer(rules, positions, Options(epochs=1, policy_weight=1.0))
    at = np.arange(len(positions.ply))
    before = trainer.held_out_losses()
    for _ in range(20):
        trainer._learn(at, 1000)
    after = trainer.held_out_losses()
    assert float(str(after["policy_held_out_loss"])) < float(str(before["policy_held_out_loss"]))
    with pytest.raises(ValueError, match="larger board than 6x6"):
        load(Rules(6, 4), [tmp_path])
    with pytest.raises(ValueError, match="no games of self-play"):
        load(rules, [tmp_path / ".."])


def test_the_loss_of_a_soft_target_is_its_cross_entropy(tmp_path: Path) -> None:
    from research.fitting.gradient_kernels import run

    rules = Rules(9)
    options = SelfPlaySection(
        search=SearchAlgorithm.GUMBEL, simulations=8, considered=4, concurrency=4, workers=1
    )
    generate("codebook", rules, options, tmp_path, games=4)
    trainer = Trainer(rules, load(rules, [tmp_path]), Options(policy_weight=1.0))
    weights, gradients = trainer.weights, trainer._gradients
    rng = np.random.default_rng(2)
    for weight in weights:
        np.add(weight, rng.normal(0, 0.1, weight.shape), out=weight, casting="same_kind")
    batch = np.arange(30)

    def sums(train: bool) -> Any:
        book = trainer.codebook()
        return run(batch, *trainer._board, trainer._data, weights, book, gradients, book * 0, 1.0, train)

    assert np.allclose(sums(True), sums(False), rtol=1e-4)
    for name in ("policy", "policy_pairs", "places"):
        weight, gradient = getattr(weights, name), getattr(gradients, name)
        at = np.unravel_index(np.abs(gradient).argmax(), gradient.shape)
        kept = weight[at].copy()
        weight[at] = kept + 0.01
        above = sums(False)[1]
        weight[at] = kept - 0.01
        below = sums(False)[1]
        weight[at] = kept
        assert (above - below) / 0.02 == pytest.approx(float(gradient[at]), rel=0.05, abs=0.02), name
