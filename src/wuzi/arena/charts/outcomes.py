"""Charts of wins, draws, losses and ratings: 01, 02, 03, 07, 09, 12."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from wuzi.arena.analysis import PairSummary
from wuzi.arena.charts import style
from wuzi.arena.charts.matrix import cells, fill_cell, player_matrix, wants_matrix, write_cell
from wuzi.arena.text import percent, points

MAX_ROWS = 80
"""More pairings than this are left to the table of the report."""

SMALL_CELLS = 8
"""With more players than this a cell of the heat map holds less."""

WIN, LOSS = style.OKABE_ITO[0], style.OKABE_ITO[1]


def win_loss_distribution(sheet: style.ChartData) -> Figure:
    """01: one row a pairing; the leader's wins from the left, the other's from the right."""
    if wants_matrix(sheet):
        return _outcome_matrix(sheet)
    pairs = sheet.analysis.pairs[:MAX_ROWS]
    left_out = len(sheet.analysis.pairs) - len(pairs)
    more = " · " + sheet.t("and_more", n=left_out) if left_out else ""
    most = max((pair.games for pair in pairs), default=1)
    # Beside a pair of 400 games one of 60 would be a stub.
    shares = any(2 * pair.games < most for pair in pairs)
    subtitle = sheet.t("chart.01.sub.shares" if shares else "chart.01.sub") + more
    fig = sheet.figure("chart.01", 0.9 + style.row_height(len(pairs)) * len(pairs), subtitle=subtitle)
    ax = fig.add_subplot()
    for row, pair in enumerate(pairs):
        colors = (sheet.color(pair.leader), style.LIGHT, sheet.color(pair.other))
        parts = zip(colors, (pair.wins, pair.draws, pair.losses), strict=True)
        least = 0.035 * (pair.games if shares else most)
        _stack(ax, row, parts, least, unit=pair.games if shares else 1)
    style.name_rows(ax, [pair.leader for pair in pairs])
    if shares:
        style.share_axis(ax, sheet.t("axis.share"))
    else:
        ax.set_xlim(0, most)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set_xlabel(sheet.t("axis.games"))
    for row, pair in enumerate(pairs):
        style.note_right(ax, row, sheet.n(pair.games), pair.other, rows=len(pairs))
    _legend(fig, sheet, {"legend.draw": style.LIGHT}, "right")
    return fig


def _outcome_matrix(sheet: style.ChartData) -> Figure:
    """Chart 01 of many pairings: the row player's wins, draws and losses against the column player."""
    fig, ax = player_matrix(sheet, "chart.01", 0.62, 0.36, sheet.t("chart.01.sub.matrix"))
    for row, column, pair in cells(sheet):
        fill_cell(ax, row, column, "#F2F2F2" if pair is None else "#FFFFFF")
        if pair is not None:
            wins, losses = _results(pair, sheet.analysis.labels[row])
            parts = zip((WIN, style.LIGHT, LOSS), (wins, pair.draws, losses), strict=True)
            _stack(ax, row, parts, math.inf, unit=pair.games / 0.94, left=column - 0.47)
    _legend(fig, sheet, {"legend.win": WIN, "legend.draw": style.LIGHT, "legend.loss": LOSS})
    return fig


def win_rate_comparison(sheet: style.ChartData) -> Figure:
    """02: each player's win rate, every opponent weighing alike; below it the ranks of its opponents."""
    players = sheet.analysis.players
    ranks = {player.label: rank for rank, player in enumerate(players, 1)}
    fig = sheet.figure("chart.02", 0.9 + 0.62 * len(players))
    ax = fig.add_subplot()
    for row, player in enumerate(players):
        ax.barh(row - 0.16, player.win_rate.value, height=0.36, color=sheet.color(player.label))
        style.whisker(ax, row - 0.16, player.win_rate)
        met = [(rank, sheet.analysis.pair(player.label, other)) for other, rank in ranks.items()]
        rates = [
            (_results(pair, player.label)[0] / pair.games, rank)
            for rank, pair in met
            if pair is not None and rank != ranks[player.label]
        ]
        for rate, text in _together(rates):
            ax.text(rate, row + 0.24, text, ha="center", va="center", fontsize=8, color=style.FAINT)
        style.note_right(ax, row, f"{percent(player.win_rate.value)}\n{sheet.n(player.games)}")
    style.name_rows(ax, [f"{rank}  {label}" for label, rank in ranks.items()])
    style.share_axis(ax, sheet.t("axis.win_rate"))
    # Ranks at 0 and at 100 % must not cover what stands beside them.
    ax.set_xlim(-0.02, 1.03)
    return fig


