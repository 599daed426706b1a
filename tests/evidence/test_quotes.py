"""Every score with an interval that a page quotes is one that the other tests here have recounted."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

from tests.evidence.recount import ROOT, kept, score, score_interval
from tests.evidence.test_matches import folders, match_of

RESULTS = ROOT / "docs/results"
PAGES = [
    *(ROOT / name for name in ("README.md", "README.zh-CN.md")),
    *(path for path in sorted(ROOT.glob("docs/*.md")) if not path.name.startswith("changelog")),
    *sorted(RESULTS.glob("*.md")),
    *sorted(ROOT.glob("docs/tutorials/*.md")),
]
NUMBER = r"([−-]?\d+(?:\.\d+)?)"
TRIPLE = re.compile(rf"{NUMBER} ?%[,，(（：: ]+{NUMBER} ?%? ?(?:to|到|至|…|–) ?{NUMBER}")
"""As in "51.6 % (50.4 to 52.6)" and in "51.6%（50.4 到 52.6）"."""


@cache
def recounted() -> tuple[tuple[float, float, float], ...]:
    """Score and interval in percent: studies' pairs from either side, arms, matches, ladder, trainings."""
    found = []
    stages = json.loads((RESULTS / "nine-by-nine/figures.json").read_text("utf-8"))["stages"]
    found += [
        (pair["score"], pair["low"], pair["high"]) for part in stages.values() for pair in part["pairs"]
    ]
    for study in ("ablation", "targets", "rates"):
        arms = json.loads((RESULTS / study / "figures.json").read_text("utf-8"))["arms"].values()
        found += [(arm["score"], arm["low"], arm["high"]) for arm in arms if arm["score"] is not None]
    for folder in folders():
        name, games = match_of(folder)
        found.append((score(games, name), *score_interval(games, name)))
    for arm in ("slow", "fast"):
        games = kept(ROOT / "benchmarks/ladder" / arm / "games.jsonl.gz")
        for other in {game[colour] for game in games for colour in ("black", "white")} - {"wuzi"}:
            own = [game for game in games if other in (game["black"], game["white"])]
            found.append((score(own, "wuzi"), *score_interval(own, "wuzi")))
    found += [tuple(part / 100 for part in row) for row in learned()]
    both = [*found, *((1 - share, 1 - high, 1 - low) for share, low, high in found)]
    return tuple((100 * share, 100 * low, 100 * high) for share, low, high in both)


def learned() -> list[tuple[float, float, float]]:
    """Of the trainings in a minute: each score with its interval, and their mean and range by learner."""
    rows = [json.loads(line) for line in (ROOT / "benchmarks/learning.jsonl").read_text("utf-8").splitlines()]
    found = [(row["score"], row["low"], row["high"]) for row in rows]
    for where in {row["where"] for row in rows}:
        scores = [row["score"] for row in rows if row["where"] == where]
        found.append((sum(scores) / len(scores), min(scores), max(scores)))
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_quoted_score_was_recounted(page: Path) -> None:
    text = " ".join(page.read_text("utf-8").split())
    for match in TRIPLE.finditer(text):
        share, *ends = (float(n.replace("−", "-")) for n in match.groups())
        rounding = 0.06 if "." in match[1] else 0.51
        near = any(
            abs(found[0] - share) < rounding and found[1:] == pytest.approx(ends, abs=0.9)
            for found in recounted()
        )
        assert near, text[max(0, match.start() - 80) : match.end()]
