"""What people do in a game: moves, opening choices, undo, hints, and what they tell the engine."""

from __future__ import annotations

import asyncio
import secrets
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from wuzi.analysis import hint_area, hint_reason
from wuzi.analysis.review.judgement import MISTAKE
from wuzi.apps.web import schemas
from wuzi.apps.web.context import PROBLEMS, OneGame, Server
from wuzi.apps.web.live import LiveGame
from wuzi.apps.web.problems import ProblemError
from wuzi.apps.web.schemas import GameState, HintIn, HintOut, LocalText, MoveAndReply, UndoIn
from wuzi.apps.web.schemas_review import CheckIn, CheckOut, TrialOut
from wuzi.contract import Limit
from wuzi.core import Color, parse_move
from wuzi.core.game import Phase
from wuzi.games import GameSession, TurnError
from wuzi.players.opponents import find_engine
from wuzi.protocols.analysis.queries import Start
from wuzi.protocols.analysis.replies import parse_lines
from wuzi.protocols.analysis.wire import parse_action

router = APIRouter(prefix="/games/{game_id}", tags=["play"], responses=PROBLEMS)

HINT_ENGINES = (("engine", Limit(time_s=1.5)), ("minimax-s1", Limit(time_s=2)))
"""Who gives hints: the first of these that plays the rules."""


CHECK_OPTIONS = {"player": "engine", "quick_nodes": 20_000, "proof_nodes": 50_000}
"""Budgets of a look at a move before it is played."""


@router.post(
    "/moves",
    status_code=202,
    response_model=GameState | MoveAndReply,
    responses={200: {"model": MoveAndReply, "description": "With wait=true: the engine's reply, or null."}},
)
async def move(
    body: schemas.MoveIn,
    game: OneGame,
    response: Response,
    wait: bool = False,
    timeout: Annotated[float, Query(gt=0, le=120)] = 30.0,
) -> GameState | MoveAndReply:
    """Place one stone; the engine's reply arrives by WebSocket, or here with ``wait=true``."""
    game.reply = None
    game.session.play(body.move, ply=body.ply, elapsed_s=game.elapsed_s)
    game.changed()
    if not wait:
        return game.state()
    await game.settled(timeout)
    response.status_code = 200
    return MoveAndReply(game=game.state(), reply=game.last_reply())


@router.post("/actions", status_code=202)
async def action(body: schemas.ActionIn, game: OneGame) -> GameState:
    """Act in an opening phase: swap, keep, or place one or several stones."""
    data: dict[str, Any] = {"type": body.action}
    if body.action == "place":
        data["moves"] = body.moves
    decided = parse_action(data, game.session.rules.size)
    game.session.act(decided, ply=body.ply, elapsed_s=game.elapsed_s)
    return _done(game)


@router.post("/undo")
async def undo(game: OneGame, body: UndoIn | None = None) -> GameState:
    """Take back; against an engine to the person's previous turn, unless a count is given."""
    game.session.undo(body.plies if body else None)
    return _done(game)


@router.post("/redo")
async def redo(game: OneGame, body: UndoIn | None = None) -> GameState:
    """Replay what was taken back."""
    game.session.redo(body.plies if body else None)
    return _done(game)


@router.post("/resign")
async def resign(game: OneGame, body: schemas.ResignIn | None = None) -> GameState:
    """Give up."""
    letter = body.color if body else None
    game.session.resign(None if letter is None else Color.BLACK if letter == "B" else Color.WHITE)
    return _done(game)


@router.post("/draw")
async def draw(game: OneGame) -> GameState:
    """Agree on a draw: two people always, an engine when it sees an even game (else ``draw_refused``)."""
    game.session.offer_draw()
    return _done(game)


@router.post("/stop")
async def stop(game: OneGame) -> GameState:
    """Stop the engine; it thinks again after ``resume``."""
    game.session.pause()
    return _done(game)


