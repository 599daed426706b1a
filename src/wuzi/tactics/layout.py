"""The memory layout of patterns for kernels: classes of every cell for both colours, kept incrementally."""

from __future__ import annotations

import numpy as np

from wuzi.core.layout import GRID
from wuzi.core.lines import MAX_KEYS

NUM_CLASSES = 16
"""Slots of a class histogram (14 are used)."""

REACH = 5
"""How far from the last two moves the policy tells places apart."""

NUM_THREATS = 512
"""Combinations of threats on the board, see :func:`wuzi.tactics.kernels.threat_index`."""

TABLES = np.dtype(
    [
        ("line", np.uint8, (MAX_KEYS,)),
        ("cell", np.uint8, (2, 1 << 16)),
        ("radius", np.int64),
        ("value", np.int32, (2, NUM_CLASSES, NUM_CLASSES)),
        ("weight", np.int16, (MAX_KEYS, 4)),
        ("threat", np.int32, (2, NUM_THREATS)),
    ]
)
"""Tables of one rule and win length.

``line[key]`` holds the two line classes of a window (:func:`wuzi.core.lines.line_table`);
``cell[colour - 1, code]`` the cell class of four line classes, four bits each; ``value[side - 1, own,
foe]`` what an empty cell of these classes is worth to the side to move; ``weight[key, side - 1]`` what
a window of an empty cell is worth to it, ``weight[key, side + 1]`` how likely a move there is;
``threat[side - 1]`` what the threats on the board are worth. All values are 0 without an evaluation.
"""

PATTERNS = np.dtype(
    [
        ("keys", np.uint32, (4, GRID)),
        ("lines", np.uint8, (4, GRID)),
        ("codes", np.uint16, (2, GRID)),
        ("classes", np.uint8, (2, GRID)),
        ("counts", np.int32, (2, NUM_CLASSES)),
        ("sums", np.int64, (2,)),
        ("radius", np.int64),
    ]
)
"""Patterns of one board, by point.

``keys[d]`` is the window key along direction d; ``lines[d]`` its two line classes; ``codes[colour - 1]``
the four line classes of that colour, four bits each; ``classes[colour - 1]`` its cell class, meaning
"what a stone of this colour would make here"; ``counts[colour - 1]`` how many empty cells have each
class; ``sums[side - 1]`` the value of all empty cells and their windows if that side is to move.
Lines, codes and classes of occupied cells are those of the moment before the stone was placed.
"""

MAX_VCF_LEVEL = 120
VCF = np.dtype(
    [
        ("moves", np.int16, (MAX_VCF_LEVEL, 256)),
        ("path", np.int16, (MAX_VCF_LEVEL + 4,)),
        ("line", np.int16, (MAX_VCF_LEVEL + 4,)),
        ("length", np.int64),
        ("distance", np.int64),
    ]
)
"""Work space of the search for wins by fours.

``moves[level]`` are the fours to try; ``path`` the moves played so far; ``line[:length]`` the winning
line found, both sides, as points; ``distance`` the plies to the winning row, which may lie two beyond it.
"""

VCF_ENTRY = np.dtype([("key", np.uint64), ("left", np.int64)])
"""A failed position of the win-by-fours search: no win with ``left`` more fours (1000: with any number)."""
