"""Moves of the engine: its memory, making moves, finding candidates and replies, and their order."""

from __future__ import annotations

from collections import namedtuple

from numba import from_dtype, int64, types, uint64, void

from wuzi.core.classes import FOUR_THREE, LINE_FOUR, LINE_OPEN_THREE, OPEN_FOUR
from wuzi.core.jit import kernel
from wuzi.core.layout import EMPTY, PAD, STRIDE, WALL
from wuzi.core.rule_kernels import Ints, State, line_step, to_point
from wuzi.evaluation.codebook_kernels import Accumulator, Codebook, accumulator_pop, net_policy
from wuzi.search.alphabeta.table_kernels import Table
from wuzi.search.layout import ALPHABETA, MAX_MOVES, PARAMETERS_RECORD, SEARCH_NODE
from wuzi.tactics.kernels import Patterns, Tables, pattern_pop, pattern_push
from wuzi.tactics.vcf_kernels import Entries, Vcf, is_four_move

AlphaBeta = from_dtype(ALPHABETA)
Parameters = from_dtype(PARAMETERS_RECORD)
Node = from_dtype(SEARCH_NODE)
Stack = types.Array(Node, 2, "C")

EngineRecords = namedtuple("EngineRecords", "state patterns tables work params net accumulator vcf")
"""The records of one thread of the engine; ``work`` and ``params`` are described in
:mod:`wuzi.search.layout`."""

EngineArrays = namedtuple("EngineArrays", "entries table ctl vcf_ctl stack")
"""The arrays of one thread of the engine, apart from its records because arrays are reference-counted.

``entries`` and ``vcf_ctl`` (int64 [8]) belong to the search for wins by fours, ``table`` is the
transposition table, which threads share, ``ctl`` has the control words. ``stack`` has a node for every
level, in two rows: a singular search has its nodes in the second, as it is at the level of the node that
asked for it.
"""

Engine = types.BaseTuple.from_types(
    (State, Patterns, Tables, AlphaBeta, Parameters, Codebook, Accumulator, Vcf), EngineRecords
)
Arrays = types.BaseTuple.from_types((Entries, Table, Ints, Ints, Stack), EngineArrays)

FIRST = 1 << 28
FORCED = 1 << 20
ANY, BUSY, IDLE = 0, 1, 2


@kernel(void(AlphaBeta, int64, int64))
def count_near(work, point, change):
    """Add ``change`` to the neighbour counts around a point."""
    for dy in range(-2, 3):
        base = uint64(point + dy * STRIDE - 2)
        for dx in range(5):
            work.near[base + uint64(dx)] += change


@kernel(void(State, AlphaBeta))
def near_from_state(state, work):
    """Count the stones at most two away (in rows and columns) of every point."""
    work.near[:] = 0
    for cell in range(state.size * state.size):
        point = to_point(cell, state.size)
        if state.cells[point] != EMPTY:
            count_near(work, point, 1)


@kernel(void(Engine, int64, int64))
def engine_push(engine, point, level):
    """Place a stone of the side to move on board, patterns and neighbour counts; the accumulator waits."""
    count_near(engine.work, point, 1)
    engine.accumulator.made[level + 1] = 0
    pattern_push(engine.state, engine.patterns, engine.tables, point)


@kernel(void(Engine, int64))
def engine_pop(engine, level):
    """Take back the last stone, placed at ``level``."""
    pattern_pop(engine.state, engine.patterns, engine.tables)
    point = int64(engine.state.history[uint64(engine.state.ply)])
    if engine.accumulator.made[level + 1] != 0:
        accumulator_pop(engine.state, engine.patterns, engine.accumulator, point, level)
    count_near(engine.work, point, -1)


