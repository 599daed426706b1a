"""A session as clients see it: the GameState and the summary for lists."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from wuzi.apps.web.engines import engine_name
from wuzi.apps.web.schemas import (
    ClockOut,
    ForbiddenOut,
    GameState,
    GameSummary,
    LocalText,
    OutcomeOut,
    SeatOut,
    ThinkingOut,
)
from wuzi.core import Color, Game, Move, Position, Reason, Rule, format_moves
from wuzi.games import GameSession, Seat
from wuzi.protocols.analysis.wire import format_cells

_HUMAN = LocalText(en="Human", zh="玩家")


def when(seconds: float) -> str:
    """A time since 1970 as RFC 3339 text."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def forbidden_out(position: Position) -> list[ForbiddenOut]:
    """The forbidden points of a renju position with their kinds, while the game goes on."""
    if position.rules.rule is not Rule.RENJU or position.outcome is not None:
        return []
    cells = [Move(cell, position.rules.size) for cell in position.forbidden_mask().nonzero()[0]]
    return [
        ForbiddenOut.model_validate({"move": cell, "kind": position.forbidden_kind(cell)}) for cell in cells
    ]


def outcome_out(game: Game) -> OutcomeOut | None:
    """How a game ended; a forbidden point with its kind."""
    outcome = game.outcome
    if outcome is None:
        return None
    kind = None
    if outcome.reason is Reason.FORBIDDEN and game.moves:
        kind = game.at(len(game.actions) - 1).position.forbidden_kind(game.moves[-1])
    return OutcomeOut.model_validate(
        {"winner": outcome.winner, "reason": outcome.reason, "forbidden_kind": kind}
    )


def seats_out(session: GameSession) -> list[SeatOut]:
    """Both seats with their colours now."""
    return [_seat_out(seat, session.game.color_of(index)) for index, seat in enumerate(session.seats)]


def _seat_out(seat: Seat, color: Color) -> SeatOut:
    is_unnamed = seat.is_human and not seat.name
    name = _HUMAN if is_unnamed else LocalText(en=seat.name, zh=seat.name)
    return SeatOut.model_validate(
        {
            "kind": seat.kind,
            "engine": seat.player or None,
            "level": seat.level or None,
            "name": name if seat.is_human else engine_name(seat.player),
            "is_unnamed": is_unnamed,
            "color": color,
        }
    )


def game_state(
    game_id: str,
    session: GameSession,
    created_at: float,
    updated_at: float,
    thinking: ThinkingOut | None,
    elapsed_s: float,
) -> GameState:
    """Everything a board needs to show; ``elapsed_s`` is since the turn of the seat to act began."""
    game, position = session.game, session.game.position
    return GameState.model_validate(
        {
            **_summary(game_id, session, updated_at),
            "seq": session.seq,
            "created_at": when(created_at),
            "phase": game.phase,
            "seat_to_act": game.seat_to_act,
            "to_move": game.to_move,
            "to_place": game.colors_to_place,
            "moves": game.moves,
            "cells": format_cells(position),
            "last_move": position.last_move,
            "winning_lines": position.winning_lines(),
            "forbidden": forbidden_out(position) if game.outcome is None else [],
            "thinking": thinking,
            "paused": session.paused,
            "engine_error": session.failure,
            "winrate": session.winrate,
            "winrates": session.winrates,
            "can_undo": session.can_undo,
            "can_redo": session.can_redo,
            "position_code": format_moves(game.moves, game.rules.size),
            "clocks": _clocks(session, elapsed_s),
        }
    )


def _clocks(session: GameSession, elapsed_s: float) -> list[ClockOut | None]:
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


def game_summary(game_id: str, session: GameSession, updated_at: float) -> dict[str, Any]:
    """What lists show of a game, as wire data."""
    found = GameSummary.model_validate(_summary(game_id, session, updated_at))
    return found.model_dump(mode="json", by_alias=True)


def _summary(game_id: str, session: GameSession, updated_at: float) -> dict[str, Any]:
    return {
        "id": game_id,
        "rules": session.rules,
        "seats": seats_out(session),
        "ply": session.game.ply,
        "outcome": outcome_out(session.game),
        "updated_at": when(updated_at),
    }
