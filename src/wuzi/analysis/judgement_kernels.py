"""What a move deserves, in numbers: the points of win rate that it lost, and wins missed or allowed."""

from __future__ import annotations

from numba import float64, from_dtype, int64, void

from wuzi.analysis.layout import JUDGED
from wuzi.core.jit import kernel
from wuzi.core.layout import BLACK
from wuzi.core.math_kernels import exponential

Judged = from_dtype(JUDGED)

INACCURACY, MISTAKE, BLUNDER = 5.0, 10.0, 20.0
"""A move that loses more points of win rate than this has the mark of that name."""
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
    """What proofs say of a move: a win missed or allowed, a better move, a game that was lost anyway."""
    judged.missed = judged.allowed = judged.is_lost = 0
    judged.instead = NOTHING
    if judged.has_win == 1 and judged.kept == 0 and judged.next_loss != 1:
        judged.missed = 1
        judged.allowed = int64(judged.next_win == 1)
        judged.instead = THE_WIN if judged.allowed else NOTHING
    elif judged.defence == 0 or (judged.defence == 1 and judged.loss == 1):
        judged.is_lost = 1
    elif judged.defence == 1:
        judged.allowed = int64(judged.next_win == 1)
        judged.instead = THE_DEFENCE


@kernel(void(Judged))
def judge_move(judged):
    """Judge a move by what is known of it. The analyst's own choice loses nothing: what is left is noise."""
    judge_proofs(judged)
    blamed = judged.missed or judged.allowed
    if judged.kept == 1:
        judged.after = judged.before
    judged.lost = points_lost(judged.side, judged.before, judged.after)
    known = judged.before == judged.before and judged.after == judged.after
    if not known:
        judged.lost = judged.before + judged.after
    elif judged.best == 1 and not blamed:
        judged.lost = 0.0
    judged.accuracy = move_accuracy(judged.lost) if known else judged.lost
    judged.mark = loss_mark(judged.lost) if known else int64(NO_MARK)
    if blamed:
        judged.mark = IS_BLUNDER
    elif judged.is_lost or own_rate(judged.side, judged.before) <= HOPELESS:
        judged.mark = NO_MARK
