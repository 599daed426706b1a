"""Searches for the window: the server's pool of worker processes, in a thread of its own.

The window's loop never searches and never waits: it asks, and gets called back through ``deliver``.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

from wuzi.apps.web.pool import Search, WorkerPool, failure_code
from wuzi.apps.web.settings import Settings
from wuzi.errors import PlayerError
from wuzi.protocols.analysis.queries import Describe, Start

Deliver = Callable[[Callable[[], None]], None]
"""Runs a function in the window's loop, soon; called from another thread."""

CLOSE_S = 5.0


class Question:
    """A search that somebody waits for; callbacks come in the window's loop, none after :meth:`cancel`."""

    def __init__(self, thinker: Thinker, request: Start | Describe) -> None:
        self.request = request
        self.began = time.monotonic()
        self.is_wanted = True
        self._thinker = thinker
        self._search: Search | None = None

    @property
    def elapsed_s(self) -> float:
        """Seconds since it was asked."""
        return time.monotonic() - self.began

    def stop(self) -> None:
        """Ask for the answer now."""
        self._thinker.call(self._stop)

    def cancel(self) -> None:
        """The answer is no longer wanted."""
        self.is_wanted = False
        self._thinker.call(self._cancel)

    def submitted(self, search: Search) -> None:
        """Note the pool's search, in the pool's thread."""
        self._search = search
        if not self.is_wanted:
            search.cancel()

    def _stop(self) -> None:
        if self._search is not None:
            self._search.stop()

    def _cancel(self) -> None:
        if self._search is not None:
            self._search.cancel()


class Thinker:
    """Runs searches in worker processes and brings back what they say.

    Args:
        deliver: how a call gets into the window's loop.
        settings: how many processes, started how.
    """

    def __init__(self, deliver: Deliver, settings: Settings | None = None) -> None:
        self._deliver = deliver
        self._settings = settings or Settings(workers=1)
        self._loop = asyncio.new_event_loop()
        self._pool = WorkerPool(self._settings)
        self._tasks: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._run, name="thinker", daemon=True)
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

    def ask(
        self,
        request: Start | Describe,
        on_done: Callable[[dict[str, Any]], None],
        on_failed: Callable[[str, str], None],
        on_info: Callable[[dict[str, Any]], None] | None = None,
        least_s: float = 0.0,
    ) -> Question:
        """Have a request answered.

        Args:
            request: what to think about.
            on_done: gets the final reply.
            on_failed: gets a code and a message instead.
            on_info: gets reports in between.
            least_s: keep the answer back until so many seconds have passed.
        """
        question = Question(self, request)

        def tell(call: Callable[[], None]) -> None:
            self._deliver(lambda: call() if question.is_wanted else None)

        def report(reply: dict[str, Any]) -> None:
            if on_info is not None:
                tell(lambda: on_info(reply))

        async def think() -> None:
            try:
                search = self._pool.submit(request, on_info=report)
                question.submitted(search)
                reply = await search.answer
                await asyncio.sleep(least_s - question.elapsed_s)
            except PlayerError as error:
                code, message = failure_code(error), str(error)
                tell(lambda: on_failed(code, message))
            except asyncio.CancelledError:
                return
            else:
                tell(lambda: on_done(reply))

        self.call(lambda: self._spawn(think()))
        return question

    def after(self, seconds: float, call: Callable[[], None]) -> None:
        """Run a call in the window's loop, so many seconds from now."""
        self.call(lambda: self._loop.call_later(seconds, lambda: self._deliver(call)))

    def call(self, function: Callable[[], object]) -> None:
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

    def _spawn(self, work: Any) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()