def _together(rates: Sequence[tuple[float, int]]) -> list[tuple[float, str]]:
    """Places and texts of ranks, those that would overlap in one text.

    >>> _together([(1.0, 4), (0.984375, 2), (0.96875, 3), (0.5, 7)])
    [(0.5, '7'), (0.984375, '2–4')]
    """
    groups: list[list[tuple[float, int]]] = []
    for one in sorted(rates):
        groups.append([one])
        while len(groups) > 1 and _overlap(groups[-2], groups[-1]):
            last = groups.pop()
            groups[-1] += last
    return [(_middle(group), _ranks(group)) for group in groups]


def _middle(group: Sequence[tuple[float, int]]) -> float:
    return fmean(rate for rate, _ in group)


def _overlap(left: Sequence[tuple[float, int]], right: Sequence[tuple[float, int]]) -> bool:
    room = 0.0055 * (len(_ranks(left)) + len(_ranks(right)) + 2)
    return _middle(right) - _middle(left) < room


def _ranks(group: Sequence[tuple[float, int]]) -> str:
    """Ranks in words: ``2–4, 7``."""
    runs: list[list[int]] = []
    for rank in sorted(rank for _, rank in group):
        if runs and rank == runs[-1][-1] + 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


def first_move_advantage(sheet: style.ChartData) -> Figure:
    """03: who won, first or second, every pairing weighing alike, and each player's win rates."""
    analysis = sheet.analysis
    players = analysis.players
    first, draws = analysis.first.value, analysis.draw.value
    total = sheet.t("chart.03.total", n=analysis.games)
    fig = sheet.figure("chart.03", 1.9 + 0.82 * len(players))
    top, ax = fig.subplots(2, 1, gridspec_kw={"height_ratios": [0.75, 0.8 * len(players) + 0.3]})
    _stack(top, 0, ((WIN, first), (style.LIGHT, draws), (LOSS, 1 - first - draws)), 0.06, text=percent)
    top.set_xlim(0, 1)
    top.set_ylim(-0.45, 0.45)
    top.set_axis_off()
    top.set_title(total, loc="left", fontsize=10)
    for row, player in enumerate(players):
        for offset, rate, games, color in (
            (-0.2, player.first, player.first_games, WIN),
            (0.2, player.second, player.second_games, LOSS),
        ):
            if games:
                ax.barh(row + offset, rate.value, height=0.36, color=color)
                style.whisker(ax, row + offset, rate)
            style.note_right(ax, row + offset, f"{percent(rate.value)}  {sheet.n(games)}")
    style.name_rows(ax, [player.label for player in players])
    style.share_axis(ax, sheet.t("axis.win_rate"))
    _legend(fig, sheet, {"legend.first": WIN, "legend.draw": style.LIGHT, "legend.second": LOSS})
    return fig


def overall_win_rate(sheet: style.ChartData) -> Figure:
    """07: wins, draws and losses of each player, every opponent weighing alike, sorted by win rate."""
    players = sorted(sheet.analysis.players, key=lambda player: (-player.win_rate.value, player.label))
    fig = sheet.figure("chart.07", 1.2 + 0.58 * len(players))
    ax = fig.add_subplot()
    for row, player in enumerate(players):
        won = player.win_rate.value if player.games else 0.0
        drawn = max(0.0, 2 * (player.score.value - won)) if player.games else 0.0
        lost = 1 - won - drawn if player.games else 0.0
        parts = ((sheet.color(player.label), won), (style.LIGHT, drawn), ("#EFEFEF", lost))
        _stack(ax, row, parts, 0.07, height=0.5, text=percent)
        style.whisker(ax, row + 0.35, player.win_rate)
        bounds = f"{percent(player.win_rate.low)} – {percent(player.win_rate.high)}"
        style.note_right(ax, row, f"{percent(player.win_rate.value)}  ({bounds})\n{sheet.n(player.games)}")
    style.name_rows(ax, [player.label for player in players])
    style.share_axis(ax, sheet.t("axis.win_rate"))
    _legend(fig, sheet, {"legend.win": style.GREY, "legend.draw": style.LIGHT, "legend.loss": "#EFEFEF"})
    return fig


