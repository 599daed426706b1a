"""Analysis: one-shot requests, what the page's own engine needs, and nets."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response

from wuzi.apps.web import schemas_analysis as wire
from wuzi.apps.web.analyst import list_nets, shaped
from wuzi.apps.web.context import GZIP, PACKED, PROBLEMS, Client, Server
from wuzi.apps.web.problems import ProblemError
from wuzi.apps.web.schemas import RuleName
from wuzi.apps.web.schemas_system import NetOut
from wuzi.core import Rule, Rules
from wuzi.games.pool import PoolSearch

router = APIRouter(tags=["analysis"], responses=PROBLEMS)


@router.post("/analyze", response_model_exclude_none=False)
async def analyze(body: wire.AnalyzeIn, request: Request, client: Client, server: Server) -> wire.AnalysisOut:
    """Analyse a position until the limit; a client that goes away cancels its search."""
    ask = await server.analyst.resolve(body)
    search = server.analyst.start(client, ask)
    return wire.AnalysisOut.model_validate(shaped(ask, await answer_of(search, request)))


@router.get("/tables", response_class=Response, responses=PACKED)
async def tables(
    rule: RuleName = "freestyle", win_length: Annotated[int, Query(alias="winLength", ge=4, le=5)] = 5
) -> Response:
    """What kernels in the page find threats by, compressed: for four or five in a row under a rule."""
    from wuzi.apps.web.site_facts import threat_tables

    rules = Rules(win_length=win_length, rule=Rule[rule.upper()])
    content = await asyncio.to_thread(threat_tables, rules.rule, rules.win_length)
    return Response(content, media_type=GZIP, headers={"Cache-Control": "private, max-age=3600"})


@router.get("/data/{name}", response_class=Response, responses=PACKED)
async def data(name: Annotated[str, Path(max_length=40)]) -> Response:
    """What the page's own engine needs, compressed: ``facts``, ``puzzles``, or a rule's tables and net."""
    from wuzi.apps.web.site_facts import served

    content = await asyncio.to_thread(served, name)
    if content is None:
        raise ProblemError(404, "not_found", f"data {name!r}: expected facts, puzzles or RULE-LENGTH")
    return Response(content, media_type=GZIP, headers={"Cache-Control": "no-cache"})


@router.get("/nets")
async def nets() -> list[NetOut]:
    """The nets of this server: for the engines az and policy, and for the layer net."""
    return await asyncio.to_thread(list_nets)


async def answer_of(search: PoolSearch, request: Request) -> dict[str, Any]:
    """The answer of a search, unless its client goes away first."""
    gone = asyncio.create_task(_gone(request))
    try:
        waiting: set[asyncio.Future[Any]] = {search.answer, gone}
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if not search.answer.done():
            raise ProblemError(503, "engine_timeout", "the client has gone")
        return search.answer.result()
    finally:
        gone.cancel()
        search.cancel()


async def _gone(request: Request) -> None:
    """Wait until the client of a request, whose body was read, has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        await asyncio.sleep(0)
