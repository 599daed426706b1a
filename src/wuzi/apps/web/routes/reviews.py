"""Reviews of whole games: start, read, stop, resume, download, and try better moves; and puzzles."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from functools import cache
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Response

from wuzi.analysis.review import annotate
from wuzi.analysis.review.model import ANALYSTS
from wuzi.analysis.review.output import review_csv, review_html, review_json
from wuzi.apps.web import schemas_analysis as wire
from wuzi.apps.web.context import PROBLEMS, Context, Lang, Server
from wuzi.apps.web.live import LiveGame
from wuzi.apps.web.problems import ProblemError, not_found
from wuzi.apps.web.reviews import LiveReview
from wuzi.apps.web.routes.records import attachment, files, record_of
from wuzi.apps.web.schemas import RECENT, ColorLetter
from wuzi.apps.web.schemas_jobs import Language
from wuzi.apps.web.states import seats_out
from wuzi.protocols.analysis.wire import COLORS
from wuzi.records import GameRecord, dumps, loads
from wuzi.tactics.suite import Puzzle, PuzzleTheme, load_suite

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
async def create(body: wire.NewReview, response: Response, server: Server) -> wire.ReviewOut:
    """Begin the review of a game; results that its record holds are not made again."""
    live = await server.reviews.create(await _record(body, server), body.depth)
    response.headers["Location"] = f"/api/v1/reviews/{live.id}"
    return await asyncio.to_thread(live.state)


@router.get("")
async def recent(
    server: Server, limit: Annotated[int, Query(ge=1, le=100)] = RECENT
) -> list[wire.ReviewSummary]:
    """The newest reviews."""
    return await server.reviews.recent(limit)


@router.get("/{review_id}")
async def look(live: OneReview) -> wire.ReviewOut:
    """A review as far as it is done; ask again while it runs."""
    return await asyncio.to_thread(live.state)


@router.post("/{review_id}/stop")
async def stop(live: OneReview, server: Server) -> wire.ReviewOut:
    """Stop a review; what is done stays."""
    await server.reviews.stop(live)
    return await asyncio.to_thread(live.state)


@router.post("/{review_id}/resume")
async def resume(live: OneReview, server: Server) -> wire.ReviewOut:
    """Go on with a review that was stopped, or that failed."""
    await server.reviews.resume(live)
    return await asyncio.to_thread(live.state)


@router.delete("/{review_id}", status_code=204)
async def remove(live: OneReview, server: Server) -> None:
    """Remove a review for good."""
    await server.reviews.delete(live)


@router.post("/{review_id}/try")
async def attempt(body: wire.TryIn, live: OneReview, server: Server) -> wire.TrialOut:
    """What another move in place of one of the game's would be worth."""
    subject = live.review.subject
    if body.ply > subject.last_open:
        raise ProblemError(422, "validation", f"ply {body.ply}: expected 0 to {subject.last_open}")
    options = asdict(live.review.options)
    return await server.reviews.judge(subject.game_at(body.ply), body.move, "best", options)


@router.get("/{review_id}/export", response_class=Response, responses=files(*_MEDIA.values()))
async def export(
    live: OneReview,
    format: Annotated[wire.ReviewExportName, Query()] = "sgf",
    lang: Lang = "en",
    side: Annotated[ColorLetter | None, Query()] = None,
) -> Response:
    """The review as annotated SGF, page, table (with the win rates of a side, or of each mover) or JSON."""
    text = await asyncio.to_thread(_exported, live, format, lang, side)
    return Response(text, media_type=_MEDIA[format], headers=attachment(f"wuzi-review-{live.id}.{format}"))


def _exported(live: LiveReview, format: str, lang: str, side: str | None) -> str:
    if format == "csv":
        return review_csv(live.review, lang, COLORS[side])
    if format == "html":
        return review_html(live.review, live.record, lang)
    if format == "json":
        return json.dumps(review_json(live.review), ensure_ascii=False, allow_nan=False)
    # Annotating changes a record: a copy keeps the stored one plain.
    return dumps(annotate(loads(dumps(live.record), "sgf"), live.review, lang))


