"""Ratings by the size of the board, and their chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wuzi.arena.rating import Estimate
from wuzi.base.words import Catalogue
from wuzi.core import Rules
from wuzi.studies.figures import PartFigures

Curves = Mapping[str, Sequence[tuple[int, Estimate]]]


def size_curves(parts: Sequence[PartFigures]) -> Curves:
    """Each method's rating on every board, against the mean of the methods that play on all of them."""
    rated = [part for part in parts if part.ratings is not None]
    common = [name for name in (rated[0].names if rated else ()) if all(name in p.names for p in rated)]
    curves: dict[str, list[tuple[int, Estimate]]] = {}
    for part in sorted(rated, key=lambda part: part.part.rules.size):
        ratings = part.ratings
        assert ratings is not None
        places = [ratings.labels.index(name) for name in common] or list(range(len(ratings.labels)))
        centre = sum(ratings.estimates[i].value for i in places) / len(places)
        samples = ratings.samples - ratings.samples[:, places].mean(axis=1, keepdims=True)
        low, high = np.quantile(samples, (0.025, 0.975), axis=0)
        for i, name in enumerate(ratings.labels):
            value = ratings.estimates[i].value - centre
            estimate = Estimate(value, min(float(low[i]), value), max(float(high[i]), value))
            curves.setdefault(name, []).append((part.part.rules.size, estimate))
    return curves


def draw_sizes(curves: Curves, boards: Sequence[Rules], t: Catalogue, path: Path) -> None:
    """Draw ratings by board size into a PNG file; the same figures give the same bytes.

    Lines join boards with the same number in a row: another number is another game.
    """
    from wuzi.arena.charts import check_available, save_chart

    check_available()
    from matplotlib.figure import Figure

    from wuzi.arena.charts.style import MARKERS, chart_style, color_of

    with chart_style():
        figure = Figure(figsize=(9.0, 5.0), layout="constrained")
        ax = figure.add_subplot()
        lengths = {rules.size: rules.win_length for rules in boards}
        for i, (name, curve) in enumerate(curves.items()):
            style: dict[str, Any] = {"color": color_of(i)}
            style |= {"marker": MARKERS[i % len(MARKERS)], "capsize": 3}
            # Side by side, so that intervals do not hide each other.
            aside = (i - (len(curves) - 1) / 2) * 0.09
            for number, length in enumerate(dict.fromkeys(lengths[size] for size, _ in curve)):
                some = [(size, estimate) for size, estimate in curve if lengths[size] == length]
                values = [estimate.value for _, estimate in some]
                below = [estimate.value - estimate.low for _, estimate in some]
                above = [estimate.high - estimate.value for _, estimate in some]
                label = None if number else name
                places = [size + aside for size, _ in some]
                ax.errorbar(places, values, yerr=[below, above], label=label, **style)
        sizes = sorted(lengths)
        labels = [t("sizes.board", size=size, length=lengths[size]) for size in sizes]
        ax.set_xticks(sizes, labels)
        ax.set_ylabel(t("axis.elo.mean"))
        ax.set_title(t("sizes.chart"), loc="left")
        figure.legend(loc="outside right upper")
        save_chart(figure, path)
