"""A matrix of players, with something about a pairing in each cell: for tournaments of many pairings."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from wuzi.arena.analysis import PairSummary
from wuzi.arena.charts import style

MAX_PAIRS = 28
"""With more pairings than this, those of most players among each other, a chart is no list of rows."""


def wants_matrix(sheet: style.ChartData) -> bool:
    """Whether a list of all pairings would be too long, and a matrix of them is not mostly empty."""
    pairs = len(sheet.analysis.pairs)
    return pairs > MAX_PAIRS and pairs > 2 * len(sheet.analysis.labels)


def player_matrix(
    sheet: style.ChartData, key: str, width: float, height: float, subtitle: str = ""
) -> tuple[Figure, Axes]:
    """A page with rows and columns of players, ``width`` and ``height`` inches a cell."""
    labels = sheet.analysis.labels
    count = len(labels)
    side = max(width * count, 2.2)
    longest = max(style.display_width(line) for label in labels for line in style.fit(label).splitlines())
    page = max(side + 0.8 + 0.13 * longest, 7.0)
    fig = sheet.figure(key, side * height / width + 1.5, width=page, subtitle=subtitle)
    ax = fig.add_subplot()
    ax.set_xlim(-0.5, count - 0.5)
    ax.set_ylim(count - 0.5, -0.5)
    ax.set_aspect(height / width)
    ax.grid(visible=False)
    columns = 14 if count <= 4 else 12
    fits = all(len(style.fit(label, columns, 3)) <= 3 * columns for label in labels)
    rotation = 0 if fits and count <= 5 else 40
    names = [
        style.fit(label, columns if rotation == 0 else 22, 3 if rotation == 0 else 2) for label in labels
    ]
    ax.set_xticks(range(count), names, rotation=rotation, ha="left" if rotation else "center", fontsize=9)
    ax.set_yticks(range(count), [style.fit(label) for label in labels])
    ax.tick_params(length=0, top=False, labeltop=True, bottom=False, labelbottom=False)
    ax.spines[:].set_visible(False)
    return fig, ax


def cells(sheet: style.ChartData) -> Iterator[tuple[int, int, PairSummary | None]]:
    """Row, column and pairing of every cell; None where the two are one player or did not meet."""
    labels = sheet.analysis.labels
    for row, player in enumerate(labels):
        for column, other in enumerate(labels):
            yield row, column, sheet.analysis.pair(player, other) if row != column else None


def fill_cell(ax: Axes, row: int, column: int, color: str = "#F2F2F2") -> None:
    """Fill a cell."""
    place = (column - 0.5, row - 0.5)
    ax.add_patch(Rectangle(place, 1, 1, facecolor=color, edgecolor="#DDDDDD", linewidth=0.8))


def write_cell(ax: Axes, row: int, column: int, texts: tuple[str, str], size: float, color: str) -> None:
    """A large text and a small one below it, in an ink that reads on the cell's colour."""
    ink = style.ink_on(color)
    ax.text(column, row - 0.14, texts[0], ha="center", va="center", fontsize=size, color=ink)
    ax.text(column, row + 0.2, texts[1], ha="center", va="center", fontsize=7.5, color=ink)
