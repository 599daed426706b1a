"""The engine's deepening, a depth at a time: aspiration, several candidates, and a look at the best move.

The main search prunes quiet replies that begin a long attack; the search for threats (VCT) looks at nothing
else, so what one overlooks the other often sees in a few thousand positions. A host calls
:func:`search_begin`, then :func:`search_deepen` again and again; time, threads and reports are its own.
"""

from __future__ import annotations

from numba import from_dtype, int64, void

from wuzi.core.classes import FIVE
from wuzi.core.jit import kernel
from wuzi.core.layout import DEEPEST, EMPTY, GRID, MAX_NODES, NODES, STOP, UNDECIDED
from wuzi.core.rule_kernels import Ints, State, push, take_rule, to_point
from wuzi.evaluation.codebook_kernels import accumulator_from_state
from wuzi.search.alphabeta.kernels import engine_search
from wuzi.search.alphabeta.move_kernels import AlphaBeta, Arrays, Engine, EngineArrays, near_from_state
from wuzi.search.alphabeta.node_kernels import MATE, MATE_BOUND, PLY, leaf_vcf
from wuzi.search.layout import DEEPENING, MAX_LEVEL, MAX_MOVES, UNSCORED
from wuzi.tactics.kernels import patterns_from_state
from wuzi.tactics.vcf_kernels import WIN
from wuzi.tactics.vct_kernels import ThreatArrays, Threats, vct_begin, vct_judge

Deepening = from_dtype(DEEPENING)

ALL = 2 * MATE
"""Beyond every value."""
ASPIRATION = 60
RESCUE_NODES = 3000
"""Positions of the glance that answers for a search that was stopped too early."""
LEAST = 400
"""Positions that are worth beginning a search for threats."""
GROWTH = 3
"""A move is looked at again when so many times the positions may be spent."""
KNOWN, FOUND = 0, 1


@kernel(void(Engine))
def engine_set_up(engine):
    """Fill patterns, sums and neighbour counts from the board; let older experience fade."""
    work = engine.work
    patterns_from_state(engine.state, engine.patterns, engine.tables)
    accumulator_from_state(engine.state, engine.patterns, engine.net, engine.accumulator)
    near_from_state(engine.state, work)
    work.age += 1
    for side in range(2):
        for point in range(GRID):
            work.history[side, point] = int64(work.history[side, point]) // 4
    work.vcf_total = 0
    work.excluded[:] = 0
    work.root_excluded[:] = 0


@kernel(void(AlphaBeta, Arrays))
def search_forget(work, arrays):
    """Clear what earlier searches learned, so that the next one is reproducible."""
    for i in range(len(arrays.table)):
        arrays.table[i, 0] = 0
        arrays.table[i, 1] = 0
    for i in range(len(arrays.entries)):
        arrays.entries[i].key = 0
        arrays.entries[i].left = 0
    for side in range(2):
        for point in range(GRID):
            work.history[side, point] = 0
            work.counter[side, point] = 0
    work.age = 0


@kernel(int64(int64))
def plies_to_end(score):
    """Plies to a proved win (positive) or loss (negative) by a score; 0 where nothing is proved."""
    if score == UNSCORED or -MATE_BOUND <= score <= MATE_BOUND:
        return int64(0)
    return MATE - score if score > 0 else -MATE - score


@kernel(int64(State, Deepening))
def count_choices(state, deep):
    """How many moves are candidates at the root."""
    n = 0
    for cell in range(state.size * state.size):
        point = to_point(cell, state.size)
        n += int64(state.cells[point] == EMPTY and deep.excluded[point] == 0)
    return n


@kernel(void(Deepening, int64, int64, int64, int64))
def copy_line(deep, row, place, to_row, to_place):
    """Copy a line from one place to another."""
    for i in range(deep.lengths[row, place]):
        deep.lines[to_row, to_place, i] = deep.lines[row, place, i]
    deep.lengths[to_row, to_place] = deep.lengths[row, place]
    deep.scores[to_row, to_place] = deep.scores[row, place]


@kernel(void(Deepening, int64))
def sort_lines(deep, count):
    """Bring the lines found into the order of their scores; of equals the first stays first."""
    for i in range(1, count):
        j = i
        while j > 0 and deep.scores[FOUND, j - 1] < deep.scores[FOUND, j]:
            copy_line(deep, int64(FOUND), j, int64(FOUND), count)
            copy_line(deep, int64(FOUND), j - 1, int64(FOUND), j)
            copy_line(deep, int64(FOUND), count, int64(FOUND), j - 1)
            j -= 1


