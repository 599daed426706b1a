"""Distillation: what targets are made of scores, that losses are the stated ones and fall, and the faults."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from wuzi.base.schema import build_config
from wuzi.core import Rules
from wuzi.errors import ConfigError
from wuzi.training.learner.base import cosine_rate
from wuzi.training.methods.distill.config import DistillConfig
from wuzi.training.methods.distill.game_file import LabelledMove
from wuzi.training.methods.distill.losses import Targets, document_loss, principled_loss
from wuzi.training.methods.distill.rows import (
    DistillRows,
    ResultModel,
    document_soft_label,
    fit_results,
    fit_tau,
    label_policy,
)
from wuzi.training.methods.distill.trainer import DistillTrainer
from wuzi.training.methods.registry import make_plan
from wuzi.training.run.checkpoint import read_checkpoint, write_checkpoint

pytestmark = pytest.mark.kernels

RULES = Rules(size=5, win_length=4)
CELLS = 25


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def make_rows(count: int = 240, seed: int = 1, *, labels: bool = True) -> DistillRows:
    """Positions whose counts, move and value follow from the stones, so that there is something to learn."""
    rng = np.random.default_rng(seed)
    stones = rng.choice(3, (count, 5, 5), p=[0.6, 0.2, 0.2])
    planes = np.zeros((count, 4, 5, 5), np.uint8)
    planes[:, 0], planes[:, 1] = stones == 1, stones == 2
    edge = (stones == 1)[:, 0].sum(axis=1) - (stones == 2)[:, 0].sum(axis=1)
    best = np.where(edge > 0, 12, 7)
    policy = np.full((count, CELLS), 0.4 / (CELLS - 1), np.float32)
    policy[np.arange(count), best] = 0.6
    wdl = np.where(edge[:, None] > 0, [[0.8, 0.1, 0.1]], [[0.1, 0.3, 0.6]]).astype(np.float32)
    return DistillRows(
        planes=planes,
        features=np.stack([(stones == 1).sum((1, 2))] * 3 + [(stones == 2).sum((1, 2))] * 3, 1).astype("f4"),
        policy=policy if labels else np.zeros_like(policy),
        wdl=wdl if labels else np.full_like(wdl, np.nan),
        played=best.astype(np.int64),
        results=np.sign(edge).astype(np.float32),
        games=np.arange(count) // 8,
    )


def trainer(rows: DistillRows | None = None, **options: Any) -> DistillTrainer:
    values = {"batch_size": 64, "teacher_epochs": 2, "epochs": 3, **options}
    config = build_config(DistillConfig, {}, values, "test")
    return DistillTrainer(config, RULES, make_rows() if rows is None else rows)


# ---------------------------------------------------------------------------- targets


def test_policy_of_scores_and_of_visits() -> None:
    scored = label_policy([LabelledMove(3, 100.0), LabelledMove(7, 0.0)], 9, tau=100 / math.log(3))
    assert scored[[3, 7]].tolist() == pytest.approx([0.75, 0.25])
    counted = label_policy([LabelledMove(3, 1.0, 30), LabelledMove(7, 2.0, 10)], 9, tau=1.0)
    assert counted[[3, 7]].tolist() == pytest.approx([0.75, 0.25])
    proven = label_policy([LabelledMove(0, 30_000.0, 0, 3), LabelledMove(1, 200.0)], 9, tau=50.0)
    assert proven[0] > 0.999


def test_tau_gives_the_best_move_its_share() -> None:
    rng = np.random.default_rng(0)
    labels = [[LabelledMove(i, float(s)) for i, s in enumerate(rng.normal(0, 80, 6))] for _ in range(50)]
    tau = fit_tau(labels, 0.6)
    mean = np.mean([label_policy(item, 9, tau).max() for item in labels])
    assert mean == pytest.approx(0.6, abs=0.005)
    assert fit_tau([[LabelledMove(0, 5.0)]], 0.6) == 1.0


@given(scale=st.floats(40, 800), draw=st.floats(0, 400), score=st.floats(-3000, 3000))
def test_win_and_loss_change_places_with_the_sides(scale: float, draw: float, score: float) -> None:
    model = ResultModel(scale, draw)
    here, there = model.wdl([score])[0], model.wdl([-score])[0]
    assert here.sum() == pytest.approx(1)
    assert here == pytest.approx(there[::-1])


def test_result_model_is_found_again() -> None:
    rng = np.random.default_rng(2)
    scores = rng.normal(0, 300, 20_000)
    true = ResultModel(150.0, 90.0)
    chances = true.wdl(scores)
    results = 1 - (rng.random((len(scores), 1)) > chances.cumsum(axis=1)).sum(axis=1)
    found = fit_results(scores, results)
    assert found.scale == pytest.approx(150, rel=0.08)
    assert found.draw == pytest.approx(90, rel=0.08)


def test_the_document_s_soft_label_is_good_for_both_sides() -> None:
    """Its flaw: the sum of counts has no sides, so a position looks equally good for winner and loser."""
    won = np.array([[1, 0, 1, 0, 0, 0]], np.float32)
    lost = won[:, [3, 4, 5, 0, 1, 2]]
    assert document_soft_label(won) == document_soft_label(lost) > 0
    assert document_soft_label(np.zeros((1, 6), np.float32)) == 0


# ---------------------------------------------------------------------------- losses


def test_document_loss_is_the_stated_sum() -> None:
    rows = make_rows(4)
    batch = Targets(rows)
    torch.manual_seed(1)
    outputs = {"policy": torch.randn(4, CELLS), "value": torch.tanh(torch.randn(4))}
    said = torch.rand(4, 6) * 3
    config = make_plan("s0-distill").settings.distill
    loss, parts = document_loss(outputs, batch, said, config)
    logs = torch.log_softmax(outputs["policy"], 1)
    hard = soft = value = 0.0
    for i in range(4):
        hard -= float((batch.policy[i] * logs[i]).sum()) / 4
        label = math.tanh(0.1 * float(said[i].sum()))
        soft += (float(outputs["value"][i]) - label) ** 2 / 4
        value += (float(outputs["value"][i]) - float(batch.results[i])) ** 2 / 4
    assert float(loss) == pytest.approx(0.7 * hard + 0.2 * soft + 0.1 * value, rel=1e-5)
    assert {name: float(part) for name, part in parts.items()} == pytest.approx(
        {"hard_loss": hard, "soft_loss": soft, "value_loss": value}, rel=1e-5
    )


@pytest.mark.parametrize("temperature", [1.0, 3.0])
def test_principled_loss_is_the_stated_sum(temperature: float) -> None:
    rows = make_rows(5)
    rows.policy[4], rows.wdl[4] = 0, np.nan  # the teacher was silent
    rows.played[3] = -1  # the move was drawn
    batch = Targets(rows)
    torch.manual_seed(2)
    logits = torch.randn(5, 3)
    outputs = {"policy": torch.randn(5, CELLS), "wdl_logits": logits, "wdl": torch.softmax(logits, 1)}
    config = DistillConfig(temperature=temperature)
    loss, _ = principled_loss(outputs, batch, config)
    soft = taught = hard = value = 0.0
    for i in range(5):
        if i < 4:
            p = batch.policy[i].double() ** (1 / temperature)
            p = p / p.sum()
            q = torch.log_softmax(outputs["policy"][i].double() / temperature, 0)
            soft += temperature**2 * float((p * (p.log() - q)).sum()) / 4
            taught -= float((batch.wdl[i] * torch.log_softmax(logits[i], 0)).sum()) / 4
        if i != 3:
            hard -= float(torch.log_softmax(outputs["policy"][i], 0)[batch.played[i]]) / 4
        value -= float(torch.log_softmax(logits[i], 0)[1 - int(batch.results[i])]) / 5
    expected = 0.75 * (soft + taught) + 0.25 * (hard + value)
    assert float(loss) == pytest.approx(expected, rel=1e-4)


# ---------------------------------------------------------------------------- training


@pytest.mark.slow
def test_the_document_s_form_trains_the_teacher_first_and_losses_fall() -> None:
    learner = trainer(make_rows(480), form="seed", teacher_epochs=4, epochs=5, batch_size=32)
    rows = [learner.run_iteration() for _ in range(learner.total_iterations)]
    assert [row["phase"] for row in rows] == ["teacher"] * 4 + ["student"] * 5
    assert rows[3]["held_pattern_loss"] < 0.7 * rows[0]["held_pattern_loss"]
    assert rows[8]["hard_loss"] < rows[4]["hard_loss"]
    assert rows[8]["loss"] < rows[4]["loss"]
    assert learner.export("pupil").card.architecture == "student"
    assert learner.export("master", teacher=True).card.architecture == "teacher"


@pytest.mark.parametrize("net", ["student", "flexible:blocks=1,channels=8,planes=az4-v1"])
def test_principled_form_learns(net: str) -> None:
    learner = trainer(net=net, epochs=6)
    rows = [learner.run_iteration() for _ in range(6)]
    assert rows[-1]["soft_loss"] < rows[0]["soft_loss"]
    assert rows[-1]["loss"] < 0.9 * rows[0]["loss"]
    assert np.isfinite([value for value in rows[-1].values() if not isinstance(value, str)]).all()


def test_the_rate_falls_over_all_epochs_of_a_run() -> None:
    learner = trainer(make_rows(128), learning_rate=1e-2, learning_rate_last=1e-4, epochs=1, held_out=0.0)
    run = DistillTrainer(learner.config, RULES, make_rows(128), epochs=4)
    rates = []
    while run.iteration < run.total_iterations:
        run.advance()
        rates.append(run._student.optimizer.param_groups[0]["lr"])
    wanted = [cosine_rate(1e-2, 1e-4, step / 8) for step in range(8)]
    assert rates == pytest.approx(wanted)
    assert rates[0] == 1e-2
    assert rates[-1] < 1e-3


def test_the_study_s_rate_stays_and_bfloat16_learns_alike() -> None:
    losses = {}
    for precision in ("fp32", "bf16"):
        learner = trainer(net="flexible:blocks=1,channels=8,planes=az4-v1", epochs=2, precision=precision)
        losses[precision] = [learner.run_iteration()["held_loss"] for _ in range(2)]
        assert learner._student.optimizer.param_groups[0]["lr"] == 2e-3
    assert losses["bf16"] != losses["fp32"]
    assert losses["bf16"] == pytest.approx(losses["fp32"], rel=0.02)


@pytest.mark.parametrize("form", ["seed", "principled"])
def test_stops_and_goes_on_as_if_nothing_had_happened(form: str, tmp_path: Path) -> None:
    first = trainer(form=form)
    first.run_iteration()
    first.run_iteration()
    write_checkpoint(tmp_path / "state", first.state())
    second = trainer(form=form)
    second.restore(read_checkpoint(tmp_path / "state"))
    assert first.run_iteration() == second.run_iteration()
    one, other = first.state(), second.state()
    assert one.meta == other.meta
    assert all(np.array_equal(one.arrays[name], other.arrays[name]) for name in one.arrays)


def test_rows_are_plain() -> None:
    learner = trainer()
    assert json.loads(json.dumps(learner.run_iteration(), allow_nan=False))["iteration"] == 1


def test_repeats_by_seed() -> None:
    assert trainer(seed=4).run_iteration() == trainer(seed=4).run_iteration()
    assert trainer(seed=4).run_iteration() != trainer(seed=5).run_iteration()


def test_faults_are_named() -> None:
    with pytest.raises(ConfigError, match="needs those of a teacher"):
        trainer(make_rows(labels=False))
    with pytest.raises(ConfigError, match="reads these planes and answers policy"):
        trainer(net="res5x32")
    with pytest.raises(ConfigError, match="answers patterns"):
        trainer(form="seed", teacher="basic")
    with pytest.raises(ConfigError, match="0 positions"):
        trainer(make_rows(0))
    with pytest.raises(ConfigError, match="another rows"):
        trainer().restore(trainer(make_rows(80)).state())
    trainer(make_rows(labels=False), form="seed").run_iteration()
