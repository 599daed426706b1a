"""How long a run of distillation or PPO would take here: a small one is played through and scaled up."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from wuzi.training.methods.distill.config import DistillSettings, Own
from wuzi.training.methods.distill.run import DistillStage, stages
from wuzi.training.methods.ppo.config import PpoSettings
from wuzi.training.methods.selfplay.estimate import all_line, duration_text
from wuzi.training.run.directory import METRICS, RunDirectory
from wuzi.training.run.loop import train

GAMES = 12
"""Games of each kind in a rehearsal, at most; two of an evaluation."""

ROUNDS = 2

_TITLES = {
    DistillStage.DATA: "games with labels",
    DistillStage.TEACHER: "the teacher's epochs",
    DistillStage.OWN: "the student's games",
    DistillStage.STUDENT: "the student's epochs",
    DistillStage.JUDGE: "judging",
}


def estimate_distill(settings: DistillSettings) -> list[str]:
    """Play a small run through and scale each stage up by its games.

    The first games with labels are the only ones, so starting their processes weighs more there: the answer
    is good to a factor of about two, and says so.
    """
    small = _smaller(settings)
    with tempfile.TemporaryDirectory() as folder:
        directory = RunDirectory(Path(folder) / "run")
        directory.create("", {"method": "distill"})
        train(directory.path, small)
        rows = directory.rows(METRICS)
    lines, total = [], 0.0
    for stage, title in _TITLES.items():
        played = [row for row in rows if row["stage"] == stage]
        if not played:
            continue
        full = sum(_games(settings, s, number) for s, number in stages(settings) if s is stage)
        # Processes start and kernels load in the first of a kind; the last is as all others will be.
        seconds = full * float(played[-1]["stage_s"]) / _games(small, stage, int(played[-1]["round"]))
        lines.append(f"{title}: {duration_text(seconds)}")
        total += seconds
    return [*lines, all_line(total, settings.run.iterations, "rounds")]


def estimate_ppo(settings: PpoSettings) -> list[str]:
    """Time two iterations of a run as it is; the second is counted."""
    small = replace(settings, run=replace(settings.run, iterations=2))
    with tempfile.TemporaryDirectory() as folder:
        directory = RunDirectory(Path(folder) / "run")
        directory.create("", {"method": "ppo"})
        train(directory.path, small)
        first, second = (row["seconds"] for row in directory.rows(METRICS))
    iteration = second - first
    return [
        f"an iteration: {duration_text(iteration)}",
        all_line(iteration * settings.run.iterations, settings.run.iterations, "iterations"),
    ]


def _smaller(settings: DistillSettings) -> DistillSettings:
    every = settings.evaluate.interval
    return replace(
        settings,
        data=replace(settings.data, games=min(GAMES, settings.data.games)),
        distill=replace(
            settings.distill,
            teacher_epochs=min(1, settings.distill.teacher_epochs),
            epochs=1,
            batch_size=min(64, settings.distill.batch_size),
        ),
        selfplay=replace(settings.selfplay, games=min(GAMES, settings.selfplay.games)),
        evaluate=replace(settings.evaluate, interval=1 if every else 0, games=2),
        run=replace(settings.run, iterations=ROUNDS),
    )


def _games(settings: DistillSettings, stage: DistillStage, number: int) -> int:
    """Games that a stage of a round works on."""
    data, own = settings.data.games, settings.selfplay.games
    if stage is DistillStage.DATA:
        return data
    if stage is DistillStage.OWN:
        return own
    if stage is DistillStage.JUDGE:
        return settings.evaluate.games
    if stage is DistillStage.TEACHER or settings.data.own is Own.NONE:
        return data
    played = min(settings.data.own_window, own * number)
    return (
        played
        if settings.data.own is Own.SEARCH
        else data + min(settings.data.own_window, own * (number - 1))
    )
