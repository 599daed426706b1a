"""Pattern kernels: cell classes of both colours, kept up to date stone by stone."""

from __future__ import annotations

from numba import from_dtype, int64, uint8, uint16, uint32, uint64, void

from wuzi.core.classes import DOUBLE_THREE, FOUR, FOUR_PLUS, FOUR_THREE, OPEN_FOUR, THREE, THREE_PLUS
from wuzi.core.jit import kernel
from wuzi.core.layout import EMPTY, PAD, STRIDE, UNDECIDED, WALL
from wuzi.core.rule_kernels import State, empty_at, line_step, number_below, pop, push, xorshift
from wuzi.tactics.layout import PATTERNS, TABLES

Patterns = from_dtype(PATTERNS)
Tables = from_dtype(TABLES)


@kernel(void(Patterns, Tables, int64))
def reclassify(patterns, tables, point):
    """Set lines, codes and classes of a point from its keys; the histogram is left alone."""
    black = uint16(0)
    white = uint16(0)
    for direction in range(4):
        line = tables.line[uint64(patterns.keys[direction, point])]
        patterns.lines[direction, point] = line
        black |= uint16(line & uint8(15)) << uint16(4 * direction)
        white |= uint16(line >> uint8(4)) << uint16(4 * direction)
    patterns.codes[0, point] = black
    patterns.codes[1, point] = white
    patterns.classes[0, point] = tables.cell[0, black]
    patterns.classes[1, point] = tables.cell[1, white]


@kernel(void(Patterns, uint8, uint8, int64))
def recount(patterns, black, white, change):
    """Enter (change 1) or remove (-1) an empty cell of these classes in the histograms."""
    patterns.counts[uint64(0), uint64(black)] += change
    patterns.counts[uint64(1), uint64(white)] += change


@kernel(void(Patterns, int64, int64))
def recount_point(patterns, point, change):
    """Enter (change 1) or remove (-1) an empty point."""
    u = uint64(point)
    recount(patterns, patterns.classes[uint64(0), u], patterns.classes[uint64(1), u], change)


@kernel(int64(Patterns, int64))
def threat_index(patterns, side):
    """Which threats are on the board, one bit each, from the view of the side to move.

    Own double three, four-three, four, three; opponent's open four, four-three, four, double three, three.
    """
    own, opponent = uint64(side - 1), uint64(2 - side)
    c = patterns.counts
    index = int64(c[own, uint64(DOUBLE_THREE)] > 0)
    index |= int64(c[own, uint64(FOUR_THREE)] > 0) << 1
    index |= int64(c[own, uint64(FOUR)] + c[own, uint64(FOUR_PLUS)] > 0) << 2
    index |= int64(c[own, uint64(THREE)] + c[own, uint64(THREE_PLUS)] > 0) << 3
    index |= int64(c[opponent, uint64(OPEN_FOUR)] > 0) << 4
    index |= int64(c[opponent, uint64(FOUR_THREE)] > 0) << 5
    index |= int64(c[opponent, uint64(FOUR)] + c[opponent, uint64(FOUR_PLUS)] > 0) << 6
    index |= int64(c[opponent, uint64(DOUBLE_THREE)] > 0) << 7
    index |= int64(c[opponent, uint64(THREE)] + c[opponent, uint64(THREE_PLUS)] > 0) << 8
    return index


@kernel(int64(State, Patterns, int64, int64), inline=True)
def find_class(state, patterns, color, kind):
    """The first empty point where ``color`` makes a cell class, or -1."""
    classes = patterns.classes
    for row in range(state.size):
        base = (row + PAD) * STRIDE + PAD
        for col in range(state.size):
            u = uint64(base + col)
            if classes[color - 1, u] == uint8(kind) and state.cells[u] == EMPTY:
                return int64(u)
    return int64(-1)


@kernel(void(State, Patterns, Tables))
def patterns_from_state(state, patterns, tables):
    """Compute all patterns of a board from scratch."""
    reach = tables.radius
    patterns.radius = reach
    patterns.counts[:] = 0
    patterns.keys[:] = 0
    patterns.lines[:] = 0
    patterns.codes[:] = 0
    patterns.classes[:] = 0
    for row in range(state.size):
        for col in range(state.size):
            point = (row + PAD) * STRIDE + col + PAD
            for direction in range(4):
                step = line_step(direction)
                key = uint32(0)
                for i in range(2 * reach):
                    offset = i - reach + int64(i >= reach)
                    key |= uint32(state.cells[point + offset * step]) << uint32(2 * i)
                patterns.keys[direction, point] = key
            reclassify(patterns, tables, point)
            if state.cells[point] == EMPTY:
                recount_point(patterns, point, 1)


