"""The words and tables of study pages, in English and Chinese."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from research.config import StudyMethod
from research.figures import PartFigures, StudyFigures
from research.methods import MethodRow
from wuzi.arena import Estimate, PairFigures
from wuzi.arena.text import NONE, escape, interval, percent, points, table
from wuzi.base.atomic import write_atomic
from wuzi.base.words import Catalogue

SUFFIX = {"en": "", "zh": ".zh"}
"""What stands before ``.md`` in the name of a page."""

INTERVAL = re.compile(r" \(([^()\n]* … [^()\n]*)\)")
"""In Chinese its brackets are wide ones."""

PAGE, FIGURES_FILE = "README", "figures.json"
SCHEMA = 1
"""Version of ``figures.json``."""


def file_name(t: Catalogue, name: str = PAGE) -> str:
    """The file of a page in the catalogue's language."""
    return f"{name}{SUFFIX[t.language]}.md"


def write_page(into: Path, t: Catalogue, text: str, name: str = PAGE) -> Path:
    """Write the page of one language into a report's folder; its path."""
    path = into / file_name(t, name)
    if t.language == "zh":
        text = INTERVAL.sub("（\\1）", text.replace("。 ", "。"))
    write_atomic(path, text.encode())
    return path


def other_page(t: Catalogue, name: str = PAGE) -> str:
    """The line that leads to the page in the other language."""
    return t("title.other", file=f"{name}{SUFFIX['zh' if t.language == 'en' else 'en']}.md")


def code(name: str) -> str:
    """A method's name: a net may be called 9x9, and so may a board."""
    return f"`{name}`"


def named(t: Catalogue, method: StudyMethod) -> str:
    """A method's name and what it is."""
    name = code(method.name)
    if t.language == "zh":
        return f"{escape(method.title_zh)}（{name}）" if method.title_zh else name
    return f"{name} ({escape(method.title)})" if method.title else name


def share(estimate: Estimate | None) -> str:
    """A share with its interval.

    >>> share(Estimate(0.8, 0.7, 0.9))
    '80.0% (70.0% … 90.0%)'
    """
    if estimate is None or math.isnan(estimate.value):
        return NONE
    return f"{percent(estimate.value)} ({interval(estimate)})"


def elo_points(estimate: Estimate | None) -> str:
    """A rating with its interval."""
    if estimate is None:
        return NONE
    value = points(estimate.value)
    if estimate.low == estimate.high:
        return value
    return f"{value} ({points(estimate.low)} … {points(estimate.high)})"


def p_text(p: float) -> str:
    """A p-value as people read it.

    >>> p_text(0.00001), p_text(0.0312)
    ('< 0.0001', '0.031')
    """
    return "< 0.0001" if p < 0.0001 else f"{p:.2g}"


def milliseconds(seconds: float | None) -> str:
    """Time a move.

    >>> milliseconds(0.0312), milliseconds(None)
    ('31 ms', '–')
    """
    if seconds is None:
        return NONE
    return f"{seconds * 1000:.0f} ms" if seconds >= 0.0095 else f"{seconds * 1000:.2g} ms"


def listing(t: Catalogue, names: list[str]) -> str:
    """Names in a sentence."""
    return t("comma").join(names)


STAR, NO_STAR = "★", "☆"


def method_table(t: Catalogue, rows: Sequence[MethodRow]) -> str:
    """Document 000's table with all eight columns."""
    keys = ("method", "strength", "training", "parameters", "speed", "stability", "explains", "learns")
    header = tuple(t(f"column.{key}") for key in keys)
    return table(header, [_method_cells(t, row) for row in rows])


def _method_cells(t: Catalogue, row: MethodRow) -> tuple[str, ...]:
    strength = t("open")
    if row.rating is not None:
        strength = f"{STAR * row.stars}{NO_STAR * (5 - row.stars)} {elo_points(row.rating)}"
    return (
        named(t, row.method),
        strength,
        training_text(t, row),
        t("open") if row.parameters is None else f"{row.parameters:,}",
        t("open") if row.move_s is None else milliseconds(row.move_s),
        t("open") if row.shift is None else elo_points(row.shift),
        t("open") if row.explains is None else t(f"explains.{row.explains}"),
        t("yes") if row.learns else t("no"),
    )


def training_text(t: Catalogue, row: MethodRow) -> str:
    """What had to be done before the method could play."""
    if not row.trained:
        return t("training.fitted") if row.learns else t("training.none")
    if row.training is None:
        return t("training.missing", command=row.method.train)
    games, hours = row.made.get("games"), row.made.get("hours")
    if games is None:
        return t("training.unknown")
    if hours is None:
        return t("training.games", games=f"{games:,}")
    said = t("training.hours", hours=f"{hours:.2g}", games=f"{games:,}")
    part = row.schedule_share
    return said if part is None or part >= 1 else said + t("training.share", share=f"{part:.0%}")


Mark = Callable[[str], str]
"""A method's name in a table, with a sign after it where its net was not trained to its end."""


def rating_table(t: Catalogue, part: PartFigures, mark: Mark = code) -> str:
    """Who stands where in a part."""
    header = tuple(t(f"table.{key}") for key in ("method", "rating", "games", "move", "black", "white"))
    rated = zip(part.ratings.labels, part.ratings.estimates, strict=True) if part.ratings else ()
    rows = [
        (
            *(mark(name), elo_points(rating), str(play.games)),
            milliseconds(play.conduct.mean_s if part.times else None),
            *(share(play.black), share(play.white)),
        )
        for name, rating in rated
        for play in [part.plays[name]]
    ]
    return table(header, rows)


def pair_table(t: Catalogue, pairs: Sequence[PairFigures], *, unit: int = 2, mark: Mark = code) -> str:
    """All pairs of a part, the clearest first; ``unit`` is the games of an opening, 2 or 1."""
    units = "units" if unit == 2 else "units.single"
    keys = ("pair", "games", "wdl", "score", units, "p", "distinct", "verdict")
    header = tuple(t(f"table.{key}") for key in keys)
    ordered = sorted(pairs, key=lambda pair: (pair.adjusted, -(pair.score.value if pair.score else 0)))
    return table(header, [_pair_cells(t, pair, mark) for pair in ordered])


def _pair_cells(t: Catalogue, pair: PairFigures, mark: Mark) -> tuple[str, ...]:
    verdict = t("verdict.significant", a=code(pair.first)) if pair.significant else t("verdict.open")
    return (
        f"{mark(pair.first)} – {mark(pair.second)}",
        str(pair.games),
        f"{pair.wins}-{pair.draws}-{pair.losses}",
        share(pair.score),
        f"{pair.won}-{pair.level}-{pair.lost}",
        p_text(pair.adjusted),
        NONE if pair.distinct is None else str(pair.distinct),
        verdict,
    )


def agreement_table(t: Catalogue, figures: StudyFigures, mark: Mark = code) -> str:
    """The pairs of both comparisons, each as it was and as it was again."""
    rows = [
        (
            source,
            " – ".join(map(mark if source == "wuzi" else code, (pair.first, pair.second))),
            f"{percent(pair.before)} (n = {pair.games[0]})",
            *(f"{percent(pair.after)} (n = {pair.games[1]})", p_text(pair.p)),
        )
        for source, found in (("000", figures.document), ("wuzi", figures.repeat))
        for pair in (found.pairs if found else ())
    ]
    header = (t("agree.table"), t("table.pair"), "1", "2", t("table.p"))
    return table(header, rows, names=2) if rows else ""
