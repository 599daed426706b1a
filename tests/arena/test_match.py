from __future__ import annotations

import math
import re

import pytest

import wuzi
from tests.arena.games import games_of
from wuzi.arena.match import MatchResult, elo_line, match_lines, score_line
from wuzi.arena.openings import load_shipped
from wuzi.arena.rating import tally
from wuzi.arena.sprt import SprtConfig, sprt
from wuzi.errors import ConfigError


def test_the_api_of_the_front_page() -> None:
    result = wuzi.match("minimax:preset=s0", "random", size=9, games=10)
    assert len(result.games) == 10 and result.distinct == 10
    assert 0.5 < result.score <= 1
    assert result.elo.low > 0
    assert result.elo.low <= result.elo.value <= result.elo.high
    assert result.los > 0.9 and not result.forfeits
    assert str(result).startswith("Score of minimax:preset=s0 vs random: ")


def test_a_player_may_meet_itself() -> None:
    result = wuzi.match("random", "random", size=5, games=4)
    assert (result.first, result.second) == ("random", "random (2)")
    assert len(result.games) == 4


def test_a_match_with_a_test_may_play_the_whole_book() -> None:
    totals: list[int] = []
    test = SprtConfig(-200, 200)  # decided after a few games
    for games in (None, 4):
        wuzi.match(
            "weight",
            "random",
            size=9,
            games=games,
            sprt=test,
            openings="freestyle-9",
            on_progress=lambda progress: totals.append(progress.total),
        )
    assert totals[0] == 2 * len(load_shipped("freestyle-9", wuzi.Rules(9))) and totals[-1] == 4


def test_the_lines_are_those_of_the_usual_match_programs() -> None:
    games = tuple(games_of({("A", "B"): (61, 32, 7)}))
    counted = tally(games, "A")
    assert score_line("A", "B", counted) == "Score of A vs B: 61 - 32 - 7 [0.645] 100"
    assert re.fullmatch(
        r"Elo difference: 103\.7 \+/- \d+\.\d, LOS: 99\.9 %, DrawRatio: 7\.0 %", elo_line(counted)
    )
    state = sprt((3, 10, 20, 12, 5), SprtConfig())
    lines = match_lines(MatchResult("A", "B", games, state))
    assert lines[2].startswith("SPRT: llr ")
    assert "Distinct games: 100/100, forfeits: 0" in lines
    counts = r"(\d+) won, (\d+) drawn, (\d+) lost"
    split = re.search(rf"A moving first: {counts}; second: {counts}$", "\n".join(lines), re.MULTILINE)
    assert split is not None
    numbers = list(map(int, split.groups()))
    assert [a + b for a, b in zip(numbers[:3], numbers[3:], strict=True)] == [61, 7, 32]


def test_a_sweep_has_no_finite_difference() -> None:
    result = MatchResult("A", "B", tuple(games_of({("A", "B"): (10, 0, 0)})))
    assert math.isinf(result.elo.value) and math.isfinite(result.elo.low)
    assert "inf" in str(result)


@pytest.mark.parametrize(
    ("first", "more", "message"),
    [
        ("nobody", {}, "unknown player"),
        ("weight", {"rule": "chess"}, "unknown rule"),
        ("weight", {"size": 2}, "board size"),
        ("weight", {"games": 0}, "0 games"),
        ("external:cmd=true", {}, "command line only"),
    ],
)
def test_wrong_arguments_are_refused(first: str, more: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        wuzi.match(first, "random", **more)  # type: ignore[arg-type]
