"""The codebook net: features of empty cells kept stone by stone, and the head that values a board."""

from __future__ import annotations

from numba import float32, from_dtype, int16, int32, int64, uint8, uint32, uint64, void

from wuzi.core.jit import kernel
from wuzi.core.layout import EMPTY, PAD, STRIDE, WALL
from wuzi.core.rule_kernels import State, line_step
from wuzi.evaluation.layout import ACCUMULATOR, CODEBOOK, COLUMNS, HIDDEN, POLICY_BITS, WIDTH
from wuzi.tactics.kernels import Patterns, Tables, threat_index
from wuzi.tactics.layout import REACH

Codebook = from_dtype(CODEBOOK)
Accumulator = from_dtype(ACCUMULATOR)
Parts = int16[:, :, ::1]


@kernel(int64(int64, int64))
def mirrored_window(key, cells):
    """The key of a window of so many cells read from its other end."""
    turned = int64(0)
    for i in range(cells):
        turned |= ((key >> (2 * i)) & 3) << (2 * (cells - 1 - i))
    return turned


@kernel(int64(int64, int64))
def is_window(key, reach):
    """Whether a board has such a window: behind a wall there is only wall."""
    for i in range(reach - 1):
        for near, far in ((reach - 1 - i, reach - 2 - i), (reach + i, reach + i + 1)):
            if (key >> (2 * near)) & 3 == WALL and (key >> (2 * far)) & 3 != WALL:
                return 0
    return 1


@kernel(int64(Codebook, Tables, Parts, Parts))
def fill_rows(net, tables, windows, lines):
    """Fill ``window`` and ``rows`` from what a net's file holds of windows and line classes; how many rows.

    See :func:`wuzi.evaluation.codebook.windows_of` for the numbers, and :class:`CodebookNet` for the parts.
    """
    reach = tables.radius
    keys = int64(1) << (4 * reach)
    count = int64(0)
    for key in range(keys):
        net.window[key] = 0
        if is_window(key, reach):
            mirror = mirrored_window(key, 2 * reach)
            net.window[key] = net.window[mirror] if mirror < key else count
            count += 1 if mirror >= key else 0
    side = windows.shape[0] - 1
    for key in range(keys):
        if not is_window(key, reach) or mirrored_window(key, 2 * reach) < key:
            continue
        exchanged = ((key & 0x55555555) << 1) | ((key >> 1) & 0x55555555)
        row, other = int64(net.window[key]), int64(net.window[exchanged])
        black, white = int64(tables.line[key]) & 15, int64(tables.line[key]) >> 4
        for c in range(WIDTH):
            net.rows[row, c] = windows[0, row, c] + lines[0, black * 15 + white, c]
            net.rows[row, WIDTH + c] = windows[side, other, c] + lines[side, white * 15 + black, c]
    return count


@kernel(void(State, Patterns, Codebook, Accumulator))
def accumulator_from_state(state, patterns, net, accumulator):
    """Compute the features of all cells from scratch."""
    accumulator.pool[:] = 0
    for row in range(state.size):
        for col in range(state.size):
            u = uint64((row + PAD) * STRIDE + col + PAD)
            if state.cells[u] != EMPTY:
                continue
            pair = uint8(patterns.classes[uint64(0), u] * 16 + patterns.classes[uint64(1), u])
            accumulator.pairs[u] = pair
            for c in range(COLUMNS):
                value = int64(net.bias[c]) + int64(net.pairs[uint64(pair), c])
                for direction in range(4):
                    window = net.window[uint64(patterns.keys[uint64(direction), u])]
                    value += int64(net.rows[uint64(window), c])
                accumulator.features[u, c] = value
                accumulator.pool[c] += max(value, 0)


@kernel(void(State, Patterns, Codebook, Accumulator, int64, int64, int64, int64), inline=True)
def add_stone(state, patterns, net, accumulator, point, color, depth, keep):
    """Bring a pool up to date with a stone of ``color`` that :func:`pattern_push` has just placed.

    With ``keep`` that is ``pool`` and the features follow, what changes being saved at ``depth``; without, it
    is ``ahead``, and nothing else is changed.
    """
    pool = accumulator.pool if keep else accumulator.ahead
    d = uint64(depth)
    here = uint64(point)
    for c in range(COLUMNS):
        before = accumulator.pool[c]
        if keep:
            accumulator.saved_pool[d, c] = before
        pool[c] = before - int32(max(accumulator.features[here, c], int16(0)))
    reach = patterns.radius
    k = uint64(0)
    for direction in range(4):
        step = line_step(direction)
        for way in range(2):
            q = point
            delta = step if way == 0 else -step
            flip = uint32(color) << uint32(2 * (reach - 1) if way == 0 else 2 * reach)
            for _ in range(reach):
                q += delta
                u = uint64(q)
                content = state.cells[u]
                if content == WALL:
                    break
                if content == EMPTY:
                    key = patterns.keys[uint64(direction), u]
                    o = uint64(net.window[uint64(key ^ flip)])
                    w = uint64(net.window[uint64(key)])
                    p = uint64(accumulator.pairs[u])
                    n = uint64(patterns.classes[uint64(0), u] * 16 + patterns.classes[uint64(1), u])
                    if keep:
                        accumulator.saved_pairs[d, k] = p
                        accumulator.pairs[u] = n
                    for c in range(COLUMNS):
                        a = accumulator.features[u, c]
                        b = int16(a + net.rows[w, c] - net.rows[o, c])
                        if p != n:
                            b = int16(b + net.pairs[n, c] - net.pairs[p, c])
                        if keep:
                            accumulator.saved[d, k, c] = a
                            accumulator.features[u, c] = b
                        pool[c] += int32(max(b, int16(0))) - int32(max(a, int16(0)))
                    k += uint64(1)
                flip = flip >> uint32(2) if way == 0 else uint32(flip << uint32(2))


