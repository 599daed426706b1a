"""The pool of workers: searches wait in line, each runs in a process that is replaced when it fails.

Moves of games go before analyses, and analyses never take the last worker, so that a game does not wait
for somebody else's long look at a position: a pool of one starts a second worker for a move that meets one.
Nor do analyses wait for long ones: as many again may run beside them, and then the oldest gives its best.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from wuzi.base.machine import processors
from wuzi.errors import PlayerCrashed, PlayerError, PlayerTimeout
from wuzi.games.analysis_process import AnalysisProcess, OnReply, PoolRequest
from wuzi.protocols.analysis.queries import Start

logger = logging.getLogger(__name__)

LATE_FACTOR = 1.5
"""A search is late after this many times its limit, plus the grace of the settings."""


def default_workers() -> int:
    """How many searches this machine does at once, with a processor left for everything else."""
    return max(1, min(4, processors() - 1))


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """How worker processes are started, and how long they may take."""

    # how many searches run at once, each in a process of its own
    workers: int = field(default_factory=default_workers)
    # how a worker is started; it speaks the analysis protocol
    worker_command: tuple[str, ...] = (sys.executable, "-m", "wuzi", "analysis-engine")
    max_queue: int = 64  # searches that may wait for a worker
    max_move_s: float = 60.0  # longest thinking time of one move, whatever a level says
    max_analysis_s: float = 600.0  # the same of a search in the background
    long_s: float = 10.0  # a search in the background that runs longer keeps no other one waiting
    grace_s: float = 10.0  # how much longer than its limit a search may take before its worker is replaced
    start_s: float = 600.0  # longest start of a worker (compiling all kernels takes about a minute)

    @property
    def worker_start(self) -> tuple[str, ...]:
        """The whole command that starts a worker."""
        return self.worker_command


class PoolBusy(PlayerError):
    """Too many searches wait already."""


def failure_code(error: Exception) -> str:
    """The stable word for why no engine answered."""
    kinds = ((PoolBusy, "engine_busy"), (PlayerTimeout, "engine_timeout"), (PlayerCrashed, "engine_crashed"))
    return next((code for kind, code in kinds if isinstance(error, kind)), "engine_failed")


PING_S = 3.0
"""Seconds an idle worker has to answer a ping before it gets a search."""


class PoolSearch:
    """A search in the pool: waiting, running, or answered.

    ``ahead`` searches run or wait before it. ``answer`` is the final reply or the PlayerError that came
    instead.
    """

    def __init__(
        self,
        request: PoolRequest,
        on_info: OnReply | None,
        on_queue: Callable[[], None] | None,
        *,
        background: bool = False,
        retries: int = 0,
    ) -> None:
        self.request = request
        self.ahead = 0
        self.background = background
        self.retries = retries
        self.began: float | None = None  # of time.monotonic, when it got a worker
        self.has_worker = False
        self.made_room = False  # it was asked for its answer because others waited
        self.answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self.stopped = asyncio.Event()
        self.answer.add_done_callback(lambda _: self.stopped.set())  # also when its waiter is cancelled
        self._on_info = on_info
        self._on_queue = on_queue

    def stop(self) -> None:
        """Ask for the answer now; a waiting search answers as soon as it gets a worker."""
        self.stopped.set()

    def cancel(self) -> None:
        """The answer is no longer wanted; frees the worker soon."""
        self.answer.cancel()

    def is_at(self, ahead: int) -> None:
        """Note the place in the queue."""
        if ahead != self.ahead:
            self.ahead = ahead
            self._moved()

    def begins(self) -> None:
        """Note that it has a worker."""
        self.has_worker = True
        self._moved()

    def _moved(self) -> None:
        if self._on_queue is not None and not self.answer.done():
            self._on_queue()

    def info(self, reply: dict[str, Any]) -> None:
        """Pass a report on, while the answer is wanted."""
        if self._on_info is not None and not self.answer.done():
            self._on_info(reply)


class WorkerPool:
    """Runs searches in worker processes, first come first served.

    Workers start when first needed and are kept. One that crashes, or does not answer long after its
    limit, is killed and replaced; the search that it had fails, all others continue.
    """

    def __init__(self, settings: PoolSettings) -> None:
        self._settings = settings
        self._waiting: deque[PoolSearch] = deque()
        self._idle: list[AnalysisProcess] = []
        self._busy = 0
        self._in_background: list[PoolSearch] = []  # in the order they began
        self._tasks: set[asyncio.Task[None]] = set()
        self._starting = 0
        self._closed = False
        self._workers: set[AnalysisProcess] = set()

    @property
    def is_starting(self) -> bool:
        """Whether a worker is loading (or compiling) its kernels now."""
        return self._starting > 0

    @property
    def num_busy(self) -> int:
        """Workers that run a search, or start for one."""
        return self._busy

    @property
    def num_thinking(self) -> int:
        """Workers whose process has a search; less than :attr:`num_busy` while some start or are pinged."""
        return sum(worker.is_thinking for worker in list(self._workers))

    @property
    def pids(self) -> tuple[int, ...]:
        """The process ids of all workers."""
        return tuple(worker.pid for worker in list(self._workers))

    def preload(self) -> None:
        """Start the first worker before it is needed."""
        self._spawn_task(self._preload())

    def submit(
        self,
        request: PoolRequest,
        on_info: OnReply | None = None,
        on_queue: Callable[[], None] | None = None,
        *,
        background: bool = False,
        retries: int = 0,
    ) -> PoolSearch:
        """Queue a search; PoolBusy if too many wait. None thinks longer than the settings allow.

        ``on_info`` gets each ``info`` reply, ``on_queue`` is called when :attr:`PoolSearch.ahead` has
        changed, both in the loop. In the ``background`` it lets the moves of games go first. After its worker
        has died it is asked again from the start, ``retries`` times.
        """
        self._pump()
        if len(self._waiting) >= self._settings.max_queue:
            raise PoolBusy(f"{len(self._waiting)} searches are waiting: try again later")
        if isinstance(request, Start) and request.limit.time_s is not None:
            settings = self._settings
            most_s = settings.max_analysis_s if background else settings.max_move_s
            time_s = min(request.limit.time_s, most_s)
            request = replace(request, limit=replace(request.limit, time_s=time_s))
        search = PoolSearch(request, on_info, on_queue, background=background, retries=retries)
        search.answer.add_done_callback(lambda _: self._pump())  # one that is cancelled leaves the queue
        self._waiting.append(search)
        self._pump()
        return search

    async def close(self) -> None:
        """Fail all searches and end all workers."""
        self._closed = True
        for search in self._waiting:
            search.cancel()
        self._waiting.clear()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(worker.close() for worker in self._workers), return_exceptions=True)
        self._workers.clear()

    def _spawn_task(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _pump(self) -> None:
        """Give waiting searches to free workers and tell the others their place."""
        if self._closed:
            return
        wanted = [search for search in self._waiting if not search.answer.cancelled()]
        self._waiting = deque(sorted(wanted, key=lambda search: search.background))
        while self._waiting and self._has_room(self._waiting[0]):
            search = self._waiting.popleft()
            search.is_at(0)
            self._busy += 1
            if search.background:
                search.began = time.monotonic()
                self._in_background.append(search)
                asyncio.get_running_loop().call_later(self._settings.long_s, self._pump)
            self._spawn_task(self._serve(search))
        for place, search in enumerate(self._waiting):
            search.is_at(self._busy + place)

    def _has_room(self, search: PoolSearch) -> bool:
        """Whether it may begin; a long one may have to end for it, and is told so."""
        workers, now, running = self._settings.workers, time.monotonic(), self._in_background
        most = max(1, workers - 1)
        if not search.background:
            return self._busy - len(running) < max(1, workers - len(running))
        long = [one for one in running if one.began is not None and now - one.began >= self._settings.long_s]
        if len(long) > most:
            long[0].made_room = True
            long[0].stop()
            return False
        return self._busy - len(long) < workers and len(running) - len(long) < most

    async def _serve(self, search: PoolSearch) -> None:
        worker = None
        try:
            worker = await self._worker()
            search.begins()
            reply = await self._think(worker, search)
            if not search.answer.done():
                search.answer.set_result(reply)
        except PlayerError as error:
            if isinstance(error, PlayerCrashed | PlayerTimeout) and worker is not None:
                log = worker.log_tail()
                logger.error("worker %d is replaced: %s\n%s", worker.pid, error, log)
                error.add_note(log)
                await self._retire(worker)
                worker = None
            if not search.answer.done() and not self._again(search, error):
                search.answer.set_exception(error)
        finally:
            self._busy -= 1
            if search.background:
                self._in_background.remove(search)
            if worker is not None and not self._closed:
                self._idle.append(worker)
            if not search.answer.done() and search not in self._waiting:
                search.answer.cancel()
            self._pump()

    def _again(self, search: PoolSearch, error: PlayerError) -> bool:
        """Put a search whose worker has died back at the head of the queue, if it may be asked again."""
        if self._closed or search.retries < 1 or not isinstance(error, PlayerCrashed):
            return False
        search.retries -= 1
        self._waiting.appendleft(search)
        return True

    async def _think(self, worker: AnalysisProcess, search: PoolSearch) -> dict[str, Any]:
        """The answer in time; late searches are asked to stop, then given up."""
        request = search.request
        answer = asyncio.ensure_future(worker.ask(request, search.info))
        stop = asyncio.ensure_future(search.stopped.wait())
        time_s = request.limit.time_s if isinstance(request, Start) else None
        grace_s = self._settings.grace_s
        late_s = self._settings.max_move_s if time_s is None else time_s * LATE_FACTOR + grace_s
        try:
            await asyncio.wait({answer, stop}, timeout=late_s, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                worker.stop(request.id)
                await asyncio.wait({answer}, timeout=grace_s)
            if not answer.done():
                raise PlayerTimeout(f"no answer {grace_s:g} s after the engine was told to stop")
            return answer.result()
        finally:
            for task in (answer, stop):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, PlayerError):
                    await task

    async def _worker(self) -> AnalysisProcess:
        """An idle worker, or a new one."""
        while self._idle:
            worker = self._idle.pop()
            if worker.is_alive and await worker.responds(PING_S):
                return worker
            await self._retire(worker)
        try:
            worker = AnalysisProcess(self._settings.worker_start)
        except OSError as error:
            raise PlayerCrashed(f"the engine process cannot be started: {error}") from error
        self._workers.add(worker)
        self._starting += 1
        try:
            await worker.start(self._settings.start_s)
        except BaseException:
            await self._retire(worker)
            raise
        finally:
            self._starting -= 1
        return worker

    async def _retire(self, worker: AnalysisProcess) -> None:
        self._workers.discard(worker)
        await worker.kill()

    async def _preload(self) -> None:
        self._busy += 1
        try:
            self._idle.append(await self._worker())
        except PlayerError as error:
            logger.error("the first engine process did not start: %s", error)
        finally:
            self._busy -= 1
            self._pump()
