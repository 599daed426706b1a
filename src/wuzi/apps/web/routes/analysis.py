"""Analysis: one-shot requests, layers, nets; and what positions show at a glance."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response

from wuzi.apps.web import schemas_analysis as wire
from wuzi.apps.web.analyst import game_of, list_nets, shaped
from wuzi.apps.web.context import GZIP, PACKED, PROBLEMS, Client, Server
from wuzi.apps.web.problems import ProblemError
from wuzi.apps.web.schemas import RuleName
from wuzi.apps.web.schemas_system import NetOut
from wuzi.apps.web.states import forbidden_out, outcome_out
from wuzi.core import Game, Rule, Rules, format_moves, parse_moves
from wuzi.games.pool import PoolSearch
from wuzi.protocols.analysis.wire import format_cells, parse_rules

router = APIRouter(tags=["analysis"], responses=PROBLEMS)


@router.post("/analyze", response_model_exclude_none=False)
async def analyze(body: wire.AnalyzeIn, request: Request, client: Client, server: Server) -> wire.AnalysisOut:
    """Analyse a position until the limit; a client that goes away cancels its search."""
    ask = await server.analyst.resolve(body)
    search = server.analyst.start(client, ask)
    return wire.AnalysisOut.model_validate(shaped(ask, await answer_of(search, request)))


@router.post("/balance")
async def balance(body: wire.BalanceIn, server: Server) -> wire.BalanceOut:
    """One or two moves that come nearest to both sides standing alike."""
    game = game_of(body.position)
    if game.outcome is not None:
        raise ProblemError(409, "game_over", f"the game is over ({game.outcome.reason.label})")
    found = await server.reviews.balance(game, body.count)
    moves = parse_moves(found["moves"], game.rules.size)
    return wire.BalanceOut.model_validate({**found, "moves": moves})


@router.post("/layers")
async def layers(body: wire.LayersIn, request: Request, client: Client, server: Server) -> wire.LayersOut:
    """What can be said of a position at a glance: threats, forced wins, scores, a net, a tree, words."""
    search = server.analyst.layers(client, body)
    return wire.LayersOut.model_validate(await answer_of(search, request))


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


Threats = Annotated[bool, Query(description="list the threats too (four or five in a row)")]

positions = APIRouter(prefix="/positions", tags=["positions"], responses=PROBLEMS)


@positions.get("/{code}")
async def look(
    code: Annotated[str, Path(max_length=2100, description="cells such as h8h9i7; - is the empty board")],
    size: Annotated[int, Query(ge=3, le=26)] = 15,
    win_length: Annotated[int, Query(alias="winLength", ge=3, le=26)] = 5,
    rule: RuleName = "freestyle",
    threats: Threats = False,
) -> wire.PositionOut:
    """The position after these moves, or why the code is none."""
    rules = parse_rules({"size": size, "winLength": win_length, "rule": rule})
    game = Game.from_moves(rules, () if code == "-" else parse_moves(code, size))
    return await _looked_at(game, threats)


@positions.post("")
async def look_at(body: wire.PositionIn, threats: Threats = False) -> wire.PositionOut:
    """A position that may have set-up stones."""
    return await _looked_at(game_of(body), threats)


async def _looked_at(game: Game, threats: bool) -> wire.PositionOut:
    return await asyncio.to_thread(_out, game, threats)


def _out(game: Game, with_threats: bool) -> wire.PositionOut:
    position, threats = game.position, None
    if with_threats:
        from wuzi.tactics.threats import find_threats

        threats = find_threats(position)
    return wire.PositionOut.model_validate(
        {
            "cells": format_cells(position),
            "to_move": game.to_move,
            "ply": game.ply,
            "legal": int(position.legal_mask().sum()),
            "forbidden": forbidden_out(position),
            "outcome": outcome_out(game),
            "winning_lines": position.winning_lines(),
            "position_code": format_moves(game.moves, game.rules.size),
            "threats": threats,
        }
    )
