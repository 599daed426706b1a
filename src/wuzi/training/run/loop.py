"""Training by self-play: play, learn, judge, again and again; and going on after a crash.

An iteration has three phases. Games are appended to the shards as they end, so self-play loses nothing but
the moves of a few seconds. Learning and its batches depend on seed, iteration and batch number alone, and a
checkpoint is written every few seconds; what came after it is computed again, the same. Games of an
evaluation are journaled one by one.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from wuzi.errors import ConfigError, TrainingError
from wuzi.training.data.games import SelfPlayGame, Shards
from wuzi.training.data.replay import Replay
from wuzi.training.data.rows import figures_of_games, figures_of_state, line_of
from wuzi.training.evaluation.gate import Standing
from wuzi.training.evaluation.judge import EVALUATIONS, Judge
from wuzi.training.learner.export import CALIBRATION, export_net, net_name
from wuzi.training.learner.learner import Learner
from wuzi.training.methods.selfplay.workers import Task, Workers, make_workers
from wuzi.training.run.checkpoint import Checkpoint, Checkpoints
from wuzi.training.run.config import Gate, TrainSettings, Which
from wuzi.training.run.directory import BEST, CURRENT, RunDirectory
from wuzi.training.run.events import Event, Observe
from wuzi.training.run.health import STALLED_S, findings_of, stalled
from wuzi.training.run.start import make_net, outputs_of
from wuzi.training.run.state import Phase, RunState
from wuzi.workers.crew import Executor

logger = logging.getLogger(__name__)

METRICS, SELFPLAY = "metrics.jsonl", "selfplay"
_RECENT_NETS = 3
"""Nets before the current one that are not deleted yet."""

_SEEN = 200
"""How many of the latest games health rules look at."""


class Training:
    """One run of training by self-play; use :func:`train`."""

    def __init__(
        self,
        directory: RunDirectory,
        settings: TrainSettings,
        observe: Observe,
        deadline: float | None,
        executor: Executor | None = None,
    ) -> None:
        """Take up a run where its folder says it stands.

        Args:
            directory: the run, which was created.
            settings: its parameters.
            observe: told what happens.
            deadline: of ``time.monotonic``, after which to stop; None for none.
            executor: where games are played; on this machine by default.

        Raises:
            ConfigError, RecordError, TrainingError, OSError: the run cannot be begun or gone on with.
        """
        self.directory, self.settings = directory, settings
        self.rules = settings.game.rules
        self._observe, self._deadline, self._executor = observe, deadline, executor
        self._begun = time.monotonic()
        begun = directory.net_path(CURRENT) if directory.pointed(CURRENT) else None
        module, self._spec = make_net(settings, begun)
        self._learner = Learner(module, settings.learn)
        outputs = outputs_of(self._spec.make(), self.rules.size)
        if "policy" not in outputs or not {"value", "wdl"} & outputs:
            raise ConfigError(f"net {self._spec.name} has no policy and value: it cannot play itself")
        self._replay = Replay(self.rules, settings.replay, module.planes, outputs)
        self._shards = Shards(directory.path / SELFPLAY)
        self._checkpoints = Checkpoints(directory.path / "checkpoints", settings.run.keep_every)
        self.state = RunState(Standing(settings.evaluate.playouts))
        self._restore()
        keep = settings.run.keep_every
        self._saved = time.monotonic()
        self._loaded_s = self.state.seconds
        self._workers: Workers | None = None
        self._waited, self._shouts = 0.0, 0
        self._recent: list[str] = []
        self._kept = {str(row["net"]) for row in directory.rows(METRICS) if row["iteration"] % keep == 0}

    # ------------------------------------------------------------------ the run

    def run(self) -> bool:
        """Train to the last iteration; False if time was over before."""
        self._workers = self._make_workers()
        try:
            if self.directory.pointed(CURRENT) is None:
                self._export()
                self.directory.point(BEST, **self._pointer())
            if self.state.phase is Phase.SELFPLAY:
                # The pointers may be ahead of the checkpoint: back to the net of this state.
                self._export()
            while self.state.iteration < self.settings.run.iterations:
                if not self._iterate():
                    return False
            return True
        finally:
            self._workers.close()

    def _iterate(self) -> bool:
        """One iteration, from the phase it is in; False if time was over, everything saved."""
        phases = {Phase.SELFPLAY: self._play, Phase.LEARN: self._learn, Phase.JUDGE: self._judge}
        while True:
            phase = self.state.phase
            if not phases[phase]():
                self._save()
                return False
            if phase is Phase.JUDGE:
                return True

    @property
    def _number(self) -> int:
        """The iteration that is being worked on."""
        return self.state.iteration + 1

    def _is_over(self) -> bool:
        return self._deadline is not None and time.monotonic() > self._deadline

    def _progress(self) -> float:
        """How much of the run is done, by iterations or by time, 0 to 1."""
        done = self.state.iteration / self.settings.run.iterations
        if self._deadline is None:
            return done
        left = max(0.0, self._deadline - time.monotonic())
        return max(done, self._seconds() / (self._seconds() + left))

    def _seconds(self) -> float:
        return self._loaded_s + time.monotonic() - self._begun

    # ------------------------------------------------------------------ self-play

    def _play(self) -> bool:
        state, start = self.state, time.monotonic()
        target = state.games + self.settings.selfplay.games
        over = False
        if self._shards.count < target:
            over = not self._play_games(target)
        state.selfplay_s += time.monotonic() - start
        if over:
            return False
        for game in self._shards.read(state.games, target):
            self._replay.add(game)
            state.new_rows += len(game.rows)
        state.games = target
        state.rows += state.new_rows
        self._replay.trim(self.settings.replay.size(state.rows))
        learn = self.settings.learn
        state.batches = learn.batches or max(1, round(learn.samples * state.new_rows / learn.batch))
        state.phase, state.batch = Phase.LEARN, 0
        return True

    def _play_games(self, target: int) -> bool:
        """Until there are ``target`` games; False if time was over."""
        assert self._workers is not None
        which = CURRENT if self.settings.selfplay.net is Which.CURRENT else BEST
        self._workers.use(self.directory.net_path(which), self.state.iteration)
        before, begun = self._workers.counts.evaluations, time.monotonic()
        first, ended = self._shards.count, begun
        for game in self._workers.games():
            now = time.monotonic()
            self._waited = max(self._waited, now - ended)
            if game is not None:
                self._shards.append(game)
                ended = now
            elif self._waited > STALLED_S * (1 + self._shouts):
                self._shouts += 1
                self._say("warning", stalled(self._waited).text)
            spent = max(1e-9, time.monotonic() - begun)
            speed = (self._workers.counts.evaluations - before) / spent
            games, wanted = self._shards.count - self.state.games, target - self.state.games
            text = f"iteration {self._number}: self-play, {games}/{wanted} games"
            work = {"stage": "selfplay", "done": games, "of": wanted, "speed": round(speed)}
            self._progressed(f"{text}, {speed:,.0f} evaluations/s", work)
            if self._shards.count >= target or self._is_over():
                break
        for left in self._workers.pause():
            self._shards.append(left)
        self.state.evaluations += self._workers.counts.evaluations - before
        logger.debug("%d games in %.1f s", self._shards.count - first, time.monotonic() - begun)
        return self._shards.count >= target

    # ------------------------------------------------------------------ learning

    def _learn(self) -> bool:
        state, start = self.state, time.monotonic()
        learn, seed = self.settings.learn, self.settings.run.seed
        while state.batch < state.batches:
            if self._is_over():
                state.learn_s += time.monotonic() - start
                return False
            rng = np.random.default_rng((seed, 7, self._number, state.batch))
            batch = self._replay.sample(learn.batch, rng)
            state.add(self._learner.learn(batch, self._progress()))
            loss = state.means()["loss"]
            text = f"iteration {self._number}: learning, {state.batch}/{state.batches} batches"
            work = {"stage": "learn", "done": state.batch, "of": state.batches}
            self._progressed(f"{text}, loss {loss:.3f}", work)
            if time.monotonic() - self._saved > self.settings.run.checkpoint_s:
                state.learn_s, start = state.learn_s + time.monotonic() - start, time.monotonic()
                self._save()
        state.learn_s += time.monotonic() - start
        state.phase = Phase.JUDGE
        return True

    # ------------------------------------------------------------------ judging

    def _judge(self) -> bool:
        state, start = self.state, time.monotonic()
        self._export()
        judge = Judge(self.directory, self.settings, self._number, self._say, self._is_over)
        if judge.has_games:
            self._save()
        found = judge.run(state.standing)
        if found is None:
            return False
        state.standing, promoted, figures = found
        if promoted or self.settings.promote.gate is Gate.NONE:
            self.directory.point(BEST, **self._pointer())
        state.judge_s += time.monotonic() - start
        self._finish(figures)
        return True

    def _finish(self, figures: dict[str, Any]) -> None:
        """Write the iteration's row, then go to the next."""
        state = self.state
        row = self._row(figures)
        earlier = self.directory.rows(METRICS)
        row["warnings"] = [found.text for found in findings_of([*earlier, row], self.rules.size)]
        self.directory.append(METRICS, row)
        judged = bool(figures)
        state.iteration += 1
        state.begin_iteration()
        self._waited, self._shouts = 0.0, 0
        keeps = state.iteration % self.settings.run.keep_every == 0
        late = time.monotonic() - self._saved > self.settings.run.checkpoint_s
        if judged or keeps or late or state.iteration == self.settings.run.iterations:
            self._save()
        self._say("row", line_of(row), row)
        for warning in row["warnings"]:
            self._say("warning", warning)

    def _row(self, figures: dict[str, Any]) -> dict[str, Any]:
        state = self.state
        games = list(self._shards.read(state.games - self.settings.selfplay.games, state.games))
        return {
            "iteration": self._number,
            "net": self._latest["name"],
            "seconds": round(self._seconds(), 2),
            "total_games": state.games,
            "total_rows": state.rows,
            "window": self._replay.rows,
            **figures_of_games(games, list(self._replay.games)[-_SEEN:], self.rules.size),
            **figures_of_state(state),
            "steps": self._learner.steps,
            "longest_wait_s": round(self._waited, 1),
            **figures,
        }

    # ------------------------------------------------------------------ what is kept

    def _save(self) -> None:
        self.state.seconds = self._seconds()
        content = {"run": self.state.to_json(), "learner": self._learner.state()}
        self._checkpoints.write(self.state.iteration, Checkpoint(self._learner.arrays(), content))
        self._saved = time.monotonic()

    def _restore(self) -> None:
        found = self._checkpoints.latest()
        if found is not None:
            self._learner.restore(found.arrays, found.meta["learner"])
            self.state = RunState.from_json(found.meta["run"])
        state = self.state
        if state.games > self._shards.count:
            raise TrainingError(
                f"{self.directory.path / SELFPLAY}: {self._shards.count} games: the checkpoint has learned "
                f"from {state.games}; restore the missing files"
            )
        self.directory.drop_after(METRICS, state.iteration)
        self.directory.drop_after(EVALUATIONS, state.iteration + (state.phase is Phase.JUDGE))
        self._fill()

    def _fill(self) -> None:
        """Read the window from the shards, from its end."""
        wanted, rows = self.settings.replay.size(self.state.rows), 0
        last, kept = self.state.games, list[SelfPlayGame]()
        while last > 0 and rows < wanted:
            first = max(0, last - 500)
            part = list(self._shards.read(first, last))
            rows += sum(len(game.rows) for game in part)
            kept, last = part + kept, first
        for game in kept:
            self._replay.add(game)
        self._replay.trim(wanted)

    def _export(self) -> None:
        state = self.state
        # A net that was given is not of the architecture that the parameters name.
        options = self.settings.net
        kind = options.architecture if options.start is None else self._spec.name
        name = net_name(self.rules, kind, state.games, state.rows)
        # The positions it is measured on are the same when a resumed run exports it again.
        iteration = self._number if state.phase is Phase.JUDGE else state.iteration
        recipe = {
            "run": self.directory.path.name,
            "iteration": iteration,
            "games": state.games,
            "rows": state.rows,
            "steps": self._learner.steps,
        }
        features = self._replay.features(CALIBRATION, iteration) if self._replay.rows else None
        weights = self._learner.playing_state()
        net = export_net(self.directory, self._spec, weights, self.rules, name, recipe, features)
        self._latest = {"name": name, "iteration": iteration, "sha256": net.card.weights_sha256}
        self.directory.point(CURRENT, **self._pointer())
        if iteration and iteration % self.settings.run.keep_every == 0:
            self._kept.add(name)
        # Others may be reading the net that the pointer has just left.
        self._recent = [*self._recent[-_RECENT_NETS:], name]
        self.directory.prune_nets(self._kept | set(self._recent))

    def _pointer(self) -> dict[str, Any]:
        return dict(self._latest)

    # ------------------------------------------------------------------ inside

    def _make_workers(self) -> Workers:
        options = self.settings.selfplay
        taken = frozenset(self._shards.numbers())
        folder = self.directory.path / SELFPLAY
        device = self._learner.device.type
        task = Task(self.rules, options, self.settings.run.seed, folder, taken, device)
        cores = os.cpu_count() or 1
        if options.workers > cores and (self._executor is None or self._executor.shares_disk):
            self._say("text", f"{options.workers} workers asked for: {cores} cores here, so {cores} workers")
        return make_workers(task, options.workers, self._executor)

    def _progressed(self, text: str, work: Mapping[str, Any]) -> None:
        self._say("progress", text, {"iteration": self._number, **work})

    def _say(self, kind: str, text: str, data: Mapping[str, Any] | None = None) -> None:
        self._observe(Event(kind, text, data))


def train(
    path: Path,
    settings: TrainSettings,
    *,
    observe: Observe = lambda _: None,
    max_seconds: float | None = None,
    executor: Executor | None = None,
) -> bool:
    """Begin or go on with a run whose folder was created.

    Args:
        path: the folder.
        settings: the parameters it was created with.
        observe: told what happens.
        max_seconds: stop after so long; everything is kept.
        executor: where games are played; on this machine by default.

    Returns:
        Whether the last iteration was reached.

    Raises:
        ConfigError: impossible parameters, or another process is at work in the folder.
        RecordError: the folder holds broken files.
        TrainingError: training cannot go on, as with a loss that is not finite.
        OSError: a file cannot be written.
    """
    directory = RunDirectory(path)
    with directory.locked():
        deadline = None if max_seconds is None else time.monotonic() + max_seconds
        return Training(directory, settings, observe, deadline, executor).run()
