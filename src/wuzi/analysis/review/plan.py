"""What is to be done next in a review, and how far it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wuzi.analysis.review.model import Review, ReviewTask
from wuzi.analysis.review.results import ProvedWin, TaskKind
from wuzi.core.notation import Move

MAX_DEFENCES = 12
"""Candidates that are tried against a proved win."""
SHARES = {TaskKind.QUICK: 0.1, TaskKind.PROVE: 0.25, TaskKind.DEEP: 0.6, TaskKind.DEFEND: 0.05}
"""Part of the whole that each kind of work counts for in the progress."""


@dataclass(frozen=True, slots=True)
class ReviewStage:
    """How far a review is.

    Attributes:
        stage: the kind of work that is done now; None when all is done.
        done, of: tasks of this stage.
        fraction: of the whole, 0 to 1.
    """

    stage: TaskKind | None
    done: int
    of: int
    fraction: float


def next_task(review: Review) -> ReviewTask | None:
    """The next piece of work; None when the review is complete.

    First every position is searched briefly, from the end of the game to its beginning; then forced wins
    are looked for; then positions are searched longer, those around the largest swings first; at last
    defences against the wins that were allowed.
    """
    for kind in TaskKind:
        for task in _tasks(review, kind):
            if task.key not in review.results:
                return task
    return None


def progress(review: Review) -> ReviewStage:
    """How far the review is."""
    fraction, current = 0.0, None
    for kind in TaskKind:
        keys = [task.key for task in _tasks(review, kind)]
        done = sum(key in review.results for key in keys)
        if current is None and done < len(keys):
            current = (kind, done, len(keys))
        if current is None:
            fraction += SHARES[kind]
        elif current[0] is kind:
            fraction += SHARES[kind] * done / len(keys)
    if current is None:
        return ReviewStage(None, 0, 0, 1.0)
    return ReviewStage(current[0], current[1], current[2], min(fraction, 0.999))


def _tasks(review: Review, kind: TaskKind) -> Iterator[ReviewTask]:
    """The tasks of one kind in their order, as far as they are known now."""
    subject = review.subject
    plies = range(subject.judged_from, subject.last_open + 1)
    match kind:
        case TaskKind.QUICK:
            yield from (ReviewTask(kind, ply) for ply in reversed(plies))
        case TaskKind.PROVE:
            yield from (ReviewTask(kind, ply) for ply in plies)
        case TaskKind.DEEP if review.options.has_deep_pass:
            yield from (
                ReviewTask(kind, ply) for ply in sorted(plies, key=lambda ply: (-_swing(review, ply), ply))
            )
        case TaskKind.DEFEND:
            yield from _defences(review)


def _swing(review: Review, ply: int) -> float:
    """How much the first pass saw the win rate change around a position."""
    looks = [review.look(near, TaskKind.QUICK) for near in (ply - 1, ply, ply + 1)]
    known = [look.winrate for look in looks if look is not None]
    return max(known) - min(known) if known else 0.0


def _defences(review: Review) -> Iterator[ReviewTask]:
    """A task for each move that lets the enemy win by force, unless the mover won or had lost anyway."""
    subject = review.subject
    for ply in range(subject.judged_from, min(subject.last_open, len(subject.moves))):
        before, after = review.proof(ply), review.proof(ply + 1)
        if before is not None and after is not None and after.win is not None and before.win is None:
            yield ReviewTask(TaskKind.DEFEND, ply, _candidates(review, ply, after.win))


def _candidates(review: Review, ply: int, win: ProvedWin) -> tuple[Move, ...]:
    """What might stop a win: the analyst's moves, then the cells of the winning line."""
    found: list[Move] = []
    for kind in (TaskKind.DEEP, TaskKind.QUICK):
        if (look := review.look(ply, kind)) is not None:
            found += [line.move for line in look.lines]
    if (proof := review.proof(ply)) is not None and proof.only is not None:
        found.append(proof.only)
    return tuple(dict.fromkeys([*found, *win.moves]))[:MAX_DEFENCES]
