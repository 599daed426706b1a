"""Memory layouts and control words of the searches."""

from __future__ import annotations

import numpy as np

from wuzi.core.layout import GRID, MAX_CELLS
from wuzi.tactics.layout import REACH

STOP, NODES, MAX_NODES, TRACED, DEEPEST = 0, 1, 2, 3, 4
"""Slots of ``ctl`` (int64 [8]): stop request, nodes so far, node limit (0 for none), rows of a
recorded tree, deepest ply reached. A kernel writes NODES in the same loop in which it reads STOP;
one that only read it would never see the change."""

MAX_DEPTH = 24
WIN = 1_000_000_000
"""Value of a win at the root; a win n plies on is WIN - n."""

MINIMAX = np.dtype(
    [
        ("near", np.int16, (GRID,)),
        ("centre", np.int32, (GRID,)),
        ("moves", np.int16, (MAX_DEPTH, MAX_CELLS)),
        ("keys", np.int64, (MAX_DEPTH, MAX_CELLS)),
        ("pv", np.int16, (MAX_DEPTH + 1, MAX_DEPTH + 1)),
        ("pv_length", np.int64, (MAX_DEPTH + 1,)),
        ("score", np.int64),
        ("reach", np.int64),
        ("width", np.int64),
        ("ordered", np.int64),
    ]
)
"""Work space of minimax.

``near[point]`` counts the stones at most ``reach`` away in both row and column; ``centre[point]`` is
the position term; ``score`` is Black's evaluation minus White's; ``width`` limits the moves tried at
a node (0 for all); ``ordered`` whether moves are sorted.
"""

TRACE_FIELDS = ("parent", "move", "depth", "alpha", "beta", "value", "cutoff", "color")
"""Columns of a recorded tree (int64 [rows, 8]); ``cutoff`` is 1 where the node's remaining moves were
cut off; ``move`` is the cell that led to the node and ``color`` who played it."""

NODE = np.dtype(
    [
        ("visits", np.int32),
        ("first_child", np.int32),
        ("next_sibling", np.int32),
        ("place", np.int16),
        ("tried", np.int16),
        ("value_sum", np.float64),
        ("result", np.int64),
    ]
)
"""A node of the Monte Carlo tree.

``value_sum`` adds 1 for a win and 0.5 for a draw of the side that moved *into* the node; ``place`` is
``row * 32 + column`` of that move; ``tried`` counts cells looked at for new children; ``result`` the
game's result if the move ended it. Child links are 0 for none (0 is the root).
"""

MAX_LEVEL = 96
MAX_MOVES = 512
(
    FUTILITY,
    FUTILITY_DEPTH,
    RAZOR,
    RAZOR_STEP,
    RAZOR_DEPTH,
    COUNT_BASE,
    COUNT_STEP,
    COUNT_DEPTH,
    CHILD_FUTILITY,
    CHILD_STEP,
    CHILD_DEPTH,
    LMR_BASE,
    LMR_DIVISOR,
    LMR_CUT,
    LMR_PV,
    LMR_STALE,
    LMR_THREAT,
    HISTORY_DIVISOR,
    HISTORY_ORDER,
    COUNTER_BONUS,
    SINGULAR_DEPTH,
    SINGULAR_STEP,
    LMR_START,
    LMR_FLOOR,
    THREE_EXTENSION,
) = range(25)
"""Slots of ``params``, see :data:`wuzi.search.parameters.PARAMETERS`."""

ALPHABETA = np.dtype(
    [
        ("near", np.int16, (GRID,)),
        ("moves", np.int16, (MAX_LEVEL, MAX_MOVES)),
        ("scores", np.int32, (MAX_LEVEL, MAX_MOVES)),
        ("pv", np.int16, (MAX_LEVEL + 1, MAX_LEVEL + 1)),
        ("pv_length", np.int64, (MAX_LEVEL + 1,)),
        ("evals", np.int64, (MAX_LEVEL + 1,)),
        ("excluded", np.int16, (MAX_LEVEL + 1,)),
        ("history", np.int32, (2, GRID)),
        ("counter", np.int16, (2, GRID)),
        ("barred", np.uint8, (GRID,)),
        ("policy", np.int32, (2, 16, 16)),
        ("relation", np.int32, (2, (2 * REACH + 1) ** 2)),
        ("params", np.int64, (32,)),
        ("reductions", np.int32, (64, 64)),
        ("tempo", np.int64, (2,)),
        ("age", np.int64),
        ("root_depth", np.int64),
        ("vcf_nodes", np.int64),
        ("vcf_total", np.int64),
    ]
)
"""Work space of the alpha-beta engine.

``barred`` marks points left out at the root (for several candidates in turn); ``policy[side - 1, own,
foe]`` and ``relation`` order moves by classes and by the place relative to the last two moves;
``reductions[depth, number]`` are late-move reductions in hundredths of a ply; ``vcf_nodes`` limits the
threat search at a leaf, ``vcf_total`` counts its positions.
"""
