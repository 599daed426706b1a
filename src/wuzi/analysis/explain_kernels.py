"""What a move makes, stops, threatens and allows, found as numbers; only what is proved is reported."""

from __future__ import annotations

from collections import namedtuple

from numba import float64, from_dtype, int64, types, void

from wuzi.analysis.layout import EXPLAINED, LINE_ROOM
from wuzi.core.classes import CLOSED_THREE as MAKES_CLOSED_THREE
from wuzi.core.classes import DOUBLE_TWO, THREE, THREE_PLUS, CellClass
from wuzi.core.jit import kernel
from wuzi.core.layout import BLACK, BY_FORBIDDEN_POINT, BY_LINE, MAX_NODES, NODES, STOP, UNDECIDED
from wuzi.core.rule_kernels import Ints, State, forbidden_kind, pop, push, to_cell, to_point
from wuzi.tactics import threat_kernels as threats
from wuzi.tactics.kernels import Patterns, Tables, patterns_from_state
from wuzi.tactics.line_kernels import complete_line
from wuzi.tactics.threat_kernels import ThreatRows, list_threats
from wuzi.tactics.vcf_kernels import NONE, WIN, Entries, Vcf, vcf_solve

ExplainRecords = namedtuple("ExplainRecords", "state patterns tables vcf work")
ExplainArrays = namedtuple("ExplainArrays", "before after entries ctl line useful scratch")
Work = from_dtype(EXPLAINED)
Records = types.BaseTuple.from_types((State, Patterns, Tables, Vcf, Work), ExplainRecords)
Arrays = types.BaseTuple.from_types((ThreatRows, ThreatRows, Entries, Ints, Ints, Ints, Ints), ExplainArrays)

WINS, FOUL_OVERLINE = 0, 1
LEAVES_FIVE, STOPS_FIVE, STOPS_OPEN_THREE, STOPS_FOUR_FOUR, STOPS_THREE_THREE, STOPS_FOURS = 4, 5, 6, 7, 9, 10
MAKES_OPEN_FOUR, TWO_FOURS, FOUR_THREE, FOUR, TWO_THREES, OPEN_THREE = range(11, 17)
PREPARES_FOUR_FOUR = 17
BEGINS_FOURS, THREATENS_FOURS, ALLOWS_FOURS, WINS_IN, LOSES_IN = range(20, 25)
TWO_TWOS, OPEN_TWO, CLOSED_THREE, TAKES_THREE, TAKES_TWO, QUIET = range(25, 31)
"""Places in :class:`wuzi.analysis.explain.Said`."""

TWO, MAKES_CLOSED_THREE_PLUS = int(CellClass.TWO), int(CellClass.CLOSED_THREE_PLUS)
FOURS = 1 << threats.FOUR | 1 << threats.OPEN_FOUR
THREES = 1 << threats.OPEN_THREE
DOUBLES = (threats.FOUR_FOUR, threats.FOUR_THREE, threats.THREE_THREE)
ALL_DOUBLES = 1 << threats.FOUR_FOUR | 1 << threats.FOUR_THREE | 1 << threats.THREE_THREE
ANYWHERE = -1

WHY_WINS, WHY_BLOCKS, WHY_OPEN_FOUR, WHY_DOUBLE, WHY_STOPS, WHY_WINNING, WHY_DEFENCE = range(7)
WHY_ADVANTAGE, WHY_DIFFICULT, WHY_BEST = 7, 8, 9
"""Places in :class:`wuzi.analysis.explain.HintReason`."""
CLEAR = 0.8
"""A win rate from which on a hint speaks of an advantage."""


@kernel(void(Work, int64, int64))
def say(work, said, plies):
    """Add a remark without cells."""
    work.said[work.count] = said
    work.plies[work.count] = plies
    work.num_cells[work.count] = 0
    work.count += 1


@kernel(void(Work, int64))
def say_cell(work, cell):
    """Add a cell to the last remark, in its place among the others, if it is not there yet."""
    place = work.count - 1
    n = work.num_cells[place]
    for i in range(n):
        if work.cells[place, i] == cell:
            return
    if n == LINE_ROOM:
        return
    while n > 0 and work.cells[place, n - 1] > cell:
        work.cells[place, n] = work.cells[place, n - 1]
        n -= 1
    work.cells[place, n] = cell
    work.num_cells[place] += 1


