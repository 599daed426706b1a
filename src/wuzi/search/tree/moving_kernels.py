"""What happens in self-play between two searches of a game, for many games in one call."""

from __future__ import annotations

import math
from collections import namedtuple

from numba import float32, float64, int16, int64, types, uint64, void

from wuzi.core.batch_kernels import can_be_won
from wuzi.core.jit import kernel
from wuzi.core.layout import BLACK, DRAW, EMPTY, STRIDE, UNDECIDED, WHITE
from wuzi.core.rule_kernels import Ints, State, makes_line, mix, push, reset, to_point
from wuzi.search.tree.batch_kernels import Batch, Floats2, Rows, Trees, advance, enter_board, read_root
from wuzi.search.tree.gumbel_kernels import TINY
from wuzi.search.tree.kernels import init_root
from wuzi.search.tree.puct_kernels import NO_TACTICS

Doubles = types.Array(float64, 1, "C")
Keys = types.Array(uint64, 1, "C")
Shorts2 = types.Array(int16, 2, "C")

ChosenMoves = namedtuple("ChosenMoves", "moves values surprises decided cells shares counts")
"""Chosen cells (int64 [n]), the roots' values and the policies' divergence from the net's (float64 [n]), and
whether roots are forced or proven (int64 [n]); the policies are the first ``counts[i]`` of ``cells`` (int16)
and ``shares`` (float32) [n, cells]."""

Chosen = types.BaseTuple.from_types((Ints, Doubles, Doubles, Ints, Shorts2, Floats2, Ints), ChosenMoves)

ROUNDED = 65535.0
"""Shares of a policy are written down as multiples of one over this."""

COIN, MOVE, TURNING, FIRST_NOISE = 0, 1, 2, 3
"""What the numbers of a search's key are for, see :func:`number`."""

OPENING = 1 << 20
"""Stands for the ply in the key of a game's opening."""

OPENING_REACH = 2
"""How far random stones may be from the centre, if they are near no other stone."""

OPENING_TRIES = 256
"""After so many openings that were no quiet ones a game begins on the empty board."""


@kernel(float64(uint64, int64))
def number(key, index):
    """The number in (0, 1) of that index in the sequence of a key."""
    bits = mix(uint64(key) + uint64(index) * uint64(0x9E3779B97F4A7C15))
    return (float64(bits >> uint64(11)) + 0.5) / 9007199254740992.0


@kernel(void(int64, Ints, Ints, Keys))
def make_keys(seed, games, plies, keys):
    """The keys of the searches of ``games``, by their numbers in a run, at these plies."""
    for i in range(len(keys)):
        keys[i] = mix(mix(mix(uint64(seed)) ^ uint64(games[i])) ^ uint64(plies[i]))


@kernel(void(Keys, int64, Doubles))
def draw_numbers(keys, index, out):
    """The number of that index for each key."""
    for i in range(len(keys)):
        out[i] = number(keys[i], index)


@kernel(void(Trees, Floats2, Ints, Keys, float64))
def draw_gumbels(trees, noise, games, keys, scale):
    """Gumbel numbers times ``scale`` for the roots of ``games``, and what turns their positions, by key."""
    for i in range(len(games)):
        t, key = games[i], keys[i]
        trees[t].turning = int64(mix(key + uint64(TURNING)) >> uint64(2))
        for cell in range(noise.shape[1]):
            u = number(key, FIRST_NOISE + cell)
            noise[t, cell] = float32(-scale * math.log(-math.log(u))) if scale > 0.0 else float32(0.0)


@kernel(int64(Trees, Ints))
def find_done(trees, games):
    """The games whose search was started and has ended, first in ``games``; how many."""
    n = 0
    for t in range(len(trees)):
        if trees[t].prepared == 1 and trees[t].done >= trees[t].target:
            games[n] = t
            n += 1
    return n


@kernel(int64(Batch, int64, Ints, int64, int64, int64))
def seat_game(batch, t, moves, size, win_length, rule):
    """Make game ``t`` the one of these cells under these rules; how many of the moves were legal."""
    state, tree = batch.states[t], batch.trees[t]
    reset(state, size, win_length, rule)
    for i in range(len(moves)):
        point = to_point(moves[i], size)
        if state.cells[point] != EMPTY or state.result != UNDECIDED:
            return i
        push(state, point)
    if batch.options.tactics != NO_TACTICS:
        enter_board(batch.states, batch.patterns, batch.tables, t)
    tree.target = 0
    tree.started = 0
    tree.done = 0
    tree.evaluated = 0
    tree.deepest = 0
    init_root(tree, batch.nodes[t], batch.stats[t])
    return len(moves)


@kernel(int64(State, int64))
def is_near_opening(state, cell):
    """Whether a random stone may be set at a cell: near the centre or beside another stone."""
    size, point = state.size, to_point(cell, state.size)
    if state.cells[point] != EMPTY:
        return 0
    down, right = cell // size - size // 2, cell % size - size // 2
    if abs(down) <= OPENING_REACH and abs(right) <= OPENING_REACH:
        return 1
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            stone = state.cells[point + dy * STRIDE + dx]
            if stone == BLACK or stone == WHITE:
                return 1
    return 0


@kernel(int64(State))
def is_quiet_board(state):
    """Whether no stone of either side would make a winning row."""
    for cell in range(state.size * state.size):
        point = to_point(cell, state.size)
        if state.cells[point] == EMPTY:
            if makes_line(state, point, BLACK) or makes_line(state, point, WHITE):
                return 0
    return 1


@kernel(int64(State, uint64, int64, int64, Ints))
def set_opening_stones(state, key, first, count, cells):
    """Set so many random stones on the empty board, by the numbers of a key from ``first`` on, and write down
    their cells; how many were set before the game was over or there was no room.
    """
    for ply in range(count):
        free = int64(0)
        for cell in range(state.size * state.size):
            free += is_near_opening(state, cell)
        if free == 0 or state.result != UNDECIDED:
            return ply
        left = int64(number(key, first + ply) * free)
        for cell in range(state.size * state.size):
            if is_near_opening(state, cell):
                if left == 0:
                    cells[ply] = cell
                left -= 1
        push(state, to_point(cells[ply], state.size))
    return count


@kernel(int64(State, Keys, int64, int64, int64, int64, int64, Ints))
def draw_opening(state, keys, size, win_length, rule, least, most, cells):
    """Draw the opening of a game under these rules by its key, ``keys[0]``: random stones, black and white in
    turn, after which the game goes on and nobody can win at once.

    There are from ``least`` to ``most`` of them; their cells come first in ``cells``. How many there are, 0
    where none were found. ``state`` is scratch.
    """
    for trial in range(OPENING_TRIES):
        reset(state, size, win_length, rule)
        first = MOVE + trial * (most + 1)
        count = least + int64(number(keys[0], first) * (most + 1 - least))
        if set_opening_stones(state, keys[0], first + 1, count, cells) == count:
            if state.result == UNDECIDED and is_quiet_board(state):
                return count
    return 0


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
    """Play the cells ``moves`` in ``games``; each game's result (0 until it ends) into ``results``.

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
            init_root(tree, batch.nodes[t], batch.stats[t])
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
