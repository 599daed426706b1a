"""Trees of nodes and edges in flat arrays: growing, backing up, proving, keeping a subtree.

A tree is a record (:data:`wuzi.search.layout.TREE`) and three arrays: nodes, choices (prior and move of
each edge) and stats (what was learned of an edge once it was tried). Blocks of edges lie in the order of
their nodes, and a child has a greater index than its parent.
"""

from __future__ import annotations

import math
from collections import namedtuple

from numba import float32, float64, from_dtype, int32, int64, types, uint64, void

from wuzi.core.jit import kernel
from wuzi.core.layout import BLACK, EMPTY, PAD, STRIDE
from wuzi.core.rule_kernels import Ints, State, forbidden_kind, to_cell
from wuzi.search.layout import PROVEN_DRAW, TREE, TREE_CHOICE, TREE_EDGE, TREE_NODE

Tree = from_dtype(TREE)
TreeNodes = types.Array(from_dtype(TREE_NODE), 1, "C")
Choices = types.Array(from_dtype(TREE_CHOICE), 1, "C")
Stats = types.Array(from_dtype(TREE_EDGE), 1, "C")
Floats = types.Array(float32, 1, "C")
Ints32 = types.Array(int32, 1, "C")

GrownTree = namedtuple("GrownTree", "tree nodes choices stats")
"""A tree: its record and its three arrays."""
Grown = types.BaseTuple.from_types((Tree, TreeNodes, Choices, Stats), GrownTree)

FRESH, PENDING, OPEN = 0, 1, 2


@kernel(void(TreeNodes, int64, int64, int64))
def clear_node(nodes, node, parent, edge):
    """Make ``node`` a fresh child of ``parent``, reached by ``edge``."""
    k = uint64(node)
    nodes[k].first = 0
    nodes[k].parent = parent
    nodes[k].edge = edge
    nodes[k].value = 0.0
    nodes[k].count = 0
    nodes[k].tried = 0
    nodes[k].open = 0
    nodes[k].status = FRESH
    nodes[k].proven = 0


@kernel(void(Stats, int64))
def clear_edge(stats, edge):
    """Make an edge one that was just tried for the first time."""
    e = uint64(edge)
    stats[e].visits = 0
    stats[e].value = 0.0
    stats[e].child = 0
    stats[e].pending = 0
    stats[e].proven = 0


@kernel(void(Tree, TreeNodes, Stats))
def init_root(tree, nodes, stats):
    """Make the tree a lone root of which nothing is known."""
    tree.nodes = 1
    tree.edges = 1
    tree.prepared = 0
    tree.clean = 0
    tree.full = 0
    clear_node(nodes, 0, 0, 0)
    clear_edge(stats, 0)


@kernel(void(Choices, int64, int64))
def swap_choices(choices, a, b):
    """Exchange two untried edges."""
    if a != b:
        choices[a].prior, choices[b].prior = choices[b].prior, choices[a].prior
        choices[a].point, choices[b].point = choices[b].point, choices[a].point


@kernel(void(TreeNodes, Choices, int64))
def bring_best(nodes, choices, node):
    """Put the untried edge of the greatest prior (the smallest point among equals) before the others."""
    k = uint64(node)
    front = int64(nodes[k].first) + int64(nodes[k].tried)
    end = int64(nodes[k].first) + int64(nodes[k].count)
    if front >= end:
        return
    best = front
    prior = choices[uint64(front)].prior
    for e in range(front + 1, end):
        other = choices[uint64(e)].prior
        if other > prior or (other == prior and choices[uint64(e)].point < choices[uint64(best)].point):
            best = e
            prior = other
    swap_choices(choices, front, best)


@kernel(int64(TreeNodes, Choices, Stats, int64, int64))
def try_edge(nodes, choices, stats, node, edge):
    """Make an untried edge a tried one; its place from now on."""
    k = uint64(node)
    front = int64(nodes[k].first) + int64(nodes[k].tried)
    swap_choices(choices, front, edge)
    clear_edge(stats, front)
    nodes[k].tried += 1
    bring_best(nodes, choices, node)
    return front


