"""The table of positions with proof numbers, for the search for threats and for solving small boards."""

from __future__ import annotations

from numba import from_dtype, int64, types, uint64, void

from wuzi.core.jit import kernel
from wuzi.core.kernels import State
from wuzi.tactics.layout import VCT_ENTRY

VctTable = types.Array(from_dtype(VCT_ENTRY), 1, "C")
INF = 1 << 28
WAYS = 4


@kernel(uint64(State, int64))
def vct_key(state, attacker):
    """The key of a position in the table of an attacker."""
    return state.key ^ (uint64(attacker) * uint64(0xD1B54A32D192ED03))


@kernel(int64(VctTable, uint64))
def vct_find(table, key):
    """The index of a position's entry, or -1."""
    slot = uint64((key * uint64(0x9E3779B97F4A7C15)) >> uint64(17)) & uint64(len(table) - WAYS)
    for i in range(WAYS):
        if table[slot + uint64(i)].key == key:
            return int64(slot) + i
    return int64(-1)


@kernel(void(VctTable, uint64, int64, int64, int64, int64, int64))
def vct_keep(table, key, phi, delta, plies, move, effort):
    """Store a position, in place of the cheapest one of its bucket if need be."""
    slot = uint64((key * uint64(0x9E3779B97F4A7C15)) >> uint64(17)) & uint64(len(table) - WAYS)
    place = slot
    for i in range(WAYS):
        u = slot + uint64(i)
        if table[u].key == key or table[u].key == uint64(0):
            place = u
            break
        if table[u].effort < table[place].effort:
            place = u
    entry = table[place]
    if entry.key == key:
        effort += entry.effort
    entry.key = key
    entry.phi = phi
    entry.delta = delta
    entry.plies = plies
    entry.move = move
    entry.effort = effort if effort < INF else INF
