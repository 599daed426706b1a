"""Threats on a board as numbers: what is there, and where one stone would make it worse."""

from __future__ import annotations

from numba import from_dtype, int64, types, void

from wuzi.core import classes as kinds
from wuzi.core.jit import kernel
from wuzi.core.layout import BLACK, BY_LINE, EMPTY, UNDECIDED
from wuzi.core.rule_kernels import State, forbidden_kind, line_step, run_length, to_cell, to_point, wins_along
from wuzi.tactics.kernels import Patterns, Tables, patterns_from_state
from wuzi.tactics.layout import MAX_GAINS, MAX_STONES, THREAT

ThreatRecord = from_dtype(THREAT)
ThreatRows = types.Array(ThreatRecord, 1, "C")

FIVE, OPEN_FOUR, FOUR, FOUR_FOUR, FOUR_THREE, OPEN_THREE, THREE_THREE, FORBIDDEN = range(8)
"""Kinds, most urgent first: the order of :class:`wuzi.tactics.threats.ThreatKind`."""


@kernel(void(ThreatRows, int64, int64, int64, int64))
def new_threat(threats, n, kind, color, step):
    """Begin the threat at place ``n``."""
    threat = threats[n]
    threat.kind, threat.color, threat.step = kind, color, step
    threat.reason = threat.num_stones = threat.num_gains = 0


@kernel(int64(ThreatRows, int64))
def next_place(threats, n):
    """The place after ``n``; in a full list the last one is written over."""
    return min(n + 1, len(threats) - 1)


@kernel(void(ThreatRecord, int64))
def add_stone_cell(threat, cell):
    """Enter a stone in its place among the others, if it is not there yet."""
    n = threat.num_stones
    for i in range(n):
        if threat.stones[i] == cell:
            return
    if n == MAX_STONES:
        return
    while n > 0 and threat.stones[n - 1] > cell:
        threat.stones[n] = threat.stones[n - 1]
        n -= 1
    threat.stones[n] = cell
    threat.num_stones += 1


@kernel(void(ThreatRecord, int64))
def add_gain(threat, cell):
    """Enter a cell that carries the threat out."""
    if threat.num_gains < MAX_GAINS:
        threat.gains[threat.num_gains] = cell
        threat.num_gains += 1


@kernel(int64(ThreatRecord, ThreatRecord))
def goes_before(one, other):
    """Whether a threat is listed before another one: by kind, colour, stones, gains."""
    if one.kind != other.kind:
        return int64(one.kind < other.kind)
    if one.color != other.color:
        return int64(one.color < other.color)
    for i in range(min(one.num_stones, other.num_stones)):
        if one.stones[i] != other.stones[i]:
            return int64(one.stones[i] < other.stones[i])
    if one.num_stones != other.num_stones:
        return int64(one.num_stones < other.num_stones)
    for i in range(min(one.num_gains, other.num_gains)):
        if one.gains[i] != other.gains[i]:
            return int64(one.gains[i] < other.gains[i])
    return int64(one.num_gains < other.num_gains)


@kernel(void(ThreatRecord, ThreatRecord))
def copy_threat(source, target):
    """Copy a threat."""
    target.kind, target.color, target.step = source.kind, source.color, source.step
    target.reason = source.reason
    target.num_stones, target.num_gains = source.num_stones, source.num_gains
    for i in range(source.num_stones):
        target.stones[i] = source.stones[i]
    for i in range(source.num_gains):
        target.gains[i] = source.gains[i]


@kernel(int64(ThreatRows, int64, int64))
def joined(threats, first, n):
    """Add the gain of the threat at ``n`` to one from ``first`` on of the same stones; how many then."""
    new = threats[n]
    for i in range(first, n):
        old = threats[i]
        if old.step != new.step or old.num_stones != new.num_stones:
            continue
        same = 1
        for j in range(new.num_stones):
            same &= int64(old.stones[j] == new.stones[j])
        if same:
            add_gain(old, int64(new.gains[0]))
            return n
    return next_place(threats, n)


@kernel(void(State, ThreatRows, int64, int64, int64, int64, int64, int64))
def row_threat(state, threats, n, kind, color, point, step, part):
    """Enter the stones beside ``point`` on a line: those before it (part 1), after it (2) or both (3)."""
    new_threat(threats, n, kind, color, step)
    threat = threats[n]
    size = state.size
    if part & 1:
        for i in range(run_length(state, point, -step, color), 0, -1):
            add_stone_cell(threat, to_cell(point - i * step, size))
    if part & 2:
        for i in range(1, run_length(state, point, step, color) + 1):
            add_stone_cell(threat, to_cell(point + i * step, size))
    add_gain(threat, to_cell(point, size))


@kernel(int64(State, int64, int64))
def is_forbidden_to(state, point, color):
    """Whether the rules forbid the point to that colour."""
    return int64(state.forbids == 1 and color == BLACK and forbidden_kind(state, point) != 0)


