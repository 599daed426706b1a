"""A session as clients see it: the GameState and the summary for lists."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from wuzi.apps.web.engines import engine_name
from wuzi.apps.web.schemas import ClockOut, ForbiddenOut, LocalText, OutcomeOut, SeatOut
from wuzi.core import Game, Move, Position, Reason, Rule
from wuzi.games import GameSession, Seat


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
    return [
        SeatOut.model_validate(
            {
                "kind": seat.kind,
                "engine": seat.player or None,
                "level": seat.level or None,
                "name": _name(seat),
                "is_unnamed": seat.is_human and not seat.name,
                "color": session.game.color_of(index),
            }
        )
        for index, seat in enumerate(session.seats)
    ]


def _name(seat: Seat) -> LocalText:
    if not seat.is_human:
        return engine_name(seat.player)
    return LocalText(en=seat.name, zh=seat.name) if seat.name else LocalText(en="Human", zh="玩家")


def clocks_out(session: GameSession, elapsed_s: float) -> list[ClockOut | None]:
    """Both seats' clocks; that of the seat to act runs unless the game waits."""
    shown: list[ClockOut | None] = []
    for seat, clock in enumerate(session.clocks):
        running = session.timed_seat == seat
        now = clock.run(elapsed_s) if clock is not None and running else clock
        shown.append(
            None
            if now is None
            else ClockOut(left_s=round(now.left_s, 2), increment_s=now.increment_s, running=running)
        )
    return shown


def summary(game_id: str, session: GameSession, updated_at: float) -> dict[str, Any]:
    """What lists show of a game."""
    return {
        "id": game_id,
        "rules": session.rules,
        "seats": seats_out(session),
        "ply": session.game.ply,
        "outcome": outcome_out(session.game),
        "updated_at": when(updated_at),
    }
