"""The training of the codebook net: games, gradients, a net that comes out better than it went in."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from wuzi.arena.openings import default_openings, load_shipped
from wuzi.core import Rules
from wuzi.evaluation.codebook import codebook_record, dump_net, parse_net

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from fitting.games import compare, play_games
from fitting.training import Options, Trainer, load, orbits, start

from wuzi.evaluation.codebook import quantised

pytestmark = [pytest.mark.kernels, pytest.mark.slow]


@pytest.mark.parametrize("rule", ["freestyle", "renju"])
def test_gradients_are_the_slopes_of_the_loss_and_training_lowers_it(rule: str, tmp_path: Path) -> None:
    from fitting.gradient_kernels import run

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
