"""Wins by continuous threats: fours and open-four threats against every reply that could stop them.

Proof-number search in depth-first order (Nagai, "Df-pn algorithm for searching AND/OR trees", 2002). The
number to disprove is the greatest child's plus the count of the others, not the sum ("weak" proof
numbers), as threats in another order lead to the same positions over and over.
"""

from __future__ import annotations

from numba import from_dtype, int64, types, uint8, uint64, void

from wuzi.core.classes import (
    CLOSED_THREE,
    DOUBLE_THREE,
    DOUBLE_TWO,
    FIVE,
    FORBIDDEN,
    FOUR,
    FOUR_PLUS,
    FOUR_THREE,
    LINE_CLOSED_THREE,
    LINE_OPEN_THREE,
    LINE_OPEN_THREE_S,
    OPEN_FOUR,
    THREE,
)
from wuzi.core.jit import kernel
from wuzi.core.kernels import SIDE_KEY, State, forbidden_kind, line_step, zobrist
from wuzi.core.layout import BLACK, EMPTY, PAD, RENJU, STRIDE, UNDECIDED, WALL
from wuzi.tactics.kernels import Patterns, Tables, pattern_pop, pattern_push
from wuzi.tactics.layout import MAX_VCT_LEVEL, MAX_VCT_MOVES, VCT, VCT_ENTRY
from wuzi.tactics.vcf_kernels import Entries, Vcf, find_five, is_four_move, vcf_deepen

Vct = from_dtype(VCT)
VctTable = types.Array(from_dtype(VCT_ENTRY), 1, "C")
Ints = types.Array(int64, 1, "C")

STOP, NODES, MAX_NODES = 0, 1, 2
NONE, WIN, CUT = 0, 1, 2
INF = 1 << 28
WAYS = 4
LEAF_FOURS = 14


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


@kernel(int64(State, Patterns, int64, int64))
def joins_a_four(state, patterns, point, own):
    """Whether a closed three made at ``point`` has a four-making point of another line on its line."""
    code = int64(patterns.codes[own, uint64(point)])
    for direction in range(4):
        if (code >> (4 * direction)) & 15 != LINE_CLOSED_THREE:
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
                if content == EMPTY and FOUR <= int64(patterns.classes[own, uint64(q)]) <= FOUR_THREE:
                    return 1
    return 0


@kernel(int64(State, Patterns, int64, int64))
def seeming_foul_rank(state, patterns, point, own):
    """The class of an attack at a point that is forbidden to Black by its lines only; 0 for none."""
    code = int64(patterns.codes[own, uint64(point)])
    best = int64(0)
    for direction in range(4):
        line = (code >> (4 * direction)) & 15
        if line > best:
            best = line
    if best < LINE_OPEN_THREE or forbidden_kind(state, point) != 0:
        return 0
    return FOUR if best > LINE_OPEN_THREE_S else THREE


@kernel(int64(State, Patterns, Vct, int64))
def threat_moves(state, patterns, work, level):
    """Attacks of the side to move into ``work.moves[level]``, most promising first; how many.

    Fours, open threes, and closed threes that make two fours possible on one point.
    """
    own = state.side - 1
    counts = patterns.counts
    fours = counts[own, FOUR] + counts[own, FOUR_PLUS] + counts[own, FOUR_THREE]
    n = 0
    for row in range(state.size):
        base = (row + PAD) * STRIDE + PAD
        for col in range(state.size):
            u = uint64(base + col)
            kind = int64(patterns.classes[own, u])
            if kind == 0 or state.cells[u] != EMPTY:
                continue
            if kind == FORBIDDEN:
                kind = seeming_foul_rank(state, patterns, int64(u), own)
            guess = 0
            if kind == FOUR_THREE or kind == DOUBLE_THREE:
                guess = 1
            elif kind >= FOUR:
                guess = 3
            elif kind >= THREE:
                guess = 2
            elif kind >= CLOSED_THREE and kind != DOUBLE_TWO and fours > 0:
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


