"""PPO in a run directory: end to end, stopped and gone on with, its nets ready to play."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.training.tiny import starts_of_a_dying_run
from wuzi.nets import load_net
from wuzi.training.methods.ppo.trainer import PpoRun, PpoTrainer
from wuzi.training.methods.registry import make_plan
from wuzi.training.run.context import Event, RunContext, TrainingMethod
from wuzi.training.run.directory import RunDirectory
from wuzi.training.run.loop import train

pytestmark = [pytest.mark.kernels, pytest.mark.slow]

SMALL = [
    "game.size=4",
    "game.win_length=3",
    "ppo.net=three-factor:blocks=1,channels=8",
    "ppo.envs=16",
    "ppo.steps=8",
    "ppo.mini_batch_size=64",
    "ppo.random_plies=3",
    "run.keep_every=2",
]


def begun(folder: Path, *more: str) -> Any:
    plan = make_plan("s2-ppo", None, [*SMALL, *more])
    RunDirectory(folder).create(plan.toml(), {"method": plan.method.name, "preset": plan.preset})
    return plan.settings


def without_times(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    times = ("seconds", "play_s", "learn_s", "moves_per_s")
    return [{key: value for key, value in row.items() if key not in times} for row in rows]


def test_a_run_is_a_method(tmp_path: Path) -> None:
    settings = begun(tmp_path)
    assert isinstance(PpoRun(RunContext(RunDirectory(tmp_path)), settings), TrainingMethod)


def test_a_stopped_run_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    # On a slow machine a checkpoint would be due in between, and its net would be kept.
    settings = begun(tmp_path / "once", "run.iterations=5", "run.checkpoint_s=1000")
    events: list[Event] = []
    assert train(tmp_path / "once", settings, observe=events.append)
    assert [event.kind for event in events] == ["row"] * 5
    pieces = begun(tmp_path / "pieces", "run.iterations=5", "run.checkpoint_s=1000")
    calls = 0

    def end(event: Event) -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt  # in the middle of things: iteration 3 was never saved

    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "pieces", pieces, observe=end)
    assert train(tmp_path / "pieces", pieces)
    once, again = (RunDirectory(tmp_path / name) for name in ("once", "pieces"))
    assert without_times(once.rows("metrics.jsonl")) == without_times(again.rows("metrics.jsonl"))
    name = once.pointed("current_policy")
    assert name == again.pointed("current_policy")
    assert load_net(once.net_path("best_policy")).card.rules.size == 4
    assert len(list(once.nets.iterdir())) == 6  # iterations 2, 4 and 5, a net and a card each


def test_what_is_lost_is_less_than_an_iteration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = ["run.iterations=3", "run.checkpoint_s=0", "ppo.steps=24"]
    assert train(tmp_path / "once", begun(tmp_path / "once", *options))
    settings = begun(tmp_path / "killed", *options)
    starts = starts_of_a_dying_run(monkeypatch, PpoTrainer, 4, lambda: train(tmp_path / "killed", settings))
    assert starts > 3  # more often than there are iterations
    once, killed = (RunDirectory(tmp_path / name) for name in ("once", "killed"))
    assert without_times(once.rows("metrics.jsonl")) == without_times(killed.rows("metrics.jsonl"))
    assert once.pointed("current_policy") == killed.pointed("current_policy")


def test_time_over_is_said_and_nothing_is_lost(tmp_path: Path) -> None:
    settings = begun(tmp_path / "run", "run.iterations=50")
    assert not train(tmp_path / "run", settings, max_seconds=0.2)
    rows = RunDirectory(tmp_path / "run").rows("metrics.jsonl")
    assert not train(tmp_path / "run", settings, max_seconds=0.2)
    assert RunDirectory(tmp_path / "run").rows("metrics.jsonl")[: len(rows)] == rows


def test_the_best_net_is_the_one_that_won_its_match(tmp_path: Path) -> None:
    match = ["ppo.opponent=best", "ppo.best_every=2", "ppo.best_games=2", "run.iterations=4"]
    never = begun(tmp_path / "never", *match, "ppo.best_threshold=1.0")
    train(tmp_path / "never", never)
    directory = RunDirectory(tmp_path / "never")
    promoted = [row["iteration"] for row in directory.rows("metrics.jsonl") if row.get("promoted")]
    best, latest = (directory.pointed(name) for name in ("best_policy", "current_policy"))
    assert best is not None and latest is not None
    assert (best["iteration"], latest["iteration"]) == (promoted[-1] if promoted else 0, 4)
    assert load_net(directory.net_path("best_policy")).card.weights_sha256 == best["weights_sha256"]
    always = begun(tmp_path / "always", *match, "ppo.best_threshold=0.0", "ppo.best_every=3")
    train(tmp_path / "always", always)
    directory = RunDirectory(tmp_path / "always")
    best, latest = (directory.pointed(name) for name in ("best_policy", "current_policy"))
    assert best is not None and latest is not None
    assert (best["iteration"], latest["iteration"]) == (4, 4), "the last net plays a match, too"
    assert best["judged"] == latest["judged"] and "against the best before it" in best["judged"]
