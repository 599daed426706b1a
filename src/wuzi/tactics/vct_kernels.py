"""Wins by continuous threats: fours and open-four threats against every reply that could stop them.

Proof-number search in depth-first order (Nagai, "Df-pn algorithm for searching AND/OR trees", 2002). The
number to disprove is the greatest child's plus the count of the others, not the sum ("weak" proof
numbers), as threats in another order lead to the same positions over and over.
"""

from __future__ import annotations

from collections import namedtuple

from numba import int64, types, uint64, void

from wuzi.core.classes import FIVE, OPEN_FOUR
from wuzi.core.jit import kernel
from wuzi.core.layout import EMPTY, MAX_NODES, NODES, STOP, UNDECIDED
from wuzi.core.rule_kernels import SIDE_KEY, Ints, State, count_node, mix, to_point, zobrist
from wuzi.tactics import vct_move_kernels as moves
from wuzi.tactics.checker_kernels import winning_points
from wuzi.tactics.kernels import Patterns, Tables, find_class, pattern_pop, pattern_push, patterns_from_state
from wuzi.tactics.layout import MAX_VCT_LEVEL
from wuzi.tactics.vcf_kernels import CUT, NONE, WIN, Entries, Vcf, vcf_within
from wuzi.tactics.vct_move_kernels import INF, Vct, VctTable, vct_find, vct_keep, vct_key

VctRecords = namedtuple("VctRecords", "state patterns tables work vcf")
VctArrays = namedtuple("VctArrays", "entries table ctl vcf_ctl")
Threats = types.BaseTuple.from_types((State, Patterns, Tables, Vct, Vcf), VctRecords)
ThreatArrays = types.BaseTuple.from_types((Entries, VctTable, Ints, Ints), VctArrays)
Decision = types.UniTuple(int64, 4)

LEAF_FOURS = 14
SLICE = 5_000
"""Positions between two looks at the stop of another search."""


@kernel(Decision(Threats, ThreatArrays, uint64, int64))
def vct_attack(threats, arrays, key, level):
    """The attacker to move: (plies to a win seen at once or 0, whether it failed, the winning move, moves).

    Where neither is so, the moves to try are in ``work.moves[level]``.
    """
    state, patterns, tables, work, vcf = threats
    attacker = work.attacker
    own = attacker - 1
    counts = patterns.counts
    if counts[own, FIVE] > 0:
        return int64(1), int64(0), find_class(state, patterns, attacker, FIVE), int64(0)
    opponent_fives = int64(counts[2 - attacker, FIVE])
    if opponent_fives > 1 or state.result != UNDECIDED:
        return int64(0), int64(1), int64(0), int64(0)
    if opponent_fives == 1:
        n = moves.forced_reply(state, patterns, work, level)
        return int64(0), int64(n == 0), int64(0), n
    if vct_find(arrays.table, key) < 0:
        entries, vcf_ctl, nodes = arrays.entries, arrays.vcf_ctl, work.leaf_nodes
        found = vcf_within(state, patterns, tables, vcf, entries, vcf_ctl, LEAF_FOURS, nodes)
        arrays.ctl[NODES] += vcf_ctl[NODES]
        if found == WIN:
            return int64(vcf.distance), int64(0), int64(vcf.line[0]), int64(0)
    n = moves.threat_moves(state, patterns, work, level)
    return int64(0), int64(n == 0), int64(0), n


@kernel(Decision(Threats, int64))
def vct_defence(threats, level):
    """As :func:`vct_attack` with the defender to move; plies and failure are still the attacker's."""
    state, patterns, tables, work, _ = threats
    attacker = work.attacker
    counts = patterns.counts
    own_fives = int64(counts[attacker - 1, FIVE])
    if counts[2 - attacker, FIVE] > 0 or state.result != UNDECIDED:
        return int64(0), int64(1), int64(0), int64(0)
    if own_fives > 1:
        return int64(2), int64(0), int64(0), int64(0)
    if own_fives == 1:
        n = moves.forced_reply(state, patterns, work, level)
        return int64(0 if n else 2), int64(0), int64(0), n
    if counts[attacker - 1, OPEN_FOUR] > 0:
        n = moves.vct_replies(state, patterns, tables, work, level)
        return int64(0 if n else 4), int64(0), int64(0), n
    return int64(0), int64(1), int64(0), int64(0)


