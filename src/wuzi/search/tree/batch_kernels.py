"""Searches guided by a net over a batch of trees.

The net is not called here: ``collect`` fills board records of positions to evaluate, ``absorb`` takes
their logits and values, ``read_root`` says what was found.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np
from numba import float32, float64, from_dtype, int16, int32, int64, types, uint64, void

from wuzi.core.batch_kernels import States
from wuzi.core.jit import kernel
from wuzi.core.layout import GRID
from wuzi.core.rule_kernels import Ints, State, mix, push, take_rule
from wuzi.nets.planes_kernels import Planes, tactical18_of_patterns
from wuzi.search.layout import TREE, TREE_CHOICE, TREE_EDGE, TREE_NODE
from wuzi.search.tree import kernels as grow
from wuzi.search.tree.gumbel_kernels import Options, halving_winner, improved_policy, proven_policy
from wuzi.search.tree.kernels import (
    FRESH,
    OPEN,
    PENDING,
    Choices,
    Floats,
    Grown,
    GrownTree,
    Ints32,
    Tree,
    TreeNodes,
    edge_cell,
)
from wuzi.search.tree.puct_kernels import (
    COLLISION,
    FULL,
    GUMBEL,
    NO_TACTICS,
    VCF,
    Board,
    SearchBoard,
    decide,
    simulate,
)
from wuzi.tactics.kernels import Tables, pattern_push, patterns_from_state, rewind
from wuzi.tactics.layout import PATTERNS
from wuzi.tactics.vcf_kernels import Entries, Vcf

Trees = types.Array(from_dtype(TREE), 1, "C")
AllNodes = types.Array(from_dtype(TREE_NODE), 2, "C")
AllChoices = types.Array(from_dtype(TREE_CHOICE), 2, "C")
AllStats = types.Array(from_dtype(TREE_EDGE), 2, "C")
AllPatterns = types.Array(from_dtype(PATTERNS), 1, "C")
Floats2 = types.Array(float32, 2, "C")
Ints2 = types.Array(int32, 2, "C")
Proofs2 = types.Array(int16, 2, "C")

TreeBatch = namedtuple(
    "TreeBatch",
    "trees nodes choices stats places states patterns tables vcf entries ctl options"
    " noise priors visits_before",
)
"""Trees of many games, the boards at their roots, and what their searches share.

``trees`` [games], ``nodes``, ``choices`` and ``stats`` [games, capacity] are described in
:mod:`wuzi.search.layout`; ``places`` (int32 [nodes]) is scratch; ``patterns`` has one record a game, or one
in all without tactics; ``vcf``, ``entries`` and ``ctl`` belong to the search for wins by fours. By game and
cell: ``noise``, the root's ``priors`` without it, and the ``visits_before`` this search.
"""

Leaves = namedtuple("Leaves", "states trees nodes turns maps planes")
"""Positions for the net: boards, the tree and node each belongs to, and the orientation that the net sees.

