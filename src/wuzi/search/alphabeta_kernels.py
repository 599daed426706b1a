"""The engine: principal variation search over cell classes, with threat search at its leaves."""

from __future__ import annotations

import math

from numba import from_dtype, int64, types, uint64, void

from wuzi.core.jit import kernel
from wuzi.core.kernels import State, forbidden_kind
from wuzi.core.layout import BLACK, DRAW, EMPTY, GRID, PAD, STRIDE, UNDECIDED, WALL
from wuzi.search.layout import ALPHABETA, DEEPEST, MAX_LEVEL, MAX_MOVES, MAX_NODES, NODES, STOP
from wuzi.tactics.kernels import Patterns, Tables, pattern_pop, pattern_push
from wuzi.tactics.vcf_kernels import Entries, Vcf, find_five, is_four_move, vcf_deepen

AlphaBeta = from_dtype(ALPHABETA)
Ints = types.Array(int64, 1, "C")
Table = types.Array(uint64, 2, "C")

RENJU = 4
FORBIDDEN, CLOSED_THREE, THREE, DOUBLE_THREE, FOUR, FOUR_THREE, OPEN_FOUR, FIVE = 1, 3, 6, 8, 9, 11, 12, 13
MATE = 1_000_000
MATE_BOUND = 990_000
EVAL_BOUND = 900_000
LOWER, UPPER, EXACT = 1, 2, 3
VCF_WIN = 1


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


@kernel(void(State, Patterns, Tables, AlphaBeta, int64))
def engine_push(state, patterns, tables, work, point):
    """Place a stone of the side to move on board, patterns and neighbour counts."""
    for dy in range(-2, 3):
        base = uint64(point + dy * STRIDE - 2)
        for dx in range(5):
            work.near[base + uint64(dx)] += 1
    pattern_push(state, patterns, tables, point)


@kernel(void(State, Patterns, Tables, AlphaBeta))
def engine_pop(state, patterns, tables, work):
    """Take back the last stone."""
    pattern_pop(state, patterns, tables)
    point = int64(state.history[uint64(state.ply)])
    for dy in range(-2, 3):
        base = uint64(point + dy * STRIDE - 2)
        for dx in range(5):
            work.near[base + uint64(dx)] -= 1


@kernel(int64(State, Patterns, AlphaBeta))
def static_value(state, patterns, work):
    """Evaluation for the side to move: the sum of its cell values and the tempo."""
    value = patterns.sums[uint64(state.side - 1)] + work.tempo
    if value > EVAL_BOUND:
        return EVAL_BOUND
    if value < -EVAL_BOUND:
        return -EVAL_BOUND
    return value


@kernel(uint64(int64, int64, int64, int64, int64, int64))
def pack(value, static, depth, bound, move, age):
    """A table entry in one word: value 21 bits, evaluation / 16 17, depth 7, bound 2, move 11, age 6."""
    return (
        (uint64(value + 1_048_576) << uint64(43))
        | (uint64((static >> 4) + 65_536) << uint64(26))
        | (uint64(depth + 8) << uint64(19))
        | (uint64(bound) << uint64(17))
        | (uint64(move) << uint64(6))
        | uint64(age & 63)
    )


@kernel(int64(uint64))
def packed_value(data):
    """The value of a packed entry."""
    return int64(data >> uint64(43)) - 1_048_576


@kernel(int64(uint64))
def packed_static(data):
    """The evaluation of a packed entry, rounded down to a multiple of 16."""
    return (int64((data >> uint64(26)) & uint64(131_071)) - 65_536) * 16


@kernel(int64(uint64))
def packed_depth(data):
    """The depth of a packed entry."""
    return int64((data >> uint64(19)) & uint64(127)) - 8


@kernel(int64(uint64))
def packed_bound(data):
    """The bound of a packed entry: LOWER, UPPER or EXACT."""
    return int64((data >> uint64(17)) & uint64(3))


@kernel(int64(uint64))
def packed_move(data):
    """The move of a packed entry, a point; 0 for none."""
    return int64((data >> uint64(6)) & uint64(2047))


