"""The rule book as compiled kernels: placing and taking back stones, wins, forbidden points, random games.

All kernels are unchecked: they trust that a point is on the board and empty. The checks live in
:class:`wuzi.core.Position`. "Point" and "cell" are told apart in :mod:`wuzi.core.layout`.
"""

from __future__ import annotations

import numpy as np
from numba import from_dtype, int8, int32, int64, types, uint32, uint64, void

from wuzi.core.jit import kernel
from wuzi.core.layout import (
    BLACK,
    DRAW,
    EMPTY,
    GRID,
    LINES,
    PAD,
    STATE,
    STRIDE,
    UNDECIDED,
    WALL,
    WHITE,
    WHITE_WINS,
)

State = from_dtype(STATE)
Lines = from_dtype(LINES)
Cells = types.Array(int8, 1, "C", readonly=True)
Bytes = types.Array(int8, 1, "C")
Ints = types.Array(int64, 1, "C")
Words = types.Array(uint32, 1, "C")

FREESTYLE, STANDARD, RENJU, CARO_OVERLINE, CARO = 0, 1, 4, 8, 9
LINE, DRAW_FULL, FORBIDDEN = 1, 2, 3
NONE, OVERLINE, DOUBLE_FOUR, DOUBLE_THREE = 0, 1, 2, 3
SIDE_KEY = 0x9E3779B97F4A7C15


@kernel(uint64(uint64))
def mix(x):
    """splitmix64's finaliser (Steele, Lea, Flood 2014): the Zobrist number of an index."""
    x = uint64(x + uint64(0x9E3779B97F4A7C15))
    x = uint64((x ^ (x >> uint64(30))) * uint64(0xBF58476D1CE4E5B9))
    x = uint64((x ^ (x >> uint64(27))) * uint64(0x94D049BB133111EB))
    return uint64(x ^ (x >> uint64(31)))


@kernel(uint64(int64, int64))
def zobrist(point, color):
    """Zobrist number of a stone."""
    return mix(uint64(point * 4 + color))


