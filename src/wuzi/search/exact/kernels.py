"""Exact solving of small boards as bits: whether the attacker wins (Nagai, "Df-pn algorithm for searching
AND/OR trees", 2002; positions are kept once for their eight images), and how soon.
"""

from __future__ import annotations

from numba import from_dtype, int64, uint64, void

from wuzi.core.jit import kernel
from wuzi.core.layout import NODES, STOP
from wuzi.core.rule_kernels import Ints, count_node
from wuzi.search.layout import EXACT
from wuzi.tactics.vct_move_kernels import INF, VctTable, vct_find, vct_keep

Proof = from_dtype(EXACT)
NO, YES, CUT = 0, 1, 2
SYMMETRIC_STONES = 5


@kernel(int64(uint64))
def lowest_bit(bits):
    """The index of the lowest bit that is set."""
    n = 0
    while not bits & uint64(1):
        bits >>= uint64(1)
        n += 1
    return n


@kernel(int64(Proof, int64, uint64, uint64))
def is_live(work, i, own, opponent):
    """Whether stones on the empty cells of row ``i`` make a winning row as things stand."""
    ends = work.ends[i]
    if (work.windows[i] & opponent) or (work.exact and (ends & own)):
        return 0
    return int64(not (work.caro and work.closed[i] and (ends & opponent) == ends))


@kernel(void(Proof))
def exact_scan(work):
    """Set ``wins`` and ``live`` of both colours from the stones."""
    for color in range(2):
        own = work.stones[color]
        opponent = work.stones[1 - color]
        wins = uint64(0)
        live = uint64(0)
        for i in range(work.num_windows):
            if not is_live(work, i, own, opponent):
                continue
            window = work.windows[i]
            rest = window & ~own
            live |= window
            if work.exact or work.caro:
                live |= work.ends[i]
            if rest & (rest - uint64(1)) == uint64(0):
                wins |= rest
        work.wins[color] = wins
        work.live[color] = live


@kernel(void(Proof, int64))
def exact_toggle(work, cell):
    """Place a stone of the side to move, or take one back when called after :func:`exact_turn`."""
    color = uint64(work.side - 1)
    work.stones[color] ^= uint64(1) << uint64(cell)
    for s in range(8):
        work.keys[s] ^= work.zobrist[s, color, uint64(cell)]


@kernel(uint64(Proof))
def exact_key(work):
    """The key of the board, the same for its eight images, for this attacker and side to move."""
    key = work.keys[0]
    for s in range(1, 8):
        key = min(key, work.keys[s])
    return key ^ (uint64(work.side * 2 + work.attacker) * uint64(0x9E3779B97F4A7C15))


@kernel(uint64(Proof, int64))
def exact_child_key(work, cell):
    """The key after the side to move plays ``cell``."""
    color = uint64(work.side - 1)
    key = work.keys[0] ^ work.zobrist[0, color, uint64(cell)]
    for s in range(1, 8):
        key = min(key, work.keys[s] ^ work.zobrist[s, color, uint64(cell)])
    return key ^ (uint64((3 - work.side) * 2 + work.attacker) * uint64(0x9E3779B97F4A7C15))


@kernel(int64(Proof, int64))
def exact_moves(work, level):
    """Moves worth trying into ``work.moves[level]``, with the keys they lead to; how many.

    A winning row of the opponent must be stopped. Cells on no row that either side can still make are as good
    as each other: one of them is enough. Of moves that mirror each other one is enough too; that is looked
    at while there are few stones.
    """
    threats = work.wins[uint64(2 - work.side)]
    if threats != uint64(0):
        block = lowest_bit(threats)
        work.moves[level, 0] = block
        work.child_keys[level, 0] = exact_child_key(work, block)
        return 1
    taken = work.stones[0] | work.stones[1]
    live = work.live[0] | work.live[1]
    few = taken
    for _ in range(SYMMETRIC_STONES):
        few &= few - uint64(1)
    n = 0
    idle = 0
    for i in range(work.num_cells):
        cell = work.order[i]
        bit = uint64(1) << uint64(cell)
        if taken & bit:
            continue
        if not live & bit:
            if idle:
                continue
            idle = 1
        key = exact_child_key(work, cell)
        twin = False
        if few == uint64(0):
            for j in range(n):
                twin |= work.child_keys[level, j] == key
        if not twin:
            work.moves[level, n] = cell
            work.child_keys[level, n] = key
            n += 1
    return n


