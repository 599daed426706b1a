"""Boards of stored games, set up again in many orientations at once."""

from __future__ import annotations

from numba import from_dtype, int16, int64, types, void

from wuzi.core.jit import kernel
from wuzi.core.layout import STATE
from wuzi.core.rule_kernels import push, reset, to_point

States = types.Array(from_dtype(STATE), 1, "C")
Moves = types.Array(int16, 2, "C")
Numbers = types.Array(int64, 1, "C")
Maps = types.Array(int64, 2, "C")


@kernel(void(States, Moves, Numbers, Numbers, Maps, int64, int64, int64))
def set_up_boards(states, moves, plies, symmetries, maps, size, win_length, rule):
    """Make each record the board after the first ``plies`` moves of its game, as its symmetry takes them."""
    for i in range(len(states)):
        state = states[i]
        reset(state, size, win_length, rule)
        for ply in range(plies[i]):
            push(state, to_point(maps[symmetries[i], int64(moves[i, ply])], size))
