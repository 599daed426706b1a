"""The rule book as compiled kernels: placing and taking back stones, wins, forbidden points.

They trust that a point (see :mod:`wuzi.core.layout`) is on the board and empty; ``Position`` checks it.
"""

from __future__ import annotations

from numba import from_dtype, int8, int64, types, uint64, void

from wuzi.core.jit import kernel
from wuzi.core.layout import (
    BLACK,
    BY_FORBIDDEN_POINT,
    BY_FULL_BOARD,
    BY_LINE,
    DRAW,
    EMPTY,
    GRID,
    MAX_NODES,
    NODES,
    PAD,
    STATE,
    STOP,
    STRIDE,
    UNDECIDED,
    WALL,
    WHITE,
    WHITE_WINS,
)
from wuzi.core.rules import Rule

State = from_dtype(STATE)
Cells = types.Array(int8, 1, "C", readonly=True)
Bytes = types.Array(int8, 1, "C")
Ints = types.Array(int64, 1, "C")

NONE, OVERLINE, DOUBLE_FOUR, DOUBLE_THREE = 0, 1, 2, 3
_EXACT_BLACK = sum(1 << rule for rule in Rule if rule.is_exact(BLACK))
_EXACT_WHITE = sum(1 << rule for rule in Rule if rule.is_exact(WHITE))
_BLOCKABLE = sum(1 << rule for rule in Rule if rule.blockable)
_FORBIDS = sum(1 << rule for rule in Rule if rule.forbids)
"""Bit ``rule`` says whether the rule of that number has the property."""

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


@kernel(uint64(uint64))
def xorshift(x):
    """The next state of a generator, which is never 0 (xorshift64*, Vigna 2016)."""
    x ^= x >> uint64(12)
    x ^= x << uint64(25)
    x ^= x >> uint64(27)
    return x


@kernel(int64(uint64, int64))
def number_below(x, n):
    """A number from 0 to ``n`` - 1, at most 2 ** 31, from the state of a generator."""
    high = uint64(x * uint64(0x2545F4914F6CDD1D)) >> uint64(32)
    return int64((high * uint64(n)) >> uint64(32))


@kernel(int64(Ints), inline=True)
def count_node(ctl):
    """Count a position in ``ctl``, and ask for a stop where that reaches its limit; the stop request."""
    ctl[NODES] += 1
    if ctl[MAX_NODES] > 0 and ctl[NODES] >= ctl[MAX_NODES]:
        ctl[STOP] = 1
    return ctl[STOP]


@kernel(int64(int64), inline=True)
def line_step(direction):
    """Grid step of a line direction, 0 to 3: along the row, down the column, both diagonals."""
    step = 1
    if direction == 1:
        step = STRIDE
    elif direction == 2:
        step = STRIDE + 1
    elif direction == 3:
        step = STRIDE - 1
    return step


