"""A session as clients see it: the GameState and the summary for lists."""

from __future__ import annotations

from typing import Any

from wuzi.apps.web.engines import engine_name
from wuzi.apps.web.schemas import ClockOut, ForbiddenOut, LocalText, OutcomeOut, SeatOut
from wuzi.core import Game, Move, Position, Reason
from wuzi.games import GameSession


def forbidden_out(position: Position) -> list[ForbiddenOut]:
    """The forbidden points of a renju position with their kinds, while the game is not over."""
    if not position.rules.rule.forbids or position.outcome is not None:
        return []
    cells = [Move(cell, position.rules.size) for cell in position.forbidden_mask().nonzero()[0]]
    found = [{"move": cell, "kind": position.forbidden_kind(cell)} for cell in cells]
    return list(map(ForbiddenOut.model_validate, found))


def outcome_out(game: Game) -> OutcomeOut | None:
    """How a game ended; a forbidden point with its kind."""
    if (outcome := game.outcome) is None:
        return None
    kind = None
    if outcome.reason is Reason.FORBIDDEN and game.moves:
        kind = game.at(len(game.actions) - 1).position.forbidden_kind(game.moves[-1])
    found = {"winner": outcome.winner, "reason": outcome.reason, "forbidden_kind": kind}
    return OutcomeOut.model_validate(found)


def seats_out(session: GameSession) -> list[SeatOut]:
    """Both seats with their colours now."""
    found = []
    for index, seat in enumerate(session.seats):
        about = {
            "kind": seat.kind,
            "engine": seat.player or None,
            "level": seat.level or None,
            "name": LocalText(en=seat.name or "Human", zh=seat.name or "玩家"),
            "is_unnamed": seat.is_human and not seat.name,
            "ponders": seat.ponders,
            "color": session.game.color_of(index),
        }
        if not seat.is_human:
            about["name"] = engine_name(seat.player)
        found.append(SeatOut.model_validate(about))
    return found


def clocks_out(session: GameSession, elapsed_s: float) -> list[ClockOut | None]:
    """Both seats' clocks; that of the seat to act runs unless the game waits."""
    shown: list[ClockOut | None] = [None, None]
    for seat, clock in enumerate(session.clocks):
        if clock is not None:
            running = session.timed_seat == seat
            now = clock.run(elapsed_s) if running else clock
            left_s = round(now.left_s, 2)
            shown[seat] = ClockOut(
                left_s=left_s, increment_s=now.increment_s, move_s=now.move_s, running=running
            )
    return shown


def summary(game_id: str, session: GameSession, updated_at: float) -> dict[str, Any]:
    """What lists show of a game."""
    return {
        "id": game_id,
        "name": session.name,
        "rules": session.rules,
        "seats": seats_out(session),
        "ply": session.game.ply,
        "outcome": outcome_out(session.game),
        "updated_at": updated_at,
    }


def searched(about: dict[str, Any]) -> str:
    """The words of a stored summary: the names of game and players in both languages, board and rule."""
    rules = about["rules"]
    names = [text for seat in about["seats"] for text in seat["name"].values()]
    words = [about.get("name", ""), *names, f"{rules['size']}x{rules['size']}", rules["rule"]]
    return " ".join(words).casefold()
