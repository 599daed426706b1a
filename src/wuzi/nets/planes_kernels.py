"""Kernels that turn board records into feature planes and training targets."""

from __future__ import annotations

from numba import float32, from_dtype, int64, types, uint8, uint16, uint32, uint64, void

from wuzi.core.classes import DOUBLE_THREE, FIVE, FORBIDDEN, FOUR, FOUR_THREE, OPEN_FOUR, THREE
from wuzi.core.jit import kernel
from wuzi.core.layout import BLACK, EMPTY, PAD, STATE, STRIDE
from wuzi.core.rule_kernels import State, forbidden_kind, line_step, run_length, to_cell, to_point
from wuzi.tactics.kernels import Patterns, Tables

States = types.Array(from_dtype(STATE), 1, "C")
Planes = types.Array(float32, 3, "C")
"""[B, C, N * N]."""
Maps = types.Array(int64, 2, "C")
ClassMaps = types.Array(uint8, 4, "C")
Counts = types.Array(float32, 2, "C")
Cells = types.Array(int64, 1, "C")

HISTORY = 8
OCCUPIED = 255


@kernel(int64(State, int64))
def stone_ago(state, ago):
    """Point of the stone placed ``ago`` plies ago (0: the last one); -1 where the history does not know."""
    at = state.ply - 1 - ago
    if at < 0:
        return -1
    point = int64(state.history[uint64(at)])
    owner = 3 - state.side if ago % 2 == 0 else state.side
    if point <= 0 or state.cells[uint64(point)] != owner:
        return -1
    return point


@kernel(void(State, Planes, int64, int64))
def stone_planes(state, out, b, empty_plane):
    """Ones on own stones (plane 0), the opponent's (1) and empty cells (that plane, unless it is -1)."""
    out[b][:, :] = float32(0)
    for row in range(state.size):
        start = (row + PAD) * STRIDE + PAD
        for col in range(state.size):
            content = int64(state.cells[start + col])
            cell = row * state.size + col
            if content == state.side:
                out[b, 0, cell] = float32(1)
            elif content != EMPTY:
                out[b, 1, cell] = float32(1)
            elif empty_plane >= 0:
                out[b, empty_plane, cell] = float32(1)


@kernel(void(States, Planes))
def az4_planes(states, out):
    """Planes ``az4-v1``: own, opponent, last stone, ones where the number of stones is even."""
    for b in range(out.shape[0]):
        state = states[b]
        stone_planes(state, out, b, -1)
        last = stone_ago(state, 0)
        if last >= 0:
            out[b, 2, to_cell(last, state.size)] = float32(1)
        if state.ply % 2 == 0:
            out[b][3, :] = float32(1)


@kernel(void(States, Planes))
def res3_planes(states, out):
    """Planes ``res3-v1``: own, opponent, empty."""
    for b in range(out.shape[0]):
        stone_planes(states[b], out, b, 2)


@kernel(void(States, Planes))
def history11_planes(states, out):
    """Planes ``history11-v1``: own, opponent, empty, then the last eight stones, the latest first."""
    for b in range(out.shape[0]):
        state = states[b]
        stone_planes(state, out, b, 2)
        for ago in range(HISTORY):
            point = stone_ago(state, ago)
            if point < 0:
                break
            out[b, 3 + ago, to_cell(point, state.size)] = float32(1)


@kernel(void(States, Planes))
def board7_planes(states, out):
    """Planes ``board7-v1``: own, opponent, the last two stones; constant: Black to move, rule, win length."""
    for b in range(out.shape[0]):
        state = states[b]
        stone_planes(state, out, b, -1)
        for ago in range(2):
            point = stone_ago(state, ago)
            if point < 0:
                break
            out[b, 2 + ago, to_cell(point, state.size)] = float32(1)
        out[b][4, :] = float32(state.side == BLACK)
        out[b][5, :] = float32(state.rule)
        out[b][6, :] = float32(state.win_length)


@kernel(int64(State, Tables, int64))
def classes_at(state, tables, point):
    """Cell classes of an empty point: Black's, and White's times 16, from the board alone."""
    reach = tables.radius
    black = uint16(0)
    white = uint16(0)
    for direction in range(4):
        step = line_step(direction)
        key = uint32(0)
        near = point - reach * step
        for i in range(reach):
            key |= uint32(state.cells[uint64(near)]) << uint32(2 * i)
            near += step
        near += step
        for i in range(reach, 2 * reach):
            key |= uint32(state.cells[uint64(near)]) << uint32(2 * i)
            near += step
        line = tables.line[uint64(key)]
        black |= uint16(line & uint8(15)) << uint16(4 * direction)
        white |= uint16(line >> uint8(4)) << uint16(4 * direction)
    return int64(tables.cell[uint64(0), uint64(black)]) + 16 * int64(tables.cell[uint64(1), uint64(white)])


@kernel(void(Planes, int64, int64, int64, int64))
def threat_planes(out, b, plane, cell, kind):
    """One cell of the four threat planes of one side: five, open four, four, three."""
    if kind < THREE:
        return
    k = uint64(cell)
    if kind == FIVE:
        out[b, plane, k] = float32(1)
    if kind == OPEN_FOUR:
        out[b, plane + 1, k] = float32(1)
    if FOUR <= kind <= FOUR_THREE:
        out[b, plane + 2, k] = float32(1)
    if kind <= DOUBLE_THREE or kind == FOUR_THREE:
        out[b, plane + 3, k] = float32(1)