@kernel(uint64(Table, uint64))
def table_probe(table, key):
    """The data stored for a key, 0 for none. Entries store key XOR data, so a torn one is not found."""
    slot = uint64((key * uint64(0xD6E8FEB86659FD93)) >> uint64(17)) & uint64(table.shape[0] - 2)
    for i in range(2):
        data = table[slot + uint64(i), uint64(1)]
        if data != uint64(0) and (table[slot + uint64(i), uint64(0)] ^ data) == key:
            return data
    return uint64(0)


@kernel(void(Table, uint64, uint64, int64))
def table_store(table, key, data, age):
    """Store data: the first entry of a bucket keeps the deeper search, the second the latest."""
    slot = uint64((key * uint64(0xD6E8FEB86659FD93)) >> uint64(17)) & uint64(table.shape[0] - 2)
    first = table[slot, uint64(1)]
    same = (table[slot, uint64(0)] ^ first) == key
    stale = int64(first & uint64(63)) != (age & 63)
    if first == uint64(0) or same or stale or packed_depth(data) >= packed_depth(first):
        if not same and first != uint64(0):
            table[slot + uint64(1), uint64(0)] = table[slot, uint64(0)]
            table[slot + uint64(1), uint64(1)] = first
        table[slot, uint64(0)] = key ^ data
        table[slot, uint64(1)] = data
    else:
        table[slot + uint64(1), uint64(0)] = key ^ data
        table[slot + uint64(1), uint64(1)] = data


@kernel(int64(State, Patterns, AlphaBeta, int64))
def defence_moves(state, patterns, work, level):
    """Replies to an open-four threat: on its lines, or a four of one's own. How many.

    Too many rather than too few: a reply that does not help loses at once one ply on.
    """
    side = state.side
    foe = 3 - side
    n = 0
    for row in range(state.size):
        for col in range(state.size):
            point = (row + PAD) * STRIDE + col + PAD
            if state.cells[point] != EMPTY:
                continue
            useful = is_four_move(state, patterns, point)
            if not useful:
                if patterns.classes[foe - 1, point] >= OPEN_FOUR:
                    useful = 1
                else:
                    for direction in range(4):
                        step = 1
                        if direction == 1:
                            step = STRIDE
                        elif direction == 2:
                            step = STRIDE + 1
                        elif direction == 3:
                            step = STRIDE - 1
                        for way in range(2):
                            delta = step if way == 0 else -step
                            q = point
                            for _ in range(4):
                                q += delta
                                content = state.cells[q]
                                if content == side or content == WALL:
                                    break
                                if content == EMPTY and patterns.classes[foe - 1, q] >= OPEN_FOUR:
                                    useful = 1
            if useful and n < MAX_MOVES:
                work.moves[level, n] = point
                n += 1
    return n


@kernel(int64(State, Patterns, AlphaBeta, int64))
def quiet_moves(state, patterns, work, level):
    """All candidates into ``work.moves[level]``: near a stone, or of use to a side. How many."""
    n = 0
    for row in range(state.size):
        base = (row + PAD) * STRIDE + PAD
        for col in range(state.size):
            u = uint64(base + col)
            if state.cells[u] != EMPTY:
                continue
            own = patterns.classes[uint64(0), u]
            other = patterns.classes[uint64(1), u]
            if (work.near[u] > 0 or own > 1 or other > 1) and n < MAX_MOVES:
                work.moves[level, n] = int64(u)
                n += 1
    return n


