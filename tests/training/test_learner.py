"""Losses and the learner."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from tests.training.test_replay import ALL, RULES, random_game
from wuzi.errors import ConfigError, TrainingError
from wuzi.torch_nets import create_net
from wuzi.training.data.replay import Replay, TrainingBatch
from wuzi.training.learner.losses import Targets, losses_of
from wuzi.training.learner.torch_learner import TorchLearner
from wuzi.training.run.config import LearnSection, Optimizer, Precision, ReplaySection, Schedule
from wuzi.training.run.presets import load_preset


def batch_for(planes: str, count: int = 32) -> TrainingBatch:
    replay = Replay(RULES, ReplaySection(), planes, ALL)
    for number in range(6):
        replay.add(random_game(number))
    return replay.sample(count, np.random.default_rng(1))


def a_learner(architecture: str = "basic", **options: object) -> tuple[TorchLearner, TrainingBatch]:
    module, _ = create_net(architecture, 6, seed=1)
    chosen = LearnSection(threads=1, device="cpu", **options)  # type: ignore[arg-type]
    return TorchLearner(module, chosen), batch_for(module.planes)


def taken(learner: TorchLearner, batch: TrainingBatch) -> tuple[Tensor, Targets]:
    learner._take(batch)
    assert learner._batch is not None
    return learner._batch


@pytest.mark.parametrize("architecture", ["basic", "res5x32", "patterns", "patterns:form=cells", "2b16"])
@pytest.mark.parametrize("optimizer", list(Optimizer))
def test_every_net_learns_a_batch_by_heart(architecture: str, optimizer: Optimizer) -> None:
    rate = 2e-3 if optimizer is not Optimizer.SGD else 2e-2
    learner, batch = a_learner(architecture, optimizer=optimizer, lr=rate, schedule=Schedule.CONSTANT)
    losses = [learner.learn(batch, 0.0)["loss"] for _ in range(12)]
    assert losses[-1] < losses[0]
    assert all(np.isfinite(losses))


@pytest.mark.parametrize("architecture", ["basic", "enhanced:blocks=2,channels=16", "2b16"])
def test_bf16_learns_as_fp32_does(architecture: str) -> None:
    found: dict[Precision, list[float]] = {}
    for precision in (Precision.FP32, Precision.BF16):
        learner, batch = a_learner(architecture, precision=precision, schedule=Schedule.CONSTANT)
        found[precision] = [learner.learn(batch, 0.0)["loss"] for _ in range(12)]
        assert {value.dtype for value in learner.module.parameters()} == {torch.float32}
    full, half = found[Precision.FP32], found[Precision.BF16]
    assert full != half
    assert half[-1] < half[0]
    assert half == pytest.approx(full, rel=0.03)


def test_losses_are_those_of_the_documents() -> None:
    learner, batch = a_learner()
    features, targets = taken(learner, batch)
    found = learner.module(features)
    options = LearnSection(value_weight=2.0)
    losses = losses_of(found, targets, options)
    policy = -(targets["policy"] * F.log_softmax(found["policy"], dim=1)).sum(dim=1).mean()
    value = F.mse_loss(found["value"], targets["result"])
    assert torch.allclose(losses["policy_loss"], policy)
    assert torch.allclose(losses["value_loss"], value)
    assert torch.allclose(losses["loss"], policy + 2 * value)
    wanted = 0.75 * targets["result"] + 0.25 * targets["value"]
    mixed = losses_of(found, targets, LearnSection(value_target=0.25))["value_loss"]
    assert torch.allclose(mixed, F.mse_loss(found["value"], wanted)) and not torch.allclose(mixed, value)
    # Document 004's divergence is the cross-entropy less the entropy of the target, which has no gradient.
    entropy = -(targets["policy"] * targets["policy"].clamp_min(1e-30).log()).sum(dim=1).mean()
    divergence = F.kl_div(F.log_softmax(found["policy"], dim=1), targets["policy"], reduction="batchmean")
    assert torch.allclose(policy, divergence + entropy, atol=1e-5)


@pytest.mark.parametrize(("result", "place"), [(1.0, 0), (0.0, 1), (-1.0, 2)])
def test_wins_draws_and_losses_can_be_learned(result: float, place: int) -> None:
    """Where result and search agree, the net becomes certain; draws too, whatever the search's share is."""
    logits = torch.zeros(8, 3, requires_grad=True)
    optimizer = torch.optim.Adam([logits], lr=0.1)
    targets = {name: torch.full((8,), result) for name in ("result", "value")}
    targets |= {"value_weight": torch.ones(8)}
    targets |= {"policy": torch.full((8, 9), 1 / 9), "policy_weight": torch.ones(8)}
    for _ in range(400):
        optimizer.zero_grad()
        found = {"policy": torch.zeros(8, 9), "wdl_logits": logits}
        losses_of(found, targets, LearnSection(value_target=0.25))["value_loss"].backward()
        optimizer.step()
    assert F.softmax(logits, dim=1)[:, place].min() > 0.98


def test_the_searched_value_trains_the_difference_of_win_and_loss() -> None:
    logits = torch.zeros(1, 3, requires_grad=True)
    optimizer = torch.optim.Adam([logits], lr=0.05)
    targets = {"result": torch.zeros(1), "value": torch.full((1,), 0.6), "value_weight": torch.ones(1)}
    targets |= {"policy": torch.full((1, 9), 1 / 9), "policy_weight": torch.ones(1)}
    for _ in range(600):
        optimizer.zero_grad()
        found = {"policy": torch.zeros(1, 9), "wdl_logits": logits}
        losses_of(found, targets, LearnSection(value_target=1.0))["value_loss"].backward()
        optimizer.step()
    win, _, lost = F.softmax(logits.detach(), dim=1)[0]
    assert float(win - lost) == pytest.approx(0.6, abs=0.01)


