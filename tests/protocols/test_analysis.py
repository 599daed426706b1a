"""The analysis protocol: round trips, bad input, strict JSON."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wuzi.contract import Capabilities, Limit, Line, PlayResult, SearchInfo
from wuzi.core import (
    Color,
    Game,
    Keep,
    Move,
    Opening,
    Outcome,
    Place,
    PlaceSeveral,
    Position,
    Reason,
    Rule,
    Rules,
    Swap,
    parse_moves,
)
from wuzi.core.game import Phase
from wuzi.protocols.analysis.queries import (
    Describe,
    Ping,
    Quit,
    Start,
    StopSearch,
    Warm,
    format_request,
    parse_request,
)
from wuzi.protocols.analysis.replies import capabilities_json, error_reply, parse_reply, report
from wuzi.protocols.analysis.wire import (
    MAX_LINE,
    RequestError,
    encode,
    finite,
    format_cells,
    outcome_json,
    parse_cells,
    parse_outcome,
)

START = {"type": "start", "id": "q", "player": "random", "position": {"moves": ["h8"]}}


def start(**changes: Any) -> str:
    return json.dumps(START | changes)


def code_of(line: str | bytes) -> tuple[str, str | None]:
    with pytest.raises(RequestError) as error:
        parse_request(line)
    assert "\n" not in str(error.value)
    return error.value.code, error.value.request_id


@st.composite
def games(draw: st.DrawFn) -> Game:
    """A game that is not over, of any rule, opening and start."""
    opening = draw(st.sampled_from(list(Opening)))
    rules = Rules(size=draw(st.integers(5, 10)), rule=draw(st.sampled_from(list(Rule))), opening=opening)
    game = Game(rules)
    if opening is Opening.FREE and draw(st.booleans()):
        stones = draw(st.lists(st.integers(0, rules.num_cells - 1), unique=True, max_size=3))
        cells = np.zeros(rules.num_cells, np.int8)
        for index, stone in enumerate(stones):
            cells[stone] = 1 + index % 2
        game = Game(rules, start=Position.from_cells(rules, cells, draw(st.sampled_from([None, *Color]))))
    for _ in range(draw(st.integers(0, 8))):
        empty = game.position.legal_moves
        if game.phase is Phase.PLACE_THREE:
            action: Any = PlaceSeveral(tuple(empty[::7][:3]))
        elif game.phase is not Phase.PLAY and draw(st.booleans()):
            action = draw(st.sampled_from([Swap(), Keep()]))
        else:
            action = Place(draw(st.sampled_from(empty)))
        after = game.act(action)
        if after.outcome is not None:
            break
        game = after
    return game


limits = st.builds(
    Limit,
    time_s=st.none() | st.floats(0, 1000),
    nodes=st.none() | st.integers(1, 10**9),
    depth=st.none() | st.integers(1, 99),
    simulations=st.none() | st.integers(1, 10**9),
    clock_s=st.none() | st.floats(0, 1000),
    increment_s=st.floats(0, 10),
)
starts = st.builds(
    Start,
    id=st.text(min_size=1, max_size=20).filter(lambda text: text.isprintable()),
    player=st.just("minimax:preset=s0,seed=1"),
    priority=st.integers(-1_000_000, 1_000_000),
    game=games(),
    limit=limits,
    multipv=st.integers(1, 50),
    report_every_s=st.none() | st.floats(0, 60),
    include=st.sampled_from([frozenset(), frozenset({"extra"})]),
)


@settings(max_examples=150, deadline=None)
@given(starts)
def test_start_round_trip(request: Start) -> None:
    line = format_request(request)
    assert "\n" not in line
    assert parse_request(line) == request
    assert parse_request(line.encode() + b"\r\n") == request


@pytest.mark.parametrize(
    "request_",
    [
        *(Ping(), Ping("x"), Quit(), Describe("d", "weight"), Warm("w")),
        *(StopSearch("q7"), StopSearch("q7", cancel=True), StopSearch("", cancel=True)),
    ],
)
def test_other_requests_round_trip(request_: Any) -> None:
    assert parse_request(format_request(request_)) == request_


def test_defaults_and_position_codes() -> None:
    request = parse_request('{"type":"start","id":"a","position":{"moves":"h8j9"}}', default_player="weight")
    assert isinstance(request, Start)
    assert request.game == Game(Rules(size=15)).play("h8").play("j9")
    assert (request.player, request.limit, request.multipv) == ("weight", Limit(), 1)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("", "bad_json"),
        ("BOARD", "bad_json"),
        ("[1]", "bad_json"),
        (b"\xff\xfe", "bad_json"),
        ("[" * 100_000, "bad_json"),
        ('{"type":"start","id":"q","multipv":NaN}', "bad_json"),
        ("1" * (MAX_LINE + 1), "too_long"),
        ("{}", "bad_request"),
        ('{"type":["start"]}', "bad_request"),
        ('{"type":"start"}', "bad_request"),
        ('{"type":"ping","id":5}', "bad_request"),
        ('{"type":"stop","id":""}', "bad_request"),
    ],
)
def test_lines_that_are_no_requests(line: str | bytes, code: str) -> None:
    assert code_of(line) == (code, None)


def test_a_query_of_katago_s_is_refused_under_its_id() -> None:
    """Only replies have KataGo's names; a type is missing."""
    line = '{"id":"q","moves":[["B","Q4"]],"rules":"chinese","boardXSize":19}'
    assert code_of(line) == ("bad_request", "q")


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"player": ""}, "bad_request"),
        ({"player": 3}, "bad_request"),
        ({"position": None}, "bad_request"),
        ({"position": {"moves": 8}}, "bad_request"),
        ({"position": {"moves": ["h8", "h8"]}}, "illegal_move"),
        ({"position": {"moves": ["z1"]}}, "bad_notation"),
        ({"position": {"moves": "h8!"}}, "bad_notation"),
        ({"position": {"size": 2}}, "unsupported_rule"),
        ({"position": {"size": 15.0}}, "bad_request"),
        ({"position": {"size": True}}, "bad_request"),
        ({"position": {"rule": "go"}}, "unsupported_rule"),
        ({"position": {"rule": ["renju"]}}, "unsupported_rule"),
        ({"position": {"rule": "renju", "winLength": 4}}, "unsupported_rule"),
        ({"position": {"moves": "a1b1a2b2a3b3a4b4a5"}}, "game_over"),
        ({"position": {"moves": "a1b1a2b2a3b3a4b4a5b5"}}, "game_over"),
        ({"position": {"cells": "BW"}}, "bad_notation"),
        ({"position": {"cells": "x" * 225}}, "bad_notation"),
        ({"position": {"cells": "." * 225, "toMove": "black"}}, "bad_request"),
        ({"position": {"actions": 3}}, "bad_request"),
        ({"position": {"actions": [{"type": "pass"}]}}, "bad_request"),
        ({"position": {"actions": [{"type": "swap"}]}}, "illegal_move"),
        ({"position": {"actions": [{"type": "place", "moves": []}]}}, "bad_request"),
        ({"position": {"moves": [], "actions": []}}, "bad_request"),
        ({"position": {"opening": "swap2", "moves": ["h8"]}}, "illegal_move"),
        ({"limit": []}, None),
        ({"limit": [1]}, "bad_request"),
        ({"limit": {"time": -1}}, "bad_request"),
        ({"limit": {"time": "1"}}, "bad_request"),
        ({"limit": {"visits": 0}}, "bad_request"),
        ({"limit": {"visits": 1.5}}, "bad_request"),
        ({"limit": {"turns": 1}}, "bad_request"),
        ({"multipv": 0}, "bad_request"),
        ({"multipv": 10**30}, "bad_request"),
        ({"reportEvery": "often"}, "bad_request"),
        ({"include": "extra"}, "bad_request"),
        ({"include": ["ownership"]}, "bad_request"),
    ],
)
def test_bad_starts_name_the_request(changes: dict[str, Any], code: str | None) -> None:
    if code is None:
        assert isinstance(parse_request(start(**changes)), Start)
    else:
        assert code_of(start(**changes)) == (code, "q")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda children: (
        st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=5), children, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(st.sampled_from(sorted(START | {"limit": 0, "multipv": 0, "include": 0})), json_values)
)
def test_any_json_is_a_request_or_a_request_error(changes: dict[str, Any]) -> None:
    try:
        parse_request(json.dumps(START | changes))
    except RequestError as error:
        assert json.loads(encode(error_reply(error.code, str(error), error.request_id)))


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["size", "rule", "opening", "winLength", "moves", "cells", "toMove"]), json_values
    )
)
def test_any_position_is_a_request_or_a_request_error(position: dict[str, Any]) -> None:
    try:
        parse_request(start(position=position))
    except RequestError:
        pass


