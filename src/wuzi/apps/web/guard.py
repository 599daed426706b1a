"""What every request must pass and every response carries: sizes, origins, hosts, security headers."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wuzi.apps.web.problems import problem_response
from wuzi.apps.web.settings import Settings

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
READ_ONLY_POSTS = frozenset({"/api/v1/records/parse", "/api/v1/records/convert", "/api/v1/positions"})
"""What a read-only server still answers although it is a POST: nothing is changed or searched."""

READ_ONLY_SOCKETS = ("/ws/v1/games/", "/ws/v1/runs/", "/ws/v1/arenas/", "/ws/v1/reviews/")
PAGE_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
    "script-src 'self' 'wasm-unsafe-eval'; form-action 'self'"
)
"""What the page may load; of code made at run time only WebAssembly, which the kernels are."""

SECURITY_HEADERS = {
    "content-security-policy": f"{PAGE_POLICY}; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """The outermost layer of the application.

    It refuses requests that another site makes a browser send (their Origin is not our host) where they could
    change something, unknown host names if the settings list the known ones, and what a read-only server
    does not do. A page on the internet cannot play on the server of somebody's own machine.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        kind = scope["type"]
        refusal = self._refusal(scope) if kind in ("http", "websocket") else None
        if kind == "http":
            send, receive = _with_headers(send, scope["path"]), self._counted(receive)
            if scope["method"] not in SAFE_METHODS:
                send = _after_storing(send, scope)
        if refusal is None:
            await self._app(scope, receive, send)
        elif kind == "http":
            await problem_response(*refusal)(scope, receive, send)
        else:
            await receive()
            await send({"type": "websocket.close", "code": 4403, "reason": refusal[2]})

    def _refusal(self, scope: Scope) -> tuple[int, str, str] | None:
        """Status, code and reason, if the request is refused unread."""
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        known = self._settings.allowed_hosts
        if known and (urlsplit(f"//{host}").hostname or "") not in known:
            return 403, "forbidden_origin", f"unknown host {host[:80]!r}: see WUZI_ALLOWED_HOSTS"
        changes = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if changes and origin is not None and urlsplit(origin).netloc != host:
            return 403, "forbidden_origin", f"origin {origin[:80]!r} is not this server"
        path: str = scope["path"]
        reads = not changes or path in READ_ONLY_POSTS or path.startswith(READ_ONLY_SOCKETS)
        if self._settings.read_only and not reads:
            return 403, "read_only", "this server shows games and changes nothing"
        length = headers.get("content-length", "0")
        if length.isdigit() and int(length) > self._settings.max_body:
            detail = f"a body of {length[:20]} bytes: expected at most {self._settings.max_body}"
            return 413, "limit_exceeded", detail
        return None

    def _counted(self, receive: Receive) -> Receive:
        """``receive``, which refuses a body that grows over the limit (chunked bodies name no length)."""
        total = 0

        async def counted() -> Message:
            nonlocal total
            message = await receive()
            total += len(message.get("body", b""))
            if total > self._settings.max_body:
                raise HTTPException(413, f"a body of over {self._settings.max_body} bytes")
            return message

        return counted


def _after_storing(send: Send, scope: Scope) -> Send:
    """``send``, which answers when the games are stored: what was answered for outlives a kill."""

    async def after_storing(message: Message) -> None:
        if message["type"] == "http.response.start":
            await scope["app"].state.context.hub.flush()
        await send(message)

    return after_storing


def _with_headers(send: Send, path: str) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
            if path.startswith("/api/"):
                headers.setdefault("cache-control", "no-store")
        await send(message)

    return with_headers