@kernel(int64(Work, int64, int64))
def was_said(work, first, last):
    """Whether a remark between these two was made."""
    for i in range(work.count):
        if first <= work.said[i] <= last:
            return int64(1)
    return int64(0)


@kernel(int64(ThreatRows, int64, int64, int64, int64))
def matches(rows, place, color, mask, stone):
    """Whether a threat is of a colour and of kinds (bits), and holds a stone (or :data:`ANYWHERE`)."""
    threat = rows[place]
    if threat.color != color or not (mask >> threat.kind) & 1:
        return int64(0)
    if stone == ANYWHERE:
        return int64(1)
    for i in range(threat.num_stones):
        if threat.stones[i] == stone:
            return int64(1)
    return int64(0)


@kernel(int64(ThreatRows, int64, int64, int64, int64))
def has_gain(rows, count, color, mask, cell):
    """Whether a threat of a colour and of these kinds is carried out at a cell."""
    for place in range(count):
        if matches(rows, place, color, mask, int64(ANYWHERE)):
            for i in range(rows[place].num_gains):
                if rows[place].gains[i] == cell:
                    return int64(1)
    return int64(0)


@kernel(int64(ThreatRows, int64, int64, int64, int64))
def count_threats(rows, count, color, mask, stone):
    """How many threats match."""
    n = int64(0)
    for place in range(count):
        n += matches(rows, place, color, mask, stone)
    return n


@kernel(void(Work, ThreatRows, int64, int64, int64, int64))
def say_gains(work, rows, count, color, mask, stone):
    """Add the cells that carry out the matching threats to the last remark."""
    for place in range(count):
        if matches(rows, place, color, mask, stone):
            for i in range(rows[place].num_gains):
                say_cell(work, int64(rows[place].gains[i]))


@kernel(void(Work, ThreatRows, int64, int64))
def unsay_gains(work, rows, count, color):
    """Take the cells of a colour's double threats out of the last remark, which goes if none is left."""
    place = work.count - 1
    left = 0
    for i in range(work.num_cells[place]):
        cell = int64(work.cells[place, i])
        if not has_gain(rows, count, color, int64(ALL_DOUBLES), cell):
            work.cells[place, left] = cell
            left += 1
    work.num_cells[place] = left
    work.count -= int64(left == 0)


@kernel(int64(Records, Arrays, int64))
def fours_of(records, arrays, side):
    """Look for a win by fours of a side as if it were to move; its cells: ``arrays.line[:work.length]``."""
    state, work, ctl = records.state, records.work, arrays.ctl
    key, own = state.key, state.side
    state.side = side
    ctl[STOP] = 0
    ctl[NODES] = 0
    ctl[MAX_NODES] = work.max_nodes
    found = vcf_solve(state, records.patterns, records.tables, records.vcf, arrays.entries, ctl)
    work.length = 0
    if found == WIN:
        for i in range(records.vcf.length):
            arrays.line[i] = records.vcf.line[i]
        length, none = int64(records.vcf.length), int64(0)
        line, useful, scratch = arrays.line, arrays.useful, arrays.scratch
        work.length = complete_line(state, line, length, line, none, useful, scratch)
        for i in range(work.length):
            line[i] = to_cell(line[i], state.size)
    state.side = own
    state.key = key
    return found


@kernel(void(Records, Arrays, int64))
def add_remark_with_line(records, arrays, said):
    """Add a remark with the line found last."""
    work = records.work
    say(work, said, int64(0))
    for i in range(work.length):
        work.cells[work.count - 1, i] = arrays.line[i]
    work.num_cells[work.count - 1] = work.length


@kernel(void(Records, Arrays))
def explain_begin(records, arrays):
    """Find what is known of a position that is not over: its threats, and wins by fours of both sides."""
    state, work = records.state, records.work
    work.before = work.own_length = work.opponent_length = 0
    if work.named:
        work.before = list_threats(state, records.patterns, records.tables, arrays.before)
    if work.solves:
        fours_of(records, arrays, state.side)
        work.own_length = work.length
        for i in range(work.length):
            work.own[i] = arrays.line[i]
        fours_of(records, arrays, 3 - state.side)
        work.opponent_length = work.length
        for i in range(work.length):
            work.opponent[i] = arrays.line[i]


