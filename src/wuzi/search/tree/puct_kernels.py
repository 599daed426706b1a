"""One simulation of a search guided by a net: the way down a tree to a position that the net has to see.

Fives, forced blocks, open fours and, if wanted, wins by fours are decided before the net.
"""

from __future__ import annotations

import math
from collections import namedtuple

from numba import float64, int64, types, uint64, void

from wuzi.core.classes import FIVE, OPEN_FOUR
from wuzi.core.jit import kernel
from wuzi.core.layout import BLACK, DRAW, UNDECIDED
from wuzi.core.rule_kernels import SIDE_KEY, Ints, State, forbidden_kind, push, zobrist
from wuzi.search.layout import PROVEN_DRAW
from wuzi.search.tree import kernels as trees
from wuzi.search.tree.gumbel_kernels import Options, choose_halving, choose_improved
from wuzi.search.tree.kernels import PENDING, Choices, Floats, Grown, Ints32, Stats, Tree, TreeNodes, back_up
from wuzi.tactics.kernels import Patterns, Tables, find_class, pattern_push, recount_point, toggle
from wuzi.tactics.vcf_kernels import WIN, Entries, Vcf, vcf_within

PUCT, GUMBEL = 0, 1
ZERO, PARENT, SIBLINGS = 0, 1, 2
NO_TACTICS, FIVES, VCF = 0, 1, 2
BACKED, COLLISION, FULL = -1, -2, -3
MAX_FOURS = 24

SearchBoard = namedtuple("SearchBoard", "state patterns tables vcf entries ctl")
"""The board of a search with its patterns, and what the search for wins by fours needs."""
Board = types.BaseTuple.from_types((State, Patterns, Tables, Vcf, Entries, Ints), SearchBoard)


@kernel(int64(TreeNodes, Choices, Stats, Options, int64))
def choose_puct(nodes, choices, stats, options, node):
    """The edge of the greatest ``value + c * prior * sqrt(N) / (1 + n)``, the earliest among equals.

    N counts the node's visits, its own evaluation included. ``c`` is ``c_puct + c_log * log((N + c_base)
    / c_base)``. An untried edge has the value that ``unvisited`` says: ZERO; PARENT, the node's own
    mean less ``reduction`` times the root of the tried edges' prior; SIBLINGS, the mean of its tried
    siblings (0 when there are none). Edges proven lost are not chosen.
    """
    k = uint64(node)
    way = uint64(nodes[k].edge)
    total = float64(stats[way].visits + stats[way].pending)
    c = options.c_puct
    if options.c_log > 0.0:
        c += options.c_log * math.log((total + options.c_base) / options.c_base)
    c *= math.sqrt(total)
    first = int64(nodes[k].first)
    tried = int64(nodes[k].tried)
    best = int64(-1)
    best_score = -math.inf
    seen = 0.0
    value_sum = 0.0
    visit_sum = 0.0
    for e in range(first, first + tried):
        u = uint64(e)
        prior = float64(choices[u].prior)
        visits = float64(stats[u].visits)
        value = float64(stats[u].value)
        proven = stats[u].proven
        pending = stats[u].pending
        seen += prior
        if pending != 0:
            flying = float64(pending)
            value = (value * visits - options.virtual_loss * flying) / (visits + flying)
            visits += flying
        if proven != 0:
            if proven < 0:
                continue
            value = trees.exact_value(int64(proven))
        value_sum += value * visits
        visit_sum += visits
        score = value + c * prior / (1.0 + visits)
        if score > best_score:
            best = e
            best_score = score
    if tried < nodes[k].count:
        e = first + tried
        value = 0.0
        if options.unvisited == PARENT:
            value = -float64(stats[way].value) - options.reduction * math.sqrt(seen)
        elif options.unvisited == SIBLINGS and visit_sum > 0.0:
            value = value_sum / visit_sum
        if value + c * choices[uint64(e)].prior > best_score:
            best = e
    return best


