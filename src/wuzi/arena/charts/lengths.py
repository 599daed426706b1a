"""Charts of duration and number of stones: 04, 05, 06, 08, 10, 11."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import LinearSegmentedColormap, LogNorm, Normalize, to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from wuzi.arena.analysis import PairSummary
from wuzi.arena.charts import style
from wuzi.arena.charts.matrix import cells, fill_cell, player_matrix, wants_matrix, write_cell
from wuzi.arena.charts.outcomes import MAX_ROWS
from wuzi.arena.results import GameResult

Measure = Callable[[GameResult], float | None]

LOG_RANGE = 60
"""Durations spread wider than this ratio are drawn on a logarithmic axis."""

FEW_WINNERS = 6
"""With more winners than this each has a separate panel."""

duration: Measure = attrgetter("duration_s")
plies: Measure = attrgetter("plies")


def duration_vs_moves_scatter(sheet: style.ChartData) -> Figure:
    """06: one mark a game, by winner."""
    winners: dict[str | None, list[tuple[float, float]]] = {}
    for label in (None, *sheet.analysis.labels):
        own = [
            (float(game.plies), game.duration_s)
            for game in sheet.analysis.records
            if game.winner_name == label and game.plies is not None and game.duration_s is not None
        ]
        if own:
            winners[label] = own
    if len(winners) > FEW_WINNERS:
        return _winners_apart(sheet, winners)
    fig = sheet.figure("chart.06", 5.2)
    ax = fig.add_subplot()
    if not winners:
        style.no_data(ax, sheet)
        return fig
    handles = []
    for label, own in winners.items():
        color = style.GREY if label is None else sheet.color(label)
        marker = "x" if label is None else sheet.marker(label)
        ax.scatter(
            *_axes_of(own),
            color=color,
            marker=marker,
            s=30,
            alpha=0.7,
            linewidths=1.3 if label is None else 0.4,
            edgecolors=None if label is None else style.INK,
        )
        text = _winner(sheet, label, len(own))
        handles.append(Line2D([], [], marker=marker, color=color, linestyle="", label=text))
    ax.set_xlabel(sheet.t("axis.plies"))
    ax.set_ylabel(sheet.t("axis.duration"))
    _scales(ax, [seconds for own in winners.values() for _, seconds in own])
    columns = 2 if len(handles) > 1 else 1
    fig.legend(handles=handles, loc="outside lower left", ncols=columns, fontsize=9)
    return fig


def _winners_apart(
    sheet: style.ChartData, winners: Mapping[str | None, Sequence[tuple[float, float]]]
) -> Figure:
    """Chart 06 with a panel for each winner, all other games grey behind."""
    columns = 4
    rows = -(-len(winners) // columns)
    fig = sheet.figure("chart.06", 0.5 + 1.75 * rows, width=10.5, subtitle=sheet.t("chart.06.sub.apart"))
    axes = fig.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    everything = [point for own in winners.values() for point in own]
    for ax, (label, own) in zip(axes.flat, winners.items(), strict=False):
        ax.scatter(*_axes_of(everything), color=style.LIGHT, s=3, linewidths=0, rasterized=True)
        color = style.INK if label is None else sheet.color(label)
        ax.scatter(*_axes_of(own), color=color, s=9, alpha=0.7, linewidths=0, rasterized=True)
        ax.set_title(_winner(sheet, label, len(own), columns=18), loc="left", fontsize=9)
    for ax in axes.flat[len(winners) :]:
        ax.set_axis_off()
    for ax in axes.flat[max(0, len(winners) - columns) : len(winners)]:
        ax.tick_params(labelbottom=True)
    _scales(axes[0, 0], [seconds for _, seconds in everything], ticks=5)
    fig.supxlabel(sheet.t("axis.plies"), fontsize=10)
    fig.supylabel(sheet.t("axis.duration"), fontsize=10)
    return fig


def _axes_of(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y for _, y in points]


def _winner(sheet: style.ChartData, label: str | None, games: int, columns: int = 30) -> str:
    if label is None:
        return f"{sheet.t('legend.drawn')} ({sheet.n(games)})"
    return f"{sheet.t('legend.won_by', a=style.fit(label, columns, 1))} ({sheet.n(games)})"


def _scales(ax: Axes, seconds: Sequence[float], ticks: int = 10) -> None:
    """Whole stones along, with so many ticks at most; seconds up."""
    ax.xaxis.set_major_locator(MaxNLocator(ticks, integer=True))
    if _wants_log(seconds):
        ax.set_yscale("log")
        _plain_log(ax.yaxis, seconds)
    else:
        ax.set_ylim(bottom=0)


def avg_duration_and_moves(sheet: style.ChartData) -> Figure:
    """08: two panels of means with intervals."""
    labels = sheet.analysis.labels
    fig = sheet.figure("chart.08", 1.2 + 0.58 * len(labels), width=10.5)
    panels = fig.subplots(1, 2)
    for ax, measure, axis in zip(panels, (duration, plies), ("axis.duration", "axis.plies"), strict=True):
        if all(measure(game) is None for game in sheet.analysis.records):
            style.no_data(ax, sheet)
            continue
        top = 0.0
        for row, label in enumerate(labels):
            values = _values(sheet, label, measure)
            if not values:
                style.note_right(ax, row, "–")
                continue
            mean = statistics.fmean(values)
            spread = statistics.stdev(values) if len(values) > 1 else 0.0
            half = 1.96 * spread / math.sqrt(len(values))
            ax.barh(row, mean, height=0.56, color=sheet.color(label))
            errors = [[min(half, mean)], [half]]
            ax.errorbar(mean, row, xerr=errors, color=style.INK, capsize=3.5, lw=1.3, fmt="none")
            top = max(top, mean + half)
            style.note_right(ax, row, f"{mean:.3g}\n{sheet.n(len(values))}")
        ax.set_xlim(0, top * 1.04 or 1)
        ax.set_xlabel(sheet.t(axis))
        style.name_rows(ax, labels)
    return fig


def _values(sheet: style.ChartData, label: str, measure: Measure) -> list[float]:
    games = (game for game in sheet.analysis.records if label in (game.black, game.white))
    return [value for game in games if (value := measure(game)) is not None]


def _histograms(sheet: style.ChartData, key: str, measure: Measure, axis: str) -> Figure:
    """A row for each player."""
    labels = sheet.analysis.labels
    table = [_values(sheet, label, measure) for label in labels]
    everything = [value for values in table for value in values]
    fig = sheet.figure(key, 1.0 + 0.95 * len(labels))
    if not everything:
        style.no_data(fig.add_subplot(), sheet)
        return fig
    log = measure is duration and _wants_log(everything)
    bins = _bins(everything, log, whole=measure is plies)
    rows = fig.subplots(len(labels), 1, sharex=True, squeeze=False)[:, 0]
    for ax, label, values in zip(rows, labels, table, strict=True):
        ax.hist(values, bins=bins, color=sheet.color(label), edgecolor="white", linewidth=0.6)
        if values:
            ax.axvline(statistics.median(values), color=style.INK, lw=1.4)
            text = f"{sheet.n(len(values))}\n{_number(statistics.median(values))}"
            ax.text(1.012, 0.5, text, transform=ax.transAxes, va="center", fontsize=9, color=style.FAINT)
        ax.set_ylabel(style.fit(label), rotation=0, ha="right", va="center", labelpad=14)
        ax.yaxis.set_major_locator(MaxNLocator(2, integer=True))
        ax.tick_params(axis="y", labelsize=8, colors=style.FAINT)
    if log:
        rows[-1].set_xscale("log")
        _plain_log(rows[-1].xaxis, everything)
    elif measure is plies:
        rows[-1].xaxis.set_major_locator(MaxNLocator(integer=True))
    rows[-1].set_xlabel(sheet.t(axis))
    return fig


def _boxes(sheet: style.ChartData, key: str, measure: Measure, axis: str) -> Figure:
    """A row for each pairing, or a matrix of many."""
    if wants_matrix(sheet):
        return _medians(sheet, key, measure)
    rows = []
    for pair in sheet.analysis.pairs[:MAX_ROWS]:
        both = {pair.leader, pair.other}
        games = (game for game in sheet.analysis.records if {game.black, game.white} == both)
        rows.append((pair, [value for game in games if (value := measure(game)) is not None]))
    fig = sheet.figure(key, 0.9 + style.row_height(len(rows)) * max(len(rows), 1))
    ax = fig.add_subplot()
    everything = [value for _, values in rows for value in values]
    if not everything:
        style.no_data(ax, sheet)
        return fig
    look: Any = {"widths": 0.55, "patch_artist": True}
    look["boxprops"] = {"facecolor": style.LIGHT, "edgecolor": style.GREY}
    look["medianprops"] = {"color": style.INK, "linewidth": 1.8}
    look["whiskerprops"] = look["capprops"] = {"color": style.GREY}
    look["flierprops"] = {"marker": "o", "markersize": 3.5, "markeredgecolor": style.GREY, "alpha": 0.7}
    for row, (pair, values) in enumerate(rows):
        if values:
            ax.boxplot(values, positions=[row], orientation="horizontal", manage_ticks=False, **look)
        style.note_right(ax, row, sheet.n(len(values)), pair.other, rows=len(rows))
    style.name_rows(ax, [pair.leader for pair, _ in rows])
    if measure is duration and _wants_log(everything):
        ax.set_xscale("log")
        _plain_log(ax.xaxis, everything)
    else:
        ax.set_xlim(left=0)
    ax.set_xlabel(sheet.t(axis))
    return fig


def _medians(sheet: style.ChartData, key: str, measure: Measure) -> Figure:
    """The median of every pairing, below it the quartiles; the darker the higher."""
    found: dict[PairSummary, list[float]] = {}
    for pair in sheet.analysis.pairs:
        games = (g for g in sheet.analysis.records if {g.black, g.white} == {pair.leader, pair.other})
        if values := [value for game in games if (value := measure(game)) is not None]:
            found[pair] = values
    fig, ax = player_matrix(sheet, key, 0.66, 0.5, sheet.t("chart.medians.sub"))
    medians = [statistics.median(values) for values in found.values()]
    scale = LogNorm if medians and _wants_log(medians) else Normalize
    place = scale(min(medians, default=0), max(medians, default=1))
    colors = LinearSegmentedColormap.from_list("wuzi", ["#FFFFFF", style.OKABE_ITO[0]])
    for row, column, one in cells(sheet):
        if one is None or one not in found:
            fill_cell(ax, row, column)
            continue
        middle = statistics.median(found[one])
        low, high = map(float, np.quantile(found[one], (0.25, 0.75), method="inverted_cdf"))
        color = to_hex(colors(float(place(middle))))
        fill_cell(ax, row, column, color)
        texts = _number(middle), f"{_number(low)} – {_number(high)}"
        write_cell(ax, row, column, texts, 11, color)
    return fig


def _wants_log(values: Sequence[float]) -> bool:
    return min(values) > 0 and max(values) / min(values) > LOG_RANGE


def _bins(values: Sequence[float], log: bool, whole: bool) -> Sequence[float]:
    low, high = min(values), max(values)
    if log:
        return [float(edge) for edge in np.geomspace(low, high * 1.001, 29)]
    if whole:
        step = max(1, math.ceil((high - low + 1) / 36))
        return [low - 0.5 + step * i for i in range(math.ceil((high - low + 1) / step) + 1)]
    if high == low:
        return [low * 0.9, low * 1.1] if low else [-0.5, 0.5]
    return [float(edge) for edge in np.linspace(low, high, 29)]


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"


def _plain_log(axis: Axis, values: Sequence[float]) -> None:
    """Powers of ten written as plain numbers; also 2 and 5 where there is room."""
    steps = (1.0,) if max(values) / min(values) > 2000 else (1.0, 2.0, 5.0)
    axis.set_major_locator(LogLocator(subs=steps, numticks=20))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


game_duration_distribution = partial(_histograms, key="chart.04", measure=duration, axis="axis.duration")
moves_distribution = partial(_histograms, key="chart.05", measure=plies, axis="axis.plies")
duration_boxplot = partial(_boxes, key="chart.10", measure=duration, axis="axis.duration")
moves_boxplot = partial(_boxes, key="chart.11", measure=plies, axis="axis.plies")
