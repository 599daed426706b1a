"""What every route needs, kept on the application."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Query
from starlette.requests import HTTPConnection

from wuzi.apps.web.analyst import Analyst
from wuzi.apps.web.arenas import ArenaHub
from wuzi.apps.web.engines import EngineList
from wuzi.apps.web.hub import Hub
from wuzi.apps.web.live import LiveGame
from wuzi.apps.web.results import Reporter, ResultShelf
from wuzi.apps.web.reviews import ReviewHub
from wuzi.apps.web.runs import RunHub
from wuzi.apps.web.schemas import Problem
from wuzi.apps.web.schemas_arena import Language
from wuzi.apps.web.settings import Settings
from wuzi.apps.web.trainer import Trainer
from wuzi.games.pool import WorkerPool


@dataclass(frozen=True, slots=True)
class Context:
    """The parts of a running server."""

    settings: Settings
    hub: Hub
    pool: WorkerPool
    engines: EngineList
    analyst: Analyst
    reviews: ReviewHub
    arenas: ArenaHub
    results: ResultShelf
    reporter: Reporter
    runs: RunHub
    trainer: Trainer


def _context(connection: HTTPConnection) -> Context:
    return cast(Context, connection.app.state.context)


Server = Annotated[Context, Depends(_context)]


def _client(connection: HTTPConnection) -> str:
    """Who asks, for limits: the network address."""
    return connection.client.host if connection.client else "?"


Lang = Annotated[Language, Query()]
Client = Annotated[str, Depends(_client)]


async def _game(game_id: str, server: Server) -> LiveGame:
    return await server.hub.get(game_id)


OneGame = Annotated[LiveGame, Depends(_game)]

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