async def _record(body: wire.NewReview, server: Context) -> GameRecord:
    """The record that the request means."""
    if (body.game_id is None) == (body.record is None):
        raise ProblemError(422, "validation", "expected gameId or record, one of the two")
    if body.game_id is not None:
        return _as_shown(await server.hub.get(body.game_id), body.lang)
    return await asyncio.to_thread(loads, body.record or "")


def _as_shown(game: LiveGame, lang: Language) -> GameRecord:
    """The record of a game; an unnamed person who plays an engine is called as the page calls it."""
    record, seats = record_of(game, lang), seats_out(game.session)
    for seat in seats:
        if seat.is_unnamed and any(other.kind == "engine" for other in seats):
            setattr(record, "black" if seat.color == "B" else "white", "你" if lang == "zh" else "You")
    return record


puzzles = APIRouter(prefix="/puzzles", tags=["puzzles"], responses=PROBLEMS)

THEMES = (PuzzleTheme.VCF, PuzzleTheme.VCT, PuzzleTheme.DEFENCE)
"""The themes with an answer to find."""
MOST_PUZZLES = 2000
"""Most puzzles of a list, and as many as one has that asks for no number of them."""
OPTIONS = {"player": ANALYSTS["engine"], "proof_nodes": 500_000}
PuzzleId = Annotated[str, Path(max_length=40)]


@puzzles.get("", name="puzzles")
async def list_puzzles(
    theme: Annotated[wire.ThemeName | None, Query()] = None,
    limit: Annotated[int, Query(ge=1, le=MOST_PUZZLES)] = MOST_PUZZLES,
) -> list[wire.PuzzleSummary]:
    """The puzzles, easy ones (short solutions) of each theme first."""
    listed = await asyncio.to_thread(_listed)
    return [one for one in listed if theme in (None, one.theme)][:limit]


@puzzles.get("/{puzzle_id}", name="look")
async def look_at_puzzle(puzzle_id: PuzzleId, solution: Annotated[bool, Query()] = False) -> wire.PuzzleOut:
    """A puzzle; its solution only if asked for."""
    puzzle = await _find(puzzle_id)
    facts = await asyncio.to_thread(_facts, puzzle)
    more = {"moves": puzzle.moves, "solution": puzzle.line if solution else None}
    return wire.PuzzleOut.model_validate(facts | more)


@puzzles.post("/{puzzle_id}/try", name="attempt")
async def try_puzzle(puzzle_id: PuzzleId, body: wire.PuzzleTryIn, server: Server) -> wire.TrialOut:
    """What the last of these moves is worth; the ones before it continue the puzzle."""
    puzzle = await _find(puzzle_id)
    if len(body.moves) % 2 == 0:
        detail = f"{len(body.moves)} moves: expected an odd number, the last one yours"
        raise ProblemError(422, "validation", detail)
    game = puzzle.game
    for move in body.moves[:-1]:
        game = game.play(move)
    goal = "defend" if puzzle.theme is PuzzleTheme.DEFENCE else "win"
    return await server.reviews.judge(game, body.moves[-1], goal, OPTIONS)


@cache
def _suite() -> dict[str, Puzzle]:
    return {puzzle.id: puzzle for puzzle in load_suite(THEMES)}


@cache
def _listed() -> list[wire.PuzzleSummary]:
    return [wire.PuzzleSummary.model_validate(facts) for _, facts in listed_puzzles()]


def listed_puzzles() -> list[tuple[Puzzle, dict[str, Any]]]:
    """All puzzles in the order of the list, each with what lists say of it."""
    order = {theme: place for place, theme in enumerate(THEMES)}
    ranked = sorted(_suite().values(), key=lambda p: (order[p.theme], p.refuted_in or len(p.line), p.id))
    return [(puzzle, _facts(puzzle)) for puzzle in ranked]


def _facts(puzzle: Puzzle) -> dict[str, Any]:
    return {
        "id": puzzle.id,
        "theme": puzzle.theme,
        "rules": puzzle.rules,
        "ply": len(puzzle.moves),
        "to_move": puzzle.to_move,
        "length": len(puzzle.line),
        "difficulty": puzzle.difficulty,
    }


async def _find(puzzle_id: str) -> Puzzle:
    suite = await asyncio.to_thread(_suite)
    if puzzle_id not in suite:
        raise not_found(f"puzzle {puzzle_id[:40]!r}")
    return suite[puzzle_id]