@router.post("/resume")
async def resume(game: OneGame) -> GameState:
    """Let the engine think again, after a stop or after an error."""
    game.session.resume()
    return _done(game)


@router.post("/move-now", status_code=202)
async def move_now(game: OneGame) -> GameState:
    """Make the engine play the best move it has so far."""
    if not game.move_now():
        raise TurnError("not_your_turn", "no engine thinks now")
    return game.state()


@router.post("/hint")
async def hint(game: OneGame, server: Server, body: HintIn | None = None) -> HintOut:
    """Suggest a move: level 1 says where to look and for what, level 2 which move."""
    session, played = game.session, game.session.game
    if not _places_a_stone(session):
        raise TurnError("not_your_turn", "hints are for a person who is to place a stone")
    reply = await _ask_for_hint(game, server)
    line = next(iter(parse_lines(reply, played)), None)
    cell = parse_move(reply["action"]["moves"][0], session.rules.size)
    if session.game == played:
        session.hints += 1
    why = await asyncio.to_thread(hint_reason, played, cell, line)
    told = {"area": hint_area(cell, session.rules.size), "reason": why}
    if (body or HintIn()).level == 2:
        told |= {"move": cell, "winrate": line and line.winrate, "lines": reply["moveInfos"]}
    return HintOut.model_validate(told)


@router.post("/check")
async def check(game: OneGame, server: Server, body: CheckIn) -> CheckOut:
    """Whether a move that a person is about to play would be a bad mistake; the better move is not told."""
    session, played = game.session, game.session.game
    if body.ply != played.ply:
        raise TurnError("ply_mismatch", f"ply {body.ply} was meant: the game is at ply {played.ply}")
    if not _places_a_stone(session):
        raise TurnError("not_your_turn", "only a stone that a person may place now can be checked")
    move = str(played.position.check(body.move))
    if await server.engines.why_not(find_engine("engine"), played.rules) is not None:
        return CheckOut(is_blunder=False)
    return blunder_out(await server.reviews.judge(played, move, "best", CHECK_OPTIONS))


def _places_a_stone(session: GameSession) -> bool:
    """Whether a person is to act, and may place a stone."""
    game = session.game
    return game.phase is Phase.PLAY and session.seats[game.seat_to_act].is_human


async def _ask_for_hint(game: LiveGame, server: Server) -> dict[str, Any]:
    """The final report of a search for the person to move, made once for both levels of a hint."""
    played = game.session.game
    if game.hint is not None and game.hint[0] == played:
        return game.hint[1]
    for engine_id, limit in HINT_ENGINES:
        if await server.engines.why_not(find_engine(engine_id), played.rules) is not None:
            continue
        spec = find_engine(engine_id).level().spec
        request = Start(f"hint-{secrets.token_hex(6)}", spec, played, limit, 5, None)
        reply = await server.pool.submit(request).answer
        game.hint = (played, reply)
        return reply
    raise ProblemError(422, "unsupported_rule", f"no engine gives hints for {played.rules.label}")


def blunder_out(found: TrialOut) -> CheckOut:
    """What to say of a judged move: only what is lost, never what is better."""
    loss = found.loss
    if found.line:
        reason = LocalText(en="The other side could then win by force.", zh="这样走之后，对方有必胜的进攻。")
    elif loss is None and found.verdict == "fails":
        reason = LocalText(
            en="You have a forced win here, and this lets it go.", zh="您现在有必胜，这一手会错过它。"
        )
    elif (loss or 0) > MISTAKE:
        reason = LocalText(
            en=f"It loses about {loss:.0f} points of win rate.", zh=f"大约会损失 {loss:.0f} 个百分点的胜率。"
        )
    else:
        return CheckOut(is_blunder=False, loss=loss)
    return CheckOut(is_blunder=True, reason=reason, loss=loss)


def _done(game: LiveGame) -> GameState:
    game.changed()
    return game.state()
