"""What the independent checker asks of the rules: winning cells, and replies that nothing punishes."""

from __future__ import annotations

from numba import int8, int64, types

from wuzi.core.jit import kernel
from wuzi.core.kernels import State, forbidden_kind, line_step, makes_line, pop, push
from wuzi.core.layout import BLACK, EMPTY, PAD, RENJU, STRIDE, UNDECIDED, WALL

Ints = types.Array(int64, 1, "C")
Marks = types.Array(int8, 1, "C")


@kernel(int64(State, int64, Ints))
def winning_points(state, color, out):
    """Empty points where a stone of ``color`` makes a winning row, into ``out``; how many.

    A black stone that makes five is never forbidden.
    """
    n = 0
    for row in range(state.size):
        for col in range(state.size):
            point = (row + PAD) * STRIDE + col + PAD
            if state.cells[point] == EMPTY and makes_line(state, point, color):
                out[n] = point
                n += 1
    return n


@kernel(int64(State, Ints, int64, Ints))
def is_punished(state, follow, count, scratch):
    """Whether the side to move wins by force at once with a point of ``follow[:count]``.

    Either it makes a winning row there, or, if its enemy has no winning row to make, it gets two cells for
    one there: the enemy can take only one of them.
    """
    side = state.side
    foe = 3 - side
    for i in range(count):
        if state.cells[follow[i]] == EMPTY and makes_line(state, follow[i], side):
            return 1
    if winning_points(state, foe, scratch) > 0:
        return 0
    for i in range(count):
        point = follow[i]
        if state.cells[point] != EMPTY:
            continue
        if state.rule == RENJU and side == BLACK and forbidden_kind(state, point) != 0:
            continue
        push(state, point)
        cells = winning_points(state, side, scratch) if state.result == UNDECIDED else int64(0)
        pop(state)
        if cells >= 2:
            return 1
    return 0


@kernel(int64(State, Marks, Ints, int64, Ints))
def unpunished_reply(state, answered, follow, count, scratch):
    """The first legal reply, outside those marked ``answered``, that ``follow`` does not punish; or -1.

    A forbidden reply punishes itself.
    """
    attacker = 3 - state.side
    for row in range(state.size):
        for col in range(state.size):
            point = (row + PAD) * STRIDE + col + PAD
            if state.cells[point] != EMPTY or answered[point] != 0:
                continue
            push(state, point)
            punished = int64(0)
            if state.result == UNDECIDED:
                punished = is_punished(state, follow, count, scratch)
            elif state.result == attacker:
                punished = 1
            pop(state)
            if not punished:
                return point
    return -1


@kernel(int64(State, int64, int64, int64))
def gains_around(state, point, color, length):
    """Empty points, on lines through ``point`` and nearer than ``length``, that make a winning row."""
    n = 0
    for direction in range(4):
        step = line_step(direction)
        for way in range(2):
            delta = step if way == 0 else -step
            q = point
            for _ in range(length - 1):
                q += delta
                if state.cells[q] == WALL:
                    break
                if state.cells[q] == EMPTY and makes_line(state, q, color):
                    n += 1
    return n


@kernel(int64(State, int64))
def makes_threat(state, point):
    """What a stone of the side to move at ``point`` threatens.

    2 a winning row; 1 a stone that would make two cells for one; 0 nothing, or the point is forbidden. The
    side to move must not have such a threat already.
    """
    side = state.side
    length = state.win_length
    black = state.rule == RENJU and side == BLACK
    if black and forbidden_kind(state, point) != 0:
        return 0
    found = int64(0)
    state.cells[point] = side
    if gains_around(state, point, side, length) > 0:
        found = 2
    for direction in range(4):
        step = line_step(direction)
        for way in range(2):
            delta = step if way == 0 else -step
            q = point
            for _ in range(length - 1):
                q += delta
                if found > 0 or state.cells[q] == WALL:
                    break
                if state.cells[q] != EMPTY or (black and forbidden_kind(state, q) != 0):
                    continue
                state.cells[q] = side
                if gains_around(state, q, side, length) >= 2:
                    found = 1
                state.cells[q] = EMPTY
    state.cells[point] = EMPTY
    return found


@kernel(int64(State, int64, Ints))
def double_points(state, color, out):
    """Empty points where a stone of ``color`` gets two cells for a winning row, into ``out``; how many."""
    n = 0
    black = state.rule == RENJU and color == BLACK
    for row in range(state.size):
        for col in range(state.size):
            point = (row + PAD) * STRIDE + col + PAD
            if state.cells[point] != EMPTY or (black and forbidden_kind(state, point) != 0):
                continue
            state.cells[point] = color
            if gains_around(state, point, color, state.win_length) >= 2:
                out[n] = point
                n += 1
            state.cells[point] = EMPTY
    return n


@kernel(int64(State, int64, Ints))
def attack_points(state, fours_only, out):
    """Points where the side to move makes a threat (:func:`makes_threat`) into ``out``; how many."""
    n = 0
    for row in range(state.size):
        for col in range(state.size):
            point = (row + PAD) * STRIDE + col + PAD
            if state.cells[point] == EMPTY and makes_threat(state, point) > fours_only:
                out[n] = point
                n += 1
    return n


@kernel(int64(State, Ints, int64, Ints, Ints))
def useful_replies(state, follow, count, out, scratch):
    """Replies of the side to move that ``follow`` does not punish, into ``out``; how many.

    A reply that wins at once is among them, a forbidden one is not.
    """
    attacker = 3 - state.side
    n = 0
    for row in range(state.size):
        for col in range(state.size):
            point = (row + PAD) * STRIDE + col + PAD
            if state.cells[point] != EMPTY:
                continue
            push(state, point)
            punished = int64(0)
            if state.result == UNDECIDED:
                punished = is_punished(state, follow, count, scratch)
            elif state.result == attacker:
                punished = 1
            pop(state)
            if not punished:
                out[n] = point
                n += 1
    return n
