"""Positions of stored games, set up again in many orientations at once, and what is to be learned of them."""

from __future__ import annotations

from collections import namedtuple

from numba import float32, from_dtype, int16, int64, types, void

from wuzi.core.jit import kernel
from wuzi.core.layout import STATE
from wuzi.core.rule_kernels import push, reset, to_point

States = types.Array(from_dtype(STATE), 1, "C")
Shorts = types.Array(int16, 1, "C")
Numbers = types.Array(int64, 1, "C")
Numbers2 = types.Array(int64, 2, "C")
Maps = Numbers2
Floats = types.Array(float32, 1, "C")
Floats2 = types.Array(float32, 2, "C")

StoredRows = namedtuple(
    "StoredRows", "row_starts move_starts line_starts openings results moves lines cell_starts cells shares"
)
"""Games one after the other: where the searches, moves and winning rows of each begin (int64 [games + 1]),
how many moves were set up and who won (int64 [games]), the moves and the cells of winning rows (int16). Of
each search, where its cells with a share in the policy begin (int64 [rows + 1]), these (int16) and the shares
(float32)."""

RowTargets = namedtuple("RowTargets", "plies results policy replies lines left")
"""What there is to be learned: plies and the game's result for the side to move (int64 [B]), the search's
policy and the next one's (float32 [B, cells]), each cell's part in the winning row (int64 [B, cells]) and the
moves that were left (float32 [B])."""

Stored = types.BaseTuple.from_types((*[Numbers] * 5, Shorts, Shorts, Numbers, Shorts, Floats), StoredRows)
Targets = types.BaseTuple.from_types((Numbers, Numbers, Floats2, Floats2, Numbers2, Floats), RowTargets)


@kernel(void(Stored, int64, Numbers, Floats))
def searched_policy(stored, row, where, out):
    """The policy of a search into ``out`` (float32 [cells]), each cell where ``where`` says; its sum is 1."""
    out[:] = float32(0.0)
    first, end = stored.cell_starts[row], stored.cell_starts[row + 1]
    total = 0.0
    for i in range(first, end):
        total += stored.shares[i]
    for i in range(first, end):
        out[where[stored.cells[i]]] = float32(stored.shares[i] / total)


@kernel(void(Stored, int64, int64, Numbers, Numbers))
def write_line(stored, game, own, where, out):
    """Each cell's part in the row that won a game: 0 none, 1 own, 2 the opponent's; -1 where no row won."""
    first, end = stored.line_starts[game], stored.line_starts[game + 1]
    out[:] = 0 if end > first else -1
    for i in range(first, end):
        out[where[stored.lines[i]]] = 1 if own else 2


@kernel(void(Stored, Numbers, Numbers, Numbers, Maps, int64, int64, int64, States, Targets))
def set_up_rows(stored, games, rows, symmetries, maps, size, win_length, rule, states, targets):
    """The boards before some searches, in these orientations, and their targets.

    ``games`` and ``rows`` count from the first that is stored.
    """
    for i in range(len(rows)):
        game, row, where = games[i], rows[i], maps[symmetries[i]]
        first, end = stored.move_starts[game], stored.move_starts[game + 1]
        ply = stored.openings[game] + row - stored.row_starts[game]
        state = states[i]
        reset(state, size, win_length, rule)
        for k in range(first, first + ply):
            push(state, to_point(where[stored.moves[k]], size))
        side = 1 - 2 * (ply % 2)
        targets.plies[i] = ply
        targets.results[i] = stored.results[game] * side
        searched_policy(stored, row, where, targets.policy[i])
        if len(targets.replies) > 0:
            if row + 1 < stored.row_starts[game + 1]:
                searched_policy(stored, row + 1, where, targets.replies[i])
            else:
                targets.replies[i][:] = float32(0.0)
        if len(targets.lines) > 0:
            write_line(stored, game, int64(stored.results[game] == side), where, targets.lines[i])
        targets.left[i] = float32(end - first - ply) / float32(size * size)


@kernel(void(Shorts, Numbers, Numbers, int64, int64, int64, States))
def set_up_positions(moves, starts, plies, size, win_length, rule, states):
    """The boards after the first ``plies`` of the moves from ``starts`` on, with their history."""
    for i in range(len(states)):
        reset(states[i], size, win_length, rule)
        for k in range(starts[i], starts[i] + plies[i]):
            push(states[i], to_point(int64(moves[k]), size))
