"""What every route needs, kept on the application."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace
from typing import Annotated, Any, cast

from fastapi import Depends, Query
from starlette.requests import HTTPConnection

from wuzi.apps.web.analyst import Analyst
from wuzi.apps.web.arenas import ArenaHub
from wuzi.apps.web.engines import EngineList
from wuzi.apps.web.hub import Hub
from wuzi.apps.web.live import LiveGame
from wuzi.apps.web.problems import Problem
from wuzi.apps.web.results import Reporter, ResultShelf
from wuzi.apps.web.reviews import ReviewHub
from wuzi.apps.web.runs import RunHub
from wuzi.apps.web.schemas_jobs import Language
from wuzi.apps.web.settings import Settings
from wuzi.apps.web.store import GameStore
from wuzi.apps.web.trainer import Trainer
from wuzi.apps.web.warmer import Warmer
from wuzi.games.pool import WorkerPool


class Context:
    """The parts of a running server; made in its event loop."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.warmer = Warmer()
        self._warming: asyncio.Task[None] | None = None
        self.store = GameStore(settings.data_dir)
        self.pool = WorkerPool(settings)
        self.lookers = WorkerPool(replace(settings, workers=1))
        self.hub = Hub(settings, self.store, self.pool)
        self.engines = EngineList(self.pool)
        self.analyst = Analyst(settings, self.pool, self.lookers, self.engines)
        self.reviews = ReviewHub(settings.data_dir, self.pool, self.engines)
        self.arenas = ArenaHub(settings, self.pool)
        self.results = ResultShelf(settings.data_dir, settings.max_results)
        self.reporter = Reporter()
        self.trainer = Trainer(settings)
        self.runs = RunHub(settings, self.trainer)

    async def start(self) -> None:
        """Begin to warm a worker, and resume the jobs that the end of an earlier server has stopped."""
        self._warming = asyncio.create_task(self._warm())
        if not self.settings.read_only:
            await self.arenas.children.revive()
        await self.trainer.revive()

    async def _warm(self) -> None:
        await self.warmer.fill()
        self.pool.preload()

    async def close(self) -> None:
        """Stop everything and store what there is."""
        if self._warming is not None:
            self._warming.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._warming
        await self.warmer.close()
        outer = (self.runs, self.trainer, self.reporter, self.arenas, self.reviews, self.engines)
        for part in (*outer, self.hub, self.pool, self.lookers):
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


async def _game(game_id: str, server: Server) -> LiveGame:
    return await server.hub.get(game_id)


OneGame = Annotated[LiveGame, Depends(_game)]

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
