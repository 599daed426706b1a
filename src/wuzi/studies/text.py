"""The words of study reports, in English and Chinese."""

from __future__ import annotations

import math
from pathlib import Path

from wuzi.arena.markdown import NONE, interval
from wuzi.arena.rating import Estimate
from wuzi.arena.text import percent, points
from wuzi.base.atomic import write_atomic
from wuzi.base.words import Catalogue
from wuzi.studies.config import StudyMethod

SUFFIX = {"en": "", "zh": ".zh"}
"""What stands before ``.md`` in the name of a page."""

PAGE, FIGURES_FILE = "README", "figures.json"


def write_page(into: Path, t: Catalogue, text: str) -> Path:
    """Write the page of one language into a report's folder; its path."""
    path = into / f"{PAGE}{SUFFIX[t.language]}.md"
    write_atomic(path, text.encode())
    return path


def other_page(t: Catalogue) -> str:
    """The line that leads to the page in the other language."""
    return t("title.other", file=f"{PAGE}{SUFFIX['zh' if t.language == 'en' else 'en']}.md")


def named(t: Catalogue, method: StudyMethod) -> str:
    """What a method is called; its name in tables stays the label."""
    if t.language == "zh":
        return f"{method.title_zh}（{method.name}）" if method.title_zh else method.name
    return f"{method.name} ({method.title})" if method.title else method.name


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
