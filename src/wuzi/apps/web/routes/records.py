"""Game files in and out. Uploads are only parsed, in a thread, and never stored as files."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from starlette.datastructures import UploadFile

from wuzi.analysis.review import annotate, restore
from wuzi.analysis.review.model import SCHEMA, Review, options_from_json, review_from_json
from wuzi.analysis.review.output import review_html
from wuzi.apps.web.context import PROBLEMS, Server
from wuzi.apps.web.problems import ProblemError
from wuzi.apps.web.schemas import ExportName, OutcomeOut, ParsedRecordOut, ReviewFileIn, RuleName
from wuzi.core import Game, Opening, Reason, parse_rule
from wuzi.errors import RecordError
from wuzi.records import GameRecord, GivenRules, dumps, find_format, loads
from wuzi.records.files import tell_format
from wuzi.records.formats.charsets import CHARSETS, find_charset
from wuzi.records.formats.json_record import to_json

router = APIRouter(tags=["records"], responses=PROBLEMS)

_TYPES = ("application/x-go-sgf", "text/plain", "application/json", "image/svg+xml")


def files(*types: str) -> dict[int | str, dict[str, Any]]:
    """The description of an answer that is a file of one of these types."""
    kinds = {name.split(";")[0]: "object" if name == "application/json" else "string" for name in types}
    content = {name: {"schema": {"type": kind}} for name, kind in kinds.items()}
    return {200: {"content": content, "description": "The file."}}


def attachment(name: str) -> dict[str, str]:
    """The headers of an answer that browsers keep as a file."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def uploaded(media_type: str, description: str) -> dict[str, Any]:
    """The description of a request whose body is a file, or a form with one."""
    properties = {"file": {"type": "string", "format": "binary"}}
    file = {"type": "object", "properties": properties, "required": ["file"]}
    content = {media_type: {"schema": {"type": "string"}}, "multipart/form-data": {"schema": file}}
    return {"requestBody": {"required": True, "description": description, "content": content}}


_BODY = uploaded(
    "text/plain", "The text of a game file (SGF, psq, rec, position code, JSON, board), at most 1 MB."
)


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
Charset = Annotated[
    str | None, Query(max_length=40, description="of the file; default: what it names, or a guess")
]
GivenRule = Annotated[RuleName | None, Query(description="assumed where the file names no rule of gomoku")]


@router.post("/records/parse", openapi_extra=_BODY)
async def parse(
    content: Upload,
    tree: Annotated[bool, Query(description="the whole record as JSON, also without variations")] = False,
    charset: Charset = None,
    rule: GivenRule = None,
) -> ParsedRecordOut:
    """What a game file holds."""
    return await asyncio.to_thread(_parsed, content, tree, charset, rule)


@router.post("/records/convert", openapi_extra=_BODY, response_class=Response, responses=files(*_TYPES))
async def convert(content: Upload, format: Annotated[ExportName, Query()] = "sgf") -> Response:
    """A game file in another format; what that format cannot hold is left out."""
    record = await asyncio.to_thread(loads, content)
    return await _file(record, "wuzi-analysis", format)


async def _file(record: GameRecord, stem: str, format: str) -> Response:
    text = await asyncio.to_thread(dumps, record, format)
    media_type = find_format(format).media_type
    return Response(text, media_type=media_type, headers=attachment(f"{stem}.{format}"))


@router.post("/records/review", response_class=Response, responses=files("application/x-go-sgf", "text/html"))
async def review(body: ReviewFileIn) -> Response:
    """A review as a file: the record with what is said of each move, or a page."""
    text = await asyncio.to_thread(_reviewed, body)
    media_type = "application/x-go-sgf" if body.format == "sgf" else "text/html; charset=utf-8"
    return Response(text, media_type=media_type, headers=attachment(f"wuzi-review.{body.format}"))


def _reviewed(body: ReviewFileIn) -> str:
    record = loads(body.record, "json")
    game = record.game()
    head = Review.of(game, options_from_json(body.options)).header()
    found = review_from_json(head | {"schema": SCHEMA, "results": body.results}, game)
    if body.format == "html":
        return review_html(found, record, body.lang)
    return dumps(annotate(record, found, body.lang))


def _outcome(game: Game) -> OutcomeOut | None:
    """How a game ended; a forbidden point with its kind."""
    if (outcome := game.outcome) is None:
        return None
    kind = None
    if outcome.reason is Reason.FORBIDDEN and game.moves:
        kind = game.at(len(game.actions) - 1).position.forbidden_kind(game.moves[-1])
    return OutcomeOut.model_validate(
        {"winner": outcome.winner, "reason": outcome.reason, "forbidden_kind": kind}
    )


def _read(content: bytes, charset: str | None, rule: str | None) -> GameRecord:
    """The first game of an upload; a RecordError also for an unknown charset."""
    rules = None if rule is None else GivenRules(rule=parse_rule(rule))
    if charset is not None and find_charset(charset) is None:
        raise RecordError(f"unknown charset {charset!r}: expected one of {', '.join(CHARSETS)}")
    return loads(content, rules=rules, charset=charset)


def _parsed(content: bytes, with_tree: bool, charset: str | None, rule: str | None) -> ParsedRecordOut:
    record = _read(content, charset, rule)
    try:
        game = record.game()
    except RecordError:
        if not with_tree:  # an analysis also shows boards that were changed between the moves
            raise
        game = Game(replace(record.rules, opening=Opening.FREE))
    return ParsedRecordOut.model_validate(
        {
            "format": tell_format(content).name,
            "rules": game.rules,
            "moves": game.moves,
            "players": {"black": record.black, "white": record.white},
            "result": _outcome(game),
            "tree": to_json(record) if with_tree or record.has_extras else None,
            "warnings": record.warnings,
            "review": None if (found := restore(record, game)) is None else found.to_json(),
        }
    )
