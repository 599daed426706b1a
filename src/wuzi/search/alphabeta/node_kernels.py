"""What the engine decides about a node without searching: static value, pruning, reductions, extensions.

Each technique is a kernel of its own that reads and writes the node's record
(:data:`wuzi.search.layout.SEARCH_NODE`); its numbers are in :mod:`wuzi.search.alphabeta.parameters`.
"""

from __future__ import annotations

from numba import int64, uint64, void

from wuzi.core.classes import FIVE, FORBIDDEN, FOUR, FOUR_PLUS, FOUR_THREE, OPEN_FOUR, THREE
from wuzi.core.jit import kernel
from wuzi.core.layout import DRAW, NODES, UNDECIDED
from wuzi.evaluation.codebook_kernels import accumulator_ahead, accumulator_push, net_value
from wuzi.search.alphabeta import table_kernels
from wuzi.search.alphabeta.move_kernels import Arrays, Engine, Node
from wuzi.search.alphabeta.table_kernels import EXACT, LOWER, UPPER, Table
from wuzi.search.layout import MAX_LEVEL
from wuzi.tactics.vcf_kernels import WIN, vcf_within

MATE = 1_000_000
MATE_BOUND = 990_000
EVAL_BOUND = 60_000
PLY = 100
VCF_DEPTH = 60
"""Depth in plies under which a win by fours is kept in the table."""


@kernel(int64(Engine, int64))
def static_value(engine, level):
    """The net's points for the side to move, kept apart from proved results."""
    state, patterns, accumulator = engine.state, engine.patterns, engine.accumulator
    ahead = int64(level > 0 and accumulator.made[level] == 0)
    if ahead:
        point = int64(state.history[uint64(state.ply - 1)])
        accumulator_ahead(state, patterns, engine.net, accumulator, point, 3 - state.side)
    value = net_value(state, patterns, engine.net, accumulator, ahead)
    return max(-EVAL_BOUND, min(value, EVAL_BOUND))


@kernel(void(Engine, Node))
def catch_up(engine, node):
    """Bring the accumulator up to the node, whose children will need it."""
    level = node.level
    if level > 0 and engine.accumulator.made[level] == 0:
        state = engine.state
        point = int64(state.history[state.ply - 1])
        patterns, accumulator = engine.patterns, engine.accumulator
        accumulator_push(state, patterns, engine.net, accumulator, point, 3 - node.side, level - 1)
        accumulator.made[level] = 1


@kernel(int64(Engine, Arrays, int64))
def leaf_vcf(engine, arrays, nodes):
    """Plies to a win by fours of the side to move, found within ``nodes`` positions; 0 for none."""
    state, counts = engine.state, engine.patterns.counts
    own = state.side - 1
    fours = counts[own, FOUR] + counts[own, FOUR_PLUS] + counts[own, FOUR_THREE]
    if fours == 0 and (state.forbids == 0 or counts[own, FORBIDDEN] == 0):
        return 0
    vcf, vcf_ctl, fours = engine.vcf, arrays.vcf_ctl, engine.params.vcf_fours
    found = vcf_within(state, engine.patterns, engine.tables, vcf, arrays.entries, vcf_ctl, fours, nodes)
    engine.work.vcf_total += vcf_ctl[NODES]
    return vcf.distance if found == WIN else int64(0)


@kernel(int64(Engine, Node, int64, int64, int64, int64, int64))
def enter_node(engine, node, alpha, beta, depth, level, cut):
    """Fill the node; whether its value is known at once: the game is over, or a five or open four decides."""
    state, work, counts = engine.state, engine.work, engine.patterns.counts
    node.level, node.alpha, node.beta, node.depth, node.cut = level, alpha, beta, depth, cut
    node.side = state.side
    work.pv_length[level] = 0
    if state.result != UNDECIDED:
        node.value = MATE - level if state.result == state.side else level - MATE
        if state.result == DRAW:
            node.value = 0
        return 1
    own = state.side - 1
    threats = counts[2 - state.side, FIVE]
    if level > 0:
        if counts[own, FIVE] > 0:
            node.value = MATE - level - 1
            return 1
        if threats > 1:
            node.value = level + 2 - MATE
            return 1
        if threats == 0 and counts[own, OPEN_FOUR] > 0:
            node.value = MATE - level - 3
            return 1
        # A win or loss nearer than any that can be found here decides.
        node.alpha = max(alpha, level - MATE)
        node.beta = min(beta, MATE - level - 5)
        if node.alpha >= node.beta:
            node.value = node.alpha
            return 1
    if level >= MAX_LEVEL - 2:
        node.value = static_value(engine, level)
        return 1
    node.in_check = threats > 0
    node.open_threat = threats == 0 and counts[2 - state.side, OPEN_FOUR] > 0
    node.pv = node.beta - node.alpha > 1
    return 0


