"""The codebook net's answers about positions that are given as planes."""

from __future__ import annotations

from numba import from_dtype, int64, types, void

from wuzi.core.jit import kernel
from wuzi.core.layout import BLACK, EMPTY, STATE, WHITE
from wuzi.core.rule_kernels import State, to_point
from wuzi.evaluation.answer_kernels import Logits, codebook_answer
from wuzi.evaluation.codebook_kernels import Accumulator, Codebook
from wuzi.nets.planes_kernels import Counts, Planes
from wuzi.tactics.kernels import Patterns, Tables, patterns_from_state

States = types.Array(from_dtype(STATE), 1, "C")


@kernel(void(Planes, int64, State))
def board_from_planes(planes, b, state):
    """Put the position of the planes ``board7-v1`` [B, 7, cells] on a board of the same size and rules."""
    state.side = BLACK if planes[b, 4, 0] > 0 else WHITE
    state.ply = 0
    for cell in range(planes.shape[2]):
        content = EMPTY
        if planes[b, 0, cell] > 0:
            content = state.side
        elif planes[b, 1, cell] > 0:
            content = 3 - state.side
        state.cells[to_point(cell, state.size)] = content
        state.ply += int64(content != EMPTY)
    for ago in range(2):
        if state.ply > ago:
            state.history[state.ply - 1 - ago] = 0
    for cell in range(planes.shape[2]):
        for ago in range(2):
            if planes[b, 2 + ago, cell] > 0 and state.ply > ago:
                state.history[state.ply - 1 - ago] = to_point(cell, state.size)


@kernel(void(Planes, State, Patterns, Tables, Codebook, Accumulator, Counts, Logits))
def answer_planes(planes, state, patterns, tables, net, accumulator, logits, values):
    """Logits [B, cells] and values [B] of positions of one size and rule; ``state`` is a board of these."""
    for b in range(planes.shape[0]):
        board_from_planes(planes, b, state)
        patterns_from_state(state, patterns, tables)
        values[b] = codebook_answer(state, patterns, net, accumulator, logits[b])