``maps[turn]`` (int64 [8, cells]) says at which cell each cell is written and read from the logits.
``planes`` (float32 [leaves, 18, cells]) takes the planes ``tactical18-v1``; without rows it is left alone.
"""

RootRows = namedtuple("RootRows", "visits values proofs policy")
"""What searches found, by game and cell: int32, float32, int16, float32."""

Batch = types.BaseTuple.from_types(
    (
        *(Trees, AllNodes, AllChoices, AllStats, Ints32, States, AllPatterns, Tables),
        *(Vcf, Entries, Ints, Options, Floats2, Floats2, Ints2),
    ),
    TreeBatch,
)
Maps = types.Array(int64, 2, "C")
LeafArrays = types.BaseTuple.from_types((States, Ints, Ints, Ints, Maps, Planes), Leaves)
Rows = types.BaseTuple.from_types((Ints2, Floats2, Proofs2, Floats2), RootRows)

PATIENCE = 256
"""Simulations of a tree that end without the net before the others get their turn."""


@kernel(void(State, State))
def copy_state(source, target):
    """Copy a board record; of the history as much as was played."""
    for point in range(GRID):
        target.cells[point] = source.cells[point]
    for i in range(source.ply):
        target.history[i] = source.history[i]
    target.size = source.size
    target.win_length = source.win_length
    take_rule(target, source)
    target.ply = source.ply
    target.side = source.side
    target.result = source.result
    target.reason = source.reason
    target.key = source.key


@kernel(void(Grown, Board, Options))
def look_at_root(grown, board, options):
    """Decide the root by tactics if they can: it gets one edge, or its winning edge is marked."""
    tree, nodes, choices, stats = grown
    if options.tactics == NO_TACTICS or (nodes[0].status == OPEN and nodes[0].proven != 0):
        return
    fours = options.vcf_root if options.tactics == VCF else 0
    proven = decide(tree, board, fours)
    if nodes[0].status == FRESH:
        nodes[0].proven = proven
        if tree.move == 0:
            return
        grow.expand_forced(tree, nodes, choices, 0, tree.move)
    if proven == 0 or (nodes[0].status == OPEN and proven < 0 and nodes[0].count > 1):
        return
    nodes[0].proven = proven
    edge = grow.find_edge(nodes, choices, tree.move)
    if edge >= nodes[0].first + nodes[0].tried:
        edge = grow.try_edge(nodes, choices, stats, 0, edge)
    if edge >= 0:
        stats[edge].proven = proven


@kernel(void(Tree, TreeNodes, Choices, Floats, int64))
def save_priors(tree, nodes, choices, priors, size):
    """Keep the root's priors by cell in ``priors`` (float32 [cells]), once, before noise changes them."""
    if tree.clean != 0:
        return
    priors[:] = float32(0.0)
    first = int64(nodes[0].first)
    for e in range(first, first + nodes[0].count):
        priors[edge_cell(choices, e, size)] = choices[e].prior
    tree.clean = int64(nodes[0].status == OPEN)


@kernel(void(Grown, Options, Floats, Floats, Ints32, int64))
def prepare_root(grown, options, noise, priors, base, size):
    """Make an expanded root ready for a search: its priors kept, noise mixed in, visits noted.

    ``noise`` (float32 [cells]) are gamma variates for PUCT: shared out over the legal moves they are a
    Dirichlet sample. A root of one move is worth one simulation.
    """
    tree, nodes, choices, stats = grown
    first = int64(nodes[0].first)
    count = int64(nodes[0].count)
    save_priors(tree, nodes, choices, priors, size)
    base[:] = 0
    fraction = 0.0 if options.form == GUMBEL else options.noise_fraction
    total = 0.0
    if fraction > 0.0:
        for e in range(first, first + count):
            total += noise[edge_cell(choices, e, size)]
    for i in range(count):
        e = first + i
        cell = edge_cell(choices, e, size)
        prior = float64(priors[cell])
        if total > 0.0:
            prior = (1.0 - fraction) * prior + fraction * noise[cell] / total
        choices[e].prior = float32(prior)
        if i < nodes[0].tried:
            base[cell] = stats[e].visits
    grow.bring_best(nodes, choices, 0)
    if count == 1:
        tree.target = min(tree.target, int64(1))
    tree.prepared = 1


