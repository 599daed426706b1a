"""The memory layout of patterns for kernels: classes of every cell for both colours, kept incrementally."""

from __future__ import annotations

import numpy as np

from wuzi.core.layout import GRID, MAX_KEYS

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
    ]
)
"""Tables of one rule and win length.

``line[key]`` holds the two line classes of a window (:func:`wuzi.core.lines.line_table`);
``cell[colour - 1, code]`` the cell class of four line classes, four bits each.
"""

PATTERNS = np.dtype(
    [
        ("keys", np.uint32, (4, GRID)),
        ("lines", np.uint8, (4, GRID)),
        ("codes", np.uint16, (2, GRID)),
        ("classes", np.uint8, (2, GRID)),
        ("counts", np.int32, (2, NUM_CLASSES)),
        ("radius", np.int64),
    ]
)
"""Patterns of one board, by point.

``keys[d]`` is the window key along direction d; ``lines[d]`` its two line classes; ``codes[colour - 1]``
the four line classes of that colour, four bits each; ``classes[colour - 1]`` its cell class, meaning
"what a stone of this colour would make here"; ``counts[colour - 1]`` how many empty cells have each
class. Lines, codes and classes of occupied cells are those of the moment before the stone was placed.
"""

MAX_VCF_LEVEL = 120
VCF = np.dtype(
    [
        ("moves", np.int16, (MAX_VCF_LEVEL, 256)),
        ("path", np.int16, (MAX_VCF_LEVEL + 4,)),
        ("line", np.int16, (MAX_VCF_LEVEL + 4,)),
        *((name, np.int64) for name in ("length", "distance", "solved")),
    ]
)
"""Work space of the search for wins by fours.

``moves[level]`` are the fours to try; ``path`` the moves played so far; ``line[:length]`` the winning
line found, both sides, as points; ``distance`` the plies to the winning row, which may lie two beyond it;
``solved`` counts the positions asked.
"""

VCF_ENTRY = np.dtype([("key", np.uint64), ("left", np.int64)])
"""A failed position of the win-by-fours search: no win with ``left`` more fours (1000: with any number)."""

MAX_VCT_LEVEL = 100
MAX_VCT_MOVES = 256
VCT = np.dtype(
    [
        ("moves", np.int16, (MAX_VCT_LEVEL, MAX_VCT_MOVES)),
        ("guess", np.int16, (MAX_VCT_LEVEL, MAX_VCT_MOVES)),
        ("hits", np.int16, (GRID,)),
        ("phi", np.int64, (MAX_VCT_LEVEL + 1,)),
        ("delta", np.int64, (MAX_VCT_LEVEL + 1,)),
        *((name, np.int64) for name in ("attacker", "leaf_nodes", "capped", "move", "distance")),
        *((name, np.int64) for name in ("best", "fastest", "second", "unsolved", "shortest", "longest")),
        *((name, np.int64) for name in ("solved", "used", "replies")),
    ]
)
"""Work space of the search for wins by threats.

``moves[level]`` are the attacks or replies to try, ``guess[level]`` what an unvisited one is thought to
cost; ``hits[point]`` counts the open-four points that a reply spoils; ``phi[level]`` and ``delta[level]``
are the numbers of the node just left; ``leaf_nodes`` limits the search for fours at each new position;
``capped`` is set where a line was too long to be followed; ``move`` and ``distance`` are the answer. Of the
children looked at last: ``best`` is the number of the one to search next, ``fastest`` the move of the
quickest win, ``second`` the second least delta, ``unsolved`` how many are open, ``shortest`` and ``longest``
plies. ``solved`` counts the positions asked, ``used`` what was searched since the table was emptied;
``replies`` belong to a proof that is written down.
"""

VCT_ENTRY = np.dtype(
    [
        ("key", np.uint64),
        ("phi", np.int32),
        ("delta", np.int32),
        ("plies", np.int16),
        ("move", np.int16),
        ("effort", np.int32),
    ]
)
"""A position of the search for wins by threats.

``phi`` and ``delta`` are its proof numbers seen by the side to move (0: that side, or the other one, has
reached its aim); ``plies`` and ``move`` belong to a proved win; ``effort`` is what it cost, in positions.
"""

MAX_THREATS = 1024
MAX_STONES, MAX_GAINS = 40, 8
THREAT = np.dtype(
    [
        *((name, np.int64) for name in ("kind", "color", "reason", "step", "num_stones", "num_gains")),
        ("stones", np.int16, (MAX_STONES,)),
        ("gains", np.int16, (MAX_GAINS,)),
    ]
)
"""A threat on the board: the fields of :class:`wuzi.tactics.threats.Threat`, cells in ascending order.

``kind`` is the place in :class:`wuzi.tactics.threats.ThreatKind`; ``step`` leads along its line (0: several).
"""