@kernel(int64(int64, int64))
def to_point(cell, size):
    """Grid point of a cell."""
    return (cell // size + PAD) * STRIDE + cell % size + PAD


@kernel(int64(int64, int64))
def to_cell(point, size):
    """Cell of a grid point."""
    return (point // STRIDE - PAD) * size + point % STRIDE - PAD


@kernel(int64(State, int64))
def empty_at(state, cell):
    """The point of a cell, or of the first empty one after it."""
    point = to_point(cell, state.size)
    while state.cells[point] != EMPTY:
        cell = cell + 1 if cell + 1 < state.size * state.size else 0
        point = to_point(cell, state.size)
    return point


@kernel(void(State, int64))
def set_rule(state, rule):
    """Put a rule and its properties into the record."""
    state.rule = rule
    state.exact = ((_EXACT_BLACK >> rule) & 1) | (((_EXACT_WHITE >> rule) & 1) << 1)
    state.blockable = (_BLOCKABLE >> rule) & 1
    state.forbids = (_FORBIDS >> rule) & 1


@kernel(void(State, State))
def take_rule(state, source):
    """Put the rule of another record into this one."""
    state.rule = source.rule
    state.exact = source.exact
    state.blockable = source.blockable
    state.forbids = source.forbids


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
    set_rule(state, rule)
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
    after = run_length(state, point, step, color)
    before = run_length(state, point, -step, color)
    n = before + after + 1
    if n < k:
        return 0
    if n > k:
        return int64(state.exact & color == 0)
    if state.blockable == 0:
        return 1
    opponent = 3 - color
    blocked = (
        state.cells[uint64(point + (after + 1) * step)] == opponent
        and state.cells[uint64(point - (before + 1) * step)] == opponent
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


@kernel(int64(State, int64, int64), inline=True)
def straight_four_gap(state, point, way):
    """The point, towards ``way``, that makes a straight four of a black three through ``point``; 0 for none.

    A point that makes five is none, since a three is what can become a straight four without a five.
    """
    cells = state.cells
    gap = point + (run_length(state, point, way, BLACK) + 1) * way
    found = int64(0)
    if cells[gap] == EMPTY:
        cells[gap] = BLACK
        straight = straight_four(state, gap, way)
        cells[gap] = EMPTY
        if straight and not makes_five(state, gap):
            found = gap
    return found


@kernel(int64(State, int64))
def forbidden_kind(state, point):
    """Why the empty ``point`` is forbidden to Black in renju: NONE, OVERLINE, DOUBLE_FOUR or DOUBLE_THREE.

    A stone that makes exactly five is never forbidden. A three counts only if Black could really
    turn it into a straight four, that is, at a point that makes no five (RIF rules of renju, 3) and
    is not forbidden itself (9.3): hence the recursion. The board is unchanged when the kernel returns.

    Only the points that can still decide are looked into. A double three needs two lines with a three, so
    nothing is asked while there are fewer, nor after the lines left cannot make up two. That changes no
    answer, and without it the recursion visits every chain of such points, of which a board of 26 rows
    can hold billions. What is left is small: a point below the first has a four on the line it was reached
    by, so at most three lines and six points are asked of it, and a chain ends where no two of the three have
    a three. A table of answers would not help: on the worst boards no point is asked twice with the same
    stones put up. The tests count the points that are visited there.
    """
    cells = state.cells
    overline = 0
    for direction in range(4):
        step = line_step(direction)
        n = run_length(state, point, step, BLACK) + run_length(state, point, -step, BLACK) + 1
        if n == 5:
            return NONE
        if n > 5:
            overline = 1
    if overline:
        return OVERLINE
    cells[point] = BLACK
    fours = 0
    lines = 0
    for direction in range(4):
        step = line_step(direction)
        found = count_fours(state, point, step)
        fours += found
        if fours > 1:
            break
        if not found and (
            straight_four_gap(state, point, step) != 0 or straight_four_gap(state, point, -step) != 0
        ):
            lines += 1
    kind = NONE
    if fours > 1:
        kind = DOUBLE_FOUR
    elif lines > 1:
        threes = 0
        for direction in range(4):
            if threes > 1 or threes + lines < 2:
                break
            step = line_step(direction)
            if count_fours(state, point, step):
                continue
            asked = 0
            real = 0
            for side in range(2):
                gap = straight_four_gap(state, point, step if side == 0 else -step)
                if gap != 0 and not real:
                    asked = 1
                    real = int64(forbidden_kind(state, gap) == NONE)
            lines -= asked
            threes += real
        if threes > 1:
            kind = DOUBLE_THREE
    cells[point] = EMPTY
    return kind


@kernel(void(State, int64))
def push(state, point):
    """Place a stone of the side to move; sets ``result`` and ``reason`` when that ends the game."""
    color = state.side
    if state.forbids == 1 and color == BLACK and forbidden_kind(state, point) != NONE:
        state.result = WHITE_WINS
        state.reason = BY_FORBIDDEN_POINT
    elif makes_line(state, point, color):
        state.result = color
        state.reason = BY_LINE
    elif state.ply + 1 == state.size * state.size:
        state.result = DRAW
        state.reason = BY_FULL_BOARD
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


@kernel(void(State, Bytes))
def forbidden_map(state, out):
    """Kinds of all forbidden points into ``out`` (int8 [cells]): NONE everywhere under rules without them."""
    for cell in range(state.size * state.size):
        point = to_point(cell, state.size)
        out[cell] = NONE
        if state.forbids == 1 and state.cells[point] == EMPTY:
            out[cell] = forbidden_kind(state, point)


@kernel(int64(State, int64, Ints))
def perft(state, depth, nodes):
    """Count positions: adds to ``nodes[ply]`` for plies 1..depth; returns the finished games among them."""
    finished = 0
    level = 0
    cell = int64(0)
    while True:
        if level == depth or state.result != UNDECIDED or cell == state.size * state.size:
            if level == 0:
                return finished
            last = int64(state.history[state.ply - 1])
            pop(state)
            level -= 1
            cell = to_cell(last, state.size) + 1
            continue
        point = to_point(cell, state.size)
        cell += 1
        if state.cells[point] != EMPTY:
            continue
        push(state, point)
        nodes[level] += 1
        finished += int64(state.result != UNDECIDED)
        level += 1
        cell = int64(0)


@kernel(int64(State, int64, uint64))
def walk(state, games, seed):
    """Play and take back ``games`` random games by the rules alone; the number of stones placed.

    The benchmark of the rule book: each stone is pushed once and popped once.
    """
    x = seed
    stones = 0
    start = state.ply
    for _ in range(games):
        while state.result == UNDECIDED:
            x = xorshift(x)
            push(state, empty_at(state, number_below(x, state.size * state.size)))
            stones += 1
        while state.ply > start:
            pop(state)
    return stones
