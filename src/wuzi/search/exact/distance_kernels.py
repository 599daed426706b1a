"""How soon an exact win comes: depth-limited search over the same boards as the proof."""

from __future__ import annotations

from numba import int64, uint64

from wuzi.core.jit import kernel
from wuzi.core.kernels import Ints
from wuzi.search.exact.kernels import (
    NO,
    YES,
    Proof,
    proof_key,
    proof_moves,
    proof_scan,
    proof_toggle,
    proof_verdict,
)
from wuzi.tactics.vcf_kernels import MAX_NODES, NODES, STOP
from wuzi.tactics.vct_table_kernels import INF, VctTable, vct_find, vct_keep


@kernel(int64(Proof, int64))
def fewest_missing(work, attacker):
    """How many stones the attacker's best row still lacks; 100 without a row. Needs a scan."""
    own = work.stones[uint64(attacker - 1)]
    foe = work.stones[uint64(2 - attacker)]
    fewest = int64(100)
    for i in range(work.num_windows):
        window = work.windows[i]
        if window & foe:
            continue
        rest = window & ~own
        missing = int64(0)
        while rest != uint64(0):
            rest &= rest - uint64(1)
            missing += 1
        if missing < fewest:
            fewest = missing
    return fewest


@kernel(int64(Proof, VctTable, Ints, int64, int64))
def proof_within(work, table, ctl, depth, level):
    """Whether the attacker wins within ``depth`` more plies; a stop makes the answer NO.

    In freestyle a stone more never hurts, so a defender who could afford to pass has a defence.
    """
    ctl[NODES] += 1
    if ctl[MAX_NODES] > 0 and ctl[NODES] >= ctl[MAX_NODES]:
        ctl[STOP] = 1
    if ctl[STOP] != 0:
        return NO
    attacking = work.side == work.attacker
    proof_scan(work)
    verdict = proof_verdict(work)
    if verdict != 0:
        won = attacking == (verdict > 0)
        needed = 1 if verdict > 0 else 2
        return int64(won and needed <= depth)
    if 2 * fewest_missing(work, work.attacker) - int64(attacking) > depth:
        return NO
    key = proof_key(work)
    place = vct_find(table, key)
    surely = int64(INF)
    never = int64(0)
    first = int64(-1)
    if place >= 0:
        entry = table[uint64(place)]
        surely = int64(entry.phi)
        never = int64(entry.delta)
        first = int64(entry.move)
        if surely <= depth:
            return YES
        if never >= depth:
            return NO
    begin = ctl[NODES]
    shallower = depth - 1
    deeper = level + 1
    n = proof_moves(work, level)
    won = int64(not attacking)
    if not attacking and n > 1 and not work.exact and not work.caro:
        work.side = 3 - work.side
        won = proof_within(work, table, ctl, shallower, deeper)
        work.side = 3 - work.side
    if won == int64(not attacking):
        for i in range(n):
            if int64(work.moves[level, i]) == first:
                work.moves[level, i] = work.moves[level, 0]
                work.moves[level, 0] = first
        for i in range(n):
            cell = int64(work.moves[level, i])
            proof_toggle(work, cell)
            work.side = 3 - work.side
            answer = proof_within(work, table, ctl, shallower, deeper)
            work.side = 3 - work.side
            proof_toggle(work, cell)
            if attacking == (answer == YES):
                won = answer
                first = cell
                break
    if ctl[STOP] != 0:
        return NO
    if won == YES:
        surely = depth
    else:
        never = depth
    effort = ctl[NODES] - begin + 1
    plies = int64(0)
    vct_keep(table, key, surely, never, plies, first, effort)
    return won
