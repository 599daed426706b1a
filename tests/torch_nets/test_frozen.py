"""The torch evaluator of fixed weights: the answers of its module, together or one after the other."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest
import torch
from torch import nn

from wuzi.core import Rules
from wuzi.nets.evaluator import Floats
from wuzi.torch_nets import TorchEvaluator, create_net
from wuzi.torch_nets.blocks import Net
from wuzi.torch_nets.frozen import FrozenEvaluator, fused
from wuzi.training.methods.selfplay.games import OpenGame, SelfPlay
from wuzi.training.methods.selfplay.workers import SelfPlayTask
from wuzi.training.run.config import SelfPlaySection

pytestmark = pytest.mark.kernels


def a_net(text: str = "3b16", size: int = 7) -> Net:
    """A net whose batch norms have seen something."""
    net, _ = create_net(text, size, seed=4)
    rng = torch.Generator().manual_seed(3)
    for module in net.modules():
        if isinstance(module, nn.BatchNorm2d):
            assert module.running_mean is not None and module.running_var is not None
            module.running_mean.uniform_(-0.5, 0.5, generator=rng)
            module.running_var.uniform_(0.5, 2.0, generator=rng)
            with torch.no_grad():
                module.weight.uniform_(0.5, 1.5, generator=rng)
                module.bias.uniform_(-0.3, 0.3, generator=rng)
    return net.eval()


def planes_for(net: Net, positions: int, seed: int = 1) -> Floats:
    channels = {"tactical18-v1": 18, "az4-v1": 4, "history11-v1": 11}[net.planes]
    return np.random.default_rng(seed).integers(0, 2, (positions, channels, 7, 7)).astype(np.float32)


@pytest.mark.parametrize(
    "text", ["3b16", "enhanced:blocks=1,channels=8", "three-factor:blocks=1,channels=16"]
)
def test_norms_are_in_the_weights(text: str) -> None:
    net = a_net(text)
    found = fused(net)
    assert sum(isinstance(part, nn.BatchNorm2d) for part in net.modules()) > 0
    assert not any(isinstance(part, nn.BatchNorm2d) for part in found.modules())
    features = torch.from_numpy(planes_for(net, 5))
    for name, value in net(features).items():
        torch.testing.assert_close(found(features)[name], value, rtol=1e-4, atol=1e-4)


def test_batches_on_their_way_keep_their_answers() -> None:
    """Filled up to fixed sizes, asked for in another order, and the features have changed meanwhile."""
    net = a_net()
    exact = TorchEvaluator(net)
    fixed = FrozenEvaluator(net, sizes=(4, 8))
    for turn in range(2):
        batches = [planes_for(net, n, seed=10 * turn + n) for n in (3, 4, 8, 2, 11)]
        wanted = [exact.evaluate(batch) for batch in batches]
        answers = [fixed.submit(batch) for batch in batches]
        for batch in batches:
            batch[:] = 0
        for answer, (logits, values) in reversed([*zip(answers, wanted, strict=True)]):
            found = answer()
            np.testing.assert_allclose(found[0], logits, rtol=1e-3, atol=1e-3)
            np.testing.assert_allclose(found[1], values, rtol=1e-3, atol=1e-3)


def test_bfloat16_is_close() -> None:
    net = a_net()
    features = planes_for(net, 16)
    (logits, values), (rough, near) = (
        FrozenEvaluator(net, half=half).evaluate(features) for half in (False, True)
    )
    assert rough.dtype == near.dtype == np.float32
    assert 0 < np.abs(values - near).max() < 0.05
    assert np.abs(logits - rough).max() < 0.1 * np.abs(logits).max()


def test_games_in_groups_are_the_same_games() -> None:
    """Two groups take turns; a game that went on is taken up by one of them."""
    rules, net = Rules(size=7), a_net()
    found = []
    for groups, batches in ((1, []), (2, list[int]())):
        options = SelfPlaySection(concurrency=4, groups=groups, simulations=2, random_symmetry=True)
        task = SelfPlayTask(rules, options, 5, None, frozenset())  # type: ignore[arg-type]
        evaluator = Counting(net, batches)
        play = task.begin(evaluator, 0, count(1), [OpenGame(0, 0, [24, 25], 2)], 0)
        games = {}
        while not set(range(4)) <= games.keys():
            games |= {game.number: (game.moves.tolist(), game.result) for game in play.step()}
        found.append({number: games[number] for number in range(4)})
        numbers = {game["number"] for game in play.open_games()}
        assert len(numbers) == 4 and not numbers & games.keys()
        assert 0 <= sum(batches) - play.evaluations <= 2
    assert found[0] == found[1]
    assert found[0][0][0][:2] == [24, 25]
    assert max(batches) == 2, "each group's batch has its own games"


class Counting(FrozenEvaluator):
    """Notes how many positions it is given; the same answer in any batch."""

    def __init__(self, net: Net, seen: list[int]) -> None:
        super().__init__(net, sizes=(4,))
        self.seen = seen

    def submit(self, features: Floats):  # type: ignore[no-untyped-def]
        self.seen.append(len(features))
        return super().submit(features)


def test_without_submit_there_is_one_group() -> None:
    options = SelfPlaySection(concurrency=4, groups=2, simulations=4)
    task = SelfPlayTask(Rules(size=7), options, 5, None, frozenset())  # type: ignore[arg-type]
    play = task.begin(TorchEvaluator(a_net()), 0, count(), [], 0)
    assert [type(group) for group in play._groups] == [SelfPlay]
    assert len(play.open_games()) == 4
