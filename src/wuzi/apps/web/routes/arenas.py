"""Arenas, and uploaded files of results: what there is, what it says, charts and files to take home."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query, Response
from fastapi.responses import FileResponse

from wuzi.apps.web import schemas_jobs as wire
from wuzi.apps.web.arenas import WatchedArena
from wuzi.apps.web.context import PROBLEMS, Lang, Server
from wuzi.apps.web.engines import arena_players
from wuzi.apps.web.problems import ProblemError
from wuzi.apps.web.results import Source, figures_out, game_row
from wuzi.apps.web.routes.records import Upload, attachment, files, uploaded
from wuzi.arena.analysis import analyse
from wuzi.arena.export import file_record
from wuzi.arena.results import csv_text
from wuzi.errors import RecordError
from wuzi.records import dumps

router = APIRouter(prefix="/arenas", tags=["arenas"], responses=PROBLEMS)


async def _arena(id: Annotated[str, Path(max_length=60)], server: Server) -> WatchedArena:
    return await server.arenas.get(id)


OneArena = Annotated[WatchedArena, Depends(_arena)]


async def _source(arena: OneArena) -> Source:
    return Source(arena.child.folder, f"arena_{arena.child.id}", tuple(arena.records))


@router.post("", status_code=201)
async def create(body: wire.NewArena, response: Response, server: Server) -> wire.ArenaOut:
    """Begin a tournament; it runs as a process of its own until all games are played."""
    arena = await server.arenas.create(body)
    response.headers["Location"] = f"/api/v1/arenas/{arena.child.id}"
    return arena.out("en")


@router.get("")
async def recent(server: Server, limit: Annotated[int, Query(ge=1, le=100)] = 50) -> list[wire.ArenaSummary]:
    """The newest arenas."""
    return await server.arenas.all(limit)


@router.get("/players")
async def players() -> list[wire.ArenaPlayerOptionOut]:
    """Players that a form can offer: the engines of this server, and those of its engines.toml by name."""
    return await asyncio.to_thread(arena_players)


@router.get("/{id}")
async def look(arena: OneArena, lang: Lang = "en") -> wire.ArenaOut:
    """An arena as it stands."""
    return await asyncio.to_thread(arena.out, lang)


@router.post("/{id}/stop")
async def stop(arena: OneArena, server: Server, lang: Lang = "en") -> wire.ArenaOut:
    """Stop an arena; its finished games stay, and it can be resumed."""
    await server.arenas.children.stop(arena.child)
    return await asyncio.to_thread(arena.out, lang)


@router.post("/{id}/resume")
async def resume(arena: OneArena, server: Server, lang: Lang = "en") -> wire.ArenaOut:
    """Go on with the games that are left."""
    await server.arenas.children.resume(arena.child)
    return await asyncio.to_thread(arena.out, lang)


@router.delete("/{id}", status_code=204)
async def remove(arena: OneArena, server: Server) -> None:
    """Remove an arena and its games for good."""
    await server.arenas.delete(arena)


results = APIRouter(prefix="/results", tags=["results"], responses=PROBLEMS)

ResultId = Annotated[str, Path(alias="id", max_length=60)]
_BODY = uploaded("text/csv", "A file of results: a CSV with a header, UTF-8, at most 1 MB.")


async def _uploaded_source(result_id: ResultId, server: Server) -> Source:
    return await asyncio.to_thread(server.results.source, result_id)


@results.post("", status_code=201, openapi_extra=_BODY)
async def upload(
    content: Upload,
    response: Response,
    server: Server,
    name: Annotated[str, Query(max_length=120, description="the file's name, for people")] = "results.csv",
) -> wire.ResultOut:
    """Keep a file of results; a wrong one is refused with its line and column."""
    kept = await asyncio.to_thread(server.results.add, name, content)
    response.headers["Location"] = f"/api/v1/results/{kept.id}"
    return kept


@results.get("", name="recent")
async def all_results(server: Server) -> list[wire.ResultOut]:
    """All uploaded files, newest first."""
    return await asyncio.to_thread(server.results.all)


@results.get("/{id}", name="look")
async def look_at_result(result_id: ResultId, server: Server) -> wire.ResultOut:
    """What is known of a file."""
    return await asyncio.to_thread(server.results.get, result_id)


@results.delete("/{id}", status_code=204, name="remove")
async def remove_result(result_id: ResultId, server: Server) -> None:
    """Remove a file and its reports for good."""
    await asyncio.to_thread(server.results.delete, result_id)


_CSV, _SGF, _HTML = "text/csv; charset=utf-8", "application/x-go-sgf", "text/html; charset=utf-8"


def add_report_routes(router: APIRouter, source_of: Callable[..., Awaitable[Source]]) -> None:
    """Add the routes below ``/{id}`` of a router; the dependency ``source_of`` finds the games."""
    found = Depends(source_of)

    async def figures(source: Source = found, lang: Lang = "en") -> wire.FiguresOut:
        """What the games say: ratings with intervals, pairs, warnings, in words and tables."""
        if not source.records:
            raise ProblemError(409, "no_games", "no game is over yet")
        return await asyncio.to_thread(lambda: figures_out(source.records, analyse(source.records), lang))

    async def games(
        source: Source = found,
        after: Annotated[int, Query(ge=0, le=1_000_000, description="number of the last game known")] = 0,
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
    ) -> wire.GameRows:
        """Finished games in the order they ended."""
        rows = enumerate(source.records[after : after + limit], after + 1)
        return wire.GameRows(total=len(source.records), games=[game_row(*row) for row in rows])

    async def charts(server: Server, source: Source = found, lang: Lang = "en") -> wire.ChartsOut:
        """Whether the charts of these games are drawn."""
        return server.reporter.state(source, lang)

    async def draw(server: Server, source: Source = found, lang: Lang = "en") -> wire.ChartsOut:
        """Draw the charts and the report; ask again until they are there."""
        server.reporter.make(source, lang)
        return server.reporter.state(source, lang)

    async def chart(
        number: Annotated[int, Path(ge=1, le=12)], server: Server, source: Source = found, lang: Lang = "en"
    ) -> FileResponse:
        """One of the twelve charts."""
        return FileResponse(server.reporter.file(source, lang, number), media_type="image/png")

    async def export(
        server: Server,
        source: Source = found,
        format: Annotated[Literal["csv", "sgf", "html"], Query()] = "csv",
        lang: Lang = "en",
    ) -> Response:
        """The results as a table, the games as SGF, or the report that was drawn."""
        headers = attachment(f"{source.stem}.{format}")
        if format == "html":
            return FileResponse(server.reporter.file(source, lang, None), media_type=_HTML, headers=headers)
        if format == "csv":
            return Response(csv_text(source.records), media_type=_CSV, headers=headers)
        return Response(await asyncio.to_thread(_sgf, source), media_type=_SGF, headers=headers)

    get, post = router.get, router.post
    get("/{id}/figures")(figures)
    get("/{id}/games")(games)
    get("/{id}/charts")(charts)
    post("/{id}/charts", status_code=202)(draw)
    get("/{id}/charts/{number}", response_class=FileResponse, responses=files("image/png"))(chart)
    get("/{id}/export", response_class=Response, responses=files(_CSV, _SGF, _HTML))(export)


def _sgf(source: Source) -> str:
    """All games whose moves are known, as one collection."""
    texts = []
    for record in source.records:
        try:
            texts.append(dumps(file_record(record)))
        except RecordError:
            continue
    if not texts:
        raise ProblemError(409, "no_games", "no game with moves that could be written")
    return "".join(texts)


add_report_routes(router, _source)
add_report_routes(results, _uploaded_source)
