"""Sessions as JSON: round trips over random play, an old file that must still load, broken data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wuzi.contract import Limit
from wuzi.core import Keep, Opening, Place, PlaceSeveral, Rule, Rules, Swap
from wuzi.core.game import Phase
from wuzi.errors import RecordError
from wuzi.games import Failure, GameSession, Seat, SeatKind, session_from_json, session_to_json

GOLDEN = Path(__file__).parent / "session_schema1.json"
SEATS = st.sampled_from(
    [
        Seat(),
        Seat(name="小明"),
        Seat(SeatKind.ENGINE, "random"),
        Seat(SeatKind.ENGINE, "mcts", "strong", Limit(time_s=1.5)),
        Seat(limit=Limit(clock_s=60, increment_s=2)),
    ]
)


def a_step(session: GameSession, data: st.DataObject) -> None:
    """Do one random legal thing."""
    kind = data.draw(st.sampled_from(["act", "act", "act", "undo", "redo", "resign", "pause", "resume"]))
    if kind == "act" and not session.is_over:
        empty = session.game.position.legal_moves
        if session.game.phase is Phase.PLACE_THREE:
            action: PlaceSeveral | Place | Keep | Swap = PlaceSeveral(tuple(empty[:3]))
        elif session.game.phase is not Phase.PLAY and data.draw(st.booleans()):
            action = data.draw(st.sampled_from([Keep(), Swap()]))
        else:
            action = Place(data.draw(st.sampled_from(empty)))
        if session.seats[session.game.seat_to_act].is_human:
            session.act(action, elapsed_s=0.5)
        elif session.engine_to_act is not None:
            session.answer(session.begin_search(), action, winrate=data.draw(st.floats(0, 1)))
    elif kind == "undo" and session.can_undo:
        session.undo()
    elif kind == "redo" and session.can_redo:
        session.redo()
    elif (
        kind == "resign" and session.human_seats and not session.is_over and data.draw(st.integers(0, 9)) == 0
    ):
        session.resign()
    elif kind == "pause":
        session.pause()
    elif kind == "resume":
        session.resume()


@settings(max_examples=60, deadline=None)
@given(st.data(), SEATS, SEATS, st.sampled_from(list(Rule)), st.sampled_from(list(Opening)))
def test_round_trip_of_random_sessions(
    data: st.DataObject, first: Seat, second: Seat, rule: Rule, opening: Opening
) -> None:
    session = GameSession(Rules(size=7, rule=rule, opening=opening), [first, second])
    for _ in range(data.draw(st.integers(0, 25))):
        a_step(session, data)
    stored = json.dumps(session_to_json(session), allow_nan=False)
    again = session_from_json(json.loads(stored))
    assert again.game == session.game
    assert again.seats == session.seats
    assert again.redo_actions == session.redo_actions
    assert again.winrates == session.winrates
    assert again.clocks == session.clocks
    assert (again.paused, again.failure, again.seq) == (session.paused, session.failure, session.seq)
    assert (again.can_undo, again.can_redo) == (session.can_undo, session.can_redo)
    if session.can_undo:
        session.undo()
        again.undo()
        assert again.game == session.game


@settings(max_examples=40, deadline=None)
@given(st.data(), SEATS, SEATS)
def test_undo_then_redo_is_where_we_were(data: st.DataObject, first: Seat, second: Seat) -> None:
    session = GameSession(Rules(size=6), [first, second])
    for _ in range(data.draw(st.integers(0, 20))):
        a_step(session, data)
    actions = session.game.actions
    if not session.can_undo:
        return
    session.undo()
    assert actions[: len(session.game.actions)] == session.game.actions
    if len(session.human_seats) == 1 and not session.is_over:
        assert session.seats[session.game.seat_to_act].is_human
    if len(session.game.actions) < len(actions):
        session.redo(len(actions) - len(session.game.actions))
        assert session.game.actions == actions


def test_a_failure_survives_storage() -> None:
    session = GameSession(Rules(size=9), [Seat(SeatKind.ENGINE, "random"), Seat()])
    session.fail(session.begin_search(), "engine_crashed", "exit code 1")
    again = session_from_json(session_to_json(session))
    assert again.failure == Failure("engine_crashed", "exit code 1")


def test_old_sessions_still_load() -> None:
    session = session_from_json(json.loads(GOLDEN.read_text("utf-8")))
    assert session.game.ply == 5
    assert session.game.rules == Rules(size=15, rule=Rule.RENJU, opening=Opening.SWAP2)
    assert session.seats[1].player == "minimax-s1"
    assert session.winrate == 0.3
    assert session.can_redo
    assert session.clocks[0] is not None


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"schema": 99},
        {"schema": 1},
        {"schema": 1, "position": {"size": 2}},
        {"schema": 1, "position": {"size": 15, "actions": [{"type": "place", "moves": ["z99"]}]}},
    ],
)
def test_broken_data_is_a_record_error(broken: dict[str, object]) -> None:
    with pytest.raises(RecordError):
        session_from_json(broken)