@kernel(int64(Batch, LeafArrays))
def collect(batch, leaves):
    """Take every tree that wants simulations to its next positions for the net; how many there are."""
    tables, options = batch.tables, batch.options
    # Not a kernel of its own for a leaf: passing it all these arrays would take 5 % of the time.
    boards, maps, planes = leaves.states, leaves.maps, leaves.planes
    turns, of_trees, of_nodes = leaves.turns, leaves.trees, leaves.nodes
    n = int64(0)
    tactical = int64(options.tactics != NO_TACTICS)
    for t in range(len(batch.trees)):
        tree = batch.trees[t]
        if tree.started >= tree.target:
            continue
        nodes, choices, stats, state = batch.nodes[t], batch.choices[t], batch.stats[t], batch.states[t]
        noise, before = batch.noise[t], batch.visits_before[t]
        own = batch.patterns[t] if tactical else batch.patterns[0]
        grown = GrownTree(tree, nodes, choices, stats)
        board = SearchBoard(state, own, tables, batch.vcf, batch.entries, batch.ctl)
        size, ply = state.size, state.ply
        asking = False
        if tree.prepared == 0:
            if nodes[0].status == FRESH:
                nodes[0].proven = 0
            look_at_root(grown, board, options)
            asking = nodes[0].status == FRESH
            if asking:
                nodes[0].first = tree.edges
                tree.edges += size * size - ply
                nodes[0].status = PENDING
            else:
                prepare_root(grown, options, noise, batch.priors[t], before, size)
        found = 0
        for _ in range(PATIENCE):
            node = int64(0)
            if not asking:
                if nodes[0].proven != 0:
                    tree.target = tree.started
                if tree.started >= tree.target or found == options.batch:
                    break
                node = simulate(grown, board, options, noise, before)
            if node >= 0:
                turn = int64(0)
                if options.random_symmetry != 0:
                    turn = int64(uint64(mix(state.key ^ uint64(tree.turning)) >> uint64(61)))
                copy_state(state, boards[n])
                if len(planes) > 0:
                    tactical18_of_patterns(state, own, maps[turn], planes, n)
                turns[n], of_trees[n], of_nodes[n] = turn, t, node
                n += 1
                found += 1
            rewind(state, own, tables, ply, tactical)
            if node == FULL:
                tree.full = 1
                tree.target = tree.started
            if asking or node == COLLISION:
                break
    return n


@kernel(int64(Trees, AllNodes, AllChoices, AllStats, LeafArrays, Floats2, Floats, int64))
def absorb(trees, nodes, choices, stats, leaves, logits, values, n):
    """Take in the net's logits [n, cells] and values [n] (for the side to move) of the first ``n`` leaves.

    Returns 0, with nothing taken in, if there are numbers that are not finite.
    """
    sound = True
    for i in range(n):
        sound &= math.isfinite(values[i])
        for cell in range(logits.shape[1]):
            sound &= math.isfinite(logits[i, cell])
    if not sound:
        return 0
    for i in range(n):
        t = leaves.trees[i]
        node = leaves.nodes[i]
        tree = trees[t]
        where = leaves.maps[leaves.turns[i]]
        grow.expand(nodes[t], choices[t], leaves.states[i], logits[i], where, node)
        nodes[t, node].value = values[i]
        tree.evaluated += 1
        grow.back_up(nodes[t], stats[t], node, float64(values[i]), int64(node != 0))
        tree.done += int64(node != 0)
    return 1


@kernel(int64(Batch, int64, int64))
def advance(batch, t, point):
    """Play a move in game ``t``; its subtree is kept. Returns how many nodes of it were (0: none)."""
    tree, state = batch.trees[t], batch.states[t]
    grown = GrownTree(tree, batch.nodes[t], batch.choices[t], batch.stats[t])
    kept = grow.keep_subtree(grown, batch.places, point)
    if batch.options.tactics != NO_TACTICS:
        pattern_push(state, batch.patterns[t], batch.tables, point)
    else:
        push(state, point)
    return tree.nodes if kept else int64(0)


@kernel(void(States, AllPatterns, Tables, int64))
def enter_board(states, patterns, tables, t):
    """Compute the patterns of game ``t`` from its board."""
    patterns_from_state(states[t], patterns[t], tables)