@kernel(int64(Tree, Board, int64))
def decide(tree, board, fours):
    """What can be proved at once of an undecided position, 0 for nothing; ``tree.move`` is the point for it.

    An own five; two opponent's fives; an own open four (or two fours) when the opponent has no five; a win by
    fours within ``fours`` positions. When nothing is proved, ``tree.move`` is the one opponent's five that
    must be blocked, or 0. Caro, where rows can be spoiled from outside, knows own fives only.
    """
    state, patterns, tables, vcf, entries, ctl = board
    side = state.side
    tree.move = 0
    if patterns.counts[side - 1, FIVE] > 0:
        tree.move = find_class(state, patterns, side, FIVE)
        return int64(2)
    if state.blockable != 0:
        return int64(0)
    opponent_fives = patterns.counts[2 - side, FIVE]
    if opponent_fives > 0:
        tree.move = find_class(state, patterns, 3 - side, FIVE)
        if opponent_fives > 1:
            return int64(-3)
        if state.forbids == 1 and side == BLACK and forbidden_kind(state, tree.move) != 0:
            return int64(-3)
    elif patterns.counts[side - 1, OPEN_FOUR] > 0:
        tree.move = find_class(state, patterns, side, OPEN_FOUR)
        return int64(4)
    if fours > 0 and vcf_within(state, patterns, tables, vcf, entries, ctl, MAX_FOURS, fours) == WIN:
        tree.move = int64(vcf.line[0])
        return int64(vcf.distance) + 1
    return int64(0)


@kernel(void(State, Patterns, Tables, int64, int64))
def step_on(state, patterns, tables, point, tactical):
    """Make a move that is known not to end the game: as ``push``, without looking for rows."""
    color = state.side
    if tactical:
        toggle(state, patterns, tables, point, color)
        recount_point(patterns, point, -1)
    state.cells[uint64(point)] = color
    state.history[uint64(state.ply)] = point
    state.key ^= zobrist(point, color) ^ uint64(SIDE_KEY)
    state.ply += 1
    state.side = 3 - color


@kernel(int64(Grown, Board, Options, Floats, Ints32))
def simulate(grown, board, options, noise, base):
    """Go down to a position that the net has to see; its node, the board left there.

    BACKED: the way ended in a proven result, which was entered. COLLISION: it ended in a position that
    is being evaluated. FULL: there is no room for another node.
    """
    tree, nodes, choices, stats = grown
    state, patterns, tables = board.state, board.patterns, board.tables
    node = int64(0)
    depth = 0
    tactical = options.tactics != NO_TACTICS
    fours = options.vcf_tree if options.tactics == VCF else 0
    cells = state.size * state.size
    while True:
        if nodes[uint64(node)].proven != 0:
            tree.started += 1
            tree.done += 1
            back_up(nodes, stats, node, 0.0, 0)
            return BACKED
        if nodes[uint64(node)].status == PENDING:
            return COLLISION
        if options.form != GUMBEL:
            edge = choose_puct(nodes, choices, stats, options, node)
        elif node == 0:
            edge = choose_halving(grown, options, noise, base, state.size)
        else:
            edge = choose_improved(nodes, choices, stats, options, node)
        front = int64(nodes[uint64(node)].first) + int64(nodes[uint64(node)].tried)
        child = int64(stats[uint64(edge)].child) if edge < front else int64(0)
        depth += 1
        if child != 0:
            point = int64(choices[uint64(edge)].point)
            if nodes[uint64(child)].proven == 0:
                step_on(state, patterns, tables, point, int64(tactical))
            node = child
            continue
        if tree.nodes == len(nodes) or tree.edges + cells > len(choices):
            return FULL
        if edge >= front:
            edge = trees.try_edge(nodes, choices, stats, node, edge)
        child = tree.nodes
        tree.nodes += 1
        trees.clear_node(nodes, child, node, edge)
        stats[edge].child = child
        if depth > tree.deepest:
            tree.deepest = depth
        if tactical:
            pattern_push(state, patterns, tables, int64(choices[edge].point))
        else:
            push(state, int64(choices[edge].point))
        node = child
        proven = int64(0)
        forced = int64(0)
        if state.result != UNDECIDED:
            proven = int64(-1)
            if state.result == DRAW:
                proven = int64(PROVEN_DRAW)
            elif state.result == state.side:
                proven = int64(1)
        elif tactical:
            proven = decide(tree, board, fours)
            forced = tree.move
        nodes[node].proven = proven
        if proven != 0:
            if options.proofs:
                trees.back_up_proof(nodes, stats, node)
        elif forced != 0:
            trees.expand_forced(tree, nodes, choices, node, forced)
        else:
            nodes[node].first = tree.edges
            tree.edges += cells - state.ply
            nodes[node].status = PENDING
            tree.started += 1
            trees.mark_pending(nodes, stats, node)
            return node
