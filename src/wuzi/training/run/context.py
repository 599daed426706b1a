"""What a run gives to its method: the folder, the time, whom to tell, and where work may be done."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wuzi.training.run.directory import RunDirectory
from wuzi.training.run.events import Event, Observe
from wuzi.workers.crew import Executor


class RunClock:
    """How long a run has worked, all its parts together, and whether this part is over.

    Attributes:
        before: seconds of the parts before this one.
    """

    def __init__(self, max_seconds: float | None = None) -> None:
        """Start; this part is over after ``max_seconds``, if there are any."""
        self._begun = time.monotonic()
        self._deadline = None if max_seconds is None else self._begun + max_seconds
        self.before = 0.0

    @property
    def seconds(self) -> float:
        """Of work so far."""
        return self.before + time.monotonic() - self._begun

    @property
    def is_over(self) -> bool:
        """Whether there is a time limit and it has passed."""
        return self._deadline is not None and time.monotonic() > self._deadline

    def progress(self, done: float) -> float:
        """How much of the run is done, 0 to 1: by its iterations or by its time, whichever is more."""
        if self._deadline is None:
            return done
        left = max(0.0, self._deadline - time.monotonic())
        return max(done, self.seconds / (self.seconds + left))


@dataclass(frozen=True)
class RunContext:
    """The surroundings of a method.

    Attributes:
        directory: the run, locked.
        observe: told what happens.
        clock: of the run.
        executor: where games are played; on this machine by default.
    """

    directory: RunDirectory
    observe: Observe = lambda _: None
    clock: RunClock = field(default_factory=RunClock)
    executor: Executor | None = None

    def say(self, kind: str, text: str, data: Mapping[str, Any] | None = None) -> None:
        """Tell of an event."""
        self.observe(Event(kind, text, data))
