"""How long a run would take on this machine: a little of it is measured, and scaled up."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from wuzi.base.machine import processors
from wuzi.torch_nets import Net, create_net, net_file
from wuzi.training.data.games import SelfPlayGame
from wuzi.training.data.replay import Replay
from wuzi.training.evaluation import promotion
from wuzi.training.evaluation.players import NetMatchPlayer
from wuzi.training.learner.learner import Learner
from wuzi.training.learner.nets import outputs_of
from wuzi.training.methods.distill.config import DistillSettings, Own
from wuzi.training.methods.distill.run import DistillStage, stages
from wuzi.training.methods.ppo.config import PpoSettings
from wuzi.training.methods.selfplay.games import SelfPlay, new_numbers
from wuzi.training.methods.selfplay.workers import open_evaluator
from wuzi.training.run.config import Gate, TrainSettings
from wuzi.training.run.directory import METRICS, RunDirectory
from wuzi.training.run.loop import train

PLAY_S = 4.0
"""Seconds of self-play that are measured, and at least one game."""


@dataclass(frozen=True)
class Measurement:
    """What was measured.

    Attributes:
        evaluations_per_s: of one process of self-play.
        evaluations_per_game: of a game of the net with fresh weights.
        plies: of such a game.
        batch_s: of learning from one batch.
        judge_s: of one game of an evaluation; 0 where there are none.
    """

    evaluations_per_s: float
    evaluations_per_game: float
    plies: float
    batch_s: float
    judge_s: float


def estimate_selfplay(settings: TrainSettings) -> list[str]:
    """Measure for some seconds, and say how long the run would take.

    The games of a net that has learned are of other lengths, and its 8-bit form may be accepted or not: the
    answer is good to a factor of about two, and says so.
    """
    found = measure(settings)
    workers = min(settings.selfplay.workers or processors(), processors())
    games = settings.selfplay.games
    play = games * found.evaluations_per_game / found.evaluations_per_s / workers
    learn = settings.learn
    batches = learn.batches or max(1, round(learn.samples * games * found.plies / learn.batch))
    judged = _judged_games(settings)
    iteration = play + batches * found.batch_s + judged * found.judge_s
    total = iteration * settings.run.iterations
    return [
        f"self-play: {found.evaluations_per_s:,.0f} evaluations/s a process, {workers} processes; "
        f"{found.evaluations_per_game:,.0f} evaluations and {found.plies:.0f} plies a game: "
        f"{play:.1f} s an iteration ({games} games)",
        f"learning: {found.batch_s:.2f} s a batch: {batches * found.batch_s:.1f} s an iteration "
        f"({batches} batches)",
        f"judging: {found.judge_s:.1f} s a game: {judged * found.judge_s:.1f} s an iteration on average",
        f"an iteration: {duration_text(iteration)}",
        all_line(total, settings.run.iterations, "iterations"),
    ]


def measure(settings: TrainSettings) -> Measurement:
    """Measure each part with a net of fresh weights."""
    rules, options = settings.game.rules, settings.selfplay
    module, spec = create_net(settings.net.architecture, rules.size, seed=settings.run.seed)
    net = net_file(module, spec, rules, "estimate")
    evaluator = open_evaluator(net, options.backend, "cpu", None)
    play = SelfPlay(rules, options, evaluator, seed=1, net=0, numbers=new_numbers(frozenset()))
    play.step()
    ended, begun = list[SelfPlayGame](), time.perf_counter()
    first = play.evaluations
    while time.perf_counter() - begun < PLAY_S or not ended:
        ended += play.step()
    spent = time.perf_counter() - begun
    player = promotion.net_player(rules, evaluator, options.tree_options(), _judge_simulations(settings))
    rate = (play.evaluations - first) / spent
    # Games that end early are seen first, so moves are counted: games going on are half done on average.
    plies = play.played / (len(ended) + options.concurrency / 2)
    each = play.evaluations / max(1, play.played)
    replay = Replay(rules, settings.replay, module.planes, outputs_of(module, rules.size))
    for game in ended:
        replay.add(game)
    batch_s = _batch_seconds(settings, module, replay)
    judge_s = _judge_seconds(settings, player) if _judged_games(settings) else 0.0
    return Measurement(rate, each * plies, plies, batch_s, judge_s)


def _batch_seconds(settings: TrainSettings, module: Net, replay: Replay) -> float:
    learner = Learner(module, settings.learn)
    batch = replay.sample(settings.learn.batch, np.random.default_rng(0))
    learner.learn(batch, 0.0)
    begun = time.perf_counter()
    learner.learn(replay.sample(settings.learn.batch, np.random.default_rng(1)), 0.0)
    return time.perf_counter() - begun


def _judge_seconds(settings: TrainSettings, player: NetMatchPlayer) -> float:
    options = replace(settings.evaluate, games=1)
    games = promotion.EvaluationGames(1, "mcts", [], lambda row: None)
    begun = time.perf_counter()
    for _ in promotion.play_mcts(settings.game.rules, player, options, options.playouts, games, 1):
        pass
    return time.perf_counter() - begun


def _judge_simulations(settings: TrainSettings) -> int:
    return settings.evaluate.simulations or settings.selfplay.simulations


def _judged_games(settings: TrainSettings) -> float:
    """Games of evaluations an iteration, on average."""
    evaluate, promote = settings.evaluate, settings.promote
    against_mcts = evaluate.games / evaluate.interval if evaluate.interval else 0.0
    against_best = promote.games / promote.interval if promote.gate in (Gate.WINRATE, Gate.SPRT) else 0.0
    return against_mcts + against_best


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
