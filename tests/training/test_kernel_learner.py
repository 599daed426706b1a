"""The learner without PyTorch, compared with PyTorch's, with finite differences, and at work without it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch

from tests.training.test_learner import batch_for
from tests.training.test_replay import RULES
from tests.training.tiny import EXACT, begin, run, settings, starts_of_a_dying_run
from wuzi.core import Rules
from wuzi.errors import ConfigError, TrainingError
from wuzi.nets.file import NetFile, load_net
from wuzi.nets.fresh import fresh_net
from wuzi.torch_nets import NetSpec, create_net, load_module
from wuzi.torch_nets.registry import net_spec
from wuzi.training.data.replay import TrainingBatch
from wuzi.training.learner import choice
from wuzi.training.learner.kernels.learner import KernelLearner
from wuzi.training.learner.kernels.program import Program
from wuzi.training.learner.torch_learner import TorchLearner
from wuzi.training.methods.selfplay.run import SelfPlayRun
from wuzi.training.run.config import LearnSection, Optimizer, Precision, Schedule
from wuzi.training.run.directory import RunDirectory
from wuzi.training.run.loop import train

pytestmark = pytest.mark.kernels

ROOT = Path(__file__).resolve().parents[2]
NETS = ("2b16", "flexible:blocks=3,channels=10,planes=az4-v1", "basic", "basic:head_convolutions=false")
Arrays = dict[str, npt.NDArray[Any]]


def fresh(text: str, rules: Rules = RULES, seed: int = 1) -> NetFile:
    spec = net_spec(text, rules.size)
    return fresh_net(spec.name, spec.options, rules, seed)


def options_for(count: int, **more: object) -> LearnSection:
    plain: dict[str, Any] = {"batch": count, "threads": 1, "device": "cpu", "precision": Precision.FP32}
    return LearnSection(**(plain | {"schedule": Schedule.CONSTANT, "value_target": 0.25} | more))


def both(text: str, count: int = 24, **more: object) -> tuple[KernelLearner, TorchLearner, TrainingBatch]:
    """Learners of kernels and of PyTorch with the same weights, and a batch for them."""
    net, options = fresh(text), options_for(count, **more)
    spec = NetSpec(net.card.architecture, net.card.options, net.card.size)
    batch = batch_for(net.card.planes, count)
    rng = np.random.default_rng(5)
    shares = rng.uniform(0.2, 1, (2, count)).astype(np.float32)
    batch = replace(batch, policy_weight=shares[0], value_weight=shares[1])
    return KernelLearner(net, options, RULES.size), TorchLearner(load_module(net), options, spec), batch


# ---------------------------------------------------------------------------- fresh nets


@pytest.mark.parametrize("text", [*NETS, "flexible:blocks=2,channels=8,pool_every=0"])
def test_a_fresh_net_is_that_of_pytorch(text: str) -> None:
    net = fresh(text)
    module, spec = create_net(text, RULES.size)
    state = {name: value for name, value in module.state_dict().items() if "num_batches" not in name}
    assert list(net.weights) == list(state), "the order numbers the optimiser's moments"
    assert all(net.weights[name].shape == tuple(value.shape) for name, value in state.items())
    card = net.card
    assert (card.architecture, dict(card.options), card.size) == (spec.name, dict(spec.options), spec.size)
    assert card.parameters == module.num_parameters()
    features = batch_for(card.planes).features
    wanted = load_module(net).eval()(torch.from_numpy(features))
    found = net.numpy().outputs(features, wanted)
    for name, value in wanted.items():
        np.testing.assert_allclose(found[name], value.detach().numpy(), atol=2e-5)


def test_fresh_weights_are_spread_as_those_of_pytorch() -> None:
    net, (module, _) = fresh("2b16"), create_net("2b16", seed=1)
    for name, value in module.named_parameters():
        mine, theirs = net.weights[name], value.detach().numpy()
        if theirs.size > 500:
            assert mine.std() == pytest.approx(theirs.std(), rel=0.1)
            assert np.abs(mine).max() == pytest.approx(np.abs(theirs).max(), rel=0.02)
    assert any(
        not np.array_equal(net.weights[name], value) for name, value in fresh("2b16", seed=2).weights.items()
    )


def test_only_some_nets_are_made_without_pytorch() -> None:
    with pytest.raises(ConfigError, match="'res5x32' is made by PyTorch alone: expected flexible, basic"):
        fresh("res5x32")
    with pytest.raises(ConfigError, match="channels"):
        fresh_net("flexible", {"channels": 4}, RULES)


# ---------------------------------------------------------------------------- gradients and steps


@pytest.mark.parametrize("text", NETS)
def test_gradients_are_those_of_pytorch(text: str) -> None:
    kernels, other, batch = both(text, clip=1e9, value_weight=1.5, line_weight=0.4, moves_weight=0.3)
    found, wanted = kernels.learn(batch, 0.0), other.learn(batch, 0.0)
    assert found == pytest.approx(wanted, rel=1e-4, abs=1e-5)
    gradients = kernels.gradients()
    norm = wanted["gradient"]
    for name, parameter in other.module.named_parameters():
        assert parameter.grad is not None
        theirs = parameter.grad.numpy()
        off = float(np.linalg.norm(gradients[name] - theirs))
        # A shift of all logits changes no probability: the gradient of such a bias is rounding alone.
        assert off <= 1e-4 * float(np.linalg.norm(theirs)) + 1e-7 * norm, name


@pytest.mark.parametrize("text", NETS)
def test_gradients_are_those_of_finite_differences(text: str) -> None:
    kernels, _, batch = both(text)
    kernels._take(batch)
    kernels._step(0.0)
    work, gradients = kernels._program.work, kernels.gradients()

    def loss() -> float:
        return kernels._step(0.0)["loss"]

    begun = work.parameters.copy()
    for name, place in kernels._program.places.items():
        if place.is_running or (norm := float(np.linalg.norm(gradients[name]))) < 1e-3:
            continue
        direction = (gradients[name] / norm).reshape(-1)
        width = 1e-4 / norm
        ends = []
        for sign in (1, -1):
            work.parameters[:] = begun
            work.parameters[place.part] += sign * width * direction
            ends.append(loss())
        work.parameters[:] = begun
        assert (ends[0] - ends[1]) / (2 * width) == pytest.approx(norm, rel=0.03, abs=2e-3), name


@pytest.mark.parametrize("text", NETS)
@pytest.mark.parametrize("optimizer", list(Optimizer))
def test_steps_are_those_of_pytorch(text: str, optimizer: Optimizer) -> None:
    kernels, other, batch = both(text, optimizer=optimizer, ema=0.9, weight_decay=0.05, clip=1.0)
    kernels.learn(batch, 0.0)
    other.learn(batch, 0.0)
    wanted, found = other.arrays(), kernels.arrays()
    assert wanted.keys() - found.keys() == {"torch_random"}
    numbers = list(kernels.gradients())
    for name in found:
        mine, theirs = found[name], wanted[name]
        assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
        steady = np.ones(mine.shape, bool)
        if (weight := name.partition("/")[2]) in numbers and optimizer is not Optimizer.SGD:
            # Adam makes a whole step of a gradient that is rounding alone.
            steady = np.abs(wanted[f"optimizer/{numbers.index(weight)}/exp_avg"]) > 1e-6
        np.testing.assert_allclose(mine[steady], theirs[steady], rtol=1e-4, atol=3e-5, err_msg=name)


def test_outputs_without_a_loss_are_left_alone() -> None:
    kernels, other, batch = both("1b8", line_weight=0.0, moves_weight=0.0, optimizer=Optimizer.ADAMW)
    first = kernels.arrays()["model/final_line.weight"]
    for _ in range(2):
        kernels.learn(batch, 0.0)
        other.learn(batch, 0.0)
    assert kernels.arrays().keys() == other.arrays().keys() - {"torch_random"}
    assert np.array_equal(first, kernels.arrays()["model/final_line.weight"])


@pytest.mark.parametrize("text", ["2b16", "basic"])
@pytest.mark.parametrize("optimizer", list(Optimizer))
def test_a_batch_is_learned_by_heart(text: str, optimizer: Optimizer) -> None:
    rate = 2e-3 if optimizer is not Optimizer.SGD else 2e-2
    kernels, other, batch = both(text, optimizer=optimizer, lr=rate, schedule=Schedule.KL, kl_target=1.0)
    losses, theirs = ([one.learn(batch, 0.0)["loss"] for _ in range(25)] for one in (kernels, other))
    assert losses[-1] < 0.97 * losses[0]
    assert losses[-1] == pytest.approx(theirs[-1], rel=0.02)


def test_answers_are_those_of_the_net_that_is_written(tmp_path: Path) -> None:
    kernels, _, batch = both("2b16", ema=0.0, lr=1e-2)
    for _ in range(5):
        kernels.learn(batch, 0.0)
    net = kernels.net(RULES, "mine", {"games": 7})
    assert (net.card.name, net.card.recipe, len(net.card.checks)) == ("mine", {"games": 7}, 4)
    policy, value = kernels._answers()
    logits, shares = net.numpy().evaluate(batch.features)
    np.testing.assert_allclose(
        np.exp(policy), np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True), atol=1e-5
    )
    np.testing.assert_allclose(value, shares[:, 0] - shares[:, 2], atol=1e-5)


# ---------------------------------------------------------------------------- checkpoints


@pytest.mark.parametrize("optimizer", list(Optimizer))
@pytest.mark.parametrize("ema", [0.0, 0.9])
def test_each_learner_goes_on_from_the_arrays_of_the_other(optimizer: Optimizer, ema: float) -> None:
    kernels, other, batch = both("1b8", optimizer=optimizer, ema=ema, lr=1e-3)
    for _ in range(3):
        kernels.learn(batch, 0.0)
    arrays, state = kernels.arrays(), kernels.state()
    ahead = [kernels.learn(batch, 0.0) for _ in range(2)]
    again, _, _ = both("1b8", optimizer=optimizer, ema=ema, lr=1e-3)
    again.restore(arrays, state)
    assert [again.learn(batch, 0.0) for _ in range(2)] == ahead, "to the last bit"
    other.restore(arrays, state)
    for wanted in ahead:
        assert other.learn(batch, 0.0) == pytest.approx(wanted, rel=1e-3, abs=1e-4)
    again.restore(other.arrays(), other.state())
    assert again.learn(batch, 0.0) == pytest.approx(other.learn(batch, 0.0), rel=1e-3, abs=1e-4)


def test_a_checkpoint_of_another_net_is_refused() -> None:
    one, two = both("1b8")[0], both("2b8")[0]
    with pytest.raises(TrainingError, match="another net"):
        two.restore(one.arrays(), one.state())


def test_a_run_that_dies_again_and_again_ends_as_one_that_did_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = settings(*EXACT, "learn.learner=kernels", "run.checkpoint_s=0", "learn.batches=4")
    run(tmp_path / "straight", chosen)
    begin(tmp_path / "run", chosen)
    with monkeypatch.context() as patch:
        starts = starts_of_a_dying_run(patch, SelfPlayRun, 4, lambda: train(tmp_path / "run", chosen))
    assert starts > 2
    nets = [RunDirectory(tmp_path / name).net_path("current_policy") for name in ("run", "straight")]
    assert nets[0].read_bytes() == nets[1].read_bytes()
    assert load_net(nets[0]).card.architecture == "basic"


# ---------------------------------------------------------------------------- what it does not do


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"losses": "mine=1"}, "learn.losses=mine=1"),
        ({"precision": Precision.BF16}, "learn.precision=bf16"),
        ({"device": "cuda"}, "learn.device=cuda"),
    ],
)
def test_what_needs_pytorch_is_refused(more: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigError, match=f"{named}: only PyTorch can do that"):
        KernelLearner(fresh("1b8"), options_for(8, **more), 6)


def test_a_net_without_kernels_is_refused() -> None:
    module, _ = create_net("res5x32", 6)
    from wuzi.torch_nets.tracing import trace

    graph, weights = trace(module).pruned(["policy"]), {k: v.numpy() for k, v in module.state_dict().items()}
    squeezed = replace(graph, nodes=(*graph.nodes[:1], replace(graph.nodes[0], op="gru", output="x")))
    with pytest.raises(ConfigError, match="no kernel that learns its gru"):
        Program(replace(squeezed, outputs={"policy": "x"}), weights, 3, 6, 4)


def test_a_spoiled_step_is_not_taken() -> None:
    kernels, _, batch = both("1b8", lr=2e-3)
    kernels.learn(batch, 0.0)
    before = kernels.arrays()
    spoiled = replace(batch, value=batch.value * np.float32(np.nan))
    with pytest.raises(TrainingError, match=r"the loss is nan at a learning rate of 0\.002"):
        kernels.learn(spoiled, 0.0)
    after = kernels.arrays()
    assert all(
        np.array_equal(after[f"model/{name}"], before[f"model/{name}"]) for name in kernels.gradients()
    )
    with pytest.raises(TrainingError, match="a batch of planes"):
        kernels.learn(batch_for("tactical18-v1", 8), 0.0)


# ---------------------------------------------------------------------------- without PyTorch

WITHOUT = """
import sys

