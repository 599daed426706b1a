"""Reviewing a game from beginning to end, with progress, cancelling and going on where one left off."""

from __future__ import annotations

from collections.abc import Callable

from wuzi.analysis.review.journal import ReviewJournal
from wuzi.analysis.review.model import Review
from wuzi.analysis.review.plan import ReviewStage, next_task, progress
from wuzi.analysis.review.tasks import Examiner
from wuzi.contract import Player, Stop

OnProgress = Callable[[ReviewStage], None]


def run_review(
    review: Review,
    player: Player,
    *,
    journal: ReviewJournal | None = None,
    on_progress: OnProgress | None = None,
    stop: Stop | None = None,
) -> bool:
    """Do what is left of a review; its results grow in place.

    Args:
        review: begun or new.
        player: the analyst.
        journal: where each result is kept at once.
        on_progress: called before each task and at the end.
        stop: ends the review after the task that runs, whose result is dropped.

    Returns:
        True when the review is complete, False when it was stopped.
    """
    examiner = Examiner(player, review.options)
    while (task := next_task(review)) is not None:
        if on_progress is not None:
            on_progress(progress(review))
        if stop is not None and stop.is_set:
            return False
        result = examiner.run(review.subject, task, stop)
        if stop is not None and stop.is_set:
            return False
        review.results[task.key] = result
        if journal is not None:
            journal.add(task.key, result, review.subject.size)
    if on_progress is not None:
        on_progress(progress(review))
    return True