@kernel(void(Vct, VctTable, uint64, int64, int64, int64))
def vct_children(work, table, key, side, level, n):
    """Sum up the numbers of ``n`` children in the work space, and choose the one to search next.

    Phi is the least delta of a child; delta the greatest phi and one for each other unsolved child.
    """
    work.best = -1
    best_delta = int64(INF + 1)
    second = int64(INF)
    most = int64(0)
    unsolved = int64(0)
    shortest = int64(INF)
    longest = int64(0)
    for i in range(n):
        point = int64(work.moves[level, i])
        phi = int64(1)
        delta = int64(work.guess[level, i])
        plies = int64(0)
        place = vct_find(table, key ^ zobrist(point, side) ^ uint64(SIDE_KEY))
        if place >= 0:
            entry = table[uint64(place)]
            phi = int64(entry.phi)
            delta = int64(entry.delta)
            plies = int64(entry.plies)
        if delta < best_delta:
            second = best_delta
            best_delta = delta
            work.best = i
        elif delta < second:
            second = delta
        unsolved += int64(phi > 0)
        most = max(most, phi)
        if delta == 0 and plies < shortest:
            shortest = plies
            work.fastest = point
        longest = max(longest, plies)
    work.phi[level] = min(best_delta, INF)
    work.delta[level] = 0
    if unsolved > 0:
        work.delta[level] = most + unsolved - 1 if most < INF else INF
    work.second, work.unsolved = second, unsolved
    work.shortest, work.longest = shortest, longest


