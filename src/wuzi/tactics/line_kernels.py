"""Winning lines made longer until anybody can see on the board that they win."""

from __future__ import annotations

from numba import int64

from wuzi.core.jit import kernel
from wuzi.core.layout import EMPTY, STRIDE, UNDECIDED
from wuzi.core.rule_kernels import Ints, State, pop, push, to_point
from wuzi.tactics.checker_kernels import may_play, winning_points


@kernel(int64(State, int64, Ints))
def decides(state, point, scratch):
    """Whether a stone of the side to move on an empty point wins, or makes two cells for a winning row."""
    side = state.side
    push(state, point)
    found = int64(state.result == side)
    if state.result == UNDECIDED:
        found = int64(winning_points(state, side, scratch) > 1)
    pop(state)
    return found


@kernel(int64(State, Ints, int64, Ints))
def deciding_point(state, useful, count, scratch):
    """The first of ``useful[:count]`` where the side to move decides the game, or -1."""
    for i in range(count):
        if state.cells[useful[i]] == EMPTY and decides(state, useful[i], scratch):
            return int64(useful[i])
    return int64(-1)


@kernel(int64(State, int64, Ints, int64, Ints))
def changes_nothing(state, point, useful, count, scratch):
    """Whether the opponent decides the game all the same after a stone of the side to move."""
    side = state.side
    push(state, point)
    found = int64(0)
    if state.result == UNDECIDED and winning_points(state, side, scratch) == 0:
        found = int64(deciding_point(state, useful, count, scratch) >= 0)
    pop(state)
    return found


@kernel(int64(State, Ints, int64, Ints))
def idle_reply(state, useful, count, scratch):
    """An allowed stone that changes nothing, best a block near the last move; else any allowed one."""
    size = state.size
    last = int64(state.history[state.ply - 1])
    any_empty, any_allowed = int64(-1), int64(-1)
    for wanted in range(1, -1, -1):
        for distance in range(size):
            for cell in range(size * size):
                point = to_point(cell, size)
                rows, cols = abs(point // STRIDE - last // STRIDE), abs(point % STRIDE - last % STRIDE)
                if max(rows, cols) != distance or state.cells[point] != EMPTY:
                    continue
                block = 0
                for i in range(count):
                    block |= int64(useful[i] == point)
                if block != wanted or not may_play(state, point, state.side):
                    continue
                if changes_nothing(state, point, useful, count, scratch):
                    return point
    for cell in range(size * size - 1, -1, -1):
        point = to_point(cell, size)
        if state.cells[point] == EMPTY:
            any_empty = point
            if may_play(state, point, state.side):
                any_allowed = point
    return any_allowed if any_allowed >= 0 else any_empty


@kernel(int64(State, Ints, int64, Ints, int64, Ints, Ints))
def complete_line(state, line, length, follow, count, useful, scratch):
    """Make ``line[:length]`` (points, the side to move begins) longer; how long it is then.

    It ends with the winning row, or with two cells for one. Where no reply helps because the only one is
    forbidden, or because none spoils an open four, the defender blocks a cell of ``follow[:count]`` or plays
    near the attack, which continues at another one. ``useful`` and ``scratch`` (int64 [cells]) are
    overwritten; ``follow`` may be neither.
    """
    attacker = state.side
    for i in range(length):
        push(state, line[i])
    while state.result == UNDECIDED and length + 2 <= len(line):
        wins = winning_points(state, attacker, useful)
        if wins > 1:
            break
        for i in range(count):
            useful[wins + i] = follow[i]
        reply = idle_reply(state, useful, wins + count, scratch)
        push(state, reply)
        line[length] = reply
        length += 1
        if state.result != UNDECIDED:
            break
        answer = deciding_point(state, useful, wins + count, scratch)
        if answer < 0:
            break
        push(state, answer)
        line[length] = answer
        length += 1
    for _ in range(length):
        pop(state)
    return length
