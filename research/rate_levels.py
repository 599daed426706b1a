"""Measure the named levels: games with fixed players between them, and ratings from all of them.

    python -m research.rate_levels DIR [--games 40] [--top-nodes 200000] [--concurrency 1]

The script plays three tournaments below DIR (it can be stopped at any time; the same command resumes), writes
``src/wuzi/data/levels/ratings.json`` and prints a table. On the ladder each player meets the next two; the
highest level then meets the two below it. The lowest one rarely scores against its neighbours, so it plays
seven times as many games against them. Every opening of the book is played with both colours. All
levels search a fixed number of positions here, the highest too, since its time would be worth more or less
on another machine. The scale is wuzi's own, with the score-table player ``weight`` at 1000.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import wuzi
from wuzi.arena import Entry, TournamentConfig, TournamentResult, default_openings, rate, run_tournament
from wuzi.arena.journal import SETTINGS_FILE
from wuzi.arena.text import table, typeset
from wuzi.arena.tournament import TournamentProgress
from wuzi.base.store import write_object
from wuzi.contract import Limit
from wuzi.core import Rules
from wuzi.errors import WuziError
from wuzi.players.levels import LEVELS, LevelName

OUT = Path(__file__).resolve().parents[1] / "src" / "wuzi" / "data" / "levels" / "ratings.json"
ANCHOR = ("weight", 1000.0)
FIXED = {
    LevelName.NOVICE: ("random", "mcts:preset=s0"),
    LevelName.CASUAL: ("weight",),
    LevelName.CLUB: ("minimax:preset=s1",),
}
"""Players that are no levels, by the level that they stand before on the ladder."""


def tournaments(games: int, top_nodes: int) -> dict[str, TournamentConfig]:
    """What is played, by the name of its folder."""
    ladder: list[Entry] = []
    for level in LEVELS.values():
        ladder += [Entry(spec) for spec in FIXED.get(level.name, ())]
        ladder.append(Entry(level.spec, str(level.name)))
    top = replace(ladder.pop(), limit=Limit(nodes=top_nodes))
    place = next(i for i, entry in enumerate(ladder) if entry.label == LevelName.NOVICE)
    bottom, around = ladder[place], (ladder[place - 1], *ladder[place + 1 : place + 3])
    rules = Rules(15)
    shared: dict[str, Any] = {"rules": rules, "games": games, "openings": default_openings(rules)}
    return {
        "ladder": TournamentConfig(tuple(ladder), format="ladder", **shared),
        "top": TournamentConfig((top, *ladder[-2:]), format="gauntlet", **shared),
        "bottom": TournamentConfig(
            (bottom, *around), format="gauntlet", seed=1, **{**shared, "games": 7 * games}
        ),
    }


def ratings_json(results: Sequence[TournamentResult], command: str) -> dict[str, Any]:
    """The ratings of the levels, and of the players between them, with what is needed to judge them."""
    records = [record for result in results for record in result.records]
    entries = {entry.label: entry for result in results for entry in result.config.entries}
    ratings = rate(records, anchor=ANCHOR)
    rows = {}
    for label, estimate in zip(ratings.labels, ratings.estimates, strict=True):
        limit = entries[label].limit
        rows[label] = {
            **{"elo": round(estimate.value), "low": round(estimate.low), "high": round(estimate.high)},
            "games": sum(label in (game.black, game.white) for game in records),
            "budget": "" if limit is None else limit.describe(),
        }
    return {
        "v": 1,
        "command": command,
        "wuzi": wuzi.__version__,
        "rules": results[0].config.rules.label,
        "openings": results[0].config.openings,
        "anchor": {"player": ANCHOR[0], "elo": ANCHOR[1]},
        "games": len(records),
        "forfeits": sum(game.forfeit_by is not None for game in records),
        "levels": {name: rows[name] for name in rows if name in LEVELS},
        "others": {name: rows[name] for name in rows if name not in LEVELS},
    }


def rating_table(data: dict[str, Any]) -> str:
    """The ratings as a table for documents, strongest first."""
    rows = []
    for name, row in sorted((data["levels"] | data["others"]).items(), key=lambda row: -int(row[1]["elo"])):
        label = f"`{name}`" + (f" at {row['budget']} a move" if row["budget"] else "")
        interval = "fixed" if row["low"] == row["high"] else typeset(f"{row['low']} – {row['high']}")
        rows.append((label, typeset(str(row["elo"])), interval, str(row["games"])))
    return table(("player", "Elo", "95 % interval", "games"), rows)


def _show(progress: TournamentProgress) -> None:
    done = len(progress.records)
    if progress.record is not None and (done % 20 == 0 or done == progress.total):
        print(f"{done} of {progress.total} games", file=sys.stderr, flush=True)


def main() -> int:
    """Play what is missing and write the ratings."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("dir", type=Path)
    parser.add_argument("--games", type=int, default=40, help="games of each pairing")
    parser.add_argument("--top-nodes", type=int, default=200_000, help="positions a move of the highest")
    parser.add_argument("--concurrency", type=int, default=1)
    options = parser.parse_args()
    results = []
    try:
        for name, config in tournaments(options.games, options.top_nodes).items():
            folder = options.dir / name
            resume = (folder / SETTINGS_FILE).exists()
            given: dict[str, Any] = {"resume": resume, "concurrency": options.concurrency}
            results.append(run_tournament(config, folder, on_progress=_show, **given))
    except WuziError as error:
        print(f"rate_levels: error: {error}", file=sys.stderr)
        return 1
    command = f"research/rate_levels.py DIR --games {options.games} --top-nodes {options.top_nodes}"
    data = ratings_json(results, command)
    write_object(OUT, data, indent=1)
    print(rating_table(data))
    return 0


if __name__ == "__main__":
    sys.exit(main())
