"""The engine: principal variation search over cell classes, with threat search at its leaves."""

from __future__ import annotations

from numba import from_dtype, int64, types, uint64

from wuzi.core.jit import kernel
from wuzi.core.kernels import State, forbidden_kind
from wuzi.core.layout import BLACK, DRAW, EMPTY, PAD, STRIDE, UNDECIDED
from wuzi.evaluators.codebook_kernels import Codebook, Sums, net_value, sums_ahead, sums_push
from wuzi.search.layout import (
    ALPHABETA,
    CHILD_DEPTH,
    CHILD_FUTILITY,
    CHILD_STEP,
    COUNT_BASE,
    COUNT_DEPTH,
    COUNT_STEP,
    DEEPEST,
    FUTILITY,
    FUTILITY_DEPTH,
    HISTORY_DIVISOR,
    LMR_CUT,
    LMR_FLOOR,
    LMR_PV,
    LMR_STALE,
    LMR_START,
    LMR_THREAT,
    MAX_LEVEL,
    MAX_MOVES,
    MAX_NODES,
    NODES,
    RAZOR,
    RAZOR_DEPTH,
    RAZOR_STEP,
    SINGULAR_DEPTH,
    SINGULAR_STEP,
    STOP,
    THREE_EXTENSION,
)
from wuzi.search.move_kernels import (
    defence_moves,
    engine_pop,
    engine_push,
    pick_move,
    quiet_moves,
    score_moves,
)
from wuzi.search.table_kernels import (
    EXACT,
    LOWER,
    UPPER,
    Table,
    pack,
    packed_bound,
    packed_depth,
    packed_move,
    packed_static,
    packed_value,
    table_probe,
    table_store,
)
from wuzi.tactics.kernels import Patterns, Tables
from wuzi.tactics.vcf_kernels import Entries, Vcf, find_five, vcf_deepen

AlphaBeta = from_dtype(ALPHABETA)
Ints = types.Array(int64, 1, "C")

RENJU = 4
FORBIDDEN, CLOSED_THREE, THREE, FOUR, FOUR_THREE, OPEN_FOUR, FIVE = 1, 3, 6, 9, 11, 12, 13
MATE = 1_000_000
MATE_BOUND = 990_000
EVAL_BOUND = 60_000
VCF_WIN = 1


@kernel(int64(State, Patterns, Codebook, Sums, int64))
def static_value(state, patterns, net, sums, level):
    """The net's points for the side to move, kept apart from proved results."""
    ahead = int64(level > 0 and sums.made[level] == 0)
    if ahead:
        sums_ahead(state, patterns, net, sums, int64(state.history[uint64(state.ply - 1)]), 3 - state.side)
    value = net_value(state, patterns, net, sums, ahead)
    if value > EVAL_BOUND:
        return EVAL_BOUND
    if value < -EVAL_BOUND:
        return -EVAL_BOUND
    return value


@kernel(int64(State, Patterns, Tables, AlphaBeta, Vcf, Entries, Ints, int64))
def leaf_vcf(state, patterns, tables, work, vcf, seen, tctl, nodes):
    """Plies to a win by fours of the side to move, found within ``nodes`` positions; 0 for none."""
    counts = patterns.counts
    own = state.side - 1
    fours = counts[own, FOUR] + counts[own, FOUR + 1] + counts[own, FOUR_THREE]
    if fours == 0 and (state.rule != RENJU or counts[own, FORBIDDEN] == 0):
        return 0
    tctl[0] = 0
    tctl[1] = 0
    tctl[2] = nodes
    found = vcf_deepen(state, patterns, tables, vcf, seen, tctl, 16)
    work.vcf_total += tctl[1]
    if found == VCF_WIN:
        return vcf.distance
    return 0


