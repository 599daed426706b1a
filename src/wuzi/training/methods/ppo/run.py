"""A run of PPO in a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from wuzi.errors import ConfigError
from wuzi.training.learner.nets import NumberedNets
from wuzi.training.methods.ppo import report
from wuzi.training.methods.ppo.config import PpoSettings
from wuzi.training.methods.ppo.trainer import PpoTrainer
from wuzi.training.run.checkpoint import Checkpoint
from wuzi.training.run.context import RunContext
from wuzi.training.run.health import HealthFinding


class PpoRun:
    """PPO as a :class:`wuzi.training.methods.method.TrainingMethod`."""

    worth_saving = False

    def __init__(self, context: RunContext, settings: PpoSettings) -> None:
        """Make the trainer.

        Raises:
            ConfigError: a net that cannot play, or an executor on other machines.
        """
        executor = context.executor
        if executor is not None and not executor.shares_disk:
            raise ConfigError(f"--executor {executor.name}: PPO plays on this machine alone: expected local")
        self._rules, self.iterations = settings.game.rules, settings.run.iterations
        self._trainer = PpoTrainer(replace(settings.ppo, seed=settings.run.seed), self._rules)
        self._nets = NumberedNets(context.directory, self._rules, settings.ppo.net, settings.run.keep_every)

    @property
    def iteration(self) -> int:
        """How many are done."""
        return self._trainer.iteration

    def advance(self) -> Mapping[str, Any] | None:
        """See :class:`wuzi.training.methods.method.TrainingMethod`."""
        return self._trainer.advance()

    def state(self) -> Checkpoint:
        """See :class:`wuzi.training.methods.method.TrainingMethod`."""
        return self._trainer.state()

    def restore(self, state: Checkpoint) -> None:
        """See :class:`wuzi.training.methods.method.TrainingMethod`."""
        self._trainer.restore(state)

    def publish(self) -> None:
        """See :class:`wuzi.training.methods.method.TrainingMethod`."""
        trainer = self._trainer
        best = partial(trainer.export, best=True)
        self._nets.publish(trainer.iteration, trainer.export, trainer.best_iteration, best)

    def line(self, row: Mapping[str, Any]) -> str:
        """See :class:`wuzi.training.methods.method.TrainingMethod`."""
        return report.line_of(row)

    def findings(self, rows: Sequence[Mapping[str, Any]]) -> list[HealthFinding]:
        """See :class:`wuzi.training.methods.method.TrainingMethod`."""
        return report.findings_of(rows, self._rules.size)

    def close(self) -> None:
        """See :class:`wuzi.training.methods.method.TrainingMethod`."""
        self._trainer.close()
