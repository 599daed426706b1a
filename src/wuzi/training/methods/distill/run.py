"""A run of distillation in a folder: data, the teacher's epochs, then rounds of games and epochs.

Each stage below is one iteration of the run. What takes long is written down as it comes (games with
labels, games of self-play, games of an evaluation), epochs are saved one by one.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from wuzi.core.symmetry import canonical_moves
from wuzi.errors import RecordError
from wuzi.nets.file import NetFile
from wuzi.torch_nets import create_net, net_file
from wuzi.training.evaluation.promotion import GateState, IterationEvaluation
from wuzi.training.methods.distill.collect import Collector
from wuzi.training.methods.distill.config import DistillForm, DistillSettings, OwnGames
from wuzi.training.methods.distill.game_file import LabelledGame
from wuzi.training.methods.distill.rows import DistillRows, rows_of_games
from wuzi.training.methods.distill.trainer import DistillTrainer
from wuzi.training.run.checkpoint import Checkpoint
from wuzi.training.run.context import RunContext
from wuzi.training.run.directory import BEST, CURRENT, EVALUATIONS
from wuzi.training.run.health import HealthFinding, distill_findings, distill_line
from wuzi.training.run.nets import CALIBRATION, NumberedNets


class DistillStage(StrEnum):
    """What an iteration does."""

    DATA = "data"
    """Games with labels are made."""
    TEACHER = "teacher"
    """An epoch of the documents' form's teacher."""
    OWN = "own"
    """The student plays."""
    STUDENT = "student"
    """An epoch of the student."""
    JUDGE = "judge"
    """The student plays pure MCTS."""


def stages(settings: DistillSettings) -> list[tuple[DistillStage, int]]:
    """All iterations of a run: the stage and its round, 0 before the first."""
    teacher = settings.distill.teacher_epochs if settings.distill.form is DistillForm.DOCUMENT else 0
    found = [(DistillStage.DATA, 0)] + [(DistillStage.TEACHER, 0)] * teacher
    for number in range(1, settings.run.iterations + 1):
        # Nobody learns from the games of random weights: the first round has the data.
        if settings.data.own is not OwnGames.NONE and (number > 1 or settings.data.own is OwnGames.SEARCH):
            found.append((DistillStage.OWN, number))
        found += [(DistillStage.STUDENT, number)] * settings.distill.epochs
        every = settings.evaluate.interval
        if every and (number % every == 0 or number == settings.run.iterations):
            found.append((DistillStage.JUDGE, number))
    return found


def figures_of(games: Sequence[LabelledGame], size: int) -> dict[str, Any]:
    """Results, lengths and variety of games."""
    different = {canonical_moves(list(game.moves), size) for game in games}
    count = max(1, len(games))
    return {
        "games": len(games),
        "plies": sum(len(game.moves) for game in games) / count,
        "black_wins": sum(game.winner == 1 for game in games),
        "white_wins": sum(game.winner == 2 for game in games),
        "draws": sum(game.winner == 0 for game in games),
        "duplicates": 1 - len(different) / count,
    }


class DistillRun:
    """The stages of a run as a :class:`wuzi.training.run.context.TrainingMethod`; each is an iteration."""

    worth_saving = False
    line = staticmethod(distill_line)

    def __init__(self, context: RunContext, settings: DistillSettings) -> None:
        """Prepare a run in its folder: nothing is made or read yet. A ConfigError for an unknown net."""
        self.stages = stages(settings)
        self.iteration, self.iterations = 0, len(self.stages)
        self.rules = settings.game.rules
        self._context, self._settings = context, settings
        self._directory = context.directory
        self._config = replace(settings.distill, seed=settings.run.seed)
        self._nets = NumberedNets(self._directory, self.rules, self._config.net, settings.run.keep_every)
        self._planes = create_net(self._config.net, self.rules.size)[0].planes
        self._collector = Collector(settings, context, self._progress)
        self._data: list[LabelledGame] = []
        self._own, self._stage_s = 0, 0.0
        self._trainer: DistillTrainer | None = None
        self._standing, self._pointer = GateState(settings.evaluate.playouts), dict[str, Any]()

    def close(self) -> None:
        """See :class:`wuzi.training.run.context.TrainingMethod`."""
        self._collector.close()

    # ------------------------------------------------------------------ the stages

    def advance(self) -> Mapping[str, Any] | None:
        """A stage, or a step of an epoch; see :class:`wuzi.training.run.context.TrainingMethod`."""
        (stage, number), begun = self.stages[self.iteration], time.monotonic()
        works = {DistillStage.DATA: self._make_data, DistillStage.OWN: self._play}
        works |= {DistillStage.JUDGE: self._judge}
        found = works[stage]() if stage in works else self._learner.advance()
        self._stage_s += time.monotonic() - begun
        if found is None:
            return None
        self.iteration += 1
        row = {**found, "iteration": self.iteration, "stage": str(stage), "round": number}
        row["stage_s"], self._stage_s = round(self._stage_s, 2), 0.0
        return row

    def _make_data(self) -> dict[str, Any] | None:
        found = self._collector.data()
        if found is None:
            return None
        self._data = found
        self._trainer = self._fresh()
        return figures_of(found, self.rules.size)

    def _play(self) -> dict[str, Any] | None:
        net = self._publish()
        wanted = self._own + self._settings.selfplay.games
        if not self._collector.play(net, self.iteration, wanted):
            return None
        first, self._own = self._own, wanted
        self._learner.use(self._rows())
        return figures_of(self._collector.own(first, wanted), self.rules.size)

    def _judge(self) -> dict[str, Any] | None:
        self._publish()
        judge = IterationEvaluation(self._context, self._settings.judged(), self.stages[self.iteration][1])
        if (found := judge.run(self._standing)) is None:
            return None
        self._standing = found.standing
        self._directory.point(CURRENT, **self._pointer, judged=found.text)
        # Until a game was won, the latest net counts as the best.
        if found.promoted or not self._standing.best_iteration:
            self._directory.point(BEST, **self._pointer, judged=found.text)
        return found.figures

    # ------------------------------------------------------------------ what is learned from

    @property
    def _learner(self) -> DistillTrainer:
        assert self._trainer is not None
        return self._trainer

    def _fresh(self) -> DistillTrainer:
        epochs = sum(stage is DistillStage.STUDENT for stage, _ in self.stages)
        return DistillTrainer(self._config, self.rules, self._rows(), epochs=epochs)

    def _rows(self) -> DistillRows:
        """The data, the student's own games, or both: the document's student learns from its own alone."""
        own = self._collector.own(max(0, self._own - self._settings.data.own_window), self._own)
        only_own = bool(own) and self._config.form is DistillForm.DOCUMENT
        games = [*([] if only_own else self._data), *own]
        # Numbers tell games apart when some are held out.
        numbered = [replace(game, number=number) for number, game in enumerate(games)]
        rows, _ = rows_of_games(numbered, self.rules, self._planes, top_share=self._config.top_share)
        return rows

    # ------------------------------------------------------------------ what is kept

    def _publish(self) -> Path:
        """Write the net as it is now, in 8 bits if it may, and let the pointer name it."""
        self._pointer = self._nets.write(self.iteration, self.export)
        self._directory.point(CURRENT, **self._pointer)
        return self._directory.net_path(CURRENT)

    def publish(self) -> None:
        """See :class:`wuzi.training.run.context.TrainingMethod`."""
        # The latest is the best, unless matches decide, after which the pointer is set.
        best = None if self._settings.evaluate.interval else self.iteration
        self._nets.publish(self.iteration, self.export, best, self.export)

    def findings(self, rows: Sequence[Mapping[str, Any]]) -> list[HealthFinding]:
        """See :class:`wuzi.training.run.context.TrainingMethod`."""
        return distill_findings(rows, self.rules.size)

    def export(self, name: str) -> NetFile:
        """The student as it is after the last whole epoch."""
        if self._trainer is None:
            fresh = create_net(self._config.net, self.rules.size, seed=self._config.seed)
            return net_file(*fresh, self.rules, name)
        return self._trainer.export(name, measured=4 * CALIBRATION)

    def state(self) -> Checkpoint:
        """See :class:`wuzi.training.run.context.TrainingMethod`."""
        state = self._trainer.state() if self._trainer is not None else Checkpoint()
        about = {"iteration": self.iteration, "own": self._own, "stage_s": self._stage_s}
        state.meta = {"run": {**about, "standing": asdict(self._standing)}, "trainer": state.meta}
        return state

    def restore(self, state: Checkpoint) -> None:
        """See :class:`wuzi.training.run.context.TrainingMethod`."""
        try:
            about, trainer = state.meta["run"], state.meta["trainer"]
            self.iteration, self._own = about["iteration"], about["own"]
            self._standing = GateState(**about["standing"])
            self._stage_s = about.get("stage_s", 0.0)
        except (KeyError, TypeError) as error:
            raise RecordError(f"checkpoint: not the state of a run of distillation ({error})") from None
        if trainer:
            # All of it is there: the state was taken after it was made.
            self._data = self._collector.data() or []
            self._trainer = self._fresh()
            self._trainer.restore(Checkpoint(state.arrays, trainer))
        self._directory.drop_after(EVALUATIONS, self.stages[max(0, self.iteration - 1)][1])

    # ------------------------------------------------------------------ inside

    def _progress(self, text: str, done: int, of: int) -> None:
        number = self.iteration + 1
        work = {"stage": "selfplay", "iteration": number, "done": done, "of": of}
        self._context.say("progress", f"iteration {number}: {text}: {done}/{of} games", work)
