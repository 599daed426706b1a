"""The WebSockets: states and reports from the server; only a live analysis hears more than heartbeats.

::

    -> {"type":"start","id":"q7","position":{...},"engine":"engine","limit":{"time":5},"multipv":5}
    <- {"type":"queued","id":"q7","ahead":2}
    <- {"type":"info","id":"q7","seq":3,"isDuringSearch":true,"rootInfo":{},"moveInfos":[]}
    -> {"type":"stop","id":"q7"}                                                  answer now
    <- {"type":"done","id":"q7", ...}       or {"type":"error","id":"q7","code":"...","message":"..."}

A new ``start`` replaces the search that runs, ``cancel`` drops it without an answer, and so does closing the
socket. A slow reader misses older reports, never the newest.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, WebSocket
from pydantic import ValidationError

from wuzi.apps.web.analyst import Analyst, shaped
from wuzi.apps.web.context import Client, Lang, Server
from wuzi.apps.web.problems import ProblemError, status_and_code
from wuzi.apps.web.schemas_sockets import AnalysisMessage, AnalysisProblem, QueuedMessage, StartIn
from wuzi.apps.web.sockets import Viewer
from wuzi.errors import WuziError
from wuzi.games.pool import PoolSearch

logger = logging.getLogger(__name__)

router = APIRouter()

CLOSE_CODES = {404: 4404, 429: 4429}


@asynccontextmanager
async def _accepted(socket: WebSocket, server: Server) -> AsyncIterator[Viewer]:
    """A viewer behind the socket, which a problem closes with its code."""
    await socket.accept()
    viewer = Viewer(socket, server.settings.ping_s)
    try:
        yield viewer
    except ProblemError as error:
        await viewer.close(CLOSE_CODES.get(error.status, 1011), str(error)[:120])


@router.websocket("/ws/v1/games/{game_id}")
async def game(socket: WebSocket, game_id: str, server: Server) -> None:
    """Follow a game."""
    async with _accepted(socket, server) as viewer:
        with server.hub.reading(await server.hub.get(game_id), viewer):
            await viewer.run()


@router.websocket("/ws/v1/reviews/{review_id}")
async def review(socket: WebSocket, review_id: str, server: Server) -> None:
    """Follow a review while it is made."""
    async with _accepted(socket, server) as viewer:
        await viewer.run((await server.reviews.get(review_id)).follow(viewer))


@router.websocket("/ws/v1/arenas/{arena_id}")
async def arena(socket: WebSocket, arena_id: str, server: Server, lang: Lang = "en") -> None:
    """Follow an arena: its state whenever it changes, and the boards of the games in progress."""
    async with _accepted(socket, server) as viewer:
        watched = await server.arenas.get(arena_id)
        await viewer.run(server.arenas.follow(watched, viewer, lang))


@router.websocket("/ws/v1/runs/{run_id}")
async def run(socket: WebSocket, run_id: str, server: Server) -> None:
    """Follow a run: how it stands, and each row of figures as it is written."""
    async with _accepted(socket, server) as viewer:
        await viewer.run(server.runs.follow(run_id, viewer))


@router.websocket("/ws/v1/analysis")
async def analysis(socket: WebSocket, client: Client, server: Server) -> None:
    """Live analysis: one search at a time, cancelled when the socket closes."""
    async with _accepted(socket, server) as viewer:
        with server.analyst.socket(client):
            await LiveAnalysis(viewer, client, server.analyst).run()


class LiveAnalysis:
    """The searches of one socket, one at a time; ``client`` sits behind it."""

    def __init__(self, viewer: Viewer, client: str, analyst: Analyst) -> None:
        self._viewer = viewer
        viewer.on_message = self._receive
        self._client = client
        self._analyst = analyst
        self._id: str | None = None
        self._search: PoolSearch | None = None
        self._task: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Serve the socket until it closes."""
        try:
            await self._viewer.run()
        finally:
            self._drop()

    def _receive(self, message: dict[str, Any]) -> None:
        kind, request_id = message.get("type"), message.get("id")
        if kind == "start":
            self._begin(message)
        elif kind == "stop" and request_id == self._id and self._search is not None:
            self._search.stop()
        elif kind == "cancel" and request_id == self._id:
            self._drop()
        elif kind not in ("stop", "cancel", "pong"):
            self._fail(None, "validation", f"type {str(kind)[:40]!r}: expected start, stop, cancel or ping")

    def _begin(self, message: dict[str, Any]) -> None:
        try:
            request = StartIn.model_validate(message)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            given = message.get("id")
            self._fail(given if isinstance(given, str) else None, "validation", f"{where}: {first['msg']}")
            return
        self._drop()
        self._id = request.id
        self._task = asyncio.create_task(self._think(request))

    async def _think(self, request: StartIn) -> None:
        reports = 0

        def on_info(report: dict[str, Any]) -> None:
            nonlocal reports
            reports += 1
            said = {**report, "id": request.id, "type": "info", "seq": reports}
            self._send(AnalysisMessage.model_validate(said))

        def on_queue() -> None:
            if self._search is not None:
                self._send(QueuedMessage(id=request.id, ahead=self._search.ahead))

        search: PoolSearch | None = None
        try:
            ask = await self._analyst.resolve(request)
            search = self._search = self._analyst.start(
                self._client, ask, on_info, on_queue, report_every_s=request.report_every
            )
            on_queue()
            answer = shaped(ask, await search.answer)
            said = {**answer, "id": request.id, "type": "done", "seq": reports + 1}
            self._send(AnalysisMessage.model_validate(said | {"made_room": search.made_room}))
        except WuziError as error:
            self._fail(request.id, status_and_code(error)[1], str(error))
        except Exception as error:  # a bug must end in a message, not in a search that runs for ever
            logger.exception("analysis %s", request.id)
            self._fail(request.id, "internal", f"{type(error).__name__}: {error}")
        finally:
            if search is not None:
                search.cancel()

    def _drop(self) -> None:
        """Forget the search that runs, and what it has reported."""
        if self._search is not None:
            self._search.cancel()
        if self._task is not None:
            self._task.cancel()
        self._search, self._task, self._id = None, None, None
        self._viewer.drop("info", "queued", "done")

    def _send(self, message: AnalysisMessage | QueuedMessage) -> None:
        if message.id != self._id:
            return
        if message.type == "done":
            self._viewer.drop("info", "queued")
        self._viewer.send(message)

    def _fail(self, request_id: str | None, code: str, message: str) -> None:
        self._viewer.send(AnalysisProblem(id=request_id, code=code, message=message))
