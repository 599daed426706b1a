"""The WebSockets of games and reviews: states and reports from the server; everything else goes by POST."""

from __future__ import annotations

import asyncio

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


@router.websocket("/ws/v1/reviews/{review_id}")
async def follow(socket: WebSocket, review_id: str, server: Server) -> None:
    """Follow a review while it is made."""
    await socket.accept()
    try:
        review = await server.reviews.get(review_id)
        server.reviews.join(review)
    except ProblemError as error:
        await socket.close(CLOSE_CODES.get(error.status, 1011), str(error)[:120])
        return
    viewer = Viewer(socket, server.settings.ping_s)
    following = asyncio.create_task(review.follow(viewer.send))
    try:
        await viewer.run()
    finally:
        review.viewers -= 1
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
