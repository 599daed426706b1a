"""``wuzi ladder report``: the folder's games as text and chart."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wuzi.arena.campaign import settings_of
from wuzi.arena.ladder.config import load_ladder
from wuzi.arena.ladder.figures import LadderFigures, ladder_figures
from wuzi.arena.ladder.markdown import render, write_into
from wuzi.arena.ladder.run import CONFIG_FILE
from wuzi.base.atomic import write_atomic

REPORT_FILE = "report.md"
CHART_FILE = "ladder.png"
DOCUMENT_CHART = Path("images") / "strength.png"


@dataclass(frozen=True, slots=True)
class LadderReport:
    """What was written.

    Attributes:
        figures: everything that was computed.
        markdown, chart: the files.
    """

    figures: LadderFigures
    markdown: Path
    chart: Path


def write_ladder_report(out: Path, document: Path | None = None) -> LadderReport:
    """Write ``report.md`` and ``ladder.png`` into a ladder's folder."""
    from wuzi.arena.charts import check_available

    check_available()
    from wuzi.arena.charts.ladder import draw_ladder

    figures = ladder_figures(load_ladder(settings_of(out, CONFIG_FILE, "ladder run")), out)
    markdown, chart = out / REPORT_FILE, out / CHART_FILE
    draw_ladder(figures, chart)
    write_atomic(markdown, ("# Strength\n\n" + render(figures, CHART_FILE)).encode())
    if document is not None:
        write_into(document, render(figures, DOCUMENT_CHART.as_posix()))
        copy = document.parent / DOCUMENT_CHART
        copy.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(copy, chart.read_bytes())
    return LadderReport(figures, markdown, chart)
