"""The page that models a run on many machines says what its script computes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import cluster_model
import pytest

ROOT = Path(__file__).resolve().parent.parent
MEASURED = json.loads((ROOT / "benchmarks" / "cluster.json").read_text("utf-8"))


@pytest.mark.parametrize(
    ("language", "name", "said"),
    [
        ("en", "cluster-model.md", "This is a model, not a measurement"),
        ("zh", "cluster-model.zh.md", "这是模型，不是测量"),
    ],
)
def test_the_page_is_computed(language: str, name: str, said: str) -> None:
    page = cluster_model.page(MEASURED, cluster_model.Assumed(), language)
    assert (ROOT / "docs" / name).read_text("utf-8") == page
    assert said in page


def test_both_languages_hold_the_same_figures() -> None:
    rows = [
        [re.findall(r"\d[\d.,]*%?", line) for line in text.splitlines() if line.startswith("|")]
        for text in (cluster_model.page(MEASURED, cluster_model.Assumed(), name) for name in ("en", "zh"))
    ]
    assert rows[0] == rows[1]


def test_rates_grow_with_nodes_until_the_head_bounds_them() -> None:
    rows = [cluster_model.model(MEASURED, cluster_model.Assumed(), nodes, 100_000) for nodes in (1, 8, 100)]
    assert rows[1].playing_games_per_s == pytest.approx(8 * rows[0].playing_games_per_s)
    assert rows[0].play_s > rows[1].play_s > rows[2].play_s
    assert rows[0].learn_s == rows[2].learn_s
    slow = cluster_model.model(MEASURED, cluster_model.Assumed(mbit=0.001, learner=1e9), 100, 100_000)
    assert slow.bottleneck == "the head's network"
    assert slow.play_s == pytest.approx(100_000 * MEASURED["game_bytes"] / 125)
    lone = {**MEASURED, "head_s_per_game": 10.0}
    assert cluster_model.model(lone, cluster_model.Assumed(), 100, 100).head_share == pytest.approx(1.0)
