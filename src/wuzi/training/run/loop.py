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

from wuzi.base.settings import settings_tables
from wuzi.errors import TrainingError
from wuzi.training.methods.registry import entry_of, stored_plan
from wuzi.training.run.attempts import MOST, give_up, put_away, read_attempts, settings_now
from wuzi.training.run.changes import changes_between, check_end, record_changes
from wuzi.training.run.checkpoint import Checkpoints
from wuzi.training.run.context import Observe, RunClock, RunContext, TrainingMethod
from wuzi.training.run.directory import METRICS, RunDirectory
from wuzi.training.run.health import HealthFinding, nothing_learned, settings_findings
from wuzi.training.run.section import RunSection
from wuzi.workers.crew import Executor


def train(
    path: Path,
    settings: Any,
    *,
    observe: Observe = lambda _: None,
    max_seconds: float | None = None,
    executor: Executor | None = None,
) -> bool:
    """Begin or resume a run in a folder that was created for it; the type of its settings says the method.

    A run that is resumed may have other settings than before where the method allows it; that is written down
    (:mod:`wuzi.training.run.changes`). It stops after ``max_seconds``, and everything is kept. Games are
    played by an executor, on this machine by default. Whether the last iteration was reached.

    Raises:
        ConfigError: impossible parameters, other ones than the run must keep, or another process is at work
            in the folder.
        RecordError: the folder holds broken files.
        TrainingError: training cannot continue, as with a loss that is not finite.
        OSError: a file cannot be written.
    """
    directory = RunDirectory(path)
    begin = entry_of(settings).begin()
    with directory.locked():
        changes = changes_between(stored_plan(path).settings, settings)
        if "run.iterations" in changes:
            last = (directory.rows(METRICS) or [{"iteration": 0}])[-1]
            # The iterations of distillation are the stages of its rounds.
            check_end(int(last.get("round", last["iteration"])), settings.run.iterations)
        context = RunContext(directory, observe, RunClock(max_seconds), executor)
        while True:
            put_away(path)
            now = settings_now(path, settings)
            with closing(begin(context, now)) as method:
                loop = TrainingLoop(method, now, context)
                record_changes(path, method.iteration, changes)
                try:
                    ended = loop.run()
                except TrainingError as error:
                    if changes and error.change and not loop.has_saved:
                        loop.go_back()
                    raise
                if loop.hopeless is None:
                    return ended
            changes = {}
            seconds = context.clock.seconds
            context.say("warning", give_up(path, settings, loop.hopeless, method.iteration, seconds))


class TrainingLoop:
    """A fresh method in one folder, resumed from the last checkpoint, if there is one.

    Attributes:
        has_saved: whether a checkpoint was written.
        hopeless: what is not learned, where the run is to begin again because of it.
    """

    def __init__(self, method: TrainingMethod, settings: Any, context: RunContext) -> None:
        section: RunSection = settings.run
        self._method, self._section, self._context = method, section, context
        self._lasting = [found.text for found in settings_findings(settings_tables(settings))]
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
            # Schedules go on from where they stood, also where the end is another now.
            share = method.iteration / method.iterations
            context.clock.stood = found.meta.get("progress", [share])[0], share
        self._saved = time.monotonic()
        self.has_saved = False
        self.hopeless: HealthFinding | None = None
        # A head that the parameters switch off learns nothing with any seed.
        rescues = getattr(section, "rescue", False) and not self._lasting
        is_last = len(read_attempts(directory.path)) >= MOST
        self._size = settings.game.size if rescues and not is_last else 0

    def run(self) -> bool:
        """Iterate to the end; False if time was over before. Everything is saved in both cases."""
        method, section = self._method, self._section
        for text in self._lasting:
            self._context.say("warning", text)
        while method.iteration < method.iterations and self.hopeless is None:
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

    def go_back(self) -> None:
        """Give up the checkpoint that was resumed from: no change of the parameters can mend its weights."""
        self._checkpoints.set_aside()
        text = "the weights of the last checkpoint are spoiled: the run will be resumed from the one before"
        self._context.say("warning", text)

    def _report(self, done: Mapping[str, Any]) -> None:
        """Write an iteration's row and tell of it."""
        directory, method = self._context.directory, self._method
        row = {**done, "seconds": round(self._context.clock.seconds, 2)}
        rows = [*directory.rows(METRICS), row]
        found = [one.text for one in method.findings(rows)]
        self.hopeless = nothing_learned(rows, self._size) if self._size else None
        row["warnings"] = [*self._lasting, *found]
        directory.append(METRICS, row)
        self._context.say("row", method.line(row), row)
        for warning in found:
            self._context.say("warning", warning)

    def _save(self) -> None:
        state, done = self._method.state(), self._method.iteration / self._method.iterations
        state.meta["progress"] = [self._context.clock.progress(done), done]
        state.meta["seconds"] = round(self._context.clock.seconds, 2)
        self._checkpoints.write(self._method.iteration, state)
        self._method.publish()
        self._saved, self.has_saved = time.monotonic(), True
