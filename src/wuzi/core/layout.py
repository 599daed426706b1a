"""The memory layout of a board for kernels.

The board lies in a grid with 32 columns and five wall cells or more on every side, so that kernels
look up to five cells in any direction without a bounds check. A *point* is an index of that grid,
``(row + 5) * 32 + column + 5``; a *cell* (:data:`wuzi.core.types.Move`) is ``row * size + column``.
"""

from __future__ import annotations

import numpy as np

STRIDE = 32
PAD = 5
GRID = 37 * STRIDE
"""Points of the padded grid; the last row absorbs diagonal look-ahead from the lower right corner."""

MAX_CELLS = 26 * 26

EMPTY, BLACK, WHITE, WALL = 0, 1, 2, 3

DIRECTIONS = (1, STRIDE, STRIDE + 1, STRIDE - 1)
"""Grid steps of the four line directions: along the row, down the column, both diagonals."""

MAX_RADIUS = 5
"""How far line patterns look from a stone."""

MAX_KEYS = 4 ** (2 * MAX_RADIUS)
"""Different windows of that reach, two bits a cell."""

UNDECIDED, BLACK_WINS, WHITE_WINS, DRAW = 0, 1, 2, 3
BY_LINE, BY_FULL_BOARD, BY_FORBIDDEN_POINT = 1, 2, 3
"""``result`` of a board, and its ``reason``: values of :class:`wuzi.core.types.Reason`."""

MAY_PLAY, IS_OFF_BOARD, IS_OVER, IS_TAKEN = 0, 1, 2, 3
"""Whether a stone may be placed on a cell, and why not."""

FREE, SWAP1, SWAP2 = 0, 1, 2
PLACE_THREE, CHOOSE, CHOOSE_AFTER_FIVE, PLAY, OVER = 0, 1, 2, 3, 4
PLACE, SWAP, KEEP = 0, 1, 2
REFUSED = -1
"""Opening protocols and the phases of a game, in the order of :class:`wuzi.core.rules.Opening` and
:class:`wuzi.core.game.Phase`; what a seat does; and the answer that it may not."""

STOP, NODES, MAX_NODES, TRACED, DEEPEST = 0, 1, 2, 3, 4
"""Slots of ``ctl`` (int64 [8]) of a search: stop request, nodes so far, node limit (0 for none), rows of a
recorded tree, deepest ply reached. A kernel writes NODES in the same loop in which it reads STOP;
one that only read it would never see the change."""

STATE = np.dtype(
    [
        ("cells", np.int8, (GRID,)),
        ("history", np.int16, (MAX_CELLS,)),
        *((name, np.int64) for name in ("size", "win_length", "rule", "exact", "blockable", "forbids")),
        *((name, np.int64) for name in ("ply", "side", "result", "reason")),
        ("key", np.uint64),
    ]
)
"""One board.

``cells`` holds EMPTY, BLACK, WHITE or WALL by point; ``history`` the points played; ``rule`` the number of
a :class:`wuzi.core.rules.Rule`, whose properties are ``exact``, ``blockable`` and ``forbids``; ``ply`` how
many stones stand on the board (stones set up from a diagram are not in the history); ``side`` the colour to
move; ``result`` UNDECIDED, BLACK_WINS, WHITE_WINS or DRAW; ``reason`` a
:class:`wuzi.core.types.Reason`; ``key`` the Zobrist key.
"""

LINES = np.dtype(
    [
        ("bits", np.uint32, (2, 4, 64)),
        ("free", np.int32, (MAX_CELLS,)),
        *((name, np.int64) for name in ("num_free", "size", "win_length", "exact", "blockable")),
        ("rng", np.uint64),
    ]
)
"""A board as bit lines, for random games.

``bits[colour - 1, direction, line]`` has one bit a stone; ``free[:num_free]`` lists the empty cells
as ``row * 32 + column``, in any order.
"""
