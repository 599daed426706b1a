"""PPO as a whole: what the ratio is, whom it plays, that it repeats, stops and goes on, and learns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
import torch

from wuzi.base.schema import build_config
from wuzi.core import Rules
from wuzi.core.batch import Cells, GameBatch
from wuzi.errors import ConfigError, RecordError, TrainingError
from wuzi.training.methods.ppo.config import PpoConfig
from wuzi.training.methods.ppo.matches import Chooser, net_chooser, play_match
from wuzi.training.methods.ppo.trainer import PpoTrainer
from wuzi.training.methods.ppo.update import PpoBatch, ppo_loss
from wuzi.training.methods.registry import make_plan
from wuzi.training.run.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from wuzi.training.run.presets import list_presets

pytestmark = pytest.mark.kernels

TINY = Rules(size=4, win_length=3)
SMALL: dict[str, Any] = {
    "net": "three-factor:blocks=1,channels=8",
    "envs": 16,
    "steps": 8,
    "mini_batch_size": 64,
    "random_plies": 3,
    "best_games": 8,
    "precision": "fp32",
}


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def trainer(**options: Any) -> PpoTrainer:
    return PpoTrainer(build_config(PpoConfig, {}, {**SMALL, **options}, "test"), TINY)


def without_times(row: dict[str, float]) -> dict[str, float]:
    return {name: value for name, value in row.items() if not name.endswith("_s")}


def same_arrays(one: Checkpoint, other: Checkpoint) -> bool:
    return one.arrays.keys() == other.arrays.keys() and all(
        np.array_equal(one.arrays[name], other.arrays[name], equal_nan=one.arrays[name].dtype.kind == "f")
        for name in one.arrays
    )


def test_recurrent_layers_learn_in_the_mode_whose_gradient_a_gpu_can_compute() -> None:
    learner = trainer()
    while learner._update is None:
        learner.advance()
    recurrent = [layer for layer in learner.net.modules() if isinstance(layer, torch.nn.RNNBase)]
    norms = [layer for layer in learner.net.modules() if isinstance(layer, torch.nn.BatchNorm2d)]
    # cuDNN: "RNN backward can only be called in training mode". Dropout would make the modes differ.
    assert recurrent and all(layer.training and not layer.dropout for layer in recurrent)
    assert norms and not any(layer.training for layer in norms)


def test_ratio_is_one_at_the_first_step_and_not_afterwards() -> None:
    learner = trainer(kl_stop=0.0, learning_rate=3e-3)
    for _ in range(3):
        row = learner.run_iteration()
        assert row["ratio_error_first"] < 1e-5
        assert row["ratio_error_last"] > 1e-3
        assert row["gradient_steps"] == 6
    assert row["clip_fraction"] > 0


def test_half_precision_learns_what_single_precision_does() -> None:
    rows = {name: trainer(precision=name, kl_stop=0.0).run_iteration() for name in ("fp32", "bf16")}
    full, half = rows["fp32"], rows["bf16"]
    assert half["gradient_steps"] == full["gradient_steps"]
    assert half["ratio_error_first"] < 0.05
    for name in ("entropy", "value_loss", "gradient_norm"):
        assert half[name] == pytest.approx(full[name], rel=0.1)


def test_a_run_may_be_resumed_in_another_precision() -> None:
    first, second = trainer(), trainer(precision="bf16")
    first.run_iteration()
    second.restore(first.state())
    assert second.run_iteration()["iteration"] == 2


@pytest.mark.slow
def test_the_document_s_old_policy_hides_that_the_moves_are_old() -> None:
    # With a replay the moves come from older nets: the true ratio says so at once, the document's does not.
    replay = {"replay": 512, "batch_size": 128, "num_updates": 2, "kl_stop": 0.0, "learning_rate": 3e-3}
    stored, seed = trainer(**replay), trainer(**replay, old_policy="current")
    for learner in (stored, seed):
        learner.run_iteration()
    assert stored.run_iteration()["ratio_error_first"] > 1e-3
    assert seed.run_iteration()["ratio_error_first"] < 1e-5


def test_divergence_ends_an_update() -> None:
    free, stopped = trainer(learning_rate=0.05, kl_stop=0.0), trainer(learning_rate=0.05)
    assert free.run_iteration()["stopped_by_kl"] == 0
    row = stopped.run_iteration()
    assert row["stopped_by_kl"] == 1
    assert row["gradient_steps"] < 6
    assert row["kl_last"] > 0.02


@pytest.mark.slow
def test_the_learning_rate_follows_the_divergence() -> None:
    bold = trainer(learning_rate=0.05, kl_adapts=True)
    rates = [bold.run_iteration()["learning_rate"] for _ in range(3)]
    assert rates == pytest.approx([0.05, 0.05 / 1.5, 0.05 / 1.5**2])
    timid = trainer(learning_rate=1e-6, kl_adapts=True)
    rates = [timid.run_iteration()["learning_rate"] for _ in range(9)]
    assert rates[:3] == pytest.approx([1e-6, 1.5e-6, 1.5**2 * 1e-6])
    assert rates[-1] == pytest.approx(1e-5), "ten times at most"
    other = trainer(learning_rate=1e-6, kl_adapts=True)
    other.restore(timid.state())
    assert other.learning_rate == timid.learning_rate
    assert {group["lr"] for group in timid._optimizer.param_groups} == {rates[-1]}
    with pytest.raises(ConfigError, match="kl_adapts=true with kl_stop=0"):
        trainer(kl_adapts=True, kl_stop=0.0)


@pytest.mark.parametrize(
    "options",
    [
        {"opponent": "pool", "pool_every": 1, "pool_size": 2},
        {"opponent": "best", "best_every": 1, "best_threshold": 0.0, "opponent_share": 1.0},
        {"rewards": "strategy_diffusion", "replay": 256, "batch_size": 32, "num_updates": 2},
    ],
    ids=["pool", "best", "diffusion"],
)
def test_stops_and_goes_on_as_if_nothing_had_happened(options: dict[str, Any], tmp_path: Path) -> None:
    first = trainer(**options)
    first.run_iteration()
    first.run_iteration()
    write_checkpoint(tmp_path / "state.safetensors", first.state())
    expected = without_times(first.run_iteration())
    second = trainer(**options)
    second.restore(read_checkpoint(tmp_path / "state.safetensors"))
    assert without_times(second.run_iteration()) == expected
    assert same_arrays(first.state(), second.state())
    assert first.state().meta == second.state().meta


@pytest.mark.parametrize(
    "options",
    [
        {"opponent": "pool", "pool_every": 1, "pool_size": 2, "kl_adapts": True},
        {"rewards": "strategy_diffusion", "replay": 256, "batch_size": 32, "num_updates": 2},
        {"old_policy": "current", "batch_size": 64, "num_updates": 2, "kl_stop": 0.01, "learning_rate": 0.01},
    ],
    ids=["pool", "replay", "current"],
)
@pytest.mark.slow
def test_goes_on_from_any_moment(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wuzi.training.methods.ppo.trainer.PIECE", 3)
    undisturbed, whole = trainer(**options), trainer(**options)
    undisturbed.run_iteration()
    whole.run_iteration()
    finished = whole.state()
    expected, moments = without_times(undisturbed.run_iteration()), 0
    while whole.advance() is None:
        moments += 1
        write_checkpoint(tmp_path / "state.safetensors", whole.state())
        other = trainer(**options)
        other.restore(read_checkpoint(tmp_path / "state.safetensors"))
        assert same_weights(other.export("net").weights, finished)
        assert without_times(other.run_iteration()) == expected
        assert same_arrays(other.state(), undisturbed.state())
        assert other.state().meta == undisturbed.state().meta
    assert moments >= 4


def same_weights(weights: dict[str, Any], state: Checkpoint) -> bool:
    """Whether a net's weights are those of a state, which holds some counters beside them."""
    return all(np.array_equal(value, state.arrays[f"net.{name}"]) for name, value in weights.items())