@kernel(int64(State, Patterns, Tables, Vct, int64, int64))
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
                        if int64(tables.cell[own, uint64(changed)]) < OPEN_FOUR:
                            work.hits[r] += 1
                shift += turn
    return 0


@kernel(int64(State, Patterns, Tables, Vct, int64))
def vct_replies(state, patterns, tables, work, level):
    """Replies of the side to move to open-four threats into ``work.moves[level]``; how many.

    A reply that leaves one of the open-four points as it is and makes no four loses at once, and so does a
    forbidden point: these are left out. All others are in.
    """
    attacker = 3 - state.side
    own = attacker - 1
    size = state.size
    for row in range(size):
        base = (row + PAD) * STRIDE + PAD
        for col in range(size):
            work.hits[base + col] = 0
    threats = 0
    for row in range(size):
        base = (row + PAD) * STRIDE + PAD
        for col in range(size):
            u = uint64(base + col)
            if patterns.classes[own, u] == uint8(OPEN_FOUR) and state.cells[u] == EMPTY:
                spoil_open_four(state, patterns, tables, work, attacker, int64(u))
                threats += 1
    renju_black = state.rule == RENJU and state.side == BLACK
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


@kernel(int64(State, Patterns, Tables, Vct, Vcf, Entries, VctTable, Ints, Ints, int64, int64, int64))
def vct_visit(state, patterns, tables, work, vcf, seen, table, ctl, vctl, phi_limit, delta_limit, level):
    """Search until the numbers of this position reach a limit; they are left in ``work`` at ``level``.

    A four of the attacker leaves one reply (or none that is allowed), an open-four threat those of
    :func:`vct_replies`; a move that threatens nothing is no attack, and the line ends there.
    """
    ctl[NODES] += 1
    begin = ctl[NODES]
    if ctl[MAX_NODES] > 0 and ctl[NODES] >= ctl[MAX_NODES]:
        ctl[STOP] = 1
    attacker = work.attacker
    own = attacker - 1
    foe = 2 - attacker
    side = state.side
    attacking = side == attacker
    counts = patterns.counts
    key = vct_key(state, attacker)
    won = int64(0)
    lost = int64(0)
    move = int64(0)
    n = int64(0)
    if attacking:
        if counts[own, FIVE] > 0:
            won = 1
            move = find_five(state, patterns, attacker)
        elif counts[foe, FIVE] > 1 or state.result != UNDECIDED:
            lost = 1
        elif counts[foe, FIVE] == 1:
            block = find_five(state, patterns, 3 - attacker)
            if state.rule == RENJU and attacker == BLACK and forbidden_kind(state, block) != 0:
                lost = 1
            else:
                work.moves[level, 0] = block
                work.guess[level, 0] = 1
                n = 1
        else:
            if vct_find(table, key) < 0:
                vctl[STOP] = 0
                vctl[NODES] = 0
                vctl[MAX_NODES] = work.leaf_nodes
                if vcf_deepen(state, patterns, tables, vcf, seen, vctl, LEAF_FOURS) == WIN:
                    won = vcf.distance
                    move = int64(vcf.line[0])
                ctl[NODES] += vctl[NODES]
            if won == 0:
                n = threat_moves(state, patterns, work, level)
                if n == 0:
                    lost = 1
    elif counts[foe, FIVE] > 0 or state.result != UNDECIDED:
        lost = 1
    elif counts[own, FIVE] > 1:
        won = 2
    elif counts[own, FIVE] == 1:
        block = find_five(state, patterns, attacker)
        if state.rule == RENJU and side == BLACK and forbidden_kind(state, block) != 0:
            won = 2
        else:
            work.moves[level, 0] = block
            work.guess[level, 0] = 1
            n = 1
    elif counts[own, OPEN_FOUR] > 0:
        n = vct_replies(state, patterns, tables, work, level)
        if n == 0:
            won = 4
    else:
        lost = 1
    store = True
    if n > 0 and level + 2 >= MAX_VCT_LEVEL:
        work.capped = 1
        lost = 1
        store = False
    phi = int64(1)
    delta = int64(1)
    plies = won
    if won > 0 or lost > 0:
        reached = attacking == (won > 0)
        phi = int64(0) if reached else int64(INF)
        delta = int64(INF) if reached else int64(0)
        n = 0
    while n > 0:
        best = int64(-1)
        best_delta = int64(INF + 1)
        second = int64(INF)
        most = int64(0)
        unsolved = int64(0)
        shortest = int64(INF)
        longest = int64(0)
        for i in range(n):
            point = int64(work.moves[level, i])
            child_phi = int64(1)
            child_delta = int64(work.guess[level, i])
            child_plies = int64(0)
            place = vct_find(table, key ^ zobrist(point, side) ^ uint64(SIDE_KEY))
            if place >= 0:
                entry = table[uint64(place)]
                child_phi = int64(entry.phi)
                child_delta = int64(entry.delta)
                child_plies = int64(entry.plies)
            if child_delta < best_delta:
                second = best_delta
                best_delta = child_delta
                best = i
            elif child_delta < second:
                second = child_delta
            if child_phi > 0:
                unsolved += 1
                if child_phi > most:
                    most = child_phi
            if child_delta == 0 and child_plies < shortest:
                shortest = child_plies
                move = point
            if child_plies > longest:
                longest = child_plies
        phi = best_delta if best_delta < INF else int64(INF)
        delta = int64(0)
        if unsolved > 0:
            delta = most + unsolved - 1 if most < INF else int64(INF)
        plies = int64(0)
        if attacking and phi == 0:
            plies = shortest + 1
        elif not attacking and delta == 0:
            plies = longest + 1
        if phi == 0 or delta == 0 or phi >= phi_limit or delta >= delta_limit or ctl[STOP] != 0:
            break
        child_phi_limit = delta_limit - unsolved + 1
        child_delta_limit = second + 1 + second // 4
        if child_delta_limit > phi_limit:
            child_delta_limit = phi_limit
        deeper = level + 1
        pattern_push(state, patterns, tables, int64(work.moves[level, best]))
        vct_visit(
            state,
            patterns,
            tables,
            work,
            vcf,
            seen,
            table,
            ctl,
            vctl,
            child_phi_limit,
            child_delta_limit,
            deeper,
        )
        pattern_pop(state, patterns, tables)
    work.phi[level] = phi
    work.delta[level] = delta
    if store:
        effort = ctl[NODES] - begin + 1
        vct_keep(table, key, phi, delta, plies, move, effort)
    if level == 0:
        work.move = move
        work.distance = plies
    return 0


@kernel(int64(State, Patterns, Tables, Vct, Vcf, Entries, VctTable, Ints, Ints, int64))
def vct_search(state, patterns, tables, work, vcf, seen, table, ctl, vctl, attacker):
    """Look for a win by threats of ``attacker``; WIN, NONE, or CUT when a limit stopped it.

    With the enemy of the attacker to move it asks whether the last move keeps such a win. Board and
    patterns are unchanged afterwards. ``table`` and ``seen`` may be kept from one position to the next of
    the same rules and size, whoever attacks. ``ctl`` limits the positions, those of the search for fours
    counted in; ``vctl`` (int64 [8]) is scratch. A win leaves its first move in ``work.move`` and in
    ``work.distance`` an upper bound of the plies to the winning row.
    """
    work.attacker = attacker
    work.capped = 0
    limit = int64(INF)
    level = int64(0)
    vct_visit(state, patterns, tables, work, vcf, seen, table, ctl, vctl, limit, limit, level)
    attacking = state.side == attacker
    to_win = work.phi[0] if attacking else work.delta[0]
    to_fail = work.delta[0] if attacking else work.phi[0]
    if to_win == 0:
        return WIN
    if to_fail == 0 and work.capped == 0:
        return NONE
    return CUT
