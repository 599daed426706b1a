"""From raw results to a judgement of each move and of both sides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from wuzi.analysis.review.model import Review
from wuzi.analysis.review.results import ProvedWin, TaskKind
from wuzi.contract import own_winrate
from wuzi.core import Color, Move

INACCURACY, MISTAKE, BLUNDER = 5.0, 10.0, 20.0
"""A move that loses more points of win rate than this has the mark of that name."""
WORST = 10
"""Moves in the list of the worst."""


class MoveMark(StrEnum):
    """What a move deserves, by the points of win rate it loses; proofs count more."""

    GOOD = "good"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"

    @property
    def symbol(self) -> str:
        """As written behind moves; empty for a good one."""
        return {"good": "", "inaccuracy": "?!", "mistake": "?", "blunder": "??"}[self]


@dataclass(frozen=True, slots=True)
class MoveReview:
    """What is known of one move. Win rates are Black's, 0 to 1; losses are points, 0 to 100.

    Attributes:
        ply: moves played before it.
        before, after: win rates before the move, with best play, and after it.
        loss: points that the mover lost; None while a side of it is unknown.
        accuracy: 0 to 100, see :func:`accuracy_of`.
        mark: what it deserves; None while unknown, and where every move loses.
        best: the analyst's line, starting with the move it prefers.
        missed: the forced win that the mover had and let go.
        allowed: the forced win that the move gave to the enemy although a defence (or a win) existed.
        defence: a move after which no such win was found.
        only: the single move that stopped the enemy's win by fours, if there was just one.
        forced: the enemy threatened to win at once.
        is_lost: a forced win of the enemy is proved and no defence was found.
    """

    ply: int
    color: Color
    move: Move
    before: float | None = None
    after: float | None = None
    loss: float | None = None
    accuracy: float | None = None
    mark: MoveMark | None = None
    best: tuple[Move, ...] = ()
    missed: ProvedWin | None = None
    allowed: ProvedWin | None = None
    defence: Move | None = None
    only: Move | None = None
    forced: bool = False
    is_lost: bool = False
    is_deep: bool = False

    @property
    def severity(self) -> float:
        """For sorting: the loss, and at least a blunder's for what proofs say."""
        return max(self.loss or 0.0, BLUNDER if self.mark is MoveMark.BLUNDER else 0.0)


@dataclass(frozen=True, slots=True)
class SideReport:
    """One side's game in numbers; means are None without moves.

    Attributes:
        moves: how many were judged.
        accuracy: the mean accuracy of its moves, 0 to 100.
        mean_loss: points a move.
        agreement: part of the moves that are the analyst's choice.
        only_found, only_missed: single defences that were found and that were not.
    """

    color: Color
    moves: int
    accuracy: float | None
    mean_loss: float | None
    agreement: float | None
    inaccuracies: int
    mistakes: int
    blunders: int
    missed_wins: int
    allowed_wins: int
    only_found: int
    only_missed: int


@dataclass(frozen=True, slots=True)
class Judgement:
    """A review read out; ``winrates`` are Black's at each ply from the start on, None where unknown."""

    winrates: tuple[float | None, ...]
    moves: tuple[MoveReview, ...]
    black: SideReport
    white: SideReport

    @property
    def worst(self) -> tuple[MoveReview, ...]:
        """The worst moves that have a mark, worst first."""
        marked = [move for move in self.moves if move.mark not in (None, MoveMark.GOOD)]
        return tuple(sorted(marked, key=lambda move: (-move.severity, move.ply))[:WORST])

    @property
    def sides(self) -> tuple[SideReport, SideReport]:
        """Black's report, then White's."""
        return self.black, self.white


def accuracy_of(loss: float) -> float:
    """The accuracy of a move that lost so many points of win rate: lichess's published curve.

    >>> [round(accuracy_of(loss)) for loss in (0, 5, 10, 20, 40)]
    [100, 80, 64, 40, 15]
    """
    return min(100.0, max(0.0, 103.1668 * math.exp(-0.04354 * loss) - 3.1669))


def mark_of(loss: float) -> MoveMark:
    """The mark by the loss alone."""
    if loss > MISTAKE:
        return MoveMark.BLUNDER if loss > BLUNDER else MoveMark.MISTAKE
    return MoveMark.INACCURACY if loss > INACCURACY else MoveMark.GOOD


