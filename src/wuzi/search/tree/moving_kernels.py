"""What happens in self-play between two searches of a game, for many games in one call."""

from __future__ import annotations

import math
from collections import namedtuple

from numba import float32, float64, int16, int64, types, void

from wuzi.core.batch_kernels import can_be_won
from wuzi.core.jit import kernel
from wuzi.core.layout import DRAW, EMPTY, UNDECIDED
from wuzi.core.rule_kernels import Ints, to_point
from wuzi.search.tree.batch_kernels import Batch, Floats2, Rows, Trees, advance, read_root
from wuzi.search.tree.gumbel_kernels import TINY
from wuzi.search.tree.kernels import plant

Doubles = types.Array(float64, 1, "C")
Shorts2 = types.Array(int16, 2, "C")

ChosenMoves = namedtuple("ChosenMoves", "moves values surprises decided cells shares counts")
"""Chosen cells (int64 [n]), the roots' values and the policies' divergence from the net's (float64 [n]), and
whether roots are forced or proven (int64 [n]); the policies are the first ``counts[i]`` of ``cells`` (int16)
and ``shares`` (float32) [n, cells]."""

Chosen = types.BaseTuple.from_types((Ints, Doubles, Doubles, Ints, Shorts2, Floats2, Ints), ChosenMoves)

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


@kernel(float64(Floats2, Floats2, int64))
def surprise(policy, priors, t):
    """The divergence of ``policy[t]`` from ``priors[t]`` in nats: what a search found out."""
    total = 0.0
    for cell in range(policy.shape[1]):
        share = float64(policy[t, cell])
        if share > 0.0:
            total += share * math.log(share / max(float64(priors[t, cell]), TINY))
    return max(total, 0.0)


@kernel(void(Batch, Rows, Chosen, Ints, Doubles, Doubles))
def conclude(batch, rows, chosen, games, temperatures, draws):
    """Read the roots of ``games`` (int64 [n]) and choose their moves.

    For each game there is a temperature and a number from 0 to 1 to draw by (float64 [n]).
    """
    for i in range(len(games)):
        t = games[i]
        best = read_root(batch, rows, t)
        chosen.values[i] = batch.trees[t].value
        chosen.surprises[i] = surprise(rows.policy, batch.priors, t)
        chosen.decided[i] = int64(batch.nodes[t, 0].proven != 0 or batch.nodes[t, 0].count == 1)
        chosen.moves[i] = draw_cell(rows.policy, t, best, temperatures[i], draws[i])
        chosen.counts[i] = write_policy(rows.policy, t, chosen.cells, chosen.shares, i)


@kernel(int64(Batch, Ints, Ints, int64, int64, Ints))
def play_all(batch, games, moves, reuse, dead_draws, results):
    """Play the cells ``moves`` in ``games``; each game's result (0 while it goes on) into ``results``.

    With ``dead_draws`` a game that nobody can win any more is a draw; the board does not know of it.
    Returns how many were played: the move after these is no legal one.
    """
    for i in range(len(games)):
        t = games[i]
        state, tree = batch.states[t], batch.trees[t]
        point = to_point(moves[i], state.size)
        if state.cells[point] != EMPTY or state.result != UNDECIDED:
            return i
        kept = advance(batch, t, point)
        if kept == 0 or reuse == 0:
            plant(tree, batch.nodes[t], batch.stats[t])
        tree.target = 0
        tree.started = 0
        tree.done = 0
        results[i] = state.result
        if dead_draws != 0 and state.result == UNDECIDED and can_be_won(state) == 0:
            results[i] = DRAW
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
