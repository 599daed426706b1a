"""``wuzi ladder run`` and ``wuzi ladder report``: wuzi against real engines."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wuzi.apps.cli.options import Json, print_json
from wuzi.errors import ConfigError, MissingExtraError

if TYPE_CHECKING:
    from wuzi.arena.ladder.config import Part
    from wuzi.arena.ladder.figures import LadderFigures
    from wuzi.arena.tournament import OnProgress

_DURATION = re.compile(r"(\d+(?:\.\d+)?)([smh]?)")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Measure a player against real engines, at several time controls.",
)


@app.command("run")
def run(
    config: Annotated[Path, typer.Argument(metavar="CONFIG.toml", help="Engines, arms and targets.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the record; a run goes on there.")],
    arm: Annotated[list[str] | None, typer.Option("--arm", help="Only this arm; may be repeated.")] = None,
    against: Annotated[
        list[str] | None, typer.Option("--against", help="Only games with this player; may be repeated.")
    ] = None,
    max_time: Annotated[
        str | None, typer.Option("--max-time", help="Begin no game after, as in 90s, 20m or 3h.")
    ] = None,
    concurrency: Annotated[
        int, typer.Option("--concurrency", "-j", help="Games at once; each needs a processor.", min=1)
    ] = 1,
    as_json: Json = False,
) -> None:
    """Play the games of a ladder that its folder does not hold yet, and write its report.

    Stop it at any time, even by kill -9: the same command goes on.
    """
    from wuzi.apps.cli.arena.arena import warm_up
    from wuzi.arena.ladder.config import load_ladder
    from wuzi.arena.ladder.run import Choice, run_ladder

    ladder = load_ladder(config)
    seconds = None if max_time is None else duration(max_time)
    choice = Choice(tuple(arm or ()), tuple(against or ()), seconds)
    choice.check(ladder)
    warm_up(as_json)
    observer = _Observer(quiet=as_json)
    try:
        run_ladder(ladder, out, choice, concurrency=concurrency, observe=observer)
    except KeyboardInterrupt:
        print("wuzi: interrupted; the same command goes on", file=sys.stderr)
        raise
    finally:
        observer.close()
    try:
        report(out, None, as_json)
    except MissingExtraError as error:
        print(f"wuzi: no report: {error}; then: wuzi ladder report {out}", file=sys.stderr)


@app.command("report")
def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of `wuzi ladder run`.")],
    into: Annotated[
        Path | None, typer.Option("--into", help="A document whose marked part is written too.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write tables, ratings and the chart from the games that were played."""
    from wuzi.arena.ladder.report import write_ladder_report

    written = write_ladder_report(folder, into)
    if as_json:
        print_json(summary(written.figures))
        return
    show(written.figures)
    print(written.markdown)


def duration(text: str) -> float:
    """Seconds that ``90s``, ``20m`` or ``1.5h`` mean.

    Raises:
        ConfigError: none of these.

    >>> duration("20m")
    1200.0
    """
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        raise ConfigError(f"--max-time {text!r}: expected a time such as 90s, 20m or 3h")
    return float(found[1]) * _SECONDS[found[2]]


def show(figures: LadderFigures) -> None:
    """Scores, conduct and targets in a few lines."""
    from wuzi.arena.ladder.markdown import conduct_sentence, interval, verdict_text
    from wuzi.arena.text import percent

    for arm in figures.arms:
        print(f"{arm.arm.time_s:g} s a move")
        for line in arm.lines:
            measured = f"{percent(line.score.value)} ({interval(line.score)})" if line.score else "–"
            print(
                f"  {line.opponent}: {line.games} of {line.planned} games, "
                f"{line.wins} - {line.draws} - {line.losses}, {measured}"
            )
        print("  " + conduct_sentence(figures.config.focus, arm.played, arm.conduct, arm.arm.time_s))
        for verdict in arm.verdicts:
            print(f"  {verdict.target.against}: {verdict_text(verdict).replace('**', '')}")


def summary(figures: LadderFigures) -> dict[str, Any]:
    """The figures for machines."""
    import dataclasses

    return {
        "focus": figures.config.focus,
        "runs": [dataclasses.asdict(run) for run in figures.runs],
        "arms": [
            {
                "name": arm.arm.name,
                "time_s": arm.arm.time_s,
                "lines": [dataclasses.asdict(line) for line in arm.lines],
                "targets": [
                    {**dataclasses.asdict(v.target), "gap": v.gap, "measured": v.score is not None}
                    for v in arm.verdicts
                ],
                "ratings": {
                    label: dataclasses.asdict(estimate)
                    for label, estimate in (
                        zip(arm.ratings.labels, arm.ratings.estimates, strict=True) if arm.ratings else ()
                    )
                },
                "conduct": dataclasses.asdict(arm.conduct),
                "commits": arm.commits,
            }
            for arm in figures.arms
        ],
    }


class _Observer:
    """A progress bar for each tournament of the ladder, one after the other."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._view: Any = None

    def __call__(self, part: Part) -> OnProgress:
        """Close the bar of the tournament before, and open one."""
        from wuzi.apps.cli.arena.arena_view import ProgressView

        self.close()
        if not self._quiet:
            print(f"{part.folder}:", file=sys.stderr)
        self._view = ProgressView(part.config, quiet=self._quiet)
        self._view.__enter__()
        update: OnProgress = self._view.update
        return update

    def close(self) -> None:
        """Close the bar."""
        if self._view is not None:
            self._view.__exit__(None, None, None)
            self._view = None
