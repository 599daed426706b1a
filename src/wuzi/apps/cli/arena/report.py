"""``wuzi report``: charts and tables of recorded games."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wuzi.apps.cli.options import Json, Language, print_json
from wuzi.apps.cli.progress import progress_bar
from wuzi.errors import ConfigError

if TYPE_CHECKING:
    from wuzi.arena.report import Report


def report(
    csv: Annotated[Path, typer.Argument(metavar="CSV")],
    out: Annotated[Path | None, typer.Option("--out", "-o")] = None,
    language: Language = "en",
    kind: Annotated[Literal["png", "svg"], typer.Option("--format")] = "png",
    anchor: Annotated[str | None, typer.Option(metavar="PLAYER=ELO")] = None,
    as_json: Json = False,
) -> None:
    """Draw twelve charts of recorded games and write summary.json, report.md and report.html.

    Options:
        csv: Recorded games: a batch_results_*.csv file.
        out: Folder in which fig_anly_NAME/ is made; default: beside the file.
        kind: Format of the charts.
        anchor: Fix the rating of one player, such as weight=0.
    """
    from wuzi.arena.analysis import summary_json

    fixed = _anchor(anchor)
    written = write(csv, out, language, kind, fixed, quiet=as_json)
    if as_json:
        print_json({**summary_json(written.analysis), "report": str(written.folder)})
        return
    from wuzi.apps.cli.arena.arena_view import show_findings, show_warnings

    show_findings(written.analysis, language)
    show_warnings(written.analysis, language)
    print(written.html)


def write(
    csv: Path,
    out: Path | None,
    language: str,
    kind: str,
    anchor: tuple[str, float] | None,
    *,
    quiet: bool,
) -> Report:
    """Write a report behind a progress bar."""
    from wuzi.arena.report import write_report

    with progress_bar("report", quiet=quiet) as update:
        return write_report(csv, out, language=language, kind=kind, anchor=anchor, on_step=update)


def _anchor(text: str | None) -> tuple[str, float] | None:
    if text is None:
        return None
    name, _, rating = text.rpartition("=")
    try:
        return name, float(rating)
    except ValueError:
        raise ConfigError(f"--anchor {text!r}: expected a player and its rating, as in 'weight=0'") from None
