"""Ratings by the size of the board, and their chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from wuzi.arena.rating import Estimate
from wuzi.arena.text import Catalogue
from wuzi.records.atomic import replacing
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


def draw_sizes(curves: Curves, t: Catalogue, path: Path) -> None:
    """Draw ratings by board size into a PNG file; the same figures give the same bytes.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    from wuzi.arena.charts import DPI, check_available

    check_available()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from wuzi.arena.charts.style import MARKERS, OKABE_ITO, chart_style

    with chart_style():
        figure = Figure(figsize=(9.0, 5.0), layout="constrained")
        ax = figure.add_subplot()
        for i, (name, curve) in enumerate(curves.items()):
            sizes = [size for size, _ in curve]
            values = [estimate.value for _, estimate in curve]
            errors = [
                [estimate.value - estimate.low for _, estimate in curve],
                [estimate.high - estimate.value for _, estimate in curve],
            ]
            ax.errorbar(
                sizes,
                values,
                yerr=errors,
                label=name,
                color=OKABE_ITO[i % len(OKABE_ITO)],
                marker=MARKERS[i % len(MARKERS)],
                capsize=3,
            )
        ax.set_xticks(sorted({size for curve in curves.values() for size, _ in curve}))
        ax.set_xlabel(t("axis.size"))
        ax.set_ylabel(t("axis.elo"))
        ax.set_title(t("sizes.chart"), loc="left")
        figure.legend(loc="outside right upper")
        FigureCanvasAgg(figure)
        with replacing(path) as part:
            figure.savefig(part, dpi=DPI, format="png", metadata={"Software": None})
