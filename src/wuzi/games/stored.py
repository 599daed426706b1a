"""A session as JSON data, for databases and files. The schema is versioned; old versions must still load."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from wuzi.base.json_fields import MALFORMED
from wuzi.contract import Limit
from wuzi.errors import RecordError, WuziError
from wuzi.games.seats import Clock, Failure, Seat, SeatKind
from wuzi.games.session import GameSession
from wuzi.protocols.analysis import wire

SCHEMA = 1


def session_to_json(session: GameSession) -> dict[str, Any]:
    """All of a session but its running search, as JSON-compatible data."""
    size = session.rules.size
    failure = session.failure
    return {
        "schema": SCHEMA,
        "position": wire.position_json(session.game),
        "outcome": wire.outcome_json(session.game.outcome),
        "seats": [_seat_json(seat) for seat in session.seats],
        "redo": [wire.action_json(action, size) for action in session.redo_actions],
        "paused": session.paused,
        "failure": None if failure is None else asdict(failure),
        "winrates": wire.finite(session.known_winrates),
        "clocks": [None if clock is None else clock.left_s for clock in session.clocks],
        "owed": [0.0 if clock is None else clock.owed_s for clock in session.clocks],
        "hints": session.hints,
        "seq": session.seq,
        "name": session.name,
        "begun": session.begun,
        "pace": session.pace_s,
    }


def session_from_json(data: Mapping[str, Any]) -> GameSession:
    """The session that :func:`session_to_json` stored; its engine, if one is to act, starts anew.

    RecordError for an unknown schema, or data that is no session.
    """
    if data.get("schema") != SCHEMA:
        raise RecordError(f"session schema {data.get('schema')!r}: this version reads schema {SCHEMA}")
    try:
        return _restore(data)
    except (*MALFORMED, WuziError) as error:
        raise RecordError(f"broken session: {error}") from error


def _restore(data: Mapping[str, Any]) -> GameSession:
    game = wire.parse_position(data["position"])
    outcome = wire.parse_outcome(data["outcome"])
    if outcome is not None and game.outcome is None:
        game = game.end(outcome)
    session = GameSession(game.rules, [_parse_seat(seat) for seat in data["seats"]], game)
    failure = data["failure"]
    session.redo_actions = [wire.parse_action(action, game.rules.size) for action in data["redo"]]
    session.known_winrates = {int(ply): float(value) for ply, value in data["winrates"].items()}
    session.paused, session.seq, session.hints = bool(data["paused"]), int(data["seq"]), int(data["hints"])
    session.failure = None if failure is None else Failure(**failure)
    session.name, session.pace_s = str(data.get("name", "")), data.get("pace")
    session.begun = int(data.get("begun", 0))
    owed = data.get("owed", (0.0, 0.0))
    for index, left_s in enumerate(data["clocks"]):
        full = session.seats[index].clock() or Clock(0.0)
        now = None if left_s is None else replace(full, left_s=float(left_s), owed_s=float(owed[index]))
        session.clocks[index] = now
    return session


def _seat_json(seat: Seat) -> dict[str, Any]:
    limit = {name: value for name, value in asdict(seat.limit).items() if value}
    return {**asdict(seat), "kind": str(seat.kind), "limit": limit}


def _parse_seat(data: Mapping[str, Any]) -> Seat:
    texts = {name: str(data[name]) for name in ("player", "level", "name")}
    own: dict[str, Any] = {name: data[name] for name in ("move_s", "ponders") if name in data}
    return Seat(kind=SeatKind(data["kind"]), limit=Limit(**data["limit"]), **{**texts, **own})
