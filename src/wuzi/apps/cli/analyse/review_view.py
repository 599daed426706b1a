"""What ``wuzi review`` shows: progress, then a report of both sides and the worst moves."""

from __future__ import annotations

from rich.table import Table

import wuzi
from wuzi.analysis.review import Review, ReviewStage, judge
from wuzi.analysis.review.output import move_text, report_rows, say, sentences
from wuzi.apps.cli.progress import page_console
from wuzi.base.words import load_catalogue

_FILE_WIDTH = 120


def stage_text(name: str, now: ReviewStage, language: str) -> str:
    """How far the review of a game is."""
    if now.stage is None:
        return f"{name} ..."
    return f"{name}: {now.fraction:.0%}, {say(f'stage.{now.stage}', language)} {now.done}/{now.of}"


def show_review(name: str, record: wuzi.records.GameRecord, review: Review, language: str) -> None:
    """Print the report of both sides and the worst moves for people."""
    console = page_console(_FILE_WIDTH)
    judgement, t = judge(review), load_catalogue("wuzi.apps.cli", language)
    names = [
        given or say(side.color.name.lower(), language)
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
        cell = wuzi.core.format_move(move.move, review.subject.size)
        text = sentences(move_text(review, move, language), language)
        console.print(f"{move.ply + 1:4d}. {cell}{move.mark.symbol}  {text}")
