"""Games: make, list, look, remove."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from wuzi.apps.web.context import PROBLEMS, Context, OneGame, Server
from wuzi.apps.web.engines import any_engine
from wuzi.apps.web.problems import ProblemError
from wuzi.apps.web.schemas import GameState, GameSummary, NewGame, SeatIn
from wuzi.core import Game, Opening, Rules
from wuzi.core.symmetry import NUM_SYMMETRIES
from wuzi.errors import UnsupportedError
from wuzi.games import GameSession, Seat, SeatKind
from wuzi.protocols.analysis.wire import parse_cells, parse_rules

router = APIRouter(prefix="/games", tags=["games"], responses=PROBLEMS)


@router.post("", status_code=201)
async def create(body: NewGame, response: Response, server: Server) -> GameState:
    """Start a game; seat 0 acts first."""
    rules = parse_rules(body.rules.model_dump(by_alias=True))
    seats = [await _seat(seat, rules, server) for seat in body.seats]
    if body.clock is not None:
        left_s, more_s = body.clock.seconds, body.clock.increment
        seats = [
            replace(seat, limit=replace(seat.limit, clock_s=left_s, increment_s=more_s)) for seat in seats
        ]
    if body.first_seat == "random" and secrets.randbelow(2):
        seats.reverse()
    begun = _begun(body, rules) if body.book is None else await asyncio.to_thread(_drawn, body, rules)
    session = GameSession(rules, seats, begun)
    return created(server, session, response)


@router.get("", response_model=list[GameSummary])
async def recent(server: Server, limit: Annotated[int, Query(ge=1, le=100)] = 20) -> list[dict[str, Any]]:
    """The games touched last, newest first."""
    return await server.hub.recent(limit)


@router.get("/{game_id}")
async def look(game: OneGame) -> GameState:
    """A game as it is now."""
    return game.state()


@router.delete("/{game_id}", status_code=204)
async def remove(game_id: str, server: Server) -> None:
    """Remove a game for good."""
    await server.hub.delete(game_id)


@router.post("/{game_id}/restart", status_code=201)
async def restart(game: OneGame, response: Response, server: Server) -> GameState:
    """A new game with the same rules, start and seats; the old one stays."""
    return created(server, game.session.restarted(), response)


def created(server: Context, session: GameSession, response: Response) -> GameState:
    """Take a new session in and say where it is."""
    game = server.hub.create(session)
    response.headers["Location"] = f"/api/v1/games/{game.id}"
    return game.state()


async def _seat(seat: SeatIn, rules: Rules, server: Context) -> Seat:
    if seat.kind == "human":
        if seat.engine is not None or seat.level is not None:
            raise ProblemError(422, "validation", "a human seat has an engine or a level: expected neither")
        return Seat()
    entry = any_engine(seat.engine, server.settings.runs_dir)
    level = entry.level(seat.level)
    if (reason := await server.engines.why_not(entry, rules)) is not None:
        raise UnsupportedError(f"{entry.en} {reason}")
    return Seat(SeatKind.ENGINE, entry.id, level.id, level.limit)


def _drawn(body: NewGame, rules: Rules) -> Game:
    """A game that begins with an opening of the book, turned or mirrored at random."""
    from wuzi.arena.openings import default_openings, load_shipped

    if body.moves or body.setup is not None or rules.opening is not Opening.FREE:
        raise ProblemError(
            422, "validation", "book: expected no moves, no setup and the free opening beside it"
        )
    name = default_openings(rules) if body.book == "even" else "renju26"
    if name == "auto":
        raise ProblemError(422, "unsupported_rule", f"there is no book of even openings for {rules.label}")
    opening = secrets.choice(load_shipped(name, rules))
    return opening.transformed(rules.size, secrets.randbelow(NUM_SYMMETRIES)).game(rules)


def _begun(body: NewGame, rules: Rules) -> Game:
    """The game that the request describes so far."""
    game = Game(rules)
    if body.setup is not None:
        game = Game(rules, start=parse_cells(body.setup.cells, rules, body.setup.to_move))
    for move in body.moves or ():
        game = game.play(move)
    return game
