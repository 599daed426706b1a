"""Gumbel search (Danihelka, Guez, Schrittwieser, Silver 2022): selection by completed values.

The root spends its simulations by sequential halving over the moves of the greatest Gumbel score; below
it the visits follow the improved policy. Values are mapped to [0, 1] for the transformation
``sigma(q) = (c_visit + max N) * c_scale * q``.
"""

from __future__ import annotations

import math

from numba import float32, float64, from_dtype, int32, int64, types, void

from wuzi.core.jit import kernel
from wuzi.search.layout import TREE_OPTIONS
from wuzi.search.tree.kernels import Choices, Floats, Grown, Ints32, Stats, TreeNodes, edge_cell, edge_value

Options = from_dtype(TREE_OPTIONS)
Summary = types.UniTuple(float64, 4)

TINY = 1e-30


@kernel(int64(int64, int64, int64))
def considered_visits(index, simulations, considered):
    """How many visits a root move must have to get simulation ``index`` of sequential halving.

    Each of ``ceil(log2(considered))`` rounds shares its simulations equally; then half of the moves stay.
    """
    if considered <= 1:
        return index
    rounds = int64(math.ceil(math.log2(float(considered))))
    width = considered
    level = int64(0)
    while True:
        each = max(int64(1), simulations // (rounds * width))
        if index < each * width:
            return level + index // width
        index -= each * width
        level += each
        width = max(int64(2), width // 2)


@kernel(int64(Stats, int64))
def lost(stats, edge):
    """Whether an edge is proven to lose."""
    return int64(stats[edge].proven < 0)


@kernel(Summary(TreeNodes, Choices, Stats, Options, int64))
def completion(nodes, choices, stats, options, node):
    """(scale of sigma, value of unvisited edges, greatest value, prior of unvisited edges), values in [0, 1].

    Unvisited edges get the mixed value of the paper's appendix D: the node's own value and the visited
    edges' values by prior, each counted with its visits. Edges proven lost are left out.
    """
    first = int64(nodes[node].first)
    visits = 0.0
    most = 0.0
    prior_sum = 0.0
    weighted = 0.0
    best = 0.0
    gone = 0.0
    for e in range(first, first + nodes[node].tried):
        prior = float64(choices[e].prior)
        n = float64(stats[e].visits + stats[e].pending)
        if lost(stats, e):
            gone += prior
            continue
        if n == 0.0:
            continue
        value = (edge_value(stats, e, options.virtual_loss) + 1.0) * 0.5
        visits += n
        most = max(most, n)
        prior_sum += prior
        weighted += prior * value
        best = max(best, value)
    mixed = (float64(nodes[node].value) + 1.0) * 0.5
    if visits > 0.0:
        mixed = (mixed + visits * weighted / max(prior_sum, TINY)) / (1.0 + visits)
    best = max(best, mixed)
    scale = (options.c_visit + most) * options.c_scale
    return scale, mixed, best, max(0.0, 1.0 - prior_sum - gone)


@kernel(int64(TreeNodes, Choices, Stats, Options, int64))
def choose_improved(nodes, choices, stats, options, node):
    """The edge below the root whose visits lag most behind the improved policy."""
    first = int64(nodes[node].first)
    tried = int64(nodes[node].tried)
    scale, mixed, top, rest = completion(nodes, choices, stats, options, node)
    unvisited = math.exp(scale * (mixed - top))
    norm = rest * unvisited
    visits = 0.0
    for e in range(first, first + tried):
        if lost(stats, e):
            continue
        n = float64(stats[e].visits + stats[e].pending)
        visits += n
        if n > 0.0:
            value = (edge_value(stats, e, options.virtual_loss) + 1.0) * 0.5
            norm += choices[e].prior * math.exp(scale * (value - top))
    norm = max(norm, TINY)
    best = int64(-1)
    best_score = -math.inf
    for e in range(first, first + tried):
        if lost(stats, e):
            continue
        n = float64(stats[e].visits + stats[e].pending)
        weight = unvisited
        if n > 0.0:
            value = (edge_value(stats, e, options.virtual_loss) + 1.0) * 0.5
            weight = math.exp(scale * (value - top))
        score = choices[e].prior * weight / norm - n / (1.0 + visits)
        if score > best_score:
            best = e
            best_score = score
    if tried < nodes[node].count:
        e = first + tried
        if choices[e].prior * unvisited / norm > best_score:
            best = e
    return best


@kernel(int64(Grown, Options, Floats, Ints32, int64))
def choose_halving(grown, options, noise, base, size):
    """The root's edge for the next simulation of sequential halving.

    ``noise`` (float32 [cells]) are the Gumbel numbers, ``base`` (int32 [cells]) the visits that edges had
    before this search. Untried moves, which have none of these, are left out at first. Where no move has the
    wanted visits (some were proven lost), the best score goes on.
    """
    tree, nodes, choices, stats = grown
    first = int64(nodes[0].first)
    tried = int64(nodes[0].tried)
    count = int64(nodes[0].count)
    level = considered_visits(tree.started, tree.target, min(options.considered, count))
    scale, mixed, _, _ = completion(nodes, choices, stats, options, 0)
    best = int64(-1)
    best_score = -math.inf
    other = int64(-1)
    other_score = -math.inf
    end = count if level == 0 else tried
    while True:
        for i in range(end):
            e = first + i
            n = int64(0)
            value = mixed
            cell = edge_cell(choices, e, size)
            if i < tried:
                if lost(stats, e):
                    continue
                total = int64(stats[e].visits + stats[e].pending)
                n = total - base[cell]
                if total > 0:
                    value = (edge_value(stats, e, options.virtual_loss) + 1.0) * 0.5
            if n != level and end < count:
                continue
            score = math.log(max(float64(choices[e].prior), TINY)) + noise[cell] + scale * value
            if n == level and score > best_score:
                best = e
                best_score = score
            if score > other_score:
                other = e
                other_score = score
        if best >= 0 or end == count:
            break
        end = count
    return best if best >= 0 else other


@kernel(int64(TreeNodes, Choices, Stats, Options, Floats, Ints32, int64))
def halving_winner(nodes, choices, stats, options, noise, base, size):
    """Cell of the move that sequential halving ends with: of the most visited the one of the best score."""
    first = int64(nodes[0].first)
    scale, mixed, _, _ = completion(nodes, choices, stats, options, 0)
    best = int64(-1)
    best_visits = int64(-1)
    best_score = -math.inf
    for i in range(nodes[0].count):
        e = first + i
        cell = edge_cell(choices, e, size)
        n = int64(0)
        value = mixed
        if i < nodes[0].tried:
            if lost(stats, e) and nodes[0].proven >= 0:
                continue
            n = int64(stats[e].visits) - base[cell]
            if stats[e].visits > 0:
                value = (edge_value(stats, e, 0.0) + 1.0) * 0.5
        score = math.log(max(float64(choices[e].prior), TINY)) + noise[cell] + scale * value
        if n > best_visits or (n == best_visits and score > best_score):
            best = cell
            best_visits = n
            best_score = score
    return best


@kernel(float64(TreeNodes, Choices, Stats, Options, Floats, Floats, int64))
def improved_policy(nodes, choices, stats, options, clean, out, size):
    """The root's improved policy into ``out`` (float32 [cells]): softmax of log prior + sigma(value).

    ``clean`` (float32 [cells]) are the priors without noise. Edges proven lost get nothing unless all are.
    Returns the completed value for the side to move: the sum of policy times value. The mean of the visits
    is no estimate of it, because sequential halving visits moves that it then refutes.
    """
    first = int64(nodes[0].first)
    scale, mixed, top, _ = completion(nodes, choices, stats, options, 0)
    total = 0.0
    expected = 0.0
    for i in range(nodes[0].count):
        e = first + i
        value = mixed
        if i < nodes[0].tried:
            if lost(stats, e):
                continue
            if stats[e].visits > 0:
                value = (edge_value(stats, e, 0.0) + 1.0) * 0.5
        cell = edge_cell(choices, e, size)
        weight = max(float64(clean[cell]), TINY) * math.exp(scale * (value - top))
        out[cell] = float32(weight)
        total += weight
        expected += weight * value
    if total <= 0.0:
        return 2.0 * mixed - 1.0
    for i in range(nodes[0].count):
        cell = edge_cell(choices, first + i, size)
        out[cell] = float32(out[cell] / total)
    return 2.0 * expected / total - 1.0


@kernel(void(TreeNodes, Choices, Stats, Floats, int64, int32))
def proven_policy(nodes, choices, stats, out, size, proven):
    """Equal shares for the root's edges with this proven result into ``out`` (float32 [cells])."""
    first = int64(nodes[0].first)
    n = 0
    for e in range(first, first + nodes[0].tried):
        if stats[e].proven == proven:
            n += 1
    if n == 0:
        return
    out[:] = float32(0.0)
    for e in range(first, first + nodes[0].tried):
        if stats[e].proven == proven:
            out[edge_cell(choices, e, size)] = float32(1.0 / n)
