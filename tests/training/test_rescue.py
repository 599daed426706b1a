"""A training that learns nothing: the rate waits, and the run begins again with another seed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.training.test_health import row
from tests.training.test_learner import a_learner
from tests.training.tiny import run, settings
from wuzi.apps.cli import main
from wuzi.errors import RecordError
from wuzi.nets import load_net
from wuzi.training.methods.registry import make_plan
from wuzi.training.run.attempts import MOST, put_away, read_attempts
from wuzi.training.run.directory import RunDirectory
from wuzi.training.run.health import nothing_learned, unlearned_loss
from wuzi.training.run.loop import train
from wuzi.training.run.presets import list_presets, load_preset

OURS = {"tiny", "quick", "9x9", "15x15", "15x15-gpu"}
STILL = ("learn.schedule=constant", "learn.lr=1e-9", "evaluate.interval=0", "run.checkpoint_s=99")
NEVER = (*STILL, "selfplay.games=16", "selfplay.concurrency=16", "run.iterations=6", "run.rescue=true")


def rows(*losses: float, games: int = 16, **more: object) -> list[dict[str, object]]:
    found = enumerate(losses, 1)
    return [row(policy_loss=loss, games=games, total_games=i * games, **more) for i, loss in found]


def test_when_a_run_has_learned_nothing() -> None:
    even = unlearned_loss(9)
    assert 4.30 < even < 4.31
    found = nothing_learned(rows(*[4.39] * 5), 9)
    assert found is not None and found.code == "no_policy"
    assert nothing_learned(rows(*[4.39] * 4), 9) is None, "five iterations"
    assert nothing_learned(rows(*[4.39] * 6), 9) is None, "it was asked one iteration before"
    assert nothing_learned(rows(4.39, 4.39, 4.39, 4.39, 4.2), 9) is None
    assert nothing_learned(rows(*[4.39] * 79, games=1), 9) is None, "a game an iteration: 80 games"
    assert nothing_learned(rows(*[4.39] * 80, games=1), 9) is not None
    dead = {"black_wins": 8, "white_wins": 6, "draws": 2, "explained_after": 0.0}
    found = nothing_learned(rows(*[3.9] * 5, **dead), 9)
    assert found is not None and found.code == "no_value"
    assert nothing_learned(rows(*[3.9] * 5, **{**dead, "explained_after": 0.02}), 9) is None
    drawn = {**dead, "black_wins": 2, "white_wins": 1}
    assert nothing_learned(rows(*[3.9] * 5, **drawn), 9) is None, "draws teach the value nothing"


def test_the_rate_waits_for_a_policy_that_has_learned() -> None:
    learner, batch = a_learner(kl_target=10.0, lr=1e-9)
    learner.waits_for = -1.0
    learner.learn(batch, 0.0)
    assert learner.multiplier == 1.0
    assert learner.state()["waits_for"] == -1.0
    other, _ = a_learner(kl_target=10.0, lr=1e-9)
    other.restore(learner.arrays(), learner.state())
    other.learn(batch, 0.0)
    assert other.multiplier == 1.0, "it waits after a restart, too"
    other.waits_for = 100.0
    other.learn(batch, 0.0)
    assert (other.waits_for, other.multiplier) == (None, pytest.approx(1.5))
    old = {key: value for key, value in learner.state().items() if key != "waits_for"}
    learner.restore(learner.arrays(), old)
    assert learner.waits_for is None, "a checkpoint from before"


@pytest.mark.parametrize("name", [preset.name for preset in list_presets() if preset.method == "selfplay"])
def test_ours_are_rescued_and_the_documents_go_on_as_they_are(name: str) -> None:
    assert make_plan(name).settings.run.rescue is (name in OURS)
    assert "rescue" in load_preset(name).tables["run"], "printed"


def test_documents_of_other_methods_have_no_such_parameter() -> None:
    for name in ("s2-ppo", "s0-distill"):
        assert not hasattr(make_plan(name).settings.run, "rescue")


@pytest.fixture(scope="module")
def given_up(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Any]]:
    """A run that cannot learn, to its end."""
    folder = tmp_path_factory.mktemp("rescue") / "run"
    return folder, run(folder, settings(*NEVER))


@pytest.mark.slow
def test_what_learns_nothing_begins_again_with_another_seed(given_up: tuple[Path, list[Any]]) -> None:
    folder, events = given_up
    found = read_attempts(folder)
    kept = [(one["attempt"], one["seed"], one["iterations"], one["code"]) for one in found]
    assert kept == [(1 + i, 1 + 1000 * i, 5, "no_policy") for i in range(MOST)]
    said = [event.text for event in events if "is given up" in event.text]
    assert len(said) == MOST and "beginning again with seed 1001" in said[0]
    directory = RunDirectory(folder)
    assert [item["iteration"] for item in directory.rows("metrics.jsonl")] == [1, 2, 3, 4, 5, 6]
    nets = {load_net(directory.net_path("current_policy")).card.weights_sha256}
    for number in range(1, MOST + 1):
        attempt = RunDirectory(folder / "attempts" / str(number))
        assert len(attempt.rows("metrics.jsonl")) == 5
        assert (attempt.path / "selfplay").is_dir()
        nets.add(load_net(attempt.net_path("current_policy")).card.weights_sha256)
    assert len(nets) == MOST + 1, "other weights each time"
    assert not list((folder / "attempts").glob("*.part"))


@pytest.mark.slow
def test_the_attempts_are_told(given_up: tuple[Path, list[Any]], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--status", "--run-dir", str(given_up[0])]) == 0
    line = "attempt 2 (seed 1001) learned nothing in 5 iterations: policy head: its loss 3."
    assert line in capsys.readouterr().out


@pytest.mark.slow
def test_a_crash_while_an_attempt_is_put_away(
    given_up: tuple[Path, list[Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    move, moves = shutil.move, 0

    def dying(*names: Any) -> Any:
        nonlocal moves
        moves += 1
        if moves in (3, 9):
            raise KeyboardInterrupt
        return move(*names)

    monkeypatch.setattr(shutil, "move", dying)
    chosen = settings(*NEVER)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path / "run", chosen)
    assert train(tmp_path / "run", chosen)
    whole, mine = (RunDirectory(folder) for folder in (given_up[0], tmp_path / "run"))
    assert [one["seed"] for one in read_attempts(mine.path)] == [1, 1001, 2001]
    losses = [[item["loss"] for item in one.rows("metrics.jsonl")] for one in (whole, mine)]
    assert np.allclose(*losses)


@pytest.mark.slow
def test_a_head_that_is_switched_off_is_no_reason(tmp_path: Path) -> None:
    run(tmp_path / "run", settings(*NEVER, "learn.value_weight=0", "run.iterations=5"))
    assert read_attempts(tmp_path / "run") == []


def test_broken_records_are_named(tmp_path: Path) -> None:
    (tmp_path / "attempts.jsonl").write_text('{"v":1,"attempt":2,"seed":1,"iterations":5,"text":"x"}\n')
    with pytest.raises(RecordError, match=r"attempts\.jsonl: line 1: expected attempt 1"):
        put_away(tmp_path)
