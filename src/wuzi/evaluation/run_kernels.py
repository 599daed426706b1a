"""Kernels that score runs: cells for the weight player, whole boards for minimax."""

from __future__ import annotations

from numba import int64, types, uint64, void

from wuzi.core.jit import kernel
from wuzi.core.layout import EMPTY, STRIDE
from wuzi.core.rule_kernels import Ints, State, line_step, run_length, to_point, wins_along

RunTable = types.Array(int64, 2, "C", readonly=True)


@kernel(int64(State, RunTable, int64, int64))
def run_value(state, table, stones, ends):
    """Value of a run by its stones and open ends, shifted so that one short of a win is a "four"."""
    n = max(stones + 5 - state.win_length, 1)
    return 0 if n > 4 else table[uint64(n), uint64(ends)]


@kernel(int64(State, RunTable, int64, int64, int64))
def line_weight(state, table, point, color, step):
    """Value of the run that a stone of ``color`` on the empty ``point`` would make along ``step``."""
    if wins_along(state, point, color, step):
        return table[5, 0]
    ahead = run_length(state, point, step, color)
    back = run_length(state, point, -step, color)
    front = int64(state.cells[uint64(point + (ahead + 1) * step)] == EMPTY)
    rear = int64(state.cells[uint64(point - (back + 1) * step)] == EMPTY)
    return run_value(state, table, ahead + back + 1, front + rear)


@kernel(int64(State, RunTable, int64, int64))
def cell_weight(state, table, point, color):
    """Sum of :func:`line_weight` over the four lines."""
    return (
        line_weight(state, table, point, color, 1)
        + line_weight(state, table, point, color, STRIDE)
        + line_weight(state, table, point, color, STRIDE + 1)
        + line_weight(state, table, point, color, STRIDE - 1)
    )


@kernel(void(State, RunTable, int64, Ints, Ints))
def cell_weights(state, table, color, attack, defence):
    """Weights of all cells for ``color``: own runs into ``attack``, the opponent's into ``defence``.

    Both int64 [cells]; -1 on occupied cells.
    """
    for cell in range(state.size * state.size):
        point = to_point(cell, state.size)
        attack[cell] = defence[cell] = -1
        if state.cells[point] == EMPTY:
            attack[cell] = cell_weight(state, table, point, color)
            defence[cell] = cell_weight(state, table, point, 3 - color)


@kernel(int64(State, RunTable, int64, int64, int64))
def side_change(state, table, point, step, color):
    """Value change of an opponent's run of ``color`` next to ``point`` along ``step`` when closed there."""
    n = run_length(state, point, step, color)
    if n == 0:
        return 0
    far = int64(state.cells[uint64(point + (n + 1) * step)] == EMPTY)
    return run_value(state, table, n, far) - run_value(state, table, n, far + 1)


@kernel(int64(State, RunTable, int64, int64, int64))
def own_change(state, table, point, step, color):
    """Value change of the runs of ``color`` that a stone on the empty ``point`` joins along ``step``."""
    ahead = run_length(state, point, step, color)
    back = run_length(state, point, -step, color)
    front = int64(state.cells[uint64(point + (ahead + 1) * step)] == EMPTY)
    rear = int64(state.cells[uint64(point - (back + 1) * step)] == EMPTY)
    change = run_value(state, table, ahead + back + 1, front + rear)
    if ahead > 0:
        change -= run_value(state, table, ahead, front + 1)
    if back > 0:
        change -= run_value(state, table, back, rear + 1)
    return change


@kernel(int64(State, RunTable, int64, int64))
def gain(state, table, point, color):
    """Change of (own runs - opponent's runs) for ``color`` when it plays the empty ``point``.

    Winning rows count nothing here: the search ends there.
    """
    total = 0
    opponent = 3 - color
    for direction in range(4):
        step = line_step(direction)
        total += own_change(state, table, point, step, color)
        total -= side_change(state, table, point, step, opponent)
        total -= side_change(state, table, point, -step, opponent)
    return total
