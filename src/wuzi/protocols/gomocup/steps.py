"""The steps of swap2 and of Soosõrv's opening, as Yixin-Board asks for them one command at a time.

YXSWAP2STEP1 to 3 follow the stones that YXBOARD set up. YXSOOSORVSTEP1 to 6 bring their stones along, bare
cells in the order of play up to DONE, and steps 4 and 5 the number of fifth moves. Answers are MESSAGE
lines; the board asks for the next ordinary move by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wuzi.core.symmetry import cell_maps
from wuzi.core.types import Color
from wuzi.protocols.gomocup.requests import GomocupTask

MAX_FIFTHS = 8
"""The most fifth moves that Soosõrv's opening knows."""


@dataclass(frozen=True, slots=True)
class OpeningStep:
    """One step: what is asked, how many stones stand before it, and whether it names a number of moves."""

    opening: str
    number: int
    task: GomocupTask
    stones: int
    counts: bool = False

    @property
    def takes_stones(self) -> bool:
        """Whether the stones come with the command."""
        return self.opening == "SOOSORV" and self.number > 1

    def fits(self, stones: int) -> bool:
        """Whether it can be asked with so many stones; the last step has the fifth moves among them."""
        most = self.stones + (MAX_FIFTHS - 1 if self.task is GomocupTask.PICK else 0)
        return self.stones <= stones <= most

    def answer(self, cells: Sequence[int] | None, before: Sequence[int], size: int) -> list[str]:
        """The lines that tell the answer; ``before`` are the stones that were there."""
        if self.opening == "SWAP2":
            return self._swap2(cells, size)
        if self.task is GomocupTask.CHOOSE:
            return [f"MESSAGE SOOSORV SWAP{self.number // 2} {'Y' if cells is None else 'N'}"]
        moves = [_xy(cell, size) for cell in cells or ()]
        if self.number == 1:
            three = [*(_xy(cell, size) for cell in before), *moves]
            return [f"MESSAGE SOOSORV MOVE{number} {xy}" for number, xy in enumerate(three, 1)]
        if self.number == 3:
            # The opponent may change sides after this move, so it is one that leaves both sides alike; a
            # choice of fifth moves would take the balance away again.
            return [f"MESSAGE SOOSORV MOVE4 {moves[0]} 1"]
        if self.task is GomocupTask.PICK:
            return [f"MESSAGE SOOSORV MOVE5C {moves[0]}"]
        return [f"MESSAGE SOOSORV MOVE5 {text}" for text in ("REFRESH", *moves, "DONE")]

    def _swap2(self, cells: Sequence[int] | None, size: int) -> list[str]:
        if self.number > 1 and (cells is None or len(cells) == 1):
            return [f"MESSAGE SWAP2 SWAP{self.number - 1} {'YES' if cells is None else 'NO'}"]
        first = 1 if self.number == 1 else 4
        moves = [_xy(cell, size) for cell in cells or ()]
        return [f"MESSAGE SWAP2 MOVE{number} {xy}" for number, xy in enumerate(moves, first)]


STEPS = {
    f"YX{step.opening}STEP{step.number}": step
    for step in (
        OpeningStep("SWAP2", 1, GomocupTask.OPENING, 0),
        OpeningStep("SWAP2", 2, GomocupTask.OPENING, 3),
        OpeningStep("SWAP2", 3, GomocupTask.OPENING, 5),
        OpeningStep("SOOSORV", 1, GomocupTask.BALANCE_ONE, 0),
        OpeningStep("SOOSORV", 2, GomocupTask.CHOOSE, 3),
        OpeningStep("SOOSORV", 3, GomocupTask.BALANCE_ONE, 3),
        OpeningStep("SOOSORV", 4, GomocupTask.CHOOSE, 4, counts=True),
        OpeningStep("SOOSORV", 5, GomocupTask.FIFTHS, 4, counts=True),
        OpeningStep("SOOSORV", 6, GomocupTask.PICK, 5),
    )
}


def first_two(size: int) -> tuple[int, int]:
    """Black's stone in the centre and White's beside it, with which renju's openings begin."""
    middle = size // 2
    return middle * size + middle, (middle - 1) * size + middle


def third_cells(size: int) -> set[int]:
    """Where renju's openings have their third stone: two cells at most from the centre."""
    middle = size // 2
    near = range(middle - 2, middle + 3)
    return {row * size + col for row in near for col in near}


def different(
    cells: Iterable[int], stones: Iterable[tuple[int, Color]], size: int, count: int
) -> tuple[int, ...]:
    """The first ``count`` cells of which none is another's image under a symmetry of the stones."""
    placed = set(stones)
    maps = [
        where for where in cell_maps(size) if {(int(where[cell]), color) for cell, color in placed} == placed
    ]
    kept: list[int] = []
    images: set[int] = {cell for cell, _ in placed}
    for cell in cells:
        if len(kept) < count and cell not in images:
            kept.append(cell)
            images |= {int(where[cell]) for where in maps}
    return tuple(kept)


def _xy(cell: int, size: int) -> str:
    return f"{cell % size} {cell // size}"
