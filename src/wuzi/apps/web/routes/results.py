"""Uploaded files of results: the same pages as for an arena, for any CSV."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Response
from fastapi import Path as InPath

from wuzi.apps.web.context import PROBLEMS, Server
from wuzi.apps.web.results import Source
from wuzi.apps.web.routes.records import Upload, uploaded
from wuzi.apps.web.routes.reports import add_report_routes
from wuzi.apps.web.schemas_arena import ResultOut

router = APIRouter(prefix="/results", tags=["results"], responses=PROBLEMS)

ResultId = Annotated[str, InPath(alias="id", max_length=60)]
_BODY = uploaded("text/csv", "A file of results: a CSV with a header, UTF-8, at most 1 MB.")


async def _source(result_id: ResultId, server: Server) -> Source:
    return await asyncio.to_thread(server.results.source, result_id)


@router.post("", status_code=201, openapi_extra=_BODY)
async def upload(
    content: Upload,
    response: Response,
    server: Server,
    name: Annotated[str, Query(max_length=120, description="the file's name, for people")] = "results.csv",
) -> ResultOut:
    """Keep a file of results; a wrong one is refused with its line and column."""
    kept = await asyncio.to_thread(server.results.add, name, content)
    response.headers["Location"] = f"/api/v1/results/{kept.id}"
    return kept


@router.get("")
async def recent(server: Server) -> list[ResultOut]:
    """All uploaded files, newest first."""
    return await asyncio.to_thread(server.results.all)


@router.get("/{id}")
async def look(result_id: ResultId, server: Server) -> ResultOut:
    """What is known of a file."""
    return await asyncio.to_thread(server.results.get, result_id)


@router.delete("/{id}", status_code=204)
async def remove(result_id: ResultId, server: Server) -> None:
    """Remove a file and its reports for good."""
    await asyncio.to_thread(server.results.delete, result_id)


add_report_routes(router, _source)
