"""Score tables of runs: the hand-made values of the source documents, as data.

A *run* is a maximal row of stones of one colour; what counts is its length and how many of its two
ends are empty. Broken shapes (``XX_X``) are two runs, as in the documents.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class RunScores:
    """Values of runs by stones that are missing to five."""

    five: int  # a winning row
    # four, three, two, one: (both ends open, one end open) for runs of that many stones when five win; for
    # another win length k a run of n stones is worth what n + 5 - k stones are here
    four: tuple[int, int]
    three: tuple[int, int]
    two: tuple[int, int]
    one: tuple[int, int]
    centre: int = 0  # points for a stone per ring nearer to the centre (0 for none)

    @cached_property
    def table(self) -> npt.NDArray[np.int64]:
        """int64 [6, 3], read-only: value by stones (0..5) and open ends (0..2)."""
        table = np.zeros((6, 3), np.int64)
        table[5] = self.five
        for stones, (both, single) in enumerate((self.one, self.two, self.three, self.four), 1):
            table[stones] = (0, single, both)
        table.flags.writeable = False
        return table


WEIGHT_S0 = RunScores(five=100_000, four=(5000, 400), three=(500, 30), two=(100, 10), one=(15, 10))
"""The score table of the 9x9 study, section 7.1."""

MINIMAX_S0 = RunScores(five=10_000, four=(5000, 400), three=(500, 30), two=(0, 0), one=(0, 0))
"""The evaluation of the 9x9 study, section 3.2.2; it names no value for shorter runs."""

MINIMAX_S1 = RunScores(
    five=100_000, four=(10_000, 2500), three=(1500, 300), two=(200, 50), one=(10, 2), centre=2
)
"""The evaluation of the two-stage report, section 1.3.2: five, fours and the open three as stated;
it leaves the other values and its position term out, so those are ours."""
