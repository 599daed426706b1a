"""The ladder against other engines, recounted from the kept games."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from tests.evidence.recount import (
    ROOT,
    Game,
    by_pair,
    counts,
    kept,
    ratings,
    replayed,
    rows_of,
    score,
    score_interval,
    units_of,
    won_level_lost,
)

FOLDER = ROOT / "benchmarks/ladder"
ARMS = {"slow": ("slow",), "fast": ("fast", "fast-others-1", "fast-others-2")}
ANCHOR, RATING = "pela", 1549

pytestmark = pytest.mark.slow


def games_of(arm: str) -> list[Game]:
    return [game for part in ARMS[arm] for game in kept(FOLDER / part / "games.jsonl.gz")]


def tables_of(page: str) -> dict[str, list[list[str]]]:
    """The tables of each arm: rows of cells."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    parts = dict(zip(ARMS, re.split(r"\n## (?:[\d.]+ s a move|每步 [\d.]+ 秒)", text)[1:], strict=True))
    return {arm: rows_of(part.partition("\n## ")[0]) for arm, part in parts.items()}


def moves_of(games: Sequence[Game], name: str) -> tuple[float, float, int]:
    """Mean and longest time of a player's moves in milliseconds, and its late answers."""
    spent = longest = 0.0
    moves = late = 0
    for game in games:
        colour = "black" if game["black"] == name else "white"
        opening = len(re.findall(r"[a-z]\d+", game["opening"]))
        mine = [ply for ply in range(opening, game["plies"]) if ply % 2 == (colour == "white")]
        spent, moves = spent + game[f"{colour}_time_s"], moves + len(mine)
        longest, late = max(longest, game[f"{colour}_slowest_s"]), late + game[f"{colour}_late"]
    return 1000 * spent / moves, 1000 * longest, late


@pytest.mark.parametrize("arm", ARMS)
def test_every_game_is_legal_or_lost_by_its_last_move(arm: str) -> None:
    forfeits = 0
    for game in games_of(arm):
        winner = replayed(game)
        if game["reason"] == "illegal":
            forfeits += 1
            assert (winner, game["winner"]) == ("nobody", ("white", "black")[game["plies"] % 2])
        else:
            assert winner == game["winner"], game["game_id"]
    assert forfeits == {"slow": 0, "fast": 2}[arm]


@pytest.mark.parametrize("page", ["strength.md", "strength.zh.md"])
@pytest.mark.parametrize("arm", ARMS)
def test_the_tables_of_matches(arm: str, page: str) -> None:
    pairs = by_pair(games_of(arm))
    said = {row[0]: row for row in tables_of(page)[arm] if len(row) == 13}
    for pair in (pair for pair in pairs if "wuzi" in pair):
        (other,) = pair - {"wuzi"}
        games, row = pairs[pair], said[other]
        wins, draws, losses = counts(games, "wuzi")
        assert row[1:5] == [str(len(games)), str(wins), str(draws), str(losses)]
        assert float(row[5][:-1]) == pytest.approx(100 * score(games, "wuzi"), abs=0.051)
        interval = [float(n) / 100 for n in re.findall(r"[\d.]+", row[6])]
        assert interval == pytest.approx(score_interval(games, "wuzi"), abs=0.015), other
        assert row[7] == "/".join(map(str, won_level_lost(units_of(games, "wuzi"))))
        assert row[8] == str(len({game["moves"] for game in games}))
        ours, theirs = moves_of(games, "wuzi"), moves_of(games, other)
        assert row[10] == f"{ours[2]}/{theirs[2]}"
        assert [int(n) for n in row[11].split("/")] == pytest.approx([ours[0], theirs[0]], abs=0.6)
        assert [int(n) for n in row[12].split("/")] == pytest.approx([ours[1], theirs[1]], abs=0.6)


@pytest.mark.parametrize("page", ["strength.md", "strength.zh.md"])
def test_the_ratings(page: str) -> None:
    for arm in ARMS:
        said = {row[0]: row for row in tables_of(page)[arm] if len(row) == 5}
        for name, elo in ratings(games_of(arm), ANCHOR, RATING).items():
            assert int(said[name][1].replace("−", "-")) == pytest.approx(elo, abs=0.6), name
