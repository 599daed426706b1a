"""The documents' minimax: depth-limited alpha-beta over run scores, with an optional record of its tree."""

from __future__ import annotations

from collections import namedtuple

from numba import from_dtype, int64, types, void

from wuzi.core.jit import kernel
from wuzi.core.layout import (
    BLACK,
    DEEPEST,
    DRAW,
    EMPTY,
    PAD,
    STOP,
    STRIDE,
    TRACED,
    UNDECIDED,
)
from wuzi.core.rule_kernels import Ints, State, count_node, pop, push, to_cell, to_point
from wuzi.evaluation.run_kernels import RunTable, cell_weight, gain
from wuzi.search.layout import MINIMAX, UNSCORED, WIN

Minimax = from_dtype(MINIMAX)
Rows = types.Array(int64, 2, "C")

MinimaxSearch = namedtuple("MinimaxSearch", "state work table ctl trace")
"""The board, the work space, the table of run scores, the control words and the record of the tree."""
Searching = types.BaseTuple.from_types((State, Minimax, RunTable, Ints, Rows), MinimaxSearch)


@kernel(void(Minimax, int64, int64))
def mark_near(work, point, change):
    """Add ``change`` to the neighbour counts around ``point``."""
    reach = work.reach
    for dy in range(-reach, reach + 1):
        for dx in range(-reach, reach + 1):
            work.near[point + dy * STRIDE + dx] += change


@kernel(int64(State, Minimax, RunTable, int64))
def minimax_push(state, work, table, point):
    """Place a stone of the side to move; returns the change of the score, to be taken back by the caller."""
    color = state.side
    change = gain(state, table, point, color) + work.centre[point]
    if color != BLACK:
        change = -change
    work.score += change
    mark_near(work, point, 1)
    push(state, point)
    return change


@kernel(void(State, Minimax, int64, int64))
def minimax_pop(state, work, point, change):
    """Take back the stone at ``point``."""
    pop(state)
    mark_near(work, point, -1)
    work.score -= change


@kernel(int64(int64, int64, int64))
def ring_of(row, col, size):
    """How far a cell is from the edge of the board."""
    return min(min(row, col), min(size - 1 - row, size - 1 - col))