@kernel(int64(State, Patterns, ThreatRows, int64, int64))
def rows_of(state, patterns, threats, n, color):
    """Enter fours and open threes of a colour after ``n`` threats; how many there are then.

    The fours that a point completes are unbroken ones at either side, else all that it would join.
    """
    size, k = state.size, state.win_length
    for wanted in (kinds.LINE_FIVE, kinds.LINE_OPEN_FOUR):
        first = n
        for direction in range(4):
            step = line_step(direction)
            for cell in range(size * size):
                point = to_point(cell, size)
                line = (int64(patterns.codes[color - 1, point]) >> (4 * direction)) & 15
                if state.cells[point] != EMPTY or line != wanted:
                    continue
                back = run_length(state, point, -step, color)
                ahead = run_length(state, point, step, color)
                if wanted == kinds.LINE_OPEN_FOUR:
                    if back + ahead == k - 2 and not is_forbidden_to(state, point, color):
                        row_threat(state, threats, n, int64(OPEN_THREE), color, point, step, int64(3))
                        n = joined(threats, first, n)
                    continue
                parts = int64(back == k - 1) + 2 * int64(ahead == k - 1)
                for part in range(1, 4):
                    chosen = parts & part if part < 3 else int64(parts == 0)
                    if chosen:
                        row_threat(state, threats, n, int64(FOUR), color, point, step, part)
                        n = joined(threats, first, n)
        for i in range(first, n):
            if threats[i].kind == FOUR and threats[i].num_gains > 1:
                threats[i].kind = OPEN_FOUR
    return n


@kernel(void(State, ThreatRecord, int64, int64, int64))
def near_stones(state, threat, point, step, color):
    """Enter the stones of a colour within a winning row's reach of a point, up to an opponent or wall."""
    for way in range(2):
        delta = step if way == 0 else -step
        for i in range(1, state.win_length):
            content = state.cells[point + i * delta]
            if content == color:
                add_stone_cell(threat, to_cell(point + i * delta, state.size))
            elif content != EMPTY:
                break


@kernel(int64(State, Patterns, ThreatRows, int64, int64))
def doubles_of(state, patterns, threats, n, color):
    """Enter the empty cells that make two threats at once on different lines, or two fours on one."""
    size = state.size
    for cell in range(size * size):
        point = to_point(cell, size)
        found = int64(patterns.classes[color - 1, point])
        double = found == kinds.OPEN_FOUR or found == kinds.FOUR_THREE or found == kinds.DOUBLE_THREE
        if state.cells[point] != EMPTY or not (double or found == kinds.FORBIDDEN):
            continue
        fours, second, threes = int64(0), int64(0), int64(0)
        for direction in range(4):
            line = (int64(patterns.codes[color - 1, point]) >> (4 * direction)) & 15
            step = line_step(direction)
            if line == kinds.LINE_FOUR or line == kinds.LINE_OPEN_FOUR:
                fours += 1
            if line == kinds.LINE_OPEN_FOUR:
                row = run_length(state, point, step, color) + run_length(state, point, -step, color) + 1
                second += int64(row != state.win_length - 1)
            threes += int64(line == kinds.LINE_OPEN_THREE or line == kinds.LINE_OPEN_THREE_S)
        kind = int64(-1)
        if fours + second >= 2:
            kind = FOUR_FOUR
        elif fours + second > 0 and threes > 0:
            kind = FOUR_THREE
        elif threes >= 2:
            kind = THREE_THREE
        if kind < 0 or is_forbidden_to(state, point, color):
            continue
        new_threat(threats, n, kind, color, int64(0))
        for direction in range(4):
            line = (int64(patterns.codes[color - 1, point]) >> (4 * direction)) & 15
            four = line == kinds.LINE_FOUR or line == kinds.LINE_OPEN_FOUR
            three = line == kinds.LINE_OPEN_THREE or line == kinds.LINE_OPEN_THREE_S
            if four or (three and kind != FOUR_FOUR):
                near_stones(state, threats[n], point, line_step(direction), color)
        add_gain(threats[n], cell)
        n = next_place(threats, n)
    return n


@kernel(int64(State, ThreatRows, int64))
def won_rows(state, threats, n):
    """Enter the rows that won a game that is over, each once."""
    if state.reason != BY_LINE:
        return n
    color, size = state.result, state.size
    for cell in range(size * size):
        point = to_point(cell, size)
        if state.cells[point] != color:
            continue
        for direction in range(4):
            step = line_step(direction)
            if state.cells[point - step] != color and wins_along(state, point, color, step):
                new_threat(threats, n, int64(FIVE), color, step)
                for i in range(run_length(state, point, step, color) + 1):
                    add_stone_cell(threats[n], to_cell(point + i * step, size))
                n = next_place(threats, n)
    return n


@kernel(int64(State, Patterns, Tables, ThreatRows))
def list_threats(state, patterns, tables, threats):
    """All threats of both colours, most urgent first, into ``threats``; how many. Win lengths 4 and 5.

    In renju a three of Black counts only if Black may play the cell that makes it a four. The last place of
    ``threats`` is scratch; the board is unchanged afterwards, ``patterns`` are filled.
    """
    n = won_rows(state, threats, int64(0))
    result = state.result
    state.result = UNDECIDED
    patterns_from_state(state, patterns, tables)
    for color in range(1, 3):
        n = rows_of(state, patterns, threats, n, color)
        n = doubles_of(state, patterns, threats, n, color)
    size = state.size
    for cell in range(size * size):
        point = to_point(cell, size)
        reason = int64(0)
        if state.forbids == 1 and state.cells[point] == EMPTY:
            reason = forbidden_kind(state, point)
        if reason != 0:
            new_threat(threats, n, int64(FORBIDDEN), int64(BLACK), int64(0))
            threats[n].reason = reason
            add_gain(threats[n], cell)
            n = next_place(threats, n)
    state.result = result
    spare = threats[len(threats) - 1]
    for i in range(1, n):
        j = i
        copy_threat(threats[i], spare)
        while j > 0 and goes_before(spare, threats[j - 1]):
            copy_threat(threats[j - 1], threats[j])
            j -= 1
        copy_threat(spare, threats[j])
    return n
