"""The look of all charts: font, colours, page layout, and how names and numbers are written."""

from __future__ import annotations

import math
import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import as_file, files
from typing import Any

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from wuzi.arena.analysis import Analysis
from wuzi.arena.rating import Estimate
from wuzi.base.words import Catalogue

OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
"""Distinguishable with every common colour blindness (Okabe & Ito, 2008)."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "h")
GREY, LIGHT, INK, FAINT = "#7A7A7A", "#D0D0D0", "#222222", "#5F5F5F"
WIDTH = 9.0
MANY = 20
"""Above so many rows they are narrow."""
HEADER = 0.86
FONT_FILE = "WuziSansSC-Regular.otf"


@contextmanager
def chart_style() -> Iterator[None]:
    """All charts are drawn and saved inside of this."""
    known = {entry.fname for entry in font_manager.fontManager.ttflist}
    data = files("wuzi") / "data"
    with as_file(data / "fonts" / FONT_FILE) as path, as_file(data / "report" / "charts.mplstyle") as look:
        if str(path) not in known:
            font_manager.fontManager.addfont(str(path))
        settings = mpl.rc_params_from_file(look)
        with mpl.rc_context(settings), warnings.catch_warnings():
            # A player may have a name in a script that the font lacks; its boxes are no reason to warn.
            warnings.filterwarnings("ignore", "Glyph .* missing from font")
            yield


@dataclass(frozen=True)
class ChartData:
    """What every chart is drawn from."""

    analysis: Analysis
    t: Catalogue

    @cached_property
    def _order(self) -> tuple[str, ...]:
        return tuple(sorted(self.analysis.labels))

    def color(self, label: str) -> str:
        """A player's colour: the same in every chart, whatever the ranking."""
        return color_of(self._order.index(label))

    def marker(self, label: str) -> str:
        """A player's mark, for where colour alone would have to tell."""
        return MARKERS[self._order.index(label) % len(MARKERS)]

    def mark(self, label: str) -> dict[str, Any]:
        """Its style as matplotlib's arguments of a line with marks only."""
        look = {"marker": self.marker(label), "color": self.color(label), "linestyle": ""}
        return {**look, "markeredgecolor": INK, "markeredgewidth": 0.7}

    def n(self, count: int) -> str:
        """``n = 60``."""
        return self.t("n", n=count)

    def figure(self, key: str, height: float, width: float = WIDTH, subtitle: str = "") -> Figure:
        """An empty page with the chart's title and subtitle."""
        total = height + HEADER
        fig = Figure(figsize=(width, total), layout="constrained")
        engine = fig.get_layout_engine()
        assert engine is not None
        engine.set(rect=(0.008, 0.008, 0.984, height / total), h_pad=0.06, w_pad=0.06)  # type: ignore[call-arg]
        left = 0.16 / width
        fig.text(left, 1 - 0.2 / total, self.t(key), fontsize=14.5, va="top", ha="left")
        text = subtitle or self.t(f"{key}.sub")
        fig.text(left, 1 - 0.53 / total, text, fontsize=9.5, color=FAINT, va="top", ha="left")
        return fig


def color_of(index: int) -> str:
    """The palette, then its colours paler, then darker."""
    again, place = divmod(index, len(OKABE_ITO))
    plain = OKABE_ITO[place]
    if not again:
        return plain
    toward, share = (255, 0.5) if again % 2 else (0, 0.45)
    mixed = (round(int(plain[i : i + 2], 16) * (1 - share) + toward * share) for i in (1, 3, 5))
    return "#" + "".join(f"{one:02X}" for one in mixed)


def row_height(rows: int) -> float:
    """Inches of a row of a chart with so many."""
    return 0.57 if rows <= MANY else 0.31