@kernel(void(State, Minimax, RunTable, int64, int64))
def minimax_setup(state, work, table, centre, reach):
    """Prepare the work space for a board: neighbour counts, position term and score from scratch.

    The score is found by placing the stones one by one on an emptied board.
    """
    work.reach = reach
    size = state.size
    work.score = 0
    work.near[:] = 0
    work.centre[:] = 0
    for cell in range(size * size):
        point = to_point(cell, size)
        work.centre[point] = centre * ring_of(cell // size, cell % size, size)
        work.moves[0, cell] = state.cells[point]
        state.cells[point] = EMPTY
    for cell in range(size * size):
        point = to_point(cell, size)
        color = int64(work.moves[0, cell])
        if color != EMPTY:
            change = gain(state, table, point, color) + work.centre[point]
            work.score += change if color == BLACK else -change
            mark_near(work, point, 1)
            state.cells[point] = color


@kernel(int64(State, Minimax, RunTable, int64))
def minimax_moves(state, work, table, level):
    """Candidates for the side to move into ``work.moves[level]``; returns how many.

    Empty cells near a stone (the centre of an empty board), best first: the sum of the runs that
    either side would make there, then nearness to the centre, then the lowest cell.
    """
    size = state.size
    n = 0
    for row in range(size):
        for col in range(size):
            point = (row + PAD) * STRIDE + col + PAD
            if state.cells[point] != EMPTY or (work.near[point] == 0 and state.ply > 0):
                continue
            key = ring_of(row, col, size)
            if work.ordered:
                own = cell_weight(state, table, point, state.side)
                other = cell_weight(state, table, point, 3 - state.side)
                key += 64 * (own + other)
            work.moves[level, n] = point
            work.keys[level, n] = key
            n += 1
    if n == 0:
        # A set-up board whose stones leave no empty neighbour: any empty cell will do.
        for cell in range(size * size):
            point = to_point(cell, size)
            if state.cells[point] == EMPTY:
                work.moves[level, n] = point
                work.keys[level, n] = 0
                n += 1
    if state.ply == 0:
        best = 0
        for i in range(1, n):
            if work.keys[level, i] > work.keys[level, best]:
                best = i
        work.moves[level, 0] = work.moves[level, best]
        return 1
    if work.ordered:
        # Insertion sort keeps the order of equal keys, so the tree does not depend on a sort library.
        for i in range(1, n):
            move = work.moves[level, i]
            key = work.keys[level, i]
            j = i - 1
            while j >= 0 and work.keys[level, j] < key:
                work.moves[level, j + 1] = work.moves[level, j]
                work.keys[level, j + 1] = work.keys[level, j]
                j -= 1
            work.moves[level, j + 1] = move
            work.keys[level, j + 1] = key
    return min(n, work.width) if work.width > 0 else n


@kernel(int64(Searching, int64, int64, int64, int64, int64))
def minimax_search(search, depth, alpha, beta, level, parent):
    """Negamax value of the board for the side to move, within (alpha, beta), fail-soft.

    ``level`` is the distance from the root; ``parent`` the row of ``trace`` of the node that called
    (-1 for none). A stop request makes the value meaningless: the caller looks at ``ctl[STOP]``.
    """
    state, work, table, ctl, trace = search
    count_node(ctl)
    ctl[DEEPEST] = max(ctl[DEEPEST], level)
    row = int64(-1)
    if ctl[TRACED] < trace.shape[0]:
        row = ctl[TRACED]
        ctl[TRACED] += 1
        last = int64(state.history[state.ply - 1]) if level > 0 else int64(-1)
        trace[row, 0] = parent
        trace[row, 1] = to_cell(last, state.size) if last >= 0 else -1
        trace[row, 2] = level
        trace[row, 3] = alpha
        trace[row, 4] = beta
        trace[row, 6] = 0
        trace[row, 7] = 3 - state.side
    work.pv_length[level] = 0
    value = int64(0)
    if state.result != UNDECIDED:
        if state.result != DRAW:
            value = level - WIN if state.result != state.side else WIN - level
    elif depth == 0:
        value = work.score if state.side == BLACK else -work.score
    else:
        value = int64(-2 * WIN)
        n = minimax_moves(state, work, table, level)
        for i in range(n):
            point = int64(work.moves[level, i])
            change = minimax_push(state, work, table, point)
            below = depth - 1
            low = -beta
            high = -max(alpha, value)
            deeper = level + 1
            score = -minimax_search(search, below, low, high, deeper, row)
            minimax_pop(state, work, point, change)
            if ctl[STOP] != 0:
                break
            if score > value:
                value = score
                work.pv[level, 0] = to_cell(point, state.size)
                for j in range(work.pv_length[level + 1]):
                    work.pv[level, j + 1] = work.pv[level + 1, j]
                work.pv_length[level] = work.pv_length[level + 1] + 1
            if value >= beta:
                if row >= 0 and i + 1 < n:
                    trace[row, 6] = 1
                break
    if row >= 0:
        trace[row, 5] = value
    return value


@kernel(int64(Minimax, int64, int64, int64, int64))
def enter_line(work, count, wanted, move, score):
    """Enter a move (a cell) and the line behind it among the best, after those as good; how many then."""
    place = count
    while place > 0 and work.scores[place - 1] < score:
        place -= 1
    count = min(count + 1, wanted)
    for i in range(count - 1, place, -1):
        work.scores[i] = work.scores[i - 1]
        work.lengths[i] = work.lengths[i - 1]
        for j in range(work.lengths[i]):
            work.lines[i, j] = work.lines[i - 1, j]
    work.scores[place] = score
    work.lengths[place] = 1 + work.pv_length[1]
    work.lines[place, 0] = move
    for j in range(work.pv_length[1]):
        work.lines[place, j + 1] = work.pv[1, j]
    return count


@kernel(int64(State, Minimax, RunTable, Ints, Rows, int64, int64, int64))
def minimax_root(state, work, table, ctl, trace, depth, multipv, keep_partial):
    """The best ``multipv`` moves at a depth into ``work.lines``; how many, or -1 where it was cut short.

    With ``keep_partial`` a search that was cut short still gives what it has, so that there is always an
    answer: at least the first move of the ordering, without a score.
    """
    search = MinimaxSearch(state, work, table, ctl, trace)
    level, count = int64(0), int64(0)
    wanted = min(multipv, int64(len(work.scores)))
    choices = minimax_moves(state, work, table, level)
    for i in range(choices):
        point = int64(work.moves[0, i])
        alpha = int64(work.scores[wanted - 1]) if count == wanted else int64(-2 * WIN)
        change = minimax_push(state, work, table, point)
        below, low, high, deeper, parent = depth - 1, int64(-2 * WIN), -alpha, int64(1), int64(-1)
        score = -minimax_search(search, below, low, high, deeper, parent)
        minimax_pop(state, work, point, change)
        if ctl[STOP] != 0:
            break
        if score > alpha:
            count = enter_line(work, count, wanted, to_cell(point, state.size), score)
    if ctl[STOP] != 0 and not keep_partial:
        return int64(-1)
    if count == 0:
        work.scores[0], work.lengths[0] = UNSCORED, 1
        work.lines[0, 0] = to_cell(int64(work.moves[0, 0]), state.size)
        count = int64(1)
    return count
