"""From raw results to a judgement of each move and of both sides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from wuzi.analysis import judgement_kernels
from wuzi.analysis.judgement_kernels import BLUNDER
from wuzi.analysis.layout import JUDGED
from wuzi.analysis.review.model import Review
from wuzi.analysis.review.results import LevelFit, ProvedWin, TaskKind
from wuzi.analysis.review.strength import Strength, estimated
from wuzi.contract import own_winrate
from wuzi.core import Color, Move, Reason

WORST = 10
"""Moves in the list of the worst."""
MUCH = 0.8
"""The win rate from which on an agreed draw gives something away."""


class MoveMark(StrEnum):
    """What a move deserves, by the points of win rate it loses; a blunder is proved, the others believed."""

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

    ``missed``, ``allowed``, ``open_win``, ``loses``, ``only``, ``wins`` and ``is_lost`` are proved. All else
    is what the analyst believes.

    Attributes:
        ply: moves played before it.
        before, after: win rates before the move, with best play, and after it.
        loss: points that the mover lost; None while a side of it is unknown.
        accuracy: 0 to 100, see :func:`accuracy_of`.
        mark: what it deserves; None while unknown, and where every move loses.
        best: the analyst's line, starting with the move it prefers; the win's, where one is proved.
        missed: the forced win that the mover had, and let go by a blunder.
        allowed: the forced win that a blunder gave to the opponent.
        open_win: a forced win that the mover had, where nobody knows whether the move played wins too.
        loses: the opponent's forced win after the move, whatever the move deserves.
        defence: a move after which no forced win of the opponent was found.
        only: the single move that stopped the opponent's win by fours, if there was just one.
        forced: the opponent threatened to win at once.
        wins: the mover wins by force after it.
        is_lost: every move loses here.
        seems_lost: the analyst finds no move that saves the game here, but nothing proves it.
        is_deep: it had a second, longer look.
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
    open_win: ProvedWin | None = None
    loses: ProvedWin | None = None
    defence: Move | None = None
    only: Move | None = None
    forced: bool = False
    wins: bool = False
    is_lost: bool = False
    seems_lost: bool = False
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
        accuracy: the mean accuracy of its moves, 0 to 100; where every move is proved to lose none counts.
        mean_loss: points a move, of the same moves.
        agreement: part of the same moves that are the analyst's choice.
        only_found, only_missed: single defences that were found and that were not.
        strength: how strong it played; None where that is not estimated.
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
    strength: Strength | None = None


@dataclass(frozen=True, slots=True)
class Concession:
    """A game given up, or agreed to be a draw, by a side that was not losing.

    ``win`` is its forced win, if it had one to play; without one its ``winrate``, 0 to 1, is what the analyst
    believes.
    """

    color: Color
    win: ProvedWin | None
    winrate: float


@dataclass(frozen=True, slots=True)
class Judgement:
    """A review read out; ``winrates`` are Black's at each ply from the start on, None where unknown."""

    winrates: tuple[float | None, ...]
    moves: tuple[MoveReview, ...]
    black: SideReport
    white: SideReport
    resigned: Concession | None = None

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
    return float(judgement_kernels.move_accuracy(loss))


def judge(review: Review) -> Judgement:
    """Judge every move by the results there are; fewer of them only leave more unknown."""
    subject = review.subject
    winrates = tuple(_winrate(review, ply) for ply in range(len(subject.positions)))
    moves = tuple(_judge(review, ply, winrates) for ply in range(len(subject.moves)))
    judged = moves[review.judged_from :]
    black, white = (_side(color, [move for move in judged if move.color is color], review) for color in Color)
    return Judgement(winrates, moves, black, white, _resigned(review, winrates[-1]))


def _resigned(review: Review, winrate: float | None) -> Concession | None:
    """Who gave up a game that was not lost, or a won one for a draw."""
    outcome, last = review.subject.game.outcome, len(review.subject.moves)
    if outcome is None or winrate is None or outcome.reason not in (Reason.RESIGNATION, Reason.AGREEMENT):
        return None
    ahead = Color.BLACK if winrate >= 0.5 else Color.WHITE
    color = ahead if outcome.winner is None else outcome.winner.opponent
    own, proof = own_winrate(winrate, color), review.proof(last)
    if own < (MUCH if outcome.winner is None else 0.5):
        return None
    mine = color is review.subject.positions[last].to_move
    return Concession(color, proof.win if proof is not None and mine else None, own)