@kernel(void(Engine, Deepening, int64, int64))
def take_line(engine, deep, place, score):
    """Enter the principal variation as a line found."""
    work = engine.work
    deep.lengths[FOUND, place] = work.pv_length[0]
    for i in range(work.pv_length[0]):
        deep.lines[FOUND, place, i] = work.pv[0, i]
    deep.scores[FOUND, place] = score


@kernel(void(Deepening, Ints, int64, int64))
def report_lines(deep, ctl, count, depth):
    """Make the lines found the known ones; known ones that are none of them follow, if more are wanted."""
    n = count
    for i in range(deep.count):
        new = deep.lines[KNOWN, i, 0]
        for j in range(count):
            if deep.lines[FOUND, j, 0] == new:
                new = 0
        if new != 0 and n < deep.multipv:
            copy_line(deep, int64(KNOWN), i, int64(FOUND), n)
            n += 1
    for i in range(n):
        copy_line(deep, int64(FOUND), i, int64(KNOWN), i)
    deep.count = n
    deep.line_depth = depth
    deep.deepest = min(ctl[DEEPEST], MAX_LEVEL)
    deep.reported = 1


@kernel(int64(Engine, Arrays, int64, int64), inline=True)
def aspire(engine, arrays, depth, guess):
    """Search with a narrow window around the last score, widened until the score is inside."""
    work, ctl = engine.work, arrays.ctl
    margin = int64(ASPIRATION)
    low, high = guess - margin, guess + margin
    if depth < 4 or abs(guess) > MATE_BOUND:
        low, high = int64(-ALL), int64(ALL)
    below, level, cut = depth * PLY, int64(0), int64(0)
    while True:
        work.root_window = high - low
        work.extensions[0] = 0
        score = engine_search(engine, arrays, low, high, below, level, cut)
        if ctl[STOP] != 0 or low < score < high or (low == -ALL and high == ALL):
            return score
        margin *= 4
        if margin > MATE_BOUND // 100:
            low, high = int64(-ALL), int64(ALL)
        elif score <= low:
            low = score - margin
        else:
            high = score + margin


@kernel(int64(Engine, Arrays, Deepening, int64, int64), inline=True)
def iterate(engine, arrays, deep, depth, fresh):
    """Find the candidates at one depth; a cut-short one gives what improves on the last, or none. How many.

    With ``fresh`` the last scores are neither used nor changed.
    """
    work, ctl = engine.work, arrays.ctl
    for point in range(GRID):
        work.root_excluded[point] = deep.excluded[point] != 0
    wanted = min(deep.multipv, count_choices(engine.state, deep))
    for place in range(wanted):
        score = aspire(engine, arrays, depth, int64(0) if fresh else deep.guesses[place])
        stopped = ctl[STOP] != 0
        if work.pv_length[0] == 0 or (stopped and place > 0):
            return int64(0) if stopped else place
        first = int64(work.pv[0, 0])
        if stopped:
            # The old best move was searched first, so a different one here is better than it.
            known = deep.count > 0 and deep.lines[KNOWN, 0, 0] == first
            if known or abs(score) >= ALL or deep.multipv > 1:
                return int64(0)
            take_line(engine, deep, place, score)
            return int64(1)
        if not fresh:
            deep.guesses[place] = score
        take_line(engine, deep, place, score)
        work.root_excluded[first] = 1
    sort_lines(deep, wanted)
    return wanted


@kernel(int64(State, Deepening, Threats, ThreatArrays, Ints, int64))
def guard_loses(state, deep, threats, threat_arrays, ctl, point):
    """Whether the opponent was seen to win by threats after this move; 0 where nothing is known.

    What is spent counts as positions of the main search (``ctl``), whose stop ends it too.
    """
    allowed = (ctl[NODES] - deep.spent) * deep.guard_percent // 100 - deep.spent
    if allowed < max(LEAST, GROWTH * deep.seen[point]):
        return 0
    after = threats.state
    for place in range(GRID):
        after.cells[place] = state.cells[place]
    after.size, after.win_length = state.size, state.win_length
    take_rule(after, state)
    after.ply, after.side, after.key = state.ply, state.side, state.key
    after.result, after.reason = state.result, state.reason
    push(after, point)
    if after.result != UNDECIDED:
        return 0
    deep.seen[point] = allowed
    vct_begin(threats, threat_arrays)
    found = vct_judge(threats, threat_arrays, ctl, allowed)
    deep.spent += threat_arrays.ctl[NODES]
    ctl[NODES] += threat_arrays.ctl[NODES]
    return int64(found == WIN)