def judge(review: Review) -> Judgement:
    """Judge every move by the results there are; fewer of them only leave more unknown."""
    subject = review.subject
    winrates = tuple(_winrate(review, ply) for ply in range(len(subject.positions)))
    moves = tuple(_judge(review, ply, winrates) for ply in range(len(subject.moves)))
    judged = moves[review.judged_from :]
    black, white = (_side(color, [move for move in judged if move.color is color]) for color in Color)
    return Judgement(winrates, moves, black, white)


def _winrate(review: Review, ply: int) -> float | None:
    """Black's win rate at a ply: the end of the game, a proof, or the longest search."""
    position = review.subject.positions[ply]
    if position.outcome is not None:
        winner = position.outcome.winner
        return 0.5 if winner is None else float(winner is Color.BLACK)
    proof = review.proof(ply)
    if proof is not None and proof.win is not None:
        return float(position.to_move is Color.BLACK)
    look = review.look(ply)
    return None if look is None else look.winrate


def _judge(review: Review, ply: int, winrates: Sequence[float | None]) -> MoveReview:
    subject = review.subject
    color, move = subject.positions[ply].to_move, subject.moves[ply]
    if ply < review.judged_from:
        return MoveReview(ply, color, move, winrates[ply], winrates[ply + 1])
    look, proof = review.look(ply), review.proof(ply)
    best = () if look is None else look.best.pv
    before, after = winrates[ply], winrates[ply + 1]
    if proof is not None and proof.kept:
        after = before
    missed = _missed(review, ply)
    defence, allowed, is_lost = _defence(review, ply, missed)
    loss = _loss(color, before, after, is_best=bool(best) and best[0] == move and not (missed or allowed))
    mark = None if loss is None else mark_of(loss)
    if missed or allowed:
        mark = MoveMark.BLUNDER
    elif is_lost or (before is not None and own_winrate(before, color) <= 0.01):
        mark = None
    only, forced = (None, False) if proof is None else (proof.only, proof.forced)
    is_deep = review.result(TaskKind.DEEP, ply) is not None
    accuracy = None if loss is None else accuracy_of(loss)
    proved = (missed, allowed, defence, only, forced, is_lost, is_deep)
    return MoveReview(ply, color, move, before, after, loss, accuracy, mark, best, *proved)


def _missed(review: Review, ply: int) -> ProvedWin | None:
    """The proved win that the mover had, if it has none after the move, by proof or by search."""
    proof, after = review.proof(ply), review.look(ply + 1)
    if proof is None or proof.win is None or proof.kept is not False:
        return None
    return proof.win if after is None or not after.best.is_loss else None


def _defence(
    review: Review, ply: int, missed: ProvedWin | None
) -> tuple[Move | None, ProvedWin | None, bool]:
    """The defence that was there, the win that was allowed, and whether the game was lost anyway."""
    after, found = review.proof(ply + 1), review.defence(ply)
    allowed = None if after is None else after.win
    if missed is not None:
        return (missed.moves[0] if allowed else None), allowed, False
    if found is None:
        return None, None, False
    if found.move is None or ((look := review.look(ply)) is not None and look.best.is_loss):
        return None, None, True
    return found.move, allowed, False


def _loss(color: Color, before: float | None, after: float | None, *, is_best: bool) -> float | None:
    """Points that the mover lost. The analyst's own choice loses nothing: what is left is its noise."""
    if before is None or after is None:
        return None
    return 0.0 if is_best else 100 * max(0.0, own_winrate(before, color) - own_winrate(after, color))


def _side(color: Color, moves: Sequence[MoveReview]) -> SideReport:
    known = [move for move in moves if move.loss is not None]
    count = len(known)
    losses = [move.loss or 0.0 for move in known]
    tally = {mark: sum(move.mark is mark for move in moves) for mark in MoveMark}
    only = [move for move in moves if move.only is not None]
    found = sum(move.only == move.move for move in only)
    return SideReport(
        color,
        count,
        accuracy=sum(map(accuracy_of, losses)) / count if count else None,
        mean_loss=sum(losses) / count if count else None,
        agreement=sum(move.best[:1] == (move.move,) for move in known) / count if count else None,
        inaccuracies=tally[MoveMark.INACCURACY],
        mistakes=tally[MoveMark.MISTAKE],
        blunders=tally[MoveMark.BLUNDER],
        missed_wins=sum(move.missed is not None for move in moves),
        allowed_wins=sum(move.allowed is not None for move in moves),
        only_found=found,
        only_missed=len(only) - found,
    )
