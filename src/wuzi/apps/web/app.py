"""The application: routes, errors, limits and the life of its parts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.middleware.gzip import GZipMiddleware

from wuzi import __version__
from wuzi.apps.web import problems
from wuzi.apps.web.context import Context
from wuzi.apps.web.guard import Guard
from wuzi.apps.web.page import page_router
from wuzi.apps.web.routes import api, legacy, socket
from wuzi.apps.web.schemas_sockets import describe_sockets
from wuzi.apps.web.settings import Settings


def create_app(settings: Settings | None = None) -> FastAPI:
    """The application of one server; by default that of the user's own games."""
    chosen = settings or Settings()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.context = context = Context(chosen)
        await context.start()
        try:
            yield
        finally:
            await context.close()

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