@kernel(void(State, Patterns, Tables, int64, int64))
def toggle(state, patterns, tables, point, color):
    """Bring patterns up to date with a stone of ``color`` that appears at ``point``, or leaves it.

    Called while the board shows ``point`` as EMPTY, after taking a stone back or before placing it;
    the histogram entries of ``point`` itself are the caller's.
    """
    reach = patterns.radius
    cells = state.cells
    for direction in range(4):
        step = line_step(direction)
        d = uint64(direction)
        nibble = uint16(4 * direction)
        keep = ~(uint16(15) << nibble)
        for way in range(2):
            q = point
            delta = step if way == 0 else -step
            # Seen from a cell after the stone the stone lies before it, and the other way round.
            flip = uint32(color) << uint32(2 * (reach - 1) if way == 0 else 2 * reach)
            for _ in range(reach):
                q += delta
                u = uint64(q)
                content = cells[u]
                if content == WALL:
                    break
                key = patterns.keys[d, u] ^ flip
                patterns.keys[d, u] = key
                flip = flip >> uint32(2) if way == 0 else uint32(flip << uint32(2))
                if content != EMPTY:
                    continue
                line = tables.line[uint64(key)]
                before = patterns.lines[d, u]
                if line == before:
                    continue
                patterns.lines[d, u] = line
                old_black, old_white = patterns.classes[uint64(0), u], patterns.classes[uint64(1), u]
                new_black, new_white = old_black, old_white
                if (line ^ before) & uint8(15):
                    code = (patterns.codes[uint64(0), u] & keep) | (uint16(line & uint8(15)) << nibble)
                    patterns.codes[uint64(0), u] = code
                    new_black = tables.cell[uint64(0), uint64(code)]
                if (line ^ before) & uint8(240):
                    code = (patterns.codes[uint64(1), u] & keep) | (uint16(line >> uint8(4)) << nibble)
                    patterns.codes[uint64(1), u] = code
                    new_white = tables.cell[uint64(1), uint64(code)]
                if old_black != new_black or old_white != new_white:
                    patterns.classes[uint64(0), u] = new_black
                    patterns.classes[uint64(1), u] = new_white
                    recount(patterns, old_black, old_white, -1)
                    recount(patterns, new_black, new_white, 1)


@kernel(void(State, Patterns, Tables, int64))
def pattern_push(state, patterns, tables, point):
    """Place a stone of the side to move on board and patterns; see :func:`wuzi.core.rule_kernels.push`."""
    toggle(state, patterns, tables, point, state.side)
    recount_point(patterns, point, -1)
    push(state, point)


@kernel(void(State, Patterns, Tables))
def pattern_pop(state, patterns, tables):
    """Take back the last stone on board and patterns."""
    pop(state)
    point = int64(state.history[state.ply])
    recount_point(patterns, point, 1)
    toggle(state, patterns, tables, point, state.side)


@kernel(void(State, Patterns, Tables, int64, int64))
def rewind(state, patterns, tables, ply, tactical):
    """Take stones back until ``ply`` are on the board, and on the patterns too if ``tactical``."""
    while state.ply > ply:
        if tactical:
            pattern_pop(state, patterns, tables)
        else:
            pop(state)


@kernel(int64(State, Patterns, Tables, int64, uint64))
def pattern_walk(state, patterns, tables, games, seed):
    """Play and take back ``games`` random games with patterns kept; the number of stones placed.

    The benchmark of incremental patterns: each stone is pushed once and popped once.
    """
    x = seed
    stones = 0
    start = state.ply
    for _ in range(games):
        while state.result == UNDECIDED:
            x = xorshift(x)
            point = empty_at(state, number_below(x, state.size * state.size))
            pattern_push(state, patterns, tables, point)
            stones += 1
        rewind(state, patterns, tables, start, 1)
    return stones
