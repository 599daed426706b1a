"""Presets, settings, and every preset end to end on a tiny budget."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.training.tiny import SMALLEST, run
from wuzi.errors import ConfigError
from wuzi.training.config import TrainSettings
from wuzi.training.methods import make_plan
from wuzi.training.presets import list_presets
from wuzi.training.run_dir import RunDirectory
from wuzi.training.settings import build_settings, tables_of

NAMES = [preset.name for preset in list_presets() if preset.method == "selfplay"]


def test_the_presets_of_the_seeds_are_there() -> None:
    wanted = {"s0-basic", "s0-enhanced", "s0-patterns", "s1", "s3-6x6", "s3-8x8"}
    wanted |= {"s4-quick", "s4-standard", "s4-full", "quick", "9x9", "15x15"}
    assert wanted <= {preset.name for preset in list_presets()}


@pytest.mark.parametrize("name", NAMES)
def test_every_preset_trains(name: str, tmp_path: Path) -> None:
    chosen = make_plan(name, None, [*SMALLEST, "run.iterations=1", "selfplay.games=1"]).settings
    events = run(tmp_path / "run", chosen)
    directory = RunDirectory(tmp_path / "run")
    (row,) = directory.rows("metrics.jsonl")
    assert (row["iteration"], row["batches"], row["total_games"]) == (1, 2, 1)
    assert row["loss"] > 0
    assert directory.net_path("current_policy").is_file()
    assert directory.net_path("best_policy").is_file()
    assert any(event.kind == "row" for event in events)


@pytest.mark.parametrize("name", NAMES)
def test_a_printed_configuration_makes_the_same_plan(name: str, tmp_path: Path) -> None:
    plan = make_plan(name)
    path = tmp_path / "config.toml"
    path.write_text(plan.toml(), encoding="utf-8")
    again = make_plan(config=path)
    assert (again.settings, again.preset, again.method) == (plan.settings, plan.preset, plan.method)
    assert build_settings(TrainSettings, tables_of(plan.settings), "x") == plan.settings


def test_later_values_win(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('preset = "s4-full"\n[run]\niterations = 7\n[learn]\nbatch = 64\n', encoding="utf-8")
    found = make_plan(None, path, ["learn.batch=32"], {"iterations": 9, "samples": None}).settings
    assert (found.run.iterations, found.learn.batch, found.selfplay.games) == (9, 32, 100)


def test_the_flags_of_seed_004() -> None:
    flags = {"iterations": 5, "samples": 10, "simulations": 30, "workers": 4}
    flags |= {"eval_interval": 3, "win_threshold": 0.6}
    found = make_plan("s4-quick", flags=flags).settings
    assert (found.run.iterations, found.selfplay.games, found.selfplay.simulations) == (5, 10, 30)
    assert (found.promote.interval, found.promote.threshold, found.selfplay.workers) == (3, 0.6, 4)
    assert found.evaluate.interval == 0, "how often, not whether"


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("learn.bacth=3", "unknown key 'bacth'"),
        ("lern.batch=3", r"unknown section \[lern\]"),
        ("learn.batch=many", "batch=many: expected a whole number"),
        ("learn.batch", "expected section.key=value"),
        ("selfplay.opening_plies_min=9", "opening_plies_max"),
        ("game.size=40", "size=40"),
        ("game.rule=checkers", "checkers"),
        ("learn.device=abacus", "expected auto, cpu or cuda"),
        ("promote.elo0=50", "expected below"),
        ("promote.opening_plies=20", "opening stones"),
    ],
)
def test_wrong_values_are_named(assignment: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_plan("s3-6x6", None, [assignment])


def test_unknown_presets_and_methods_list_the_choices(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="s4-full"):
        make_plan("s5")
    path = tmp_path / "config.toml"
    path.write_text('method = "guessing"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="expected one of selfplay"):
        make_plan(config=path)
    path.write_text("method = \n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"config\.toml"):
        make_plan(config=path)
    with pytest.raises(ConfigError, match=r"none\.toml"):
        make_plan(config=tmp_path / "none.toml")
