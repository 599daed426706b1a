"""The words of reports and charts in two languages, and the pieces of Markdown pages made from results."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from wuzi.arena.analysis import Analysis, PairSummary, ReportWarning
from wuzi.arena.rating import Estimate
from wuzi.base.words import Catalogue

NONE = "–"
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#!])")


def escape(text: str) -> str:
    r"""Text in which no character means markup.

    >>> escape("a_b|c")
    'a\\_b\\|c'
    """
    return _SPECIAL.sub(r"\\\1", text)


def bullets(sentences: Sequence[str]) -> str:
    """A list."""
    return "\n".join(f"- {sentence}" for sentence in sentences)


def table(header: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1, first: int = 0) -> str:
    """A table; ``names`` columns from the ``first`` one on are text, the others figures."""
    rule = ["---" if first <= i < first + names else "--:" for i in range(len(header))]
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, rule, *rows))


def interval(estimate: Estimate) -> str:
    """The two ends in per cent."""
    return f"{percent(estimate.low)} … {percent(estimate.high)}"


def percent(value: float, digits: int = 1) -> str:
    """A share as text; an empty sample is a dash.

    >>> percent(0.625), percent(float("nan"))
    ('62.5%', '–')
    """
    return "–" if math.isnan(value) else f"{value:.{digits}%}"


def typeset(number: str) -> str:
    """A formatted number with a minus sign instead of a hyphen.

    >>> typeset(f"{-290:.0f}")
    '−290'
    """
    return number.replace("-", "−")


def points(value: float) -> str:
    """Elo points with their sign.

    >>> points(103.7), points(float("-inf")), points(-0.2)
    ('+104', '−∞', '0')
    """
    if math.isinf(value):
        return "+∞" if value > 0 else "−∞"
    rounded = round(value)
    return "0" if rounded == 0 else typeset(f"{rounded:+d}")


def elo_text(t: Catalogue, estimate: Estimate) -> str:
    """An Elo difference with its interval, or the one bound there is."""
    if math.isfinite(estimate.value):
        ends = {"low": points(estimate.low), "high": points(estimate.high)}
        return t("elo.finite", value=points(estimate.value), **ends)
    if math.isfinite(estimate.low):
        return t("elo.over", low=points(estimate.low))
    if math.isfinite(estimate.high):
        return t("elo.under", high=points(estimate.high))
    return t("elo.unknown")


def pair_sentence(t: Catalogue, pair: PairSummary) -> str:
    """Who won, by how much, and whether that means anything. The winner comes first."""
    key = "wins" if pair.separable else "leads" if pair.wins > pair.losses else "level"
    counts = {"wins": pair.wins, "losses": pair.losses, "draws": pair.draws, "n": pair.games}
    score, elo = percent(pair.score.value), elo_text(t, pair.elo)
    return t(f"pair.{key}", a=pair.leader, b=pair.other, **counts, score=score, elo=elo, **_ends(pair.score))


def _ends(share: Estimate) -> dict[str, str]:
    return {"low": percent(share.low), "high": percent(share.high)}


def findings(t: Catalogue, analysis: Analysis) -> list[str]:
    """The sentences of the report's first section."""
    said = []
    if analysis.ratings is not None and len(analysis.players) > 2:
        said += _ranking(t, analysis)
    said += [pair_sentence(t, pair) for pair in analysis.pairs]
    n, won = analysis.games, Counter(game.winner for game in analysis.records)
    counts = {"n": n, "black": won["black"], "white": won["white"], "draws": n - won["black"] - won["white"]}
    share = percent(analysis.black.value)
    said.append(t("colour.black", **counts, share=share, **_ends(analysis.black)))
    if analysis.distinct is not None:
        key = "distinct.all" if analysis.distinct == n else "distinct.some"
        said.append(t(key, n=n, distinct=analysis.distinct))
    return said


def _ranking(t: Catalogue, analysis: Analysis) -> list[str]:
    ratings = analysis.ratings
    assert ratings is not None
    best = ratings.estimates[0]
    ends = {"low": points(best.low), "high": points(best.high)}
    said = [t("rank.leader", a=ratings.labels[0], elo=points(best.value), **ends)]
    for i, (upper, lower) in enumerate(zip(ratings.labels, ratings.labels[1:], strict=False)):
        key = "rank.separable" if ratings.separable(upper, lower) else "rank.not_separable"
        gap = ratings.estimates[i].value - ratings.estimates[i + 1].value
        said.append(t(key, a=upper, b=lower, elo=round(gap)))
    return said


def warning_sentence(t: Catalogue, warned: ReportWarning) -> str:
    """A warning as a sentence."""
    return t(f"warn.{warned.code}", **warned.values)