@kernel(void(State, Patterns, AlphaBeta, int64, int64, int64))
def score_moves(state, patterns, work, level, n, first):
    """Order the candidates: the table's move, then classes of both sides, counter move and history."""
    side = state.side
    own = uint64(side - 1)
    foe = uint64(2 - side)
    last = int64(state.history[state.ply - 1]) if state.ply > 0 else 0
    counter = int64(work.counter[own, uint64(last)])
    centre = (state.size - 1) * 16 + PAD * 32
    for i in range(n):
        point = int64(work.moves[level, i])
        u = uint64(point)
        score = int64(work.attack[uint64(patterns.classes[own, u])])
        score += int64(work.defence[uint64(patterns.classes[foe, u])])
        score += int64(work.history[own, u]) >> 4
        if point == counter:
            score += 60
        if last > 0:
            dy = abs(point // STRIDE - last // STRIDE)
            dx = abs(point % STRIDE - last % STRIDE)
            if dy <= 4 and dx <= 4 and (dx == dy or dx == 0 or dy == 0):
                score += 20
        rows = abs(point // STRIDE * 32 - centre) + abs(point % STRIDE * 32 - centre)
        score = score * 64 - (rows >> 5)
        if point == first:
            score += 1 << 28
        work.scores[level, i] = score


@kernel(int64(AlphaBeta, int64, int64, int64))
def pick_move(work, level, i, n):
    """Bring the best of candidates i.. to place i; ties go to the lower point."""
    best = i
    for j in range(i + 1, n):
        if work.scores[level, j] > work.scores[level, best]:
            best = j
        elif work.scores[level, j] == work.scores[level, best]:
            if work.moves[level, j] < work.moves[level, best]:
                best = j
    move = work.moves[level, best]
    score = work.scores[level, best]
    work.moves[level, best] = work.moves[level, i]
    work.scores[level, best] = work.scores[level, i]
    work.moves[level, i] = move
    work.scores[level, i] = score
    return int64(move)


@kernel(int64(State, Patterns, Tables, Vcf, Entries, Ints, int64))
def leaf_vcf(state, patterns, tables, vcf, entries, vctl, nodes):
    """Plies to a win by fours of the side to move, found within ``nodes`` positions; 0 for none."""
    counts = patterns.counts
    own = state.side - 1
    fours = counts[own, FOUR] + counts[own, FOUR + 1] + counts[own, FOUR_THREE]
    if fours == 0 and (state.rule != RENJU or counts[own, FORBIDDEN] == 0):
        return 0
    vctl[0] = 0
    vctl[1] = 0
    vctl[2] = nodes
    if vcf_deepen(state, patterns, tables, vcf, entries, vctl, 16) == VCF_WIN:
        return vcf.distance
    return 0


@kernel(
    int64(
        State, Patterns, Tables, AlphaBeta, Vcf, Entries, Table, Ints, Ints, int64, int64, int64, int64, int64
    )
)
def engine_search(
    state, patterns, tables, work, vcf, entries, table, ctl, vctl, alpha, beta, depth, level, cut
):
    """Value of the board for the side to move within (alpha, beta), fail-soft.

    ``cut`` is 1 where a cut-off is expected. A stop makes the value meaningless.
    """
    ctl[NODES] += 1
    if ctl[MAX_NODES] > 0 and ctl[NODES] >= ctl[MAX_NODES]:
        ctl[STOP] = 1
    if ctl[STOP] != 0:
        return 0
    if level > ctl[DEEPEST]:
        ctl[DEEPEST] = level
    work.pv_length[level] = 0
    if state.result != UNDECIDED:
        if state.result == DRAW:
            return 0
        return level - MATE if state.result != state.side else MATE - level
    side = state.side
    own = side - 1
    foe = 2 - side
    counts = patterns.counts
    excluded = int64(work.excluded[level])
    root = level == 0
    if counts[own, FIVE] > 0 and not root:
        return MATE - level - 1
    threatened = counts[foe, FIVE]
    if not root:
        if threatened > 1:
            return level + 2 - MATE
        if threatened == 0 and counts[own, OPEN_FOUR] > 0:
            return MATE - level - 3
        # A win or loss nearer than any that can be found here decides.
        if alpha < level - MATE:
            alpha = level - MATE
        if beta > MATE - level - 5:
            beta = MATE - level - 5
        if alpha >= beta:
            return alpha
    if level >= MAX_LEVEL - 2:
        return static_value(state, patterns, work)
    in_check = threatened > 0
    open_threat = not in_check and counts[foe, OPEN_FOUR] > 0
    pv_node = beta - alpha > 1

    if depth <= 0 and not in_check:
        # Under an open-four threat a quiet value would be blind; look one ply further, not for ever.
        if not (open_threat and level < work.root_depth * 2 + 8):
            value = static_value(state, patterns, work)
            if value >= beta:
                return value
            length = leaf_vcf(state, patterns, tables, vcf, entries, vctl, work.vcf_nodes)
            if length > 0:
                return MATE - level - length
            return value
        depth = 1

    key = state.key
    data = uint64(0)
    first = int64(0)
    if excluded == 0:
        data = table_probe(table, key)
    if data != uint64(0):
        first = packed_move(data)
        value = packed_value(data)
        if value > MATE_BOUND:
            value -= level
        elif value < -MATE_BOUND:
            value += level
        if not pv_node and not root and packed_depth(data) >= depth:
            bound = packed_bound(data)
            if bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha):
                return value

    static = int64(0)
    if in_check:
        static = -work.evals[level - 1] if level > 0 else int64(0)
    else:
        static = static_value(state, patterns, work)
    work.evals[level] = static
    improving = level >= 2 and static > work.evals[level - 2]

    n = int64(0)
    if in_check and not root:
        block = find_five(state, patterns, 3 - side)
        if state.rule == RENJU and side == BLACK and forbidden_kind(state, block) != 0:
            return level + 2 - MATE
        work.moves[level, 0] = block
        work.scores[level, 0] = 0
        n = 1
    else:
        if not open_threat and not root and not pv_node and excluded == 0:
            if depth <= 4 and static - 90 * depth >= beta and static < MATE_BOUND:
                return static
            if depth <= 3 and static + 100 + 110 * depth <= alpha:
                length = leaf_vcf(state, patterns, tables, vcf, entries, vctl, work.vcf_nodes)
                if length > 0:
                    return MATE - level - length
                if depth <= 2:
                    return static
        elif not root and excluded == 0 and depth >= 2:
            length = leaf_vcf(state, patterns, tables, vcf, entries, vctl, work.vcf_nodes * 2)
            if length > 0:
                return MATE - level - length
        if open_threat and not root:
            n = defence_moves(state, patterns, work, level)
        else:
            n = quiet_moves(state, patterns, work, level)
        score_moves(state, patterns, work, level, n, first)
        if n == 0:
            # No candidate: the centre of an empty board, else any empty cell.
            middle = (state.size // 2 + PAD) * STRIDE + state.size // 2 + PAD
            if state.ply == 0:
                work.moves[level, 0] = middle
                work.scores[level, 0] = 0
                n = 1
            for row in range(state.size):
                for col in range(state.size):
                    point = (row + PAD) * STRIDE + col + PAD
                    if state.ply > 0 and state.cells[point] == EMPTY and n < MAX_MOVES:
                        work.moves[level, n] = point
                        work.scores[level, n] = 0
                        n += 1

    singular = int64(0)
    if not root and depth >= 6 and excluded == 0 and first > 0 and data != uint64(0) and n > 1:
        if packed_depth(data) >= depth - 3 and packed_bound(data) != UPPER:
            value = packed_value(data)
            if -MATE_BOUND < value < MATE_BOUND:
                low = value - 8 * depth
                work.excluded[level] = first
                lower = low - 1
                half = (depth - 1) // 2
                score = engine_search(
                    state,
                    patterns,
                    tables,
                    work,
                    vcf,
                    entries,
                    table,
                    ctl,
                    vctl,
                    lower,
                    low,
                    half,
                    level,
                    cut,
                )
                work.excluded[level] = 0
                if ctl[STOP] != 0:
                    return 0
                if score < low:
                    singular = 1
                elif low >= beta:
                    return low
                score_moves(state, patterns, work, level, n, first)
                work.pv_length[level] = 0

    best = int64(-2 * MATE)
    best_move = int64(0)
    bound = UPPER
    tried = int64(0)
    renju_black = state.rule == RENJU and side == BLACK
    i = int64(0)
    while i < n:
        point = pick_move(work, level, i, n)
        i += 1
        if point == excluded or (root and work.barred[point] != 0):
            continue
        u = uint64(point)
        kind = int64(patterns.classes[own, u])
        other = int64(patterns.classes[foe, u])
        if renju_black and kind == FORBIDDEN and forbidden_kind(state, point) != 0:
            continue
        quiet = kind < CLOSED_THREE and other < THREE
        forcing = kind >= FOUR
        if not root and not in_check and not open_threat and best > -MATE_BOUND and not forcing:
            if depth <= 5 and tried >= 6 + 3 * depth * depth // (1 if improving or pv_node else 2):
                if kind < THREE and other < FOUR:
                    continue
            if quiet and depth <= 4 and static + 70 + 90 * depth <= alpha:
                continue
        tried += 1
        below = depth - 1
        if in_check and n == 1:
            if level < work.root_depth * 3 + 16:
                below = depth
        elif point == first and singular == 1 and level < work.root_depth * 2 + 8:
            below = depth
        reduce = int64(0)
        if depth >= 3 and tried > (3 if pv_node else 2) and not in_check and not forcing:
            reduce = int64(0.4 + math.log(float(depth)) * math.log(float(tried)) / 1.9)
            if kind >= THREE or other >= FOUR:
                reduce -= 1
            if not quiet and reduce > 0:
                reduce -= 1
            if cut:
                reduce += 1
            if pv_node:
                reduce -= 1
            if not improving:
                reduce += 1
            reduce -= int64(work.history[own, u]) // 1200
            if reduce < 0:
                reduce = 0
            if reduce > below - 1:
                reduce = below - 1 if below > 1 else 0
        engine_push(state, patterns, tables, work, point)
        deeper = level + 1
        work.excluded[deeper] = 0
        score = int64(0)
        low = -beta
        high = -alpha
        zero = -alpha - 1
        on = int64(1)
        off = int64(0)
        flip = 1 - cut
        if tried == 1:
            next_cut = off if pv_node else flip
            score = -engine_search(
                state,
                patterns,
                tables,
                work,
                vcf,
                entries,
                table,
                ctl,
                vctl,
                low,
                high,
                below,
                deeper,
                next_cut,
            )
        else:
            shallow = below - reduce
            score = -engine_search(
                state, patterns, tables, work, vcf, entries, table, ctl, vctl, zero, high, shallow, deeper, on
            )
            if score > alpha and reduce > 0 and ctl[STOP] == 0:
                score = -engine_search(
                    state,
                    patterns,
                    tables,
                    work,
                    vcf,
                    entries,
                    table,
                    ctl,
                    vctl,
                    zero,
                    high,
                    below,
                    deeper,
                    flip,
                )
            if alpha < score < beta and ctl[STOP] == 0:
                score = -engine_search(
                    state,
                    patterns,
                    tables,
                    work,
                    vcf,
                    entries,
                    table,
                    ctl,
                    vctl,
                    low,
                    high,
                    below,
                    deeper,
                    off,
                )
        engine_pop(state, patterns, tables, work)
        if ctl[STOP] != 0:
            break
        if score > best:
            best = score
            best_move = point
            if score > alpha:
                work.pv[level, 0] = point
                for j in range(work.pv_length[deeper]):
                    work.pv[level, j + 1] = work.pv[deeper, j]
                work.pv_length[level] = work.pv_length[deeper] + 1
                alpha = score
                bound = EXACT
                if score >= beta:
                    bound = LOWER
                    break
    if ctl[STOP] != 0 and (not root or best == -2 * MATE):
        return 0
    if tried == 0:
        if excluded != 0:
            return alpha
        # Only forbidden points are left to Black.
        return level + 1 - MATE
    if bound == LOWER and not in_check:
        bonus = depth * depth
        if bonus > 400:
            bonus = 400
        work.history[own, best_move] += bonus - int64(work.history[own, best_move]) * bonus // 4096
        if state.ply > 0:
            work.counter[own, int64(state.history[state.ply - 1])] = best_move
        for j in range(i - 1):
            loser = int64(work.moves[level, j])
            work.history[own, loser] -= bonus // 2 + int64(work.history[own, loser]) * bonus // 8192
    if excluded == 0 and ctl[STOP] == 0:
        value = best
        if value > MATE_BOUND:
            value += level
        elif value < -MATE_BOUND:
            value -= level
        age = work.age
        table_store(table, key, pack(value, static, depth, bound, best_move, age), age)
    return best
