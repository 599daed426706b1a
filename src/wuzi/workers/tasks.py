"""Tasks given to a crew: each is done once, in bounded numbers at a time, again where a worker was lost."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from wuzi.errors import JobError
from wuzi.workers.crew import Crew, Heard

K = TypeVar("K", bound=Hashable)

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
        heard = crew.hear(_POLL_S)
        if heard is not None:
            yield from desk.take(heard)


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
        self._taken = self._given = 0

    def hand_out(self) -> bool:
        """Ask as much as there is room for; whether anything is being done, or waits for a worker."""
        workers = self._crew.workers()
        for depth in range(1, self._ahead + 1):
            for worker in workers:
                asked = self._asked.setdefault(worker, deque())
                if len(asked) < depth and (task := self._next(len(workers))) is not None:
                    asked.append(task)
                    self._crew.ask(worker, task[2], self._shared)
        if not workers and not self._again and (task := self._next(1)) is not None:
            self._again.append(task)
        return bool(self._again) or any(self._asked.values())

    def take(self, heard: Heard) -> Iterator[tuple[K, dict[str, Any]]]:
        """What can be given after an answer or a loss."""
        if heard.answer is None:
            self._lose(self._asked.pop(heard.worker, deque()), heard.note)
            return
        place, key, _ = self._asked[heard.worker].popleft()
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