class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")

sys.meta_path.insert(0, NoTorch())
from wuzi.apps.cli.frame import main
for line in sys.stdin.read().splitlines():
    if code := main(line.split()):
        sys.exit(code)
assert "torch" not in sys.modules
"""


def without_torch(*commands: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(
        [sys.executable, "-c", WITHOUT],
        input="\n".join(commands),
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_pytorch_a_net_is_trained_looked_at_and_played_with(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    small = "--workers 1 --set selfplay.games=8 --set selfplay.concurrency=8 --set learn.batch=32"
    small += " --set evaluate.anchor_interval=0"
    done = without_torch(
        f"train --preset quick --size 6 -n 2 {small} --run-dir {folder}",
        f"train --resume -n 3 --run-dir {folder}",
        f"evaluate --net {folder} --size 6 --win-length 4",
        f"match policy:net={folder} random --size 6 --win-length 4 --games 2",
    )
    assert done.returncode == 0, done.stderr
    said = done.stdout + done.stderr
    assert "learner=kernels: PyTorch is not installed" in said
    assert [row["iteration"] for row in RunDirectory(folder).rows("metrics.jsonl")] == [1, 2, 3]
    notes = RunDirectory(folder).notes()
    assert "torch" not in notes["environment"]


def test_without_pytorch_other_nets_say_what_is_missing(tmp_path: Path) -> None:
    for more in ("--preset s4-quick", "--preset quick --set learn.learner=torch", "--preset s2-ppo"):
        done = without_torch(f"train {more} --run-dir {tmp_path / 'run'}")
        assert done.returncode != 0
        assert "pip install" in done.stderr and "torch" in done.stderr
        assert not (tmp_path / "run").exists()


def test_pytorch_is_preferred_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = settings(preset="quick")
    assert choice.make_learner(chosen).__class__ is TorchLearner
    monkeypatch.setattr(choice, "has_torch", lambda: False)
    found = choice.make_learner(chosen)
    assert isinstance(found, KernelLearner) and "PyTorch is not installed" in found.remark
