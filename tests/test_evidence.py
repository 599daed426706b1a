"""The published figures of the 9x9 comparison, recounted from the kept games without wuzi's own statistics.

Every game is replayed and scored by the few lines below; counts, sign tests, ratings and intervals are made
again in plain Python and NumPy, and compared with ``figures.json``, the page and the charts' data.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
GAMES, PAGE = ROOT / "benchmarks/studies/nine-by-nine", ROOT / "docs/results/nine-by-nine"
STAGES: dict[str, Any] = json.loads((PAGE / "figures.json").read_text("utf-8"))["stages"]
LOOKS = {"own": 2}
Game = dict[str, Any]

pytestmark = pytest.mark.slow


def kept(stage: str) -> list[Game]:
    lines = (GAMES / stage / "games.jsonl").read_text("utf-8").splitlines()
    return list({game["game_id"]: game for game in map(json.loads, lines)}.values())


def replayed(game: Game) -> str:
    """The winner by the rules of freestyle; every move on a free point, none after the end."""
    size, length = game["size"], game["win_length"]
    cells: dict[tuple[int, int], str] = {}
    winner = ""
    for i, (column, row) in enumerate(re.findall(r"([a-z])(\d+)", game["moves"])):
        x, y, colour = ord(column) - ord("a"), int(row) - 1, ("black", "white")[i % 2]
        assert 0 <= x < size and 0 <= y < size and (x, y) not in cells and not winner, game["game_id"]
        cells[x, y] = colour
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            run = 1
            for sign in (1, -1):
                step = 1
                while cells.get((x + sign * step * dx, y + sign * step * dy)) == colour:
                    step += 1
                run += step - 1
            winner = colour if run >= length else winner
    assert len(cells) == game["plies"] and game["moves"].startswith(game["opening"])
    return winner or ("draw" if len(cells) == size * size else "nobody")


def points(game: Game, name: str) -> float:
    return 0.5 if game["winner"] == "draw" else float(game[game["winner"]] == name)


def unit(game: Game) -> str:
    return game["opening_id"] or f"{game['black']}/{game['white']}/{game['moves']}"


def by_pair(games: list[Game]) -> dict[frozenset[str], list[Game]]:
    found: dict[frozenset[str], list[Game]] = defaultdict(list)
    for game in games:
        found[frozenset((game["black"], game["white"]))].append(game)
    return found


def units_of(games: list[Game], name: str) -> list[float]:
    """The mean score of a player in every unit that both colours had."""
    scores: dict[str, list[float]] = defaultdict(list)
    for game in games:
        scores[unit(game)].append(points(game, name))
    return [sum(s) / len(s) for s in scores.values() if len(s) % 2 == 0 or not games[0]["opening_id"]]


def two_sided(won: int, lost: int) -> float:
    tail = sum(math.comb(won + lost, k) for k in range(max(won, lost), won + lost + 1))
    return min(1.0, 2 * tail / 2 ** (won + lost))


@pytest.mark.parametrize("stage", sorted(STAGES))
def test_every_game_is_legal_and_every_pair_is_counted_right(stage: str) -> None:
    games = kept(stage)
    assert len(games) == STAGES[stage]["games"]
    for game in games:
        assert game["winner"] == replayed(game), game["game_id"]
    pairs = by_pair(games)
    assert {frozenset((pair["first"], pair["second"])) for pair in STAGES[stage]["pairs"]} == set(pairs)
    raw = []
    for pair in STAGES[stage]["pairs"]:
        name, own = pair["first"], pairs[frozenset((pair["first"], pair["second"]))]
        counts = Counter(points(game, name) for game in own)
        assert (counts[1.0], counts[0.5], counts[0.0]) == (pair["wins"], pair["draws"], pair["losses"])
        assert pair["score"] == pytest.approx(sum(points(game, name) for game in own) / len(own), abs=1e-6)
        scores = units_of(own, name)
        won, lost = sum(s > 0.5 for s in scores), sum(s < 0.5 for s in scores)
        assert (won, len(scores) - won - lost, lost) == (pair["won"], pair["level"], pair["lost"])
        raw.append(min(1.0, LOOKS.get(stage, 1) * two_sided(won, lost)))
    highest = 0.0
    for rank, i in enumerate(sorted(range(len(raw)), key=raw.__getitem__)):
        highest = max(highest, min(1.0, raw[i] * (len(raw) - rank)))
        pair = STAGES[stage]["pairs"][i]
        assert pair["adjusted"] == pytest.approx(highest) and pair["significant"] == (highest <= 0.05)


def bradley_terry(wins: NDArray[np.float64], rounds: int = 4000) -> NDArray[np.float64]:
    """Elo ratings ``[S, P]`` of wins ``[S, P, P]`` by Zermelo's iteration."""
    games, won = wins + wins.transpose(0, 2, 1), wins.sum(axis=2)
    strength = np.ones(won.shape)
    for _ in range(rounds):
        strength = won / (games / (strength[:, :, None] + strength[:, None, :])).sum(axis=2)
        strength /= np.exp(np.log(strength).mean(axis=1, keepdims=True))
    return 400 * np.log10(strength)


