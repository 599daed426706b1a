"""The WebSockets: values, states and reports from the server, and the questions of a page to its engines.

::

    -> {"type":"start","id":"q7","position":{...},"engine":"engine","limit":{"time":5},"multipv":5}
    <- {"type":"queued","id":"q7","ahead":2}
    <- {"type":"info","id":"q7","seq":3,"isDuringSearch":true,"rootInfo":{},"moveInfos":[]}
    -> {"type":"stop","id":"q7"}                                                  answer now
    <- {"type":"done","id":"q7", ...}       or {"type":"error","id":"q7","code":"...","message":"..."}
    -> {"type":"task","id":"q8","task":"judge","position":{...},"arguments":{...}}
    <- {"type":"result","id":"q8","result":{...}}

Questions with different ids are answered side by side, within the limits of a client; a question in place of
one that has its id ends that. ``cancel`` drops one without an answer, and so does closing the socket. A slow
reader misses older reports, never the newest.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import APIRouter, WebSocket
from pydantic import Field, TypeAdapter, ValidationError

from wuzi.apps.web.analyst import shaped
from wuzi.apps.web.context import Client, Context, Lang, Server
from wuzi.apps.web.problems import ProblemError, not_found, status_and_code
from wuzi.apps.web.schemas_sockets import (
    AnalysisMessage,
    AnalysisProblem,
    LookIn,
    Message,
    QueuedMessage,
    ResultMessage,
    StartIn,
    TaskIn,
)
from wuzi.apps.web.sockets import Viewer
from wuzi.apps.web.store import KINDS
from wuzi.errors import WuziError
from wuzi.games.pool import PoolSearch

logger = logging.getLogger(__name__)

router = APIRouter()

CLOSE_CODES = {404: 4404, 429: 4429}
MAX_OPEN = 16
"""Questions that one socket may have open."""


@asynccontextmanager
async def _accepted(socket: WebSocket, server: Server) -> AsyncIterator[Viewer]:
    """A viewer behind the socket, which a problem closes with its code."""
    await socket.accept()
    viewer = Viewer(socket, server.settings.ping_s)
    try:
        yield viewer
    except ProblemError as error:
        await viewer.close(CLOSE_CODES.get(error.status, 1011), str(error)[:120])


@router.websocket("/ws/v1/store/{kind}/{thing_id}")
async def stored(socket: WebSocket, kind: str, thing_id: str, server: Server) -> None:
    """Follow a game or a review."""
    async with _accepted(socket, server) as viewer:
        value = await server.store.get(kind, thing_id) if kind in KINDS else None
        if value is None:
            raise not_found(f"{kind} {thing_id[:40]!r}")
        with server.watchers.watching(kind, value, viewer):
            await viewer.run()


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
    """The questions of a page, cancelled when the socket closes."""
    async with _accepted(socket, server) as viewer:
        with server.analyst.socket(client):
            await Questions(viewer, client, server).run()


_ASKED: TypeAdapter[StartIn | TaskIn | LookIn] = TypeAdapter(
    Annotated[StartIn | TaskIn | LookIn, Field(discriminator="type")]
)


class Questions:
    """What one socket has asked; ``client`` sits behind it."""

    def __init__(self, viewer: Viewer, client: str, server: Context) -> None:
        self._viewer = viewer
        viewer.on_message = self._receive
        self._client = client
        self._server = server
        self._searches: dict[str, PoolSearch] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Serve the socket until it closes."""
        try:
            await self._viewer.run()
        finally:
            for name in list(self._tasks):
                self._drop(name)

    def _receive(self, message: dict[str, Any]) -> None:
        kind, name = message.get("type"), message.get("id")
        if kind in ("start", "task", "layers"):
            self._begin(message)
        elif kind == "stop" and name in self._searches:
            self._searches[name].stop()
        elif kind == "cancel":
            self._drop(name)
        elif kind not in ("stop", "pong"):
            expected = "expected start, task, layers, stop, cancel or ping"
            self._fail(None, "validation", f"type {str(kind)[:40]!r}: {expected}")

    def _begin(self, message: dict[str, Any]) -> None:
        try:
            request = _ASKED.validate_python(message)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"][1:])
            given = message.get("id")
            self._fail(given if isinstance(given, str) else None, "validation", f"{where}: {first['msg']}")
            return
        self._drop(request.id)
        if len(self._tasks) >= MAX_OPEN:
            self._fail(request.id, "limit_exceeded", f"{len(self._tasks)} questions are open on this socket")
            return
        task = self._tasks[request.id] = asyncio.create_task(self._answer(request))
        task.add_done_callback(lambda _: self._forget(request.id, task))

    async def _answer(self, request: StartIn | TaskIn | LookIn) -> None:
        search: PoolSearch | None = None

        def on_queue() -> None:
            if search is not None:
                self._send(QueuedMessage(id=request.id, ahead=search.ahead, begun=search.has_worker))

        try:
            search, shape = await self._submitted(request, on_queue)
            self._searches[request.id] = search
            on_queue()
            self._send(shape(await search.answer, search))
        except WuziError as error:
            log = "\n".join(getattr(error, "__notes__", ())) if self._server.settings.show_engine_log else ""
            self._fail(request.id, status_and_code(error)[1], str(error), log)
        except Exception as error:  # a bug must end in a message, not in a search that runs for ever
            logger.exception("question %s", request.id)
            self._fail(request.id, "engine_failed", f"{type(error).__name__}: {error}")
        finally:
            if search is not None:
                search.cancel()

    async def _submitted(
        self, request: StartIn | TaskIn | LookIn, on_queue: Callable[[], None]
    ) -> tuple[PoolSearch, Callable[[dict[str, Any], PoolSearch], Message]]:
        """The search for a question, and how its answer is told."""
        analyst, name = self._server.analyst, request.id
        if isinstance(request, StartIn):
            ask = await analyst.resolve(request)
            count = itertools.count(1)

            def told(kind: str, reply: dict[str, Any], **more: Any) -> AnalysisMessage:
                said = {**reply, "id": name, "type": kind, "seq": next(count), **more}
                return AnalysisMessage.model_validate(said)

            def done(reply: dict[str, Any], search: PoolSearch) -> Message:
                self._viewer.drop(f"info {name}")
                more = {"action": reply["action"], "resigned": reply.get("resigned", False)}
                return told("done", shaped(ask, reply), made_room=search.made_room, **more)

            def on_info(reply: dict[str, Any]) -> None:
                self._send(told("info", reply))

            every_s = request.report_every
            return analyst.start(self._client, ask, on_info, on_queue, report_every_s=every_s), done
        if isinstance(request, LookIn):
            return analyst.layers(self._client, request), lambda reply, _: ResultMessage(
                id=name, result=reply
            )
        search = analyst.task(self._client, request, on_queue)
        return search, lambda reply, _: ResultMessage(id=name, result=reply["result"])

    def _forget(self, name: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(name) is task:
            del self._tasks[name]
            self._searches.pop(name, None)

    def _drop(self, name: Any) -> None:
        """Forget a question, and what was reported of it."""
        if task := self._tasks.pop(name, None):
            task.cancel()
        if search := self._searches.pop(name, None):
            search.cancel()
        for kind in ("info", "queued", "done", "result", "error"):
            self._viewer.drop(f"{kind} {name}")

    def _send(self, message: Message) -> None:
        name = getattr(message, "id", None)
        if name in self._tasks:
            self._viewer.send(message, f"{message.type} {name}")

    def _fail(self, name: str | None, code: str, message: str, log: str = "") -> None:
        self._viewer.send(AnalysisProblem(id=name, code=code, message=message, log=log), f"error {name}")
