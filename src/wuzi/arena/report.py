"""``wuzi report``: charts, figures and text about a file of results."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from wuzi.arena.analysis import Analysis, analyse, summary_json
from wuzi.arena.report_html import render_html
from wuzi.arena.report_markdown import render_markdown
from wuzi.arena.report_tables import outline
from wuzi.arena.results import read_csv
from wuzi.base.atomic import write_atomic
from wuzi.base.words import load_catalogue
from wuzi.errors import ConfigError

FOLDER_PREFIX = "fig_anly_"


@dataclass(frozen=True, slots=True)
class Report:
    """What was written.

    Attributes:
        folder: where everything is.
        charts: the chart files, in order.
        markdown, html, summary: the other files.
        analysis: the figures.
    """

    folder: Path
    charts: tuple[Path, ...]
    markdown: Path
    html: Path
    summary: Path
    analysis: Analysis


def write_report(
    csv_path: Path,
    out: Path | None = None,
    *,
    language: str = "en",
    kind: str = "png",
    anchor: tuple[str, float] | None = None,
    on_step: Callable[[int, int], None] | None = None,
) -> Report:
    """Read a result file and write charts, ``summary.json``, ``report.md`` and ``report.html``.

    Args:
        csv_path: the results; see :func:`wuzi.arena.results.read_csv`.
        out: where ``fig_anly_<stem>/`` goes; beside the CSV by default.
        language: ``en`` or ``zh``.
        kind: of the charts, ``png`` or ``svg``.
        anchor: a player and its fixed rating.
        on_step: called with (steps done, all steps).

    Raises:
        RecordError: the file cannot be read, or holds no games.
        ConfigError: unknown language or chart format.
        MissingExtraError: matplotlib is not installed.
    """
    from wuzi.arena.charts import CHART_STEMS, FORMATS, check_available, draw_charts

    if kind not in FORMATS:
        raise ConfigError(f"chart format {kind!r}: expected {' or '.join(FORMATS)}")
    t = load_catalogue("wuzi.arena", language)
    check_available()
    analysis = analyse(read_csv(csv_path), anchor=anchor)
    folder = (out or csv_path.parent) / f"{FOLDER_PREFIX}{csv_path.stem}"
    folder.mkdir(parents=True, exist_ok=True)
    steps = len(CHART_STEMS) + 1
    charts = tuple(_counted(draw_charts(analysis, t, folder, kind), steps, on_step))
    summary = folder / "summary.json"
    text = json.dumps({"source": csv_path.name, **summary_json(analysis)}, ensure_ascii=False, indent=2)
    write_atomic(summary, (text + "\n").encode())
    markdown, html = folder / "report.md", folder / "report.html"
    said = outline(t, analysis, csv_path)
    write_atomic(markdown, render_markdown(t, said, charts).encode())
    write_atomic(html, render_html(t, said, charts).encode())
    if on_step:
        on_step(steps, steps)
    return Report(folder, charts, markdown, html, summary, analysis)


def _counted(
    charts: Iterator[Path], steps: int, on_step: Callable[[int, int], None] | None
) -> Iterator[Path]:
    for done, path in enumerate(charts, 1):
        if on_step:
            on_step(done, steps)
        yield path