@kernel(int64(Work, Arrays, int64))
def is_kept(work, arrays, place):
    """Whether an open three of before is there after the move too."""
    old = arrays.before[place]
    for i in range(work.after):
        new = arrays.after[i]
        if new.kind != old.kind or new.color != old.color or new.num_stones != old.num_stones:
            continue
        same = int64(1)
        for j in range(old.num_stones):
            same &= int64(old.stones[j] == new.stones[j])
        if same:
            return int64(1)
    return int64(0)


@kernel(void(Work, Arrays, int64))
def say_against(work, arrays, me):
    """What the move does about the opponent's threats."""
    opponent, anywhere = 3 - me, int64(ANYWHERE)
    before, after = arrays.before, arrays.after
    if count_threats(after, work.after, opponent, int64(FOURS), anywhere):
        say(work, int64(LEAVES_FIVE), int64(0))
        say_gains(work, after, work.after, opponent, int64(FOURS), anywhere)
        return
    if count_threats(before, work.before, opponent, int64(FOURS), anywhere):
        say(work, int64(STOPS_FIVE), int64(0))
        return
    for place in range(work.before):
        if matches(before, place, opponent, int64(THREES), anywhere) and not is_kept(work, arrays, place):
            say(work, int64(STOPS_OPEN_THREE), int64(0))
            return
    for i in range(3):
        said = work.count
        say(work, int64(STOPS_FOUR_FOUR + i), int64(0))
        say_gains(work, before, work.before, opponent, int64(1) << int64(DOUBLES[i]), anywhere)
        unsay_gains(work, after, work.after, opponent)
        if work.count > said:
            return


@kernel(void(Work, Arrays, int64, int64))
def say_made(work, arrays, me, cell):
    """The threats that the new stone is part of."""
    after, n = arrays.after, work.after
    said = work.count
    threes = count_threats(after, n, me, int64(THREES), cell)
    if count_threats(after, n, me, int64(1 << threats.OPEN_FOUR), cell):
        say(work, int64(MAKES_OPEN_FOUR), int64(0))
        return
    say(work, int64(FOUR), int64(0))
    say_gains(work, after, n, me, int64(FOURS), cell)
    fours = work.num_cells[said]
    if fours > 1 or (fours > 0 and threes > 0):
        work.said[said] = TWO_FOURS if fours > 1 else FOUR_THREE
        work.num_cells[said] = 0
    if fours > 0:
        return
    work.count = said
    if threes > 0:
        say(work, int64(TWO_THREES if threes > 1 else OPEN_THREE), int64(0))
        return
    for i in range(3):
        say(work, int64(PREPARES_FOUR_FOUR + i), int64(0))
        say_gains(work, after, n, me, int64(1) << int64(DOUBLES[i]), cell)
        unsay_gains(work, arrays.before, work.before, me)
        if work.count > said:
            return


@kernel(void(Records, Arrays, int64, int64))
def say_fours(records, arrays, me, cell):
    """Wins by fours that the move, which was made, begins, threatens, stops or allows."""
    work = records.work
    if work.own_length > 0 and work.own[0] == cell:
        say(work, int64(BEGINS_FOURS), int64(0))
        for i in range(work.own_length):
            work.cells[work.count - 1, i] = work.own[i]
        work.num_cells[work.count - 1] = work.own_length
        return
    if not work.solves:
        return
    stopped = was_said(work, int64(STOPS_FIVE), int64(STOPS_THREE_THREE))
    made = was_said(work, int64(MAKES_OPEN_FOUR), int64(OPEN_THREE))
    found = fours_of(records, arrays, 3 - me)
    if found == WIN:
        add_remark_with_line(records, arrays, int64(ALLOWS_FOURS))
        return
    # Behind a four the win may come after its block: that is no stop.
    delays = was_said(work, int64(FOUR), int64(FOUR))
    if work.opponent_length > 0 and not stopped and not delays and found == NONE:
        say(work, int64(STOPS_FOURS), int64(0))
        for i in range(work.opponent_length):
            work.cells[work.count - 1, i] = work.opponent[i]
        work.num_cells[work.count - 1] = work.opponent_length
    if not made:
        fours_of(records, arrays, me)
        if work.length > 0:
            add_remark_with_line(records, arrays, int64(THREATENS_FOURS))


