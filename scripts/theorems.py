"""Have the sentences of reviews that are proved checked, again, by the independent checker of proofs.

    python scripts/theorems.py --out theorems.jsonl               # 10,000 sentences; run it again to go on
    python scripts/theorems.py --out theorems.jsonl --minutes 10
    python scripts/theorems.py --out theorems.jsonl --report        # only the figures

The games are those of ``benchmarks/matches`` in freestyle and standard, one after the other from each match.
At the last plies of each the threat search looks for a win of the side to move. Its tree, which answers every
reply, is given to ``check_proof.py``, which knows only the rules. What a review says with such a tree: the
move before *allowed* the win; before the move played there *was* one, or, where the move begins the tree,
there is *no defence* against it. A refused tree is a false sentence.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wuzi.base.store import JsonLines
from wuzi.core import Rule, Rules, parse_moves
from wuzi.core.layout import BLACK
from wuzi.search.proof.attacks import AttackFinder
from wuzi.search.proof.boards import Boards
from wuzi.search.proof.check_proof import Checker, RefusedError

MATCHES = Path(__file__).resolve().parents[1] / "benchmarks" / "matches"
SEED = 42
ENOUGH = 10_000
LAST_PLIES = 16
NODES = 10_000
RULES = {"freestyle": (Rule.FREESTYLE, ""), "standard": (Rule.STANDARD, " exactly")}


class Desk:
    """The threat search and the checker for the boards of one rule."""

    def __init__(self, rules: Rules, exactly: str) -> None:
        size, length = rules.size, rules.win_length
        self.rules, self.boards = rules, Boards(rules)
        self._finder = AttackFinder(self.boards)
        self._head = ["wuzi-proof 1", f"board {size}x{size}", f"win {length}{exactly}"]

    def sentences(self, moves: list[int]) -> Iterator[tuple[str, int, str | None]]:
        """Of a game: what is said, at which ply, and why it is false; None for what the checker accepts."""
        for ply in range(max(1, len(moves) - LAST_PLIES), len(moves)):
            mine, theirs = moves[ply % 2 : ply : 2], moves[1 - ply % 2 : ply : 2]
            self._finder.set_up(sum(1 << m for m in mine), sum(1 << m for m in theirs), BLACK)
            if (tree := self._finder.attack(NODES)) is None:
                continue
            refused = self._why_refused(mine, theirs, tree.text)
            yield "allowed", ply - 1, refused
            begins = tree.text.split("(", 1)[0] == self.boards.names[moves[ply]]
            if not begins:
                yield "was", ply, refused
            elif ply + 1 < len(moves):
                yield "no defence", ply + 1, refused

    def _why_refused(self, mine: list[int], theirs: list[int], text: str) -> str | None:
        """The checker's reason; the side to move is its Black."""
        checker = Checker(iter([*self._head, text]))
        for color, cells in enumerate((mine, theirs)):
            for cell in cells:
                checker.board.put(color, checker.board.cell(self.boards.names[cell]), 1)
        try:
            checker.own_line()
        except RefusedError as error:
            return str(error)
        return None


def games() -> Iterator[dict[str, Any]]:
    """The games of the kept matches with these rules, one after the other from each match."""
    chance, piles = random.Random(SEED), []
    for file in sorted(MATCHES.glob("*/games.jsonl.gz")):
        rows = [
            row for _, row in JsonLines(file).objects() if row["rule"] in RULES and row["win_length"] == 5
        ]
        chance.shuffle(rows)
        piles.append((file.parent.name, rows))
    while any(rows for _, rows in piles):
        for match, rows in piles:
            if rows:
                row = rows.pop()
                yield row | {"id": f"{match}/{row['game_id']}"}


def report(rows: list[dict[str, Any]]) -> bool:
    """Print the figures; whether no sentence is false."""
    said = Counter(kind for row in rows for kind, _, _ in row["said"])
    false = [(row["id"], *one) for row in rows for one in row["said"] if one[2] is not None]
    print(f"{len(rows)} games, {said.total()} sentences, {len(false)} false: {dict(said)}")
    for one in false:
        print("FALSE", *one)
    return not false


def main() -> int:
    """Run the script."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=0, help="stop after so long; 0 for no limit")
    parser.add_argument("--report", action="store_true")
    given = parser.parse_args()
    store, begun = JsonLines(given.out), time.monotonic()
    rows = [row for _, row in store.objects()]
    done, count = {row["id"] for row in rows}, sum(len(row["said"]) for row in rows)
    desks: dict[tuple[str, int], Desk] = {}
    for game in () if given.report else games():
        if count >= ENOUGH or (given.minutes and time.monotonic() - begun > 60 * given.minutes):
            break
        key = (game["rule"], game["size"])
        if game["id"] not in done:
            rule, exactly = RULES[game["rule"]]
            if key not in desks:
                desks[key] = Desk(Rules(game["size"], 5, rule), exactly)
            moves = [int(move) for move in parse_moves(game["moves"], game["size"])]
            rows.append({"id": game["id"], "said": list(desks[key].sentences(moves))})
            store.append(json.dumps(rows[-1]))
            count += len(rows[-1]["said"])
    return 0 if report(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
