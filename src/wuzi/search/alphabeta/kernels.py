"""The engine: principal variation search over cell classes, with threat search at its leaves."""

from __future__ import annotations

from numba import from_dtype, int64, types, uint64

from wuzi.core.classes import FIVE, FORBIDDEN, FOUR, FOUR_PLUS, FOUR_THREE, OPEN_FOUR, THREE
from wuzi.core.jit import kernel
from wuzi.core.kernels import State, forbidden_kind
from wuzi.core.layout import BLACK, DRAW, EMPTY, PAD, RENJU, STRIDE, UNDECIDED
from wuzi.evaluation.codebook_kernels import Codebook, Sums, net_value, sums_ahead, sums_push
from wuzi.search.alphabeta.move_kernels import (
    ANY,
    BUSY,
    IDLE,
    defence_moves,
    engine_pop,
    engine_push,
    pick_move,
    quiet_moves,
    rank,
    score_moves,
)
from wuzi.search.alphabeta.table_kernels import (
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
from wuzi.search.layout import (
    AGAIN,
    ALPHABETA,
    DEEPER,
    DEEPER_STEP,
    DEEPEST,
    FAIL_HIGH,
    FAIL_HIGH_STEP,
    FAIL_HIGH_THREAT,
    FIRST_EXTENSION,
    FIRST_PV,
    FIVE_EXTENSION,
    FUTILITY,
    FUTILITY_CUT,
    HISTORY_DIVISOR,
    IDLE_DEPTH,
    LMR_CUT,
    LMR_POLICY,
    LMR_POLICY_FREE,
    LMR_POLICY_MAX,
    LMR_PV,
    LMR_STALE,
    LMR_START,
    LMR_THREAT,
    MAX_LEVEL,
    MAX_MOVES,
    MAX_NODES,
    MORE_DEEPER,
    MORE_DEEPER_STEP,
    NODES,
    PRUNE_KIND,
    PRUNE_OTHER,
    RAISED,
    RAZOR,
    RAZOR_DEPTH,
    RAZOR_STEP,
    SINGULAR_DEPTH,
    SINGULAR_DOUBLE,
    SINGULAR_MINUS,
    SINGULAR_STEP,
    STOP,
)
from wuzi.tactics.kernels import Patterns, Tables
from wuzi.tactics.vcf_kernels import Entries, Vcf, find_five, vcf_deepen

AlphaBeta = from_dtype(ALPHABETA)
Ints = types.Array(int64, 1, "C")

MATE = 1_000_000
MATE_BOUND = 990_000
EVAL_BOUND = 60_000
PLY = 100
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
    fours = counts[own, FOUR] + counts[own, FOUR_PLUS] + counts[own, FOUR_THREE]
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
        centre = (state.size // 2 + PAD) * STRIDE + state.size // 2 + PAD
        work.moves[level, 0] = centre
        work.ranks[level, 0] = rank(int64(0), centre)
        return 1
    n = 0
    for row in range(state.size):
        for col in range(state.size):
            point = (row + PAD) * STRIDE + col + PAD
            if state.cells[point] == EMPTY and n < MAX_MOVES:
                work.moves[level, n] = point
                work.ranks[level, n] = rank(int64(0), point)
                n += 1
    return n


@kernel(int64(State, Patterns, Codebook, Sums, AlphaBeta, int64, int64, int64))
def candidates(state, patterns, net, sums, work, level, first, which):
    """The moves of a node without a five to stop, scored; only replies to a threat. How many."""
    counts = patterns.counts
    foe = 2 - state.side
    n = 0
    if level > 0 and which != IDLE:
        if counts[foe, OPEN_FOUR] > 0:
            n = defence_moves(state, patterns, work, level, int64(OPEN_FOUR))
        elif counts[foe, FOUR_THREE] > 0 and (state.rule != RENJU or foe == 1):
            n = defence_moves(state, patterns, work, level, int64(FOUR_THREE))
    if n == 0:
        n = quiet_moves(state, patterns, work, level, which)
    if n == 0 and which == BUSY:
        n = quiet_moves(state, patterns, work, level, int64(ANY))
    open_to_play = n
    if level == 0:
        open_to_play = 0
        for i in range(n):
            open_to_play += 1 - work.barred[work.moves[level, i]]
    if open_to_play == 0 and which != IDLE:
        return any_moves(state, work, level)
    score_moves(state, patterns, net, sums, work, level, n, first)
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
    known = int64(0)
    known_bound = int64(0)
    known_depth = int64(-100)
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
        known = packed_value(data)
        known_bound = packed_bound(data)
        known_depth = packed_depth(data) * PLY
        if known > MATE_BOUND:
            known -= level
        elif known < -MATE_BOUND:
            known += level
        if not pv_node and not root and known_depth >= depth:
            if known_bound == EXACT or known_bound == (LOWER if known >= beta else UPPER):
                return known
    static = int64(0)
    if in_check:
        static = -work.evals[level - 1] if level > 0 else int64(0)
    elif data != uint64(0):
        static = packed_static(data)
    else:
        static = static_value(state, patterns, net, sums, level)
    work.evals[level] = static
    improving = int64(level >= 2 and static > work.evals[level - 2])
    guess = static
    if data != uint64(0) and not in_check:
        if known_bound == EXACT or known_bound == (LOWER if known > static else UPPER):
            guess = known

    if not in_check and not root and excluded == 0:
        if not pv_node and not open_threat and guess < MATE_BOUND and beta > -MATE_BOUND:
            slope = params[FUTILITY]
            if cut > 0 and data == uint64(0):
                slope -= params[FUTILITY_CUT]
            margin = slope * (depth - PLY - PLY * improving) // PLY
            if guess - (margin if margin > 0 else 0) >= beta:
                return guess
        margin = params[RAZOR] + params[RAZOR_STEP] * depth // PLY
        razor = not pv_node and depth < params[RAZOR_DEPTH] and guess + margin < alpha
        if razor or open_threat or counts[own, FOUR_THREE] > 0:
            length = leaf_vcf(state, patterns, tables, work, vcf, seen, tctl, work.vcf_nodes)
            if length > 0:
                value = MATE - length
                age = work.age
                table_store(table, key, pack(value, static, 60, LOWER, 0, age), age)
                return value - level
        if razor and not open_threat:
            return guess
    if not in_check and pv_node and first > 0 and depth > PLY:
        late = (depth - known_depth) * params[AGAIN] // 100
        if late > 0:
            depth -= late if late < 360 else 360
            if depth < 1:
                depth = int64(1)
    if level > 0 and sums.made[level] == 0:
        sums_push(state, patterns, net, sums, int64(state.history[state.ply - 1]), 3 - side, level - 1)
        sums.made[level] = 1

    singular = int64(0)
    if not root and depth >= params[SINGULAR_DEPTH] and excluded == 0 and first > 0 and not in_check:
        if known_depth >= depth - 203 and known_bound != UPPER and -MATE_BOUND < known < MATE_BOUND:
            low = known - params[SINGULAR_STEP] * depth // 10_000
            work.excluded[level] = first
            lower = low - 1
            half = depth * 46 // 100
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
                singular = int64(PLY)
                if not pv_node and score < low - params[SINGULAR_DOUBLE] and work.extra[level] < 1080:
                    singular = int64(2 * PLY)
            elif low >= beta:
                return low
            elif known >= beta:
                singular = -params[SINGULAR_MINUS]
            work.evals[level] = static
            work.pv_length[level] = 0

    best = int64(-2 * MATE)
    best_move = int64(0)
    bound = UPPER
    tried = int64(0)
    renju_black = state.rule == RENJU and side == BLACK
    again = level >= 2 and work.kinds[level - 2] >= FOUR
    likely = False
    if cut > 0 and not pv_node and not in_check:
        margin = params[FAIL_HIGH] + params[FAIL_HIGH_STEP] * (depth // PLY)
        likely = guess >= beta + margin + (params[FAIL_HIGH_THREAT] if open_threat else 0)
    counter = int64(work.counter[own, int64(state.history[state.ply - 1])]) if state.ply > 0 else int64(0)
    # The table's move is tried before others are even listed, the idle ones only if all else loses.
    shallow_node = not root and depth < params[IDLE_DEPTH]
    stage = int64(0)
    n = int64(0)
    i = int64(0)
    if in_check and not root:
        block = find_five(state, patterns, 3 - side)
        if renju_black and forbidden_kind(state, block) != 0:
            return level + 2 - MATE
        work.moves[level, 0] = block
        n = int64(1)
        stage = int64(3)
    elif first > 0 and not root and state.cells[first] == EMPTY:
        work.moves[level, 0] = first
        n = int64(1)
    while True:
        if i >= n:
            if stage == 0:
                which = int64(BUSY) if shallow_node else int64(ANY)
                n = candidates(state, patterns, net, sums, work, level, first, which)
                stage = int64(1) if shallow_node else int64(3)
            elif stage == 1 and best <= -MATE_BOUND and ctl[STOP] == 0:
                n = candidates(state, patterns, net, sums, work, level, first, int64(IDLE))
                stage = int64(3)
            else:
                break
            i = int64(0)
            continue
        point = pick_move(work, level, i, n)
        i += 1
        if point == excluded or (root and work.barred[point] != 0) or (point == first and tried > 0):
            continue
        u = uint64(point)
        kind = int64(patterns.classes[own, u])
        other = int64(patterns.classes[foe, u])
        if renju_black and kind == FORBIDDEN and forbidden_kind(state, point) != 0:
            continue
        forcing = kind >= FOUR
        plies = depth // PLY
        if plies > 63:
            plies = int64(63)
        prunable = kind < params[PRUNE_KIND] and other < params[PRUNE_OTHER]
        if not root and not in_check and best > -MATE_BOUND and prunable:
            room = int64(work.tries[plies])
            if not improving:
                room //= 2
            if tried + 1 >= room:
                continue
        tried += 1
        extension = int64(0)
        if in_check and n == 1:
            extension = params[FIVE_EXTENSION]
        elif point == first and singular != 0:
            extension = singular
        elif point == first:
            extension = params[FIRST_PV] if pv_node else params[FIRST_EXTENSION]
        if likely:
            if not forcing:
                extension -= PLY
            elif again:
                extension += PLY
        below = depth - PLY + extension
        if in_check and depth <= 0:
            below = int64(0)
        deeper = level + 1
        work.extra[deeper] = work.extra[level] + (extension - PLY if extension > PLY else 0)
        work.kinds[level] = kind
        engine_push(state, patterns, tables, work, sums, point, level)
        work.excluded[deeper] = 0
        score = int64(0)
        low = -beta
        high = -alpha
        zero = -alpha - 1
        on = int64(1)
        off = int64(0)
        flip = 1 - cut
        full = pv_node and tried == 1
        if depth >= params[LMR_START] and tried > 1 + root and not in_check:
            reduce = int64(work.reductions[plies, tried if tried < 63 else 63])
            if pv_node:
                reduce -= params[LMR_PV] * (beta - alpha) // work.root_delta
                if reduce < 0:
                    reduce = int64(0)
            elif improving == 0 and reduce > PLY:
                reduce += params[LMR_STALE]
            if params[LMR_POLICY] > 0:
                gap = work.top[level] - (work.ranks[level, i - 1] >> 12) - params[LMR_POLICY_FREE]
                by_policy = gap * params[LMR_POLICY] // 100
                if by_policy > params[LMR_POLICY_MAX]:
                    by_policy = params[LMR_POLICY_MAX]
                if by_policy > 0:
                    reduce += by_policy
            if kind >= THREE or other >= FOUR:
                reduce -= params[LMR_THREAT]
            if cut > 0 and (point != counter or open_threat or kind >= THREE):
                reduce += params[LMR_CUT]
            reduce -= int64(work.history[own, u]) * PLY // params[HISTORY_DIVISOR]
            shallow = below - reduce
            if shallow > below + PLY:
                shallow = below + PLY
            if shallow < PLY:
                shallow = int64(PLY)
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
            if score > alpha and shallow < below and ctl[STOP] == 0:
                spared = (below - shallow) // PLY
                more = int64(score > alpha + params[DEEPER] + params[DEEPER_STEP] * spared)
                more += int64(score > alpha + params[MORE_DEEPER] + params[MORE_DEEPER_STEP] * spared)
                more -= int64(score < best + below // PLY)
                if work.extra[deeper] >= 500:
                    more = more if more < 1 else int64(1)
                elif more > 1:
                    work.extra[deeper] += PLY
                below += more * PLY
                if shallow < below:
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
            full = pv_node and score > alpha and (root or score < beta)
        elif not full:
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
            full = pv_node and score > alpha and (root or score < beta)
        if full and ctl[STOP] == 0:
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
                if 2 * PLY < depth < 12 * PLY and -2000 < score < 2000 and params[RAISED] > 0:
                    depth -= params[RAISED]
    if ctl[STOP] != 0 and (not root or best == -2 * MATE):
        return 0
    if tried == 0:
        if excluded != 0:
            return alpha
        # Only forbidden points are left to Black.
        return level + 1 - MATE
    plies = depth // PLY
    if plies < -7:
        plies = int64(-7)
    if bound == LOWER and not in_check:
        learn(state, work, level, best_move, i, plies if plies > 1 else int64(1))
    if excluded == 0 and ctl[STOP] == 0:
        value = best
        if value > MATE_BOUND:
            value += level
        elif value < -MATE_BOUND:
            value -= level
        age = work.age
        table_store(table, key, pack(value, static, plies, bound, best_move, age), age)
    return best
