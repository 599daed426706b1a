"""What happens in self-play between two searches of a game, for many games in one call."""

from __future__ import annotations

import math

from numba import float32, float64, int16, int64, types, void

from wuzi.core.jit import kernel
from wuzi.core.kernels import to_point
from wuzi.core.layout import EMPTY
from wuzi.search.tree.forest_kernels import (
    AllChoices,
    AllNodes,
    AllPatterns,
    AllStats,
    Floats2,
    Ints2,
    Proofs2,
    States,
    Trees,
    advance,
    read_root,
)
from wuzi.search.tree.gumbel_kernels import Options
from wuzi.search.tree.kernels import Ints32, exact_value, plant
from wuzi.search.tree.puct_kernels import Ints
from wuzi.tactics.kernels import Tables

Doubles = types.Array(float64, 1, "C")
Shorts2 = types.Array(int16, 2, "C")

ROUNDED = 65535.0
"""Shares of a policy are written down as multiples of one over this."""


@kernel(int64(Floats2, int64, int64, float64, float64))
def draw_cell(policy, t, best, temperature, draw):
    """A cell in proportion to ``policy[t] ** (1 / temperature)``, by a number from 0 to 1; ``best`` at 0."""
    if temperature <= 0.0:
        return best
    cells = policy.shape[1]
    top = float32(0.0)
    for cell in range(cells):
        top = max(top, policy[t, cell])
    total = 0.0
    for cell in range(cells):
        if policy[t, cell] > 0.0:
            total += (float64(policy[t, cell]) / top) ** (1.0 / temperature)
    wanted = draw * total
    last = best
    total = 0.0
    for cell in range(cells):
        if policy[t, cell] > 0.0:
            total += (float64(policy[t, cell]) / top) ** (1.0 / temperature)
            last = cell
            if total > wanted:
                break
    return last


@kernel(int64(Floats2, int64, Shorts2, Floats2, int64))
def write_policy(policy, t, cells, shares, i):
    """The cells with a share in ``policy[t]`` and their rounded shares into row ``i``; how many."""
    n = 0
    best = 0
    for cell in range(policy.shape[1]):
        if policy[t, cell] > policy[t, best]:
            best = cell
        share = math.floor(float64(policy[t, cell]) * ROUNDED + 0.5)
        if share > 0.0:
            cells[i, n] = cell
            shares[i, n] = float32(share / ROUNDED)
            n += 1
    if n == 0:
        cells[i, 0] = best
        shares[i, 0] = float32(1.0)
        n = 1
    return n


@kernel(
    void(
        *(Trees, AllNodes, AllChoices, AllStats, States, Options, Floats2, Floats2, Ints2),
        *(Ints2, Floats2, Proofs2, Floats2),
        *(Ints, Doubles, Doubles, Ints, Doubles, Shorts2, Floats2, Ints),
    )
)
def conclude(
    trees,
    nodes,
    choices,
    stats,
    states,
    options,
    noise,
    clean,
    base,
    visits,
    values,
    proofs,
    policy,
    games,
    temperatures,
    draws,
    moves,
    worth,
    cells,
    shares,
    counts,
):
    """Read the roots of ``games`` (int64 [n]) and choose their moves.

    Args: as of ``read_root``, then for each game a temperature and a number
    from 0 to 1 to draw by; into ``moves`` (int64 [n]) go the chosen cells, into ``worth`` (float64 [n]) the
    roots' values, into the first ``counts[i]`` of ``cells`` and ``shares`` [n, cells] the policies.
    """
    for i in range(len(games)):
        t = games[i]
        best = read_root(
            trees,
            nodes,
            choices,
            stats,
            states,
            options,
            noise,
            clean,
            base,
            visits,
            values,
            proofs,
            policy,
            t,
        )
        if nodes[t, 0].proven != 0:
            worth[i] = exact_value(int64(nodes[t, 0].proven))
        else:
            worth[i] = -float64(stats[t, 0].value)
        moves[i] = draw_cell(policy, t, best, temperatures[i], draws[i])
        counts[i] = write_policy(policy, t, cells, shares, i)


@kernel(
    int64(
        *(Trees, AllNodes, AllChoices, AllStats, States, AllPatterns, Tables, Ints32),
        *(Ints, Ints, int64, int64, Ints),
    )
)
def play_all(
    trees, nodes, choices, stats, states, patterns, tables, places, games, moves, tactical, reuse, results
):
    """Play the cells ``moves`` in ``games``; each game's result (0 while it goes on) into ``results``.

    Returns how many were played: the move after these is no legal one.
    """
    for i in range(len(games)):
        t = games[i]
        point = to_point(moves[i], states[t].size)
        if states[t].cells[point] != EMPTY or states[t].result != 0:
            return i
        kept = advance(trees, nodes, choices, stats, states, patterns, tables, places, t, point, tactical)
        if kept == 0 or reuse == 0:
            plant(trees[t], nodes[t], stats[t])
        trees[t].target = 0
        trees[t].started = 0
        trees[t].done = 0
        results[i] = states[t].result
    return len(games)


@kernel(int64(Trees, Ints, Ints))
def start_all(trees, games, simulations):
    """Begin searches of ``games``; the greatest number of nodes that a tree will need."""
    most = int64(0)
    for i in range(len(games)):
        tree = trees[games[i]]
        tree.target = simulations[i]
        tree.started = 0
        tree.done = 0
        tree.prepared = 0
        tree.full = 0
        most = max(most, int64(tree.nodes) + simulations[i] + simulations[i] // 4)
    return most
