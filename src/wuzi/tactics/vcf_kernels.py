"""Wins by continuous fours: complete and sound, shortest first by deepening."""

from __future__ import annotations

from numba import from_dtype, int64, types, uint8, uint64

from wuzi.core.classes import FIVE, FORBIDDEN, FOUR, LINE_FOUR, LINE_OPEN_FOUR, OPEN_FOUR
from wuzi.core.jit import kernel
from wuzi.core.layout import BLACK, EMPTY, MAX_NODES, NODES, PAD, STOP, STRIDE, WALL
from wuzi.core.rule_kernels import Ints, State, count_node, forbidden_kind, line_step, mix
from wuzi.tactics.kernels import Patterns, Tables, find_class, pattern_pop, pattern_push, patterns_from_state
from wuzi.tactics.layout import MAX_VCF_LEVEL, VCF, VCF_ENTRY

Vcf = from_dtype(VCF)
Entries = types.Array(from_dtype(VCF_ENTRY), 1, "C")

NONE, WIN, CUT = 0, 1, 2
NEVER = 1000
MAX_FOURS = 56


@kernel(int64(State, Patterns, int64, int64))
def five_near(state, patterns, color, point):
    """The empty point where ``color`` makes five on a line through its new stone at ``point``, or -1."""
    for direction in range(4):
        step = line_step(direction)
        for way in range(2):
            delta = step if way == 0 else -step
            q = point
            for _ in range(patterns.radius):
                q += delta
                content = state.cells[uint64(q)]
                if content == EMPTY:
                    if patterns.classes[color - 1, uint64(q)] == uint8(FIVE):
                        return q
                elif content == WALL:
                    break
    return int64(-1)


@kernel(int64(State, Patterns, int64))
def is_four_move(state, patterns, point):
    """Whether the side to move may play ``point`` and makes a four (or two, or an open one) there."""
    side = state.side
    kind = int64(patterns.classes[side - 1, uint64(point)])
    if FOUR <= kind <= OPEN_FOUR:
        return 1
    if kind == FORBIDDEN:
        # By its lines Black might foul here; a three that is not real makes it an ordinary four.
        code = int64(patterns.codes[0, uint64(point)])
        for direction in range(4):
            line = (code >> (4 * direction)) & 15
            if line in (LINE_FOUR, LINE_OPEN_FOUR):
                return int64(forbidden_kind(state, point) == 0)
    return 0


@kernel(int64(State, Patterns, Vcf, int64))
def vcf_moves(state, patterns, work, level):
    """The fours of the side to move into ``work.moves[level]``, best classes first; how many."""
    side = state.side
    own = uint64(side - 1)
    counts = patterns.counts
    seeming = state.forbids == 1 and side == BLACK
    left = counts[own, uint64(FORBIDDEN)] if seeming else int64(0)
    for kind in range(FOUR, OPEN_FOUR + 1):
        left += counts[own, uint64(kind)]
    n = 0
    for row in range(state.size):
        base = (row + PAD) * STRIDE + PAD
        if left == 0:
            break
        for col in range(state.size):
            u = uint64(base + col)
            kind = int64(patterns.classes[own, u])
            if kind < FOUR and (kind != FORBIDDEN or not seeming):
                continue
            if state.cells[u] != EMPTY:
                continue
            left -= 1
            if n == 256 or not is_four_move(state, patterns, int64(u)):
                continue
            j = n
            while j > 0 and int64(patterns.classes[own, uint64(work.moves[level, j - 1])]) < kind:
                work.moves[level, j] = work.moves[level, j - 1]
                j -= 1
            work.moves[level, j] = int64(u)
            n += 1
    return n


@kernel(int64(Vcf, int64, int64))
def keep_line(work, length, distance):
    """Store the path as the winning line, the winning row being made at ply ``distance``."""
    for i in range(length):
        work.line[i] = work.path[i]
    work.length = length
    work.distance = distance
    return WIN


