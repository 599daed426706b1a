"""The proof of a first move, one White reply after another, in slices of growing length."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wuzi.base.store import JsonLines
from wuzi.contract import Limit
from wuzi.core.position import Position
from wuzi.core.rules import Rules
from wuzi.core.types import Color
from wuzi.errors import UnsupportedError
from wuzi.search.alphabeta.searcher import AlphaBetaSearch, EngineOptions
from wuzi.search.proof.boards import Boards, Stones, bits
from wuzi.search.proof.guide import read_guide
from wuzi.search.proof.solver import NEVER, Candidates, Effort, OrNode, Prover
from wuzi.search.proof.split import DEEP, split
from wuzi.search.proof.store import ProofStore
from wuzi.tactics.classes import cell_classes

SLICE_S = 120.0
_WIDTHS = ((3_000, 8), (12_000, 12), (40_000, 24), (600_000, 4))
"""Positions of the engine's search and its candidates, from narrow to wide; last, few by a deep one."""
_MOST_PLACES = 400_000
_ENGINE_TABLE_MB = 32


@dataclass(frozen=True, slots=True)
class CampaignReport:
    """How far a campaign is.

    Attributes:
        proved: the replies of White that are proved to lose.
        open: the others.
        lines: positions kept in the folder.
        spent_s: processor time of all runs on this folder so far.
        now: the moves from the empty board to the position that is searched, and the work left there.
        hardest: the line below it that is looked at next.
    """

    proved: tuple[str, ...]
    open: tuple[str, ...]
    lines: int
    spent_s: float
    now: str
    work: int
    hardest: tuple[str, ...]

    @property
    def hours_left(self) -> float | None:
        """At the price of the proved replies so far; the open ones are harder. None where none is proved."""
        return len(self.open) * self.spent_s / len(self.proved) / 3600 if self.proved else None


def check_rules(rules: Rules) -> None:
    """An UnsupportedError for rules under which no proof is searched for."""
    if rules.rule.forbids or rules.rule.blockable:
        raise UnsupportedError(f"a proof in {rules.rule.label}: expected freestyle or standard")


def candidates(boards: Boards) -> Candidates:
    """Black's moves by the engine's search, or by their threats where the engine does not know the rules."""
    rules = boards.rules
    engine = (
        AlphaBetaSearch(rules, EngineOptions(table_mb=_ENGINE_TABLE_MB)) if rules.win_length == 5 else None
    )

    def choose(stones: Stones, width: int) -> list[tuple[int, float]]:
        cells = np.zeros(rules.num_cells, np.int8)
        for color, mask in zip((Color.BLACK, Color.WHITE), stones, strict=True):
            cells[list(bits(mask))] = int(color)
        position = Position.from_cells(rules, cells, to_move=Color.BLACK)
        nodes, number = _WIDTHS[width]
        if engine is not None:
            info = engine.run(position, Limit(nodes=nodes), multipv=number)
            return [(int(line.move), line.value or 0.0) for line in info.lines]
        worth = cell_classes(position).astype(np.int64).sum(axis=0)
        order = [
            int(cell)
            for cell in np.argsort(-worth, kind="stable")
            if boards.all >> int(cell) & 1 and not cells[cell]
        ]
        return [(cell, 0.5) for cell in (order[:number] if width < DEEP - 1 else order)]

    return choose