def result_of(game: Game, **line: Any) -> PlayResult:
    lines = (Line(Move(0, 15), color=game.to_move, pv=(Move(0, 15), Move(1, 15)), **line), Line(Move(1, 15)))
    return PlayResult(
        Place(Move(0, 15)), SearchInfo(game.to_move, lines, nodes=12, time_s=0.5, extra={"n": np.int8(3)})
    )


def test_done_report_has_the_named_fields() -> None:
    request = parse_request(start(multipv=1, include=["extra"]))
    assert isinstance(request, Start)
    result = result_of(request.game, value=-0.5, visits=7, prior=0.25, score=3.0, win_in=-4)
    data = parse_reply(encode(report("done", request, result.info, 9, result)))
    assert data["action"] == {"type": "place", "moves": ["a15"]}
    assert (data["id"], data["seq"], data["isDuringSearch"], data["turnNumber"]) == ("q", 9, False, 1)
    assert data["rootInfo"] == {
        "currentPlayer": "W",
        "visits": 12,
        "winrate": 0.75,
        "nodes": 12,
        "simulations": 0,
        "depth": 0,
        "maxDepth": 0,
        "nps": 24.0,
        "time": 0.5,
    }
    assert data["moveInfos"] == [
        {
            "move": "a15",
            "order": 0,
            "visits": 7,
            "winrate": 0.75,
            "prior": 0.25,
            "value": -0.5,
            "score": 3.0,
            "pv": ["a15", "b15"],
            "winIn": -4,
        }
    ]
    assert data["extra"] == {"n": 3}


