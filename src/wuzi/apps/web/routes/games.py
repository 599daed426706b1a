"""Games: make, list, look, remove; and what people do in one, from moves and opening choices to hints."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from wuzi.analysis import hint_area, hint_reason
from wuzi.analysis.judgement_kernels import MISTAKE
from wuzi.analysis.review.model import ANALYSTS
from wuzi.apps.web import schemas
from wuzi.apps.web.context import PROBLEMS, Context, OneGame, Server
from wuzi.apps.web.engines import any_engine
from wuzi.apps.web.live import LiveGame
from wuzi.apps.web.problems import ProblemError
from wuzi.apps.web.schemas import CheckOut, GameState, LocalText, MoveAndReply, UndoIn
from wuzi.apps.web.schemas_analysis import TrialOut, TryIn
from wuzi.contract import Limit
from wuzi.core import Game, Opening, Rules, parse_move
from wuzi.core.game import Phase
from wuzi.core.symmetry import NUM_SYMMETRIES
from wuzi.errors import UnsupportedError
from wuzi.games import GameSession, Seat, SeatKind, TurnError, handicap_game
from wuzi.games.driver import CANDIDATES
from wuzi.players.opponents import find_engine
from wuzi.protocols.analysis.queries import Start
from wuzi.protocols.analysis.replies import parse_lines
from wuzi.protocols.analysis.wire import COLORS, parse_action, parse_cells, parse_rules

router = APIRouter(prefix="/games", tags=["games"], responses=PROBLEMS)


@router.post("", status_code=201)
async def create(body: schemas.NewGame, response: Response, server: Server) -> GameState:
    """Start a game; seat 0 acts first."""
    rules = parse_rules(body.rules.model_dump(by_alias=True))
    seats = [await _seat(seat, rules, server) for seat in body.seats]
    if body.clock is not None:
        seats = [_timed(seat, body.clock) for seat in seats]
    if body.first_seat == "random" and secrets.randbelow(2):
        seats.reverse()
    begun = await asyncio.to_thread(_begun, body, rules)
    session = GameSession(rules, seats, begun)
    session.begun = 0 if session.is_over else len(begun.actions)
    return created(server, session, response)


@router.get("", response_model=list[schemas.GameSummary])
async def recent(
    server: Server,
    limit: Annotated[int, Query(ge=1, le=100)] = schemas.RECENT,
    search: Annotated[str, Query(max_length=100)] = "",
) -> list[dict[str, Any]]:
    """The games touched last, newest first; of a search those in whose names all its words are."""
    return await server.hub.recent(limit, search)


@router.get("/{game_id}")
async def look(game: OneGame) -> GameState:
    """A game as it is now."""
    return game.state()


@router.delete("/{game_id}", status_code=204)
async def remove(game_id: str, server: Server) -> None:
    """Remove a game for good."""
    await server.hub.delete(game_id)


@router.post("/{game_id}/restart", status_code=201)
async def restart(
    game: OneGame, response: Response, server: Server, body: schemas.RestartIn | None = None
) -> GameState:
    """A new game with the same rules, start and seats, which may be exchanged; the old one stays."""
    anew = game.session.restarted(swap_sides=body is not None and body.swap_sides)
    return created(server, anew, response)


def created(server: Context, session: GameSession, response: Response) -> GameState:
    """Take a new session in and say where it is."""
    game = server.hub.create(session)
    response.headers["Location"] = f"/api/v1/games/{game.id}"
    return game.state()


async def _seat(seat: schemas.SeatIn, rules: Rules, server: Context) -> Seat:
    if seat.kind == "human":
        if seat.engine is not None or seat.level is not None:
            raise ProblemError(422, "validation", "a human seat has an engine or a level: expected neither")
        return Seat(name=" ".join(seat.name.split()))
    entry = any_engine(seat.engine, server.settings.runs_dir)
    level = entry.level(seat.level)
    if (reason := await server.engines.why_not(entry, rules)) is not None:
        raise UnsupportedError(f"{entry.en} {reason}")
    return Seat(SeatKind.ENGINE, entry.id, level.id, level.limit, ponders=seat.ponders)


def _timed(seat: Seat, clock: schemas.ClockIn) -> Seat:
    """The seat with a clock."""
    if clock.each_move:
        return replace(seat, move_s=clock.seconds)
    return replace(seat, limit=replace(seat.limit, clock_s=clock.seconds, increment_s=clock.increment))


def _drawn(body: schemas.NewGame, rules: Rules) -> Game:
    """A game that begins with an opening of the book, turned or mirrored at random."""
    from wuzi.arena.openings import default_openings, load_shipped

    if body.moves or body.setup is not None or rules.opening is not Opening.FREE:
        detail = "book: expected no moves, no setup and the free opening beside it"
        raise ProblemError(422, "validation", detail)
    name = default_openings(rules) if body.book == "even" else "renju26"
    if name == "auto":
        raise ProblemError(422, "unsupported_rule", f"there is no book of even openings for {rules.label}")
    opening = secrets.choice(load_shipped(name, rules))
    return opening.transformed(rules.size, secrets.randbelow(NUM_SYMMETRIES)).game(rules)


def _begun(body: schemas.NewGame, rules: Rules) -> Game:
    """The game that the request describes so far, its forbidden points known."""
    if body.book is not None and not body.handicap:
        return _drawn(body, rules)
    game = _described(body, rules)
    game.position.forbidden_mask()
    return game


def _described(body: schemas.NewGame, rules: Rules) -> Game:
    setup = body.setup
    if body.handicap:
        if body.moves or setup is not None or body.book is not None:
            raise ProblemError(
                422, "validation", "handicap: expected no moves, no setup and no book beside it"
            )
        return handicap_game(rules, body.handicap)
    game = Game(rules, None if setup is None else parse_cells(setup.cells, rules, setup.to_move))
    for move in body.moves or ():
        game = game.play(move)
    return game


play = APIRouter(prefix="/games/{game_id}", tags=["play"], responses=PROBLEMS)

HINT_ENGINES = {"engine": Limit(time_s=1.5), "minimax-s1": Limit(time_s=2)}
"""Who gives hints: the first of these that plays the rules."""

CHECK_OPTIONS = {"player": ANALYSTS["engine"], "quick_nodes": 20_000, "proof_nodes": 50_000}
"""Budgets of a look at a move before it is played."""


@play.post(
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


@play.post("/actions", status_code=202)
async def action(body: schemas.ActionIn, game: OneGame) -> GameState:
    """Act in an opening phase: swap, keep, or place one or several stones."""
    data: dict[str, Any] = {"type": body.action}
    if body.action == "place":
        data["moves"] = body.moves
    decided = parse_action(data, game.session.rules.size)
    game.session.act(decided, ply=body.ply, elapsed_s=game.elapsed_s)
    return _done(game)


@play.post("/undo")
async def undo(game: OneGame, body: UndoIn | None = None) -> GameState:
    """Take back; against an engine to the person's previous turn, unless a count is given."""
    game.interrupt(lambda session: session.undo(body.plies if body else None))
    return _done(game)


