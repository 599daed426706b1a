"""What the search for wins by threats needs: its table of positions, attacks, and replies to them."""

from __future__ import annotations

from numba import from_dtype, int64, types, uint8, uint64, void

from wuzi.core import classes as kinds
from wuzi.core.jit import kernel
from wuzi.core.layout import BLACK, EMPTY, PAD, STRIDE, WALL
from wuzi.core.rule_kernels import State, forbidden_kind, line_step
from wuzi.tactics.kernels import Patterns, Tables, find_class
from wuzi.tactics.layout import MAX_VCT_MOVES, VCT, VCT_ENTRY
from wuzi.tactics.vcf_kernels import is_four_move

Vct = from_dtype(VCT)
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


@kernel(int64(State, Patterns, Vct, int64))
def forced_reply(state, patterns, work, level):
    """The cell that stops the opponent's five into ``work.moves[level]``; 0 if it is forbidden, else 1."""
    block = find_class(state, patterns, 3 - state.side, kinds.FIVE)
    if state.forbids == 1 and state.side == BLACK and forbidden_kind(state, block) != 0:
        return 0
    work.moves[level, 0] = block
    work.guess[level, 0] = 1
    return 1


@kernel(int64(State, Patterns, int64, int64))
def joins_a_four(state, patterns, point, own):
    """Whether a closed three made at ``point`` has a four-making point of another line on its line."""
    code = int64(patterns.codes[own, uint64(point)])
    for direction in range(4):
        if (code >> (4 * direction)) & 15 != kinds.LINE_CLOSED_THREE:
            continue
        step = line_step(direction)
        for way in range(2):
            delta = step if way == 0 else -step
            q = point
            for _ in range(patterns.radius):
                q += delta
                content = state.cells[uint64(q)]
                if content == WALL or content == 2 - own:
                    break
                kind = int64(patterns.classes[own, uint64(q)])
                if content == EMPTY and kinds.FOUR <= kind <= kinds.FOUR_THREE:
                    return 1
    return 0


@kernel(int64(State, Patterns, int64, int64))
def seeming_foul_rank(state, patterns, point, own):
    """The class of an attack at a point that is forbidden to Black by its lines only; 0 for none."""
    code = int64(patterns.codes[own, uint64(point)])
    best = int64(0)
    for direction in range(4):
        best = max(best, (code >> (4 * direction)) & 15)
    if best < kinds.LINE_OPEN_THREE or forbidden_kind(state, point) != 0:
        return 0
    return kinds.FOUR if best > kinds.LINE_OPEN_THREE_S else kinds.THREE


@kernel(int64(State, Patterns, Vct, int64))
def threat_moves(state, patterns, work, level):
    """Attacks of the side to move into ``work.moves[level]``, most promising first; how many.

    Fours, open threes, and closed threes that make two fours possible on one point.
    """
    own = state.side - 1
    counts = patterns.counts
    fours = counts[own, kinds.FOUR] + counts[own, kinds.FOUR_PLUS] + counts[own, kinds.FOUR_THREE]
    n = 0
    for row in range(state.size):
        base = (row + PAD) * STRIDE + PAD
        for col in range(state.size):
            u = uint64(base + col)
            kind = int64(patterns.classes[own, u])
            if kind == 0 or state.cells[u] != EMPTY:
                continue
            if kind == kinds.FORBIDDEN:
                kind = seeming_foul_rank(state, patterns, int64(u), own)
            guess = 0
            if kind == kinds.FOUR_THREE or kind == kinds.DOUBLE_THREE:
                guess = 1
            elif kind >= kinds.FOUR:
                guess = 3
            elif kind >= kinds.THREE:
                guess = 2
            elif kind >= kinds.CLOSED_THREE and kind != kinds.DOUBLE_TWO and fours > 0:
                if joins_a_four(state, patterns, int64(u), own):
                    guess = 4
            if guess == 0:
                continue
            if n == MAX_VCT_MOVES:
                work.capped = 1
                break
            j = n
            while j > 0 and work.guess[level, j - 1] > guess:
                work.moves[level, j] = work.moves[level, j - 1]
                work.guess[level, j] = work.guess[level, j - 1]
                j -= 1
            work.moves[level, j] = int64(u)
            work.guess[level, j] = guess
            n += 1
    return n


@kernel(void(State, Patterns, Tables, Vct, int64, int64))
def spoil_open_four(state, patterns, tables, work, attacker, q):
    """Count in ``work.hits`` every reply after which a stone at ``q`` makes no open four any more."""
    own = uint64(attacker - 1)
    defender = 3 - attacker
    half = uint64(0) if attacker == BLACK else uint64(4)
    reach = patterns.radius
    code = int64(patterns.codes[own, uint64(q)])
    work.hits[q] += 1
    for direction in range(4):
        step = line_step(direction)
        before = (code >> (4 * direction)) & 15
        for way in range(2):
            delta = step if way == 0 else -step
            shift = 2 * reach if way == 0 else 2 * (reach - 1)
            turn = 2 if way == 0 else -2
            r = q
            for _ in range(reach):
                r += delta
                content = int64(state.cells[uint64(r)])
                if content == WALL or content == defender:
                    break
                if content == EMPTY:
                    key = int64(patterns.keys[direction, q]) ^ (defender << shift)
                    line = int64((tables.line[uint64(key)] >> uint8(half)) & uint8(15))
                    if line != before:
                        changed = (code & ~(15 << (4 * direction))) | (line << (4 * direction))
                        if int64(tables.cell[own, uint64(changed)]) < kinds.OPEN_FOUR:
                            work.hits[r] += 1
                shift += turn


@kernel(int64(State, Patterns, Tables, Vct, int64))
def vct_replies(state, patterns, tables, work, level):
    """Replies of the side to move to open-four threats into ``work.moves[level]``; how many.

    A reply that leaves one of the open-four points as it is and makes no four loses at once, and so does a
    forbidden point: these are left out. All others are in.
    """
    attacker = 3 - state.side
    own = attacker - 1
    size = state.size
    work.hits[:] = 0
    threats = 0
    for row in range(size):
        base = (row + PAD) * STRIDE + PAD
        for col in range(size):
            u = uint64(base + col)
            if patterns.classes[own, u] == uint8(kinds.OPEN_FOUR) and state.cells[u] == EMPTY:
                spoil_open_four(state, patterns, tables, work, attacker, int64(u))
                threats += 1
    renju_black = state.forbids == 1 and state.side == BLACK
    n = 0
    for row in range(size):
        base = (row + PAD) * STRIDE + PAD
        for col in range(size):
            u = uint64(base + col)
            if state.cells[u] != EMPTY:
                continue
            spoils = work.hits[u] == threats
            if not spoils and not is_four_move(state, patterns, int64(u)):
                continue
            if renju_black and forbidden_kind(state, int64(u)) != 0:
                continue
            if n == MAX_VCT_MOVES:
                work.capped = 1
                break
            work.moves[level, n] = int64(u)
            work.guess[level, n] = 1
            n += 1
    return n
