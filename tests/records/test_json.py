"""JSON records: what is refused, what is warned about."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wuzi.core import Game, Rules
from wuzi.errors import RecordError
from wuzi.records import dumps, loads, loads_all

PLAIN: dict[str, Any] = json.loads(dumps(Game.from_moves(Rules(), ["h8", "j9"]), "json"))
ROOT: list[dict[str, Any]] = [{}]
MOVE = {"parent": 0, "move": "h8", "color": "black"}


def with_(**changes: object) -> str:
    return json.dumps(PLAIN | changes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "record: a list, expected an object"),
        ("{}", "format ''"),
        (with_(format="other"), "format 'other': expected 'wuzi-record'"),
        (with_(version=2), "record version 2: this wuzi reads version 1"),
        (with_(version="1"), "version: a text, expected a whole number"),
        (with_(version=True), "version: true or false"),
        (with_(rules={"size": 99}), "rules: board size 99"),
        (with_(rules={"size": 1.5}), "rules.size: a number"),
        (with_(rules={"rule": "chess"}), "rules: unknown rule 'chess'"),
        (with_(date="\ud800"), "date: character 1 is half of one"),
        (with_(players=[]), "players: a list"),
        (with_(players={"black": 7}), "players.black: a number, expected a text"),
        (with_(moves=["h8", "h8"]), "move 2: h8 is occupied"),
        (with_(moves=["h8", "z9"]), r"moves\[1\]: 'z9'"),
        (with_(moves=[7]), r"moves\[0\]: a number, expected a text"),
        (with_(moves="h8"), "moves: a text, expected a list"),
        (with_(times_ms=[1]), "times_ms: 1 times, expected 2"),
        (with_(times_ms=[1, -2]), r"times_ms\[1\]"),
        (with_(result={"winner": "red", "reason": "line"}), "result.winner 'red'"),
        (with_(result={"winner": "black"}), "end reason ''"),
        (with_(setup={"black": ["h99"]}), r"setup.black: 'h99'"),
        (with_(setup={"to_move": "grey"}), "setup.to_move 'grey'"),
        (with_(headers={"event": 1}), "headers.event"),
        (with_(opening="swap"), "opening: a text, expected a list"),
        (with_(nodes=[]), "nodes: expected at least the root"),
        (with_(nodes=[{"move": "h8", "color": "black"}]), "the root holds no move"),
        (with_(nodes=[*ROOT, MOVE]), "moves: expected the main line of nodes"),
        (with_(nodes=[*ROOT, {**MOVE, "parent": 1}]), r"nodes\[1\].parent is 1: expected 0 to 0"),
        (with_(nodes=[*ROOT, {**MOVE, "color": None}]), r"nodes\[1\].color: expected black or white"),
        (with_(nodes=[*ROOT, {**MOVE, "setup": {}}]), "a move and set-up stones"),
        (with_(nodes=[*ROOT, {**MOVE, "marks": [{"kind": "star", "cell": "h8"}]}]), "kind 'star'"),
        (with_(nodes=[*ROOT, {**MOVE, "properties": {"KM": "0"}}]), "properties.KM: a text, expected a list"),
        (with_(nodes=[{"properties": {"": ["0"]}}]), "property '': expected a name of capital letters"),
        (with_(nodes=[{"properties": {"KM": ["]"]}}]), "property KM: expected raw SGF values"),
        (with_(moves=[], nodes=[{"properties": {"AB": ["0"]}}]), "property AB: the record writes it itself"),
        (with_(moves=[], nodes=[{"properties": {"PB": ["x"]}}]), "property PB: the record writes it itself"),
        (
            with_(moves=[], nodes=[{"properties": {"WUZI": ["win_length:3"]}}]),
            "property WUZI: the record writes it itself",
        ),
        (
            with_(moves=["h8"], nodes=[*ROOT, {**MOVE, "properties": {"C": ["x"]}}]),
            "property C: the record writes it itself",
        ),
        (
            with_(moves=["h8"], nodes=[*ROOT, {**MOVE, "properties": {"WUZI": ["x"]}}]),
            "property WUZI: expected key:value, not 'x'",
        ),
        (
            with_(moves=["h8"], nodes=[*ROOT, {**MOVE, "properties": {"WUZI": ["time_ms:x"]}}]),
            r"property WUZI\[time_ms\]: the record writes it itself",
        ),
    ],
)
def test_broken_records_are_refused_with_the_place(text: str, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        loads(text, "json")


def test_unknown_keys_are_ignored_with_a_warning() -> None:
    record = loads(with_(weather="fine", players={"black": "A", "grey": "B"}))
    assert record.black == "A"
    assert sorted(record.warnings) == [
        "unknown key 'players.grey' was ignored",
        "unknown key 'weather' was ignored",
    ]


def test_one_record_a_line() -> None:
    line = json.dumps(PLAIN)
    assert len(loads_all(f"{line}\n\n{line}\n", "json")) == 2
    (record,) = loads_all(f"{line}\n{{\n", "json")
    assert any("game 2: line 2: no JSON" in told for told in record.warnings)
    assert len(loads_all(json.dumps(PLAIN, indent=1), "json")) == 1
