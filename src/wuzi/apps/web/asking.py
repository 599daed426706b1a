"""Named tasks on the workers: the one place that knows how the pool is asked for them."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from typing import Any

from wuzi.games.pool import PoolSearch, WorkerPool
from wuzi.protocols.analysis.queries import NamedTask


class Asker:
    """Asks workers for steps of reviews and for judgements of moves.

    Args:
        pool: where the work is done.
    """

    def __init__(self, pool: WorkerPool) -> None:
        self._pool = pool

    async def ask(
        self, task: str, arguments: Mapping[str, Any], on_ahead: Callable[[int], None] | None = None
    ) -> dict[str, Any]:
        """The result of a task. Cancelling the caller frees the worker.

        Args:
            task: its name, see :mod:`wuzi.analysis.named_tasks`.
            arguments: what it needs.
            on_ahead: called with the number of searches before it whenever that changes.

        Raises:
            PlayerError: no worker could do it.
        """
        request = NamedTask(f"{task}-{secrets.token_hex(6)}", task, arguments)
        search: PoolSearch | None = None

        def on_queue() -> None:
            if on_ahead is not None and search is not None:  # not yet while it is submitted
                on_ahead(search.ahead)

        search = self._pool.submit(request, on_queue=on_queue, background=True, retries=1)
        on_queue()
        try:
            reply = await search.answer
        except BaseException:
            search.cancel()
            raise
        result: dict[str, Any] = reply["result"]
        return result
