"""The page that models a run on many machines says what its script computes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from research.cluster import cluster_bench, cluster_model
from wuzi.core import Rules
from wuzi.training.methods.selfplay.fleet import Fleet
from wuzi.training.methods.selfplay.workers import SelfPlayTask
from wuzi.training.run.config import SelfPlaySection

ROOT = Path(__file__).resolve().parents[2]
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
    assert rows[0].play_s > rows[1].play_s
    assert rows[1].play_s == pytest.approx(rows[2].play_s, rel=0.01), "both are bound by the head"
    assert rows[0].learn_s == rows[2].learn_s
    slow = cluster_model.model(MEASURED, cluster_model.Assumed(mbit=0.001, learner=1e9), 100, 100_000)
    assert slow.bottleneck == "the head's network"
    assert slow.play_s == pytest.approx(100_000 * MEASURED["game_bytes"] / 125)
    lone = {**MEASURED, "head_s_per_game": 10.0}
    assert cluster_model.model(lone, cluster_model.Assumed(), 100, 100).head_share == pytest.approx(1.0)


def test_the_driver_s_own_work_bounds_a_large_fleet() -> None:
    """Every answer costs it; games that are played while the net learns are all taken in."""
    assumed = cluster_model.Assumed()
    free = {**MEASURED, "ray_s_per_answer": 0.0, "fleet_s_per_answer_16": 0.0, "fleet_s_per_answer_1600": 0.0}
    bound, unbound = (cluster_model.model(measured, assumed, 100, 200) for measured in (MEASURED, free))
    answering = 500 * cluster_model.answer_s(MEASURED, 1600)
    assert bound.games_per_s == pytest.approx(unbound.games_per_s * (1 - answering))
    assert bound.answers_per_s == 500, "large fleets are asked less often"
    few = cluster_model.model(MEASURED, assumed, 1, 200)
    assert few.games == round(few.games_per_s * few.learn_s) > 200
    assert few.used_share == pytest.approx(200 / few.games)


def test_a_fleet_looks_at_the_worker_that_answered(tmp_path: Path) -> None:
    """10,000 answers of 500 workers: all of them are looked through now and then, not for each answer."""
    task = SelfPlayTask(Rules(size=6, win_length=4), SelfPlaySection(concurrency=1), 1, tmp_path, frozenset())
    crew = cluster_bench.PromptCrew(500)
    fleet = Fleet(task, crew, 1e9)
    for name in ("net.safetensors", "net.json"):
        (tmp_path / name).touch()
    fleet.use(tmp_path / "net.safetensors", 0)
    play = fleet.games()
    for _ in range(10_000):
        next(play)
    assert fleet.at_work == 500
    assert fleet.evaluations == 10_000
    assert crew.looks < 500
