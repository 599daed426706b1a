"""Runs of trainers that bring their own iterations, in the same kind of folder as self-play.

A checkpoint holds the trainer's whole state; what came after the last one is done again, the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from wuzi.core import Rules
from wuzi.errors import ConfigError
from wuzi.nets.file import save_net
from wuzi.training.learner.export import net_name
from wuzi.training.methods.method import Method
from wuzi.training.methods.ppo import report
from wuzi.training.methods.ppo.settings import PpoSettings
from wuzi.training.methods.ppo.trainer import PpoTrainer
from wuzi.training.run.checkpoint import Checkpoints
from wuzi.training.run.config import RunSection
from wuzi.training.run.directory import BEST, CURRENT, RunDirectory
from wuzi.training.run.events import Event, Observe
from wuzi.training.run.health import Finding
from wuzi.training.run.loop import METRICS
from wuzi.workers.crew import Executor


def train_ppo(
    path: Path,
    settings: PpoSettings,
    *,
    observe: Observe = lambda _: None,
    max_seconds: float | None = None,
    executor: Executor | None = None,
) -> bool:
    """Begin or go on with a run of PPO whose folder was created; see :func:`wuzi.training.run.loop.train`."""
    if executor is not None and not executor.shares_disk:
        raise ConfigError(f"--executor {executor.name}: PPO plays on this machine alone: expected local")
    rules = settings.game.rules
    config = replace(settings.ppo, seed=settings.run.seed)
    directory = RunDirectory(path)
    with directory.locked(), PpoTrainer(config, rules) as trainer:
        judge = partial(report.findings_of, size=rules.size)
        stem = net_stem(rules, config.net)
        run = DrivenRun(directory, settings.run, trainer, observe, stem, report.line_of, judge)
        deadline = None if max_seconds is None else time.monotonic() + max_seconds
        return run.drive(settings.run.iterations, deadline)


def net_stem(rules: Rules, architecture: str) -> str:
    """What the names of a run's nets begin with."""
    return net_name(rules, architecture, 0, 0).partition("-g0")[0]


class DrivenRun:
    """One trainer in one folder."""

    def __init__(
        self,
        directory: RunDirectory,
        section: RunSection,
        trainer: Method,
        observe: Observe,
        stem: str,
        line: Callable[[Mapping[str, Any]], str],
        judge: Callable[[Sequence[Mapping[str, Any]]], list[Finding]],
    ) -> None:
        """Take up a run where its folder says it stands.

        Args:
            directory: the run, locked by the caller.
            section: how often it is saved; its iterations are not looked at.
            trainer: fresh; it is restored from the last checkpoint.
            observe: told what happens.
            stem: what the names of nets begin with.
            line: a row of metrics for people.
            judge: what is wrong with the run, from its rows.
        """
        self._directory, self._section = directory, section
        self._trainer, self._observe = trainer, observe
        self._stem, self._line, self._judge = stem, line, judge
        self._checkpoints = Checkpoints(directory.path / "checkpoints", section.keep_every)
        found = self._checkpoints.latest()
        if found is not None:
            trainer.restore(found)
        directory.drop_after(METRICS, trainer.iteration)
        rows = directory.rows(METRICS)
        self._loaded_s = float(rows[-1]["seconds"]) if rows else 0.0
        if found is not None:
            self._loaded_s = float(found.meta.get("seconds", self._loaded_s))
        self._begun = self._saved = time.monotonic()
        self._exported: int | None = None

    def drive(self, iterations: int, deadline: float | None) -> bool:
        """Iterate to the end; False if time was over before, everything saved."""
        trainer, every = self._trainer, self._section.keep_every
        while trainer.iteration < iterations:
            if deadline is not None and time.monotonic() > deadline:
                self.save()
                return False
            row = trainer.advance()
            if row is not None:
                self._report(row)
            late = time.monotonic() - self._saved > self._section.checkpoint_s
            kept = row is not None and trainer.iteration % every == 0
            if late or kept or trainer.iteration == iterations:
                self.save()
        return True

    def _report(self, done: Mapping[str, Any]) -> None:
        """Write down an iteration's row and tell of it."""
        row = dict(done)
        row["seconds"] = round(self._seconds(), 2)
        found = self._judge([*self._directory.rows(METRICS), row])
        row["warnings"] = [one.text for one in found]
        self._directory.append(METRICS, row)
        self._observe(Event("row", self._line(row), row))
        for warning in row["warnings"]:
            self._observe(Event("warning", warning))

    def _seconds(self) -> float:
        """How long the run has worked, all its parts together."""
        return self._loaded_s + time.monotonic() - self._begun

    def save(self) -> None:
        """Write the checkpoint and the net, and let the pointers name it."""
        trainer = self._trainer
        state = trainer.state()
        state.meta["seconds"] = round(self._seconds(), 2)
        self._checkpoints.write(trainer.iteration, state)
        if trainer.iteration != self._exported:
            latest = self._export(trainer.iteration)
            self._directory.point(CURRENT, **latest)
            if (best := trainer.best_iteration) is not None:
                known = latest if best == trainer.iteration else self._export(best, best=True)
                self._directory.point(BEST, **known)
            self._directory.prune_nets(self._numbered())
            self._exported = trainer.iteration
        self._saved = time.monotonic()

    def _export(self, iteration: int, *, best: bool = False) -> dict[str, Any]:
        """Write the latest or the best net; what a pointer says of it."""
        name = f"{self._stem}-i{iteration:06d}"
        net = save_net(self._directory.nets / name, self._trainer.export(name, best=best))
        return {"name": name, "iteration": iteration, "sha256": net.card.weights_sha256}

    def _numbered(self) -> set[str]:
        """Nets of earlier iterations that are kept for ever."""
        every, found = self._section.keep_every, set()
        for path in self._directory.nets.glob(f"{self._stem}-i*"):
            stem = path.name.partition(".")[0]
            if int(stem.rpartition("-i")[2]) % every == 0:
                found.add(stem)
        return found
