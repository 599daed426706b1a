"""Review games of benchmarks/ twice at Normal and once at ten times the budget, and count what differs.

    python scripts/review_soundness.py --out soundness.jsonl             # 100 games; run it again to go on
    python scripts/review_soundness.py --out soundness.jsonl --minutes 30
    python scripts/review_soundness.py --out part-1.jsonl --part 1/2     # every second game
    python scripts/review_soundness.py --out soundness.jsonl --report    # only the figures

The games are a fixed choice, one after the other from each kept match. One player and one examiner make all
three reviews, so that tables would leak if they could. The third looks only at the moves that the first marks
``??`` and at their neighbours, which is enough, since a mark depends on nothing else (``--whole`` reviews all
of it). No mark may differ between the first two, and at most one of a hundred ``??`` may be withdrawn by the
third.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import wuzi
from wuzi.analysis.review import Examiner, MoveMark, Review, ReviewOptions, judge, next_task
from wuzi.analysis.review.tasks import default_analyst
from wuzi.base.store import JsonLines
from wuzi.core import Game, Rule, Rules, parse_moves
from wuzi.errors import UnsupportedError

ROOT = Path(__file__).resolve().parents[1]
MATCHES = ROOT / "benchmarks" / "matches"
SEED = 38
LEAST_PLIES = 9
TIMES = 10


def games(count: int) -> Iterator[tuple[str, str, Game, int]]:
    """Match, id, game and number of book stones."""
    chance = random.Random(SEED)
    piles = []
    for file in sorted(MATCHES.glob("*/games.jsonl.gz")):
        rows = [row for _, row in JsonLines(file).objects()]
        chance.shuffle(rows)
        piles.append((file.parent.name, rows))
    chance.shuffle(piles)
    left = count
    while left and any(rows for _, rows in piles):
        for match, rows in piles:
            while rows and left:
                row = rows.pop()
                if (game := _game(row)) is not None:
                    left -= 1
                    yield match, row["game_id"], game, len(parse_moves(row["opening"], row["size"]))
                    break


def _game(row: dict[str, Any]) -> Game | None:
    """The game of a row; None for one that is too short or whose rules nobody reviews."""
    rule = next((rule for rule in Rule if rule.label == row["rule"]), None)
    moves = parse_moves(row["moves"], row["size"])
    if rule is None or len(moves) < LEAST_PLIES or row.get("opening") is None:
        return None
    game = Game.from_moves(Rules(row["size"], row["win_length"], rule), moves)
    try:
        default_analyst(game.rules)
    except UnsupportedError:
        return None
    return game


def reviewed(examiner: Examiner, game: Game, options: ReviewOptions, plies: Collection[int] | None) -> Review:
    """The review of a game, or of the moves at some plies."""
    examiner.options = options
    review = Review.of(game, options)
    while (task := next_task(review, plies)) is not None:
        review.results[task.key] = examiner.run(review.subject, task)
    return review


def marks(review: Review) -> list[str | None]:
    """The mark of each move."""
    return [move.mark and str(move.mark) for move in judge(review).moves]


def looked_at(game: Game, book: int, whole: bool) -> dict[str, Any]:
    """The marks of the three reviews of a game; of the third those of the first one's blunders."""
    options = ReviewOptions(default_analyst(game.rules), book=book)
    budgets = ("quick_nodes", "deep_nodes", "verify_nodes", "proof_nodes")
    long = replace(options, **{name: TIMES * getattr(options, name) for name in budgets})
    times, found = [time.perf_counter()], []
    with wuzi.player(options.player) as player:
        examiner = Examiner(player, options)
        for _ in range(2):
            found.append(marks(reviewed(examiner, game, options, None)))
            times.append(time.perf_counter())
        blunders = [ply for ply, mark in enumerate(found[0]) if mark == MoveMark.BLUNDER]
        near = None if whole else {ply + i for ply in blunders for i in (-1, 0, 1)}
        third = marks(reviewed(examiner, game, long, near)) if blunders else []
        times.append(time.perf_counter())
    seconds = [round(later - sooner, 1) for sooner, later in pairwise(times)]
    return {
        "first": found[0],
        "second": found[1],
        "third": {str(ply): third[ply] for ply in blunders},
        "seconds": seconds,
    }


def report(rows: list[dict[str, Any]]) -> bool:
    """Print the figures; whether they are as they should be."""
    asked = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    machine = f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}"
    print(f"{' '.join(['python', *sys.argv])}; commit {commit}; {machine}")
    given = Counter(mark for row in rows for mark in row["first"])
    differ = sum(a != b for row in rows for a, b in zip(row["first"], row["second"], strict=True))
    withdrawn = Counter(mark or "lost anyway" for row in rows for mark in row["third"].values())
    kept = withdrawn.pop(MoveMark.BLUNDER, 0)
    count = kept + withdrawn.total()
    print(f"games {len(rows)}, moves {sum(len(row['first']) for row in rows)}")
    print("marks", ", ".join(f"{name} {given[name]}" for name in MoveMark))
    print(f"differ between the first two: {differ}")
    print(f"?? withdrawn at {TIMES} times the budget: {withdrawn.total()} of {count}", dict(withdrawn) or "")
    print("seconds of the three, in all:", *(round(sum(row["seconds"][i] for row in rows)) for i in range(3)))
    return differ == 0 and withdrawn.total() <= count / 100


def main() -> int:
    """Go on with the reviews, and report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True, help="file of results, an object a game")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no game after so long")
    parser.add_argument("--part", default="1/1", help="K/N: only every N-th game, from the K-th")
    parser.add_argument("--whole", action="store_true", help="review all moves the third time, too")
    parser.add_argument("--report", action="store_true")
    given = parser.parse_args()
    kept, begin = JsonLines(given.out), time.monotonic()
    part, parts = (int(number) for number in given.part.split("/"))
    rows = [row for _, row in kept.objects()] if given.out.exists() else []
    done = {row["game"] for row in rows}
    for match, name, game, book in islice(games(given.games), part - 1, None, parts):
        if given.report or time.monotonic() - begin > 60 * given.minutes:
            break
        if name not in done:
            about = {"game": name, "match": match, "rules": game.rules.label, "plies": len(game.moves)}
            rows.append(about | looked_at(game, book, given.whole))
            kept.add(rows[-1])
            print(match, game.rules.label, rows[-1]["third"], rows[-1]["seconds"], flush=True)
    return 0 if report(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
