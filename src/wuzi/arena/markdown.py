"""Pieces of Markdown pages that are made from results."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wuzi.arena.campaign import CampaignRun
from wuzi.arena.rating import Estimate
from wuzi.arena.text import percent

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


def table(header: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1) -> str:
    """A table; the first ``names`` columns are text, the others figures."""
    rule = ["---" if i < names else "--:" for i in range(len(header))]
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, rule, *rows))


def interval(estimate: Estimate) -> str:
    """The two ends in per cent."""
    return f"{percent(estimate.low)} … {percent(estimate.high)}"


def commits_of(names: Sequence[str]) -> str:
    """Commits, each once."""
    return " ".join(f"`{name}`" for name in dict.fromkeys(names))


def machines_of(runs: Sequence[CampaignRun]) -> str:
    """Where runs were made."""
    return escape("; ".join(dict.fromkeys(run.machine for run in runs)))


def days_of(runs: Sequence[CampaignRun], between: str) -> str:
    """The day of runs, or the first and the last."""
    days = sorted({run.started_at[:10] for run in runs})
    return days[0] if len(days) == 1 else f"{days[0]}{between}{days[-1]}"