def _winrate(review: Review, ply: int) -> float | None:
    """Black's win rate at a ply: the end of the game, a proof, or what the longest search believes."""
    position = review.subject.positions[ply]
    if position.outcome is not None:
        winner = position.outcome.winner
        return 0.5 if winner is None else float(winner is Color.BLACK)
    wins = ply < len(review.subject.moves) and review.wins(ply)
    if wins or review.has_win(ply) or (ply > 0 and review.is_lost(ply - 1)):
        return float(position.to_move is Color.BLACK)
    defence = review.defence(ply)
    if review.is_lost(ply) or (defence is not None and defence.move is None):
        return float(position.to_move is Color.WHITE)
    return review.belief(ply)


def _judge(review: Review, ply: int, winrates: Sequence[float | None]) -> MoveReview:
    subject = review.subject
    color, move = subject.positions[ply].to_move, subject.moves[ply]
    if ply < review.judged_from:
        return MoveReview(ply, color, move, winrates[ply], winrates[ply + 1])
    judged = _facts(review, ply, winrates)
    judgement_kernels.judge_move(judged)
    look, proof, threat = review.look(ply), review.proof(ply), review.proof(ply + 1)
    win, loses = (None if one is None else one.win for one in (proof, threat))
    found = review.defence(ply)
    best = () if look is None else look.best.pv
    instead = None
    if win is not None:
        best = win.moves
        instead = win.moves[0] if judged["instead"] == judgement_kernels.THE_WIN else None
    elif found is not None and judged["instead"] == judgement_kernels.THE_DEFENCE:
        instead = found.move
    missed = win if judged["missed"] else None
    return MoveReview(
        ply,
        color,
        move,
        before=_known(judged["before"]),
        after=_known(judged["after"]),
        loss=_known(judged["lost"]),
        accuracy=_known(judged["accuracy"]),
        mark=None if judged["mark"] < 0 else tuple(MoveMark)[int(judged["mark"])],
        best=best,
        missed=missed,
        allowed=loses if judged["allowed"] else None,
        open_win=None if review.wins(ply) or missed is not None else win,
        loses=loses,
        defence=instead,
        only=None if proof is None else proof.only,
        forced=proof is not None and proof.forced,
        wins=review.wins(ply),
        is_lost=bool(judged["is_lost"]),
        seems_lost=bool(judged["seems_lost"]),
        is_deep=review.result(TaskKind.DEEP, ply) is not None,
    )


def _known(number: float) -> float | None:
    return None if math.isnan(number) else float(number)


def _facts(review: Review, ply: int, winrates: Sequence[float | None]) -> Any:
    """What is known of a move, for the kernel that judges it."""
    subject, judged = review.subject, np.zeros(1, JUDGED)[0]
    look, found = review.look(ply), review.defence(ply)
    known = {
        "side": int(subject.positions[ply].to_move),
        "has_win": review.has_win(ply),
        "wins": review.wins(ply),
        "next_win": review.loses(ply),
        "is_lost": review.is_lost(ply),
        "loss": look and look.best.is_loss,
        "best": look and look.best.pv[:1] == (subject.moves[ply],),
        "defence": found and found.move is not None,
    }
    for name, value in known.items():
        judged[name] = -1 if value is None else value
    rates = {"before": winrates[ply], "after": winrates[ply + 1], "sure": review.sure_points(ply)}
    for name, rate in rates.items():
        judged[name] = math.nan if rate is None else rate
    return judged


def _side(color: Color, moves: Sequence[MoveReview], review: Review) -> SideReport:
    judged = [move for move in moves if move.loss is not None]
    known = [move for move in judged if not move.is_lost]
    count = len(known)
    losses = [move.loss or 0.0 for move in known]
    tally = {mark: sum(move.mark is mark for move in moves) for mark in MoveMark}
    only = [move for move in moves if move.only is not None]
    found = sum(move.only == move.move for move in only)
    fits = [review.result(TaskKind.LEVELS, move.ply) for move in moves]
    return SideReport(
        color,
        len(judged),
        accuracy=sum(map(accuracy_of, losses)) / count if count else None,
        mean_loss=sum(losses) / count if count else None,
        agreement=sum(move.wins or move.best[:1] == (move.move,) for move in known) / count
        if count
        else None,
        inaccuracies=tally[MoveMark.INACCURACY],
        mistakes=tally[MoveMark.MISTAKE],
        blunders=tally[MoveMark.BLUNDER],
        missed_wins=sum((move.missed or move.open_win) is not None for move in moves),
        allowed_wins=sum(move.loses is not None and not move.is_lost for move in moves),
        only_found=found,
        only_missed=len(only) - found,
        strength=estimated([fit for fit in fits if isinstance(fit, LevelFit)]),
    )