@kernel(void(TreeNodes, Choices, State, Floats, Ints, int64))
def expand(nodes, choices, state, logits, where, node):
    """Give a node its edges: every empty cell, with the softmax of ``logits`` (float32 [cells]) as priors.

    ``where`` (int64 [cells]) says which logit is a cell's: those of one of the board's symmetries. Black's
    forbidden points are left out in renju while there are others. Without logits (length 0) all priors are
    equal. The edges go where ``nodes[node].first`` says.
    """
    first = int64(nodes[node].first)
    size = state.size
    restricted = state.forbids == 1 and state.side == BLACK
    given = len(logits) > 0
    n = 0
    top = -math.inf
    while True:
        for row in range(size):
            for col in range(size):
                point = (row + PAD) * STRIDE + col + PAD
                if state.cells[uint64(point)] != EMPTY:
                    continue
                if restricted and forbidden_kind(state, point) != 0:
                    continue
                e = uint64(first + n)
                choices[e].point = point
                if given:
                    logit = logits[uint64(where[uint64(row * size + col)])]
                    choices[e].prior = logit
                    if logit > top:
                        top = float64(logit)
                n += 1
        if n > 0 or not restricted:
            break
        restricted = False
    total = float64(n)
    if given:
        total = 0.0
        for i in range(n):
            e = uint64(first + i)
            weight = math.exp(choices[e].prior - top)
            choices[e].prior = float32(weight)
            total += weight
    best = 0
    best_prior = float32(-1.0)
    for i in range(n):
        e = uint64(first + i)
        prior = float32(choices[e].prior / total) if given else float32(1.0 / total)
        choices[e].prior = prior
        if prior > best_prior:
            best = i
            best_prior = prior
    swap_choices(choices, first, first + best)
    nodes[node].count = n
    nodes[node].open = n
    nodes[node].tried = 0
    nodes[node].status = OPEN


@kernel(void(Tree, TreeNodes, Choices, int64, int64))
def expand_forced(tree, nodes, choices, node, point):
    """Give a node the one edge that matters."""
    first = tree.edges
    tree.edges += 1
    choices[first].prior = 1.0
    choices[first].point = point
    nodes[node].first = first
    nodes[node].count = 1
    nodes[node].open = 1
    nodes[node].tried = 0
    nodes[node].status = OPEN


@kernel(float64(int64))
def exact_value(proven):
    """The value of a proven result: 1, 0 or -1."""
    if proven == PROVEN_DRAW:
        return 0.0
    return 1.0 if proven > 0 else -1.0


@kernel(int64(int64))
def proven_for_mover(proven):
    """A proven result as the side sees it that moves there."""
    if proven == PROVEN_DRAW:
        return proven
    return -proven + 1 if proven < 0 else -proven - 1


@kernel(int64(TreeNodes, Stats, int64))
def worst_case(nodes, stats, node):
    """The result of a node all of whose edges are proven and none wins: a draw, or the longest loss."""
    first = int64(nodes[node].first)
    result = int64(0)
    for e in range(first, first + nodes[node].count):
        proven = int64(stats[e].proven)
        if proven == PROVEN_DRAW:
            return proven
        result = min(result, proven)
    return result


@kernel(void(TreeNodes, Stats, int64))
def back_up_proof(nodes, stats, node):
    """Carry the proven result of ``node`` towards the root as far as it decides anything."""
    while node != 0:
        edge = int64(nodes[node].edge)
        parent = int64(nodes[node].parent)
        proven = proven_for_mover(int64(nodes[node].proven))
        stats[edge].proven = proven
        if nodes[parent].proven != 0:
            return
        if proven > 0 and proven != PROVEN_DRAW:
            nodes[parent].proven = proven
        else:
            nodes[parent].open -= 1
            if nodes[parent].open > 0:
                return
            nodes[parent].proven = worst_case(nodes, stats, parent)
        node = parent


@kernel(void(TreeNodes, Stats, int64, float64, int64))
def back_up(nodes, stats, node, value, flying):
    """Enter a visit of ``node`` with ``value`` for its side to move, up to the root.

    The sign turns at each move; a proven node passes on its exact value instead. ``flying`` (0 or
    1) is taken off the pending visits.
    """
    while True:
        k = uint64(node)
        if nodes[k].proven != 0:
            value = exact_value(int64(nodes[k].proven))
        value = -value
        e = uint64(nodes[k].edge)
        visits = stats[e].visits + 1
        stats[e].visits = visits
        mean = float64(stats[e].value)
        stats[e].value = float32(mean + (value - mean) / visits)
        stats[e].pending -= flying
        if node == 0:
            return
        node = int64(nodes[k].parent)


