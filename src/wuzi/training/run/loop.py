"""The one loop that trains: it resumes a method where its folder stands, lets it work piece by piece, writes
its rows, checkpoints and warnings, and ends in time.

What came after the last checkpoint is done again after a crash, and comes out the same.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from wuzi.training.methods.registry import entry_of
from wuzi.training.run.checkpoint import Checkpoints
from wuzi.training.run.config import RunSection
from wuzi.training.run.context import Observe, RunClock, RunContext, TrainingMethod
from wuzi.training.run.directory import METRICS, RunDirectory
from wuzi.workers.crew import Executor


def train(
    path: Path,
    settings: Any,
    *,
    observe: Observe = lambda _: None,
    max_seconds: float | None = None,
    executor: Executor | None = None,
) -> bool:
    """Begin or resume a run whose folder was created with these settings, whose type says the method.

    It stops after ``max_seconds``, and everything is kept; games are played by an executor, on this machine
    by default. Whether the last iteration was reached.

    Raises:
        ConfigError: impossible parameters, or another process is at work in the folder.
        RecordError: the folder holds broken files.
        TrainingError: training cannot continue, as with a loss that is not finite.
        OSError: a file cannot be written.
    """
    directory = RunDirectory(path)
    begin = entry_of(settings).begin()
    with directory.locked():
        context = RunContext(directory, observe, RunClock(max_seconds), executor)
        with closing(begin(context, settings)) as method:
            return TrainingLoop(method, settings.run, context).run()


class TrainingLoop:
    """A fresh method in one folder, resumed from the last checkpoint, if there is one."""

    def __init__(self, method: TrainingMethod, section: RunSection, context: RunContext) -> None:
        self._method, self._section, self._context = method, section, context
        directory = context.directory
        self._checkpoints = Checkpoints(directory.path / "checkpoints", section.keep_every)
        found = self._checkpoints.latest()
        if found is not None:
            method.restore(found)
        directory.drop_after(METRICS, method.iteration)
        if found is not None:
            rows = directory.rows(METRICS)
            # Older checkpoints of self-play have the time among the figures of the run.
            known = found.meta.get("seconds", found.meta.get("run", {}).get("seconds"))
            context.clock.before = float(known if known is not None else rows[-1]["seconds"] if rows else 0.0)
            context.clock.stood = tuple(found.meta.get("progress", context.clock.stood))
        self._saved = time.monotonic()

    def run(self) -> bool:
        """Iterate to the end; False if time was over before. Everything is saved in both cases."""
        method, section = self._method, self._section
        while method.iteration < method.iterations:
            if self._context.clock.is_over:
                self._save()
                return False
            row = method.advance()
            if row is not None:
                self._report(row)
            late = time.monotonic() - self._saved > section.checkpoint_s
            numbered = row is not None and method.iteration % section.keep_every == 0
            if late or numbered or method.worth_saving or method.iteration == method.iterations:
                self._save()
        return True

    def _report(self, done: Mapping[str, Any]) -> None:
        """Write an iteration's row and tell of it."""
        directory, method = self._context.directory, self._method
        row = {**done, "seconds": round(self._context.clock.seconds, 2)}
        row["warnings"] = [found.text for found in method.findings([*directory.rows(METRICS), row])]
        directory.append(METRICS, row)
        self._context.say("row", method.line(row), row)
        for warning in row["warnings"]:
            self._context.say("warning", warning)

    def _save(self) -> None:
        state, done = self._method.state(), self._method.iteration / self._method.iterations
        state.meta["progress"] = [self._context.clock.progress(done), done]
        state.meta["seconds"] = round(self._context.clock.seconds, 2)
        self._checkpoints.write(self._method.iteration, state)
        self._method.publish()
        self._saved = time.monotonic()
