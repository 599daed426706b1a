"""The codebook net as a whole answer about a board: the value, and the policy over all cells at once."""

from __future__ import annotations

import math

import numpy as np
from numba import float32, float64, int32, int64, types, uint32, uint64, void

from wuzi.core.jit import kernel
from wuzi.core.layout import EMPTY, PAD, STRIDE
from wuzi.core.rule_kernels import State
from wuzi.evaluation.codebook_kernels import Accumulator, Codebook, net_value, place_points
from wuzi.evaluation.layout import COLUMNS, POLICY_BITS
from wuzi.tactics.kernels import Patterns

Logits = types.Array(float32, 1, "C")
Rows = types.Array(uint32, 1, "C")

LOGIT = 200.0
POLICY_LOGIT = 100.0
NEAR = 2
ROWS = 40
FAR = float32(16.0)
"""How much less likely, in log-odds, than the likeliest move a cell is that the policy was not fitted on."""


@kernel(void(State, Rows))
def near_rows(state, rows):
    """Which cells are at most NEAR from a stone: in ``rows[row + NEAR]`` the bits column + NEAR.

    On an empty board these are the cells around the centre.
    """
    rows[:] = uint32(0)
    if state.ply == 0:
        middle = state.size // 2
        for row in range(middle, middle + 2 * NEAR + 1):
            rows[row] = uint32(31) << uint32(middle)
        return
    for row in range(state.size):
        stones = uint32(0)
        for col in range(state.size):
            content = state.cells[uint64((row + PAD) * STRIDE + col + PAD)]
            stones |= uint32(content != EMPTY) << uint32(col + NEAR)
        wide = stones | (stones << uint32(1)) | (stones << uint32(2))
        wide |= (stones >> uint32(1)) | (stones >> uint32(2))
        for near in range(row, row + 2 * NEAR + 1):
            rows[uint64(near)] |= wide


@kernel(float64(State, Patterns, Codebook, Accumulator, Logits))
def codebook_answer(state, patterns, net, accumulator, logits):
    """The expected result for the side to move, -1 to 1, and log-odds of all cells into ``logits`` [cells].

    What the engine knows of a move is its policy; cells that its search would not try are FAR less likely
    than the likeliest. Of the accumulator the sums of features are set, the features themselves are not.
    """
    near = np.empty(ROWS, np.uint32)
    near_rows(state, near)
    own = uint64(state.side - 1)
    opponent = uint64(2 - state.side)
    size = state.size
    pool = accumulator.pool
    pool[:] = 0
    best = -math.inf
    for row in range(size):
        for col in range(size):
            u = uint64((row + PAD) * STRIDE + col + PAD)
            cell = uint64(row * size + col)
            logits[cell] = float32(-math.inf)
            if state.cells[u] != EMPTY:
                continue
            pair = uint64(patterns.classes[uint64(0), u] * 16 + patterns.classes[uint64(1), u])
            w0 = uint64(net.window[uint64(patterns.keys[uint64(0), u])])
            w1 = uint64(net.window[uint64(patterns.keys[uint64(1), u])])
            w2 = uint64(net.window[uint64(patterns.keys[uint64(2), u])])
            w3 = uint64(net.window[uint64(patterns.keys[uint64(3), u])])
            total = int32(0)
            for c in range(COLUMNS):
                x = int32(net.bias[c]) + int32(net.pairs[pair, c]) + int32(net.rows[w0, c])
                x += int32(net.rows[w1, c]) + int32(net.rows[w2, c]) + int32(net.rows[w3, c])
                x = int32(max(x, int32(0)))
                pool[c] += x
                total = int32(total + int32(net.policy[own, c]) * x)
            likely = patterns.classes[own, u] > 1 or patterns.classes[opponent, u] > 1
            if likely or (near[uint64(row + NEAR)] >> uint32(col + NEAR)) & uint32(1):
                score = int64(total) >> POLICY_BITS
                score += int64(
                    net.policy_pairs[
                        own, uint64(patterns.classes[own, u]), uint64(patterns.classes[opponent, u])
                    ]
                )
                score += place_points(state, net, int64(u))
                logits[cell] = float32(score / POLICY_LOGIT)
                best = max(best, float64(logits[cell]))
    if best == -math.inf:
        best = 0.0
    for cell in range(size * size):
        logits[uint64(cell)] = max(logits[uint64(cell)], float32(best) - FAR)
    return math.tanh(net_value(state, patterns, net, accumulator, 0) / (2.0 * LOGIT))
