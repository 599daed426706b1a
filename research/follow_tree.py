"""Prove a first move along the moves of somebody else's tree, and name the positions where that fails.

    python -m research.follow_tree gomoku.json --rule standard --out DIR    # run it again to go on

The file is a JSON object of moves in turn, Black first: ``{"h8": {"h10": {"g7": {"b10": {"g8": 17}}}}}``; a
number says that threats win from there. (maximrud/rv2 publishes such a tree for exactly five in a row.) In a
position of the tree Black plays its move or an attack by threats that our search finds, and elsewhere what
``wuzi prove`` would; White's replies are all of them. Another rule may be given than the tree was made for.
What is proved in this way lies in DIR as after ``wuzi prove``, which also exports and checks it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from wuzi.core import parse_rule
from wuzi.core.rules import Rules
from wuzi.search.proof.boards import Boards, Stones
from wuzi.search.proof.campaign import candidates
from wuzi.search.proof.solver import NEVER, AndNode, Effort, OrNode, Prover
from wuzi.search.proof.store import ProofStore

EFFORT = Effort(reply=8_000, reply_again=40_000, most_open=60)
_ALL = 250
"""Replies that may stand after a move of the tree: one that threatens nothing leaves them all."""
_STAY = 50_000
"""Work from which on another move than that of the tree is looked at."""


class Follower(Prover):
    """A prover to which the moves of a tree are the first candidates, even where they threaten nothing."""

    def __init__(self, store: ProofStore, moves: dict[Stones, int], effort: Effort = EFFORT) -> None:
        engine = candidates(store.boards)

        def choose(stones: Stones, width: int) -> list[tuple[int, float]]:
            if stones in moves:
                return [(moves[stones], 1.0)] if width == 0 else engine(stones, width - 1)
            return engine(stones, width)

        super().__init__(store, choose, effort)
        self._moves, self._strict = moves, effort
        self._patient = replace(effort, quiet_stones=_ALL, most_open=_ALL)

    def _cost_to_widen(self, place: OrNode) -> int:
        cost = super()._cost_to_widen(place)
        return max(cost, _STAY) if place.width > 1 and place.stones in self._moves else cost

    def _look_at(self, option: AndNode) -> None:
        follows = self._moves.get(option.place.stones) == option.move
        self.effort = self._patient if follows else self._strict
        super()._look_at(option)


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
    """Prove every reply to the first move; 1 if the time is over before."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tree", type=Path)
    parser.add_argument("--size", type=int, default=15)
    parser.add_argument("--rule", type=parse_rule, default="standard")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--reply", nargs="+", help="only these replies of White")
    parser.add_argument(
        "--slice", type=float, default=300, help="seconds a reply gets, twice as many each round"
    )
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no slice after so long")
    given = parser.parse_args()
    boards = Boards(Rules(given.size, rule=given.rule))
    tree = json.loads(given.tree.read_text(encoding="utf-8"))
    moves, (first,) = moves_of(tree, boards), tree
    print(f"{len(moves)} positions of the tree in which Black has a move", flush=True)
    prover = Follower(ProofStore(given.out, boards), moves)
    black, begin, slice_s = 1 << boards.cell(first), time.monotonic(), float(given.slice)
    left = boards.replies((black, 0), boards.all & ~black)
    if given.reply:
        left = [cell for cell in left if boards.names[cell] in given.reply]
    while left:
        for reply in list(left):
            if time.monotonic() - begin > 60 * given.minutes:
                return 1
            root, _ = boards.canonical(black, 1 << reply)
            end, line = time.process_time() + slice_s, list[str]()

            def stop(root: Stones = root, end: float = end, line: list[str] = line) -> bool:
                line[:] = prover.hardest(prover.place(root))
                return time.process_time() > end

            place = prover.prove(root, stop)
            if not place.prove or place.prove >= NEVER:
                left.remove(reply)
            word = "proved" if not place.prove else "given up" if place.prove >= NEVER else "open"
            seconds = time.process_time() - end + slice_s
            work = (f"work {place.prove}", *line) if place.prove else ()
            print(first, boards.names[reply], word, f"{seconds:.0f} s", *work, flush=True)
        slice_s *= 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
