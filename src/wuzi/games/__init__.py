"""A game in progress as every face needs it: seats, undo, swap phases, clocks, hints, storage."""

from wuzi.games.seats import Clock, Failure, Search, Seat, SeatKind, TurnError
from wuzi.games.session import GameSession
from wuzi.games.stored import SCHEMA, session_from_json, session_to_json

__all__ = [
    "SCHEMA",
    "Clock",
    "Failure",
    "GameSession",
    "Search",
    "Seat",
    "SeatKind",
    "TurnError",
    "session_from_json",
    "session_to_json",
]
