"""Replaying, counting and estimating without wuzi: what the tests of the published figures share."""

from __future__ import annotations

import gzip
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
Game = dict[str, Any]
FloatArray = NDArray[np.float64]


def kept(path: Path) -> list[Game]:
    """The games of a packed file, each once."""
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    return list({game["game_id"]: game for game in map(json.loads, lines)}.values())


def replayed(game: Game) -> str:
    """The winner by the rules; every move on a free point, none after the end.

    Whether Black's last point was forbidden in renju is not examined, the record is believed.
    """
    size, length = game["size"], game["win_length"]
    exact = {"standard": ("black", "white"), "renju": ("black",)}.get(game["rule"], ())
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
            if run == length or (run > length and colour not in exact):
                winner = colour
    assert len(cells) == game["plies"] and game["moves"].startswith(game["opening"])
    if game["rule"] == "renju" and game["reason"] == "forbidden" and game["plies"] % 2 == 1:
        return "white"
    return winner or ("draw" if len(cells) == size * size else "nobody")


def assert_legal(games: Iterable[Game]) -> None:
    """Every game was played by the rules and has the winner that its record tells."""
    for game in games:
        assert game["winner"] == replayed(game), game["game_id"]


def points(game: Game, name: str) -> float:
    return 0.5 if game["winner"] == "draw" else float(game[game["winner"]] == name)


def counts(games: Iterable[Game], name: str) -> tuple[int, int, int]:
    """Wins, draws and losses of a player."""
    found = Counter(points(game, name) for game in games)
    return found[1.0], found[0.5], found[0.0]


def score(games: Sequence[Game], name: str) -> float:
    """A player's share of the points."""
    return sum(points(game, name) for game in games) / len(games)


def unit(game: Game) -> str:
    return game["opening_id"] or f"{game['black']}/{game['white']}/{game['moves']}"


def by_pair(games: Iterable[Game]) -> dict[frozenset[str], list[Game]]:
    found: dict[frozenset[str], list[Game]] = defaultdict(list)
    for game in games:
        found[frozenset((game["black"], game["white"]))].append(game)
    return found


def units_of(games: Sequence[Game], name: str) -> list[float]:
    """The mean score of a player in every unit that both colours had."""
    scores: dict[str, list[float]] = defaultdict(list)
    for game in games:
        scores[unit(game)].append(points(game, name))
    return [sum(s) / len(s) for s in scores.values() if len(s) % 2 == 0 or not games[0]["opening_id"]]


def won_level_lost(scores: Sequence[float]) -> tuple[int, int, int]:
    won, lost = sum(s > 0.5 for s in scores), sum(s < 0.5 for s in scores)
    return won, len(scores) - won - lost, lost


def two_sided(won: int, lost: int) -> float:
    """The p-value of a sign test."""
    tail = sum(math.comb(won + lost, k) for k in range(max(won, lost), won + lost + 1))
    return min(1.0, 2 * tail / 2.0 ** (won + lost))


def holm(raw: Sequence[float], tests: int | None = None) -> list[float]:
    """The p-values adjusted for so many tests, by default as many as there are."""
    adjusted, highest = [1.0] * len(raw), 0.0
    for rank, i in enumerate(sorted(range(len(raw)), key=raw.__getitem__)):
        highest = max(highest, min(1.0, raw[i] * ((tests or len(raw)) - rank)))
        adjusted[i] = highest
    return adjusted


def score_interval(games: Sequence[Game], name: str, *, seed: int = 2) -> tuple[float, float]:
    """Random weights of openings, and of half an opening won and half a lost one more; 95 % between."""
    scores: dict[str, list[float]] = defaultdict(list)
    for game in games:
        scores[unit(game)].append(points(game, name))
    mean = np.array([sum(s) / len(s) for s in scores.values()])
    size = np.array([float(len(s)) for s in scores.values()])
    rng = np.random.default_rng(seed)
    weight = rng.exponential(size=(8000, len(mean))) * size
    won, lost = rng.gamma(0.5, size=(2, 8000)) * size.mean()
    drawn = (weight @ mean + won) / (weight.sum(axis=1) + won + lost)
    low, high = np.quantile(drawn, (0.025, 0.975))
    return float(low), float(high)


def tables(games: Iterable[Game]) -> tuple[list[str], FloatArray, FloatArray]:
    """Names, and for every opening the wins and the games ``[O, P, P]`` of i against j."""
    games = list(games)
    names = sorted({game[colour] for game in games for colour in ("black", "white")})
    openings = {name: i for i, name in enumerate(sorted({unit(game) for game in games}))}
    wins = np.zeros((len(openings), len(names), len(names)))
    for game in games:
        o, i, j = openings[unit(game)], names.index(game["black"]), names.index(game["white"])
        wins[o, i, j] += points(game, game["black"])
        wins[o, j, i] += points(game, game["white"])
    return names, wins, wins + wins.transpose(0, 2, 1)


def bounded(wins: FloatArray) -> FloatArray:
    """Wins ``[P, P]``, with half a win for all over their opponents where somebody lost everything."""
    met = wins + wins.T > 0
    reached = (wins > 0) | np.eye(len(wins), dtype=bool)
    for _ in range(len(wins)):
        reached = reached @ reached
    if reached.all():
        return wins
    opponents = met.sum(axis=1)
    shared: FloatArray = wins + 0.5 * met / np.minimum(opponents[:, None], opponents)
    return shared


def ratings(games: Iterable[Game], anchor: str = "", value: float = 0.0) -> dict[str, float]:
    """Elo of each player; the anchor's is fixed, without one the mean is 0."""
    names, wins, _ = tables(games)
    fitted = bradley_terry(bounded(wins.sum(axis=0))[None], 100_000)[0]
    shift = value - fitted[names.index(anchor)] if anchor else 0.0
    return {name: float(elo + shift) for name, elo in zip(names, fitted, strict=True)}


def rows_of(text: str) -> list[list[str]]:
    """The cells of all lines of tables in a page."""
    lines = (line for line in text.splitlines() if line.startswith("| "))
    return [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines]


def bradley_terry(wins: FloatArray, rounds: int = 4000) -> FloatArray:
    """Elo ratings ``[S, P]`` of wins ``[S, P, P]`` by Zermelo's iteration."""
    games, won = wins + wins.transpose(0, 2, 1), wins.sum(axis=2)
    strength = np.ones(won.shape)
    for _ in range(rounds):
        strength = won / (games / (strength[:, :, None] + strength[:, None, :])).sum(axis=2)
        strength /= np.exp(np.log(strength).mean(axis=1, keepdims=True))
    ratings: FloatArray = 400 * np.log10(strength)
    return ratings
