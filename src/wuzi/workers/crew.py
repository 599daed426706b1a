"""The seam to other processes and machines: workers of one kind that answer requests, and may come and go.

An :class:`Executor` gives a :class:`Crew` for a :class:`WorkerKind`; :func:`perform` gives it tasks.
What is above (training, arena) is the same for threads and processes (:mod:`wuzi.workers.local`) and for Ray
(:mod:`wuzi.workers.ray_executor`).
Requests and answers are plain data; contents that many workers need are shared once.
"""

from __future__ import annotations

import importlib
import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

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
class WorkerKind:
    """A kind of worker.

    Attributes:
        factory: ``module:name``, called with ``setup`` and the paths of ``files`` by name; gives a
            :class:`Worker`.
        setup: plain data, as in JSON.
        files: contents that a worker finds as files where no disk is shared.
        waits: whether its workers only wait for processes of their own: threads will do for them.
        gpus: how much of the GPUs of its machine a worker of a cluster holds; each holds a processor.
        silence_s: after these seconds without an answer a worker hangs, and is lost.
    """

    factory: str
    setup: Mapping[str, Any]
    files: Mapping[str, bytes] = field(default_factory=dict)
    waits: bool = False
    gpus: float = 0.0
    silence_s: float = 600.0

    def make(self, files: Mapping[str, Path]) -> Worker:
        """A worker in this process."""
        module, _, name = self.factory.partition(":")
        made: Worker = getattr(importlib.import_module(module), name)(dict(self.setup), files)
        return made


@dataclass(frozen=True, slots=True)
class CrewReply:
    """What a crew says."""

    worker: int
    # to its oldest request that was not answered yet; None if the worker is lost, with all that was asked of
    # it. Nothing more is heard of a lost worker
    answer: dict[str, Any] | None
    note: str = ""  # how it was lost


class Crew(Protocol):
    """Workers of one kind, numbered; each answers its requests in order."""

    def workers(self) -> Sequence[int]:
        """Those at work now; others may come later."""

    def share(self, *contents: bytes) -> object:
        """Make contents known, once for each machine; goes with any request."""

    def ask(self, worker: int, request: Mapping[str, Any], shared: object = None) -> None:
        """Send a request; returns at once. What is asked of a worker that has ended is heard as lost."""

    def hear(self, timeout_s: float) -> CrewReply | None:
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

    def crew(self, kind: WorkerKind, workers: int) -> Crew:
        """Begin a crew of ``workers`` workers; 0 means as many as there are processors."""

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


class JoinedWorkers:
    """The workers that joined a crew since the last look.

    A crew of thousands is searched from time to time, not after every answer.
    """

    def __init__(self, crew: Crew) -> None:
        self._crew, self._known, self._next = crew, set[int](), 0.0

    def look(self) -> list[int]:
        """The workers that joined; none before it is time to look again."""
        if time.monotonic() < self._next:
            return []
        found = [worker for worker in self._crew.workers() if worker not in self._known]
        self._known |= set(found)
        self._next = time.monotonic() + _LOOK_S
        return found

    def soon(self) -> None:
        """Look the next time: nothing was heard, or a worker was lost and another may take its place."""
        self._next = 0.0


K = TypeVar("K", bound=Hashable)

_LOOK_S = 0.5
_MAX_TRIES = 3
_POLL_S = 0.5
_WINDOW = 4
"""Results that wait for one before them, as a multiple of what is being done."""


def perform(
    crew: Crew,
    tasks: Iterable[tuple[K, Mapping[str, Any]]],
    *,
    ahead: int = 1,
    in_order: bool = False,
    shared: object = None,
) -> Iterator[tuple[K, dict[str, Any]]]:
    """Let a crew do tasks; gives each task's key and result.

    A task is taken from ``tasks`` when there is a worker for it. One whose worker is lost is given to
    another; each result is given once. Left early, nothing more is asked.

    Args:
        crew: who does them; the caller closes it.
        tasks: keys and requests.
        ahead: requests asked of a worker at a time.
        in_order: give results in the order of the tasks instead of as they come.
        shared: contents that go with every task, as the crew's ``share`` gave them.

    Raises:
        JobError: a task has ended three workers.
        WuziError: what a worker raised.
    """
    desk = _Desk(crew, iter(tasks), ahead, in_order, shared)
    while desk.hand_out():
        yield from desk.take(crew.hear(_POLL_S))


class _Desk(Generic[K]):
    """Who does what."""

    def __init__(
        self,
        crew: Crew,
        tasks: Iterator[tuple[K, Mapping[str, Any]]],
        ahead: int,
        in_order: bool,
        shared: object,
    ) -> None:
        self._crew, self._tasks, self._ahead, self._in_order = crew, tasks, ahead, in_order
        self._shared = shared
        self._asked: dict[int, deque[tuple[int, K, Mapping[str, Any]]]] = {}
        self._again: deque[tuple[int, K, Mapping[str, Any]]] = deque()
        self._tries: Counter[int] = Counter()
        self._done: dict[int, tuple[K, dict[str, Any]]] = {}
        self._taken = self._given = self._out = 0
        self._newcomers = JoinedWorkers(crew)
        self._room: deque[int] = deque()  # workers, once for each task that they might be given

    def hand_out(self) -> bool:
        """Ask as much as there is room for; whether anything is being done, or waits for a worker."""
        new = self._newcomers.look()
        self._asked |= {worker: deque() for worker in new}
        self._room.extend(new * self._ahead)
        while self._room and (task := self._next(len(self._asked))) is not None:
            worker = self._room.popleft()
            if worker not in self._asked:
                self._again.appendleft(task)
                continue
            self._asked[worker].append(task)
            self._out += 1
            self._crew.ask(worker, task[2], self._shared)
        if not self._asked and not self._again and (task := self._next(1)) is not None:
            self._again.append(task)
        return bool(self._again) or self._out > 0

    def take(self, heard: CrewReply | None) -> Iterator[tuple[K, dict[str, Any]]]:
        """What can be given after an answer or a loss; None where nothing was heard."""
        if heard is None or heard.answer is None:
            self._newcomers.soon()
            if heard is not None:
                self._lose(self._asked.pop(heard.worker, deque()), heard.note)
            return
        place, key, _ = self._asked[heard.worker].popleft()
        self._room.append(heard.worker)
        self._out -= 1
        if not self._in_order:
            self._given += 1
            yield key, heard.answer
            return
        self._done[place] = (key, heard.answer)
        while self._given in self._done:
            self._given += 1
            yield self._done.pop(self._given - 1)

    def _lose(self, tasks: deque[tuple[int, K, Mapping[str, Any]]], note: str) -> None:
        if tasks:
            # Only the first was being done.
            place, key, _ = tasks[0]
            self._tries[place] += 1
            if self._tries[place] >= _MAX_TRIES:
                raise JobError(f"task {key} ended {_MAX_TRIES} workers, the last one with {note}")
        self._again.extend(tasks)
        self._out -= len(tasks)

    def _next(self, workers: int) -> tuple[int, K, Mapping[str, Any]] | None:
        if self._again:
            return self._again.popleft()
        if self._in_order and self._taken - self._given >= _WINDOW * self._ahead * workers:
            return None
        found = next(self._tasks, None)
        if found is None:
            return None
        self._taken += 1
        return self._taken - 1, *found