@kernel(int64(State, Patterns, Tables, Vcf, Entries, Ints, int64, int64))
def vcf_search(state, patterns, tables, work, entries, ctl, left, level):
    """WIN if the side to move wins with at most ``left`` more fours before the five, NONE or CUT if not.

    CUT means that more fours, or more nodes, might still find one. Sound in freestyle, standard and
    renju, where an opponent's stone at one end of an open four leaves the other end a five.
    """
    count_node(ctl)
    side = state.side
    opponent = 3 - side
    if patterns.counts[side - 1, FIVE] > 0:
        work.path[level] = find_class(state, patterns, side, FIVE)
        return keep_line(work, level + 1, level + 1)
    threats = patterns.counts[opponent - 1, FIVE]
    if threats > 1:
        return NONE
    n = 0
    if threats == 1:
        block = find_class(state, patterns, opponent, FIVE)
        if is_four_move(state, patterns, block):
            work.moves[level, 0] = block
            n = 1
    else:
        n = vcf_moves(state, patterns, work, level)
    if n == 0:
        return NONE
    if left == 0 or level + 3 >= MAX_VCF_LEVEL:
        return CUT
    slot = uint64((state.key * uint64(0x9E3779B97F4A7C15)) >> uint64(20)) & uint64(len(entries) - 1)
    if entries[slot].key == state.key and entries[slot].left >= left:
        return NONE if entries[slot].left == NEVER else CUT
    outcome = NONE
    for i in range(n):
        point = int64(work.moves[level, i])
        work.path[level] = point
        pattern_push(state, patterns, tables, point)
        answers = patterns.counts[side - 1, FIVE]
        found = NONE
        if answers > 1:
            found = keep_line(work, level + 1, level + 3)
        elif answers == 1:
            reply = five_near(state, patterns, side, point)
            if state.forbids == 1 and opponent == BLACK and forbidden_kind(state, reply) != 0:
                found = keep_line(work, level + 1, level + 3)
            else:
                work.path[level + 1] = reply
                pattern_push(state, patterns, tables, reply)
                fewer = left - 1
                deeper = level + 2
                found = vcf_search(state, patterns, tables, work, entries, ctl, fewer, deeper)
                pattern_pop(state, patterns, tables)
        pattern_pop(state, patterns, tables)
        if found == WIN:
            return WIN
        if found == CUT:
            outcome = CUT
        if ctl[STOP] != 0:
            return CUT
    if outcome == NONE or entries[slot].key != state.key or entries[slot].left < left:
        entries[slot].key = state.key
        entries[slot].left = NEVER if outcome == NONE else left
    return outcome


@kernel(int64(State, Patterns, Tables, Vcf, Entries, Ints, int64))
def vcf_deepen(state, patterns, tables, work, entries, ctl, max_fours):
    """Look for the shortest win by fours of the side to move; WIN, NONE, or CUT when a limit stopped it.

    ``entries`` may serve both attackers: the key of a position says who is to move, and that side attacks.
    """
    work.length = 0
    left = 1
    found = CUT
    while found == CUT and left <= max_fours and ctl[STOP] == 0:
        level = 0
        found = vcf_search(state, patterns, tables, work, entries, ctl, left, level)
        left += 1
    return found


@kernel(int64(State, Patterns, Tables, Vcf, Entries, Ints, int64, int64))
def vcf_within(state, patterns, tables, work, entries, ctl, max_fours, nodes):
    """As :func:`vcf_deepen`, with ``ctl`` set to look at so many positions."""
    ctl[STOP] = 0
    ctl[NODES] = 0
    ctl[MAX_NODES] = nodes
    return vcf_deepen(state, patterns, tables, work, entries, ctl, max_fours)


@kernel(int64(State, Patterns, Tables, Vcf, Entries, Ints))
def vcf_solve(state, patterns, tables, work, entries, ctl):
    """As :func:`vcf_deepen` for a new position: fills the patterns, and salts the board's key.

    The salt keeps the keys of one search apart from those of all others, instead of clearing a table.
    """
    patterns_from_state(state, patterns, tables)
    work.solved += 1
    state.key ^= mix(uint64(work.solved))
    return vcf_deepen(state, patterns, tables, work, entries, ctl, int64(MAX_FOURS))
