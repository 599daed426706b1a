"""What ``wuzi review`` shows: progress, then a report of both sides and the worst moves."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.table import Table

from wuzi.analysis.review import Review, ReviewStage, judge
from wuzi.analysis.review.words import move_text, report_rows, say, sentences, side_name
from wuzi.base.words import load_catalogue
from wuzi.core import format_move
from wuzi.records import GameRecord

_FILE_WIDTH = 120


class ReviewView:
    """One line of progress on standard error, where that is a terminal."""

    def __init__(self, *, quiet: bool, language: str) -> None:
        console = Console(file=sys.stderr)
        self._shown = console.is_terminal and not quiet
        self._language = language
        self._status = console.status("...")
        self._name = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._status.stop()

    def begin(self, name: str) -> None:
        """Name the game that comes now."""
        self._name = name
        if self._shown:
            self._status.start()

    def update(self, now: ReviewStage) -> None:
        """Show how far the review is."""
        if self._shown and now.stage is not None:
            stage = say(f"stage.{now.stage}", self._language)
            self._status.update(f"{self._name}: {now.fraction:.0%}, {stage} {now.done}/{now.of}")

    def end(self) -> None:
        """Make room for the report."""
        self._status.stop()


def show_review(name: str, record: GameRecord, review: Review, language: str) -> None:
    """Print the report of both sides and the worst moves for people."""
    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console.width = _FILE_WIDTH
    judgement, t = judge(review), load_catalogue("wuzi.apps.cli", language)
    names = [
        given or side_name(side.color, language)
        for given, side in zip((record.black, record.white), judgement.sides, strict=True)
    ]
    count = len(judgement.moves)
    player = review.options.player
    console.print(t("review.title", name=name, black=names[0], white=names[1], count=count, player=player))
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for heading in names:
        table.add_column(heading, justify="right")
    rows = [report_rows(side) for side in judgement.sides]
    for (key, black), (_, white) in zip(*rows, strict=True):
        table.add_row(say(key, language), black, white)
    console.print(table)
    if not judgement.worst:
        console.print(t("review.none"))
        return
    console.print(f"{t('review.worst')}:")
    for move in judgement.worst:
        assert move.mark is not None
        cell = format_move(move.move, review.subject.size)
        text = sentences(move_text(review, move, language), language)
        console.print(f"{move.ply + 1:4d}. {cell}{move.mark.symbol}  {text}")
