"""The built page: files with the right cache headers, and the page itself for every address of its own."""

from __future__ import annotations

import html
import re
from pathlib import Path

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

FOREVER = "public, max-age=31536000, immutable"
_NOT_BUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>wuzi</title><body><div id="app">
<h1>wuzi</h1>
<p>The page is not built. From a clone run <code>make play</code>, or build it by hand:
<code>cd frontend &amp;&amp; npm ci &amp;&amp; npm run build</code>.</p>
<p lang="zh">页面尚未构建。请在仓库中运行 <code>make play</code>，或手动构建：
<code>cd frontend &amp;&amp; npm ci &amp;&amp; npm run build</code>。</p>
<p>Expected at <code>{place}</code>. The API works: <a href="/openapi.json">/openapi.json</a>.</p>
</div></body></html>"""


def page_router(root: Path) -> APIRouter:
    """A router for everything that is not the API, from the folder of the built page; add it last."""
    router = APIRouter(include_in_schema=False)
    files = StaticFiles(directory=root, check_dir=False)

    @router.api_route("/{path:path}", methods=["GET", "HEAD"])
    async def page(path: str, request: Request) -> Response:
        if path.split("/", maxsplit=1)[0] in ("api", "ws"):
            raise _no_such_route(request)
        if not (root / "index.html").is_file():
            return HTMLResponse(_NOT_BUILT.format(place=html.escape(str(root))), 503)
        try:
            response = await files.get_response(path or "index.html", request.scope)
        except HTTPException as error:
            if error.status_code != 404 or path.startswith("assets/"):
                raise
            response = await files.get_response("index.html", request.scope)
        response.headers["cache-control"] = FOREVER if path.startswith("assets/") else "no-cache"
        return response

    return router


def _no_such_route(request: Request) -> HTTPException:
    """404, or 405 with the methods that the address knows."""
    methods = set()
    for template, operations in request.app.openapi()["paths"].items():
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), request.url.path):
            methods |= {method.upper() for method in operations}
    if methods:
        return HTTPException(405, "Method Not Allowed", {"Allow": ", ".join(sorted(methods))})
    return HTTPException(404, "Not Found")
