"""Distillation in a run directory: both presets end to end, stopped at every stage, and killed."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.training.tiny import starts_of_a_dying_run
from wuzi.errors import ConfigError
from wuzi.nets import load_net
from wuzi.training.methods.distill.game_file import read_games
from wuzi.training.methods.distill.generate import Recipe, make_game, make_games
from wuzi.training.methods.distill.run import DistillRun, DistillStage, stages
from wuzi.training.methods.distill.trainer import DistillTrainer
from wuzi.training.methods.registry import make_plan
from wuzi.training.methods.trial_run import ESTIMATES
from wuzi.training.run.context import Event, RunContext, TrainingMethod
from wuzi.training.run.directory import RunDirectory
from wuzi.training.run.loop import train
from wuzi.workers.crew import Crew, WorkerKind
from wuzi.workers.local import Local

pytestmark = [pytest.mark.kernels, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[3]
SMALL = [
    "game.size=5",
    "game.win_length=4",
    "data.games=6",
    "data.workers=1",
    "data.opening_plies_max=3",
    "distill.teacher_epochs=1",
    "distill.epochs=2",
    "distill.batch_size=64",
    "selfplay.games=3",
    "selfplay.concurrency=2",
    "selfplay.workers=1",
    "selfplay.simulations=4",
    "selfplay.reuse=false",
    "evaluate.interval=2",
    "evaluate.games=2",
    "evaluate.playouts=10",
    "evaluate.simulations=4",
    "run.iterations=2",
    "run.checkpoint_s=1000",
]
LABELS = ["data.labels=engine:table_mb=1,fresh=true", "data.nodes=200", "distill.net=student"]


def begun(folder: Path, preset: str, *more: str) -> Any:
    extra = LABELS if preset == "distill" else []
    plan = make_plan(preset, None, [*SMALL, *extra, *more])
    RunDirectory(folder).create(plan.toml(), {"method": plan.method.name, "preset": preset})
    return plan.settings


def untimed(folder: Path) -> list[dict[str, Any]]:
    rows = RunDirectory(folder).rows("metrics.jsonl")
    return [{key: value for key, value in row.items() if key not in ("seconds", "stage_s")} for row in rows]


@pytest.mark.parametrize("preset", ["s0-distill", "distill"])
def test_a_run_stopped_at_every_stage_ends_as_one_that_was_not(preset: str, tmp_path: Path) -> None:
    settings = begun(tmp_path / "once", preset)
    events: list[Event] = []
    assert train(tmp_path / "once", settings, observe=events.append)
    wanted = stages(settings)
    rows = untimed(tmp_path / "once")
    assert [(row["stage"], row["round"]) for row in rows] == wanted
    assert sum(event.kind == "row" for event in events) == len(wanted)
    begun(tmp_path / "pieces", preset)

    def end(event: Event) -> None:
        if event.kind == "row":
            raise KeyboardInterrupt  # before anything of this iteration is saved

    ended, tries = False, 0
    while not ended:
        tries += 1
        try:
            # Without time every stage that can be interrupted is; then one stage is done.
            assert not train(tmp_path / "pieces", settings, max_seconds=0.0)
            shorter = make_plan(config=tmp_path / "pieces" / "config.toml").settings
            ended = train(tmp_path / "pieces", shorter, observe=end if tries == 1 else lambda _: None)
        except KeyboardInterrupt:
            continue
    assert untimed(tmp_path / "pieces") == rows
    once, pieces = (RunDirectory(tmp_path / name) for name in ("once", "pieces"))
    assert once.pointed("current_policy") == pieces.pointed("current_policy")
    assert load_net(once.net_path("best_policy")).card.rules.size == 5
    games = [row for row in rows if row["stage"] == "own"]
    assert [row["games"] for row in games] == [3] * len(games)
    assert games


@pytest.mark.parametrize("preset", ["s0-distill", "distill"])
def test_what_is_lost_is_less_than_an_epoch(
    preset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One round: a search that is cut short between two rounds begins again with the newer net.
    options = ["run.checkpoint_s=0", "run.iterations=1", "evaluate.interval=1", "distill.batch_size=8"]
    settings = begun(tmp_path / "once", preset, *options)
    assert train(tmp_path / "once", settings)
    begun(tmp_path / "killed", preset, *options)
    starts = starts_of_a_dying_run(
        monkeypatch, DistillTrainer, 5, lambda: train(tmp_path / "killed", settings)
    )
    epochs = [stage for stage, _ in stages(settings) if stage in (DistillStage.TEACHER, DistillStage.STUDENT)]
    assert starts > len(epochs)
    assert untimed(tmp_path / "once") == untimed(tmp_path / "killed")
    once, killed = (RunDirectory(tmp_path / name) for name in ("once", "killed"))
    assert once.pointed("current_policy") == killed.pointed("current_policy")


def test_a_run_is_a_method(tmp_path: Path) -> None:
    settings = begun(tmp_path, "distill")
    assert isinstance(DistillRun(RunContext(RunDirectory(tmp_path)), settings), TrainingMethod)


def test_the_document_s_student_learns_from_its_own_games_and_ours_from_all(tmp_path: Path) -> None:
    rows = {}
    for preset in ("s0-distill", "distill"):
        settings = begun(tmp_path / preset, preset, "distill.held_out=0", "evaluate.interval=0")
        train(tmp_path / preset, settings)
        rows[preset] = untimed(tmp_path / preset)
        data = sum(len(game.moves) for game in read_games(tmp_path / preset / "data", 5))
        students = [row["positions"] for row in rows[preset] if row["stage"] == DistillStage.STUDENT]
        own = sum(row["games"] * row["plies"] for row in rows[preset] if row["stage"] == "own")
        assert students[-1] == round(own) + (data if preset == "distill" else 0)
        assert RunDirectory(tmp_path / preset).pointed("best_policy") is not None


def test_folders_take_the_place_of_the_data(tmp_path: Path) -> None:
    first = begun(tmp_path / "first", "distill", "run.iterations=1", "evaluate.interval=0")
    train(tmp_path / "first", first)
    folder = f"data.folders={tmp_path / 'first' / 'data'}"
    second = begun(tmp_path / "second", "distill", "run.iterations=1", "evaluate.interval=0", folder)
    train(tmp_path / "second", second)
    assert untimed(tmp_path / "first") == untimed(tmp_path / "second")
    third = begun(tmp_path / "third", "distill", "game.size=6", folder)
    with pytest.raises(ConfigError, match="games of freestyle 5x5"):
        train(tmp_path / "third", third)


def test_settings_that_do_not_fit_are_refused() -> None:
    for more, message in (
        (["data.labels=none"], "principled needs a teacher"),
        (["data.own=search"], "is of the document's form"),
    ):
        with pytest.raises(ConfigError, match=message):
            make_plan("distill", None, more)
    with pytest.raises(ConfigError, match="labelled needs a teacher"):
        make_plan("s0-distill", None, ["data.own=labelled"])


def test_games_are_the_same_with_any_number_of_processes() -> None:
    settings = make_plan("s0-distill", None, SMALL).settings
    recipe = Recipe(settings.game.rules, seed=3, opening=(0, 3))
    from wuzi.players import create_player

    with create_player("weight") as player:
        alone = [make_game(recipe, number, player).to_line(5) for number in range(2, 7)]
    assert list(make_games(recipe, "weight", 2, 7)) == alone
    assert list(make_games(recipe, "weight", 2, 7, workers=2)) == alone


def test_a_game_may_take_long() -> None:
    """A worker whose teacher has a large budget does not hang: its answer is a whole game."""
    asked: list[WorkerKind] = []

    class Asked(Local):
        def crew(self, kind: WorkerKind, workers: int) -> Crew:
            asked.append(kind)
            return super().crew(kind, workers)

    recipe = Recipe(make_plan("s0-distill", None, SMALL).settings.game.rules)
    assert len(list(make_games(recipe, "weight", 0, 2, workers=2, executor=Asked()))) == 2
    assert asked[0].silence_s == math.inf


SCRIPT = """
import os, signal, sys
from pathlib import Path
from wuzi.training.run.loop import train
from wuzi.training.methods.registry import stored_plan
folder, left = Path(sys.argv[1]), int(sys.argv[2])
def observe(event):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
train(folder, stored_plan(folder).settings, observe=observe)
"""


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
@pytest.mark.may_skip
def test_a_killed_run_ends_as_one_that_was_not(tmp_path: Path) -> None:
    for name in ("once", "killed"):
        begun(tmp_path / name, "s0-distill", "run.checkpoint_s=0.05")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}

    def trained(name: str, event: int = 0) -> bool:
        """Train in a process of its own, killed at an event; whether it came to its end."""
        command = [sys.executable, "-c", SCRIPT, str(tmp_path / name), str(event)]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        assert done.returncode in (0, -signal.SIGKILL), done.stderr
        return done.returncode == 0

    assert trained("once")
    assert sum(not trained("killed", event) for event in (4, 9, 7)) >= 2
    assert trained("killed")
    assert untimed(tmp_path / "killed") == untimed(tmp_path / "once")


@pytest.mark.parametrize("preset", ["distill", "s0-distill"])
def test_an_estimate_plays_a_small_run_through(preset: str) -> None:
    extra = LABELS if preset == "distill" else []
    plan = make_plan(preset, None, [*SMALL, *extra, "data.games=24", "run.iterations=40"])
    found = ESTIMATES["distill"](plan.settings)
    *parts, whole = found.lines
    assert [line.partition(":")[0] for line in parts] == [
        "games with labels",
        *(["the teacher's epochs"] if preset == "s0-distill" else []),
        "the student's games",
        "the student's epochs",
        "judging",
    ]
    assert "for 40 rounds" in whole and found.seconds > 0