@kernel(int64(Threats, ThreatArrays, int64, int64, int64))
def vct_visit(threats, arrays, phi_limit, delta_limit, level):
    """Search until the numbers of this position reach a limit; they are left in ``work`` at ``level``.

    A four of the attacker leaves one reply (or none that is allowed), an open-four threat those of
    :func:`vct_replies`; a move that threatens nothing is no attack, and the line ends there.
    """
    state, work, ctl, table = threats.state, threats.work, arrays.ctl, arrays.table
    count_node(ctl)
    begin = ctl[NODES]
    side = state.side
    attacking = side == work.attacker
    key = vct_key(state, work.attacker)
    if attacking:
        plies, lost, move, n = vct_attack(threats, arrays, key, level)
    else:
        plies, lost, move, n = vct_defence(threats, level)
    store = n == 0 or level + 2 < MAX_VCT_LEVEL
    if not store:
        work.capped = 1
        lost = int64(1)
    if plies > 0 or lost > 0:
        reached = attacking == (plies > 0)
        work.phi[level] = 0 if reached else INF
        work.delta[level] = INF if reached else 0
        n = int64(0)
    while n > 0:
        vct_children(work, table, key, side, level, n)
        phi = work.phi[level]
        delta = work.delta[level]
        plies = int64(0)
        if phi == 0:
            move = work.fastest
            plies = work.shortest + 1 if attacking else int64(0)
        elif delta == 0 and not attacking:
            plies = work.longest + 1
        if phi == 0 or delta == 0 or phi >= phi_limit or delta >= delta_limit or ctl[STOP] != 0:
            break
        child_phi_limit = delta_limit - work.unsolved + 1
        child_delta_limit = min(work.second + 1 + work.second // 4, phi_limit)
        deeper = level + 1
        pattern_push(state, threats.patterns, threats.tables, int64(work.moves[level, work.best]))
        vct_visit(threats, arrays, child_phi_limit, child_delta_limit, deeper)
        pattern_pop(state, threats.patterns, threats.tables)
    if store:
        effort = ctl[NODES] - begin + 1
        vct_keep(table, key, work.phi[level], work.delta[level], plies, move, effort)
    if level == 0:
        work.move = move
        work.distance = plies
    return 0


@kernel(int64(Threats, ThreatArrays, int64))
def vct_search(threats, arrays, attacker):
    """Look for a win by threats of ``attacker``; WIN, NONE, or CUT when a limit stopped it.

    With the opponent of the attacker to move it asks whether the last move keeps such a win. Board and
    patterns are unchanged afterwards. ``table`` and ``entries`` may be kept from one position to the next of
    the same rules and size, whoever attacks. ``ctl`` limits the positions, those of the search for fours
    counted in; ``vcf_ctl`` (int64 [8]) is scratch. A win leaves its first move in ``work.move`` and in
    ``work.distance`` an upper bound of the plies to the winning row.
    """
    work = threats.work
    work.attacker = attacker
    work.capped = 0
    limit = int64(INF)
    level = int64(0)
    before = arrays.ctl[NODES]
    vct_visit(threats, arrays, limit, limit, level)
    work.used += arrays.ctl[NODES] - before
    attacking = threats.state.side == attacker
    to_win = work.phi[0] if attacking else work.delta[0]
    to_fail = work.delta[0] if attacking else work.phi[0]
    if to_win == 0:
        return WIN
    if to_fail == 0 and work.capped == 0:
        return NONE
    return CUT


@kernel(void(Threats, ThreatArrays))
def vct_begin(threats, arrays):
    """Prepare for a new position: patterns, and a salt for the board's key so that no earlier answer counts.

    The table is emptied when searches have used it up.
    """
    state, patterns, tables, work, _ = threats
    table = arrays.table
    patterns_from_state(state, patterns, tables)
    if work.used > len(table) // 16:
        for i in range(len(table)):
            table[i].key = uint64(0)
        work.used = 0
    work.solved += 1
    state.key ^= mix(uint64(work.solved))


@kernel(int64(Threats, ThreatArrays, Ints, int64))
def vct_judge(threats, arrays, until, most):
    """As :func:`vct_search` for the side to move, within ``most`` positions and until ``until`` says stop.

    The control words of that other search are looked at every few milliseconds.
    """
    ctl = arrays.ctl
    attacker = threats.state.side
    ctl[STOP] = 0
    ctl[NODES] = 0
    ctl[MAX_NODES] = min(most, SLICE)
    found = vct_search(threats, arrays, attacker)
    while found == CUT and until[STOP] == 0 and ctl[NODES] < most:
        ctl[STOP] = 0
        ctl[MAX_NODES] = min(most, ctl[NODES] + SLICE)
        found = vct_search(threats, arrays, attacker)
    return found


@kernel(int64(Threats, ThreatArrays))
def vct_point(threats, arrays):
    """The attacker's best next move, from the table or by another search; -1 if that search was cut short."""
    work, table = threats.work, arrays.table
    attacker = work.attacker
    place = vct_find(table, vct_key(threats.state, attacker))
    if place >= 0 and table[place].phi == 0:
        return int64(table[place].move)
    return int64(work.move) if vct_search(threats, arrays, attacker) == WIN else int64(-1)


@kernel(int64(Threats, Ints))
def vct_follow(threats, out):
    """The points that punish all other replies to the attack just made, into ``out``; how many.

    The replies that may stop it are in ``work.moves[0]``, ``work.replies`` of them.
    """
    state, patterns, tables, work, _ = threats
    attacker = work.attacker
    n = winning_points(state, attacker, out)
    work.replies = int64(n == 1)
    if n > 0:
        work.moves[0, 0] = out[0]
        return n
    for cell in range(state.size * state.size):
        point = to_point(cell, state.size)
        if state.cells[point] == EMPTY and patterns.classes[attacker - 1, point] == OPEN_FOUR:
            out[n] = point
            n += 1
    level = int64(0)
    work.replies = moves.vct_replies(state, patterns, tables, work, level)
    return n
