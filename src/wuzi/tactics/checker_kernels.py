"""What the independent checker asks of the rules: winning cells, and replies that nothing punishes."""

from __future__ import annotations

from numba import int64

from wuzi.core.jit import kernel
from wuzi.core.layout import BLACK, DIRECTIONS, EMPTY, UNDECIDED, WALL
from wuzi.core.rule_kernels import Ints, State, forbidden_kind, makes_line, pop, push, to_point


@kernel(int64(State, int64, Ints))
def winning_points(state, color, out):
    """Empty points where a stone of ``color`` makes a winning row, into ``out``; how many.

    A black stone that makes five is never forbidden.
    """
    n = 0
    for cell in range(state.size * state.size):
        point = to_point(cell, state.size)
        if state.cells[point] == EMPTY and makes_line(state, point, color):
            out[n] = point
            n += 1
    return n


@kernel(int64(State, int64, int64))
def may_play(state, point, color):
    """Whether a point is empty, and not forbidden to ``color``."""
    if state.cells[point] != EMPTY:
        return 0
    return int64(state.forbids == 0 or color != BLACK or forbidden_kind(state, point) == 0)


@kernel(int64(State, Ints, int64, Ints))
def is_punished(state, follow, count, scratch):
    """Whether the side to move wins by force at once with a point of ``follow[:count]``.

    Either it makes a winning row there, or, if its opponent has no winning row to make, it gets two cells for
    one there: the opponent can take only one of them.
    """
    side = state.side
    opponent = 3 - side
    for i in range(count):
        if state.cells[follow[i]] == EMPTY and makes_line(state, follow[i], side):
            return 1
    if winning_points(state, opponent, scratch) > 0:
        return 0
    for i in range(count):
        if not may_play(state, follow[i], side):
            continue
        push(state, follow[i])
        cells = winning_points(state, side, scratch) if state.result == UNDECIDED else int64(0)
        pop(state)
        if cells >= 2:
            return 1
    return 0


@kernel(int64(State, int64, int64))
def gains_around(state, point, color):
    """Empty points, in one row of the winning length with ``point``, that make a winning row."""
    n = 0
    for step in DIRECTIONS:
        for way in range(-1, 2, 2):
            q = point
            for _ in range(state.win_length - 1):
                q += way * step
                if state.cells[q] == WALL:
                    break
                if state.cells[q] == EMPTY and makes_line(state, q, color):
                    n += 1
    return n


@kernel(int64(State, int64, int64))
def gains_with(state, point, color):
    """:func:`gains_around` of a stone of ``color`` at the empty ``point``."""
    state.cells[point] = color
    n = gains_around(state, point, color)
    state.cells[point] = EMPTY
    return n


@kernel(int64(State, int64))
def makes_threat(state, point):
    """What a stone of the side to move at the empty ``point`` threatens.

    2 a winning row; 1 a stone that would make two cells for one; 0 nothing, or the point is forbidden. The
    side to move must not have such a threat already.
    """
    side = state.side
    if not may_play(state, point, side):
        return 0
    if gains_with(state, point, side) > 0:
        return 2
    found = int64(0)
    state.cells[point] = side
    for step in DIRECTIONS:
        for way in range(-1, 2, 2):
            q = point
            for _ in range(state.win_length - 1):
                q += way * step
                if found or state.cells[q] == WALL:
                    break
                found = int64(may_play(state, q, side) and gains_with(state, q, side) >= 2)
    state.cells[point] = EMPTY
    return found


@kernel(int64(State, int64, Ints))
def double_points(state, color, out):
    """Empty points where a stone of ``color`` gets two cells for a winning row, into ``out``; how many."""
    n = 0
    for cell in range(state.size * state.size):
        point = to_point(cell, state.size)
        if may_play(state, point, color) and gains_with(state, point, color) >= 2:
            out[n] = point
            n += 1
    return n


@kernel(int64(State, int64, Ints))
def attack_points(state, fours_only, out):
    """Points where the side to move makes a threat (:func:`makes_threat`) into ``out``; how many."""
    n = 0
    for cell in range(state.size * state.size):
        point = to_point(cell, state.size)
        if state.cells[point] == EMPTY and makes_threat(state, point) > fours_only:
            out[n] = point
            n += 1
    return n


@kernel(int64(State, Ints, int64, Ints, Ints))
def useful_replies(state, follow, count, out, scratch):
    """Replies of the side to move that ``follow`` does not punish, into ``out``; how many.

    A reply that wins at once is among them, a forbidden one is not: it punishes itself.
    """
    attacker = 3 - state.side
    n = 0
    for cell in range(state.size * state.size):
        point = to_point(cell, state.size)
        if state.cells[point] != EMPTY:
            continue
        push(state, point)
        punished = int64(state.result == attacker)
        if state.result == UNDECIDED:
            punished = is_punished(state, follow, count, scratch)
        pop(state)
        if not punished:
            out[n] = point
            n += 1
    return n
