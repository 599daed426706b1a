"""The engine: principal variation search over cell classes, with threat search at its leaves."""

from __future__ import annotations

from numba import int64, uint64, void

from wuzi.core.classes import FIVE, FORBIDDEN, FOUR
from wuzi.core.jit import kernel
from wuzi.core.layout import BLACK, DEEPEST, EMPTY, STOP
from wuzi.core.rule_kernels import count_node, forbidden_kind
from wuzi.search.alphabeta import move_kernels, node_kernels
from wuzi.search.alphabeta.move_kernels import ANY, BUSY, IDLE, Arrays, Engine, Node
from wuzi.search.alphabeta.node_kernels import MATE, MATE_BOUND, PLY
from wuzi.search.alphabeta.table_kernels import EXACT, LOWER, UPPER, Table, pack, table_store
from wuzi.tactics.kernels import find_class

UNTRIED = -2 * MATE
FIRST_MOVE, BUSY_CELLS, LAST_STAGE = 0, 1, 2
LEAST_DEPTH = -7
"""Depth in plies that is kept in the table at least."""


@kernel(int64(Engine, Node))
def begin_moves(engine, node):
    """Prepare the loop over moves, the table's move first; whether the node is lost without any."""
    state, work, level = engine.state, engine.work, node.level
    node.best, node.best_move, node.bound = UNTRIED, 0, UPPER
    node.tried = node.count = node.next = 0
    node.stage = FIRST_MOVE
    node.attacking = level >= 2 and work.classes[level - 2] >= FOUR
    node.likely_high = node_kernels.fails_high_likely(engine, node)
    node.shallow = level > 0 and node.depth < engine.params.idle_depth
    if level == 0:
        return 0
    if node.in_check:
        block = find_class(state, engine.patterns, 3 - node.side, FIVE)
        if state.forbids == 1 and node.side == BLACK and forbidden_kind(state, block) != 0:
            node.value = level + 2 - MATE
            return 1
        work.moves[level, 0] = block
        node.count = 1
        node.stage = LAST_STAGE
    elif node.table_move > 0 and state.cells[node.table_move] == EMPTY:
        work.moves[level, 0] = node.table_move
        node.count = 1
    return 0


@kernel(int64(Engine, Node))
def list_moves(engine, node):
    """List the next moves to try, the idle ones near the leaves only if all else loses; 0 at the end."""
    first = node.table_move
    if node.stage == FIRST_MOVE:
        which = int64(BUSY if node.shallow else ANY)
        node.count = move_kernels.candidates(engine, node.level, first, which)
        node.stage = BUSY_CELLS if node.shallow else LAST_STAGE
    elif node.stage == BUSY_CELLS and node.best <= -MATE_BOUND:
        node.count = move_kernels.candidates(engine, node.level, first, int64(IDLE))
        node.stage = LAST_STAGE
    else:
        return 0
    node.next = 0
    return 1


@kernel(int64(Engine, Node))
def next_move(engine, node):
    """Set the next move that is worth a search in the node's record; 0 at the end."""
    state, work, classes = engine.state, engine.work, engine.patterns.classes
    own = uint64(node.side - 1)
    renju_black = state.forbids == 1 and node.side == BLACK
    while True:
        if node.next >= node.count:
            if not list_moves(engine, node):
                return 0
            continue
        point = move_kernels.pick_move(work, node.level, node.next, node.count)
        node.next += 1
        if point == work.excluded[node.level] or (point == node.table_move and node.tried > 0):
            continue
        if node.level == 0 and work.root_excluded[point] != 0:
            continue
        node.point = point
        node.own_class = classes[own, uint64(point)]
        node.opponent_class = classes[uint64(1) - own, uint64(point)]
        if renju_black and node.own_class == FORBIDDEN and forbidden_kind(state, point) != 0:
            continue
        if node_kernels.is_late(engine, node):
            continue
        node.tried += 1
        return 1


@kernel(int64(Engine, Node))
def make_move(engine, node):
    """Make the move at hand; the depth that is left below it."""
    work, level = engine.work, node.level
    extended = node_kernels.extension(engine, node)
    work.extensions[level + 1] = work.extensions[level] + max(extended - PLY, 0)
    work.classes[level] = node.own_class
    work.excluded[level + 1] = 0
    move_kernels.engine_push(engine, node.point, level)
    if node.in_check and node.depth <= 0:
        return int64(0)
    return node.depth - PLY + extended


@kernel(int64(Engine, Node, int64))
def take_score(engine, node, score):
    """Enter the score of the move at hand; whether it cuts off.

    A move that raises alpha goes before the line found below it, and makes the moves after it shallower.
    """
    if score <= node.best:
        return 0
    node.best = score
    node.best_move = node.point
    if score <= node.alpha:
        return 0
    work, params, level = engine.work, engine.params, node.level
    length = work.pv_length[level + 1]
    work.pv[level, 0] = node.point
    for i in range(length):
        work.pv[level, i + 1] = work.pv[level + 1, i]
    work.pv_length[level] = length + 1
    node.alpha = score
    node.bound = EXACT
    if score >= node.beta:
        node.bound = LOWER
        return 1
    quiet = -params.alpha_raise_score < score < params.alpha_raise_score
    if quiet and params.alpha_raise_from < node.depth < params.alpha_raise_to:
        node.depth -= params.alpha_raise
    return 0


