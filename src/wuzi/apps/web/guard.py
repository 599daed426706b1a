"""What every request must pass and every response carries: sizes, origins, hosts, security headers."""

from __future__ import annotations

from typing import Any, cast
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from wuzi.apps.web.problems import problem_response
from wuzi.apps.web.settings import Settings

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
READ_ONLY_POSTS = frozenset({"/api/v1/records/parse", "/api/v1/records/convert", "/api/v1/records/review"})
"""What a read-only server still answers although it is a POST: nothing is changed or searched."""

READ_ONLY_SOCKETS = ("/ws/v1/store/", "/ws/v1/runs/", "/ws/v1/arenas/")
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
    does not do. A page on the internet cannot play on the server of somebody's own machine. What proxies say
    of the client is taken from those only that the settings trust; the path below which they serve this
    server is taken off here.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._proxied = ProxyHeadersMiddleware(cast(Any, app), settings.forwarded_allow_ips)
        self._app = cast(ASGIApp, self._proxied)
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        kind, root = scope["type"], self._settings.root_path
        if kind == "http" and scope["path"] == root != "":
            await RedirectResponse(f"{root}/", 308)(scope, receive, send)
            return
        scope = _below(scope, root)
        refusal = self._refusal(scope) if kind in ("http", "websocket") else None
        if kind == "http":
            send, receive = _with_headers(send, scope["path"], root), self._counted(receive)
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
        hosts, origin, known = (
            self._hosts(scope, headers),
            headers.get("origin"),
            self._settings.allowed_hosts,
        )
        for host in hosts if known else ():
            if _host_and_port(host, None)[0] not in known:
                return 403, "forbidden_origin", f"unknown host {host[:80]!r}: see WUZI_ALLOWED_HOSTS"
        changes = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if changes and origin is not None and not is_same_origin(origin, hosts[-1]):
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

    def _hosts(self, scope: Scope, headers: Headers) -> list[str]:
        """The host that was asked for, and after it the one that a trusted proxy in front was asked for.

        Both have to be known: a page that got our address for its own name could send the second header.
        """
        hosts, client = [headers.get("host", "")], scope.get("client")
        forwarded = headers.get("x-forwarded-host")
        if forwarded and client is not None and client[0] in self._proxied.trusted_hosts:
            hosts.append(forwarded.rpartition(",")[2].strip())  # the last is what that proxy itself has added
        return hosts

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


_DEFAULT_PORTS = {"http": 80, "https": 443}


def is_same_origin(origin: str, host: str) -> bool:
    """Whether a browser's Origin is that of the host that it asked for; ports may be left out as usual.

    The scheme is the browser's: behind a proxy it is not that of the connection.

    >>> is_same_origin("https://play.example.org", "Play.example.org:443")
    True
    >>> is_same_origin("https://play.example.org", "play.example.org:80")
    False
    """
    scheme, mark, rest = origin.partition("://")
    default = _DEFAULT_PORTS.get(scheme.lower())
    if not mark or default is None or not rest or set(rest) & set("@/?#\\"):
        return False
    theirs = _host_and_port(rest, default)
    return theirs[0] != "" and theirs == _host_and_port(host, default)


def _host_and_port(text: str, default: int | None) -> tuple[str, int | None]:
    """A host in lower case, and its port; an empty host for what is none."""
    try:
        found = urlsplit(f"//{text}")
        port = found.port
    except ValueError:
        return "", None
    return found.hostname or "", default if port is None else port


def _below(scope: Scope, root: str) -> Scope:
    """A request without the path below which a proxy serves this server; some proxies take it off."""
    if not root or not scope.get("path", "").startswith(f"{root}/"):
        return scope
    raw = scope.get("raw_path") or b""
    inner = raw[len(root) :] if raw.startswith(root.encode()) else None
    return {**scope, "path": scope["path"][len(root) :], "raw_path": inner}


def _with_headers(send: Send, path: str, root: str) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
            if path.startswith("/api/"):
                headers.setdefault("cache-control", "no-store")
            if root and headers.get("location", "").startswith("/"):
                headers["location"] = root + headers["location"]
        await send(message)

    return with_headers