@kernel(int64(State, AlphaBeta, int64))
def any_moves(state, work, level):
    """Candidates of a board without any: the centre if it is empty, else every empty cell. How many."""
    if state.ply == 0:
        work.moves[level, 0] = (state.size // 2 + PAD) * STRIDE + state.size // 2 + PAD
        work.scores[level, 0] = 0
        return 1
    n = 0
    for row in range(state.size):
        for col in range(state.size):
            point = (row + PAD) * STRIDE + col + PAD
            if state.cells[point] == EMPTY and n < MAX_MOVES:
                work.moves[level, n] = point
                work.scores[level, n] = 0
                n += 1
    return n


@kernel(int64(AlphaBeta, int64, int64))
def keep_pv(work, level, point):
    """Put a move before the line found below it."""
    deeper = level + 1
    work.pv[level, 0] = point
    for j in range(work.pv_length[deeper]):
        work.pv[level, j + 1] = work.pv[deeper, j]
    work.pv_length[level] = work.pv_length[deeper] + 1
    return 0


@kernel(int64(State, AlphaBeta, int64, int64, int64, int64))
def learn(state, work, level, best_move, tried, depth):
    """Reward the move that cut off, punish those before it."""
    own = state.side - 1
    bonus = depth * depth
    if bonus > 400:
        bonus = 400
    work.history[own, best_move] += bonus - int64(work.history[own, best_move]) * bonus // 4096
    if state.ply > 0:
        work.counter[own, int64(state.history[state.ply - 1])] = best_move
    for j in range(tried - 1):
        loser = int64(work.moves[level, j])
        work.history[own, loser] -= bonus // 2 + int64(work.history[own, loser]) * bonus // 8192
    return 0


@kernel(
    int64(
        State,
        Patterns,
        Tables,
        AlphaBeta,
        Codebook,
        Sums,
        Vcf,
        Entries,
        Table,
        Ints,
        Ints,
        int64,
        int64,
        int64,
        int64,
        int64,
    )
)
def engine_search(
    state, patterns, tables, work, net, sums, vcf, seen, table, ctl, tctl, alpha, beta, depth, level, cut
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
    params = work.params
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
        return static_value(state, patterns, net, sums, level)
    in_check = threatened > 0
    open_threat = not in_check and counts[foe, OPEN_FOUR] > 0
    pv_node = beta - alpha > 1

    key = state.key
    data = uint64(0)
    first = int64(0)
    if depth <= 0 and not in_check:
        value = static_value(state, patterns, net, sums, level)
        if value < beta:
            length = leaf_vcf(state, patterns, tables, work, vcf, seen, tctl, work.vcf_nodes)
            if length > 0:
                return MATE - level - length
        return value
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
    if level > 0 and sums.made[level] == 0:
        sums_push(state, patterns, net, sums, int64(state.history[state.ply - 1]), 3 - side, level - 1)
        sums.made[level] = 1
    static = int64(0)
    if in_check:
        static = -work.evals[level - 1] if level > 0 else int64(0)
    elif data != uint64(0):
        static = packed_static(data)
    else:
        static = static_value(state, patterns, net, sums, level)
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
        if not root and excluded == 0:
            if not open_threat and not pv_node and depth <= params[FUTILITY_DEPTH]:
                if static - params[FUTILITY] * depth >= beta and static < MATE_BOUND:
                    return static
            margin = params[RAZOR] + params[RAZOR_STEP] * depth
            razor = depth <= params[RAZOR_DEPTH] and static + margin <= alpha and not pv_node
            if razor or open_threat:
                length = leaf_vcf(state, patterns, tables, work, vcf, seen, tctl, work.vcf_nodes)
                if length > 0:
                    value = MATE - length
                    age = work.age
                    table_store(table, key, pack(value, static, 60, LOWER, 0, age), age)
                    return value - level
            if razor and depth <= 2 and not open_threat:
                return static
        if open_threat and not root:
            n = defence_moves(state, patterns, work, level)
        else:
            n = quiet_moves(state, patterns, work, level)
        score_moves(state, patterns, net, sums, work, level, n, first)
        open_to_play = n
        if root:
            open_to_play = 0
            for i in range(n):
                open_to_play += 1 - work.barred[work.moves[level, i]]
        if open_to_play == 0:
            n = any_moves(state, work, level)

    singular = int64(0)
    if not root and depth >= params[SINGULAR_DEPTH] and excluded == 0 and first > 0 and n > 1:
        if packed_depth(data) >= depth - 3 and packed_bound(data) != UPPER:
            value = packed_value(data)
            if -MATE_BOUND < value < MATE_BOUND:
                low = value - params[SINGULAR_STEP] * depth
                work.excluded[level] = first
                lower = low - 1
                half = (depth - 1) // 2
                score = engine_search(
                    state,
                    patterns,
                    tables,
                    work,
                    net,
                    sums,
                    vcf,
                    seen,
                    table,
                    ctl,
                    tctl,
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
                score_moves(state, patterns, net, sums, work, level, n, first)
                work.evals[level] = static
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
            if depth <= params[COUNT_DEPTH]:
                room = params[COUNT_STEP] * depth * depth
                if not improving and not pv_node:
                    room //= 2
                if tried >= params[COUNT_BASE] + room and kind < THREE and other < FOUR:
                    continue
            if quiet and depth <= params[CHILD_DEPTH]:
                if static + params[CHILD_FUTILITY] + params[CHILD_STEP] * depth <= alpha:
                    continue
        tried += 1
        below = depth - 1
        if in_check and n == 1:
            if depth <= 0:
                below = 0
            elif level < work.root_depth * 3 + 16:
                below = depth
        elif point == first and singular == 1 and level < work.root_depth * 2 + 8:
            below = depth
        elif open_threat and params[THREE_EXTENSION] > 0 and depth > 0:
            if level * 100 < work.root_depth * params[THREE_EXTENSION]:
                below = depth
        reduce = int64(0)
        if depth >= params[LMR_START] and tried > (3 if pv_node else 1) and not in_check:
            if not forcing:
                percent = int64(work.reductions[depth if depth < 63 else 63, tried if tried < 63 else 63])
                if kind >= THREE or other >= FOUR:
                    percent -= params[LMR_THREAT]
                if cut:
                    percent += params[LMR_CUT]
                if pv_node:
                    percent -= params[LMR_PV]
                if not improving:
                    percent += params[LMR_STALE]
                percent -= int64(work.history[own, u]) * 100 // params[HISTORY_DIVISOR]
                reduce = percent // 100
                if reduce < 0:
                    reduce = 0
                if reduce > below - params[LMR_FLOOR]:
                    reduce = below - params[LMR_FLOOR] if below > params[LMR_FLOOR] else 0
        engine_push(state, patterns, tables, work, sums, point, level)
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
            role = off if pv_node else flip
            score = -engine_search(
                state,
                patterns,
                tables,
                work,
                net,
                sums,
                vcf,
                seen,
                table,
                ctl,
                tctl,
                low,
                high,
                below,
                deeper,
                role,
            )
        else:
            shallow = below - reduce
            score = -engine_search(
                state,
                patterns,
                tables,
                work,
                net,
                sums,
                vcf,
                seen,
                table,
                ctl,
                tctl,
                zero,
                high,
                shallow,
                deeper,
                on,
            )
            if score > alpha and reduce > 0 and ctl[STOP] == 0:
                score = -engine_search(
                    state,
                    patterns,
                    tables,
                    work,
                    net,
                    sums,
                    vcf,
                    seen,
                    table,
                    ctl,
                    tctl,
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
                    net,
                    sums,
                    vcf,
                    seen,
                    table,
                    ctl,
                    tctl,
                    low,
                    high,
                    below,
                    deeper,
                    off,
                )
        engine_pop(state, patterns, tables, work, sums, level)
        if ctl[STOP] != 0:
            break
        if score > best:
            best = score
            best_move = point
            if score > alpha:
                keep_pv(work, level, point)
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
        learn(state, work, level, best_move, i, depth)
    if excluded == 0 and ctl[STOP] == 0:
        value = best
        if value > MATE_BOUND:
            value += level
        elif value < -MATE_BOUND:
            value -= level
        age = work.age
        table_store(table, key, pack(value, static, depth, bound, best_move, age), age)
    return best
