"""The pool of worker processes in a thread of its own: the window's loop asks, and gets called back."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

from wuzi.games.pool import PoolSettings, WorkerPool
from wuzi.games.question import Asker, Call

CLOSE_S = 5.0


class PoolThread(Asker):
    """Runs searches in worker processes; ``deliver`` runs a function in the window's loop, soon."""

    def __init__(self, deliver: Callable[[Call], None], settings: PoolSettings | None = None) -> None:
        super().__init__(WorkerPool(settings or PoolSettings(workers=1)))
        self._deliver = deliver
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="pool", daemon=True)
        self._thread.start()
        self.call(self._pool.preload)

    @property
    def is_starting(self) -> bool:
        """Whether a worker process is being started."""
        return self._pool.is_starting

    @property
    def pids(self) -> tuple[int, ...]:
        """The process ids of the workers."""
        return self._pool.pids

    def call(self, function: Call) -> None:
        """Run a function in the pool's thread; nothing after :meth:`close`."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function)

    def deliver(self, function: Call) -> None:
        """Run a function in the window's loop."""
        self._deliver(function)

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