class Campaign:
    """Proves that Black's first move wins, in a folder that keeps what is proved."""

    def __init__(
        self,
        rules: Rules,
        folder: Path,
        effort: Effort = Effort(),
        height: int | None = None,
        guide: Path | None = None,
    ) -> None:
        """With a ``guide`` as :func:`read_guide` reads it, its moves are tried first.

        An UnsupportedError for rules without proofs, a RecordError for a folder of another board.
        """
        check_rules(rules)
        self.boards = Boards(rules, height)
        self.store = ProofStore(folder, self.boards)
        self._effort, self._level = effort, dict[Stones, int]()
        self._choose = candidates(self.boards)
        tree = None if guide is None else read_guide(guide, self.boards)
        self._prover = Prover(self.store, self._choose, effort, tree)
        self._spent = JsonLines(folder / f"spent-{time.time_ns()}.jsonl", version=1)
        self._folder, self._told = folder, time.process_time()

    def replies(self, first: str) -> list[tuple[str, ...]]:
        """The first move and each reply of White up to symmetry, far ones first."""
        black, white = self.boards.after([first])
        return [
            (first, self.boards.names[cell])
            for cell in self.boards.replies((black, white), self.boards.all & ~black)
        ]

    def is_proved(self, moves: Sequence[str]) -> bool:
        """Whether the position after these moves is proved."""
        return self.boards.canonical(*self.boards.after(moves))[0] in self.store

    def run(
        self,
        roots: Sequence[Sequence[str]],
        seconds: float,
        tell: Callable[[CampaignReport], None],
        every_s: float = 30,
    ) -> bool:
        """Search until the positions after all these moves are proved (True), or the time is used up.

        It is processor time. Each position gets a slice; in each later round twice as much, and what still
        stands is split (:func:`split`). ``tell`` hears every ``every_s`` seconds of it.
        """
        end, slice_s = time.process_time() + seconds, SLICE_S

        def settle(line: Sequence[str], most: float) -> bool:
            left = min(most, end - time.process_time())
            if left > 0 and not self.is_proved(line):
                self._slice(roots, line, left, tell, every_s)
            return self.is_proved(line)

        while left := [moves for moves in roots if not self.is_proved(moves)]:
            for moves in left:
                if time.process_time() >= end:
                    return False
                place = self._slice(roots, moves, min(slice_s, end - time.process_time()), tell, every_s)
                if slice_s > SLICE_S:
                    split(self._prover, self._choose, settle, tuple(moves))
                tell(self._report(roots, moves, place, 0.0))
            slice_s *= 2
        return True

    def _slice(
        self,
        roots: Sequence[Sequence[str]],
        moves: Sequence[str],
        seconds: float,
        tell: Callable[[CampaignReport], None],
        every_s: float,
    ) -> OrNode:
        stones = self.boards.canonical(*self.boards.after(moves))[0]
        begin = time.process_time()

        def stop() -> bool:
            now = time.process_time()
            if now - self._told >= every_s:
                self._told = now
                tell(self._report(roots, moves, place, now - begin))
            return now - begin >= seconds

        place = self._prover.place(stones)
        while not stop():
            self._prover.effort = self._effort.times(4 ** self._level.setdefault(stones, 0))
            place = self._prover.prove(stones, stop)
            if place.prove < NEVER:
                break
            self._level[stones] += 1
            self._prover.forget()
            place = self._prover.place(stones)
        if len(self._prover) > _MOST_PLACES:
            self._prover.forget()
        self.store.refresh()
        self._spent.add({"moves": " ".join(moves), "s": round(time.process_time() - begin, 1)})
        return place

    def _report(
        self, roots: Sequence[Sequence[str]], moves: Sequence[str], place: OrNode, more: float
    ) -> CampaignReport:
        proved = [root for root in roots if self.is_proved(root)]
        rest = [root for root in roots if root not in proved]
        return CampaignReport(
            tuple(map(" ".join, proved)),
            tuple(map(" ".join, rest)),
            len(self.store),
            self.spent_s() + more,
            " ".join(moves),
            0 if self.is_proved(moves) else place.prove,
            tuple(self._prover.hardest(place)),
        )

    def spent_s(self) -> float:
        """Processor time of all runs on this folder, in seconds, by their finished slices."""
        files = self._folder.glob("spent-*.jsonl")
        return sum(float(row["s"]) for path in files for _, row in JsonLines(path, version=1).objects())

    def export(self, first: str | None, roots: Sequence[Sequence[str]]) -> Iterator[str]:
        """The lines of a file with what is proved of these positions; of the first move itself, if all are.

        Nothing where none is proved.
        """
        proved = [root for root in roots if self.is_proved(root)]
        if first is not None and len(proved) == len(roots):
            black, _ = self.boards.after([first])
            replies = (f"{self.boards.names[cell]}*" for cell in bits(self.boards.all & ~black))
            self.store.add((0, 0), f"{first}({''.join(replies)})")
            proved = [()]
        yield from self.store.export(proved) if proved else ()
