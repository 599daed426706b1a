"""A reverse proxy as small as can be: it serves another server below a path, WebSockets included."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def proxied(upstream: int, below: str, *, strips: bool) -> Iterator[str]:
    """Serve the server at a port of this machine below a path, and give that address.

    Like most proxies it asks upstream by the upstream's own name and says in headers what it was asked for.
    It takes the path off if it ``strips``. Any other path is 404.
    """

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin1")
        method, path, rest = re.split(" ", head, maxsplit=2)
        if not path.startswith(below):
            writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            writer.close()
            return
        path = (path[len(below) :] or "/") if strips else path
        host = re.search(r"(?im)^host: *(\S+)", rest)
        forwarded = f"X-Forwarded-Host: {host[1] if host else ''}\r\nX-Forwarded-Proto: http\r\n"
        rest = re.sub(r"(?im)^host:.*\r\n", f"Host: 127.0.0.1:{upstream}\r\n{forwarded}", rest)
        if not re.search(r"(?im)^upgrade:", rest):  # one request a connection, so that each is looked at
            rest = re.sub(r"(?im)^connection:.*\r\n", "", rest).replace(
                "\r\n", "\r\nConnection: close\r\n", 1
            )
        other, sender = await asyncio.open_connection("127.0.0.1", upstream)
        sender.write(f"{method} {path} {rest}".encode("latin1"))
        try:
            await asyncio.gather(passed_on(reader, sender), passed_on(other, writer), return_exceptions=True)
        finally:
            sender.close()
            writer.close()

    async def passed_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()
        finally:
            writer.close()

    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    begun = asyncio.start_server(serve, "127.0.0.1", 0)
    server = asyncio.run_coroutine_threadsafe(begun, loop).result(30)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}{below}"
    finally:
        asyncio.run_coroutine_threadsafe(ended(server), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def ended(server: asyncio.Server) -> None:
    """Close the proxy and what it serves."""
    server.close()
    works = asyncio.all_tasks() - {asyncio.current_task()}
    for work in works:
        work.cancel()
    await asyncio.gather(*works, return_exceptions=True)