@kernel(void(TreeNodes, Stats, int64))
def mark_pending(nodes, stats, node):
    """Enter a simulation in flight on the way to ``node``."""
    while True:
        k = uint64(node)
        stats[uint64(nodes[k].edge)].pending += 1
        if node == 0:
            return
        node = int64(nodes[k].parent)


@kernel(int64(TreeNodes, Choices, int64))
def find_edge(nodes, choices, point):
    """The root's edge for a point, or -1."""
    first = int64(nodes[0].first)
    for e in range(first, first + nodes[0].count):
        if choices[e].point == point:
            return e
    return int64(-1)


@kernel(void(TreeNodes, int64, int64, int64))
def move_node(nodes, source, target, first):
    """Copy a node to another place, its edges starting at ``first``."""
    nodes[target].first = first
    nodes[target].parent = nodes[source].parent
    nodes[target].edge = nodes[source].edge
    nodes[target].value = nodes[source].value
    nodes[target].count = nodes[source].count
    nodes[target].tried = nodes[source].tried
    nodes[target].open = nodes[source].open
    nodes[target].status = nodes[source].status
    nodes[target].proven = nodes[source].proven


@kernel(int64(Grown, Ints32, int64))
def keep_subtree(grown, places, point):
    """Make the root's child at ``point`` the root and close the gaps; whether there was such a child.

    ``places`` (int32 [nodes]) is scratch: the new index of each node, or -1. As nodes and their edges
    only move towards the front, in order, nothing is overwritten before it was read.
    """
    tree, nodes, choices, stats = grown
    edge = find_edge(nodes, choices, point)
    if edge < 0 or edge >= nodes[0].first + nodes[0].tried or stats[edge].child == 0:
        return 0
    top = int64(stats[edge].child)
    kept = 1
    places[top] = 0
    for k in range(top + 1, tree.nodes):
        parent = int64(nodes[k].parent)
        if parent >= top and places[parent] >= 0:
            places[k] = kept
            kept += 1
        else:
            places[k] = -1
    stats[0].visits = stats[edge].visits
    stats[0].value = stats[edge].value
    stats[0].proven = 0
    nodes[top].parent = 0
    nodes[top].edge = 0
    next_edge = 1
    for k in range(top, tree.nodes):
        if places[k] < 0:
            continue
        first = int64(nodes[k].first)
        for i in range(nodes[k].count):
            choices[next_edge + i].prior = choices[first + i].prior
            choices[next_edge + i].point = choices[first + i].point
        for i in range(nodes[k].tried):
            old = first + i
            new = next_edge + i
            child = int64(stats[old].child)
            stats[new].visits = stats[old].visits
            stats[new].value = stats[old].value
            stats[new].child = places[child] if child != 0 else 0
            stats[new].pending = 0
            stats[new].proven = stats[old].proven
            if child != 0:
                nodes[child].edge = new
                nodes[child].parent = places[k]
        move_node(nodes, k, int64(places[k]), next_edge)
        next_edge += nodes[places[k]].count
    tree.nodes = kept
    tree.edges = next_edge
    tree.clean = 0
    tree.prepared = 0
    tree.full = 0
    return 1


@kernel(float64(Stats, int64, float64))
def edge_value(stats, edge, virtual_loss):
    """The mean value of a tried edge for its mover, simulations in flight counted as losses."""
    e = uint64(edge)
    proven = stats[e].proven
    if proven != 0:
        return exact_value(int64(proven))
    pending = stats[e].pending
    value = float64(stats[e].value)
    if pending == 0:
        return value
    visits = stats[e].visits
    return (value * visits - virtual_loss * pending) / (visits + pending)


@kernel(int64(Choices, int64, int64))
def edge_cell(choices, edge, size):
    """Cell of an edge's move."""
    return to_cell(int64(choices[uint64(edge)].point), size)
