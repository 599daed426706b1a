"""``wuzi ladder run`` and ``wuzi ladder report``: wuzi against real engines."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wuzi.apps.cli.options import Commands, Json, MaxTime, attributes, duration, output
from wuzi.apps.cli.progress import resumable, warm_up
from wuzi.errors import MissingExtraError

if TYPE_CHECKING:
    from wuzi.arena.ladder.run import LadderArmFigures, LadderFigures

app = Commands("Measure a player against third-party engines at several time controls.")


@app.add("run")
def run(
    config: Annotated[Path, typer.Argument(metavar="CONFIG.toml")],
    out: Annotated[Path, typer.Option("--out", "-o")],
    arm: list[str] | None = None,
    against: list[str] | None = None,
    max_time: MaxTime = None,
    concurrency: Annotated[int, typer.Option("--concurrency", "-j", min=1)] = 1,
    as_json: Json = False,
) -> None:
    """Play the missing games of a ladder and write its report.

    Safe to interrupt, even with kill -9; rerun the command to resume.

    Options:
        config: Description of the ladder: engines, arms, targets.
        out: Folder of the games; an earlier run is continued.
        arm: Play only this arm of the ladder. Repeatable.
        against: Play only games against this player. Repeatable.
        concurrency: Number of games at once; each needs a processor.
    """
    from wuzi.apps.cli.arena.arena_view import ProgressView
    from wuzi.arena.ladder.config import load_ladder
    from wuzi.arena.ladder.run import chosen, run_ladder

    ladder = load_ladder(config)
    names = {"arms": arm or (), "against": against or ()}
    chosen(ladder, **names)
    warm_up()
    with resumable(), ProgressView(quiet=as_json) as view:
        run_ladder(
            ladder,
            out,
            **names,
            max_time_s=duration(max_time),
            concurrency=concurrency,
            observe=lambda part: view.begin(part.config, part.folder),
        )
    try:
        report(out, None, as_json)
    except MissingExtraError as error:
        print(f"wuzi: no report: {error}; then: wuzi ladder report {out}", file=sys.stderr)


@app.add("report")
def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR")], into: Path | None = None, as_json: Json = False
) -> None:
    """Write the tables, ratings and chart of a ladder from the games played so far.

    Options:
        folder: Folder of `wuzi ladder run`.
        into: Markdown document whose marked part is also rewritten.
    """
    from wuzi.arena.ladder.report import write_ladder_report

    figures, markdown = write_ladder_report(folder, into)
    output(as_json, _summary(figures), [*_lines(figures), str(markdown)])


def _lines(figures: LadderFigures) -> Iterator[str]:
    """Scores, conduct and targets."""
    from wuzi.arena.ladder.report import conduct_sentence, verdict_text
    from wuzi.arena.text import interval, percent

    for arm in figures.arms:
        yield f"{arm.arm.time_s:g} s a move"
        for line in arm.lines:
            measured = f"{percent(line.score.value)} ({interval(line.score)})" if line.score else "–"
            counts = f"{line.wins} won, {line.draws} drawn, {line.losses} lost"
            games = f"{line.games} of {line.planned} games, {counts}"
            yield f"  {line.opponent}: {games}, {measured}"
        yield "  " + conduct_sentence(figures.config.focus, arm.played, arm.conduct, arm.arm.time_s)
        for verdict in arm.verdicts:
            yield f"  {verdict.target.against}: {verdict_text(verdict).replace('**', '')}"


def _summary(figures: LadderFigures) -> dict[str, Any]:
    """The figures for machines."""
    runs = [asdict(run) for run in figures.runs]
    return {"focus": figures.config.focus, "runs": runs, "arms": [_arm_json(arm) for arm in figures.arms]}


def _arm_json(arm: LadderArmFigures) -> dict[str, Any]:
    rated = zip(arm.ratings.labels, arm.ratings.estimates, strict=True) if arm.ratings else ()
    return {
        **attributes(arm.arm, "name", "time_s"),
        "lines": [asdict(line) for line in arm.lines],
        "targets": [
            {**asdict(v.target), "gap": v.gap, "measured": v.score is not None} for v in arm.verdicts
        ],
        "ratings": {label: asdict(estimate) for label, estimate in rated},
        "conduct": asdict(arm.conduct),
        "commits": arm.commits,
    }
