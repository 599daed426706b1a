"""The memory layout of the engine's codebook net and of its running sums on a board."""

from __future__ import annotations

import numpy as np

from wuzi.core.layout import GRID, MAX_KEYS, MAX_RADIUS
from wuzi.tactics.layout import NUM_THREATS, REACH

WIDTH = 16
"""Features of an empty cell in the view of one side."""

COLUMNS = 2 * WIDTH
HIDDEN = 16

POLICY_BITS = 10
"""Binary places of policy weights."""

_SIDES = (3 ** (MAX_RADIUS + 1) - 1) // 2
MAX_WINDOWS = _SIDES * (_SIDES + 1) // 2
"""Different windows around a cell, a mirrored pair counted once."""

MAX_TOUCHED = 8 * MAX_RADIUS + 1
MAX_DEPTH = 128

CODEBOOK = np.dtype(
    [
        ("window", np.uint32, (MAX_KEYS,)),
        ("rows", np.int16, (MAX_WINDOWS, COLUMNS)),
        ("pairs", np.int16, (256, COLUMNS)),
        ("bias", np.int16, (COLUMNS,)),
        ("first", np.float32, (2, COLUMNS, HIDDEN)),
        ("threats", np.float32, (2, NUM_THREATS, HIDDEN)),
        ("second", np.float32, (2, HIDDEN, HIDDEN)),
        ("second_bias", np.float32, (2, HIDDEN)),
        ("last", np.float32, (2, HIDDEN)),
        ("direct", np.float32, (2, COLUMNS)),
        ("direct_threats", np.float32, (2, NUM_THREATS)),
        ("policy", np.int16, (2, COLUMNS)),
        ("policy_pairs", np.int32, (2, 16, 16)),
        ("places", np.int32, (2, (2 * REACH + 1) ** 2)),
    ]
)
"""Weights of one rule and win length.

``window[key]`` is the row of a window; ``rows`` and ``pairs[black class * 16 + white class]`` add up, with
``bias``, to the features of an empty cell, the first half in the view of Black and the second in that of
White, in 1 / UNIT. The rest is the head, a first axis of two is the side to move: from the sums of all
cells' rectified features and the threats on the board through two hidden layers, and directly, to points;
then the policy: of features, of own and opponent's class, and of the place relative to the last two moves.
"""

ACCUMULATOR = np.dtype(
    [
        ("features", np.int16, (GRID, COLUMNS)),
        ("pairs", np.uint8, (GRID,)),
        ("pool", np.int32, (COLUMNS,)),
        ("ahead", np.int32, (COLUMNS,)),
        ("made", np.uint8, (MAX_DEPTH,)),
        ("hidden", np.float32, (2, HIDDEN)),
        ("saved", np.int16, (MAX_DEPTH, MAX_TOUCHED, COLUMNS)),
        ("saved_pairs", np.uint8, (MAX_DEPTH, MAX_TOUCHED)),
        ("saved_pool", np.int32, (MAX_DEPTH, COLUMNS)),
    ]
)
"""Features of a board's empty cells, and what they were before each stone.

``features[point]`` and ``pairs[point]`` of an occupied point are those of the moment before the stone;
``pool`` is the sum over empty cells of the positive parts of their features, ``ahead`` the same one stone
on; ``made[depth]`` whether the stone that led to that depth is in the sums.
"""
