"""Pure Monte Carlo tree search: UCB1 or PUCT with equal priors in the tree, random games below it."""

from __future__ import annotations

import math
from collections import namedtuple

from numba import from_dtype, int32, int64, types, uint64, void

from wuzi.core.classes import FIVE, OPEN_FOUR
from wuzi.core.jit import kernel
from wuzi.core.layout import (
    BLACK,
    DEEPEST,
    DRAW,
    EMPTY,
    MAX_NODES,
    NODES,
    PAD,
    STOP,
    STRIDE,
    UNDECIDED,
)
from wuzi.core.random_kernels import (
    Lines,
    copy_lines,
    draw_below,
    lines_from_state,
    lines_place,
    random_game,
    random_game_renju,
)
from wuzi.core.rule_kernels import Ints, State, forbidden_kind, mix, push, to_point
from wuzi.search.layout import NODE
from wuzi.tactics.kernels import (
    Patterns,
    Tables,
    find_class,
    pattern_push,
    patterns_from_state,
    rewind,
)

PLAIN, RULE_BOOK, TACTICAL = 0, 1, 2
UCB1, PUCT = 0, 1

Node = from_dtype(NODE)
Nodes = types.Array(Node, 1, "C")

MctsRun = namedtuple("MctsRun", "state patterns tables root work nodes path ctl")
"""The board with its patterns, the bit lines of the root and of a simulation, the tree, the way to its leaf
(int64, scratch) and the control words."""
Running = types.BaseTuple.from_types((State, Patterns, Tables, Lines, Lines, Nodes, Ints, Ints), MctsRun)


@kernel(int64(int64))
def place_to_point(place):
    """Grid point of ``row * 32 + column``."""
    return ((place >> 5) + PAD) * STRIDE + (place & 31) + PAD


@kernel(int64(State, Patterns))
def forced_point(state, patterns):
    """The one move that matters for the side to move, or -1: a five, a stopped five, an open four."""
    side = state.side
    if patterns.counts[side - 1, FIVE] > 0:
        return find_class(state, patterns, side, FIVE)
    if patterns.counts[2 - side, FIVE] > 0:
        point = find_class(state, patterns, 3 - side, FIVE)
        if state.forbids == 1 and side == BLACK and forbidden_kind(state, point) != 0:
            return int64(-1)
        return point
    if patterns.counts[side - 1, OPEN_FOUR] > 0 and state.blockable == 0:
        return find_class(state, patterns, side, OPEN_FOUR)
    return int64(-1)


