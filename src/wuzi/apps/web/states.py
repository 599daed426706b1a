"""A session as clients see it: the GameState and the summary for lists."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel

from wuzi.apps.web.run_engines import engine_name
from wuzi.apps.web.schemas import (
    ClockOut,
    EngineErrorOut,
    ForbiddenOut,
    GameState,
    GameSummary,
    LocalText,
    OutcomeOut,
    RulesOut,
    SeatOut,
    ThinkingOut,
)
from wuzi.core import Color, Game, Position, Reason, Rule, Rules, format_move, format_moves
from wuzi.games import GameSession, Seat
from wuzi.protocols.analysis.wire import format_cells, rules_json

_HUMAN = LocalText(en="Human", zh="玩家")


def when(seconds: float) -> str:
    """A time since 1970 as RFC 3339 text."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def rules_out(rules: Rules) -> RulesOut:
    """Rules for the wire."""
    return RulesOut.model_validate(rules_json(rules))


def forbidden_out(position: Position) -> list[ForbiddenOut]:
    """The forbidden points of a renju position with their kinds, while the game goes on."""
    if position.rules.rule is not Rule.RENJU or position.outcome is not None:
        return []
    return [
        ForbiddenOut.model_validate(
            {
                "move": format_move(int(cell), position.rules.size),
                "kind": position.forbidden_kind(int(cell)).label,
            }
        )
        for cell in position.forbidden_mask().nonzero()[0]
    ]


def outcome_out(game: Game) -> OutcomeOut | None:
    """How a game ended; a forbidden point with its kind."""
    outcome = game.outcome
    if outcome is None:
        return None
    kind = None
    if outcome.reason is Reason.FORBIDDEN and game.moves:
        kind = game.at(len(game.actions) - 1).position.forbidden_kind(game.moves[-1]).label
    winner = None if outcome.winner is None else outcome.winner.letter
    return OutcomeOut.model_validate(
        {"winner": winner, "reason": outcome.reason.label, "forbiddenKind": kind}
    )


def seats_out(session: GameSession) -> list[SeatOut]:
    """Both seats with their colours now."""
    return [_seat_out(seat, session.game.color_of(index)) for index, seat in enumerate(session.seats)]


def _seat_out(seat: Seat, color: Color) -> SeatOut:
    is_unnamed = seat.is_human and not seat.name
    name = _HUMAN if is_unnamed else LocalText(en=seat.name, zh=seat.name)
    if not seat.is_human:
        name = engine_name(seat.player)
    return SeatOut.model_validate(
        {
            "kind": str(seat.kind),
            "engine": seat.player or None,
            "level": seat.level or None,
            "name": name,
            "isUnnamed": is_unnamed,
            "color": color.letter,
        }
    )


def game_state(
    game_id: str,
    session: GameSession,
    created_at: float,
    updated_at: float,
    thinking: ThinkingOut | None,
    elapsed_s: float = 0.0,
) -> GameState:
    """Everything a board needs to show.

    Args:
        game_id: its address.
        session: the game.
        created_at: seconds since 1970.
        updated_at: the same.
        thinking: the search that runs.
        elapsed_s: since the turn of the seat to act began.
    """
    game, position, size = session.game, session.game.position, session.rules.size
    failure = session.failure
    last = position.last_move
    return GameState.model_validate(
        {
            "id": game_id,
            "seq": session.seq,
            "createdAt": when(created_at),
            "updatedAt": when(updated_at),
            "rules": rules_out(session.rules),
            "seats": seats_out(session),
            "phase": str(game.phase),
            "seatToAct": game.seat_to_act,
            "toMove": game.to_move.letter,
            "toPlace": [color.letter for color in game.colors_to_place],
            "ply": game.ply,
            "moves": [format_move(move, size) for move in game.moves],
            "cells": format_cells(position),
            "lastMove": None if last is None else format_move(last, size),
            "winningLines": [[format_move(m, size) for m in line] for line in position.winning_lines()],
            "forbidden": forbidden_out(position) if game.outcome is None else [],
            "outcome": outcome_out(game),
            "thinking": thinking,
            "paused": session.paused,
            "engineError": failure and EngineErrorOut(**asdict(failure)),
            "winrate": session.winrate,
            "winrates": session.winrates,
            "canUndo": session.can_undo,
            "canRedo": session.can_redo,
            "positionCode": format_moves(game.moves, size),
            "clocks": clocks_out(session, elapsed_s),
        }
    )


def clocks_out(session: GameSession, elapsed_s: float) -> list[ClockOut | None]:
    """Both seats' clocks; that of the seat to act runs unless the game waits."""
    shown: list[ClockOut | None] = []
    for seat, clock in enumerate(session.clocks):
        if clock is None:
            shown.append(None)
            continue
        running = session.timed_seat == seat
        left_s = (clock.run(elapsed_s) if running else clock).left_s
        shown.append(ClockOut(left_s=round(left_s, 2), increment_s=clock.increment_s, running=running))
    return shown


def summary(game_id: str, session: GameSession, updated_at: float) -> GameSummary:
    """What lists show of a game."""
    return GameSummary(
        id=game_id,
        rules=rules_out(session.rules),
        seats=seats_out(session),
        ply=session.game.ply,
        outcome=outcome_out(session.game),
        updated_at=when(updated_at),
    )


def dumped(model: BaseModel) -> dict[str, Any]:
    """A model as wire data."""
    return model.model_dump(mode="json", by_alias=True)
