"""Chart of ratings: 12."""

from __future__ import annotations

from matplotlib.figure import Figure

from wuzi.arena.charts.style import FAINT, GREY, INK, Sheet, name_rows, note_right, whisker
from wuzi.arena.text import points


def elo_ratings(sheet: Sheet) -> Figure:
    """12: a mark with its interval for each player, strongest on top."""
    players = sheet.analysis.players
    fig = sheet.figure("chart.12", 1.0 + 0.55 * len(players))
    ax = fig.add_subplot()
    if len(players) < 2:
        ax.set_axis_off()
        text = sheet.t("chart.12.single")
        ax.text(0.5, 0.5, text, ha="center", va="center", color=FAINT, transform=ax.transAxes)
        return fig
    for row, player in enumerate(players):
        rating = player.rating
        assert rating is not None
        color = sheet.color(player.label)
        whisker(ax, row, rating)
        ax.plot(
            rating.value,
            row,
            marker=sheet.marker(player.label),
            markersize=9,
            color=color,
            markeredgecolor=INK,
            markeredgewidth=0.8,
            zorder=5,
        )
        interval = f"[{points(rating.low)}, {points(rating.high)}]"
        note_right(ax, row, f"{points(rating.value)}  {interval}\n{sheet.n(player.games)}")
    ax.axvline(0, color=GREY, lw=0.9)
    ax.margins(x=0.06)
    name_rows(ax, [player.label for player in players])
    ax.set_xlabel(sheet.t("axis.elo"))
    return fig