@kernel(int64(int64, int64))
def to_point(cell, size):
    """Grid point of a cell."""
    return (cell // size + PAD) * STRIDE + cell % size + PAD


@kernel(int64(int64, int64))
def to_cell(point, size):
    """Cell of a grid point."""
    return (point // STRIDE - PAD) * size + point % STRIDE - PAD


@kernel(void(State, int64, int64, int64))
def reset(state, size, win_length, rule):
    """Make the record an empty board under these rules, Black to move."""
    cells = state.cells
    for point in range(GRID):
        cells[point] = WALL
    for row in range(size):
        base = (row + PAD) * STRIDE + PAD
        for col in range(size):
            cells[base + col] = EMPTY
    state.size = size
    state.win_length = win_length
    state.rule = rule
    state.ply = 0
    state.side = BLACK
    state.result = UNDECIDED
    state.reason = 0
    state.key = uint64(0)


@kernel(int64(State, int64, int64, int64))
def run_length(state, point, step, color):
    """Stones of ``color`` from ``point`` (exclusive) along ``step`` without a gap."""
    n = 0
    q = uint64(point + step)
    while state.cells[q] == color:
        n += 1
        q = uint64(int64(q) + step)
    return n


@kernel(int64(State, int64, int64, int64))
def wins_along(state, point, color, step):
    """Whether a stone of ``color`` at ``point`` (there or not) stands in a winning row along ``step``."""
    k = state.win_length
    rule = state.rule
    after = run_length(state, point, step, color)
    before = run_length(state, point, -step, color)
    n = before + after + 1
    if n < k:
        return 0
    if rule == FREESTYLE or (rule == RENJU and color == WHITE):
        return 1
    if rule == STANDARD or rule == RENJU:
        return int64(n == k)
    if n > k:
        return int64(rule == CARO_OVERLINE)
    enemy = 3 - color
    blocked = (
        state.cells[uint64(point + (after + 1) * step)] == enemy
        and state.cells[uint64(point - (before + 1) * step)] == enemy
    )
    return int64(0) if blocked else int64(1)


@kernel(int64(State, int64, int64))
def makes_line(state, point, color):
    """Whether a stone of ``color`` at ``point`` (there already or not) stands in a winning row."""
    return (
        wins_along(state, point, color, 1)
        | wins_along(state, point, color, STRIDE)
        | wins_along(state, point, color, STRIDE + 1)
        | wins_along(state, point, color, STRIDE - 1)
    )


@kernel(int64(State, int64, int64))
def exact_five(state, point, step):
    """Whether a black stone at ``point`` makes exactly five along ``step``."""
    n = run_length(state, point, step, BLACK) + run_length(state, point, -step, BLACK) + 1
    return int64(n == 5)


@kernel(int64(State, int64))
def makes_five(state, point):
    """Whether a black stone at ``point`` makes exactly five along any line."""
    return (
        exact_five(state, point, 1)
        | exact_five(state, point, STRIDE)
        | exact_five(state, point, STRIDE + 1)
        | exact_five(state, point, STRIDE - 1)
    )


@kernel(int64(State, int64, int64))
def count_fours(state, point, step):
    """How many fours of Black run through the black stone at ``point`` along ``step`` (0, 1 or 2).

    A four is one stone short of exactly five. A straight four has two such points and is one four;
    two gapped fours on one line (``X_XXX_X``) are two.
    """
    ahead = run_length(state, point, step, BLACK)
    back = run_length(state, point, -step, BLACK)
    front = point + (ahead + 1) * step
    rear = point - (back + 1) * step
    fours = 0
    if state.cells[front] == EMPTY:
        fours += exact_five(state, front, step)
    if state.cells[rear] == EMPTY:
        fours += exact_five(state, rear, step)
    if fours == 2 and ahead + back + 1 == 4:
        fours = 1
    return fours


@kernel(int64(State, int64, int64))
def straight_four(state, point, step):
    """Whether the black stone at ``point`` stands in a four that either end turns into exactly five."""
    ahead = run_length(state, point, step, BLACK)
    back = run_length(state, point, -step, BLACK)
    if ahead + back + 1 != 4:
        return 0
    front = point + (ahead + 1) * step
    rear = point - (back + 1) * step
    if state.cells[front] != EMPTY or state.cells[rear] != EMPTY:
        return 0
    return exact_five(state, front, step) * exact_five(state, rear, step)


@kernel(int64(State, int64))
def forbidden_kind(state, point):
    """Why the empty ``point`` is forbidden to Black in renju: NONE, OVERLINE, DOUBLE_FOUR or DOUBLE_THREE.

    A stone that makes exactly five is never forbidden. A three counts only if Black could really
    turn it into a straight four, that is, at a point that makes no five (RIF rules of renju, 3) and
    is not forbidden itself (9.3): hence the recursion. The board is unchanged when the kernel returns.
    """
    cells = state.cells
    overline = 0
    for direction in range(4):
        step = 1
        if direction == 1:
            step = STRIDE
        elif direction == 2:
            step = STRIDE + 1
        elif direction == 3:
            step = STRIDE - 1
        n = run_length(state, point, step, BLACK) + run_length(state, point, -step, BLACK) + 1
        if n == 5:
            return NONE
        if n > 5:
            overline = 1
    if overline:
        return OVERLINE
    cells[point] = BLACK
    fours = 0
    threes = 0
    for direction in range(4):
        step = 1
        if direction == 1:
            step = STRIDE
        elif direction == 2:
            step = STRIDE + 1
        elif direction == 3:
            step = STRIDE - 1
        found = count_fours(state, point, step)
        fours += found
        if found or fours > 1:
            continue
        for side in range(2):
            way = step if side == 0 else -step
            gap = point + (run_length(state, point, way, BLACK) + 1) * way
            if cells[gap] != EMPTY:
                continue
            cells[gap] = BLACK
            straight = straight_four(state, gap, step)
            cells[gap] = EMPTY
            if straight and not makes_five(state, gap):
                inner = forbidden_kind(state, gap)
                if inner == NONE:
                    threes += 1
                    break
    cells[point] = EMPTY
    if fours > 1:
        return DOUBLE_FOUR
    if threes > 1:
        return DOUBLE_THREE
    return NONE


@kernel(void(State, int64))
def push(state, point):
    """Place a stone of the side to move; sets ``result`` and ``reason`` when that ends the game."""
    color = state.side
    if state.rule == RENJU and color == BLACK and forbidden_kind(state, point) != NONE:
        state.result = WHITE_WINS
        state.reason = FORBIDDEN
    elif makes_line(state, point, color):
        state.result = color
        state.reason = LINE
    elif state.ply + 1 == state.size * state.size:
        state.result = DRAW
        state.reason = DRAW_FULL
    state.cells[uint64(point)] = color
    state.history[uint64(state.ply)] = point
    state.key ^= zobrist(point, color) ^ uint64(SIDE_KEY)
    state.ply += 1
    state.side = 3 - color


@kernel(void(State))
def pop(state):
    """Take back the last stone pushed."""
    state.ply -= 1
    color = 3 - state.side
    point = int64(state.history[uint64(state.ply)])
    state.cells[uint64(point)] = EMPTY
    state.key ^= zobrist(point, color) ^ uint64(SIDE_KEY)
    state.side = color
    state.result = UNDECIDED
    state.reason = 0


@kernel(void(State, Cells, int64, int64, int64, int64))
def load(state, board, size, win_length, rule, side):
    """Fill the record from ``board`` (int8 [size * size]) with ``side`` to move; the history is empty.

    The result is not looked for: ``reset`` semantics apply to ``result`` and ``reason``.
    """
    reset(state, size, win_length, rule)
    for cell in range(size * size):
        color = int64(board[cell])
        if color != EMPTY:
            point = to_point(cell, size)
            state.cells[point] = color
            state.key ^= zobrist(point, color)
            state.ply += 1
    if side == WHITE:
        state.key ^= uint64(SIDE_KEY)
    state.side = side


@kernel(int64(State, Ints))
def win_points(state, out):
    """Cells of all stones that stand in a winning line of their colour; returns how many are in ``out``."""
    n = 0
    for cell in range(state.size * state.size):
        point = to_point(cell, state.size)
        color = int64(state.cells[point])
        if color != EMPTY and makes_line(state, point, color):
            out[n] = cell
            n += 1
    return n


@kernel(void(State, Bytes))
def forbidden_map(state, out):
    """Kinds of all forbidden points into ``out`` (int8 [cells]): NONE everywhere outside renju."""
    for cell in range(state.size * state.size):
        out[cell] = NONE
        if state.rule == RENJU:
            point = to_point(cell, state.size)
            if state.cells[point] == EMPTY:
                out[cell] = forbidden_kind(state, point)


@kernel(int64(State, int64, Ints))
def perft(state, depth, nodes):
    """Count positions: adds to ``nodes[ply]`` for plies 1..depth; returns the finished games among them."""
    finished = 0
    size = state.size
    num_cells = size * size
    cursor = np.zeros(depth + 1, np.int64)
    level = 0
    while level >= 0:
        cell = cursor[level]
        if level == depth or state.result != UNDECIDED or cell == num_cells:
            level -= 1
            if level >= 0:
                pop(state)
            continue
        cursor[level] += 1
        point = to_point(cell, size)
        if state.cells[point] != EMPTY:
            continue
        push(state, point)
        nodes[level] += 1
        if state.result != UNDECIDED:
            finished += 1
        level += 1
        cursor[level] = 0
    return finished


@kernel(uint64(Lines))
def next_random(lines):
    """The next number of the generator in the record (xorshift64*, Vigna 2016)."""
    x = lines.rng
    x ^= x >> uint64(12)
    x ^= x << uint64(25)
    x ^= x >> uint64(27)
    lines.rng = x
    return uint64(x * uint64(0x2545F4914F6CDD1D))


@kernel(int64(uint32, uint32, int64, int64, int64))
def word_wins(own, enemy, win_length, rule, color):
    """Whether a bit line holds a winning row of ``color`` (bit i of the mask: a row starts at i)."""
    mask = own
    have = 1
    while have * 2 <= win_length:
        mask &= mask >> uint32(have)
        have *= 2
    if have < win_length:
        mask &= mask >> uint32(win_length - have)
    if rule == FREESTYLE or (rule == RENJU and color == WHITE):
        return int64(mask != uint32(0))
    if mask == uint32(0):
        return 0
    exact = mask & ~(own << uint32(1)) & ~(own >> uint32(win_length))
    if rule == STANDARD or rule == RENJU:
        return int64(exact != uint32(0))
    blocked = (enemy << uint32(1)) & (enemy >> uint32(win_length))
    if rule == CARO_OVERLINE:
        longer = mask & (own >> uint32(win_length))
        return int64((longer | (exact & ~blocked)) != uint32(0))
    return int64((exact & ~blocked) != uint32(0))


@kernel(int64(Lines, int64, int64))
def lines_place(lines, place, color):
    """Set a stone at ``place`` (row * 32 + column); whether it stands in a winning row."""
    row = uint64(place >> 5)
    col = uint64(place & 31)
    me = uint64(color - 1)
    foe = uint64(2 - color)
    diagonal = uint64(int64(row) - int64(col) + 31)
    anti = uint64(row + col)
    bit = uint32(1) << uint32(col)
    bits = lines.bits
    w0 = bits[me, uint64(0), row] | bit
    w1 = bits[me, uint64(1), col] | (uint32(1) << uint32(row))
    w2 = bits[me, uint64(2), diagonal] | bit
    w3 = bits[me, uint64(3), anti] | bit
    bits[me, uint64(0), row] = w0
    bits[me, uint64(1), col] = w1
    bits[me, uint64(2), diagonal] = w2
    bits[me, uint64(3), anti] = w3
    k = lines.win_length
    rule = lines.rule
    if rule == FREESTYLE and k == 5:
        m0 = w0 & (w0 >> uint32(1))
        m1 = w1 & (w1 >> uint32(1))
        m2 = w2 & (w2 >> uint32(1))
        m3 = w3 & (w3 >> uint32(1))
        m0 &= (m0 >> uint32(2)) & (w0 >> uint32(4))
        m1 &= (m1 >> uint32(2)) & (w1 >> uint32(4))
        m2 &= (m2 >> uint32(2)) & (w2 >> uint32(4))
        m3 &= (m3 >> uint32(2)) & (w3 >> uint32(4))
        return int64((m0 | m1 | m2 | m3) != uint32(0))
    won = word_wins(w0, bits[foe, uint64(0), row], k, rule, color)
    won |= word_wins(w1, bits[foe, uint64(1), col], k, rule, color)
    won |= word_wins(w2, bits[foe, uint64(2), diagonal], k, rule, color)
    won |= word_wins(w3, bits[foe, uint64(3), anti], k, rule, color)
    return won


@kernel(void(State, Lines))
def lines_from_state(state, lines):
    """Fill the bit lines and the list of empty cells from a board; the generator is left alone."""
    for color in range(2):
        for direction in range(4):
            for line in range(64):
                lines.bits[color, direction, line] = uint32(0)
    lines.size = state.size
    lines.win_length = state.win_length
    lines.rule = state.rule
    lines.num_free = 0
    for row in range(state.size):
        for col in range(state.size):
            color = int64(state.cells[(row + PAD) * STRIDE + col + PAD])
            place = row * 32 + col
            if color == EMPTY:
                lines.free[lines.num_free] = place
                lines.num_free += 1
            else:
                lines_place(lines, place, color)


@kernel(int64(Lines, int64))
def random_game(lines, side):
    """Play uniformly random moves until the game ends; the result (BLACK_WINS, WHITE_WINS or DRAW).

    Destroys the record. Not for renju, whose forbidden points bit lines do not know:
    see ``random_game_renju``.
    """
    free = lines.free
    n = uint64(lines.num_free)
    color = side
    x = lines.rng
    result = DRAW
    while n > uint64(0):
        x ^= x >> uint64(12)
        x ^= x << uint64(25)
        x ^= x >> uint64(27)
        r = uint64(x * uint64(0x2545F4914F6CDD1D))
        i = uint64(((r >> uint64(32)) * n) >> uint64(32))
        n -= uint64(1)
        place = int64(free[i])
        free[i] = free[n]
        if lines_place(lines, place, color):
            result = color
            break
        color = 3 - color
    lines.rng = x
    return result


@kernel(int64(State, Lines))
def random_game_renju(state, lines):
    """As ``random_game`` by the full rule book: Black avoids forbidden points while it can.

    ``state`` ends at the final position; ``lines.free`` holds the empty cells and is destroyed.
    """
    free = lines.free
    n = lines.num_free
    while state.result == UNDECIDED:
        left = n
        chosen = int64(-1)
        while left > 0:
            i = int64(((next_random(lines) >> uint64(32)) * uint64(left)) >> uint64(32))
            place = int64(free[i])
            point = ((place >> 5) + PAD) * STRIDE + (place & 31) + PAD
            left -= 1
            free[i] = free[left]
            free[left] = int32(place)
            if state.side == WHITE or forbidden_kind(state, point) == NONE:
                chosen = point
                n -= 1
                free[left] = free[n]
                break
        if chosen < 0:
            # Black has only forbidden points left, and loses by playing one.
            return WHITE_WINS
        push(state, chosen)
    return state.result


@kernel(void(Lines, Lines))
def copy_lines(source, target):
    """Copy the used part of a bit-line record; the target keeps its own generator."""
    n = source.size
    for color in range(2):
        for line in range(n):
            target.bits[color, 0, line] = source.bits[color, 0, line]
            target.bits[color, 1, line] = source.bits[color, 1, line]
        for line in range(32 - n, 31 + n):
            target.bits[color, 2, line] = source.bits[color, 2, line]
        for line in range(2 * n - 1):
            target.bits[color, 3, line] = source.bits[color, 3, line]
    for i in range(source.num_free):
        target.free[i] = source.free[i]
    target.num_free = source.num_free
    target.size = n
    target.win_length = source.win_length
    target.rule = source.rule


@kernel(void(State, Lines, Lines, int64, Ints))
def random_games(state, root, work, games, counts):
    """Play ``games`` random games from the board; adds to ``counts[result]`` (int64 [4]).

    ``root`` and ``work`` are scratch; ``work.rng`` is the generator (must not be 0). The board is
    unchanged afterwards.
    """
    lines_from_state(state, root)
    start = state.ply
    for _ in range(games):
        copy_lines(root, work)
        if state.rule == RENJU:
            result = random_game_renju(state, work)
            while state.ply > start:
                pop(state)
        else:
            result = random_game(work, state.side)
        counts[result] += 1


@kernel(int64(State, int64, uint64))
def walk(state, games, seed):
    """Play and take back ``games`` random games by the rules alone; the number of stones placed.

    The benchmark of the rule book: each stone is pushed once and popped once.
    """
    x = seed
    stones = 0
    size = state.size
    start = state.ply
    for _ in range(games):
        while state.result == UNDECIDED:
            x ^= x >> uint64(12)
            x ^= x << uint64(25)
            x ^= x >> uint64(27)
            r = uint64(x * uint64(0x2545F4914F6CDD1D)) >> uint64(32)
            cell = int64((r * uint64(size * size)) >> uint64(32))
            point = to_point(cell, size)
            while state.cells[point] != EMPTY:
                cell = cell + 1 if cell + 1 < size * size else 0
                point = to_point(cell, size)
            push(state, point)
            stones += 1
        while state.ply > start:
            pop(state)
    return stones
