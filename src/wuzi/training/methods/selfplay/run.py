"""Training by self-play: play, learn, evaluate, again and again; and how a crash loses nothing of it.

An iteration has three phases. Games are appended to the shards as they end, so self-play loses nothing but
the moves of a few seconds. Learning and its batches depend on seed, iteration and batch number alone, and a
checkpoint is written every few seconds; what came after it is computed again, the same. Games of an
evaluation are written down one by one.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from wuzi.base.machine import processors
from wuzi.errors import ConfigError, RecordError, TrainingError
from wuzi.evaluation.codebook import shipped_path
from wuzi.search.tree.forms import SEARCHES
from wuzi.training.data.games import SCHEMA, EndedGame, SelfPlayGame, Shards
from wuzi.training.data.prefetch import Prefetcher
from wuzi.training.data.replay import Replay, TrainingBatch
from wuzi.training.evaluation.promotion import Decision, GateState, IterationEvaluation
from wuzi.training.learner.choice import make_learner
from wuzi.training.methods.selfplay.fleet import make_workers
from wuzi.training.methods.selfplay.state import (
    IterationPhase,
    SelfPlayState,
    figures_of_games,
    figures_of_state,
)
from wuzi.training.methods.selfplay.workers import SelfPlayTask, SelfPlayWorkers, by_torch
from wuzi.training.run.checkpoint import Checkpoint
from wuzi.training.run.config import Gate, NetChoice, TrainSettings
from wuzi.training.run.context import RunContext
from wuzi.training.run.directory import BEST, CURRENT, EVALUATIONS, METRICS, SELFPLAY
from wuzi.training.run.health import (
    STALLED_S,
    HealthFinding,
    selfplay_findings,
    selfplay_line,
    stalled,
    unlearned_loss,
)
from wuzi.training.run.nets import CALIBRATION, export_net, net_name

logger = logging.getLogger(__name__)

_RECENT_NETS = 3
"""Nets before the current one that are not deleted yet."""

_SEEN = 200
"""How many of the latest games health rules look at."""


class SelfPlayRun:
    """Self-play as a :class:`wuzi.training.run.context.TrainingMethod`."""

    line = staticmethod(selfplay_line)

    def __init__(self, context: RunContext, settings: TrainSettings) -> None:
        """Make the net and its learner, and look at the games there are.

        A ConfigError where the net cannot play itself, or is for another board.
        """
        self._context, self._clock, self._directory = context, context.clock, context.directory
        self.settings, self.iterations = settings, settings.run.iterations
        self.rules = settings.game.rules
        directory = context.directory
        begun = directory.net_path(CURRENT) if directory.pointed(CURRENT) else None
        self._learner = make_learner(settings, begun)
        self._learner.waits_for = unlearned_loss(self.rules.size) if settings.run.rescue else None
        if self._learner.remark:
            context.say("text", self._learner.remark)
        outputs = self._learner.outputs(self.rules.size)
        if "policy" not in outputs or not {"value", "wdl"} & outputs:
            name = self._learner.architecture
            raise ConfigError(f"net {name} has no policy and value: it cannot play itself")
        self._replay = Replay(self.rules, settings.replay, self._learner.planes, outputs)
        self._shards = Shards(directory.path / SELFPLAY)
        self._ended: deque[SelfPlayGame] | None = None
        self._played: list[SelfPlayGame] | None = None
        self._state = SelfPlayState(GateState(settings.evaluate.playouts))
        self.worth_saving = False
        self._workers: SelfPlayWorkers | None = None
        self._batches = Prefetcher(self._drawn)
        self._waited, self._shouts = 0.0, 0
        self._recent: list[str] = []
        self._latest: dict[str, Any] = {}
        keep = settings.run.keep_every
        self._kept = {str(row["net"]) for row in directory.rows(METRICS) if row["iteration"] % keep == 0}
        self._kept.add(self._name(0, 0))

    @property
    def iteration(self) -> int:
        """How many are done."""
        return self._state.iteration

    @property
    def _number(self) -> int:
        """The iteration that is being worked on."""
        return self._state.iteration + 1

    @property
    def _share_done(self) -> float:
        """How much of the run is done, 0 to 1."""
        return self._clock.progress(self.iteration / self.iterations)

    def advance(self) -> Mapping[str, Any] | None:
        """A phase of an iteration, or a batch of learning; see :class:`.TrainingMethod`."""
        self.worth_saving = False
        phases = {
            IterationPhase.SELFPLAY: self._play,
            IterationPhase.LEARN: self._learn,
            IterationPhase.JUDGE: self._evaluate,
        }
        return phases[self._state.phase]()

    def findings(self, rows: Sequence[Mapping[str, Any]]) -> list[HealthFinding]:
        """See :class:`wuzi.training.run.context.TrainingMethod`."""
        return selfplay_findings(rows, self.rules.size)

    # ------------------------------------------------------------------ self-play

    def _play(self) -> None:
        """Until the iteration's games are there, or time is over; then take them into the window."""
        workers = self._workers or self._begin_playing()
        state, start = self._state, time.monotonic()
        target = state.games + self.settings.selfplay.games
        if self._ended is None:
            self._ended = deque(self._shards.read(state.games))
        if self._overlaps or self._shards.count < target:
            doubled = self.settings.selfplay.doublings_at(self._share_done)
            workers.use(self._playing(), state.iteration, doubled)
        if self._shards.count < target:
            self._play_games(workers, target, self._ended)
        state.selfplay_s += time.monotonic() - start
        if self._shards.count < target:
            return
        if self._overlaps:
            target = self._shards.count
            state.new_games = target - state.games
        self._played = [self._ended.popleft() for _ in range(target - state.games)]
        for game in self._played:
            self._replay.add(game)
            state.new_rows += len(game.rows)
        state.games = target
        state.rows += state.new_rows
        self._replay.trim(self.settings.replay.size(state.rows))
        learn = self.settings.learn
        # More games than an iteration has do not make it longer: the learner has a rate of its own.
        rows = state.new_rows * self.settings.selfplay.games / len(self._played)
        state.batches = learn.batches or max(1, round(learn.samples * rows / learn.batch))
        self._batches.forget()
        state.phase, state.batch = IterationPhase.LEARN, 0
        if self._replay.rows < learn.least:
            state.phase, state.batches = IterationPhase.JUDGE, 0

    def _play_games(self, workers: SelfPlayWorkers, target: int, ahead: deque[SelfPlayGame]) -> None:
        """Until there are ``target`` games or time is over; those that end go to ``ahead``, too."""
        before, begun = workers.evaluations, time.monotonic()
        first, heard = self._shards.count, begun
        for ended in workers.games():
            now = time.monotonic()
            self._waited = max(self._waited, now - heard)
            if ended is not None:
                self._shards.append(ended.line)
                ahead.append(ended.game)
                heard = now
            elif self._waited > STALLED_S * (1 + self._shouts):
                self._shouts += 1
                self._context.say("warning", stalled(self._waited).text)
            speed = (workers.evaluations - before) / max(1e-9, time.monotonic() - begun)
            games, wanted = self._shards.count - self._state.games, target - self._state.games
            text = f"iteration {self._number}: self-play, {games}/{wanted} games"
            work = {"stage": "selfplay", "done": games, "of": wanted, "speed": round(speed)}
            self._progressed(f"{text}, {speed:,.0f} evaluations/s", work)
            if self._shards.count >= target or self._clock.is_over:
                break
        self._take(workers.go_on() if self._overlaps else workers.pause())
        self._state.evaluations += workers.evaluations - before
        logger.debug("%d games in %.1f s", self._shards.count - first, time.monotonic() - begun)

    def _playing(self) -> Path:
        """The file of the net that plays."""
        which = self.settings.selfplay.net
        if which is NetChoice.CODEBOOK:
            return shipped_path(self.rules.rule, self.rules.win_length, self.rules.size)
        return self._directory.net_path(CURRENT if which is NetChoice.CURRENT else BEST)

    def _begin_playing(self) -> SelfPlayWorkers:
        """Write the net of this state, which the pointers may be ahead of, and start the workers."""
        fresh = self._directory.pointed(CURRENT) is None
        self._export()
        if fresh:
            self._directory.point(BEST, **self._latest)
        options = self.settings.selfplay
        taken = frozenset(self._shards.numbers())
        folder = self._directory.path / SELFPLAY
        task = SelfPlayTask(self.rules, options, self.settings.run.seed, folder, taken, self._learner.on)
        cores, executor = processors(), self._context.executor
        if options.workers > cores and (executor is None or executor.shares_disk):
            text = f"{options.workers} workers asked for: {cores} cores here, so {cores} workers"
            self._context.say("text", text)
        alone = f"net {self._learner.architecture}" if self._learner.is_known_here_only else ""
        if SEARCHES.is_known_here_only(str(options.search_form)):
            alone = f"search form {options.search_form}"
        self._workers = make_workers(task, options.workers, executor, alone)
        return self._workers

    def _take(self, games: Sequence[EndedGame]) -> None:
        """Keep games that ended, for the iteration that comes to them."""
        assert self._ended is not None
        for ended in games:
            self._shards.append(ended.line)
            self._ended.append(ended.game)

    @property
    def _overlaps(self) -> bool:
        """Whether games are played while the net learns."""
        executor = self._context.executor
        return self.settings.selfplay.overlap or (executor is not None and not executor.shares_disk)

    def _go_on(self) -> None:
        """Let self-play continue beside other work, if the settings allow it."""
        if self._workers is not None and self._overlaps:
            before = self._workers.evaluations
            self._take(self._workers.go_on())
            self._state.evaluations += self._workers.evaluations - before

    # ------------------------------------------------------------------ learning

    def _drawn(self, number: int) -> TrainingBatch:
        """A batch of this iteration."""
        rng = np.random.default_rng((self.settings.run.seed, 7, self._number, number))
        return self._replay.sample(self.settings.learn.batch, rng)

    def _learn(self) -> None:
        """Learn one batch; self-play continues at the same time if the settings allow it."""
        state, start = self._state, time.monotonic()
        self._go_on()
        batch = self._batches.take(state.batch, state.batches)
        state.add(self._learner.learn(batch, self._share_done))
        text = f"iteration {self._number}: learning, {state.batch}/{state.batches} batches"
        work = {"stage": "learn", "done": state.batch, "of": state.batches}
        self._progressed(f"{text}, loss {state.means()['loss']:.3f}", work)
        spent = time.monotonic() - start
        state.learn_s += spent
        state.selfplay_s += spent if self._overlaps else 0.0
        if state.batch >= state.batches:
            state.phase = IterationPhase.JUDGE

    # ------------------------------------------------------------------ evaluation

    def _evaluate(self) -> dict[str, Any] | None:
        """Write the net, then play what is due; the iteration's row."""
        state, start = self._state, time.monotonic()
        evaluation = IterationEvaluation(self._context, self.settings, self._number, self._go_on)
        if self._latest.get("iteration") != self._number:
            self._export()
            if evaluation.has_games:
                # Its games are those of this state: after a crash it has to be there.
                state.judge_s += time.monotonic() - start
                self.worth_saving = True
                return None
        found = evaluation.run(state.standing)
        if found is None:
            return None
        state.standing, figures = found.standing, found.figures
        self._point(found)
        spent = time.monotonic() - start
        state.judge_s += spent
        state.selfplay_s += spent if self._overlaps else 0.0
        row = self._row(figures)
        state.iteration += 1
        state.begin_iteration()
        self._played = None
        self._waited, self._shouts = 0.0, 0
        self.worth_saving = bool(figures)
        return row

    def _point(self, found: Decision) -> None:
        """Say of the latest net and of the best one how they were judged."""
        self._directory.point(CURRENT, **self._latest, judged=found.text)
        if found.promoted or self.settings.promote.gate is Gate.NONE:
            self._directory.point(BEST, **self._latest, judged=found.text)
        elif "best_win_rate" in found.figures and (best := self._directory.pointed(BEST)) is not None:
            kept = f"kept its place: the net of iteration {self._number} {found.text}"
            sha256, name = best["weights_sha256"], best["net"]
            self._directory.point(BEST, name, best["iteration"], sha256, best.get("judged") or kept)

    def _row(self, figures: dict[str, Any]) -> dict[str, Any]:
        state = self._state
        if self._played is None:
            first = state.games - (state.new_games or self.settings.selfplay.games)
            self._played = list(self._shards.read(first, state.games))
        seconds = round(self._clock.seconds, 2)
        return {
            **{"iteration": self._number, "net": self._latest["name"], "seconds": seconds},
            **{"total_games": state.games, "total_rows": state.rows, "window": self._replay.rows},
            **figures_of_games(self._played, list(self._replay.games)[-_SEEN:], self.rules.size),
            **figures_of_state(state),
            "steps": self._learner.steps,
            "longest_wait_s": round(self._waited, 1),
            **figures,
        }

    # ------------------------------------------------------------------ what is kept

    def state(self) -> Checkpoint:
        """See :class:`wuzi.training.run.context.TrainingMethod`."""
        self._state.seconds = self._clock.seconds
        return Checkpoint(
            self._learner.arrays(), {"run": asdict(self._state), "learner": self._learner.state()}
        )

    def restore(self, state: Checkpoint) -> None:
        """See :class:`.TrainingMethod`; a TrainingError where games that it has learned from are missing."""
        try:
            run, learner = state.meta["run"], state.meta["learner"]
        except KeyError as error:
            raise RecordError(f"checkpoint: not the state of a run of self-play (without {error})") from None
        self._learner.restore(state.arrays, learner)
        self._state = SelfPlayState.from_json(run)
        if self._state.games > self._shards.count:
            raise TrainingError(
                f"{self._directory.path / SELFPLAY}: {self._shards.count} games: the checkpoint has learned "
                f"from {self._state.games}; restore the missing files"
            )
        evaluated = self._state.iteration + (self._state.phase is IterationPhase.JUDGE)
        self._directory.drop_after(EVALUATIONS, evaluated)
        self._fill()

    def _fill(self) -> None:
        """Read the window from the shards, from its end."""
        wanted, rows = self.settings.replay.size(self._state.rows), 0
        last, kept = self._state.games, list[SelfPlayGame]()
        while last > 0 and rows < wanted:
            first = max(0, last - 500)
            part = list(self._shards.read(first, last))
            rows += sum(len(game.rows) for game in part)
            kept, last = part + kept, first
        for game in kept:
            self._replay.add(game)
        self._replay.trim(wanted)
        if earlier := sum(game.schema < SCHEMA for game in self._replay.games):
            text = f"{earlier} games of the window are of an earlier version: their values are left out"
            self._context.say("text", text)

    def _name(self, games: int, rows: int) -> str:
        # A net that was given is not of the architecture that the parameters name.
        options = self.settings.net
        kind = options.architecture if options.start is None else self._learner.architecture
        return net_name(self.rules, kind, games, rows)

    def _export(self) -> None:
        state = self._state
        name = self._name(state.games, state.rows)
        # The positions it is measured on are the same when a resumed run exports it again.
        iteration = self._number if state.phase is IterationPhase.JUDGE else state.iteration
        recipe = {"run": self._directory.path.name, "iteration": iteration, "games": state.games}
        recipe |= {"rows": state.rows, "steps": self._learner.steps}
        kept = iteration % self.settings.run.keep_every == 0 or iteration == self.iterations
        measured = kept or not by_torch(self.settings.selfplay.backend, self._learner.on)
        features = self._replay.features(CALIBRATION, iteration) if measured and self._replay.rows else None
        learner = self._learner
        net = export_net(
            self._directory, lambda: learner.net(self.rules, name, recipe), features, measured=measured
        )
        self._latest = {"name": name, "iteration": iteration, "sha256": net.card.weights_sha256}
        self._directory.point(CURRENT, **self._latest)
        if iteration and iteration % self.settings.run.keep_every == 0:
            self._kept.add(name)
        # Others may be reading the net that the pointer has just left.
        self._recent = [*self._recent[-_RECENT_NETS:], name]
        self._directory.prune_nets(self._kept | set(self._recent))

    def publish(self) -> None:
        """Nothing: nets are written when the games of an iteration need them."""

    def close(self) -> None:
        """See :class:`wuzi.training.run.context.TrainingMethod`."""
        self._batches.close()
        if self._workers is None:
            return
        try:
            if self._overlaps:
                self._take(self._workers.pause())
        finally:
            self._workers.close()

    def _progressed(self, text: str, work: Mapping[str, Any]) -> None:
        self._context.say("progress", text, {"iteration": self._number, **work})
