"""The page that models a run on many machines says what its script computes."""

from __future__ import annotations

import json
from pathlib import Path

import cluster_model
import pytest

ROOT = Path(__file__).resolve().parent.parent
MEASURED = json.loads((ROOT / "benchmarks" / "cluster.json").read_text("utf-8"))


def test_the_page_is_computed() -> None:
    page = cluster_model.page(MEASURED, cluster_model.Assumed())
    assert (ROOT / "docs" / "cluster-model.md").read_text("utf-8") == page
    assert "This is a model, not a measurement" in page


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