@kernel(void(State, Patterns, Codebook, Accumulator, int64, int64, int64))
def accumulator_push(state, patterns, net, accumulator, point, color, depth):
    """Bring the sums up to date with a stone that has just been placed; :func:`accumulator_pop` undoes it."""
    add_stone(state, patterns, net, accumulator, point, color, depth, 1)


@kernel(void(State, Patterns, Codebook, Accumulator, int64, int64))
def accumulator_ahead(state, patterns, net, accumulator, point, color):
    """Set ``ahead`` to the pool with a stone that has just been placed; keep all else."""
    add_stone(state, patterns, net, accumulator, point, color, 0, 0)


@kernel(void(State, Patterns, Accumulator, int64, int64))
def accumulator_pop(state, patterns, accumulator, point, depth):
    """Restore what :func:`accumulator_push` changed; the board shows ``point`` as empty again."""
    d = uint64(depth)
    for c in range(COLUMNS):
        accumulator.pool[c] = accumulator.saved_pool[d, c]
    reach = patterns.radius
    k = uint64(0)
    for direction in range(4):
        step = line_step(direction)
        for way in range(2):
            q = point
            delta = step if way == 0 else -step
            for _ in range(reach):
                q += delta
                u = uint64(q)
                content = state.cells[u]
                if content == WALL:
                    break
                if content == EMPTY:
                    accumulator.pairs[u] = accumulator.saved_pairs[d, k]
                    for c in range(COLUMNS):
                        accumulator.features[u, c] = accumulator.saved[d, k, c]
                    k += uint64(1)


@kernel(int64(State, Patterns, Codebook, Accumulator, int64))
def net_value(state, patterns, net, accumulator, ahead):
    """Points for the side to move, from ``ahead`` if that is 1, else from ``pool``.

    Loops run over outputs, not inputs, so that they are vectors without changing the order of the sums:
    the value is the same on every machine.
    """
    s = uint64(state.side - 1)
    threat = uint64(threat_index(patterns, state.side))
    first = accumulator.hidden[0]
    second = accumulator.hidden[1]
    value = net.direct_threats[s, threat]
    for h in range(HIDDEN):
        first[h] = net.threats[s, threat, h]
    for c in range(COLUMNS):
        x = float32(accumulator.ahead[c] if ahead else accumulator.pool[c])
        value += net.direct[s, c] * x
        for h in range(HIDDEN):
            first[h] += net.first[s, c, h] * x
    for h in range(HIDDEN):
        second[h] = net.second_bias[s, h]
    for h in range(HIDDEN):
        x = max(first[h], float32(0))
        for i in range(HIDDEN):
            second[i] += net.second[s, h, i] * x
    for h in range(HIDDEN):
        value += net.last[s, h] * max(second[h], float32(0))
    return int64(value)


@kernel(int64(State, Codebook, int64))
def place_points(state, net, point):
    """Policy points of a point for its place relative to the last two moves."""
    score = int64(0)
    for back in range(2):
        if state.ply > back:
            last = int64(state.history[uint64(state.ply - 1 - back)])
            dy = (point >> 5) - (last >> 5) + REACH
            dx = (point & 31) - (last & 31) + REACH
            if 0 <= dy <= 2 * REACH and 0 <= dx <= 2 * REACH:
                score += int64(net.places[uint64(back), uint64(dy * (2 * REACH + 1) + dx)])
    return score


@kernel(int64(State, Patterns, Codebook, Accumulator, int64))
def net_policy(state, patterns, net, accumulator, point):
    """Policy points of the side to move for an empty point."""
    u = uint64(point)
    s = uint64(state.side - 1)
    total = int32(0)
    for c in range(COLUMNS):
        total = int32(total + int32(net.policy[s, c]) * int32(max(accumulator.features[u, c], int16(0))))
    score = int64(total) >> POLICY_BITS
    own = uint64(patterns.classes[s, u])
    opponent = uint64(patterns.classes[uint64(1) - s, u])
    score += int64(net.policy_pairs[s, own, opponent])
    return score + place_points(state, net, point)
