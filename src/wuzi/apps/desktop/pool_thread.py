"""The pool of worker processes in a thread of its own: the window's loop asks, and gets called back."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

from wuzi.games.engine_process import OnReply
from wuzi.games.pool import PoolRequest, PoolSettings, WorkerPool
from wuzi.games.question import Bridge, Call, OnFailed, Question

CLOSE_S = 5.0


class PoolThread:
    """Runs searches in worker processes; ``deliver`` runs a function in the window's loop, soon."""

    def __init__(self, deliver: Callable[[Call], None], settings: PoolSettings | None = None) -> None:
        self._deliver = deliver
        self._loop = asyncio.new_event_loop()
        self._pool = WorkerPool(settings or PoolSettings(workers=1))
        self._thread = threading.Thread(target=self._run, name="pool", daemon=True)
        self._thread.start()
        self._call(self._pool.preload)

    @property
    def is_starting(self) -> bool:
        """Whether a worker process is being started."""
        return self._pool.is_starting

    @property
    def pids(self) -> tuple[int, ...]:
        """The process ids of the workers."""
        return self._pool.pids

    def ask(
        self,
        request: PoolRequest,
        on_done: OnReply,
        on_failed: OnFailed,
        on_info: OnReply | None = None,
        least_s: float = 0.0,
    ) -> Question:
        """Have a request answered; see :class:`~wuzi.games.question.Question`."""
        bridge = Bridge(self._call, self._deliver)
        return Question(self._pool, request, on_done, on_failed, on_info, least_s=least_s, bridge=bridge)

    def after(self, seconds: float, call: Call) -> None:
        """Run a call in the window's loop, so many seconds from now."""
        self._call(lambda: self._loop.call_later(seconds, lambda: self._deliver(call)))

    def _call(self, function: Call) -> None:
        """Run a function in the pool's thread; nothing after :meth:`close`."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function)

    def close(self) -> None:
        """End all searches and processes."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(self._pool.close(), self._loop).result(CLOSE_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CLOSE_S)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()
