"""Reviewing a game from beginning to end, with progress, cancelling and going on where one left off."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

from wuzi.analysis.review.model import Review, ReviewJournal, ReviewOptions, ReviewStage, next_task, progress
from wuzi.analysis.review.tasks import Examiner
from wuzi.contract import Player, Stop
from wuzi.core import Game
from wuzi.players.registry import opened, strongest_player

OnProgress = Callable[[ReviewStage], None]


def review(
    game: Game,
    *,
    player: Player | str | None = None,
    allow_command: bool = False,
    journal: str | PathLike[str] | None = None,
    on_progress: OnProgress | None = None,
    stop: Stop | None = None,
    **budgets: Any,
) -> Review:
    """Review a whole game: what each move cost, and which forced wins were missed or allowed.

    :func:`wuzi.analysis.review.judge` turns the result into marks and accuracy.

    Args:
        game: with moves.
        player: who reviews: a player, or a spec such as ``"engine"``; None for the strongest built-in one.
        allow_command: accept commands and paths in the spec; see :func:`wuzi.players.create_player`.
        journal: a file that keeps each result at once; the same call continues where it ended.
        on_progress: called before each task and at the end.
        stop: ends the review early.
        budgets: other fields of :class:`wuzi.analysis.review.ReviewOptions`, such as ``deep_nodes=0``.

    Raises:
        ConfigError: the game has no moves, or a budget is impossible.
        RecordError: the journal is a file of another kind.
    """
    if player is None:
        player = strongest_player(game.rules)
    spec = player if isinstance(player, str) else player.name
    options = ReviewOptions(player=spec, **budgets)
    kept = None if journal is None else ReviewJournal(Path(journal))
    found = Review.of(game, options) if kept is None else kept.open(game, options)
    if next_task(found) is not None:
        with opened(player, game.rules, allow_command=allow_command) as analyst:
            run_review(found, analyst, journal=kept, on_progress=on_progress, stop=stop)
    return found


def run_review(
    review: Review,
    player: Player,
    *,
    journal: ReviewJournal | None = None,
    on_progress: OnProgress | None = None,
    stop: Stop | None = None,
) -> bool:
    """Do what is left of a review; its results grow in place, and each is kept in the journal at once.

    ``on_progress`` is called before each task and at the end. A stop drops the result of the task that runs.

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
            journal.add(task.key, result)
    if on_progress is not None:
        on_progress(progress(review))
    return True
