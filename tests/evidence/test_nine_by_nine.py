"""The published figures of the 9x9 comparison, recounted from the kept games without wuzi's own statistics.

Counts, sign tests, ratings and intervals are made again in plain Python and NumPy, and compared with
``figures.json``, the page and the charts' data.
"""

from __future__ import annotations

import json
import tomllib
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from tests.evidence.recount import (
    ROOT,
    FloatArray,
    Game,
    assert_legal,
    bradley_terry,
    by_pair,
    counts,
    holm,
    kept,
    points,
    score,
    score_interval,
    tables,
    two_sided,
    units_of,
    won_level_lost,
)

GAMES, PAGE = ROOT / "benchmarks/studies/nine-by-nine", ROOT / "docs/results/nine-by-nine"
STAGES: dict[str, Any] = json.loads((PAGE / "figures.json").read_text("utf-8"))["stages"]
LOOKS = {"own": 2}
METHODS = tomllib.loads((GAMES / "study.toml").read_text("utf-8"))["methods"]

pytestmark = pytest.mark.slow


def shown(label: str) -> str:
    """The name on pages: the net's, where the record has the method's."""
    return str(METHODS[label].get("net", label))


def games_of(stage: str) -> list[Game]:
    games = kept(GAMES / stage / "games.jsonl.gz")
    return [{**game, **{key: shown(game[key]) for key in ("black", "white")}} for game in games]


@pytest.mark.parametrize("stage", sorted(STAGES))
def test_every_game_is_legal_and_every_pair_is_counted_right(stage: str) -> None:
    games = games_of(stage)
    assert len(games) == STAGES[stage]["games"]
    assert_legal(games)
    pairs = by_pair(games)
    assert {frozenset((pair["first"], pair["second"])) for pair in STAGES[stage]["pairs"]} == set(pairs)
    raw = []
    for pair in STAGES[stage]["pairs"]:
        name, own = pair["first"], pairs[frozenset((pair["first"], pair["second"]))]
        assert counts(own, name) == (pair["wins"], pair["draws"], pair["losses"])
        assert pair["score"] == pytest.approx(score(own, name), abs=1e-6)
        won, level, lost = won_level_lost(units_of(own, name))
        assert (won, level, lost) == (pair["won"], pair["level"], pair["lost"])
        raw.append(min(1.0, LOOKS.get(stage, 1) * two_sided(won, lost)))
    for pair, adjusted in zip(STAGES[stage]["pairs"], holm(raw), strict=True):
        assert pair["adjusted"] == pytest.approx(adjusted) and pair["significant"] == (adjusted <= 0.05)


def test_ratings_and_their_intervals() -> None:
    """Point ratings to the tenth of a point, intervals to a share of their width: another bootstrap."""
    names, wins, played = tables(games_of("own"))
    anchor = names.index("weight")
    fitted = bradley_terry(wins.sum(axis=0)[None])[0]
    samples = _resampled(wins, played)
    samples -= samples[:, [anchor]]
    for i, name in enumerate(names):
        published = STAGES["own"]["ratings"][name]
        assert fitted[i] - fitted[anchor] == pytest.approx(published["value"], abs=0.1)
        low, high = np.quantile(samples[:, i], (0.025, 0.975))
        tolerance = 12 + 0.3 * (published["high"] - published["low"])
        assert published["low"] == pytest.approx(low, abs=tolerance), name
        assert published["high"] == pytest.approx(high, abs=tolerance), name


def _resampled(wins: FloatArray, played: FloatArray) -> FloatArray:
    """Ratings ``[S, P]`` of openings drawn with replacement, each pair as often as it played."""
    rng = np.random.default_rng(1)
    drawn = rng.multinomial(len(wins), np.full(len(wins), 1 / len(wins)), size=300)
    share = np.einsum("so,opq->spq", drawn, wins) / np.maximum(1e-9, np.einsum("so,opq->spq", drawn, played))
    return bradley_terry(share * played.sum(axis=0), 1500)


def test_intervals_of_scores_cluster_by_opening() -> None:
    pairs = by_pair(games_of("own"))
    compared = 0
    for pair in STAGES["own"]["pairs"]:
        if pair["won"] + pair["lost"] < 10 or not 0.05 < pair["score"] < 0.95:
            continue
        interval = score_interval(pairs[frozenset((pair["first"], pair["second"]))], pair["first"])
        assert (pair["low"], pair["high"]) == pytest.approx(interval, abs=0.01), pair
        compared += 1
    assert compared > 20


def test_every_opponent_weighs_alike_in_win_rates_and_colours() -> None:
    from wuzi.arena.analysis import analyse
    from wuzi.arena.export import read_results

    pairs = by_pair(games_of("own"))
    names = sorted({name for two in pairs for name in two})
    charts = {
        shown(player.label): player for player in analyse(read_results(GAMES / "own/games.jsonl")).players
    }
    for name in names:
        own = [games for two, games in pairs.items() if name in two]
        rate = sum(sum(points(g, name) == 1 for g in games) / len(games) for games in own) / len(own)
        assert charts[name].win_rate.value == pytest.approx(rate)
        for colour in ("black", "white"):
            shares = [[points(g, name) == 1 for g in games if g[colour] == name] for games in own]
            published = STAGES["own"]["conduct"][name][colour]["value"]
            assert published == pytest.approx(sum(sum(s) / len(s) for s in shares) / len(own), abs=1e-5)
    expected = {"engine": 84.7, "9x9": 84.4, "distill": 75.4, "minimax-s1": 67.9}
    expected |= {"s0-basic": 22.5, "s2-ppo": 8.8}
    assert {name: round(100 * charts[name].win_rate.value, 1) for name in expected} == expected
    scores = [[points(game, game["black"]) for game in games] for games in pairs.values()]
    black = sum(sum(own) / len(own) for own in scores) / len(pairs)
    assert STAGES["own"]["black_score"]["value"] == pytest.approx(black, abs=1e-5)
    assert black == pytest.approx(0.551, abs=0.0005)


def test_the_page_says_these_figures() -> None:
    text = (PAGE / "own.md").read_text("utf-8")
    lines = [line.strip("|").replace("`", "") for line in text.splitlines() if line.startswith("| ")]
    rows = [[cell.strip() for cell in line.split("|")] for line in lines]
    said = {tuple(row[0].replace(" †", "").split(" – ")): row for row in rows if row[0].count(" – ") == 1}
    names = {pair[key] for pair in STAGES["own"]["pairs"] for key in ("first", "second")}
    assert len(said) == len(list(combinations(names, 2))) == 78
    for pair in STAGES["own"]["pairs"]:
        row = said[pair["first"], pair["second"]]
        assert row[1:3] == [str(pair["games"]), f"{pair['wins']}-{pair['draws']}-{pair['losses']}"]
        assert row[3] == f"{pair['score']:.1%} ({pair['low']:.1%} … {pair['high']:.1%})"
        assert row[4] == f"{pair['won']}-{pair['level']}-{pair['lost']}"
        assert row[7] == (f"{pair['first']} is stronger" if pair["significant"] else "not decided")
