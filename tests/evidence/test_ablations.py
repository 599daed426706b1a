"""The published arms of the ablations, recounted from the kept games."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest

from tests.evidence.recount import (
    ROOT,
    Game,
    holm,
    kept,
    replayed,
    score,
    score_interval,
    two_sided,
    units_of,
    won_level_lost,
)

STUDIES = ("ablation", "targets", "rates")
NOT_COMPARED = {"base", "open"}
CONTROL = "untrained"
"""It shows that a net has learned, and is not one of the tests."""


def arms_of(study: str) -> dict[str, Any]:
    arms: dict[str, Any] = json.loads((ROOT / "docs/results" / study / "figures.json").read_text("utf-8"))[
        "arms"
    ]
    return arms


def games_of(study: str, name: str, arm: dict[str, Any]) -> list[Game]:
    """The games of an arm against its base, of all trainings; a unit is an opening in them, or a training."""
    games = []
    for seed in arm["seeds"]:
        own = kept(ROOT / "benchmarks/studies" / study / f"{name}-s{seed}" / "match/games.jsonl.gz")
        assert arm["scores"][str(seed)] == pytest.approx(score(own, name.partition("/")[2]), abs=1e-6)
        unit = {"opening_id": f"seed {seed}"} if arm["unit"] == "training" else {}
        games += [{**game, **unit} for game in own]
    return games


@pytest.mark.parametrize("study", STUDIES)
def test_every_arm_is_counted_right(study: str) -> None:
    arms = arms_of(study)
    raw, compared = [], []
    for name, arm in arms.items():
        if arm["verdict"] in NOT_COMPARED:
            assert arm["games"] == 0 and arm["score"] is None
            continue
        label = name.partition("/")[2]
        games = games_of(study, name, arm)
        for game in games:
            assert game["winner"] == replayed(game) and {game["black"], game["white"]} == {label, "base"}
        assert (len(games), arm["score"]) == (arm["games"], pytest.approx(score(games, label)))
        won, _, lost = won_level_lost(units_of(games, label))
        assert (arm["won"], arm["lost"]) == (won, lost), name
        assert (arm["low"], arm["high"]) == pytest.approx(score_interval(games, label), abs=0.012), name
        if label == CONTROL:
            assert arm["adjusted"] == pytest.approx(two_sided(won, lost))
            continue
        raw.append(two_sided(won, lost))
        compared.append(arm)
    planned = sum(name.partition("/")[2] not in ("base", CONTROL) for name in arms)
    for arm, adjusted in zip(compared, holm(raw, planned), strict=True):
        assert arm["adjusted"] == pytest.approx(adjusted)


@pytest.mark.parametrize("study", STUDIES)
@pytest.mark.parametrize("page", ["README.md", "README.zh.md"])
def test_the_page_says_these_figures(study: str, page: str) -> None:
    text = (ROOT / "docs/results" / study / page).read_text("utf-8")
    rows = [line.strip("| ") for line in text.splitlines() if line.startswith("| ")]
    for name, arm in arms_of(study).items():
        if arm["verdict"] in NOT_COMPARED:
            continue
        own = [row for row in rows if row.startswith(f"{name.partition('/')[2]} ")]
        said = [[float(n) for n in re.findall(r"([\d.]+)%", row)] for row in own]
        wanted = [100 * arm[key] for key in ("score", "low", "high")]
        assert any(found == pytest.approx(wanted, abs=0.051) for found in said), (name, wanted, said)


def test_what_the_rule_for_the_rate_does() -> None:
    """The counts of docs/results/details: how many trainings learned nothing, and which loss is lower."""
    losses: dict[tuple[str, str], list[list[float]]] = {}
    for group in ("basic", "patterns"):
        for arm in ("base", "constant"):
            for seed in range(1, 9):
                path = ROOT / f"benchmarks/studies/rates/{group}/{arm}-s{seed}/metrics.jsonl"
                rows = map(json.loads, path.read_text("utf-8").splitlines())
                losses.setdefault((group, arm), []).append([row["policy_loss"] for row in rows])
    rule = [curve for group in ("basic", "patterns") for curve in losses[group, "base"]]
    constant = [curve for group in ("basic", "patterns") for curve in losses[group, "constant"]]
    at_random = 2 * math.log(9)
    failed = [sum(min(curve) > 0.95 * at_random for curve in curves) for curves in (rule, constant)]
    assert failed == [4, 0]
    assert 2 * math.comb(16, 4) / math.comb(32, 4) == pytest.approx(0.10, abs=0.005), "Fisher's exact test"
    lower = sum(one[-1] < other[-1] for one, other in zip(constant, rule, strict=True))
    assert (lower, two_sided(lower, 16 - lower)) == (15, pytest.approx(0.0005, abs=5e-5))