@kernel(void(Engine, Node, int64))
def update_history(engine, node, plies):
    """Reward the move that cut off, punish those before it."""
    state, work, params = engine.state, engine.work, engine.params
    own = node.side - 1
    bonus = min(plies * plies, params.history_max)
    value = int64(work.history[own, node.best_move])
    work.history[own, node.best_move] += bonus - value * bonus // params.history_limit
    if state.ply > 0:
        work.counter[own, int64(state.history[state.ply - 1])] = node.best_move
    for j in range(node.next - 1):
        loser = int64(work.moves[node.level, j])
        value = int64(work.history[own, loser])
        work.history[own, loser] -= bonus // 2 + value * bonus // (2 * params.history_limit)


@kernel(void(Engine, Table, Node, int64))
def leave_node(engine, table, node, stopped):
    """Learn from a cut-off and keep the result, unless the search was stopped, in the table."""
    plies = max(node.depth // PLY, LEAST_DEPTH)
    if node.bound == LOWER and not node.in_check:
        update_history(engine, node, max(plies, 1))
    if engine.work.excluded[node.level] != 0 or stopped:
        return
    value = node.best
    if value > MATE_BOUND:
        value += node.level
    elif value < -MATE_BOUND:
        value -= node.level
    age = engine.work.age
    data = pack(value, node.static, plies, node.bound, node.best_move, age)
    table_store(table, engine.state.key, data, age)


@kernel(int64(Engine, Arrays, int64, int64, int64, int64, int64))
def engine_search(engine, arrays, alpha, beta, depth, level, cut):
    """Value of the board for the side to move within (alpha, beta), fail-soft.

    ``depth`` is in hundredths of a ply, ``level`` the plies from the root, ``cut`` 1 where a cut-off is
    expected. A stop makes the value meaningless.
    """
    ctl, table, work = arrays.ctl, arrays.table, engine.work
    if count_node(ctl):
        return 0
    ctl[DEEPEST] = max(ctl[DEEPEST], level)
    testing = int64(work.excluded[level] != 0)
    node = arrays.stack[testing, level]
    if node_kernels.enter_node(engine, node, alpha, beta, depth, level, cut):
        return node.value
    if depth <= 0 and not node.in_check:
        return node_kernels.leaf_value(engine, arrays, node)
    if node_kernels.probe_node(engine, table, node):
        return node.value
    node_kernels.evaluate_node(engine, node)
    if node_kernels.prune_node(engine, arrays, node):
        return node.value
    node_kernels.reduce_internally(engine, node)
    node_kernels.catch_up(engine, node)
    if node_kernels.wants_singular_test(engine, node):
        high = node.singular_beta
        low = high - 1
        half = node.depth * engine.params.singular_percent // 100
        work.excluded[level] = node.table_move
        score = engine_search(engine, arrays, low, high, half, level, cut)
        work.excluded[level] = 0
        if ctl[STOP] != 0:
            return 0
        if node_kernels.judge_singular(engine, node, score):
            return high
    if begin_moves(engine, node):
        return node.value
    deeper = level + 1
    expected = int64(1)
    unexpected = int64(0)
    opposite = 1 - cut
    while next_move(engine, node):
        below = make_move(engine, node)
        low = -node.beta
        high = -node.alpha
        zero = high - 1
        score = int64(0)
        full = node.pv and node.tried == 1
        scout = not full
        if node.depth >= engine.params.lmr_start and node.tried > 1 + int64(level == 0) and not node.in_check:
            shallow = node_kernels.reduced_depth(engine, node, below)
            score = -engine_search(engine, arrays, zero, high, shallow, deeper, expected)
            scout = False
            if score > node.alpha and shallow < below and ctl[STOP] == 0:
                below = node_kernels.renewed_depth(engine, node, score, shallow, below)
                scout = shallow < below
        if scout:
            score = -engine_search(engine, arrays, zero, high, below, deeper, opposite)
        if not full:
            full = node.pv and score > node.alpha and (level == 0 or score < node.beta)
        if full and ctl[STOP] == 0:
            score = -engine_search(engine, arrays, low, high, below, deeper, unexpected)
        move_kernels.engine_pop(engine, level)
        if ctl[STOP] != 0 or take_score(engine, node, score):
            break
    if ctl[STOP] != 0 and (level > 0 or node.best == UNTRIED):
        return 0
    if node.tried == 0:
        # Without the excluded move there is none, or all that Black could play is forbidden: where that would
        # stop an open three, the four and the five are still to come.
        lost = level + (4 if node.open_threat else 1) - MATE
        return node.alpha if testing else lost
    leave_node(engine, table, node, ctl[STOP])
    return node.best