@kernel(int64(Proof, int64))
def claim_cell(work, line):
    """Give one more cell of its core to a line, others moving over if they can; 1 if that went well."""
    rest = work.cores[line] & ~work.visited
    while rest != uint64(0):
        cell = lowest_bit(rest)
        work.visited |= uint64(1) << uint64(cell)
        other = int64(work.owner[cell])
        if other < 0 or claim_cell(work, other):
            work.owner[cell] = line
            return 1
        rest = work.cores[line] & ~work.visited
    return 0


@kernel(int64(Proof))
def exact_paired(work):
    """Whether the defender can pair empty cells so that every row the attacker can still make holds a pair.

    It then answers a stone on one cell of a pair with the other, and no row is ever made. Each line gets
    one pair, of cells that all its rows share: two cells a line, found by augmenting paths.
    """
    own = work.stones[uint64(work.attacker - 1)]
    opponent = work.stones[uint64(2 - work.attacker)]
    taken = own | opponent
    work.cores[:] = uint64(0)
    wanted = int64(0)
    for i in range(work.num_windows):
        if not is_live(work, i, own, opponent):
            continue
        line = work.line_of[i]
        core = work.windows[i] & ~taken
        if work.cores[line] != uint64(0):
            core &= work.cores[line]
        else:
            wanted += 2
        if core & (core - uint64(1)) == uint64(0):
            return 0
        work.cores[line] = core
    free = work.num_cells
    while taken != uint64(0):
        taken &= taken - uint64(1)
        free -= 1
    if wanted > free:
        return 0
    work.owner[:] = -1
    for line in range(work.num_lines):
        if work.cores[line] == uint64(0):
            continue
        for _ in range(2):
            work.visited = uint64(0)
            if not claim_cell(work, line):
                return 0
    return 1


@kernel(int64(Proof))
def exact_verdict(work):
    """1 if the side to move reaches its aim at once, -1 if it fails, 0 if that is open.

    Needs a scan. The attacker's aim is a winning row, the defender's that there be none of the attacker's.
    """
    me = uint64(work.side - 1)
    opponent = uint64(2 - work.side)
    attacking = work.side == work.attacker
    if work.wins[me] != uint64(0):
        return 1
    if work.live[uint64(work.attacker - 1)] == uint64(0):
        return -1 if attacking else 1
    threats = work.wins[opponent]
    if threats & (threats - uint64(1)):
        return -1
    return 0


@kernel(int64(Proof, int64, int64))
def exact_settle(work, level, n):
    """Look which of the moves end the question at once; 1 if one of them reaches the mover's aim.

    ``known[level]`` becomes 1 where the opponent reaches its aim after the move, 0 where that is open. Such
    positions never enter the table.
    """
    for i in range(n):
        cell = int64(work.moves[level, i])
        exact_toggle(work, cell)
        work.side = 3 - work.side
        exact_scan(work)
        verdict = exact_verdict(work)
        work.side = 3 - work.side
        exact_toggle(work, cell)
        if verdict < 0:
            return 1
        work.known[level, i] = verdict
    return 0