def win_rate_heatmap(sheet: style.ChartData) -> Figure:
    """09: a matrix of players; numbers in every cell."""
    labels = sheet.analysis.labels
    count = len(labels)
    small = count > SMALL_CELLS
    cell = 1.25 if count <= 4 else 0.66 if small else 1.05
    fig, ax = player_matrix(sheet, "chart.09", cell, cell)
    colors = LinearSegmentedColormap.from_list("wuzi", [LOSS, "#FFFFFF", WIN])
    for row, column, pair in cells(sheet):
        if pair is None:
            fill_cell(ax, row, column)
            continue
        wins, losses = _results(pair, labels[row])
        color = to_hex(colors((wins + pair.draws / 2) / pair.games))
        fill_cell(ax, row, column, color)
        rate = f"{100 * wins / pair.games:.0f}%" if small else percent(wins / pair.games)
        detail = f"{wins}-{pair.draws}-{losses}" + ("" if small else f"\n{sheet.n(pair.games)}")
        write_cell(ax, row, column, (rate, detail), 13 if count <= 4 else 11, color)
    return fig


def _results(pair: PairSummary, name: str) -> tuple[int, int]:
    """A player's wins and losses in a pairing."""
    return (pair.wins, pair.losses) if pair.leader == name else (pair.losses, pair.wins)


def _stack(
    ax: Axes,
    row: float,
    parts: Iterable[tuple[str, float]],
    least: float,
    *,
    unit: float = 1,
    left: float = 0.0,
    height: float = 0.62,
    text: Callable[[Any], str] = str,
) -> None:
    """Colours with lengths one after the other, ``unit`` of them to one; those of ``least`` say how much."""
    start = left
    for color, count in parts:
        length = count / unit
        if count:
            ax.barh(row, length, left=start, height=height, color=color, edgecolor="white", linewidth=0.8)
        if count and count >= least:
            place = start + length / 2
            ax.text(place, row, text(count), ha="center", va="center", fontsize=9, color=style.ink_on(color))
        start += length


def _legend(fig: Figure, sheet: style.ChartData, colors: Mapping[str, str], side: str = "center") -> None:
    handles = [Patch(color=color, label=sheet.t(key)) for key, color in colors.items()]
    place: Any = f"outside lower {side}"
    fig.legend(handles=handles, loc=place, ncols=len(handles), fontsize=9)


def elo_ratings(sheet: style.ChartData) -> Figure:
    """12: a mark with its interval for each player, strongest on top."""
    players = sheet.analysis.players
    fig = sheet.figure("chart.12", 1.0 + 0.55 * len(players))
    ax = fig.add_subplot()
    if len(players) < 2:
        ax.set_axis_off()
        text = sheet.t("chart.12.single")
        ax.text(0.5, 0.5, text, ha="center", va="center", color=style.FAINT, transform=ax.transAxes)
        return fig
    for row, player in enumerate(players):
        rating = player.rating
        assert rating is not None
        style.whisker(ax, row, rating)
        ax.plot(
            rating.value,
            row,
            markersize=9,
            zorder=5,
            **sheet.mark(player.label) | {"markeredgewidth": 0.8, "linestyle": "-"},
        )
        fixed = rating.low == rating.high
        interval = sheet.t("chart.12.fixed") if fixed else f"[{points(rating.low)}, {points(rating.high)}]"
        style.note_right(ax, row, f"{points(rating.value)}  {interval}\n{sheet.n(player.games)}")
    ax.axvline(0, color=style.GREY, lw=0.9)
    ax.margins(x=0.06)
    style.name_rows(ax, [player.label for player in players])
    ax.set_xlabel(sheet.t("axis.elo"))
    return fig
