"""Charts of wins, draws, losses and ratings: 01, 02, 03, 07, 09, 12."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import MaxNLocator

from wuzi.arena.charts import style
from wuzi.arena.text import percent, points

MAX_ROWS = 80
"""More pairings than this are left to the table of the report."""

SMALL_CELLS = 8
"""With more players than this a cell of the heat map holds less."""

WIN, LOSS = style.OKABE_ITO[0], style.OKABE_ITO[1]


def win_loss_distribution(sheet: style.Sheet) -> Figure:
    """01: one row a pairing; the leader's wins from the left, the other's from the right."""
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


def win_rate_comparison(sheet: style.Sheet) -> Figure:
    """02: each player's win rate, every opponent weighing alike, with a mark for each opponent."""
    players = sheet.analysis.players
    fig = sheet.figure("chart.02", 1.3 + 0.7 * len(players))
    ax = fig.add_subplot()
    for row, player in enumerate(players):
        color = sheet.color(player.label)
        ax.barh(row, player.win_rate.value, height=0.56, color=color, alpha=0.45)
        style.whisker(ax, row, player.win_rate)
        for place, other in enumerate(players):
            pair = sheet.analysis.pair(player.label, other.label)
            if pair is None or other is player:
                continue
            wins = pair.wins if pair.leader == player.label else pair.losses
            ax.plot(
                wins / pair.games,
                row + 0.04 + 0.24 * place / len(players),
                markersize=7,
                zorder=5,
                clip_on=False,
                **sheet.mark(other.label),
            )
        style.note_right(ax, row, f"{percent(player.win_rate.value)}\n{sheet.n(player.games)}")
    style.name_rows(ax, [player.label for player in players])
    style.share_axis(ax, sheet.t("axis.win_rate"))
    # Marks at 100 % must not cover what is said beside them.
    ax.set_xlim(-0.012, 1.02)
    _player_legend(fig, sheet)
    return fig


def first_move_advantage(sheet: style.Sheet) -> Figure:
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


def overall_win_rate(sheet: style.Sheet) -> Figure:
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


def win_rate_heatmap(sheet: style.Sheet) -> Figure:
    """09: a matrix of players; numbers in every cell."""
    labels = sheet.analysis.labels
    count = len(labels)
    small = count > SMALL_CELLS
    cell = 1.25 if count <= 4 else 0.66 if small else 1.05
    side = max(cell * count, 2.2)
    longest = max(style.display_width(line) for label in labels for line in style.fit(label).splitlines())
    fig = sheet.figure("chart.09", side + 1.5, width=max(side + 0.8 + 0.13 * longest, 7.0))
    ax = fig.add_subplot()
    colors = LinearSegmentedColormap.from_list("wuzi", [LOSS, "#FFFFFF", WIN])
    for row, player in enumerate(labels):
        for column, other in enumerate(labels):
            pair = sheet.analysis.pair(player, other) if row != column else None
            if pair is None:
                ax.add_patch(_square(row, column, "#F2F2F2"))
                continue
            leads = pair.leader == player
            wins, losses = (pair.wins, pair.losses) if leads else (pair.losses, pair.wins)
            rate = wins / pair.games
            rgba = colors((wins + pair.draws / 2) / pair.games)
            color = "#" + "".join(f"{round(255 * part):02X}" for part in rgba[:3])
            ax.add_patch(_square(row, column, color))
            ink = style.ink_on(color)
            size = 13 if count <= 4 else 11
            text = f"{100 * rate:.0f}%" if small else percent(rate)
            ax.text(column, row - 0.14, text, ha="center", va="center", fontsize=size, color=ink)
            detail = f"{wins}-{pair.draws}-{losses}" + ("" if small else f"\n{sheet.n(pair.games)}")
            ax.text(column, row + 0.2, detail, ha="center", va="center", fontsize=7.5, color=ink)
    ax.set_xlim(-0.5, count - 0.5)
    ax.set_ylim(count - 0.5, -0.5)
    ax.set_aspect("equal")
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
    return fig


def _square(row: int, column: int, color: str) -> Patch:
    return Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=color, edgecolor="#DDDDDD", linewidth=0.8)


def _stack(
    ax: Axes,
    row: float,
    parts: Iterable[tuple[str, float]],
    least: float,
    *,
    unit: int = 1,
    height: float = 0.62,
    text: Callable[[Any], str] = str,
) -> None:
    """Colours with lengths one after the other, ``unit`` of them to one; those of ``least`` say how much."""
    start = 0.0
    for color, count in parts:
        length = count / unit
        if count:
            ax.barh(row, length, left=start, height=height, color=color, edgecolor="white", linewidth=0.8)
        if count and count >= least:
            place = start + length / 2
            ax.text(place, row, text(count), ha="center", va="center", fontsize=9, color=style.ink_on(color))
        start += length


def _legend(fig: Figure, sheet: style.Sheet, colors: Mapping[str, str], side: str = "center") -> None:
    handles = [Patch(color=color, label=sheet.t(key)) for key, color in colors.items()]
    place: Any = f"outside lower {side}"
    fig.legend(handles=handles, loc=place, ncols=len(handles), fontsize=9)


def _player_legend(fig: Figure, sheet: style.Sheet) -> None:
    labels = sheet.analysis.labels
    handles = [Line2D([], [], label=style.fit(label, 30, 1), **sheet.mark(label)) for label in labels]
    columns = min(len(labels), 4 if max(map(len, labels)) < 18 else 2)
    fig.legend(handles=handles, loc="outside lower left", ncols=columns, fontsize=8.5, labelcolor=style.FAINT)


def elo_ratings(sheet: style.Sheet) -> Figure:
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
        interval = f"[{points(rating.low)}, {points(rating.high)}]"
        style.note_right(ax, row, f"{points(rating.value)}  {interval}\n{sheet.n(player.games)}")
    ax.axvline(0, color=style.GREY, lw=0.9)
    ax.margins(x=0.06)
    style.name_rows(ax, [player.label for player in players])
    ax.set_xlabel(sheet.t("axis.elo"))
    return fig
