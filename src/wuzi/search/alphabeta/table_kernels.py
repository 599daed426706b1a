"""The transposition table: two words an entry, buckets of two, safe to share between threads."""

from __future__ import annotations

from numba import int64, types, uint64, void

from wuzi.core.jit import kernel

Table = types.Array(uint64, 2, "C")
LOWER, UPPER, EXACT = 1, 2, 3


@kernel(uint64(int64, int64, int64, int64, int64, int64))
def pack(value, static, depth, bound, move, age):
    """A table entry in one word: value 21 bits, evaluation 17, depth 7, bound 2, move 11, age 6."""
    return (
        (uint64(value + 1_048_576) << uint64(43))
        | (uint64(static + 65_536) << uint64(26))
        | (uint64(depth + 8) << uint64(19))
        | (uint64(bound) << uint64(17))
        | (uint64(move) << uint64(6))
        | uint64(age & 63)
    )


@kernel(int64(uint64))
def packed_value(data):
    """The value of a packed entry."""
    return int64(data >> uint64(43)) - 1_048_576


@kernel(int64(uint64))
def packed_static(data):
    """The evaluation of a packed entry."""
    return int64((data >> uint64(26)) & uint64(131_071)) - 65_536


@kernel(int64(uint64))
def packed_depth(data):
    """The depth of a packed entry."""
    return int64((data >> uint64(19)) & uint64(127)) - 8


@kernel(int64(uint64))
def packed_bound(data):
    """The bound of a packed entry: LOWER, UPPER or EXACT."""
    return int64((data >> uint64(17)) & uint64(3))


@kernel(int64(uint64))
def packed_move(data):
    """The move of a packed entry, a point; 0 for none."""
    return int64((data >> uint64(6)) & uint64(2047))


@kernel(uint64(Table, uint64))
def table_probe(table, key):
    """The data stored for a key, 0 for none. Entries store key XOR data, so a torn one is not found."""
    slot = uint64((key * uint64(0xD6E8FEB86659FD93)) >> uint64(17)) & uint64(table.shape[0] - 2)
    for i in range(2):
        data = table[slot + uint64(i), uint64(1)]
        if data != uint64(0) and (table[slot + uint64(i), uint64(0)] ^ data) == key:
            return data
    return uint64(0)


@kernel(void(Table, uint64, uint64, int64))
def table_store(table, key, data, age):
    """Store data: the first entry of a bucket keeps the deeper search, the second the latest."""
    slot = uint64((key * uint64(0xD6E8FEB86659FD93)) >> uint64(17)) & uint64(table.shape[0] - 2)
    first = table[slot, uint64(1)]
    same = (table[slot, uint64(0)] ^ first) == key
    stale = int64(first & uint64(63)) != (age & 63)
    if first == uint64(0) or same or stale or packed_depth(data) >= packed_depth(first):
        if not same and first != uint64(0):
            table[slot + uint64(1), uint64(0)] = table[slot, uint64(0)]
            table[slot + uint64(1), uint64(1)] = first
        table[slot, uint64(0)] = key ^ data
        table[slot, uint64(1)] = data
    else:
        table[slot + uint64(1), uint64(0)] = key ^ data
        table[slot + uint64(1), uint64(1)] = data
