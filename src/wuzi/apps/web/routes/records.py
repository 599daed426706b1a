"""Game files in and out. Uploads are only parsed, in a thread, and never stored as files."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request, Response
from starlette.datastructures import UploadFile

from wuzi.apps.web.context import PROBLEMS, OneGame, Server
from wuzi.apps.web.live import LiveGame
from wuzi.apps.web.problems import ProblemError
from wuzi.apps.web.routes.games import created
from wuzi.apps.web.schemas import GameState, ParsedRecordOut
from wuzi.apps.web.states import outcome_out, rules_out, seats_out
from wuzi.core import Color, Game, format_move
from wuzi.games import GameSession, Seat
from wuzi.records import GameRecord, dumps, find_format, loads
from wuzi.records.formats.charset import decode
from wuzi.records.formats.json_record import to_json
from wuzi.records.registry import sniff

router = APIRouter(tags=["records"], responses=PROBLEMS)

FormatName = Literal["sgf", "psq", "rec", "pos", "json", "svg", "txt"]
MAX_NAME = 60
_FILES: dict[str, Any] = {
    "application/x-go-sgf": {"schema": {"type": "string"}},
    "text/plain": {"schema": {"type": "string"}},
    "application/json": {"schema": {"type": "object"}},
    "image/svg+xml": {"schema": {"type": "string"}},
}
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "The text of a game file (SGF, psq, rec, position code, JSON, board), at most 1 MB.",
        "content": {
            "text/plain": {"schema": {"type": "string"}},
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {"file": {"type": "string", "format": "binary"}},
                    "required": ["file"],
                }
            },
        },
    }
}


async def _upload(request: Request, server: Server) -> bytes:
    """The content of the request: its body, or the first file of a form."""
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        return await request.body()
    async with request.form(max_files=1, max_fields=1, max_part_size=server.settings.max_body) as form:
        for value in form.values():
            if isinstance(value, UploadFile):
                return await value.read()
            return value.encode()
    raise ProblemError(422, "bad_record", "the form has no file")


Upload = Annotated[bytes, Depends(_upload)]


@router.post("/records/parse", openapi_extra=_BODY)
async def parse(
    content: Upload,
    tree: Annotated[bool, Query(description="the whole record as JSON, also without variations")] = False,
) -> ParsedRecordOut:
    """What a game file holds."""
    return await asyncio.to_thread(_parsed, content, tree)


@router.post(
    "/records/convert",
    openapi_extra=_BODY,
    response_class=Response,
    responses={200: {"content": _FILES, "description": "The file."}},
)
async def convert(content: Upload, format: Annotated[FormatName, Query()] = "sgf") -> Response:
    """A game file in another format; what that format cannot hold is left out."""
    text = await asyncio.to_thread(_converted, content, format)
    name = f"wuzi-analysis.{format}"
    return Response(
        text,
        media_type=find_format(format).media_type,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@router.post("/games/import", status_code=201, openapi_extra=_BODY)
async def import_game(content: Upload, response: Response, server: Server) -> GameState:
    """Open a game file as a game between two people, at its last move."""
    record, game = await asyncio.to_thread(_read, content)
    names = {Color.BLACK: record.black, Color.WHITE: record.white}
    seats = [Seat(name=names[game.color_of(seat)][:MAX_NAME]) for seat in (0, 1)]
    return created(server, GameSession(game.rules, seats, game), response)


@router.get(
    "/games/{game_id}/export",
    response_class=Response,
    responses={200: {"content": _FILES, "description": "The file."}},
)
async def export(game: OneGame, format: Annotated[FormatName, Query()] = "sgf") -> Response:
    """The game as a file."""
    text = await asyncio.to_thread(dumps, record_of(game), format)
    name = f"wuzi-{game.id}.{format}"
    return Response(
        text,
        media_type=find_format(format).media_type,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def record_of(game: LiveGame) -> GameRecord:
    """The record of a game of this server, with the names of its seats."""
    black, white = sorted(seats_out(game.session), key=lambda seat: seat.color)
    return GameRecord.from_game(
        game.session.game, black=black.name.en, white=white.name.en, date=game.state().created_at[:10]
    )


def _read(content: bytes) -> tuple[GameRecord, Game]:
    record = loads(content)
    return record, record.game()


def _converted(content: bytes, name: str) -> str:
    return dumps(loads(content), name)


def _parsed(content: bytes, with_tree: bool) -> ParsedRecordOut:
    record, game = _read(content)
    size = record.rules.size
    return ParsedRecordOut(
        format=sniff(decode(content)[0]).name,
        rules=rules_out(game.rules),
        moves=[format_move(move, size) for move in game.moves],
        players={"black": record.black, "white": record.white},
        result=outcome_out(game),
        tree=to_json(record) if with_tree or record.has_extras else None,
        warnings=list(record.warnings),
    )
