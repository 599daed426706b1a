"""A reader behind a WebSocket: the newest state and report, never a backlog."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Coroutine
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from wuzi.apps.web.schemas_sockets import Message, PingMessage

MAX_MESSAGE = 1 << 15


class Viewer:
    """An accepted socket. A slow one misses older states and reports, but never the newest.

    Messages that are no pings go to ``on_message``.
    """

    def __init__(self, socket: WebSocket, ping_s: float) -> None:
        self._socket = socket
        self._ping_s = ping_s
        self.on_message: Callable[[dict[str, Any]], None] | None = None
        self._outbox: dict[str, str] = {}
        self._wake = asyncio.Event()

    def send(self, message: Message, key: str = "") -> None:
        """Queue a message in place of an unsent one with its key (default: its type)."""
        self._outbox[key or message.type] = message.model_dump_json(by_alias=True)
        self._wake.set()

    def drop(self, key: str) -> None:
        """Forget an unsent message."""
        self._outbox.pop(key, None)

    async def run(self, *more: Coroutine[Any, Any, None]) -> None:
        """Serve the socket until it closes, or until one of ``more`` ends that work meanwhile."""
        works = (self._write(), self._read(), self._heartbeat(), *more)
        tasks = [asyncio.create_task(work) for work in works]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        except (WebSocketDisconnect, RuntimeError):  # RuntimeError: a send after the other side closed
            pass
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def close(self, code: int, reason: str | None = None) -> None:
        """Close the socket from this side."""
        with contextlib.suppress(RuntimeError):
            await self._socket.close(code, reason)

    async def _write(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._outbox:
                await self._socket.send_text(self._outbox.pop(next(iter(self._outbox))))

    async def _read(self) -> None:
        while True:
            received = await self._socket.receive()
            if received["type"] == "websocket.disconnect":
                raise WebSocketDisconnect(received["code"])
            message = received.get("text")
            if message is None or len(message) > MAX_MESSAGE:
                await self.close(1003 if message is None else 1009)
                return
            with contextlib.suppress(ValueError, RecursionError):
                data = json.loads(message)
                if not isinstance(data, dict):
                    continue
                if data.get("type") == "ping":
                    self.send(PingMessage(type="pong"))
                elif self.on_message is not None:
                    self.on_message(data)

    async def _heartbeat(self) -> None:
        while True:
            await asyncio.sleep(self._ping_s)
            self.send(PingMessage())