@kernel(int64(Engine, Arrays, Ints, Deepening))
def search_begin(engine, arrays, spare, deep):
    """Begin the search of the board in ``engine.state``, which is not over; whether a win by fours was found.

    ``spare`` (int64 [8]) are control words of the rescue of a search that is stopped too early.
    """
    state, counts = engine.state, engine.patterns.counts
    engine_set_up(engine)
    barred = int64(0)
    for point in range(GRID):
        deep.excluded[point] = deep.barred[point] != 0
        barred += deep.excluded[point]
        deep.seen[point] = 0
    deep.guesses[:] = 0
    deep.depth = deep.count = deep.reported = deep.line_depth = deep.deepest = 0
    deep.rescued = deep.earlier = deep.spent = 0
    deep.guarded = int64(deep.guard_percent > 0 and deep.multipv == 1)
    deep.forced = int64(counts[2 - state.side, FIVE] == 1)
    spare[:] = 0
    if deep.multipv > 1 or barred > 0:
        return 0
    distance = leaf_vcf(engine, arrays, deep.root_vcf_nodes)
    if distance == 0:
        return 0
    for i in range(engine.vcf.length):
        deep.lines[FOUND, 0, i] = engine.vcf.line[i]
    deep.lengths[FOUND, 0] = engine.vcf.length
    deep.scores[FOUND, 0] = MATE - distance
    report_lines(deep, arrays.ctl, int64(1), int64(1))
    return 1


@kernel(void(Arrays, Deepening))
def begin_rescue(arrays, deep):
    """Prepare the control words of a rescue: one ply of a few thousand positions, so that there is a move."""
    ctl = arrays.ctl
    deep.rescued = 1
    deep.earlier += ctl[NODES]
    ctl[:] = 0
    ctl[MAX_NODES] = RESCUE_NODES


@kernel(int64(Engine, Deepening))
def any_line(engine, deep):
    """Make the first move that the policy would try a line found, without a score; how many."""
    state, work = engine.state, engine.work
    chosen = int64(0)
    for i in range(MAX_MOVES):
        point = int64(work.moves[0, i])
        if chosen == 0 and point > 0 and state.cells[point] == EMPTY and work.root_excluded[point] == 0:
            chosen = point
    for cell in range(state.size * state.size):
        point = to_point(cell, state.size)
        if chosen == 0 and state.cells[point] == EMPTY and deep.excluded[point] == 0:
            chosen = point
    deep.lines[FOUND, 0, 0] = chosen
    deep.lengths[FOUND, 0] = 1
    deep.scores[FOUND, 0] = UNSCORED
    return int64(chosen != 0)


@kernel(int64(Engine, Arrays, Ints, Deepening, Threats, ThreatArrays))
def search_deepen(engine, arrays, spare, deep, threats, threat_arrays):
    """Search one ply deeper; whether to continue: no stop was asked for, and the first line is not proved.

    The best move is given up for another one where ``threats`` see it lose, unless all others lose too.
    """
    deep.depth += 1
    deep.reported = 0
    depth = deep.depth
    rescue = EngineArrays(arrays.entries, arrays.table, spare, arrays.vcf_ctl, arrays.stack)
    used, ply, fresh = arrays, depth, int64(0)
    first_count, refuted = int64(0), int64(0)
    while True:
        count = iterate(engine, used, deep, ply, fresh)
        if fresh:
            count = count if count > 0 else any_line(engine, deep)
            used.ctl[STOP] = 1
            if refuted == 0:
                break
        elif count == 0 and ((refuted > 0 and count_choices(engine.state, deep) > 0) or deep.count == 0):
            begin_rescue(rescue, deep)
            used, ply, fresh = rescue, int64(1), int64(1)
            continue
        ply, fresh = depth, int64(0)
        if refuted == 0 and deep.guarded:
            copy_line(deep, int64(FOUND), int64(0), int64(FOUND), int64(1))
            first_count = count
        if not deep.guarded or count == 0 or plies_to_end(deep.scores[FOUND, 0]) != 0:
            break
        move = int64(deep.lines[FOUND, 0, 0])
        if not guard_loses(engine.state, deep, threats, threat_arrays, used.ctl, move):
            break
        deep.excluded[move] = 2
        refuted += 1
    if refuted > 0 and (count == 0 or plies_to_end(deep.scores[FOUND, 0]) < 0):
        # The opponent may not see the win by threats, and it is the longer way to lose.
        copy_line(deep, int64(FOUND), int64(1), int64(FOUND), int64(0))
        deep.guarded, count = 0, first_count
    for point in range(GRID):
        if deep.excluded[point] == 2:
            deep.excluded[point] = deep.guarded
    if count > 0:
        report_lines(deep, used.ctl, count, int64(0) if refuted == 0 and deep.rescued else depth)
    if arrays.ctl[STOP] != 0 or deep.rescued != 0:
        return 0
    plies = plies_to_end(deep.scores[KNOWN, 0]) if deep.count > 0 else int64(0)
    return int64(deep.multipv > 1 or plies == 0 or abs(plies) > depth + 2)