@pytest.mark.ci("trains twice with two processes; one process is tried in `make test`")
def test_workers_play_what_one_process_plays() -> None:
    # Three groups of 16 games are 6, 5 and 5 games.
    alone = trainer(opponent="pool", groups=3)
    with trainer(opponent="pool", groups=3, workers=3) as spread:
        assert spread._collectors.crew is not None and len(spread._collectors.crew.workers()) == 3
        for _ in range(2):
            assert without_times(alone.run_iteration()) == without_times(spread.run_iteration())
        assert same_arrays(alone.state(), spread.state())
        for child in psutil.Process().children():
            if "wuzi.workers.crew_child" in child.cmdline():
                child.kill()
        # Others take their place, and play what was asked of them.
        assert without_times(alone.run_iteration()) == without_times(spread.run_iteration())
        assert same_arrays(alone.state(), spread.state())


def test_repeats_by_seed() -> None:
    one, same, other = trainer(seed=1), trainer(seed=1), trainer(seed=2)
    rows = [without_times(learner.run_iteration()) for learner in (one, same, other)]
    assert rows[0] == rows[1] != rows[2]


def test_only_the_learner_s_moves_are_learned_from() -> None:
    learner = trainer(opponent="pool", opponent_share=1.0)
    row = learner.run_iteration()
    assert row["moves"] == 128
    assert 40 < row["rows"] < 90
    assert row["opponent_games"] == row["finished"]


