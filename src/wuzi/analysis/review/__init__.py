"""Review of a whole game: what each move cost, which wins were missed or allowed, and how to train on it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wuzi.analysis.review.journal import Journal
    from wuzi.analysis.review.judgement import Judgement, Mark, MoveReview, SideReport, judge
    from wuzi.analysis.review.model import ProvedWin, Review, ReviewOptions, Subject, Task, TaskKind
    from wuzi.analysis.review.plan import Progress, next_task, progress
    from wuzi.analysis.review.run import run_review
    from wuzi.analysis.review.sgf import annotate, restore, strip
    from wuzi.analysis.review.tasks import Examiner

_LAZY = {
    **dict.fromkeys(("Judgement", "Mark", "MoveReview", "SideReport", "judge"), "judgement"),
    **dict.fromkeys(("ProvedWin", "Review", "ReviewOptions", "Subject", "Task", "TaskKind"), "model"),
    **dict.fromkeys(("Progress", "next_task", "progress"), "plan"),
    **dict.fromkeys(("annotate", "restore", "strip"), "sgf"),
    "Journal": "journal",
    "run_review": "run",
    "Examiner": "tasks",
}

__all__ = [
    "Examiner",
    "Journal",
    "Judgement",
    "Mark",
    "MoveReview",
    "Progress",
    "ProvedWin",
    "Review",
    "ReviewOptions",
    "SideReport",
    "Subject",
    "Task",
    "TaskKind",
    "annotate",
    "judge",
    "next_task",
    "progress",
    "restore",
    "run_review",
    "strip",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(importlib.import_module(f"wuzi.analysis.review.{_LAZY[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
