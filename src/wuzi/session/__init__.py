"""A game in progress as every face needs it: seats, undo, swap phases, clocks, hints, storage."""

from wuzi.session.clock import Clock
from wuzi.session.explain import Explainer, Remark, Said
from wuzi.session.game_session import GameSession
from wuzi.session.hint import HintReason, hint_area, hint_reason
from wuzi.session.seat import Seat, SeatKind
from wuzi.session.stored import SCHEMA, session_from_json, session_to_json
from wuzi.session.turns import Failure, Search, TurnError

__all__ = [
    "SCHEMA",
    "Clock",
    "Explainer",
    "Failure",
    "GameSession",
    "HintReason",
    "Remark",
    "Said",
    "Search",
    "Seat",
    "SeatKind",
    "TurnError",
    "hint_area",
    "hint_reason",
    "session_from_json",
    "session_to_json",
]