def display_width(text: str) -> int:
    """Columns a text takes, Chinese characters two each."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def fit(label: str, columns: int = 24, lines: int = 2) -> str:
    r"""A name in at most so many lines; what does not fit is left out of the middle.

    >>> fit("minimax:preset=s0")
    'minimax:preset=s0'
    >>> fit("mcts:simulations=1000,exploration=1.4")
    'mcts:simulations=1000,\nexploration=1.4'
    >>> fit("mcts:simulations=1000,seed=1", 20, lines=1)
    'mcts:simul…00,seed=1'
    """
    label = " ".join(label.split())
    if display_width(label) <= columns:
        return label
    parts = _wrap(label, columns)
    if len(parts) <= lines:
        return "\n".join(parts)
    if lines == 1:
        tail = (columns - 1) // 2
        return _cut(label, columns - 1 - tail) + "…" + _cut(label[::-1], tail)[::-1]
    head = _cut(label, columns * (lines - 1))
    return "\n".join([*_wrap(head, columns)[: lines - 1], "…" + _cut(label[::-1], columns - 1)[::-1]])


def _cut(text: str, columns: int) -> str:
    """The longest beginning that takes at most ``columns``."""
    while display_width(text) > columns:
        text = text[:-1]
    return text


def _wrap(text: str, columns: int) -> list[str]:
    """Lines of at most ``columns``, broken after ``, : / -`` or a blank where there is one."""
    lines = [""]
    piece = ""
    for char in text:
        piece += char
        if char in ",:/- _" or display_width(piece) >= columns:
            if display_width(lines[-1] + piece) > columns and lines[-1]:
                lines.append("")
            lines[-1] += piece
            piece = ""
    if display_width(lines[-1] + piece) > columns and lines[-1]:
        lines.append("")
    lines[-1] += piece
    return [line.strip() for line in lines]


def ink_on(color: str) -> str:
    """Black or white, whichever reads better on the colour."""
    red, green, blue = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return "white" if 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2 < 0.24 else INK


def name_rows(ax: Axes, labels: Sequence[str], columns: int = 24) -> None:
    """Put names at the rows 0, 1, ... from the top."""
    ax.set_yticks(range(len(labels)), [fit(label, columns) for label in labels])
    ax.set_ylim(len(labels) - 0.45, -0.55)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="y", visible=False)


def note_right(ax: Axes, row: float, text: str, name: str = "", *, rows: int = 0) -> None:
    """A remark right of the axes, at a row; under a player's name, or beside it if rows are narrow."""
    transform = ax.get_yaxis_transform()
    if name and rows > MANY:
        ax.text(1.012, row, fit(name, lines=1), va="center", ha="left", fontsize=9.5, transform=transform)
        ax.text(1.19, row, text, va="center", ha="left", fontsize=8.5, color=FAINT, transform=transform)
        return
    lines = fit(name) if name else ""
    place: dict[str, Any] = {"transform": transform, "ha": "left"}
    if not lines:
        ax.text(1.012, row, text, va="center", fontsize=9, color=FAINT, **place)
        return
    ax.text(1.012, row + 0.02, lines, va="bottom" if "\n" not in lines else "center", **place)
    below = row + (0.07 if "\n" not in lines else 0.3)
    ax.text(1.012, below, text, va="top", fontsize=8.5, color=FAINT, **place)


def share_axis(ax: Axes, label: str) -> None:
    """An x axis from 0 to 100 %."""
    ax.set_xlim(0, 1)
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25%", "50%", "75%", "100%"])
    ax.set_xlabel(label)


def whisker(ax: Axes, row: float, estimate: Estimate, color: str = INK) -> None:
    """An interval as a line with caps, at a row."""
    if math.isnan(estimate.value):
        return
    errors = [[max(0.0, estimate.value - estimate.low)], [max(0.0, estimate.high - estimate.value)]]
    ax.errorbar(estimate.value, row, xerr=errors, color=color, capsize=3.5, lw=1.3, fmt="none", zorder=4)


def no_data(ax: Axes, sheet: ChartData) -> None:
    """Say that there is nothing to draw."""
    ax.set_axis_off()
    message = sheet.t("chart.no_data")
    ax.text(0.5, 0.5, message, ha="center", va="center", color=FAINT, transform=ax.transAxes)
