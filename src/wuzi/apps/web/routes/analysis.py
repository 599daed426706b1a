"""Analysis: one-shot requests, layers, nets."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request

from wuzi.apps.web.analyst import disconnected, list_nets, shaped
from wuzi.apps.web.context import PROBLEMS, Client, Server
from wuzi.apps.web.problems import ProblemError
from wuzi.apps.web.schemas_analysis import AnalysisOut, AnalyzeIn, LayersIn, LayersOut, NetOut
from wuzi.games.pool import PoolSearch

router = APIRouter(tags=["analysis"], responses=PROBLEMS)


@router.post("/analyze", response_model_exclude_none=False)
async def analyze(body: AnalyzeIn, request: Request, client: Client, server: Server) -> AnalysisOut:
    """Analyse a position until the limit; a client that goes away cancels its search."""
    ask = await server.analyst.resolve(body)
    search = server.analyst.start(client, ask)
    return AnalysisOut.model_validate(shaped(ask, await answer_of(search, request)))


@router.post("/layers")
async def layers(body: LayersIn, request: Request, client: Client, server: Server) -> LayersOut:
    """What can be said of a position at a glance: threats, forced wins, scores, a net, a tree, words."""
    search = server.analyst.layers(client, body)
    return LayersOut.model_validate(await answer_of(search, request))


@router.get("/nets")
async def nets() -> list[NetOut]:
    """The nets of this server: for the engines az and policy, and for the layer net."""
    return await asyncio.to_thread(list_nets)


async def answer_of(search: PoolSearch, request: Request) -> dict[str, Any]:
    """The answer of a search, unless its client goes away first."""
    gone = asyncio.ensure_future(disconnected(request.receive))
    try:
        waiting: set[asyncio.Future[Any]] = {search.answer, gone}
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if not search.answer.done():
            raise ProblemError(503, "engine_timeout", "the client has gone")
        return search.answer.result()
    finally:
        gone.cancel()
        search.cancel()