@kernel(int64(Batch, Rows, int64))
def read_root(batch, rows, t):
    """What the search of game ``t`` found, by cell, into row ``t`` of the arrays.

    ``visits``; ``values`` of the moves for the side to move (0 where untried); ``proofs``; ``policy``,
    the target: the improved policy (Gumbel) or the shares of visits (PUCT; the priors while there are
    none). A proven root has equal shares on the moves that keep its result, and moves proven lost have
    none while there are others. The tree's ``value`` becomes the root's for the side to move: exact where
    it is proven, else the completed value (Gumbel) or the mean of all simulations (PUCT). Returns the cell
    to play, that of sequential halving or of the most visits (the greatest prior among equals), or -1
    while nothing is known of the root.
    """
    nodes, choices, stats, options = batch.nodes[t], batch.choices[t], batch.stats[t], batch.options
    priors, noise, before = batch.priors[t], batch.noise[t], batch.visits_before[t]
    visits, values, proofs, policy = rows.visits[t], rows.values[t], rows.proofs[t], rows.policy[t]
    size = batch.states[t].size
    save_priors(batch.trees[t], nodes, choices, priors, size)
    first, count, tried = int64(nodes[0].first), int64(nodes[0].count), int64(nodes[0].tried)
    proven = int64(nodes[0].proven)
    visits[:] = 0
    values[:] = float32(0.0)
    proofs[:] = 0
    policy[:] = float32(0.0)
    total = 0.0
    best = int64(-1)
    best_visits = -1.0
    best_prior = float32(0.0)
    for i in range(count):
        e = first + i
        cell = edge_cell(choices, e, size)
        shares = 0.0
        if i < tried:
            visits[cell] = stats[e].visits
            values[cell] = float32(grow.edge_value(stats, e, 0.0))
            proofs[cell] = stats[e].proven
            shares = float64(stats[e].visits) if stats[e].proven >= 0 or proven < 0 else -0.5
        policy[cell] = float32(max(shares, 0.0))
        total += max(shares, 0.0)
        prior = priors[cell]
        if shares > best_visits or (shares == best_visits and prior > best_prior):
            best = cell
            best_visits = shares
            best_prior = prior
    if total > 0.0:
        for cell in range(size * size):
            policy[cell] = float32(policy[cell] / total)
    else:
        for cell in range(size * size):
            policy[cell] = priors[cell]
    value = -float64(stats[0].value)
    if options.form == GUMBEL and count > 0:
        policy[:] = float32(0.0)
        value = improved_policy(nodes, choices, stats, options, priors, policy, size)
        best = halving_winner(nodes, choices, stats, options, noise, before, size)
    if proven != 0:
        value = grow.exact_value(proven)
        proven_policy(nodes, choices, stats, policy, size, proven)
        for cell in range(size * size):
            if policy[cell] > policy[best]:
                best = cell
    batch.trees[t].value = value
    return best


@kernel(int64(Batch, int64, int64))
def search_uniform(batch, t, simulations):
    """Search the fresh tree ``t`` with equal priors and value 0 in place of a net; the simulations done.

    The benchmark of the tree alone.
    """
    tree, nodes, choices, stats = batch.trees[t], batch.nodes[t], batch.choices[t], batch.stats[t]
    state, tables, options = batch.states[t], batch.tables, batch.options
    noise, before = batch.noise[t], batch.visits_before[t]
    ply, size = state.ply, state.size
    tactical = int64(options.tactics != NO_TACTICS)
    patterns = batch.patterns[t] if tactical else batch.patterns[0]
    grown = GrownTree(tree, nodes, choices, stats)
    board = SearchBoard(state, patterns, tables, batch.vcf, batch.entries, batch.ctl)
    nothing, nowhere = np.empty(0, np.float32), np.empty(0, np.int64)
    nodes[0].first = tree.edges
    tree.edges += size * size - ply
    grow.expand(nodes, choices, state, nothing, nowhere, 0)
    grow.back_up(nodes, stats, 0, 0.0, 0)
    prepare_root(grown, options, noise, batch.priors[t], before, size)
    tree.target = simulations
    while tree.done < simulations and nodes[0].proven == 0:
        node = simulate(grown, board, options, noise, before)
        if node >= 0:
            grow.expand(nodes, choices, state, nothing, nowhere, node)
            grow.back_up(nodes, stats, node, 0.0, 1)
            tree.done += 1
        rewind(state, patterns, tables, ply, tactical)
        if node == FULL:
            break
    tree.target = tree.done
    return tree.done
