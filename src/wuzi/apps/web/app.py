"""The application: routes, errors, limits, and the built page for every address that is not the API's."""

from __future__ import annotations

import asyncio
import gzip
import html
import re
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import FileResponse, HTMLResponse
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles

from wuzi import __version__
from wuzi.apps.web import problems
from wuzi.apps.web.context import Context
from wuzi.apps.web.guard import Guard
from wuzi.apps.web.routes import api, legacy, socket
from wuzi.apps.web.schemas_sockets import describe_sockets
from wuzi.apps.web.settings import Settings
from wuzi.core import Game, Rule, Rules, kernel_cache


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
        servers=[{"url": chosen.root_path}] if chosen.root_path else None,
        generate_unique_id_function=_operation_id,
    )
    problems.install(app)
    for router in (api, socket.router, legacy.router, page_router(chosen.web_root, chosen.root_path)):
        app.include_router(router)
    app.add_middleware(GZipMiddleware, minimum_size=1024, compresslevel=6)
    app.add_middleware(Guard, settings=chosen)
    _complete_schema(app)
    return app


def prepare(app: FastAPI) -> threading.Thread:
    """Do what the first requests would hold up the event loop for.

    That is to work out all routes, now, and in the thread that is returned the schema and the kernels of the
    rule book, or before these are compiled what the page's own engine needs.
    """
    for route in app.routes:
        route.matches({"type": "http", "method": "GET", "path": "/", "headers": [], "app": app})
    thread = threading.Thread(target=_prepare, args=(app,), daemon=True)
    thread.start()
    return thread


def _prepare(app: FastAPI) -> None:
    from wuzi.apps.web.site_facts import FIRST_DATA, served

    if kernel_cache.is_warm():
        Game(Rules(rule=Rule.RENJU)).play(0).position.forbidden_mask()
    else:
        for name in FIRST_DATA:
            served(name)
    app.openapi()


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


COMPRESSED = frozenset({".css", ".html", ".js", ".json", ".svg", ".wasm", ".webmanifest"})
_OF_LENGTH = ("content-length", "accept-ranges")
FOREVER = "public, max-age=31536000, immutable"
_NOT_BUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>wuzi</title><body><div id="app">
<h1>wuzi</h1>
<p>The page is not built. From a clone run <code>make play</code>, or build it by hand:
<code>cd frontend &amp;&amp; npm ci &amp;&amp; npm run build</code>.</p>
<p lang="zh">页面尚未构建。请在仓库中运行 <code>make play</code>，或手动构建：
<code>cd frontend &amp;&amp; npm ci &amp;&amp; npm run build</code>。</p>
<p>Expected at <code>{place}</code>. The API works: <a href="{below}/openapi.json">/openapi.json</a>.</p>
</div></body></html>"""


def page_router(root: Path, below: str = "") -> APIRouter:
    """A router for everything that is not the API, from the folder of the built page; add it last.

    The page is told the path ``below`` which it is served.
    """
    router = APIRouter(include_in_schema=False)
    files = StaticFiles(directory=root, check_dir=False)

    @router.api_route("/{path:path}", methods=["GET", "HEAD"])
    async def page(path: str, request: Request) -> Response:
        if path.split("/", maxsplit=1)[0] in ("api", "ws"):
            raise _no_such_route(request)
        try:
            response = await files.get_response(path or "index.html", request.scope)
        except HTTPException as error:
            if not (root / "index.html").is_file():
                return HTMLResponse(_NOT_BUILT.format(place=html.escape(str(root)), below=below), 503)
            if error.status_code != 404 or path.startswith("assets/"):
                raise
            response = await files.get_response("index.html", request.scope)
        if below and isinstance(response, FileResponse) and Path(response.path) == root / "index.html":
            changed_ns = (root / "index.html").stat().st_mtime_ns
            response = HTMLResponse(_index(root / "index.html", changed_ns, below))
        response.headers["cache-control"] = FOREVER if path.startswith("assets/") else "no-cache"
        return await _compressed(response, request)

    return router


async def _compressed(response: Response, request: Request) -> Response:
    """A whole file of text or code for a browser that takes it compressed; anything else as it is."""
    wanted = "gzip" in request.headers.get("accept-encoding", "") and "range" not in request.headers
    if request.method != "GET" or not wanted or not isinstance(response, FileResponse):
        return response
    path, facts = Path(response.path), response.stat_result
    if facts is None or path.suffix not in COMPRESSED:
        return response
    body = await asyncio.to_thread(_packed, path, facts.st_mtime_ns)
    headers = {name: value for name, value in response.headers.items() if name not in _OF_LENGTH}
    return Response(body, headers=headers | {"content-encoding": "gzip", "vary": "Accept-Encoding"})


@lru_cache(maxsize=2)
def _index(path: Path, changed_ns: int, below: str) -> str:
    """The page with its addresses below a path, which it names; a new build has another time."""
    text = re.sub(r'((?:href|src)=")/(?!/)', rf"\1{below}/", path.read_text(encoding="utf-8"))
    return text.replace("</head>", f'<meta name="wuzi-root" content="{below}" /></head>', 1)


@lru_cache(maxsize=256)
def _packed(path: Path, changed_ns: int) -> bytes:
    """A file of the page, compressed once and not in the event loop; a new build has another time."""
    return gzip.compress(path.read_bytes(), mtime=0)


def _no_such_route(request: Request) -> HTTPException:
    """404, or 405 with the methods that the address knows."""
    methods = set()
    for template, operations in request.app.openapi()["paths"].items():
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), request.url.path):
            methods |= {method.upper() for method in operations}
    if methods:
        return HTTPException(405, "Method Not Allowed", {"Allow": ", ".join(sorted(methods))})
    return HTTPException(404, "Not Found")