def test_best_net_changes_by_a_match() -> None:
    never = trainer(opponent="best", best_every=1, best_threshold=1.0)
    always = trainer(opponent="best", best_every=1, best_threshold=0.0)
    before = never._best
    assert never.run_iteration()["promoted"] in (0.0, 1.0)
    row = always.run_iteration()
    assert row["promoted"] == 1.0
    assert row["best_games"] == 8
    state = always.state()
    assert all(np.array_equal(state.arrays[f"best.{k}"], state.arrays[f"net.{k}"]) for k in before)


@pytest.mark.parametrize("factor", ["field", "strategy", "gradient", "attention"])
def test_each_factor_can_be_switched_off(factor: str) -> None:
    learner = trainer(net=f"three-factor:blocks=1,channels=8,{factor}=false")
    row = learner.run_iteration()
    assert np.isfinite(list(row.values())).all()
    assert ("next_value_loss" in row) == (factor != "gradient")


def test_nets_with_other_heads_and_planes_train() -> None:
    for net in ("basic", "flexible:blocks=1,channels=8,planes=az4-v1"):
        assert np.isfinite(list(trainer(net=net).run_iteration().values())).all()
    with pytest.raises(ConfigError, match="has no policy"):
        trainer(net="teacher")


def test_batch_norms_stand_still_while_learning() -> None:
    learner = trainer(norm_momentum=0.0)
    before = {k: v.clone() for k, v in learner.net.state_dict().items() if "running" in k}
    learner.run_iteration()
    after = learner.net.state_dict()
    assert before and all(torch.equal(value, after[name]) for name, value in before.items())
    moving = trainer(norm_momentum=0.5)
    moving.run_iteration()
    moving.run_iteration()
    assert any(not torch.equal(value, moving.net.state_dict()[name]) for name, value in before.items())


def test_states_of_other_runs_are_refused(tmp_path: Path) -> None:
    learner = trainer()
    state = learner.state()
    with pytest.raises(ConfigError, match=r"gamma=0\.5: the run to resume has gamma=0\.99"):
        trainer(gamma=0.5).restore(state)
    other = PpoTrainer(learner.config, Rules(size=5, win_length=4))
    with pytest.raises(ConfigError, match="freestyle 5x5"):
        other.restore(state)
    del state.arrays["norm.planes"]
    with pytest.raises(RecordError, match="a state of PPO without 'planes'"):
        trainer().restore(state)
    (tmp_path / "torn").write_bytes(b"\0" * 40)
    with pytest.raises(RecordError, match="not a whole checkpoint"):
        read_checkpoint(tmp_path / "torn")


