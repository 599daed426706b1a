"""What the page knows of openings is of the shipped books and proofs, and is counted rightly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import known_openings
import pytest

from wuzi.core import Game, Rules, parse_moves, parse_rule
from wuzi.core.symmetry import transform_moves
from wuzi.players.shipped_proof import proved_replies
from wuzi.search.proof.book import ProofBook

DATA = json.loads(known_openings.FILE.read_text("utf-8"))
PROOF = Path(__file__).resolve().parents[1] / "golden" / "files" / "proof-6x6.txt"


def test_the_page_has_the_shipped_openings_and_something_to_say_of_each() -> None:
    wanted = known_openings.sets()
    assert DATA["names"] == known_openings.names() and len(DATA["names"]) == 26
    assert len({tuple(name) for name in DATA["names"].values()}) == 26
    assert len(DATA["sets"]) == len(wanted)
    for found, one in zip(DATA["sets"], wanted, strict=True):
        assert {key: found[key] for key in one if key != "openings"} == {
            key: one[key] for key in one if key != "openings"
        }
        assert [(o["id"], o["moves"], o.get("study")) for o in found["openings"]] == [
            (o["id"], o["moves"], o.get("study")) for o in one["openings"]
        ]
        assert ("study" in one["openings"][0]) == (one["book"] not in ("renju26", "proof"))
        rules = Rules(one["size"], rule=parse_rule(one["rule"]))
        for opening in found["openings"]:
            assert 0 <= opening["winrate"] <= 1 and opening["depth"] >= 0
            assert (opening["score"] is None) == (opening["games"] == 0)
            assert opening["line"]
            Game.from_moves(rules, parse_moves(opening["moves"] + opening["line"], rules.size))


def test_the_proved_replies_are_those_that_are_shipped() -> None:
    proof = DATA["sets"][-1]["openings"]
    assert len(proof) == 35
    assert {one["id"] for one in proof} == set(proved_replies())
    assert all(one["plies"] % 2 for one in proof)


def test_plies_are_counted_against_the_longest_defence() -> None:
    games = json.loads(PROOF.with_name("proof-6x6-games.json").read_text("utf-8"))
    plies = ProofBook(PROOF).plies_of_claim([])
    assert plies % 2 and plies >= max(map(len, games))


def test_games_count_in_any_order_and_orientation(monkeypatch: pytest.MonkeyPatch) -> None:
    moves = parse_moves("h8h9i9", 15)
    other = parse_moves("i9h9h8a1", 15)

    def games() -> Iterator[tuple[str, int, list[int], float]]:
        yield "freestyle", 15, [*transform_moves(moves, 15, 5), 0], 1.0
        yield "freestyle", 15, [*other], 0.5
        yield "renju", 15, [*moves], 0.0
        yield "freestyle", 9, [40, 31, 32], 0.0
        yield "freestyle", 15, [*moves[:2]], 1.0

    monkeypatch.setattr(known_openings, "kept_games", games)
    one = {"rule": "freestyle", "size": 15, "openings": [{"moves": "h8h9i9"}, {"moves": "h8h9h10"}]}
    assert known_openings.count_games([one]) == 5
    assert [(o["games"], o["score"]) for o in one["openings"]] == [(2, 0.75), (0, None)]  # type: ignore[index]