def test_weights_of_positions_count() -> None:
    learner, batch = a_learner()
    features, targets = taken(learner, batch)
    found = learner.module(features)
    half = torch.cat([torch.ones(16), torch.zeros(16)])
    every, some = losses_of(found, targets, LearnSection()), dict[str, Tensor]()
    for kind in ("policy", "value"):
        some |= {kind: losses_of(found, {**targets, f"{kind}_weight": half}, LearnSection())[f"{kind}_loss"]}
        assert not torch.allclose(some[kind], every[f"{kind}_loss"])
        others = losses_of(found, {**targets, f"{kind}_weight": half}, LearnSection())
        other = "value_loss" if kind == "policy" else "policy_loss"
        assert torch.equal(others[other], every[other]), "one weight is not the other's"
    first = {name: value[:16] for name, value in targets.items()}
    b = losses_of({name: value[:16] for name, value in found.items()}, first, LearnSection())
    assert torch.allclose(some["policy"] + some["value"], b["loss"])


def test_the_learning_rate_follows_the_divergence() -> None:
    learner, _ = a_learner(kl_target=0.02)
    for kl, expected in ((0.05, 1 / 1.5), (0.02, 1 / 1.5), (0.009, 1.0), (0.005, 1.5)):
        learner._adapt(kl)
        assert learner.multiplier == pytest.approx(expected)
    for _ in range(20):
        learner._adapt(1.0)
    low = learner.multiplier
    assert 0.05 < low <= 0.1
    for _ in range(30):
        learner._adapt(0.0)
    assert 10 <= learner.multiplier < 15.1


def test_epochs_end_when_the_policy_has_moved_too_far() -> None:
    learner, batch = a_learner(kl_target=1e-6, epochs=5)
    learner.learn(batch, 0.0)
    assert learner.steps == 1
    learner, batch = a_learner(kl_target=100.0, epochs=5)
    learner.learn(batch, 0.0)
    assert learner.steps == 5


def test_cosine_with_warm_up() -> None:
    learner, _ = a_learner(schedule=Schedule.COSINE, lr=1.0, lr_last=0.1, warmup=9)
    assert learner._rate(0.0) == pytest.approx(0.1)
    learner.steps = 100
    assert [learner._rate(p) for p in (0.0, 0.5, 1.0)] == pytest.approx([1.0, 0.55, 0.1])


def test_decay_off_the_weights_does_something() -> None:
    """In our presets weights that get no gradient shrink over a run; the documents have L2."""
    learner, batch = a_learner(optimizer=Optimizer.ADAMW, lr=0.01, weight_decay=0.5, schedule="constant")
    with torch.no_grad():
        before = {name: value.clone() for name, value in learner.module.named_parameters()}
    idle = replace(batch, policy_weight=batch.policy_weight * 0, value_weight=batch.value_weight * 0)
    learner.learn(idle, 0.0)
    for name, value in learner.module.named_parameters():
        assert torch.allclose(value, before[name] * (1 - 0.01 * 0.5), atol=1e-7)
    for name in ("quick", "9x9", "15x15"):
        chosen = load_preset(name).tables["learn"]
        assert (chosen["optimizer"], chosen["weight_decay"]) == ("adamw", 0.05)
    assert {load_preset(name).tables["learn"]["weight_decay"] for name in ("s0-basic", "s1")} == {1e-4}


def test_the_gradient_is_clipped() -> None:
    learner, batch = a_learner(clip=1e-9, optimizer=Optimizer.SGD, lr=1.0, weight_decay=0.0)
    before = copy.deepcopy(learner.module.state_dict())
    figures = learner.learn(batch, 0.0)
    assert figures["gradient"] > 1e-3
    for name, value in learner.module.state_dict().items():
        assert torch.allclose(value, before[name], atol=1e-6), name


@pytest.mark.parametrize("optimizer", list(Optimizer))
@pytest.mark.parametrize("ema", [0.0, 0.9])
def test_a_learner_goes_on_from_its_arrays(optimizer: Optimizer, ema: float) -> None:
    options = {"optimizer": optimizer, "ema": ema, "lr": 1e-3}
    learner, batch = a_learner("1b8", **options)
    for _ in range(3):
        learner.learn(batch, 0.0)
    arrays, state = learner.arrays(), learner.state()
    ahead = [learner.learn(batch, 0.0) for _ in range(3)]
    other, _ = a_learner("1b8", **options)
    other.restore(arrays, state)
    assert [other.learn(batch, 0.0) for _ in range(3)] == ahead
    for a, b in zip(learner.playing_state().values(), other.playing_state().values(), strict=True):
        assert torch.equal(a, b)


def test_averaged_weights_trail_behind() -> None:
    learner, batch = a_learner("1b8", ema=0.99, lr=1e-2)
    first = {name: value.clone() for name, value in learner.module.state_dict().items()}
    for _ in range(10):
        learner.learn(batch, 0.0)
    now, average = learner.module.state_dict(), learner.playing_state()
    name = "stem.conv.weight"
    assert 0 < (average[name] - now[name]).norm() < (first[name] - now[name]).norm()


def test_a_checkpoint_of_another_net_is_refused() -> None:
    learner, _ = a_learner("1b8")
    other, _ = a_learner("2b8")
    with pytest.raises(TrainingError, match="another net"):
        other.restore(learner.arrays(), learner.state())


def test_a_gpu_that_is_not_there() -> None:
    if torch.cuda.is_available():
        return
    with pytest.raises(ConfigError, match="no GPU"):
        TorchLearner(create_net("1b8", 6)[0], LearnSection(device="cuda"))
