"""Asking the pool with callbacks, from its own loop (the web) or from another one (a window)."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from wuzi.errors import PlayerError
from wuzi.games.engine_process import OnReply
from wuzi.games.pool import PoolRequest, PoolSearch, WorkerPool, failure_code, process_log

logger = logging.getLogger(__name__)

Call = Callable[[], object]
OnFailed = Callable[[str, str, str], object]
"""Gets the stable word for a failure, a line for people, and the last lines of the process."""


class Bridge(NamedTuple):
    """How calls get from the asker's loop to the pool's and callbacks back; by default both are one."""

    call: Callable[[Call], object] = lambda call: call()
    deliver: Callable[[Call], object] = lambda call: call()


class Question:
    """An answer that somebody waits for; exactly one of the callbacks comes, and none after :meth:`cancel`.

    ``on_info`` gets the reports in between, ``on_queue`` is called when :attr:`ahead` has changed; the answer
    is kept back until ``least_s`` seconds have passed.
    """

    def __init__(
        self,
        pool: WorkerPool,
        request: PoolRequest,
        on_done: OnReply,
        on_failed: OnFailed,
        on_info: OnReply | None = None,
        on_queue: Call | None = None,
        *,
        least_s: float = 0.0,
        bridge: Bridge = Bridge(),
    ) -> None:
        self.request = request
        self.began = time.monotonic()
        self._pool = pool
        self._on_done, self._on_failed = on_done, on_failed
        self._on_info, self._on_queue = on_info, on_queue
        self._least_s = least_s
        self._call, self._deliver = bridge
        self._is_wanted = True
        self._search: PoolSearch | None = None
        self._task: asyncio.Task[None] | None = None
        self._call(self._begin)

    @property
    def elapsed_s(self) -> float:
        """Seconds since it was asked."""
        return time.monotonic() - self.began

    @property
    def ahead(self) -> int:
        """How many searches run or wait before this one."""
        return 0 if self._search is None else self._search.ahead

    def stop(self) -> None:
        """Ask for the answer now."""
        self._call(lambda: None if self._search is None else self._search.stop())

    def cancel(self) -> None:
        """The answer is no longer wanted."""
        self._is_wanted = False
        self._call(self._drop)

    def _begin(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._wait())

    def _drop(self) -> None:
        if self._task is not None:
            self._task.cancel()
        if self._search is not None:
            self._search.cancel()

    def _tell(self, call: Call) -> None:
        self._deliver(lambda: call() if self._is_wanted else None)

    async def _wait(self) -> None:
        on_info, on_queue = self._on_info, self._on_queue
        try:
            self._search = self._pool.submit(
                self.request,
                None if on_info is None else lambda reply: self._tell(lambda: on_info(reply)),
                None if on_queue is None else lambda: self._tell(on_queue),
            )
            reply: dict[str, Any] = await self._search.answer
            await asyncio.sleep(self._least_s - self.elapsed_s)
        except PlayerError as error:
            code, text, log = failure_code(error), str(error), process_log(error)
            self._tell(lambda: self._on_failed(code, text, log))
        except Exception as error:  # a bug must end in a message, not in an engine that thinks for ever
            logger.exception("%s", self.request.id)
            bug = f"{type(error).__name__}: {error}"
            self._tell(lambda: self._on_failed("engine_failed", bug, ""))
        else:
            self._tell(lambda: self._on_done(reply))