@play.post("/redo")
async def redo(game: OneGame, body: UndoIn | None = None) -> GameState:
    """Replay what was taken back."""
    game.interrupt(lambda session: session.redo(body.plies if body else None))
    return _done(game)


@play.post("/resign")
async def resign(game: OneGame, body: schemas.ResignIn | None = None) -> GameState:
    """Give up."""
    game.interrupt(lambda session: session.resign(COLORS[body.color if body else None]))
    return _done(game)


@play.post("/draw")
async def draw(game: OneGame) -> GameState:
    """Agree on a draw: two people always, an engine when it sees an even game (else ``draw_refused``)."""
    game.interrupt(GameSession.offer_draw)
    return _done(game)


@play.post("/stop")
async def stop(game: OneGame) -> GameState:
    """Pause: the engine stops and all clocks stand, until ``resume``."""
    game.interrupt(GameSession.pause)
    return _done(game)


@play.post("/resume")
async def resume(game: OneGame) -> GameState:
    """Go on, after a stop or after an error."""
    game.session.resume()
    return _done(game)


@play.post("/pace")
async def pace(game: OneGame, body: schemas.PaceIn) -> GameState:
    """How fast two engines play each other."""
    game.session.pace_s = body.seconds
    return _renewed(game)


@play.post("/name")
async def name(game: OneGame, body: schemas.NameIn) -> GameState:
    """Name the game."""
    game.session.name = " ".join(body.name.split())
    return _renewed(game)


@play.post("/move-now", status_code=202)
async def move_now(game: OneGame) -> GameState:
    """Make the engine play the best move it has so far."""
    if not game.move_now():
        raise TurnError("not_your_turn", "no engine thinks now")
    return game.state()


@play.post("/hint")
async def hint(game: OneGame, server: Server, body: schemas.HintIn | None = None) -> schemas.HintOut:
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
    told = {"area": hint_area(cell, session.rules.size), "kind": why.name.lower(), "reason": why}
    if (body or schemas.HintIn()).level == 2:
        told |= {"move": cell, "winrate": line and line.winrate, "lines": reply["moveInfos"]}
    return schemas.HintOut.model_validate(told)


@play.post("/check")
async def check(game: OneGame, server: Server, body: TryIn) -> CheckOut:
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
    engine = await server.engines.first(HINT_ENGINES, played.rules)
    limit = HINT_ENGINES[engine.id]
    request = Start(f"hint-{secrets.token_hex(6)}", engine.level().spec, played, limit, CANDIDATES, None)
    reply = await server.pool.submit(request).answer
    game.hint = (played, reply)
    return reply


def blunder_out(found: TrialOut) -> CheckOut:
    """What to say of a judged move: only what is lost, never what is better."""
    loss = found.loss
    if found.verdict == "lost":
        return CheckOut(is_blunder=False, loss=loss)
    if found.line:
        reason = LocalText(en="The other side could then win by force.", zh="这样走之后，对方有必胜的进攻。")
    elif loss is None and found.verdict == "fails":
        reason = LocalText(en="It loses at once.", zh="这一手立即输棋。")
    elif (loss or 0) > MISTAKE:
        reason = LocalText(
            en=f"The engine sees about {loss:.0f} points of win rate lost.",
            zh=f"引擎估计大约会损失 {loss:.0f} 个百分点的胜率。",
        )
    else:
        return CheckOut(is_blunder=False, loss=loss)
    return CheckOut(is_blunder=True, reason=reason, loss=loss)


def _renewed(game: LiveGame) -> GameState:
    """After a change that is none of the game itself."""
    game.session.seq += 1
    game.show()
    return game.state()


def _done(game: LiveGame) -> GameState:
    game.changed()
    return game.state()
