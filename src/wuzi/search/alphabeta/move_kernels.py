"""Moves of the engine: making them, finding candidates and replies, and their order."""

from __future__ import annotations

from numba import from_dtype, int64, uint64, void

from wuzi.core.classes import OPEN_FOUR
from wuzi.core.jit import kernel
from wuzi.core.kernels import State, line_step
from wuzi.core.layout import EMPTY, GRID, PAD, STRIDE, WALL
from wuzi.evaluation.codebook_kernels import Codebook, Sums, net_policy, sums_pop
from wuzi.search.layout import ALPHABETA, COUNTER_BONUS, HISTORY_ORDER, MAX_MOVES
from wuzi.tactics.kernels import Patterns, Tables, pattern_pop, pattern_push
from wuzi.tactics.vcf_kernels import is_four_move

AlphaBeta = from_dtype(ALPHABETA)
FIRST = 1 << 28
FORCED = 1 << 20
ANY, BUSY, IDLE = 0, 1, 2


@kernel(void(State, AlphaBeta))
def near_from_state(state, work):
    """Count the stones at most two away (in rows and columns) of every point."""
    for point in range(GRID):
        work.near[point] = 0
    for row in range(state.size):
        for col in range(state.size):
            point = (row + PAD) * STRIDE + col + PAD
            if state.cells[point] != EMPTY:
                for dy in range(-2, 3):
                    for dx in range(-2, 3):
                        work.near[point + dy * STRIDE + dx] += 1


@kernel(void(State, Patterns, Tables, AlphaBeta, Sums, int64, int64))
def engine_push(state, patterns, tables, work, sums, point, level):
    """Place a stone of the side to move on board, patterns and neighbour counts; the net's sums wait."""
    for dy in range(-2, 3):
        base = uint64(point + dy * STRIDE - 2)
        for dx in range(5):
            work.near[base + uint64(dx)] += 1
    sums.made[level + 1] = 0
    pattern_push(state, patterns, tables, point)


@kernel(void(State, Patterns, Tables, AlphaBeta, Sums, int64))
def engine_pop(state, patterns, tables, work, sums, level):
    """Take back the last stone, placed at ``level``."""
    pattern_pop(state, patterns, tables)
    point = int64(state.history[uint64(state.ply)])
    if sums.made[level + 1] != 0:
        sums_pop(state, patterns, sums, point, level)
    for dy in range(-2, 3):
        base = uint64(point + dy * STRIDE - 2)
        for dx in range(5):
            work.near[base + uint64(dx)] -= 1


@kernel(int64(State, Patterns, AlphaBeta, int64, int64))
def defence_moves(state, patterns, work, level, least):
    """Replies to threats of class ``least`` or better: on their lines, or a four of one's own. How many.

    Too many rather than too few: a reply that does not help loses at once one ply on.
    """
    side = state.side
    enemy = uint64(2 - side)
    useful = work.useful
    for row in range(state.size):
        base = (row + PAD) * STRIDE + PAD
        for col in range(state.size):
            point = base + col
            if state.cells[uint64(point)] != EMPTY or patterns.classes[enemy, uint64(point)] < least:
                continue
            useful[uint64(point)] = 1
            for direction in range(4):
                step = line_step(direction)
                for way in range(2):
                    delta = step if way == 0 else -step
                    q = point
                    for _ in range(4):
                        q += delta
                        content = state.cells[uint64(q)]
                        if content == side or content == WALL:
                            break
                        useful[uint64(q)] = 1
    n = 0
    for row in range(state.size):
        base = (row + PAD) * STRIDE + PAD
        for col in range(state.size):
            point = base + col
            u = uint64(point)
            marked = useful[u]
            useful[u] = 0
            if state.cells[u] == EMPTY and (marked or is_four_move(state, patterns, point)) and n < MAX_MOVES:
                work.moves[level, n] = point
                n += 1
    return n


@kernel(int64(State, Patterns, AlphaBeta, int64, int64))
def quiet_moves(state, patterns, work, level, which):
    """Candidates into ``work.moves[level]``. How many.

    ``which`` is BUSY for cells of use to a side, IDLE for the others near a stone, ANY for both.
    """
    n = 0
    for row in range(state.size):
        base = (row + PAD) * STRIDE + PAD
        for col in range(state.size):
            u = uint64(base + col)
            if state.cells[u] != EMPTY:
                continue
            busy = patterns.classes[uint64(0), u] > 1 or patterns.classes[uint64(1), u] > 1
            wanted = which != IDLE if busy else which != BUSY and work.near[u] > 0
            if wanted and n < MAX_MOVES:
                work.moves[level, n] = int64(u)
                n += 1
    return n


@kernel(int64(int64, int64))
def rank(score, point):
    """One number to order candidates by: by score, then by the lower point."""
    return score * 4096 + (4095 - point)


@kernel(void(State, Patterns, Codebook, Sums, AlphaBeta, int64, int64, int64))
def score_moves(state, patterns, net, sums, work, level, n, first):
    """Order the candidates: the table's move, then the net's policy with counter move and history."""
    own = uint64(state.side - 1)
    foe = uint64(2 - state.side)
    last = int64(state.history[uint64(state.ply - 1)]) if state.ply > 0 else 0
    counter = int64(work.counter[own, uint64(last)])
    top = int64(-FIRST)
    for i in range(n):
        point = int64(work.moves[level, i])
        u = uint64(point)
        score = net_policy(state, patterns, net, sums, point)
        kind = int64(patterns.classes[own, u])
        other = int64(patterns.classes[foe, u])
        if kind >= OPEN_FOUR or other > OPEN_FOUR:
            # Fives and open fours are never a matter of policy: it was not fitted where there are any.
            score += FORCED * (kind + other)
        score += (int64(work.history[own, u]) * int64(work.params[HISTORY_ORDER])) >> 8
        if point == counter:
            score += int64(work.params[COUNTER_BONUS])
        top = max(top, score)
        if point == first:
            score += FIRST
        work.ranks[level, i] = rank(score, point)
    work.top[level] = top


@kernel(int64(AlphaBeta, int64, int64, int64))
def pick_move(work, level, i, n):
    """Bring the best of candidates i.. to place i; ties go to the lower point."""
    ranks = work.ranks[level]
    best = i
    top = ranks[i]
    for j in range(i + 1, n):
        if ranks[j] > top:
            top = ranks[j]
            best = j
    move = work.moves[level, best]
    work.moves[level, best] = work.moves[level, i]
    work.moves[level, i] = move
    ranks[best] = ranks[i]
    ranks[i] = top
    return int64(move)
