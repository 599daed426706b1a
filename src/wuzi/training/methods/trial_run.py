"""How long a run would take on this machine: a little of it is measured, and scaled up."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from wuzi.base.machine import processors
from wuzi.base.settings import to_toml
from wuzi.nets.evaluator import Evaluator
from wuzi.training.data.games import SelfPlayGame
from wuzi.training.data.replay import Replay
from wuzi.training.evaluation import promotion
from wuzi.training.evaluation.players import EvaluationGames
from wuzi.training.learner.base import BaseLearner
from wuzi.training.learner.choice import make_learner
from wuzi.training.methods.distill.config import DistillSettings, OwnGames
from wuzi.training.methods.distill.run import DistillStage, stages
from wuzi.training.methods.ppo.config import PpoSettings
from wuzi.training.methods.selfplay.games import SelfPlay, new_numbers
from wuzi.training.methods.selfplay.workers import open_evaluator
from wuzi.training.run.config import Gate, LearnSection, TrainSettings
from wuzi.training.run.directory import METRICS, RunDirectory
from wuzi.training.run.loop import train
from wuzi.training.run.presets import list_presets

PLAY_S = 4.0
"""Seconds of self-play that are measured, and at least one game."""


@dataclass(frozen=True, slots=True)
class TimeEstimate:
    """Seconds that a run would take, right to a factor of about two, and what they are made of."""

    seconds: float
    lines: tuple[str, ...]


def estimate_selfplay(settings: TrainSettings) -> TimeEstimate:
    """Measure each part for some seconds with fresh weights, and say how long the run would take.

    The games of a net that has learned are of other lengths, and its 8-bit form may be accepted or not: the
    answer is good to a factor of about two, and says so.
    """
    rules, options, learn = settings.game.rules, settings.selfplay, settings.learn
    learner = make_learner(settings)
    evaluator = open_evaluator(learner.net(rules, "estimate", {}), options.backend, "cpu")
    play = SelfPlay(rules, options, evaluator, seed=1, net=0, numbers=new_numbers(frozenset()))
    play.step()
    ended, begun = list[SelfPlayGame](), time.perf_counter()
    first = play.evaluations
    while time.perf_counter() - begun < PLAY_S or not ended:
        ended += play.step()
    rate = (play.evaluations - first) / (time.perf_counter() - begun)
    # Games that end early are seen first, so moves are counted: games going on are half done on average.
    plies = play.played / (len(ended) + options.concurrency / 2)
    evaluations = plies * play.evaluations / max(1, play.played)
    replay = Replay(rules, settings.replay, learner.planes, learner.outputs(rules.size))
    for game in ended:
        replay.add(game)
    batch_s = _batch_seconds(learn, learner, replay)
    evaluate, promote = settings.evaluate, settings.promote
    judged = evaluate.games / evaluate.interval if evaluate.interval else 0.0
    judged += evaluate.anchor_games / evaluate.anchor_interval if evaluate.anchor_interval else 0.0
    judged += promote.games / promote.interval if promote.gate in (Gate.WINRATE, Gate.SPRT) else 0.0
    judge_s = _judge_seconds(settings, evaluator) if judged else 0.0
    workers = min(options.workers or processors(), processors())
    growth = (2 ** (options.doublings + 1) - 1) / (options.doublings + 1)
    play_s = growth * options.games * evaluations / rate / workers
    batches = learn.batches or max(1, round(learn.samples * options.games * plies / learn.batch))
    iteration = play_s + batches * batch_s + judged * judge_s
    lines = (
        f"self-play: {rate:,.0f} evaluations/s a process, {workers} processes; {evaluations:,.0f} "
        f"evaluations and {plies:.0f} plies a game: {play_s:.1f} s an iteration ({options.games} games)",
        f"learning: {batch_s:.2f} s a batch: {batches * batch_s:.1f} s an iteration ({batches} batches)",
        f"judging: {judge_s:.1f} s a game: {judged * judge_s:.1f} s an iteration on average",
    )
    return _closed(iteration, settings.run.iterations, lines)


def _batch_seconds(options: LearnSection, learner: BaseLearner, replay: Replay) -> float:
    """Of the second batch: in the first, what learns is still being made."""
    begun = 0.0
    for seed in range(2):
        begun = time.perf_counter()
        learner.learn(replay.sample(options.batch, np.random.default_rng(seed)), 0.0)
    return time.perf_counter() - begun


def _judge_seconds(settings: TrainSettings, evaluator: Evaluator) -> float:
    """Of one game against pure MCTS."""
    options, rules = replace(settings.evaluate, games=1), settings.game.rules
    simulations = options.simulations or settings.selfplay.simulations
    player = promotion.net_player(rules, evaluator, settings.selfplay.tree_options(), simulations)
    games = EvaluationGames(1, "mcts", [], lambda row: None)
    begun = time.perf_counter()
    list(promotion.play_mcts(rules, player, options, options.playouts, games, 1))
    return time.perf_counter() - begun


def _closed(iteration_s: float, iterations: int, lines: tuple[str, ...] = ()) -> TimeEstimate:
    total = iteration_s * iterations
    own = f"an iteration: {duration_text(iteration_s)}"
    return TimeEstimate(total, (*lines, own, all_line(total, iterations, "iterations")))


def all_line(seconds: float, number: int, what: str) -> str:
    """What a whole run would take, and how much to believe of it."""
    return (
        f"all: about {duration_text(seconds)} for {number} {what}, measured with fresh weights on this "
        f"machine as busy as it is now; expect {duration_text(seconds / 2)} to {duration_text(seconds * 2)}"
    )


def duration_text(seconds: float) -> str:
    """A time for people.

    >>> duration_text(90), duration_text(5400)
    ('90 s', '1.5 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


GAMES = 12
"""Games of each kind in a rehearsal, at most; two of an evaluation."""

_TITLES = {
    DistillStage.DATA: "games with labels",
    DistillStage.TEACHER: "the teacher's epochs",
    DistillStage.OWN: "the student's games",
    DistillStage.STUDENT: "the student's epochs",
    DistillStage.JUDGE: "judging",
}


def _rehearsed(settings: Any, method: str) -> list[dict[str, Any]]:
    """The rows of a run with these settings."""
    with tempfile.TemporaryDirectory() as folder:
        directory = RunDirectory(Path(folder) / "run")
        preset = next(one.name for one in list_presets() if one.method == method)
        directory.create(to_toml(settings, {"method": method, "preset": preset}), {"method": method})
        train(directory.path, settings)
        return directory.rows(METRICS)


def estimate_distill(settings: DistillSettings) -> TimeEstimate:
    """Play a small run through and scale each stage up by its games.

    The first games with labels are the only ones, so starting their processes weighs more there: the answer
    is good to a factor of about two, and says so.
    """
    every, learn, data, own = settings.evaluate.interval, settings.distill, settings.data, settings.selfplay
    few: dict[str, Any] = {"teacher_epochs": min(1, learn.teacher_epochs), "epochs": 1}
    small = replace(
        settings,
        data=replace(data, games=min(GAMES, data.games)),
        distill=replace(learn, batch_size=min(64, learn.batch_size), **few),
        selfplay=replace(own, games=min(GAMES, own.games)),
        evaluate=replace(settings.evaluate, interval=1 if every else 0, games=2),
        run=replace(settings.run, iterations=2),
    )
    rows = _rehearsed(small, "distill")
    lines, total = [], 0.0
    for stage, title in _TITLES.items():
        if not (played := [row for row in rows if row["stage"] == stage]):
            continue
        full = sum(_games(settings, s, number) for s, number in stages(settings) if s is stage)
        # Processes start and kernels load in the first of a kind; the last is as all others will be.
        seconds = full * float(played[-1]["stage_s"]) / _games(small, stage, int(played[-1]["round"]))
        lines.append(f"{title}: {duration_text(seconds)}")
        total += seconds
    return TimeEstimate(total, (*lines, all_line(total, settings.run.iterations, "rounds")))


def estimate_ppo(settings: PpoSettings) -> TimeEstimate:
    """Time two iterations of a run as it is; the second is counted."""
    small = replace(settings, run=replace(settings.run, iterations=2))
    first, second = (row["seconds"] for row in _rehearsed(small, "ppo"))
    return _closed(second - first, settings.run.iterations)


def _games(settings: DistillSettings, stage: DistillStage, number: int) -> int:
    """Games that a stage of a round works on."""
    data, own = settings.data.games, settings.selfplay.games
    if stage is DistillStage.OWN:
        return own
    if stage is DistillStage.JUDGE:
        return settings.evaluate.games
    if stage is not DistillStage.STUDENT or settings.data.own is OwnGames.NONE:
        return data
    if settings.data.own is OwnGames.SEARCH:
        return min(settings.data.own_window, own * number)
    return data + min(settings.data.own_window, own * (number - 1))


ESTIMATES: dict[str, Callable[[Any], TimeEstimate]] = {
    "selfplay": estimate_selfplay,
    "ppo": estimate_ppo,
    "distill": estimate_distill,
}
"""By method: how long a run with these settings would take on this machine."""
