"""The WebSockets: states and reports from the server; only an analysis hears more than heartbeats."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import APIRouter, WebSocket

from wuzi.apps.web.context import Client, Server
from wuzi.apps.web.live_analysis import LiveAnalysis
from wuzi.apps.web.problems import ProblemError
from wuzi.apps.web.routes.reports import Lang
from wuzi.apps.web.sockets import Viewer

router = APIRouter()

CLOSE_CODES = {404: 4404, 429: 4429}


@asynccontextmanager
async def _accepted(socket: WebSocket, server: Server) -> AsyncIterator[Viewer]:
    """A viewer behind the socket, which a problem closes with its code."""
    await socket.accept()
    try:
        yield Viewer(socket, server.settings.ping_s)
    except ProblemError as error:
        await socket.close(CLOSE_CODES.get(error.status, 1011), str(error)[:120])


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
        with server.reviews.reading(await server.reviews.get(review_id), viewer):
            await viewer.run()


@router.websocket("/ws/v1/arenas/{arena_id}")
async def arena(socket: WebSocket, arena_id: str, server: Server, lang: Lang = "en") -> None:
    """Follow an arena: its state whenever it changes, and the boards of the games in progress."""
    async with _accepted(socket, server) as viewer:
        with server.arenas.reading(await server.arenas.get(arena_id), viewer, lang):
            await viewer.run()


@router.websocket("/ws/v1/runs/{run_id}")
async def run(socket: WebSocket, run_id: str, server: Server) -> None:
    """Follow a run: how it stands, and each row of figures as it is written."""
    async with _accepted(socket, server) as viewer, server.runs.reading(run_id, viewer):
        await viewer.run()


@router.websocket("/ws/v1/analysis")
async def analysis(socket: WebSocket, client: Client, server: Server) -> None:
    """Live analysis: one search at a time, cancelled when the socket closes."""
    async with _accepted(socket, server) as viewer:
        with server.analyst.socket(client):
            await LiveAnalysis(viewer, client, server.analyst).run()
