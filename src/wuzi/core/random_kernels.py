"""Random games on bit lines: a stone is one bit in four words, a win a few shifts."""

from __future__ import annotations

from numba import from_dtype, int32, int64, uint32, uint64, void

from wuzi.core.jit import kernel
from wuzi.core.layout import (
    DRAW,
    EMPTY,
    LINES,
    PAD,
    STRIDE,
    UNDECIDED,
    WHITE,
    WHITE_WINS,
)
from wuzi.core.rule_kernels import (
    NONE,
    Ints,
    State,
    forbidden_kind,
    number_below,
    pop,
    push,
    to_point,
    xorshift,
)

Lines = from_dtype(LINES)


@kernel(int64(Lines, int64))
def draw_below(lines, n):
    """A number from 0 to ``n`` - 1 from the generator in the record."""
    lines.rng = xorshift(lines.rng)
    return number_below(lines.rng, n)


@kernel(int64(uint32, uint32, int64, int64, int64))
def word_wins(own, opponent, win_length, exact, blockable):
    """Whether a bit line holds a winning row (bit i of the mask: a row starts at i)."""
    mask = own
    have = 1
    while have * 2 <= win_length:
        mask &= mask >> uint32(have)
        have *= 2
    if have < win_length:
        mask &= mask >> uint32(win_length - have)
    if mask == uint32(0) or (exact == 0 and blockable == 0):
        return int64(mask != uint32(0))
    won = mask & ~(own << uint32(1)) & ~(own >> uint32(win_length))
    if blockable != 0:
        won &= ~((opponent << uint32(1)) & (opponent >> uint32(win_length)))
    if exact == 0:
        won |= mask & (own >> uint32(win_length))
    return int64(won != uint32(0))


@kernel(int64(Lines, int64, int64))
def lines_place(lines, place, color):
    """Set a stone at ``place`` (row * 32 + column); whether it stands in a winning row."""
    row, col = uint64(place >> 5), uint64(place & 31)
    me, opponent = uint64(color - 1), uint64(2 - color)
    diagonal = uint64(int64(row) - int64(col) + 31)
    anti = uint64(row + col)
    bit = uint32(1) << uint32(col)
    bits = lines.bits
    w0 = bits[me, uint64(0), row] | bit
    w1 = bits[me, uint64(1), col] | (uint32(1) << uint32(row))
    w2 = bits[me, uint64(2), diagonal] | bit
    w3 = bits[me, uint64(3), anti] | bit
    bits[me, uint64(0), row] = w0
    bits[me, uint64(1), col] = w1
    bits[me, uint64(2), diagonal] = w2
    bits[me, uint64(3), anti] = w3
    k = lines.win_length
    exact = lines.exact & color
    blockable = lines.blockable
    if exact == 0 and blockable == 0 and k == 5:
        m0 = w0 & (w0 >> uint32(1))
        m1 = w1 & (w1 >> uint32(1))
        m2 = w2 & (w2 >> uint32(1))
        m3 = w3 & (w3 >> uint32(1))
        m0 &= (m0 >> uint32(2)) & (w0 >> uint32(4))
        m1 &= (m1 >> uint32(2)) & (w1 >> uint32(4))
        m2 &= (m2 >> uint32(2)) & (w2 >> uint32(4))
        m3 &= (m3 >> uint32(2)) & (w3 >> uint32(4))
        return int64((m0 | m1 | m2 | m3) != uint32(0))
    won = word_wins(w0, bits[opponent, uint64(0), row], k, exact, blockable)
    won |= word_wins(w1, bits[opponent, uint64(1), col], k, exact, blockable)
    won |= word_wins(w2, bits[opponent, uint64(2), diagonal], k, exact, blockable)
    won |= word_wins(w3, bits[opponent, uint64(3), anti], k, exact, blockable)
    return won


@kernel(void(State, Lines))
def lines_from_state(state, lines):
    """Fill the bit lines and the list of empty cells from a board; the generator is left alone."""
    lines.bits[:] = uint32(0)
    lines.size = state.size
    lines.win_length = state.win_length
    lines.exact = state.exact
    lines.blockable = state.blockable
    lines.num_free = 0
    for cell in range(state.size * state.size):
        color = int64(state.cells[to_point(cell, state.size)])
        place = cell // state.size * 32 + cell % state.size
        if color == EMPTY:
            lines.free[lines.num_free] = place
            lines.num_free += 1
        else:
            lines_place(lines, place, color)


@kernel(int64(Lines, int64))
def random_game(lines, side):
    """Play random moves until the game ends, which destroys the record; the result.

    Not for renju, whose forbidden points bit lines do not know: see :func:`random_game_renju`.
    """
    free = lines.free
    n = uint64(lines.num_free)
    color = side
    x = lines.rng
    result = DRAW
    while n > uint64(0):
        x = xorshift(x)
        i = uint64(number_below(x, int64(n)))
        n -= uint64(1)
        place = int64(free[i])
        free[i] = free[n]
        if lines_place(lines, place, color):
            result = color
            break
        color = 3 - color
    lines.rng = x
    return result


@kernel(int64(State, Lines))
def random_game_renju(state, lines):
    """As ``random_game`` by the full rule book: Black avoids forbidden points while it can.

    ``state`` ends at the final position; ``lines.free`` holds the empty cells and is destroyed.
    """
    free = lines.free
    n = lines.num_free
    while state.result == UNDECIDED:
        left = n
        chosen = int64(-1)
        while left > 0:
            i = draw_below(lines, left)
            place = int64(free[i])
            point = ((place >> 5) + PAD) * STRIDE + (place & 31) + PAD
            left -= 1
            free[i] = free[left]
            free[left] = int32(place)
            if state.side == WHITE or forbidden_kind(state, point) == NONE:
                chosen = point
                n -= 1
                free[left] = free[n]
                break
        if chosen < 0:
            # Black has only forbidden points left, and loses by playing one.
            return WHITE_WINS
        push(state, chosen)
    return state.result


@kernel(void(Lines, Lines))
def copy_lines(source, target):
    """Copy the used part of a bit-line record; the target keeps its own generator."""
    n = source.size
    for color in range(2):
        for line in range(n):
            target.bits[color, 0, line] = source.bits[color, 0, line]
            target.bits[color, 1, line] = source.bits[color, 1, line]
        for line in range(32 - n, 31 + n):
            target.bits[color, 2, line] = source.bits[color, 2, line]
        for line in range(2 * n - 1):
            target.bits[color, 3, line] = source.bits[color, 3, line]
    for i in range(source.num_free):
        target.free[i] = source.free[i]
    target.num_free = source.num_free
    target.size = n
    target.win_length = source.win_length
    target.exact = source.exact
    target.blockable = source.blockable


@kernel(void(State, Lines, Lines, int64, Ints))
def random_games(state, root, work, games, counts):
    """Play ``games`` random games from the board; adds to ``counts[result]`` (int64 [4]).

    ``root`` and ``work`` are scratch; ``work.rng`` is the generator (must not be 0). The board is
    unchanged afterwards.
    """
    lines_from_state(state, root)
    start = state.ply
    for _ in range(games):
        copy_lines(root, work)
        if state.forbids == 1:
            result = random_game_renju(state, work)
            while state.ply > start:
                pop(state)
        else:
            result = random_game(work, state.side)
        counts[result] += 1
