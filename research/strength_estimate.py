"""Measure how well a review estimates strength: from kept games of players whose ratings are known.

    python -m research.strength_estimate [--games 10] [--jobs 1] [--report]

The games are those of ``benchmarks/levels``, which gave the levels their ratings: of each pair of players
the first so many with at least 25 moves. How likely each level plays each move is kept in
``benchmarks/strength.jsonl``, so that the command can be stopped at any time and resumed; ``--report`` only
prints the table. The form of the estimate and its numbers were chosen by the first 62 games of that file; the
others are *held out*, and the table is about them. Players that are no levels (score table, minimax) were
never used for that.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import product, zip_longest
from multiprocessing import get_context
from pathlib import Path
from statistics import mean
from typing import Any

from wuzi.analysis.review import strength
from wuzi.analysis.review.results import LevelFit
from wuzi.analysis.review.strength import RATED_LEVELS, Strength
from wuzi.arena.text import table
from wuzi.base.store import JsonLines
from wuzi.core import Color, Game, Rules, parse_moves
from wuzi.errors import WuziError
from wuzi.players.intuition import policy_likelihood
from wuzi.players.level import LevelConfig, LevelPlayer
from wuzi.players.levels import LEVELS, level_ratings

ROOT = Path(__file__).resolve().parents[1]
GAMES = ROOT / "benchmarks" / "levels"
FILE = ROOT / "benchmarks" / "strength.jsonl"
LEAST_PLIES = 25
SEEN = 62
"""Games at the beginning of the file by which the estimate was made."""
OTHERS = {"weight": 1000.0, "minimax:preset=s1": 1154.0}
"""Rated players that are no levels, by their ratings in ``src/wuzi/data/levels/ratings.json``."""

Row = dict[str, Any]


def chosen(games: int) -> list[Row]:
    """The first so many long games of each pair, in an order in which any part holds all pairs alike."""
    piles: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for file in sorted(GAMES.glob("*/games.jsonl.gz")):
        for _, row in JsonLines(file).objects():
            pair = tuple(sorted((row["black"], row["white"])))
            if row["plies"] >= LEAST_PLIES and any(rating(name) is not None for name in pair):
                piles[pair].append(row | {"folder": file.parent.name})
    rounds = zip_longest(*(pile[:games] for pile in piles.values()))
    return [row for one in rounds for row in one if row is not None]


def rating(name: str) -> float | None:
    """The rating of a player; None for one that is far below all levels."""
    return level_ratings()[name].elo if name in LEVELS else OTHERS.get(name)


def key(row: Row) -> str:
    """The name of a kept game."""
    return f"{row['folder']}/{row['game_id']}"


def fitted(row: Row) -> Row:
    """How likely each level plays each move of the rated players of a game, after its opening."""
    levels = [LevelPlayer(LevelConfig(level.name)) for level in RATED_LEVELS]
    rules = Rules(row["size"])
    moves = parse_moves(row["moves"], rules.size)
    game, begun = Game(rules), len(parse_moves(row["opening"], rules.size))
    found: dict[Color, list[list[float]]] = {color: [] for color in Color}
    names = {Color.BLACK: row["black"], Color.WHITE: row["white"]}
    for ply, move in enumerate(moves):
        if ply >= begun and rating(names[game.to_move]) is not None:
            likely = [level.likelihood(game, move) for level in levels]
            found[game.to_move].append([round(each, 4) for each in (*likely, policy_likelihood(game, move))])
        game = game.play(move)
    return {
        **{"game": key(row), "plies": len(moves), "black": row["black"], "white": row["white"]},
        **{"fits": [found[Color.BLACK], found[Color.WHITE]]},
    }


def fit(games: int, jobs: int) -> None:
    """Add what is missing to the file."""
    kept = JsonLines(FILE, compact=True)
    done = {row["game"] for _, row in kept.objects()} if FILE.is_file() else set()
    missing = [row for row in chosen(games) if key(row) not in done]
    with get_context("spawn").Pool(jobs) as pool:
        for i, row in enumerate(pool.imap_unordered(fitted, missing), 1):
            kept.add(row)
            print(f"\r{i} of {len(missing)} games", end="", file=sys.stderr, flush=True)


def sides() -> Iterator[tuple[int, str, list[LevelFit]]]:
    """Number of the game, name of the player, and fits of its moves, of each rated side."""
    for number, (_, row) in enumerate(JsonLines(FILE).objects()):
        for name, fits in zip((row["black"], row["white"]), row["fits"], strict=True):
            if len(fits) >= strength.LEAST_MOVES:
                yield number, name, [LevelFit(tuple(likely), policy) for *likely, policy in fits]


def errors(of: Iterable[tuple[int, str, list[LevelFit]]]) -> dict[str, list[tuple[float, Strength]]]:
    """True rating and estimate of each side by player."""
    found: dict[str, list[tuple[float, Strength]]] = defaultdict(list)
    for _, name, fits in of:
        true, guess = rating(name), strength.estimated(fits)
        assert true is not None and guess is not None
        found[name].append((true, guess))
    return found


def mean_error(found: dict[str, list[tuple[float, Strength]]]) -> float:
    """The mean over players of the mean error of each, in Elo."""
    return mean(mean(abs(true - guess.elo) for true, guess in rows) for rows in found.values())


def tuned(of: Sequence[tuple[int, str, list[LevelFit]]]) -> None:
    """Print the mean error for other numbers than those of the estimate."""
    usual = strength.LIKELY, strength.ASTRAY
    for likely, astray in product((0.2, 0.3, 0.4, 0.5, 0.6), (0.01, 0.02, 0.05, 0.1)):
        strength.LIKELY, strength.ASTRAY = likely, astray
        print(f"likely {likely}, astray {astray}: {mean_error(errors(of)):.0f} Elo")
    strength.LIKELY, strength.ASTRAY = usual


def report() -> None:
    """Print the errors on the games held out, and for other numbers on those that were not."""
    every = list(sides())
    tuned([one for one in every if one[0] < SEEN and one[1] in LEVELS])
    found = errors(one for one in every if one[0] >= SEEN or one[1] in OTHERS)
    lines = []
    for name in (name for name in (*LEVELS, *OTHERS) if name in found):
        rows = found[name]
        error = mean(abs(true - guess.elo) for true, guess in rows)
        inside = mean(guess.low <= true <= guess.high for true, guess in rows)
        width = mean(guess.high - guess.low for _, guess in rows)
        guessed = mean(guess.elo for _, guess in rows)
        figures = [f"{x:.0f}" for x in (rows[0][0], len(rows), guessed, error, width)]
        lines.append([name, *figures, f"{inside:.0%}"])
    print(table(["player", "Elo", "sides", "estimate", "mean error", "interval", "holds"], lines))
    levels = {name: rows for name, rows in found.items() if name in LEVELS}
    print(f"levels: mean error {mean_error(levels):.0f} Elo, {sum(map(len, levels.values()))} sides")


def main() -> int:
    """Fit and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--games", type=int, default=10, help="games of each pair")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--report", action="store_true")
    given = parser.parse_args()
    try:
        if not given.report:
            fit(given.games, given.jobs)
        report()
    except WuziError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