@kernel(int64(State, Patterns, Lines, Nodes, int64, int64, int64, uint64))
def next_child_place(state, patterns, lines, nodes, node, mode, formula, seed):
    """The next cell to try below ``node``, or -1 when all have been.

    By UCB1 it is a walk of its own for each node, a random start and stride over the board, so that no list
    of untried moves is kept; by PUCT the cells come in their order, as in document 003's program.
    Black's forbidden points are left out in renju. In tactical mode a forced move is the only child.
    """
    size = state.size
    cells = size * size
    if mode == TACTICAL and nodes[node].tried == 0:
        point = forced_point(state, patterns)
        if point >= 0:
            nodes[node].tried = cells
            return (point // STRIDE - PAD) * 32 + point % STRIDE - PAD
    start, stride = int64(0), int64(1)
    if formula == UCB1:
        h = mix(seed ^ uint64(node))
        start = int64(h % uint64(cells))
        stride = 1 + int64((h >> uint64(32)) % uint64(cells - 1)) if cells > 1 else 1
        while math.gcd(stride, cells) != 1:
            stride = stride % (cells - 1) + 1 if cells > 2 else 1
    while nodes[node].tried < cells:
        cell = (start + nodes[node].tried * stride) % cells
        nodes[node].tried += 1
        row, col = cell // size, cell % size
        place = row * 32 + col
        if mode == PLAIN:
            taken = (lines.bits[0, 0, row] | lines.bits[1, 0, row]) >> col
            if not taken & 1:
                return place
            continue
        point = place_to_point(place)
        if state.cells[point] == EMPTY:
            if state.forbids == 0 or state.side != BLACK or forbidden_kind(state, point) == 0:
                return place
    return -1


@kernel(int64(Nodes, int64, int64))
def best_ucb(nodes, node, c_milli):
    """The child with the greatest UCB1 (Auer, Cesa-Bianchi, Fischer 2002), the earliest among equals."""
    log_n = math.log(float(nodes[node].visits))
    c = c_milli * 0.001
    best = int64(0)
    best_score = -1.0
    child = int64(nodes[node].first_child)
    while child != 0:
        n = float(nodes[child].visits)
        score = nodes[child].value_sum / n + c * math.sqrt(log_n / n)
        if score > best_score:
            best_score = score
            best = child
        child = int64(nodes[child].next_sibling)
    return best


@kernel(int64(Nodes, int64, int64, int64, int64))
def best_puct(nodes, node, num_free, c_milli, untried):
    """The child with the greatest Q + U by document 003's formula, the earliest cell among equals; 0 where
    ``untried``, that is, where there are cells without a child, and theirs is greater.

    Q is between -1 and 1, and 0 before the first visit; each of ``num_free`` cells has the same prior.
    """
    u = c_milli * 0.001 / num_free * math.sqrt(float(nodes[node].visits))
    best = int64(0)
    best_score = u if untried else -math.inf
    child = int64(nodes[node].first_child)
    while child != 0:
        n = float(nodes[child].visits)
        score = 2.0 * nodes[child].value_sum / n - 1.0 + u / (1.0 + n)
        if score >= best_score:
            best_score = score
            best = child
        child = int64(nodes[child].next_sibling)
    return best


@kernel(int64(State, Patterns, Tables, Lines))
def tactical_game(state, patterns, tables, lines):
    """Random game that takes fives, stops fives, and counts an unstoppable four as won; its result.

    Exact for the next two plies: a side with a five wins; a side that faces two five points, or an
    open four it cannot answer with five, loses (not so in caro). Black's renju fouls are left out of
    the random moves. Board and patterns end at the final position.
    """
    while state.result == UNDECIDED:
        side = state.side
        opponent = 3 - side
        if patterns.counts[side - 1, FIVE] > 0:
            return side
        chosen = int64(-1)
        if patterns.counts[opponent - 1, FIVE] > 1 and state.blockable == 0:
            return opponent
        renju_black = state.forbids == 1 and side == BLACK
        if patterns.counts[opponent - 1, FIVE] > 0:
            chosen = find_class(state, patterns, opponent, FIVE)
            if renju_black and forbidden_kind(state, chosen) != 0:
                return opponent
        elif patterns.counts[side - 1, OPEN_FOUR] > 0 and state.blockable == 0:
            return side
        else:
            left = state.size * state.size - state.ply
            for _ in range(4 * left + 64):
                point = to_point(draw_below(lines, state.size * state.size), state.size)
                if state.cells[point] != EMPTY:
                    continue
                if renju_black and forbidden_kind(state, point) != 0:
                    continue
                chosen = point
                break
            if chosen < 0:
                for cell in range(state.size * state.size):
                    point = to_point(cell, state.size)
                    if chosen < 0 and state.cells[point] == EMPTY:
                        if not renju_black or forbidden_kind(state, point) == 0:
                            chosen = point
            if chosen < 0:
                return opponent
        pattern_push(state, patterns, tables, chosen)
    return state.result


@kernel(void(Nodes, int64, int64, int64))
def new_node(nodes, node, place, sibling):
    """Make a node one that was never visited."""
    nodes[node].visits = 0
    nodes[node].first_child = 0
    nodes[node].next_sibling = sibling
    nodes[node].place = place
    nodes[node].tried = 0
    nodes[node].value_sum = 0.0
    nodes[node].result = UNDECIDED


@kernel(void(State, Patterns, Tables, Lines, Nodes, Ints, int64))
def mcts_setup(state, patterns, tables, root, nodes, ctl, mode):
    """Prepare a search: node 0 is the root; bit lines or patterns of the board are made."""
    new_node(nodes, 0, 0, 0)
    ctl[NODES] = 0
    ctl[MAX_NODES] = 1
    lines_from_state(state, root)
    if mode == TACTICAL:
        patterns_from_state(state, patterns, tables)


@kernel(int64(State, Patterns, Tables, Lines, int64, int64, int64))
def tree_move(state, patterns, tables, lines, mode, place, color):
    """Make a move in the tree; the game's result after it."""
    if mode == PLAIN:
        if lines_place(lines, place, color):
            return color
        lines.num_free -= 1
        return DRAW if lines.num_free == 0 else UNDECIDED
    if mode == RULE_BOOK:
        push(state, place_to_point(place))
    else:
        pattern_push(state, patterns, tables, place_to_point(place))
    return state.result


@kernel(int64(State, Patterns, Tables, Lines, int64, int64))
def rollout(state, patterns, tables, lines, mode, color):
    """Result of one random game from the leaf; ``color`` is to move."""
    if mode == TACTICAL:
        return tactical_game(state, patterns, tables, lines)
    n = 0
    for i in range(state.size * state.size):
        if n == lines.num_free:
            break
        place = int64(lines.free[i])
        if mode == PLAIN:
            row, col = place >> 5, place & 31
            taken = int64((lines.bits[0, 0, row] | lines.bits[1, 0, row]) >> col) & 1
        else:
            taken = int64(state.cells[place_to_point(place)] != EMPTY)
        if taken == 0:
            lines.free[n] = int32(place)
            n += 1
    lines.num_free = n
    if mode == RULE_BOOK:
        return random_game_renju(state, lines)
    return random_game(lines, color)


@kernel(int64(Running, int64, int64, int64, int64, uint64))
def select_child(run, node, mode, formula, c_milli, seed):
    """The child to go on with, made now if its move was never tried; 0 where there is none.

    UCB1 tries every move first; PUCT tries one where it has the greatest score.
    """
    state, patterns, work, nodes, ctl = run.state, run.patterns, run.work, run.nodes, run.ctl
    cells = state.size * state.size
    num_free = int64(work.num_free) if mode == PLAIN else cells - state.ply
    untried = int64(nodes[node].tried < cells and ctl[MAX_NODES] < len(nodes))
    child = int64(0)
    if formula == PUCT:
        child = best_puct(nodes, node, num_free, c_milli, untried)
    if child == 0 and untried:
        place = next_child_place(state, patterns, work, nodes, node, mode, formula, seed)
        if place >= 0:
            child = ctl[MAX_NODES]
            ctl[MAX_NODES] += 1
            new_node(nodes, child, place, int64(nodes[node].first_child))
            nodes[node].first_child = child
            return child
        untried = int64(0)
    if child == 0:
        if formula == PUCT:
            return best_puct(nodes, node, num_free, c_milli, untried)
        return best_ucb(nodes, node, c_milli)
    return child


@kernel(void(Running, int64, int64, int64, int64))
def mcts_run(run, simulations, c_milli, mode, formula):
    """Run simulations until there were ``simulations`` in all, or a stop, which waits until each move of the
    root may have been tried once; in a full node array they go on below its leaves.

    ``ctl[NODES]`` counts simulations, ``ctl[MAX_NODES]`` nodes in use, ``ctl[DEEPEST]`` the longest
    path. ``c_milli`` is the exploration constant in thousandths; ``mode`` PLAIN (bit lines),
    RULE_BOOK (renju) or TACTICAL; ``formula`` UCB1, or PUCT, by which the first simulation is a game from the
    root. Needs ``mcts_setup`` first.
    """
    state, patterns, tables, root, work, nodes, path, ctl = run
    start = state.ply
    first = state.side
    seed = root.rng
    moves = state.size * state.size - start
    while ctl[NODES] < simulations and (ctl[STOP] == 0 or ctl[NODES] < moves):
        ctl[NODES] += 1
        if mode != TACTICAL:
            copy_lines(root, work)
        node = int64(0)
        length = 0
        color = first
        result = int64(nodes[0].result)
        path[0] = 0
        from_root = formula == PUCT and nodes[0].visits == 0
        while result == UNDECIDED and not from_root:
            child = select_child(run, node, mode, formula, c_milli, seed)
            if child == 0:
                break
            length += 1
            path[length] = child
            result = tree_move(state, patterns, tables, work, mode, int64(nodes[child].place), color)
            color = 3 - color
            node = child
            if nodes[child].visits == 0:
                nodes[child].result = result
                break
        ctl[DEEPEST] = max(ctl[DEEPEST], length)
        if result == UNDECIDED:
            result = rollout(state, patterns, tables, work, mode, color)
        mover = 3 - first
        for i in range(length + 1):
            nodes[path[i]].visits += 1
            if result == DRAW:
                nodes[path[i]].value_sum += 0.5
            elif result == mover:
                nodes[path[i]].value_sum += 1.0
            mover = 3 - mover
        rewind(state, patterns, tables, start, int64(mode == TACTICAL))
