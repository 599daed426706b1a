"""What a run gives to its method: the folder, the time, whom to tell; and what it asks of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from wuzi.training.run.checkpoint import Checkpoint
from wuzi.training.run.directory import RunDirectory
from wuzi.training.run.health import HealthFinding
from wuzi.workers.crew import Executor


@dataclass(frozen=True)
class Event:
    """Something to be shown: ``progress`` (many a second), a ``row`` of metrics, ``text``, a ``warning``.

    Its data are the metrics of a row; of progress its ``stage``, the ``iteration`` it belongs to, how much is
    ``done`` ``of`` how much, and the ``speed`` in evaluations a second where there is one.
    """

    kind: str
    text: str
    data: Mapping[str, Any] | None = None


Observe = Callable[[Event], None]


class RunClock:
    """How long a run has worked, with the seconds of the parts ``before``, and whether this part is over."""

    def __init__(self, max_seconds: float | None = None) -> None:
        self._begun = time.monotonic()
        self._deadline = None if max_seconds is None else self._begun + max_seconds
        self.before = 0.0
        self.stood = (0.0, 0.0)  # progress, and the share of iterations done, where the run was resumed

    @property
    def seconds(self) -> float:
        """Of work so far."""
        return self.before + time.monotonic() - self._begun

    @property
    def is_over(self) -> bool:
        """Whether there is a time limit and it has passed."""
        return self._deadline is not None and time.monotonic() > self._deadline

    def progress(self, done: float) -> float:
        """How much of the run is done, 0 to 1, with that share of its iterations: by its time, if that is
        limited and more; else it goes evenly from where the run was resumed to the last iteration.
        """
        if self._deadline is None:
            progress, share = self.stood
            return progress + (1 - progress) * (done - share) / max(1e-9, 1 - share)
        left = max(0.0, self._deadline - time.monotonic())
        return max(done, self.seconds / (self.seconds + left))


@dataclass(frozen=True)
class RunContext:
    """The surroundings of a method: the locked run, whom to tell, its clock, and where games are played."""

    directory: RunDirectory
    observe: Observe = lambda _: None
    clock: RunClock = field(default_factory=RunClock)
    executor: Executor | None = None

    def say(self, kind: str, text: str, data: Mapping[str, Any] | None = None) -> None:
        """Tell of an event."""
        self.observe(Event(kind, text, data))


@runtime_checkable
class TrainingMethod(Protocol):
    """A training method at work in a folder; self-play, distillation and PPO are such.

    ``state`` after any ``advance`` is complete: ``restore`` of it into a method that was made with the
    same settings continues as if nothing had happened.

    Attributes:
        worth_saving: whether the state after the latest ``advance`` should be saved whatever the time.
    """

    worth_saving: bool

    @property
    def iteration(self) -> int:
        """How many iterations are done."""

    @property
    def iterations(self) -> int:
        """How many there are in all."""

    def advance(self) -> Mapping[str, Any] | None:
        """A piece of work: the next iteration, or a part of it.

        The iteration's row of metrics, JSON-compatible, with its ``iteration``, when it is done; None when
        there is more to do, or where time was over in the middle of it. A TrainingError where it cannot
        continue; what was saved before is intact.
        """

    def state(self) -> Checkpoint:
        """Everything needed to continue."""

    def restore(self, state: Checkpoint) -> None:
        """Continue where :meth:`state` was taken.

        A ConfigError where that was with other settings, a RecordError where it is incomplete.
        """

    def publish(self) -> None:
        """Write the nets of the state that was just saved, and let the pointers name them."""

    def line(self, row: Mapping[str, Any]) -> str:
        """A row of metrics in one line, for people."""

    def findings(self, rows: Sequence[Mapping[str, Any]]) -> list[HealthFinding]:
        """What is wrong with the run, from all its rows."""

    def close(self) -> None:
        """End the workers, if there are any."""