@kernel(int64(int64, int64))
def proves(bound, above):
    """Whether a bound of the table holds on the side of a limit where its value lies (``above`` 1 or 0)."""
    return int64(bound == EXACT or bound == (LOWER if above else UPPER))


@kernel(int64(Engine, Table, Node))
def probe_node(engine, table, node):
    """Read the table's entry of the node; whether it answers the search."""
    level = node.level
    node.in_table = node.table_move = node.table_value = node.table_bound = 0
    node.table_depth = -PLY
    if engine.work.excluded[level] != 0:
        return 0
    data = table_kernels.table_probe(table, engine.state.key)
    if data == uint64(0):
        return 0
    node.in_table = 1
    node.table_move = table_kernels.packed_move(data)
    node.table_bound = table_kernels.packed_bound(data)
    node.table_depth = table_kernels.packed_depth(data) * PLY
    node.static = table_kernels.packed_static(data)
    value = table_kernels.packed_value(data)
    if value > MATE_BOUND:
        value -= level
    elif value < -MATE_BOUND:
        value += level
    node.table_value = value
    if node.pv or level == 0 or node.table_depth < node.depth:
        return 0
    node.value = value
    return proves(node.table_bound, value >= node.beta)


@kernel(int64(Engine, Arrays, Node))
def leaf_value(engine, arrays, node):
    """The value where the depth is used up: static, or that of a win by fours. The table keeps it."""
    if probe_node(engine, arrays.table, node):
        return node.value
    static = node.static if node.in_table else static_value(engine, node.level)
    value, depth, bound = static, int64(0), int64(LOWER)
    if static < node.beta:
        plies = leaf_vcf(engine, arrays, engine.work.vcf_nodes)
        if plies > 0:
            value, depth = MATE - plies, int64(VCF_DEPTH)
        else:
            bound = int64(EXACT)
    if not node.in_table:
        age = engine.work.age
        data = table_kernels.pack(value, static, depth, bound, int64(0), age)
        table_kernels.table_store(arrays.table, engine.state.key, data, age)
    return value - node.level if depth > 0 else value


@kernel(void(Engine, Node))
def evaluate_node(engine, node):
    """Set static value, best guess, and whether the evaluation improves on the one two plies ago."""
    statics, level = engine.work.statics, node.level
    if node.in_check:
        node.static = -statics[level - 1] if level > 0 else 0
    elif not node.in_table:
        node.static = static_value(engine, level)
    statics[level] = node.static
    node.improving = level >= 2 and node.static > statics[level - 2]
    node.guess = node.static
    if node.in_table and not node.in_check and proves(node.table_bound, node.table_value > node.static):
        node.guess = node.table_value


@kernel(int64(Engine, Node))
def is_futile(engine, node):
    """Futility pruning: whether the guess is so far above beta that the opponent will not catch up."""
    if node.pv or node.open_threat or node.guess >= MATE_BOUND or node.beta <= -MATE_BOUND:
        return 0
    params = engine.params
    slope = params.futility
    if node.cut and not node.in_table:
        slope -= params.futility_cut
    margin = slope * (node.depth - PLY - PLY * node.improving) // PLY
    return int64(node.guess - max(margin, 0) >= node.beta)


@kernel(int64(Engine, Arrays, Node))
def prune_node(engine, arrays, node):
    """Whether the node is left without searching its moves: futility, a win by fours, razoring.

    Razoring: so far below alpha near the leaves only a win by fours can help.
    """
    if node.in_check or node.level == 0 or engine.work.excluded[node.level] != 0:
        return 0
    node.value = node.guess
    if is_futile(engine, node):
        return 1
    params = engine.params
    margin = params.razor + params.razor_step * node.depth // PLY
    razored = not node.pv and node.depth < params.razor_depth and node.guess + margin < node.alpha
    if razored or node.open_threat or engine.patterns.counts[node.side - 1, FOUR_THREE] > 0:
        plies = leaf_vcf(engine, arrays, engine.work.vcf_nodes)
        if plies > 0:
            age = engine.work.age
            data = table_kernels.pack(MATE - plies, node.static, int64(VCF_DEPTH), LOWER, int64(0), age)
            table_kernels.table_store(arrays.table, engine.state.key, data, age)
            node.value = MATE - plies - node.level
            return 1
    return int64(razored and not node.open_threat)


@kernel(void(Engine, Node))
def reduce_internally(engine, node):
    """Internal iterative reduction: an open window whose best move was found at a much lower depth."""
    if node.in_check or not node.pv or node.table_move == 0 or node.depth <= PLY:
        return
    late = (node.depth - node.table_depth) * engine.params.iir // 100
    if late > 0:
        node.depth = max(node.depth - min(late, engine.params.iir_max), 1)