@kernel(void(Records, int64))
def say_shapes(records, point):
    """The small shapes of a move that makes and stops no threat."""
    state, patterns, work = records.state, records.patterns, records.work
    patterns_from_state(state, patterns, records.tables)
    own = int64(patterns.classes[state.side - 1, point])
    opponent = int64(patterns.classes[2 - state.side, point])
    if own == TWO:
        say(work, int64(OPEN_TWO), int64(0))
    elif own == DOUBLE_TWO:
        say(work, int64(TWO_TWOS), int64(0))
    elif own == MAKES_CLOSED_THREE or own == MAKES_CLOSED_THREE_PLUS:
        say(work, int64(CLOSED_THREE), int64(0))
    if opponent == TWO or opponent == DOUBLE_TWO:
        say(work, int64(TAKES_TWO), int64(0))
    elif opponent == THREE or opponent == THREE_PLUS:
        say(work, int64(TAKES_THREE), int64(0))


@kernel(int64(Records, Arrays, int64, int64))
def explain_move(records, arrays, cell, win_in):
    """What a legal move does, most important first, into ``work``; how many remarks.

    ``win_in`` are plies to an end that a search proved (0 for none); :func:`explain_begin` came before.
    """
    state, work = records.state, records.work
    work.count = 0
    me = state.side
    point = to_point(cell, state.size)
    foul = forbidden_kind(state, point) if state.forbids == 1 and me == BLACK else int64(0)
    push(state, point)
    over = int64(state.result != UNDECIDED)
    if state.result == me:
        say(work, int64(WINS), int64(0))
    elif state.reason == BY_FORBIDDEN_POINT:
        say(work, FOUL_OVERLINE - 1 + foul, int64(0))
    elif not over and work.named:
        work.after = list_threats(state, records.patterns, records.tables, arrays.after)
        say_against(work, arrays, me)
        if not was_said(work, int64(LEAVES_FIVE), int64(LEAVES_FIVE)):
            say_made(work, arrays, me, cell)
            say_fours(records, arrays, me, cell)
    pop(state)
    if over:
        return work.count
    told = was_said(work, int64(BEGINS_FOURS), int64(BEGINS_FOURS))
    if win_in != 0 and not told and not was_said(work, int64(LEAVES_FIVE), int64(LEAVES_FIVE)):
        say(work, int64(WINS_IN if win_in > 0 else LOSES_IN), abs(win_in))
    if work.count == 0 and work.named:
        say_shapes(records, point)
    if work.count == 0:
        say(work, int64(QUIET), int64(0))
    return work.count


@kernel(int64(State, int64, int64))
def completes_row(state, point, side):
    """Whether a stone of a side, if it were to move, would win by a row."""
    own, key = state.side, state.key
    state.side = side
    push(state, point)
    found = int64(state.result == side and state.reason == BY_LINE)
    pop(state)
    state.side, state.key = own, key
    return found


@kernel(int64(Records, Arrays, int64, int64, float64))
def hint_why(records, arrays, cell, win_in, rate):
    """Why a move is suggested: a place in :class:`wuzi.analysis.explain.HintReason`.

    ``win_in`` (0 for none) and ``rate``, the mover's win rate (no number: unknown), are what a search thinks.
    """
    state, work, rows = records.state, records.work, arrays.before
    me, point = state.side, to_point(cell, state.size)
    if completes_row(state, point, me):
        return int64(WHY_WINS)
    if completes_row(state, point, 3 - me):
        return int64(WHY_BLOCKS)
    count = list_threats(state, records.patterns, records.tables, rows) if work.named else int64(0)
    if has_gain(rows, count, me, int64(THREES), cell):
        return int64(WHY_OPEN_FOUR)
    if has_gain(rows, count, me, int64(ALL_DOUBLES & ~(1 << threats.THREE_THREE)), cell):
        return int64(WHY_DOUBLE)
    if has_gain(rows, count, 3 - me, int64(THREES), cell):
        return int64(WHY_STOPS)
    if has_gain(rows, count, me, int64(1 << threats.THREE_THREE), cell):
        return int64(WHY_DOUBLE)
    if win_in != 0:
        return int64(WHY_WINNING if win_in > 0 else WHY_DEFENCE)
    if rate >= CLEAR:
        return int64(WHY_ADVANTAGE)
    return int64(WHY_DIFFICULT if rate <= 1.0 - CLEAR else WHY_BEST)
