"""What every route needs, kept on the application."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import replace
from typing import Annotated, Any, cast

from fastapi import Depends, Query
from starlette.requests import HTTPConnection

from wuzi.apps.web.analyst import Analyst
from wuzi.apps.web.arenas import ArenaHub
from wuzi.apps.web.engines import EngineList
from wuzi.apps.web.legacy_games import LegacyGames
from wuzi.apps.web.problems import Problem
from wuzi.apps.web.results import Reporter, ResultShelf
from wuzi.apps.web.runs import RunHub
from wuzi.apps.web.schemas_jobs import Language
from wuzi.apps.web.settings import Settings
from wuzi.apps.web.store import Store
from wuzi.apps.web.trainer import Trainer
from wuzi.apps.web.warmer import Warmer
from wuzi.apps.web.watchers import Watchers
from wuzi.games.pool import WorkerPool

logger = logging.getLogger(__name__)

SWEEP_S = 60.0
MAX_REVIEWS = 200


class Context:
    """The parts of a running server; made in its event loop."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.warmer = Warmer()
        self._tasks: list[asyncio.Task[None]] = []
        self.loop = asyncio.get_running_loop()
        self.store = Store(settings.data_dir)
        self.watchers = Watchers(settings)
        self.pool = WorkerPool(settings)
        self.lookers = WorkerPool(replace(settings, workers=1))
        self.engines = EngineList(self.pool)
        self.analyst = Analyst(settings, self.pool, self.lookers, self.engines)
        self.legacy_games = LegacyGames(self.pool, settings.max_games)
        self.arenas = ArenaHub(settings, self.pool)
        self.results = ResultShelf(settings.data_dir, settings.max_results)
        self.reporter = Reporter()
        self.trainer = Trainer(settings)
        self.runs = RunHub(settings, self.trainer)

    async def start(self) -> None:
        """Begin to warm a worker, and resume the jobs that the end of an earlier server has stopped."""
        self._tasks = [asyncio.create_task(self._warm()), asyncio.create_task(self._sweep())]
        if not self.settings.read_only:
            await self.arenas.children.revive()
        await self.trainer.revive()

    async def _warm(self) -> None:
        await self.warmer.fill()
        self.pool.preload()
        if not self.settings.read_only:
            await self.store.take_in(self.settings.data_dir / "reviews")

    async def _sweep(self) -> None:
        while True:
            await self.sweep()
            await asyncio.sleep(SWEEP_S)

    async def sweep(self) -> None:
        """Old games and reviews leave the store, but never a demo's."""
        if self.settings.read_only:
            return
        before = time.time() - self.settings.keep_days * 86_400
        for kind, most in (("games", self.settings.max_games), ("reviews", MAX_REVIEWS)):
            if removed := await self.store.prune(kind, before if kind == "games" else 0.0, most):
                logger.info("%d old %s were removed", removed, kind)

    async def close(self) -> None:
        """Stop everything and store what there is."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.warmer.close()
        outer = (self.runs, self.trainer, self.reporter, self.arenas, self.engines)
        for part in (*outer, self.pool, self.lookers):
            await part.close()
        self.store.close()


async def _context(connection: HTTPConnection) -> Context:
    # Not a plain function: each request would wait for a thread.
    return cast(Context, connection.app.state.context)


Server = Annotated[Context, Depends(_context)]


async def _client(connection: HTTPConnection) -> str:
    """Who asks, for limits: the network address."""
    return connection.client.host if connection.client else "?"


Lang = Annotated[Language, Query()]
Client = Annotated[str, Depends(_client)]


GZIP = "application/gzip"
PACKED: dict[int | str, dict[str, Any]] = {200: {"content": {GZIP: {}}, "description": "The file."}}
PROBLEMS: dict[int | str, dict[str, object]] = {
    status: {"model": Problem, "description": text}
    for status, text in {
        400: "The body is not what it claims to be.",
        403: "Another site asked.",
        404: "There is no such thing.",
        409: "The game does not allow it now.",
        413: "The body is too large.",
        422: "Bad input.",
        429: "Over a limit of this server.",
        500: "The server failed.",
        503: "The engines are not ready.",
    }.items()
}
