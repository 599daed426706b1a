"""Prove a first move along the moves of somebody else's tree, and name the positions where that fails.

    python -m research.follow_tree gomoku.json --rule standard --out DIR    # run it again to go on

The file is a JSON object of moves in turn, Black first: ``{"h8": {"h10": {"g7": {"b10": {"g8": 17}}}}}``; a
number says that threats win from there. (maximrud/rv2 publishes such a tree for exactly five in a row.) In a
position of the tree Black plays its move or an attack by threats that our search finds; White's replies are
all of them. What is proved in this way lies in DIR as after ``wuzi prove``, which also exports and checks it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from wuzi.core import parse_rule
from wuzi.core.rules import Rules
from wuzi.search.proof.boards import Boards, Stones
from wuzi.search.proof.solver import NEVER, Effort, Prover
from wuzi.search.proof.store import ProofStore

EFFORT = Effort(reply=20_000, reply_again=400_000, passed=100_000, most_open=250, widest=2, quiet_stones=99)


def moves_of(tree: dict[str, Any], boards: Boards) -> dict[Stones, int]:
    """Black's move in each position of the tree, both up to symmetry."""
    found: dict[Stones, int] = {}
    todo: list[tuple[Stones, Any]] = [((0, 0), tree)]
    while todo:
        (black, white), below = todo.pop()
        if not isinstance(below, dict):
            continue
        ((name, replies),) = below.items()
        cell = boards.cell(name)
        stones, symmetry = boards.canonical(black, white)
        found[stones] = boards.images(cell)[symmetry]
        if isinstance(replies, dict):
            for reply, answer in replies.items():
                todo.append(((black | 1 << cell, white | 1 << boards.cell(reply)), answer))
    return found


def main() -> int:
    """Prove every reply to the first move; 1 if some are left."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tree", type=Path)
    parser.add_argument("--size", type=int, default=15)
    parser.add_argument("--rule", type=parse_rule, default="standard")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no reply after so long")
    given = parser.parse_args()
    boards = Boards(Rules(given.size, rule=given.rule))
    tree = json.loads(given.tree.read_text(encoding="utf-8"))
    moves, (first,) = moves_of(tree, boards), tree
    print(f"{len(moves)} positions of the tree in which Black has a move", flush=True)
    store = ProofStore(given.out, boards)

    def choose(stones: Stones, width: int) -> list[tuple[int, float]]:
        del width
        return [(moves[stones], 1.0)] if stones in moves else []

    prover = Prover(store, choose, EFFORT)
    black, begin, left = 1 << boards.cell(first), time.monotonic(), 0
    for reply in boards.replies((black, 0), boards.all & ~black):
        if time.monotonic() - begin > 60 * given.minutes:
            break
        root, _ = boards.canonical(black, 1 << reply)
        spent, line = time.process_time(), list[str]()

        def stop(root: Stones = root, line: list[str] = line) -> bool:
            line[:] = prover.hardest(prover.place(root))
            return False

        place = prover.prove(root, stop)
        left += place.prove > 0
        word = "proved" if not place.prove else "not proved" if place.prove >= NEVER else "stopped"
        seconds = time.process_time() - spent
        print(
            first, boards.names[reply], word, f"{seconds:.0f} s", *(line if place.prove else ()), flush=True
        )
    return int(left > 0)


if __name__ == "__main__":
    sys.exit(main())
