"""The rest of the rule book as compiled kernels: what may be played, set-up positions, swap openings.

Python's ``Position`` and ``Game`` and the page ask these same functions, so that no rule is written twice.
"""

from __future__ import annotations

from numba import int64, void

from wuzi.core.jit import kernel
from wuzi.core.layout import (
    BLACK,
    BY_FULL_BOARD,
    BY_LINE,
    CHOOSE,
    CHOOSE_AFTER_FIVE,
    DRAW,
    EMPTY,
    FREE,
    IS_OFF_BOARD,
    IS_OVER,
    IS_TAKEN,
    MAY_PLAY,
    OVER,
    PLACE,
    PLACE_THREE,
    PLAY,
    REFUSED,
    STRIDE,
    SWAP,
    SWAP2,
    UNDECIDED,
    WHITE,
)
from wuzi.core.rule_kernels import (
    Bytes,
    Cells,
    Ints,
    State,
    forbidden_map,
    makes_line,
    run_length,
    to_cell,
    to_point,
    wins_along,
)


@kernel(int64(Cells, int64, int64))
def why_not(board, is_over, cell):
    """Whether a stone may be placed on a cell: MAY_PLAY, IS_OFF_BOARD, IS_OVER or IS_TAKEN."""
    if cell < 0 or cell >= board.size:
        return IS_OFF_BOARD
    if is_over:
        return IS_OVER
    return MAY_PLAY if board[cell] == EMPTY else IS_TAKEN


@kernel(int64(Cells, int64, Bytes))
def legal_map(board, is_over, out):
    """Where a stone may be placed: 1 or 0 a cell into ``out``; how many there are."""
    n = 0
    for cell in range(board.size):
        out[cell] = int64(why_not(board, is_over, cell) == MAY_PLAY)
        n += int64(out[cell])
    return n


@kernel(void(State, Bytes))
def foul_map(state, out):
    """As ``forbidden_map``, for the side to move: nothing is forbidden to White."""
    for cell in range(state.size * state.size):
        out[cell] = 0
    if state.side == BLACK:
        forbidden_map(state, out)


@kernel(int64(Cells))
def side_by_count(board):
    """The side to move on a board of which nothing else is known: Black where both have as many stones."""
    balance = 0
    for cell in range(board.size):
        balance += int64(board[cell] == BLACK) - int64(board[cell] == WHITE)
    return BLACK if balance == 0 else WHITE


@kernel(int64(State))
def judge_set_up(state):
    """Find the end of a set-up position for ``result`` and ``reason``; 0 where both colours have won."""
    winners = 0
    for cell in range(state.size * state.size):
        point = to_point(cell, state.size)
        color = int64(state.cells[point])
        if color != EMPTY and makes_line(state, point, color):
            winners |= color
    if winners == BLACK | WHITE:
        return 0
    if winners:
        state.result = winners
        state.reason = BY_LINE
    elif state.ply == state.size * state.size:
        state.result = DRAW
        state.reason = BY_FULL_BOARD
    return 1


@kernel(int64(State, int64, Ints))
def winning_rows(state, color, out):
    """The rows by which a colour has won, in order of their cells: each its length, then its cells.

    Returns how many numbers are in ``out``, at most six for each cell of the board.
    """
    n = 0
    for cell in range(state.size * state.size):
        point = to_point(cell, state.size)
        if state.cells[point] != color:
            continue
        for direction in range(4):
            # In the order of the second cell: along the row, then down from right to left.
            step = 1 if direction == 0 else STRIDE - 2 + direction
            if run_length(state, point, -step, color) or not wins_along(state, point, color, step):
                continue
            out[n] = run_length(state, point, step, color) + 1
            for i in range(out[n]):
                out[n + 1 + i] = to_cell(point + i * step, state.size)
            n += 1 + out[n]
    return n


@kernel(int64(int64, int64, int64))
def first_phase(opening, ply, result):
    """What a game waits for at its start; REFUSED for set-up stones under an opening protocol."""
    if opening != FREE and ply > 0:
        return REFUSED
    if result != UNDECIDED:
        return OVER
    return PLAY if opening == FREE else PLACE_THREE


@kernel(int64(int64, int64))
def num_due(opening, phase):
    """How many stones may be put down at once; where the seat to act chooses: none, the first, or all."""
    if phase == OVER:
        return 0
    if phase == PLACE_THREE:
        return 3
    return 2 if phase == CHOOSE and opening == SWAP2 else 1


@kernel(int64(int64, int64, int64, Ints))
def stones_due(opening, phase, side, colors):
    """The colours of these stones, in order: how many are in ``colors`` (int64 [3])."""
    n = num_due(opening, phase)
    for i in range(n):
        colors[i] = side if i % 2 == 0 else 3 - side
    return n


@kernel(int64(int64, int64, int64, int64))
def phase_after(opening, phase, action, stones):
    """What the game waits for after PLACE (so many stones), SWAP or KEEP; REFUSED where it may not be."""
    if action != PLACE:
        return PLAY if phase == CHOOSE or phase == CHOOSE_AFTER_FIVE else REFUSED
    if stones == 1:
        return REFUSED if phase == OVER or phase == PLACE_THREE else PLAY
    if stones < 1 or stones != num_due(opening, phase):
        return REFUSED
    return CHOOSE if phase == PLACE_THREE else CHOOSE_AFTER_FIVE


@kernel(int64(int64, int64, int64))
def phase_with_result(phase, stones, result):
    """``phase`` unless the stones ended the game: OVER, but REFUSED for several, which may not."""
    if result == UNDECIDED:
        return phase
    return OVER if stones == 1 else REFUSED


@kernel(int64(int64, int64, int64, int64))
def black_after(phase, black_seat, action, stones):
    """Which seat has Black after an action, for now: the seat to choose has White unless it swaps."""
    if action == SWAP:
        return 1 - black_seat
    if action == PLACE and stones > 1:
        return int64(phase != PLACE_THREE)
    return black_seat


@kernel(int64(int64, int64, int64))
def seat_to_act(phase, black_seat, side):
    """The seat that the game waits for."""
    if phase == PLACE_THREE:
        return 0
    return black_seat if side == BLACK else 1 - black_seat
