"""The application: routes, errors, limits and the life of its parts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.middleware.gzip import GZipMiddleware

from wuzi import __version__
from wuzi.apps.web import problems
from wuzi.apps.web.analyst import Analyst
from wuzi.apps.web.arenas import ArenaHub
from wuzi.apps.web.context import Context
from wuzi.apps.web.engines import EngineList
from wuzi.apps.web.guard import Guard
from wuzi.apps.web.hub import Hub
from wuzi.apps.web.page import page_router
from wuzi.apps.web.results import Reporter, ResultShelf
from wuzi.apps.web.reviews import ReviewHub
from wuzi.apps.web.routes import api, legacy, socket
from wuzi.apps.web.runs import RunHub
from wuzi.apps.web.schemas_sockets import describe_sockets
from wuzi.apps.web.settings import Settings
from wuzi.apps.web.store import GameStore
from wuzi.apps.web.trainer import Trainer
from wuzi.games.pool import WorkerPool


def create_app(settings: Settings | None = None) -> FastAPI:
    """The application of one server; by default that of the user's own games."""
    chosen = settings or Settings()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        store = GameStore(chosen.data_dir)
        pool = WorkerPool(chosen)
        hub = Hub(chosen, store, pool)
        engines = EngineList(pool)
        lookers = WorkerPool(replace(chosen, workers=1))
        trainer = Trainer(chosen)
        parts = app.state.context = Context(
            settings=chosen,
            hub=hub,
            pool=pool,
            engines=engines,
            analyst=Analyst(chosen, pool, lookers, engines),
            reviews=ReviewHub(chosen.data_dir, pool, engines),
            arenas=ArenaHub(chosen, pool),
            results=ResultShelf(chosen.data_dir, chosen.max_results),
            reporter=Reporter(),
            runs=RunHub(chosen, trainer),
            trainer=trainer,
        )
        pool.preload()
        if not chosen.read_only:
            await parts.arenas.children.revive()
        await trainer.revive()
        try:
            yield
        finally:
            closing = (parts.runs, trainer, parts.reporter, parts.arenas, parts.reviews, engines, hub, pool)
            for part in (*closing, lookers):
                await part.close()
            store.close()

    app = FastAPI(
        title="wuzi",
        version=__version__,
        summary="Play and study five in a row.",
        description="Win rates are Black's, cells are text such as h8, times are seconds.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=_operation_id,
    )
    problems.install(app)
    for router in (api, socket.router, legacy.router, page_router(chosen.web_root)):
        app.include_router(router)
    app.add_middleware(GZipMiddleware, minimum_size=1024)
    app.add_middleware(Guard, settings=chosen)
    _complete_schema(app)
    return app


def _operation_id(route: APIRoute) -> str:
    return f"{route.tags[0]}_{route.name}" if route.tags else route.name


def _complete_schema(app: FastAPI) -> None:
    """Say in the schema, too, what the sockets send, and that errors are problem+json."""
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = plain()
            describe_sockets(schema)
            for path in schema["paths"].values():
                for operation in path.values():
                    for status, response in operation["responses"].items():
                        if status >= "400" and "application/json" in response.get("content", {}):
                            response["content"] = {
                                problems.MEDIA_TYPE: response["content"]["application/json"]
                            }
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]
