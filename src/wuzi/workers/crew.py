"""The seam to other processes and machines: workers of one kind that answer requests, and may come and go.

An :class:`Executor` gives a :class:`Crew` for a :class:`Job`. What is above (:mod:`wuzi.workers.tasks`,
training, arena) is the same for threads and processes (:mod:`wuzi.workers.local`) and for Ray
(:mod:`wuzi.workers.ray_executor`).
Requests and answers are plain data; contents that many workers need are shared once.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import wuzi.errors
from wuzi.errors import JobError, MissingExtraError, WuziError

logger = logging.getLogger(__name__)

LOCAL, RAY = "local", "ray"
EXECUTORS = (LOCAL, RAY)

_MAX_LOSSES = 5
"""Workers lost one after the other, with no answer between."""


class Worker(Protocol):
    """What answers requests."""

    def answer(self, request: dict[str, Any], shared: Sequence[bytes]) -> dict[str, Any]:
        """Do what is asked; ``shared`` are the contents that came with it."""

    def stop(self) -> None:
        """End what is being done; called from another thread, before the worker is closed."""

    def close(self) -> None:
        """End."""


@dataclass(frozen=True)
class Job:
    """A kind of worker.

    Attributes:
        factory: ``module:name``, called with ``setup`` and the paths of ``files`` by name; gives a
            :class:`Worker`.
        setup: plain data, as in JSON.
        files: contents that a worker finds as files where no disk is shared.
        waits: whether its workers only wait for processes of their own: threads will do for them.
        silence_s: a worker that does not answer for so long hangs, and is lost.
    """

    factory: str
    setup: Mapping[str, Any]
    files: Mapping[str, bytes] = field(default_factory=dict)
    waits: bool = False
    silence_s: float = 600.0

    def make(self, files: Mapping[str, Path]) -> Worker:
        """A worker in this process."""
        module, _, name = self.factory.partition(":")
        made: Worker = getattr(importlib.import_module(module), name)(dict(self.setup), files)
        return made


@dataclass(frozen=True, slots=True)
class Heard:
    """What a crew says."""

    worker: int
    # to its oldest request that was not answered yet; None if the worker is lost, with all that was asked of
    # it. Nothing more is heard of a lost worker
    answer: dict[str, Any] | None
    note: str = ""  # how it was lost


class Crew(Protocol):
    """Workers of one job, numbered; each answers its requests in order."""

    def workers(self) -> Sequence[int]:
        """Those at work now; others may come later."""

    def share(self, *contents: bytes) -> object:
        """Make contents known, once for each machine; goes with any request."""

    def ask(self, worker: int, request: Mapping[str, Any], shared: object = None) -> None:
        """Send a request; returns at once. What is asked of a worker that has ended is heard as lost."""

    def hear(self, timeout_s: float) -> Heard | None:
        """The next answer or loss; None if there is none in time.

        Raises:
            JobError: workers end as fast as they are started, or there is nowhere to start them.
            WuziError: what a worker raised.
        """

    def close(self) -> None:
        """End all workers, whatever they do."""


class Executor(Protocol):
    """Where workers are.

    Attributes:
        name: one of :data:`EXECUTORS`.
        shares_disk: whether they see this machine's files.
        snapshot_s: seconds after which a worker's state may be asked for again.
    """

    name: str
    shares_disk: bool
    snapshot_s: float

    def crew(self, job: Job, workers: int) -> Crew:
        """Begin a crew of so many workers, as many as there are processors for 0."""

    def close(self) -> None:
        """Leave; crews have been closed."""


class WorkerLosses:
    """Tells bad luck from workers that cannot work."""

    _count = 0

    def answered(self) -> None:
        """A worker works."""
        self._count = 0

    def lost(self, note: str) -> None:
        """Count a worker that was lost.

        Raises:
            JobError: it is one of too many.
        """
        self._count += 1
        logger.warning("a worker was lost: %s", note)
        if self._count >= _MAX_LOSSES:
            raise JobError(f"{self._count} workers ended one after the other, the last one with {note}")


def answer_to(do: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What a worker answers; what it raises is an answer too."""
    try:
        return do()
    except Exception as error:
        if not isinstance(error, WuziError):
            logger.warning("a worker failed", exc_info=error)
        return {"error": type(error).__name__, "message": str(error)}


def checked(answer: dict[str, Any]) -> dict[str, Any]:
    """The answer, unless it is an error.

    Raises:
        WuziError: what the worker raised; a JobError for errors that are not wuzi's.
    """
    if "error" not in answer:
        return answer
    kind = getattr(wuzi.errors, answer["error"], None)
    if isinstance(kind, type) and issubclass(kind, WuziError) and kind is not MissingExtraError:
        raise kind(answer["message"])
    raise JobError(f"{answer['error']}: {answer['message']}")
