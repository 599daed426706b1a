"""Fit the estimate of strength that a review gives of one game, from games of the named levels.

    python -m research.estimate review --out FILE [--games 400] [--depth quick] [--minutes 60]
    python -m research.estimate fit FILE [FILE...]

``review`` reviews kept games of ``benchmarks/levels`` that have 25 stones or more, as the page does, and
for each side that is a level what the review counts. It continues where it was stopped. ``fit`` learns the
rating (of ``data/levels/ratings.json``) from these counts by ridge regression on the games of two thirds of the
openings, writes ``src/wuzi/data/levels/estimate.json``, and prints the error on the games of the others.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import wuzi
from wuzi.analysis.review.judgement import SideReport, judge
from wuzi.analysis.review.model import DEPTHS
from wuzi.base.store import JsonLines
from wuzi.core import Game, Rules, parse_moves
from wuzi.players.levels import LEVELS

KEPT = Path(__file__).resolve().parents[1] / "benchmarks" / "levels"
LEAST_PLIES = 25
SEED = 44


def kept_games() -> Iterator[dict[str, Any]]:
    """The games of 25 stones and more in which a level plays, in an order that mixes all pairs."""
    piles: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for file in sorted(KEPT.glob("*/games.jsonl.gz")):
        with gzip.open(file, "rt") as lines:
            for row in map(json.loads, lines):
                pair = tuple(sorted({row["black"], row["white"]}))
                if row["plies"] >= LEAST_PLIES and set(pair) & set(LEVELS):
                    piles.setdefault(pair, []).append(row | {"id": f"{file.parent.name}/{row['game_id']}"})
    for rows in piles.values():
        random.Random(SEED).shuffle(rows)
    while any(piles.values()):
        for pair in sorted(piles):
            if piles[pair]:
                yield piles[pair].pop()


def collect(given: argparse.Namespace) -> None:
    """``review``: one line a game."""
    store, begun = JsonLines(given.out), time.monotonic()
    done = {row["id"] for _, row in store.objects()}
    budgets = dict(zip(("quick_nodes", "deep_nodes", "verify_nodes"), DEPTHS[given.depth], strict=True))
    for number, row in enumerate(kept_games()):
        if number >= given.games or time.monotonic() - begun > 60 * given.minutes:
            break
        if row["id"] in done:
            continue
        game = Game(Rules(row["size"]))
        for move in parse_moves(row["moves"], row["size"]):
            game = game.play(move)
        book = len(parse_moves(row["opening"], row["size"]))
        judged = judge(wuzi.review(game, book=book, **budgets))
        names = (row["black"], row["white"])
        store.add(
            {"id": row["id"], "opening": row["opening"], "plies": row["plies"], "depth": given.depth}
            | {"sides": {n: numbers(s) for n, s in zip(names, judged.sides, strict=True) if n in LEVELS}}
            | {"losses": [move.loss and round(move.loss, 1) for move in judged.moves[book:]]}
        )


def numbers(side: SideReport) -> dict[str, float | int | None]:
    """What a review counts of a side."""
    return {name: value for name, value in asdict(side).items() if name != "color"}
