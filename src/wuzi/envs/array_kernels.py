"""Many games side by side as kernels: a step with automatic restarts, legal moves, planes, random moves.

Every game has a generator of its own (xorshift64*, Vigna 2016) in ``rngs`` (uint64 [B], never 0), so
that a game depends on its seed and its moves alone, not on the games beside it.
"""

from __future__ import annotations

from numba import float32, from_dtype, int8, int64, types, uint8, uint64, void

from wuzi.core.jit import kernel
from wuzi.core.kernels import State, number_below, pop, push, reset, to_point, xorshift
from wuzi.core.layout import BLACK, DRAW, EMPTY, PAD, STATE, STRIDE, UNDECIDED

States = types.Array(from_dtype(STATE), 1, "C")
Words = types.Array(uint64, 1, "C")
Cells = types.Array(int64, 1, "C")
Flags = types.Array(uint8, 1, "C")
Stones = types.Array(int8, 1, "C")
Reals = types.Array(float32, 1, "C")
Masks = types.Array(uint8, 2, "C")
Boards = types.Array(int8, 3, "C")
Planes = types.Array(float32, 4, "C")

TRIES = 8


@kernel(int64(Words, int64, int64))
def draw(rngs, game, below):
    """A number from 0 to ``below`` - 1 from the generator of a game."""
    rngs[game] = xorshift(rngs[game])
    return number_below(rngs[game], below)


@kernel(int64(State, Words, int64))
def random_stone(state, rngs, game):
    """Push a random stone that does not end the game; 0 when some tries found none."""
    cells = state.size * state.size
    for _ in range(TRIES):
        cell = draw(rngs, game, cells)
        point = to_point(cell, state.size)
        while state.cells[point] != EMPTY:
            cell = cell + 1 if cell + 1 < cells else 0
            point = to_point(cell, state.size)
        push(state, point)
        if state.result == UNDECIDED:
            return 1
        pop(state)
    return 0


@kernel(void(States, Words, int64, int64, int64, int64, int64))
def begin(states, rngs, game, size, win_length, rule, random_plies):
    """Begin a game with 0 to ``random_plies`` random stones on the board, none of which ends it."""
    state = states[game]
    reset(state, size, win_length, rule)
    for _ in range(draw(rngs, game, random_plies + 1)):
        if not random_stone(state, rngs, game):
            break


@kernel(int64(States, Cells))
def first_illegal(states, actions):
    """The first game whose action is off the board or occupied, -1 if there is none."""
    for b in range(actions.shape[0]):
        state = states[b]
        cell = actions[b]
        if cell < 0 or cell >= state.size * state.size:
            return b
        if state.cells[to_point(cell, state.size)] != EMPTY:
            return b
    return -1


@kernel(void(States, Words, Cells, int64, Reals, Flags, Stones, Cells))
def step(states, rngs, actions, random_plies, rewards, dones, winners, lengths):
    """Play a move in each game, and begin those anew that it ended.

    Per game: the mover's reward (1 won, -1 lost by a foul, else 0), whether the game ended, the winner's
    colour (0: nobody, or the game goes on) and the stones on the board after the move.
    """
    for b in range(actions.shape[0]):
        state = states[b]
        mover = state.side
        push(state, to_point(actions[b], state.size))
        rewards[b] = float32(0)
        winners[b] = int8(0)
        lengths[b] = state.ply
        dones[b] = uint8(state.result != UNDECIDED)
        if state.result == UNDECIDED:
            continue
        if state.result != DRAW:
            winners[b] = int8(state.result)
            rewards[b] = float32(1) if state.result == mover else float32(-1)
        begin(states, rngs, b, state.size, state.win_length, state.rule, random_plies)


@kernel(void(States, Masks))
def write_masks(states, out):
    """Ones at the empty cells (uint8 [B, cells])."""
    for b in range(out.shape[0]):
        state = states[b]
        size = state.size
        for row in range(size):
            base = (row + PAD) * STRIDE + PAD
            for col in range(size):
                out[b, row * size + col] = uint8(state.cells[uint64(base + col)] == EMPTY)


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
    """Own stones, the enemy's stones, and ones where Black is to move (float32 [B, 3, size, size])."""
    for b in range(out.shape[0]):
        state = states[b]
        own = state.side
        enemy = 3 - own
        colour = float32(own == BLACK)
        for row in range(state.size):
            base = (row + PAD) * STRIDE + PAD
            for col in range(state.size):
                stone = state.cells[uint64(base + col)]
                out[b, 0, row, col] = float32(stone == own)
                out[b, 1, row, col] = float32(stone == enemy)
                out[b, 2, row, col] = colour


@kernel(void(States, Words, Cells))
def random_actions(states, rngs, out):
    """An empty cell a game, all equally likely (int64 [B])."""
    for b in range(out.shape[0]):
        state = states[b]
        size = state.size
        left = draw(rngs, b, size * size - state.ply)
        cell = int64(0)
        for row in range(size):
            base = (row + PAD) * STRIDE + PAD
            for col in range(size):
                if state.cells[uint64(base + col)] == EMPTY:
                    if left == 0:
                        cell = row * size + col
                    left -= 1
        out[b] = cell