@kernel(int64(Engine, Node))
def wants_singular_test(engine, node):
    """Whether to search the node without the table's move: does any other reach ``singular_beta`` too?"""
    params = engine.params
    node.table_extension = params.table_extension_pv if node.pv else params.table_extension
    if node.level == 0 or node.in_check or node.table_move == 0 or node.depth < params.singular_depth:
        return 0
    if node.table_depth < node.depth - params.singular_table_depth or node.table_bound == UPPER:
        return 0
    node.singular_beta = node.table_value - params.singular_step * node.depth // 10_000
    return int64(-MATE_BOUND < node.table_value < MATE_BOUND)


@kernel(int64(Engine, Node, int64))
def judge_singular(engine, node, score):
    """Extend or reduce the table's move by the score of the others; whether these cut off without it."""
    params, work, level = engine.params, engine.work, node.level
    work.statics[level] = node.static
    work.pv_length[level] = 0
    if score < node.singular_beta:
        far = score < node.singular_beta - params.singular_double
        twice = far and not node.pv and work.extensions[level] < params.double_limit
        node.table_extension = 2 * PLY if twice else PLY
    elif node.singular_beta >= node.beta:
        return 1
    elif node.table_value >= node.beta:
        node.table_extension = -params.singular_minus
    return 0


@kernel(int64(Engine, Node))
def fails_high_likely(engine, node):
    """Whether an expected cut-off is as good as certain by the guess."""
    if node.cut == 0 or node.pv or node.in_check:
        return 0
    params = engine.params
    margin = params.fail_high + params.fail_high_step * (node.depth // PLY)
    if node.open_threat:
        margin += params.fail_high_threat
    return int64(node.guess >= node.beta + margin)


@kernel(int64(Engine, Node))
def is_late(engine, node):
    """Late-move pruning: whether enough candidates were tried for a quiet one to be left out."""
    params = engine.params
    if node.level == 0 or node.in_check or node.best <= -MATE_BOUND:
        return 0
    if node.own_class >= params.lmp_own_class or node.opponent_class >= params.lmp_opponent_class:
        return 0
    enough = int64(params.lmp_counts[min(node.depth // PLY, 63)])
    if not node.improving:
        enough //= 2
    return int64(node.tried + 1 >= enough)


@kernel(int64(Engine, Node))
def extension(engine, node):
    """By how much the move at hand is searched deeper than others; negative: less deep."""
    found = int64(0)
    if node.in_check and node.count == 1:
        found = engine.params.five_extension
    elif node.point == node.table_move:
        found = node.table_extension
    if node.likely_high:
        if node.own_class < FOUR:
            found -= PLY
        elif node.attacking:
            found += PLY
    return found


@kernel(int64(Engine, Node, int64))
def reduced_depth(engine, node, below):
    """Late-move reduction: the depth of the first look at a late move that ``below`` is the depth for."""
    params, work = engine.params, engine.work
    own = node.side - 1
    reduction = int64(params.reductions[min(node.depth // PLY, 63), min(node.tried, 63)])
    if node.pv:
        reduction = max(reduction - params.lmr_pv * (node.beta - node.alpha) // work.root_window, 0)
    elif not node.improving and reduction > PLY:
        reduction += params.lmr_stale
    if params.lmr_policy > 0:
        rank = work.ranks[node.level, node.next - 1] >> 12
        gap = work.best_rank[node.level] - rank - params.lmr_policy_free
        reduction += max(min(gap * params.lmr_policy // 100, params.lmr_policy_max), 0)
    if node.own_class >= THREE or node.opponent_class >= FOUR:
        reduction += params.lmr_threat
    if node.cut:
        last = engine.state.history[engine.state.ply - 2]
        if node.open_threat or node.own_class >= THREE or node.point != work.counter[own, last]:
            reduction += params.lmr_cut
    reduction -= int64(work.history[own, node.point]) * PLY // params.history_divisor
    return max(min(below - reduction, below + PLY), PLY)


@kernel(int64(Engine, Node, int64, int64, int64))
def renewed_depth(engine, node, score, shallow, below):
    """The depth of the second look at a move whose reduced search, ``shallow``, beat alpha.

    Deeper than planned by a ply for each of two margins above alpha that the score passes, less deep where
    it does not beat the best one clearly; a line that was often extended gains one ply at most.
    """
    params, work, deeper = engine.params, engine.work, node.level + 1
    spared = (below - shallow) // PLY
    gain = score - node.alpha
    plies = int64(gain > params.deeper + params.deeper_step * spared)
    plies += int64(gain > params.more_deeper + params.more_deeper_step * spared)
    plies -= int64(score < node.best + below // PLY)
    if work.extensions[deeper] >= params.deeper_limit:
        plies = min(plies, 1)
    elif plies > 1:
        work.extensions[deeper] += PLY
    return below + plies * PLY
