"""Reviews of whole games: begin, look, stop, go on, take home, and try better moves."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from wuzi.analysis.review import annotate
from wuzi.analysis.review.output import review_csv, review_html, review_json
from wuzi.apps.web.context import PROBLEMS, Context, Lang, Server
from wuzi.apps.web.problems import ProblemError
from wuzi.apps.web.reviews import LiveReview
from wuzi.apps.web.routes.records import attachment, files, record_of
from wuzi.apps.web.schemas_review import (
    NewReview,
    ReviewExportName,
    ReviewOut,
    ReviewSummary,
    TrialOut,
    TryIn,
)
from wuzi.records import GameRecord, dumps, loads

router = APIRouter(prefix="/reviews", tags=["reviews"], responses=PROBLEMS)

_MEDIA = {
    "sgf": "application/x-go-sgf",
    "html": "text/html; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
}


async def _review(review_id: str, server: Server) -> LiveReview:
    return await server.reviews.get(review_id)


OneReview = Annotated[LiveReview, Depends(_review)]


@router.post("", status_code=201)
async def create(body: NewReview, response: Response, server: Server) -> ReviewOut:
    """Begin the review of a game; results that its record holds are not made again."""
    live = await server.reviews.create(await _record(body, server), body.depth)
    response.headers["Location"] = f"/api/v1/reviews/{live.id}"
    return await asyncio.to_thread(live.state)


@router.get("")
async def recent(server: Server, limit: Annotated[int, Query(ge=1, le=100)] = 20) -> list[ReviewSummary]:
    """The newest reviews."""
    return await server.reviews.recent(limit)


@router.get("/{review_id}")
async def look(live: OneReview) -> ReviewOut:
    """A review as far as it is done; ask again while it runs."""
    return await asyncio.to_thread(live.state)


@router.post("/{review_id}/stop")
async def stop(live: OneReview, server: Server) -> ReviewOut:
    """Stop a review; what is done stays."""
    await server.reviews.stop(live)
    return await asyncio.to_thread(live.state)


@router.post("/{review_id}/resume")
async def resume(live: OneReview, server: Server) -> ReviewOut:
    """Go on with a review that was stopped, or that failed."""
    await server.reviews.resume(live)
    return await asyncio.to_thread(live.state)


@router.delete("/{review_id}", status_code=204)
async def remove(live: OneReview, server: Server) -> None:
    """Remove a review for good."""
    await server.reviews.delete(live)


@router.post("/{review_id}/try")
async def attempt(body: TryIn, live: OneReview, server: Server) -> TrialOut:
    """What another move in place of one of the game's would be worth."""
    subject = live.review.subject
    if body.ply > subject.last_open:
        raise ProblemError(422, "validation", f"ply {body.ply}: expected 0 to {subject.last_open}")
    options = asdict(live.review.options)
    return await server.reviews.judge(subject.game_at(body.ply), body.move, "best", options)


@router.get(
    "/{review_id}/export",
    response_class=Response,
    responses=files(*_MEDIA.values()),
)
async def export(
    live: OneReview,
    format: Annotated[ReviewExportName, Query()] = "sgf",
    lang: Lang = "en",
) -> Response:
    """The review as annotated SGF, page, table or JSON."""
    text = await asyncio.to_thread(_exported, live, format, lang)
    return Response(text, media_type=_MEDIA[format], headers=attachment(f"wuzi-review-{live.id}.{format}"))


def _exported(live: LiveReview, format: str, lang: str) -> str:
    if format == "csv":
        return review_csv(live.review, lang)
    if format == "html":
        return review_html(live.review, live.record, lang)
    if format == "json":
        return json.dumps(review_json(live.review), ensure_ascii=False, allow_nan=False)
    # Annotating changes a record: a copy keeps the stored one plain.
    return dumps(annotate(loads(dumps(live.record), "sgf"), live.review, lang))


async def _record(body: NewReview, server: Context) -> GameRecord:
    """The record that the request means."""
    if (body.game_id is None) == (body.record is None):
        raise ProblemError(422, "validation", "expected gameId or record, one of the two")
    if body.game_id is not None:
        return record_of(await server.hub.get(body.game_id))
    return await asyncio.to_thread(loads, body.record or "")
