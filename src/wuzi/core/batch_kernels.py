"""Many games side by side as kernels: beginning, legal moves, drawing and playing moves, boards.

Every game has a generator of its own (xorshift64*, Vigna 2016) in ``rngs`` (uint64 [B], never 0), so
that a game depends on its seed and its moves alone, not on the games beside it.
"""

from __future__ import annotations

import math

from numba import float32, float64, from_dtype, int8, int64, types, uint8, uint64, void

from wuzi.core.jit import kernel
from wuzi.core.layout import BLACK, DRAW, EMPTY, PAD, STATE, STRIDE, UNDECIDED, WALL
from wuzi.core.rule_kernels import (
    State,
    empty_at,
    line_step,
    makes_line,
    number_below,
    pop,
    push,
    reset,
    to_point,
    xorshift,
)

States = types.Array(from_dtype(STATE), 1, "C")
Words = types.Array(uint64, 1, "C")
Cells = types.Array(int64, 1, "C")
Flags = types.Array(uint8, 1, "C")
Reals = types.Array(float32, 1, "C")
Stones = types.Array(int8, 1, "C")
Masks = types.Array(uint8, 2, "C")
Logits = types.Array(float32, 2, "C")
Boards = types.Array(int8, 3, "C")
Planes = types.Array(float32, 4, "C")

TRIES = 8
"""Random stones that are tried before a start is left as it is, because each of them would end the game."""


@kernel(int64(State))
def can_be_won(state):
    """Whether a row of the winning length is left without stones of both colours.

    Without one nobody can win under any rule: overlines and what renju forbids contain such rows, too.
    """
    for cell in range(state.size * state.size):
        for direction in range(4):
            point = to_point(cell, state.size)
            colors = int64(0)
            for _ in range(state.win_length):
                colors |= int64(state.cells[uint64(point)])
                if colors == WALL:
                    break
                point += line_step(direction)
            if colors != WALL:
                return 1
    return 0


@kernel(int64(Words, int64, int64))
def random_below(rngs, game, below):
    """A number from 0 to ``below`` - 1 from the generator of a game."""
    rngs[game] = xorshift(rngs[game])
    return number_below(rngs[game], below)


@kernel(int64(State, Words, int64))
def random_stone(state, rngs, game):
    """Push a random stone that does not end the game; 0 when some tries found none."""
    for _ in range(TRIES):
        push(state, empty_at(state, random_below(rngs, game, state.size * state.size)))
        if state.result == UNDECIDED:
            return 1
        pop(state)
    return 0


@kernel(void(States, Words, int64, int64, int64, int64, int64))
def begin(states, rngs, game, size, win_length, rule, random_plies):
    """Begin a game with 0 to ``random_plies`` random stones on the board, none of which ends it."""
    state = states[game]
    reset(state, size, win_length, rule)
    for _ in range(random_below(rngs, game, random_plies + 1)):
        if not random_stone(state, rngs, game):
            break


@kernel(int64(States, Cells))
def first_illegal(states, actions):
    """The first undecided game whose action is off the board or occupied, -1 if there is none."""
    for b in range(actions.shape[0]):
        state, cell = states[b], actions[b]
        if state.result == UNDECIDED:
            if not 0 <= cell < state.size * state.size:
                return b
            if state.cells[to_point(cell, state.size)] != EMPTY:
                return b
    return -1


@kernel(void(States, Words, Cells, int64, Reals, Flags, Stones, Cells))
def play(states, rngs, actions, random_plies, rewards, dones, winners, lengths):
    """Play a move in each game; with ``random_plies`` of 0 or more, games that it ended begin anew.

    Per game: the mover's reward (1 won, -1 lost by a foul, else 0), whether it is over, the winner's colour
    (0: nobody, or undecided) and the stones on the board after the move. A game that was over before is left
    alone and counts as over.
    """
    for b in range(actions.shape[0]):
        state = states[b]
        mover = state.side
        decided = state.result != UNDECIDED
        if not decided:
            push(state, to_point(actions[b], state.size))
        rewards[b] = float32(0)
        winners[b] = int8(0)
        lengths[b] = state.ply
        dones[b] = uint8(state.result != UNDECIDED)
        if state.result == UNDECIDED:
            continue
        if state.result != DRAW:
            winners[b] = int8(state.result)
            if not decided:
                rewards[b] = float32(1) if state.result == mover else float32(-1)
        if random_plies >= 0:
            begin(states, rngs, b, state.size, state.win_length, state.rule, random_plies)