@given(st.floats(), st.floats())
def test_reports_are_strict_json(value: float, score: float) -> None:
    request = parse_request(start())
    assert isinstance(request, Start)
    result = result_of(request.game, value=value, score=score)
    line = encode(report("info", request, result.info, 1))
    data = json.loads(line, parse_constant=pytest.fail)
    assert data["isDuringSearch"] is True
    seen = data["moveInfos"][0]
    assert seen["value"] == value if math.isfinite(value) else seen["value"] is None
    assert seen["winrate"] is None or math.isfinite(seen["winrate"])


def test_finite_makes_plain_data() -> None:
    mixed = {"a": np.array([1.5, np.inf]), 2: (np.int64(7), True), "s": {Color.BLACK}, "x": Rule.RENJU}
    assert finite(mixed) == {"a": [1.5, None], "2": [7, True], "s": [1], "x": 4}


@pytest.mark.parametrize("winner", [None, *Color])
@pytest.mark.parametrize("reason", list(Reason))
def test_outcomes_round_trip(winner: Color | None, reason: Reason) -> None:
    outcome = Outcome(winner, reason)
    assert parse_outcome(json.loads(json.dumps(outcome_json(outcome)))) == outcome
    assert parse_outcome(outcome_json(None)) is None


@pytest.mark.parametrize("data", [3, {}, {"winner": "B"}, {"winner": [], "reason": "line"}, {"reason": []}])
def test_bad_outcomes(data: Any) -> None:
    with pytest.raises(RequestError):
        parse_outcome(data)


def test_cells_round_trip_and_side_to_move() -> None:
    rules = Rules(size=9)
    position = Game.from_moves(rules, parse_moves("e5d4c3", 9)).position
    text = format_cells(position)
    assert text[4 * 9 + 4] == "B"
    assert parse_cells(text, rules) == position
    assert parse_cells(text, rules, "B").to_move is Color.BLACK


def test_capabilities() -> None:
    data = capabilities_json(Capabilities(rules=frozenset({Rule.FREESTYLE}), win_lengths=frozenset({5, 4})))
    assert data["rules"] == ["freestyle"]
    assert data["winLengths"] == [4, 5]
    assert capabilities_json(Capabilities())["winLengths"] is None


def test_error_replies_are_one_line() -> None:
    assert error_reply("x", "a\nb  c")["message"] == "a b c"


@pytest.mark.parametrize("line", ["", "nope", "3", '{"id":"x"}', '{"type":7}'])
def test_bad_replies(line: str) -> None:
    from wuzi.errors import ProtocolError

    with pytest.raises(ProtocolError):
        parse_reply(line)