@kernel(int64(State, Patterns, AlphaBeta, int64, int64))
def defence_moves(state, patterns, work, level, least):
    """Replies to threats of class ``least`` or better, or a four of one's own. How many.

    A reply to open fours lies on the lines of every cell that makes one: all others lose at once.
    A reply to a four-three lies on one of the lines that make it. Where nothing stops all open fours, one
    reply stands for all.
    """
    side = state.side
    opponent = uint64(2 - side)
    marks = work.marks
    needed = LINE_FOUR if least == OPEN_FOUR else LINE_OPEN_THREE
    threats = 0
    for row in range(state.size):
        base = (row + PAD) * STRIDE + PAD
        for col in range(state.size):
            point = base + col
            if state.cells[uint64(point)] != EMPTY or patterns.classes[opponent, uint64(point)] < least:
                continue
            threats += 1
            marks[uint64(point)] += 1
            for direction in range(4):
                if (int64(patterns.codes[opponent, uint64(point)]) >> (4 * direction)) & 15 < needed:
                    continue
                step = line_step(direction)
                for way in range(2):
                    delta = step if way == 0 else -step
                    q = point
                    for _ in range(4):
                        q += delta
                        content = state.cells[uint64(q)]
                        if content == side or content == WALL:
                            break
                        marks[uint64(q)] += 1
    enough = threats if least == OPEN_FOUR else 1
    n = 0
    first = int64(0)
    for row in range(state.size):
        base = (row + PAD) * STRIDE + PAD
        for col in range(state.size):
            point = base + col
            u = uint64(point)
            hits = marks[u]
            marks[u] = 0
            if state.cells[u] != EMPTY:
                continue
            if hits > 0 and first == 0:
                first = int64(point)
            if (hits >= enough or is_four_move(state, patterns, point)) and n < MAX_MOVES:
                work.moves[level, n] = point
                n += 1
    if n == 0:
        work.moves[level, 0] = first
        n = 1
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


@kernel(int64(State, AlphaBeta, int64))
def any_moves(state, work, level):
    """Candidates of a board without any: the centre if it is empty, else every empty cell. How many."""
    n = 0
    middle = state.size // 2 * (state.size + 1)
    for cell in range(state.size * state.size):
        point = to_point(cell, state.size)
        if state.cells[point] == EMPTY and n < MAX_MOVES and (state.ply > 0 or cell == middle):
            work.moves[level, n] = point
            work.ranks[level, n] = rank(0, point)
            n += 1
    return n


@kernel(void(Engine, int64, int64, int64))
def score_moves(engine, level, n, first):
    """Order ``n`` candidates: the table's move ``first``, then the policy with counter move and history."""
    state, patterns, work, params = engine.state, engine.patterns, engine.work, engine.params
    own, opponent = uint64(state.side - 1), uint64(2 - state.side)
    last = int64(state.history[uint64(state.ply - 1)]) if state.ply > 0 else 0
    counter = int64(work.counter[own, uint64(last)])
    best = int64(-FIRST)
    for i in range(n):
        point = int64(work.moves[level, i])
        u = uint64(point)
        score = net_policy(state, patterns, engine.net, engine.accumulator, point)
        own_class, opponent_class = int64(patterns.classes[own, u]), int64(patterns.classes[opponent, u])
        if own_class >= OPEN_FOUR or opponent_class > OPEN_FOUR:
            # Fives and open fours are never a matter of policy: it was not fitted where there are any.
            score += FORCED * (own_class + opponent_class)
        score += (int64(work.history[own, u]) * params.history_order) >> 8
        if point == counter:
            score += params.counter_bonus
        best = max(best, score)
        if point == first:
            score += FIRST
        work.ranks[level, i] = rank(score, point)
    work.best_rank[level] = best


@kernel(int64(Engine, int64, int64, int64))
def candidates(engine, level, first, which):
    """The moves of a node without a five to stop, scored; only replies to a threat. How many."""
    state, patterns, work = engine.state, engine.patterns, engine.work
    opponent = 2 - state.side
    n = 0
    if level > 0 and which != IDLE:
        if patterns.counts[opponent, OPEN_FOUR] > 0:
            n = defence_moves(state, patterns, work, level, int64(OPEN_FOUR))
        elif patterns.counts[opponent, FOUR_THREE] > 0 and (state.forbids == 0 or opponent == 1):
            n = defence_moves(state, patterns, work, level, int64(FOUR_THREE))
    if n == 0:
        n = quiet_moves(state, patterns, work, level, which)
    if n == 0 and which == BUSY:
        n = quiet_moves(state, patterns, work, level, int64(ANY))
    open_to_play = n
    if level == 0:
        for i in range(n):
            open_to_play -= work.root_excluded[work.moves[level, i]]
    if open_to_play == 0 and which != IDLE:
        return any_moves(state, work, level)
    score_moves(engine, level, n, first)
    return n


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
    work.moves[level, best], work.moves[level, i] = work.moves[level, i], move
    ranks[best], ranks[i] = ranks[i], top
    return int64(move)
