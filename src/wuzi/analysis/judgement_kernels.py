"""What a move deserves, in numbers: the points of win rate that it lost, and what proofs say of it."""

from __future__ import annotations

from numba import float64, from_dtype, int64, void

from wuzi.analysis.layout import JUDGED
from wuzi.core.jit import kernel
from wuzi.core.layout import BLACK
from wuzi.core.math_kernels import exponential

Judged = from_dtype(JUDGED)

INACCURACY, MISTAKE, BLUNDER = 5.0, 10.0, 20.0
"""A move that loses more points of win rate than this has the mark of that name."""
SURE, SURE_OF_MISSED = 40.0, 60.0
"""Points that the searches before a blunder's mark have to see lost, the second where a win was let go."""
HOPELESS = 0.01
"""A win rate up to which no move is blamed."""
NO_MARK, GOOD, IS_INACCURACY, IS_MISTAKE, IS_BLUNDER = -1, 0, 1, 2, 3
NOTHING, THE_WIN, THE_DEFENCE = 0, 1, 2


@kernel(float64(int64, float64))
def own_rate(side, rate):
    """The win rate of a side, from Black's."""
    return rate if side == BLACK else 1.0 - rate


@kernel(float64(int64, float64, float64))
def points_lost(side, before, after):
    """Points of win rate that a side lost, from Black's win rates."""
    return 100.0 * max(0.0, own_rate(side, before) - own_rate(side, after))


@kernel(float64(float64))
def move_accuracy(lost):
    """The accuracy of a move that lost so many points of win rate, 0 to 100: lichess's published curve."""
    return min(100.0, max(0.0, 103.1668 * exponential(-0.04354 * lost) - 3.1669))


@kernel(int64(float64))
def loss_mark(lost):
    """The mark by the loss alone."""
    if lost > MISTAKE:
        return int64(IS_BLUNDER if lost > BLUNDER else IS_MISTAKE)
    return int64(IS_INACCURACY if lost > INACCURACY else GOOD)


@kernel(void(Judged))
def judge_proofs(judged):
    """What proofs and the search say of the mark: what it may be at most, and what to play instead."""
    judged.missed = judged.allowed = judged.seems_lost = 0
    judged.instead = NOTHING
    if judged.wins == 1:
        judged.mark = GOOD
        return
    if judged.has_win != 1:
        doomed = judged.loss == 1 or judged.defence == 0 or own_rate(judged.side, judged.before) <= HOPELESS
        judged.seems_lost = int64(doomed and judged.is_lost != 1)
        if judged.is_lost == 1 or doomed:
            judged.mark = NO_MARK
            return
    if judged.mark == IS_BLUNDER:
        proved = judged.has_win == 1 or judged.next_win == 1
        wanted = SURE if judged.next_win == 1 else SURE_OF_MISSED
        if not proved or not judged.sure > wanted:
            judged.mark = IS_MISTAKE
    blamed = judged.mark == IS_BLUNDER
    judged.missed = int64(blamed and judged.has_win == 1)
    judged.allowed = int64(blamed and judged.next_win == 1)
    if judged.has_win == 1:
        judged.instead = THE_WIN
    elif judged.defence == 1:
        judged.instead = THE_DEFENCE


@kernel(void(Judged))
def judge_move(judged):
    """Judge a move by what is known of it.

    A move that wins by proof loses nothing. Nor does the analyst's own choice while nothing is proved: what
    is left is noise. A blunder needs a proof, and a longer search that is sure of the rest.
    """
    if judged.wins == 1:
        judged.before = judged.after = 1.0 if judged.side == BLACK else 0.0
    judged.lost = points_lost(judged.side, judged.before, judged.after)
    known = judged.before == judged.before and judged.after == judged.after
    if not known:
        judged.lost = judged.before + judged.after
    elif judged.best == 1 and judged.has_win != 1 and judged.next_win != 1:
        judged.lost = 0.0
    judged.accuracy = move_accuracy(judged.lost) if known else judged.lost
    judged.mark = loss_mark(judged.lost) if known else int64(NO_MARK)
    judge_proofs(judged)