@kernel(int64(State, int64))
def overline_is_nothing(state, color):
    """Whether a row longer than the win length wins nothing for this colour."""
    return int64(state.exact & color != 0)


@kernel(void(State, Planes, int64))
def rule_planes(state, out, b):
    """Planes 2, 3 and 14 to 17 of ``tactical18-v1``: board, colour and rule, each constant."""
    flat = out[b]
    flat[2, :] = float32(1)
    flat[3, :] = float32(state.side == BLACK)
    flat[14, :] = float32(overline_is_nothing(state, state.side))
    flat[15, :] = float32(overline_is_nothing(state, 3 - state.side))
    flat[16, :] = float32(state.blockable)
    flat[17, :] = float32(state.win_length == 4)


@kernel(void(States, Tables, Planes))
def tactical18_planes(states, tables, out):
    """Planes ``tactical18-v1``; ``tables`` are those of the rule and win length of all records."""
    for b in range(out.shape[0]):
        state = states[b]
        stone_planes(state, out, b, -1)
        rule_planes(state, out, b)
        foul_plane = 12 if state.side == BLACK else 13
        for cell in range(out.shape[2]):
            point = to_point(cell, state.size)
            if state.cells[point] != EMPTY:
                continue
            both = classes_at(state, tables, point)
            black = both % 16
            white = both // 16
            threat_planes(out, b, 4, cell, black if state.side == BLACK else white)
            threat_planes(out, b, 8, cell, white if state.side == BLACK else black)
            if state.forbids == 1 and black == FORBIDDEN and forbidden_kind(state, point) != 0:
                out[b, foul_plane, cell] = float32(1)


@kernel(void(State, Patterns, Cells, Planes, int64))
def tactical18_of_patterns(state, patterns, where, out, b):
    """Planes ``tactical18-v1`` of one board whose patterns are at hand, into ``out[b]`` [18, cells].

    ``where`` says at which cell each cell of the board is written: one of its symmetries.
    """
    size = state.size
    flat = out[b]
    flat[:, :] = float32(0)
    rule_planes(state, out, b)
    own = uint64(state.side - 1)
    opponent = uint64(2 - state.side)
    row = 0
    col = 0
    for cell in range(size * size):
        point = uint64((row + PAD) * STRIDE + col + PAD)
        k = where[uint64(cell)]
        content = int64(state.cells[point])
        if content == EMPTY:
            threat_planes(out, b, 4, k, int64(patterns.classes[own, point]))
            threat_planes(out, b, 8, k, int64(patterns.classes[opponent, point]))
            if state.forbids == 1 and patterns.classes[0, point] == FORBIDDEN:
                if forbidden_kind(state, int64(point)) != 0:
                    out[b, 13 - int64(state.side == BLACK), uint64(k)] = float32(1)
        elif content == state.side:
            out[b, 0, uint64(k)] = float32(1)
        else:
            out[b, 1, uint64(k)] = float32(1)
        col += 1
        if col == size:
            col = 0
            row += 1


@kernel(void(States, Tables, ClassMaps))
def class_maps(states, tables, out):
    """Cell classes of all empty cells: the side to move's and the opponent's; OCCUPIED elsewhere."""
    for b in range(out.shape[0]):
        state = states[b]
        for row in range(state.size):
            for col in range(state.size):
                point = (row + PAD) * STRIDE + col + PAD
                out[b, 0, row, col] = uint8(OCCUPIED)
                out[b, 1, row, col] = uint8(OCCUPIED)
                if state.cells[point] == EMPTY:
                    both = classes_at(state, tables, point)
                    black = uint8(both % 16)
                    white = uint8(both // 16)
                    out[b, 0, row, col] = black if state.side == BLACK else white
                    out[b, 1, row, col] = white if state.side == BLACK else black


@kernel(void(States, Counts))
def run_counts(states, out):
    """How many open fours, closed fours and open threes stand on the board: own, then the opponent's.

    Runs in the sense of the documents' score tables: unbroken, by length and open ends. With another win
    length k a "four" is a run of k - 1 stones.
    """
    for b in range(out.shape[0]):
        state = states[b]
        for kind in range(6):
            out[b, kind] = float32(0)
        for row in range(state.size):
            for col in range(state.size):
                point = (row + PAD) * STRIDE + col + PAD
                color = int64(state.cells[point])
                if color == EMPTY:
                    continue
                base = 0 if color == state.side else 3
                for direction in range(4):
                    step = line_step(direction)
                    if state.cells[point - step] == color:
                        continue
                    length = run_length(state, point, step, color) + 1
                    ends = int64(state.cells[point - step] == EMPTY)
                    ends += int64(state.cells[point + length * step] == EMPTY)
                    if length == state.win_length - 1 and ends > 0:
                        out[b, base + 2 - ends] += float32(1)
                    elif length == state.win_length - 2 and ends == 2:
                        out[b, base + 2] += float32(1)


@kernel(void(Planes, Maps, Cells, Planes, int64))
def turn_planes(planes, maps, turns, out, n):
    """Write the first ``n`` positions' planes [n, planes, cells], each cell at ``maps[turns[i]]`` of it."""
    for i in range(n):
        where = maps[turns[i]]
        for plane in range(planes.shape[1]):
            for cell in range(planes.shape[2]):
                out[i, plane, where[cell]] = planes[i, plane, cell]
