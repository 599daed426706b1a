"""The ladder's chart: scores against every opponent on the left, ratings on the right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from research.ladder.run import LadderArmFigures, LadderFigures, OpponentLine
from wuzi.arena import Estimate
from wuzi.arena.charts import save_chart
from wuzi.arena.charts.style import GREY, INK, MARKERS, OKABE_ITO, chart_style, name_rows, share_axis

_SPREAD = 0.26
"""Rows between the marks of two arms, where a row is one opponent."""


def draw_ladder(figures: LadderFigures, path: Path) -> None:
    """Draw the chart into a PNG file; the same games give the same bytes."""
    arms = [arm for arm in figures.arms if arm.played]
    with chart_style():
        save_chart(ladder_chart(figures, arms), path)


def ladder_chart(figures: LadderFigures, arms: list[LadderArmFigures]) -> Figure:
    """The drawing; see :func:`draw_ladder`."""
    rated = _rated(arms)
    opponents = [label for label in rated if any(_line(arm, label) for arm in arms)]
    height = 1.3 + 0.36 * max(len(rated), len(opponents), 3)
    figure = Figure(figsize=(5.0 + 4.6 * len(arms), height), layout="constrained")
    left, *panels = figure.subplots(1, 1 + len(arms), squeeze=False)[0]
    _scores(left, figures, arms, opponents)
    for number, (ax, arm) in enumerate(zip(panels, arms, strict=True)):
        _ratings(ax, figures, arm, number)
    handles, names = left.get_legend_handles_labels()
    if handles:
        figure.legend(handles, names, loc="outside lower center", ncols=len(names))
    return figure


def _scores(ax: Axes, figures: LadderFigures, arms: list[LadderArmFigures], opponents: list[str]) -> None:
    for number, arm in enumerate(arms):
        named = f"{arm.arm.time_s:g} s a move"
        for row, opponent in enumerate(opponents):
            line = _line(arm, opponent)
            if line is not None and line.score is not None:
                _mark(ax, row + _shift(number, len(arms)), line.score, number, named)
                named = ""
    for target in figures.config.targets:
        if target.against in opponents:
            row = opponents.index(target.against)
            ax.plot([target.score] * 2, [row - 0.42, row + 0.42], color=GREY, lw=2.2, zorder=2)
    name_rows(ax, opponents)
    share_axis(ax, f"score of {figures.config.focus}, 95 % interval; grey: target")
    ax.set_title("Score", loc="left")


def _ratings(ax: Axes, figures: LadderFigures, arm: LadderArmFigures, number: int) -> None:
    """The scale of one time control: the anchor's rating ties no two of them."""
    rated = arm.ratings.labels if arm.ratings is not None else ()
    for row, label in enumerate(rated):
        assert arm.ratings is not None
        _mark(ax, row, arm.ratings.of(label), number, "")
    name_rows(ax, rated)
    if figures.config.focus in rated:
        row = rated.index(figures.config.focus)
        ax.axhspan(row - 0.45, row + 0.45, color=OKABE_ITO[0], alpha=0.09, lw=0)
    anchor = figures.config.anchor
    text = "rating (Elo points)" + (f", {anchor[0]} = {anchor[1]:g}" if anchor else "")
    ax.set_xlabel(text)
    ax.set_title(f"Rating at {arm.arm.time_s:g} s a move, 95 % interval", loc="left")


def _mark(ax: Axes, row: float, estimate: Estimate, number: int, label: str) -> None:
    color = OKABE_ITO[number % len(OKABE_ITO)]
    ax.plot([estimate.low, estimate.high], [row, row], color=color, lw=1.6, zorder=3)
    look: Any = {"marker": MARKERS[number % len(MARKERS)], "color": color, "markersize": 7}
    look |= {"linestyle": "none", "markeredgecolor": INK, "markeredgewidth": 0.6}
    ax.plot(estimate.value, row, **look, label=label or None, clip_on=False, zorder=4)


def _rated(arms: list[LadderArmFigures]) -> list[str]:
    """Everybody with a rating, strongest first by the mean over the arms."""
    values: dict[str, list[float]] = {}
    for arm in arms:
        for label in arm.ratings.labels if arm.ratings is not None else ():
            assert arm.ratings is not None
            values.setdefault(label, []).append(arm.ratings.of(label).value)
    return sorted(values, key=lambda label: -sum(values[label]) / len(values[label]))


def _line(arm: LadderArmFigures, opponent: str) -> OpponentLine | None:
    return next((line for line in arm.lines if line.opponent == opponent and line.games), None)


def _shift(number: int, count: int) -> float:
    return (number - (count - 1) / 2) * _SPREAD