@kernel(int64(Proof, VctTable, Ints, int64, int64, int64))
def exact_visit(work, table, ctl, phi_limit, delta_limit, level):
    """Search until the numbers of the board reach a limit; they are left in ``work`` at ``level``.

    The number to disprove is the greatest child's plus the count of the others ("weak" proof numbers).
    """
    count_node(ctl)
    begin = ctl[NODES]
    key = exact_key(work)
    exact_scan(work)
    phi = int64(1)
    delta = int64(1)
    plies = int64(0)
    n = int64(0)
    verdict = exact_verdict(work)
    if verdict == 0 and exact_paired(work):
        verdict = -1 if work.side == work.attacker else 1
    if verdict == 0:
        n = exact_moves(work, level)
        if exact_settle(work, level, n):
            verdict = 1
            plies = 3
    if verdict != 0:
        phi = int64(0) if verdict > 0 else int64(INF)
        delta = int64(INF) if verdict > 0 else int64(0)
        n = 0
    while n > 0:
        best = int64(-1)
        best_delta = int64(INF + 1)
        second = int64(INF)
        most = int64(0)
        unsolved = int64(0)
        shortest = int64(INF)
        longest = int64(1)
        for i in range(n):
            if work.known[level, i] != 0:
                continue
            child_phi = int64(1)
            child_delta = int64(1)
            place = vct_find(table, work.child_keys[level, i])
            if place >= 0:
                entry = table[uint64(place)]
                child_phi = int64(entry.phi)
                child_delta = int64(entry.delta)
                if child_delta == 0:
                    shortest = min(shortest, int64(entry.plies))
                longest = max(longest, int64(entry.plies))
            if child_delta < best_delta:
                second = best_delta
                best_delta = child_delta
                best = i
            elif child_delta < second:
                second = child_delta
            unsolved += int64(child_phi > 0)
            most = max(most, child_phi)
        phi = best_delta
        delta = most + unsolved - 1
        if best_delta == 0:
            plies = shortest + 1
            delta = int64(INF)
        elif unsolved == 0:
            plies = longest + 1
            phi = int64(INF)
            delta = int64(0)
        if phi == 0 or delta == 0 or phi >= phi_limit or delta >= delta_limit or ctl[STOP] != 0:
            break
        child_phi_limit = delta_limit - unsolved + 1
        child_delta_limit = min(second + 1 + second // 4, phi_limit)
        deeper = level + 1
        cell = int64(work.moves[level, best])
        exact_toggle(work, cell)
        work.side = 3 - work.side
        exact_visit(work, table, ctl, child_phi_limit, child_delta_limit, deeper)
        work.side = 3 - work.side
        exact_toggle(work, cell)
    work.phi[level] = phi
    work.delta[level] = delta
    zero = int64(0)
    effort = ctl[NODES] - begin + 1
    vct_keep(table, key, phi, delta, plies, zero, effort)
    return 0


@kernel(int64(Proof, VctTable, Ints))
def exact_search(work, table, ctl):
    """Whether the attacker wins from the board in ``work``: YES, NO, or CUT when a limit stopped it."""
    limit = int64(INF)
    level = int64(0)
    exact_visit(work, table, ctl, limit, limit, level)
    attacking = work.side == work.attacker
    if (work.phi[0] if attacking else work.delta[0]) == 0:
        return YES
    return NO if (work.delta[0] if attacking else work.phi[0]) == 0 else CUT


@kernel(int64(Proof, int64))
def fewest_missing(work, attacker):
    """How many stones the attacker's best row still lacks; 100 without a row. Needs a scan."""
    own = work.stones[uint64(attacker - 1)]
    opponent = work.stones[uint64(2 - attacker)]
    fewest = int64(100)
    for i in range(work.num_windows):
        window = work.windows[i]
        if window & opponent:
            continue
        rest = window & ~own
        missing = int64(0)
        while rest != uint64(0):
            rest &= rest - uint64(1)
            missing += 1
        fewest = min(fewest, missing)
    return fewest


@kernel(int64(Proof, VctTable, Ints, int64, int64))
def exact_within(work, table, ctl, depth, level):
    """Whether the attacker wins within ``depth`` more plies; a stop makes the answer NO.

    In freestyle a stone more never hurts, so a defender who could afford to pass has a defence.
    """
    if count_node(ctl):
        return NO
    attacking = work.side == work.attacker
    exact_scan(work)
    verdict = exact_verdict(work)
    if verdict != 0:
        won = attacking == (verdict > 0)
        needed = 1 if verdict > 0 else 2
        return int64(won and needed <= depth)
    if 2 * fewest_missing(work, work.attacker) - int64(attacking) > depth:
        return NO
    key = exact_key(work)
    place = vct_find(table, key)
    surely = int64(INF)
    never = int64(0)
    first = int64(-1)
    if place >= 0:
        entry = table[uint64(place)]
        surely, never, first = int64(entry.phi), int64(entry.delta), int64(entry.move)
        if surely <= depth:
            return YES
        if never >= depth:
            return NO
    begin = ctl[NODES]
    shallower = depth - 1
    deeper = level + 1
    n = exact_moves(work, level)
    won = int64(not attacking)
    if not attacking and n > 1 and not work.exact and not work.caro:
        work.side = 3 - work.side
        won = exact_within(work, table, ctl, shallower, deeper)
        work.side = 3 - work.side
    if won == int64(not attacking):
        for i in range(n):
            if int64(work.moves[level, i]) == first:
                work.moves[level, i], work.moves[level, 0] = work.moves[level, 0], first
        for i in range(n):
            cell = int64(work.moves[level, i])
            exact_toggle(work, cell)
            work.side = 3 - work.side
            answer = exact_within(work, table, ctl, shallower, deeper)
            work.side = 3 - work.side
            exact_toggle(work, cell)
            if attacking == (answer == YES):
                won = answer
                first = cell
                break
    if ctl[STOP] != 0:
        return NO
    surely, never = (depth, never) if won == YES else (surely, depth)
    effort = ctl[NODES] - begin + 1
    plies = int64(0)
    vct_keep(table, key, surely, never, plies, first, effort)
    return won
