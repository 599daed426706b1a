"""Asking the pool with callbacks, from its own loop (the web) or from another one (a window)."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from functools import partial

from wuzi.errors import PlayerError
from wuzi.games.engine_process import OnReply
from wuzi.games.pool import PoolRequest, PoolSearch, WorkerPool, failure_code

logger = logging.getLogger(__name__)

Call = Callable[[], object]
OnFailed = Callable[[str, str, str], object]
"""Gets the stable word for a failure, a line for people, and the last lines of the process."""


class Asker:
    """Asks a pool from the pool's own loop; a face with another loop carries calls there and back."""

    def __init__(self, pool: WorkerPool) -> None:
        self._pool = pool

    @property
    def is_starting(self) -> bool:
        """Whether a worker process is being started, for which nobody's clock is charged."""
        return False

    def call(self, function: Call) -> None:
        """Run a function in the pool's loop."""
        function()

    def deliver(self, function: Call) -> None:
        """Run a function in the face's loop, soon."""
        function()

    def after(self, seconds: float, function: Call) -> None:
        """Run a function in the face's loop, so many seconds from now."""
        self.call(lambda: asyncio.get_running_loop().call_later(seconds, self.deliver, function))

    def ask(
        self,
        request: PoolRequest,
        on_done: OnReply,
        on_failed: OnFailed,
        on_info: OnReply | None = None,
        on_queue: Call | None = None,
        least_s: float = 0.0,
    ) -> Question:
        """Have a request answered; one of the first two callbacks comes, and none after a cancel.

        ``on_info`` gets the reports in between, ``on_queue`` is called when :attr:`Question.ahead` has
        changed; the answer is kept back until ``least_s`` seconds have passed.
        """
        question = Question(self)

        def tell(function: Call) -> None:
            self.deliver(lambda: function() if question.is_wanted else None)

        async def wait() -> None:
            try:
                question.search = search = self._pool.submit(
                    request,
                    None if on_info is None else lambda reply: tell(partial(on_info, reply)),
                    None if on_queue is None else lambda: tell(on_queue),
                )
                reply = await search.answer
                await asyncio.sleep(least_s - question.elapsed_s)
            except PlayerError as error:
                log = "\n".join(getattr(error, "__notes__", ()))  # of the process, where that failed
                tell(partial(on_failed, failure_code(error), str(error), log))
            except Exception as error:  # a bug must end in a message, not in an engine that thinks for ever
                logger.exception("%s", request.id)
                tell(partial(on_failed, "engine_failed", f"{type(error).__name__}: {error}", ""))
            else:
                tell(partial(on_done, reply))

        def begin() -> None:
            question.task = asyncio.get_running_loop().create_task(wait())

        self.call(begin)
        return question


class Question:
    """An answer that somebody waits for."""

    def __init__(self, asker: Asker) -> None:
        self.is_wanted = True
        self.search: PoolSearch | None = None
        self.task: asyncio.Task[None] | None = None
        self._asker = asker
        self._began = time.monotonic()

    @property
    def elapsed_s(self) -> float:
        """Seconds since it was asked."""
        return time.monotonic() - self._began

    @property
    def ahead(self) -> int:
        """How many searches run or wait before this one."""
        return 0 if self.search is None else self.search.ahead

    def stop(self) -> None:
        """Ask for the answer now."""
        self._asker.call(lambda: None if self.search is None else self.search.stop())

    def cancel(self) -> None:
        """The answer is no longer wanted."""
        self.is_wanted = False
        self._asker.call(lambda: None if self.task is None else self.task.cancel())