def test_weights_that_are_not_finite_are_refused() -> None:
    learner = trainer()
    with torch.no_grad():
        next(learner.net.parameters()).fill_(float("nan"))
    with pytest.raises(TrainingError, match=r"not finite: resume with --set ppo.learning_rate=\S+"):
        learner.run_iteration()


def test_rows_are_plain_numbers() -> None:
    learner = trainer(opponent="best", best_every=1)
    assert json.loads(json.dumps(learner.run_iteration(), allow_nan=False))["iteration"] == 1


def test_presets_are_complete() -> None:
    names = {preset.name for preset in list_presets() if preset.method == "ppo"}
    assert names == {"s2-ppo", "s2-ppo-seed", "ppo-tiny"}
    seed = make_plan("s2-ppo-seed").settings.ppo
    assert (seed.batch_size, seed.num_updates, seed.mini_batch_size, seed.num_epochs) == (128, 10, 32, 4)
    with pytest.raises(ConfigError, match="envs=3 in groups=4: expected a game in each group"):
        PpoConfig(envs=3)
    with pytest.raises(ConfigError, match="workers=5 for groups=4: expected a group for each"):
        PpoConfig(workers=5)


@pytest.mark.slow
def test_the_document_s_training_is_stable() -> None:
    """At a rate of 3e-4 without a limit the policy moves over 0.05 nats in iteration 2 and ends as nan."""
    small = ["game.size=4", "game.win_length=3", "ppo.net=three-factor:blocks=1,channels=8"]
    plan = make_plan("s2-ppo-seed", None, [*small, "ppo.steps=16", "ppo.num_updates=5"])
    for seed in (1, 2, 3):
        with PpoTrainer(replace(plan.settings.ppo, seed=seed), plan.settings.game.rules) as learner:
            rows = [learner.run_iteration() for _ in range(3)]
        assert all(np.isfinite(list(row.values())).all() for row in rows)
        assert 0 < rows[-1]["kl"] < 0.01
        assert rows[-1]["gradient_norm"] < 10


def test_a_policy_that_moved_far_has_a_finite_gradient() -> None:
    """The ratio of a move whose probability grew e^100-fold is infinite; times 0 it would be nan."""
    learner = trainer()
    learner.run_iteration()
    planes = learner._norm_planes[:4]
    ones = torch.ones(4)
    old = torch.full((4,), -100.0)
    masks = torch.ones((4, TINY.num_cells), dtype=torch.uint8)
    batch = PpoBatch(
        planes, masks, torch.arange(4), old, 0 * ones, torch.tensor([1.0, -1.0, 1.0, -1.0]), ones
    )
    loss, parts = ppo_loss(learner.net(planes), batch, learner.config, 0.0)
    loss.backward()
    assert torch.isfinite(loss) and all(torch.isfinite(value) for value in parts.values())
    assert all(torch.isfinite(p.grad).all() for p in learner.net.parameters() if p.grad is not None)


def random_chooser() -> Chooser:
    """Any legal move."""

    def choose(games: GameBatch, rows: Cells) -> Cells:
        logits = np.zeros((len(rows), games.rules.num_cells), np.float32)
        return games.choose(logits, games.masks()[rows], rows)[0]

    return choose


@pytest.mark.slow
def test_three_in_a_row_is_learned_within_seconds() -> None:
    """On 4x4, three in a row win for whoever is to move first: the policy alone must beat random moves."""
    learner = trainer(envs=32, steps=16, learning_rate=1e-3, kl_stop=0.05, mini_batch_size=128)
    fresh = play_match(TINY, net_chooser(learner.net, TINY), random_chooser(), pairs=100, seed=1)
    for _ in range(16):
        learner.run_iteration()
    learned = play_match(TINY, net_chooser(learner.net, TINY), random_chooser(), pairs=100, seed=1)
    assert learned.games == fresh.games == 200
    assert learned.rate > max(0.75, fresh.rate)
    assert learner.export("tiny").card.architecture == "three-factor"
