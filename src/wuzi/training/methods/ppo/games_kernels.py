"""Many games side by side as kernels: legal moves, drawing and playing moves.

Every game has a generator of its own (xorshift64*, Vigna 2016) in ``rngs`` (uint64 [B], never 0), so
that a game depends on its seed and on the policy alone, not on the games beside it.
"""

from __future__ import annotations

import math

from numba import float32, float64, from_dtype, int64, types, uint8, uint64, void

from wuzi.core.jit import kernel
from wuzi.core.kernels import makes_line, push, to_point
from wuzi.core.layout import DRAW, EMPTY, STATE, UNDECIDED
from wuzi.envs.array_kernels import draw

States = types.Array(from_dtype(STATE), 1, "C")
Words = types.Array(uint64, 1, "C")
Cells = types.Array(int64, 1, "C")
Flags = types.Array(uint8, 1, "C")
Masks = types.Array(uint8, 2, "C")
Logits = types.Array(float32, 2, "C")
Reals = types.Array(float32, 1, "C")


@kernel(void(States, int64, Masks))
def legal_masks(states, forced, out):
    """Ones where the side to move may play (uint8 [B, cells]); all zeros in finished games.

    With ``forced``, only moves that win at once where there are any, else only the points of the enemy's
    winning rows where there are any.
    """
    for b in range(out.shape[0]):
        state = states[b]
        own = 0
        foe = 0
        for cell in range(state.size * state.size):
            out[b, cell] = uint8(0)
            point = to_point(cell, state.size)
            if state.result != UNDECIDED or state.cells[point] != EMPTY:
                continue
            kind = 1
            if forced and makes_line(state, point, state.side):
                kind = 3
                own += 1
            elif forced and makes_line(state, point, 3 - state.side):
                kind = 2
                foe += 1
            out[b, cell] = uint8(kind)
        least = 3 if own else 2 if foe else 1
        for cell in range(state.size * state.size):
            out[b, cell] = uint8(out[b, cell] >= least)


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
            left = total * float64(draw(rngs, games[b], 1 << 31)) / float64(1 << 31)
            for cell in range(n):
                if masks[b, cell]:
                    actions[b] = cell
                    left -= math.exp(float64(logits[b, cell]) - top)
                    if left < 0:
                        break
        log_probs[b] = float32(float64(logits[b, actions[b]]) - top - math.log(total))


@kernel(void(States, Cells, Reals, Flags))
def play(states, actions, rewards, dones):
    """Play a move in each game; the mover's reward (1 won, -1 lost, else 0) and whether the game ended.

    A game that is over already, or an action below 0, is left alone and counts as ended.
    """
    for b in range(actions.shape[0]):
        state = states[b]
        rewards[b] = float32(0)
        dones[b] = uint8(1)
        if state.result != UNDECIDED or actions[b] < 0:
            continue
        mover = state.side
        push(state, to_point(actions[b], state.size))
        dones[b] = uint8(state.result != UNDECIDED)
        if state.result != UNDECIDED and state.result != DRAW:
            rewards[b] = float32(1) if state.result == mover else float32(-1)
