"""Review of a whole game: what each move cost, which wins were missed or allowed, and how to train on it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wuzi.analysis.review.journal import ReviewJournal
    from wuzi.analysis.review.judgement import Judgement, MoveMark, MoveReview, SideReport, judge
    from wuzi.analysis.review.model import Review, ReviewOptions, ReviewTask, Subject
    from wuzi.analysis.review.plan import ReviewStage, next_task, progress
    from wuzi.analysis.review.results import Defence, Look, Proof, ProvedWin, TaskKind
    from wuzi.analysis.review.run import run_review
    from wuzi.analysis.review.sgf import annotate, restore, strip
    from wuzi.analysis.review.tasks import Examiner

_LAZY = {
    **dict.fromkeys(("Judgement", "MoveMark", "MoveReview", "SideReport", "judge"), "judgement"),
    **dict.fromkeys(("Review", "ReviewOptions", "ReviewTask", "Subject"), "model"),
    **dict.fromkeys(("ReviewStage", "next_task", "progress"), "plan"),
    **dict.fromkeys(("Defence", "Look", "Proof", "ProvedWin", "TaskKind"), "results"),
    **dict.fromkeys(("annotate", "restore", "strip"), "sgf"),
    "Examiner": "tasks",
    "ReviewJournal": "journal",
    "run_review": "run",
}

__all__ = [
    "Defence",
    "Examiner",
    "Judgement",
    "Look",
    "MoveMark",
    "MoveReview",
    "Proof",
    "ProvedWin",
    "Review",
    "ReviewJournal",
    "ReviewOptions",
    "ReviewStage",
    "ReviewTask",
    "SideReport",
    "Subject",
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