def stage_own() -> tuple[list[str], list[str], NDArray[np.float64], NDArray[np.float64]]:
    """Names, openings, and for every opening the wins and the games ``[O, P, P]`` of i against j."""
    games = kept("own")
    names = sorted({game["black"] for game in games})
    openings = sorted({unit(game) for game in games})
    wins = np.zeros((len(openings), len(names), len(names)))
    for game in games:
        o, i, j = openings.index(unit(game)), names.index(game["black"]), names.index(game["white"])
        wins[o, i, j] += points(game, game["black"])
        wins[o, j, i] += points(game, game["white"])
    return names, openings, wins, wins + wins.transpose(0, 2, 1)


def test_ratings_and_their_intervals() -> None:
    """Point ratings to the tenth of a point, intervals to a share of their width: another bootstrap."""
    names, openings, wins, played = stage_own()
    anchor = names.index("weight")
    fitted = bradley_terry(wins.sum(axis=0)[None])[0]
    rng = np.random.default_rng(1)
    drawn = rng.multinomial(len(openings), np.full(len(openings), 1 / len(openings)), size=300)
    share = np.einsum("so,opq->spq", drawn, wins) / np.maximum(1e-9, np.einsum("so,opq->spq", drawn, played))
    samples = bradley_terry(share * played.sum(axis=0), 1500)
    samples -= samples[:, [anchor]]
    for i, name in enumerate(names):
        published = STAGES["own"]["ratings"][name]
        assert fitted[i] - fitted[anchor] == pytest.approx(published["value"], abs=0.1)
        low, high = np.quantile(samples[:, i], (0.025, 0.975))
        tolerance = 12 + 0.3 * (published["high"] - published["low"])
        assert published["low"] == pytest.approx(low, abs=tolerance), name
        assert published["high"] == pytest.approx(high, abs=tolerance), name


def test_intervals_of_scores_cluster_by_opening() -> None:
    names, _, wins, played = stage_own()
    rng = np.random.default_rng(2)
    compared = 0
    for pair in STAGES["own"]["pairs"]:
        i, j = names.index(pair["first"]), names.index(pair["second"])
        met = np.flatnonzero(played[:, i, j])
        if pair["won"] + pair["lost"] < 10 or not 0.05 < pair["score"] < 0.95:
            continue
        # Random weights of openings, and of half an opening won and half a lost one more.
        score, size = wins[met, i, j] / played[met, i, j], played[met, i, j]
        weight = rng.exponential(size=(4000, len(met))) * size
        won, lost = rng.gamma(0.5, size=(2, 4000)) * size.mean()
        scores = (weight @ score + won) / (weight.sum(axis=1) + won + lost)
        low, high = np.quantile(scores, (0.025, 0.975))
        assert (pair["low"], pair["high"]) == pytest.approx((low, high), abs=0.01), pair
        compared += 1
    assert compared > 20


def test_every_opponent_weighs_alike_in_win_rates_and_colours() -> None:
    from wuzi.arena.analysis import analyse
    from wuzi.arena.results import read_csv

    pairs = by_pair(kept("own"))
    names = sorted({name for two in pairs for name in two})
    charts = {player.label: player for player in analyse(read_csv(PAGE / "own.csv")).players}
    for name in names:
        own = [games for two, games in pairs.items() if name in two]
        rate = sum(sum(points(g, name) == 1 for g in games) / len(games) for games in own) / len(own)
        assert charts[name].win_rate.value == pytest.approx(rate)
        for colour in ("black", "white"):
            shares = [[points(g, name) == 1 for g in games if g[colour] == name] for games in own]
            published = STAGES["own"]["conduct"][name][colour]["value"]
            assert published == pytest.approx(sum(sum(s) / len(s) for s in shares) / len(own), abs=1e-5)
    expected = {"engine": 84.7, "ours": 84.4, "distill": 75.4, "minimax-s1": 67.9}
    expected |= {"basic": 22.5, "s2-ppo": 8.8}
    assert {name: round(100 * charts[name].win_rate.value, 1) for name in expected} == expected
    scores = [[points(game, game["black"]) for game in games] for games in pairs.values()]
    black = sum(sum(own) / len(own) for own in scores) / len(pairs)
    assert STAGES["own"]["black_score"]["value"] == pytest.approx(black, abs=1e-5)
    assert black == pytest.approx(0.551, abs=0.0005)


def test_the_page_says_these_figures() -> None:
    text = (PAGE / "own.md").read_text("utf-8")
    lines = [line.strip("|") for line in text.splitlines() if line.startswith("| ")]
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
