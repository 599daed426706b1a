from __future__ import annotations

import json
import math

import pytest

from tests.arena.games import STUDY, games_of, record
from wuzi.arena.analysis import analyse, summary_json
from wuzi.arena.results import GameResult
from wuzi.arena.text import findings, warning_sentence
from wuzi.base.words import LANGUAGES, load_catalogue
from wuzi.errors import RecordError


def codes(games: list[GameResult]) -> list[str]:
    return [warned.code for warned in analyse(games).warnings]


def swapped(n: int, winner: str, **more: object) -> list[GameResult]:
    """Games of a and b with alternating colours, one colour always winning."""
    return [record(i, *(("a", "b") if i % 2 == 0 else ("b", "a")), winner=winner, **more) for i in range(n)]


def test_the_study_says_that_minimax_won() -> None:
    """The study's own text called 49:9 an advantage of the loser; ours names the winner first."""
    analysis = analyse(games_of(STUDY))
    assert analysis.labels[0] == "Minimax"
    said = findings(load_catalogue("wuzi.arena", "en"), analysis)
    line = next(s for s in said if "Minimax beat Enhanced" in s)
    assert "49 wins, 2 draws, 9 losses in 60 games" in line
    assert not any("Enhanced beat Minimax" in s for s in said)
    assert said[0].startswith("Minimax is rated highest")
    pair = analysis.pair("Enhanced", "Minimax")
    assert pair is not None and pair.leader == "Minimax" and pair.separable


def test_a_small_lead_is_not_called_a_win() -> None:
    analysis = analyse(games_of({("a", "b"): (16, 14, 0)}))
    said = " ".join(findings(load_catalogue("wuzi.arena", "en"), analysis))
    assert "a scored more than b" in said and "not separable" in said
    assert " beat " not in said


def test_level_results_name_no_winner() -> None:
    said = " ".join(findings(load_catalogue("wuzi.arena", "en"), analyse(games_of({("a", "b"): (5, 5, 2)}))))
    assert "level and not separable" in said


@pytest.mark.parametrize("colour", ["black", "white"])
def test_a_colour_that_always_wins_is_called_out(colour: str) -> None:
    assert f"colour_{colour}" in codes(swapped(40, colour))


def test_a_better_player_is_not_mistaken_for_a_colour() -> None:
    found = codes(games_of({("a", "b"): (38, 2, 0)}))
    assert not any(code.startswith("colour") for code in found)


def test_repeated_games_are_called_out() -> None:
    repeated = [record(i, "a", "b", "black", moves=f"h8{i % 2}") for i in range(50)]
    analysis = analyse(repeated)
    assert analysis.distinct == 2
    warned = next(w for w in analysis.warnings if w.code == "few_distinct")
    assert warned.values == {"a": "a", "b": "b", "n": 50, "distinct": 2}
    assert "few_distinct" not in codes(games_of({("a", "b"): (25, 25, 0)}))


def test_forfeits_few_games_and_unbalanced_colours_are_called_out() -> None:
    games = [
        record(i, "a", "b", "black", reason=reason) for i, reason in enumerate(["time", "crash", "line"])
    ]
    found = codes(games)
    assert {"forfeit_time", "forfeit_crash", "open_interval", "unbalanced", "bounded"} <= set(found)
    assert "forfeit_illegal" not in found
    assert analyse(games).players[-1].forfeits == {"crash": 1, "illegal": 0, "time": 1}


def test_how_wide_an_interval_is_comes_from_the_games() -> None:
    def width(*scores: int) -> int:
        warned = analyse(games_of({("a", "b"): scores})).warnings  # type: ignore[dict-item]
        return next(one.values["elo"] for one in warned if one.code == "few_games")

    assert width(2, 2, 0) > width(6, 6, 0) > width(13, 13, 0) > 80
    assert width(1, 1, 24) < width(13, 13, 0), "draws make it narrower"


def test_games_without_moves_and_against_oneself() -> None:
    assert "no_moves" in codes([GameResult("1", "a", "b", "black")])
    own = [record(i, "a", "a", "black") for i in range(3)]
    analysis = analyse(own)
    assert "self_play" in [w.code for w in analysis.warnings]
    assert (analysis.players[0].games, analysis.pairs) == (0, ())
    assert analysis.black.value == 1


def test_first_and_second_are_counted_apart() -> None:
    player = analyse(swapped(20, "black")).players[0]
    assert (player.first.value, player.second.value) == (1, 0)
    assert player.first_games == player.second_games == 10


def test_the_first_turn_is_the_seats_not_the_colours() -> None:
    games = [record(i, "a", "b", "black", first_player="b") for i in range(4)]
    players = {player.label: player for player in analyse(games).players}
    assert players["b"].first_games == 4
    assert players["a"].second.value == 1


def test_the_summary_is_plain_json_without_infinities() -> None:
    text = json.dumps(summary_json(analyse(games_of({("a", "b"): (10, 0, 0)}))), allow_nan=False)
    data = json.loads(text)
    assert data["pairs"][0]["elo"]["value"] is None
    assert data["pairs"][0]["elo"]["low"] > 0
    assert data["ratings_are_lower_bounds"] is True


def test_no_games_and_unknown_anchors_are_refused() -> None:
    with pytest.raises(RecordError, match="no games"):
        analyse([])
    with pytest.raises(RecordError, match="anchor 'x' did not play: expected one of a, b"):
        analyse(games_of({("a", "b"): (1, 1, 0)}), anchor=("x", 0))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_can_be_said(language: str) -> None:
    t = load_catalogue("wuzi.arena", language)
    games = [
        *games_of(STUDY),
        *swapped(40, "white", reason="time", moves="h8"),
        record(3, "x", "y", "white", reason="illegal"),
        record(4, "x", "y", "black", reason="crash"),
        record(5, "x", "x", "draw"),
        GameResult("z", "p", "q", "black"),
    ]
    analysis = analyse(games)
    said = [*findings(t, analysis), *(warning_sentence(t, warned) for warned in analysis.warnings)]
    assert len({warned.code for warned in analysis.warnings}) >= 9
    assert not any("{" in sentence or "nan" in sentence for sentence in said)


def test_infinite_differences_are_bounds_in_words() -> None:
    analysis = analyse(games_of({("a", "b"): (20, 0, 0)}))
    assert math.isinf(analysis.pairs[0].elo.value)
    assert "Elo more than +" in " ".join(findings(load_catalogue("wuzi.arena", "en"), analysis))
