"""What is to be done next in a review, and how far it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wuzi.analysis.review.model import Review, Task, TaskKind, cells
from wuzi.core.notation import Move

MAX_DEFENCES = 12
"""Candidates that are tried against a proved win."""
SHARES = {TaskKind.QUICK: 0.1, TaskKind.PROVE: 0.25, TaskKind.DEEP: 0.6, TaskKind.DEFEND: 0.05}
"""Part of the whole that each kind of work counts for in the progress."""


@dataclass(frozen=True, slots=True)
class Progress:
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


def next_task(review: Review) -> Task | None:
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


def progress(review: Review) -> Progress:
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
        return Progress(None, 0, 0, 1.0)
    return Progress(current[0], current[1], current[2], min(fraction, 0.999))


def _tasks(review: Review, kind: TaskKind) -> Iterator[Task]:
    """The tasks of one kind in their order, as far as they are known now."""
    subject = review.subject
    plies = range(subject.judged_from, subject.last_open + 1)
    match kind:
        case TaskKind.QUICK:
            yield from (Task(kind, ply) for ply in reversed(plies))
        case TaskKind.PROVE:
            yield from (Task(kind, ply) for ply in plies)
        case TaskKind.DEEP if review.options.has_deep_pass:
            yield from (Task(kind, ply) for ply in sorted(plies, key=lambda ply: (-_swing(review, ply), ply)))
        case TaskKind.DEFEND:
            yield from _defences(review)


def _swing(review: Review, ply: int) -> float:
    """How much the first pass saw the win rate change around a position."""
    rates = [review.result(TaskKind.QUICK, near) for near in (ply - 1, ply, ply + 1)]
    known = [float(result["winrate"]) for result in rates if result is not None]
    return max(known) - min(known) if known else 0.0


def _defences(review: Review) -> Iterator[Task]:
    """A task for each move that lets the enemy win by force, unless the mover won or had lost anyway."""
    subject = review.subject
    for ply in range(subject.judged_from, min(subject.last_open, len(subject.moves))):
        after = review.result(TaskKind.PROVE, ply + 1)
        before = review.result(TaskKind.PROVE, ply)
        if after is not None and before is not None and after["win"] is not None and before["win"] is None:
            yield Task(TaskKind.DEFEND, ply, _candidates(review, ply, after["win"]["moves"]))


def _candidates(review: Review, ply: int, win: str) -> tuple[Move, ...]:
    """What might stop a win: the analyst's moves, then the cells of the winning line."""
    size = review.subject.size
    found: list[Move] = []
    for kind in (TaskKind.DEEP, TaskKind.QUICK):
        result = review.result(kind, ply)
        for line in [] if result is None else result["lines"]:
            found += cells(line["move"], size)
    only = (review.result(TaskKind.PROVE, ply) or {}).get("only")
    found += cells(only, size) if only else ()
    found += cells(win, size)
    return tuple(dict.fromkeys(found))[:MAX_DEFENCES]
