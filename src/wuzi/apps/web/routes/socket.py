"""The WebSocket of a game: states and reports from the server; everything else goes by POST."""

from __future__ import annotations

from fastapi import APIRouter, WebSocket

from wuzi.apps.web.context import Server
from wuzi.apps.web.problems import ProblemError
from wuzi.apps.web.sockets import Viewer

router = APIRouter()

CLOSE_CODES = {404: 4404, 429: 4429}


@router.websocket("/ws/v1/games/{game_id}")
async def watch(socket: WebSocket, game_id: str, server: Server) -> None:
    """Follow a game."""
    await socket.accept()
    try:
        game = await server.hub.get(game_id)
        server.hub.check_sockets(game)
    except ProblemError as error:
        await socket.close(CLOSE_CODES.get(error.status, 1011), str(error)[:120])
        return
    viewer = Viewer(socket, server.settings.ping_s)
    server.hub.join(game, viewer)
    try:
        await viewer.run()
    finally:
        server.hub.leave(game, viewer)
