"""Arenas: begin, list, watch, stop, go on, remove."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response
from fastapi import Path as InPath

from wuzi.apps.web.arenas import Watched
from wuzi.apps.web.context import PROBLEMS, Lang, Server
from wuzi.apps.web.engines import arena_players
from wuzi.apps.web.results import Source
from wuzi.apps.web.routes.results import add_report_routes
from wuzi.apps.web.schemas_arena import ArenaOut, ArenaPlayerOut, ArenaSummary, NewArena

router = APIRouter(prefix="/arenas", tags=["arenas"], responses=PROBLEMS)


async def _arena(id: Annotated[str, InPath(max_length=60)], server: Server) -> Watched:
    return await server.arenas.get(id)


OneArena = Annotated[Watched, Depends(_arena)]


async def _source(arena: OneArena, server: Server) -> Source:
    return server.arenas.source(arena)


@router.post("", status_code=201)
async def create(body: NewArena, response: Response, server: Server) -> ArenaOut:
    """Begin a tournament; it runs as a process of its own until all games are played."""
    arena = await server.arenas.create(body)
    response.headers["Location"] = f"/api/v1/arenas/{arena.child.id}"
    return arena.out("en")


@router.get("")
async def recent(server: Server, limit: Annotated[int, Query(ge=1, le=100)] = 50) -> list[ArenaSummary]:
    """The newest arenas."""
    return await server.arenas.all(limit)


@router.get("/players")
async def players() -> list[ArenaPlayerOut]:
    """Players that a form can offer: the engines of this server, and those of its engines.toml by name."""
    return await asyncio.to_thread(arena_players)


@router.get("/{id}")
async def look(arena: OneArena, lang: Lang = "en") -> ArenaOut:
    """An arena as it stands."""
    return await asyncio.to_thread(arena.out, lang)


@router.post("/{id}/stop")
async def stop(arena: OneArena, server: Server, lang: Lang = "en") -> ArenaOut:
    """Stop an arena; its finished games stay, and it can go on."""
    await server.arenas.children.stop(arena.child)
    return await asyncio.to_thread(arena.out, lang)


@router.post("/{id}/resume")
async def resume(arena: OneArena, server: Server, lang: Lang = "en") -> ArenaOut:
    """Go on with the games that are left."""
    await server.arenas.children.resume(arena.child)
    return await asyncio.to_thread(arena.out, lang)


@router.delete("/{id}", status_code=204)
async def remove(arena: OneArena, server: Server) -> None:
    """Remove an arena and its games for good."""
    await server.arenas.delete(arena)


add_report_routes(router, _source)