@kernel(void(States, Masks))
def write_masks(states, out):
    """Ones at the empty cells (uint8 [B, cells]); all zeros in games that are over."""
    for b in range(out.shape[0]):
        state = states[b]
        size = state.size
        if state.result != UNDECIDED:
            out[b] = uint8(0)
            continue
        for row in range(size):
            base = (row + PAD) * STRIDE + PAD
            for col in range(size):
                out[b, row * size + col] = uint8(state.cells[uint64(base + col)] == EMPTY)


@kernel(void(States, Masks))
def keep_forced(states, masks):
    """Of the legal moves, keep those that win at once; where there are none, those that stop such a win."""
    for b in range(masks.shape[0]):
        state = states[b]
        most = int64(1)
        for cell in range(masks.shape[1]):
            if masks[b, cell]:
                kind = int64(1)
                point = to_point(cell, state.size)
                if makes_line(state, point, state.side):
                    kind = 3
                elif makes_line(state, point, 3 - state.side):
                    kind = 2
                masks[b, cell] = uint8(kind)
                most = max(most, kind)
        for cell in range(masks.shape[1]):
            masks[b, cell] = uint8(masks[b, cell] == most)


@kernel(void(Logits, Masks, Words, Cells, int64, Cells, Reals))
def choose(logits, masks, rngs, games, greedy, actions, log_probs):
    """Draw a legal move for each row, and its log-probability under the masked softmax.

    Row b belongs to game ``games[b]``. ``greedy`` takes the likeliest move; ties go to the lowest cell.
    A row without legal moves gets action -1.
    """
    for b in range(logits.shape[0]):
        n = logits.shape[1]
        best = int64(-1)
        for cell in range(n):
            if masks[b, cell] and (best < 0 or logits[b, cell] > logits[b, best]):
                best = cell
        actions[b] = best
        log_probs[b] = float32(0)
        if best < 0:
            continue
        top = float64(logits[b, best])
        total = float64(0)
        for cell in range(n):
            if masks[b, cell]:
                total += math.exp(float64(logits[b, cell]) - top)
        if not greedy:
            left = total * float64(random_below(rngs, games[b], 1 << 31)) / float64(1 << 31)
            for cell in range(n):
                if masks[b, cell]:
                    actions[b] = cell
                    left -= math.exp(float64(logits[b, cell]) - top)
                    if left < 0:
                        break
        log_probs[b] = float32(float64(logits[b, actions[b]]) - top - math.log(total))


@kernel(void(States, Words, Cells))
def random_moves(states, rngs, out):
    """An empty cell a game, all equally likely (int64 [B])."""
    for b in range(out.shape[0]):
        state = states[b]
        size = state.size
        left = random_below(rngs, b, size * size - state.ply)
        cell = int64(0)
        for row in range(size):
            base = (row + PAD) * STRIDE + PAD
            for col in range(size):
                if state.cells[uint64(base + col)] == EMPTY:
                    if left == 0:
                        cell = row * size + col
                    left -= 1
        out[b] = cell


@kernel(void(States, Boards))
def write_boards(states, out):
    """The stones as they are: 0 empty, 1 Black, 2 White (int8 [B, size, size])."""
    for b in range(out.shape[0]):
        state = states[b]
        for row in range(state.size):
            base = (row + PAD) * STRIDE + PAD
            for col in range(state.size):
                out[b, row, col] = state.cells[uint64(base + col)]


@kernel(void(States, Planes))
def write_planes(states, out):
    """Own stones, the opponent's, and ones where Black is to move (float32 [B, 3, size, size])."""
    for b in range(out.shape[0]):
        state = states[b]
        own = state.side
        opponent = 3 - own
        colour = float32(own == BLACK)
        for row in range(state.size):
            base = (row + PAD) * STRIDE + PAD
            for col in range(state.size):
                stone = state.cells[uint64(base + col)]
                out[b, 0, row, col] = float32(stone == own)
                out[b, 1, row, col] = float32(stone == opponent)
                out[b, 2, row, col] = colour
