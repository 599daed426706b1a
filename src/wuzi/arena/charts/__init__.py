"""The twelve charts of a report. Importing this needs matplotlib (extra ``report``)."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from wuzi.arena.analysis import Analysis
from wuzi.base.atomic import replacing
from wuzi.base.imports import need
from wuzi.base.words import Catalogue

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CHART_STEMS = (
    "01_win_loss_distribution",
    "02_win_rate_comparison",
    "03_first_move_advantage",
    "04_game_duration_distribution",
    "05_moves_distribution",
    "06_duration_vs_moves_scatter",
    "07_overall_win_rate",
    "08_avg_duration_and_moves",
    "09_win_rate_heatmap",
    "10_duration_boxplot",
    "11_moves_boxplot",
    "12_elo_ratings",
)
"""File names of the charts, without the extension; behind the number the name of what draws it."""
DURATIONS = tuple(CHART_STEMS[i] for i in (3, 5, 7, 9))
"""Those that show seconds, which say nothing where the games are of several machines."""

FORMATS = ("png", "svg")
DPI = 144
COLORS = 128
"""Of a PNG's palette: enough for gradients and smoothed edges, at a third of the size without one."""


def check_available() -> None:
    """Make sure that charts can be drawn."""
    need("report", "matplotlib")


def draw_charts(
    analysis: Analysis, t: Catalogue, folder: Path, kind: str = "png", stems: Collection[str] = CHART_STEMS
) -> Iterator[Path]:
    """Draw charts into a folder; yields each file as it is written.

    The same games give the same bytes.
    """
    check_available()
    from wuzi.arena.charts import lengths, outcomes
    from wuzi.arena.charts.style import ChartData, chart_style

    sheet = ChartData(analysis, t)
    with chart_style():
        for stem in CHART_STEMS:
            if stem not in stems:
                continue
            path = folder / f"{stem}.{kind}"
            draw = getattr(lengths, stem[3:], None) or getattr(outcomes, stem[3:])
            save_chart(draw(sheet), path, kind)
            yield path


def save_chart(figure: Figure, path: Path, kind: str = "png") -> None:
    """Write a chart, atomically; the same drawing gives the same bytes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    FigureCanvasAgg(figure)
    with replacing(path) as part:
        if kind != "png":
            figure.savefig(part, dpi=DPI, format=kind, metadata={"Date": None})
            return
        drawn = io.BytesIO()
        figure.savefig(drawn, dpi=DPI, format="png")
        image = Image.open(drawn).convert("RGB")
        image.quantize(COLORS, dither=Image.Dither.NONE).save(part, "PNG", optimize=True)
