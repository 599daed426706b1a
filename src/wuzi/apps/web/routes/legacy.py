"""The endpoints of document 004's own server, answered by this one, for programs written for it.

``POST /move`` takes a board of numbers as the document writes it (1 the side to move, -1 the other side, 0
empty; ``board[x][y]`` with ``x`` the row from the top) and answers with a move and its win rate: the engine's
or, with ``engine``, another opponent's, such as a net's with a tree search, as in the document.
``/api/game/*`` are games against the engine: there 1 is Black and -1 is White. New programs use ``/api/v1``.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from wuzi import __version__
from wuzi.apps.web.context import PROBLEMS, Client, Server
from wuzi.apps.web.problems import ProblemError
from wuzi.apps.web.routes.analysis import answer_of
from wuzi.apps.web.schemas import MAX_ENGINE
from wuzi.apps.web.schemas_analysis import AnalyzeIn, LimitIn, PositionIn
from wuzi.contract import own_winrate
from wuzi.core import Color, Rules, format_move, parse_move
from wuzi.games import GameSession, Seat, SeatKind
from wuzi.protocols.analysis.wire import format_cells

router = APIRouter(tags=["legacy"], responses=PROBLEMS)

ENGINE, LEVEL = "engine", "normal"
MOVE_S = 1.0
Number = Literal[-1, 0, 1]


class BoardIn(BaseModel, extra="forbid", strict=True):
    """A board seen by the side to move."""

    board: list[Annotated[list[Number], Field(max_length=26)]] = Field(min_length=5, max_length=26)
    engine: str = Field(default=ENGINE, max_length=MAX_ENGINE, description="an id of /api/v1/engines")
    level: str | None = Field(default=None, max_length=40, description="one of its levels")


class Point(BaseModel):
    """A cell: row from the top, column from the left."""

    x: int
    y: int


class MoveOut(BaseModel):
    """A move and the chance to win."""

    x: int
    y: int
    move: list[int]
    win_rate: float | None = Field(description="of the side that moves, 0 to 1")


class NewIn(BaseModel, extra="forbid", strict=True):
    """A new game against the engine."""

    size: int = Field(default=15, ge=5, le=22)
    human_first: bool = True


class PlaceIn(BaseModel, extra="forbid", strict=True):
    """The person's stone."""

    x: int = Field(ge=0, le=25)
    y: int = Field(ge=0, le=25)


class StateOut(BaseModel):
    """A game."""

    game_id: str
    board: list[list[int]]
    current_player: Number
    human: Number
    move_count: int
    last_move: Point | None
    ai_move: Point | None
    ai_thinking: bool
    game_over: bool
    winner: Number | None = Field(description="0 is a draw, null an unfinished game")
    win_rate: float | None = Field(description="the engine's, 0 to 1")


class ModelOut(BaseModel):
    """Who plays."""

    name: str
    version: str
    time_limit_s: float


@router.post("/move")
async def move(body: BoardIn, request: Request, client: Client, server: Server) -> MoveOut:
    """A move on a board: the engine's in a second, or that of another opponent at its level."""
    of_document = body.engine == ENGINE and body.level is None
    asked = AnalyzeIn(
        position=_position_of(body),
        engine=body.engine,
        level=LEVEL if of_document else body.level,
        limit=LimitIn(time=MOVE_S) if of_document else LimitIn(),
        multipv=1,
    )
    ask = await server.analyst.resolve(asked)
    reply = await answer_of(server.analyst.start(client, ask), request)
    size, color = ask.game.rules.size, ask.game.to_move
    x, y = divmod(parse_move(reply["action"]["moves"][0], size), size)
    return MoveOut(x=x, y=y, move=[x, y], win_rate=_of(color, reply["rootInfo"]["winrate"]))


@router.post("/api/game/new", status_code=201)
async def new(server: Server, body: NewIn | None = None) -> StateOut:
    """A new game; the engine begins unless the person does."""
    asked = body or NewIn()
    seats = [Seat(), Seat(SeatKind.ENGINE, player=ENGINE, level=LEVEL)]
    if not asked.human_first:
        seats.reverse()
    session = GameSession(Rules(asked.size), seats)
    await server.legacy_games.answer(session)
    return _state(server.legacy_games.add(session), session)


@router.get("/api/game/{game_id}/state")
async def state(game_id: str, server: Server) -> StateOut:
    """A game as it is now."""
    return _state(game_id, server.legacy_games.get(game_id))


@router.post("/api/game/{game_id}/move")
async def place(body: PlaceIn, game_id: str, server: Server) -> StateOut:
    """Place the person's stone and wait for the engine's."""
    session = server.legacy_games.get(game_id)
    size = session.rules.size
    if body.x >= size or body.y >= size:
        raise ProblemError(422, "illegal_move", f"x {body.x}, y {body.y}: expected 0 to {size - 1}")
    await server.legacy_games.answer(session)  # where it could not before
    session.play(format_move(body.x * size + body.y, size))
    await server.legacy_games.answer(session)
    return _state(game_id, session)


@router.post("/api/game/{game_id}/undo")
async def undo(game_id: str, server: Server) -> StateOut:
    """Take back to the person's previous turn."""
    session = server.legacy_games.get(game_id)
    session.undo()
    return _state(game_id, session)


@router.get("/api/model/info")
async def model() -> ModelOut:
    """Who plays."""
    return ModelOut(name=f"wuzi {ENGINE}", version=__version__, time_limit_s=MOVE_S)


def _position_of(body: BoardIn) -> PositionIn:
    """The position on the board; Black has as many stones as White, or one more."""
    size = len(body.board)
    if any(len(row) != size for row in body.board):
        raise ProblemError(422, "bad_notation", f"a board of {size} rows: expected {size} numbers in each")
    flat = [number for row in body.board for number in row]
    own, other = flat.count(1), flat.count(-1)
    if other - own not in (0, 1):
        detail = f"{own} stones to move, {other} others: expected as many or one more"
        raise ProblemError(422, "bad_notation", detail)
    color = Color.BLACK if own == other else Color.WHITE
    letters = {0: ".", 1: color.letter, -1: color.opponent.letter}
    cells = "".join(letters[n] for n in flat)
    return PositionIn.model_validate({"size": size, "cells": cells, "toMove": color.letter})


def _of(color: Color, winrate: float | None) -> float | None:
    return None if winrate is None else own_winrate(winrate, color)


def _number(color: Color | None) -> Any:
    return 0 if color is None else 1 if color is Color.BLACK else -1


def _state(game_id: str, session: GameSession) -> StateOut:
    played = session.game
    size, cells = session.rules.size, format_cells(played.position)
    human = played.color_of(next((i for i, seat in enumerate(session.seats) if seat.is_human), 0))
    moves = [Point(x=m // size, y=m % size) for m in played.moves]
    answered = bool(moves) and played.color_of(played.seat_to_act) is human
    numbers = {".": 0, "B": 1, "W": -1}
    outcome = played.outcome
    return StateOut(
        game_id=game_id,
        board=[[numbers[cells[row * size + col]] for col in range(size)] for row in range(size)],
        current_player=_number(played.to_move),
        human=_number(human),
        move_count=played.ply,
        last_move=moves[-1] if moves else None,
        ai_move=moves[-1] if answered else None,
        ai_thinking=session.search is not None,
        game_over=outcome is not None,
        winner=None if outcome is None else _number(outcome.winner),
        win_rate=_of(human.opponent, session.winrate),
    )
