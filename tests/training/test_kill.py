"""Runs that end at any moment, and go on as if nothing had happened."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from tests.training.tiny import EXACT, begin, run, settings
from wuzi.errors import ConfigError, RecordError, TrainingError
from wuzi.training.data.games import Shards, pack_rows
from wuzi.training.run.checkpoint import Checkpoints
from wuzi.training.run.config import TrainSettings
from wuzi.training.run.directory import RunDirectory
from wuzi.training.run.loop import train

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]

# Ends itself at the given event of training, or so many seconds after the first one wherever it is then, as a
# power cut would.
SCRIPT = """
import os, signal, sys
from pathlib import Path
from wuzi.training.run.loop import train
from wuzi.training.methods.registry import stored_plan
folder, left, seconds = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
def observe(event):
    global left
    if seconds and left == 0:
        signal.setitimer(signal.ITIMER_REAL, seconds)
    left -= 1
    if not seconds and left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
train(folder, stored_plan(folder).settings, observe=observe)
"""


def run_until(folder: Path, event: int, seconds: float = 0.0) -> int:
    """Train in another process that is killed at an event, or so long after the first; its exit status."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder), str(event), str(seconds)],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, -signal.SIGKILL, -signal.SIGALRM), done.stderr
    return done.returncode


def weights(folder: Path) -> str:
    return sha256(RunDirectory(folder).net_path("current_policy").read_bytes()).hexdigest()


def whole(folder: Path, chosen: TrainSettings) -> None:
    """Check that a run holds each thing once."""
    directory = RunDirectory(folder)
    rows = directory.rows("metrics.jsonl")
    assert [row["iteration"] for row in rows] == list(range(1, chosen.run.iterations + 1))
    each = chosen.selfplay.games
    assert [row["total_games"] for row in rows] == [each * (i + 1) for i in range(len(rows))]
    steps = [row["steps"] for row in rows]
    assert steps == sorted(set(steps))
    shards = Shards(folder / "selfplay")
    numbers = [game.number for game in shards.read(0)]
    assert len(set(numbers)) == len(numbers) == shards.count
    judged = [(row["iteration"], row["kind"], row["game"]) for row in directory.rows("evaluations.jsonl")]
    assert len(set(judged)) == len(judged)
    assert len(judged) == chosen.evaluate.games * len(rows)


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
@pytest.mark.may_skip
@pytest.mark.parametrize(
    "anywhere",
    [
        pytest.param(False, id="at an event"),
        pytest.param(True, id="anywhere", marks=pytest.mark.ci("kills at random moments too")),
    ],
)
def test_a_killed_run_ends_as_one_that_was_not(anywhere: bool, tmp_path: Path) -> None:
    chosen = settings(*EXACT, "run.iterations=4", "selfplay.simulations=4", "evaluate.games=2")
    begun = time.monotonic()
    events = len(run(tmp_path / "straight", chosen))
    seconds = time.monotonic() - begun
    begin(tmp_path / "killed", chosen)
    draw = random.Random(7)

    def killed() -> bool:
        if anywhere:
            return run_until(tmp_path / "killed", 0, draw.uniform(0.01, 0.3) * seconds) != 0
        return run_until(tmp_path / "killed", draw.randint(1, events // 3)) != 0

    kills = 0
    while kills < 4 and killed():
        kills += 1
    assert kills >= 2
    run(tmp_path / "killed", chosen)
    whole(tmp_path / "killed", chosen)
    assert weights(tmp_path / "killed") == weights(tmp_path / "straight")
    for name in ("evaluations.jsonl", "best_policy.json"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "straight" / name).read_bytes()
    # Which net a game began with is the one thing that the moment of a kill may change.
    a, b = (
        [
            (game.number, game.moves.tolist(), pack_rows(game.rows))
            for game in Shards(path / "selfplay").read(0)
        ]
        for path in (tmp_path / "killed", tmp_path / "straight")
    )
    assert a == b
    last = [RunDirectory(tmp_path / x).rows("metrics.jsonl")[-1] for x in ("killed", "straight")]
    timed = {"seconds", "selfplay_s", "learn_s", "judge_s", "evaluations", "evaluations_per_s"}
    timed |= {"longest_wait_s"}
    assert {k: v for k, v in last[0].items() if k not in timed} == {
        k: v for k, v in last[1].items() if k not in timed
    }


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
@pytest.mark.may_skip
def test_a_killed_run_of_several_processes_is_whole(tmp_path: Path) -> None:
    more = ("selfplay.workers=2", "selfplay.concurrency=3", "selfplay.games=6", "run.iterations=10")
    chosen = settings(*more, "run.checkpoint_s=0.05")
    begin(tmp_path / "run", chosen)
    draw, kills = random.Random(11), 0
    for _ in range(3):
        kills += run_until(tmp_path / "run", draw.randint(4, 20)) != 0
    assert kills >= 2
    run(tmp_path / "run", chosen)
    whole(tmp_path / "run", chosen)


def test_a_run_that_is_over_does_nothing_more(tmp_path: Path) -> None:
    chosen = settings()
    run(tmp_path / "run", chosen)
    before = weights(tmp_path / "run")
    assert not [event for event in run(tmp_path / "run", chosen) if event.kind == "row"]
    assert weights(tmp_path / "run") == before


def test_time_is_over_and_the_run_goes_on(tmp_path: Path) -> None:
    chosen = settings()
    begin(tmp_path / "run", chosen)
    for _ in range(3):
        assert not train(tmp_path / "run", chosen, max_seconds=0.0)
    assert train(tmp_path / "run", chosen)
    whole(tmp_path / "run", chosen)


def test_a_broken_checkpoint_is_passed_over(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    chosen = settings("run.iterations=3", "run.keep_every=1")
    run(tmp_path / "run", chosen)
    straight = weights(tmp_path / "run")
    paths = sorted((tmp_path / "run" / "checkpoints").iterdir())
    content = bytearray(paths[-1].read_bytes())
    content[-5] ^= 1
    paths[-1].write_bytes(bytes(content))
    assert Checkpoints(tmp_path / "run" / "checkpoints", 1).latest() is not None
    assert "damaged" in caplog.text
    run(tmp_path / "run", chosen)
    assert weights(tmp_path / "run") == straight
    whole(tmp_path / "run", chosen)
    for path in sorted((tmp_path / "run" / "checkpoints").iterdir()):
        path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(RecordError, match="no checkpoint can be read"):
        run(tmp_path / "run", chosen)


def test_games_that_are_missing_are_missed(tmp_path: Path) -> None:
    chosen = settings()
    run(tmp_path / "run", chosen)
    (tmp_path / "run" / "selfplay" / "000000.jsonl").unlink()
    with pytest.raises(TrainingError, match="0 games: the checkpoint has learned from 4"):
        run(tmp_path / "run", chosen)


def test_two_at_once_are_refused(tmp_path: Path) -> None:
    chosen = settings()
    directory = begin(tmp_path / "run", chosen)
    with directory.locked(), pytest.raises(ConfigError, match="another process"):
        train(tmp_path / "run", chosen)


def test_a_full_disk_leaves_the_last_good_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = settings(*EXACT)
    run(tmp_path / "straight", chosen)
    begin(tmp_path / "run", chosen)
    from wuzi.training.run import checkpoint

    real, left = checkpoint.write_atomic, [2]

    def full(path: object, data: bytes) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device", str(path))
        real(path, data)  # type: ignore[arg-type]

    monkeypatch.setattr(checkpoint, "write_atomic", full)
    with pytest.raises(OSError, match="No space"):
        train(tmp_path / "run", chosen)
    monkeypatch.undo()
    run(tmp_path / "run", chosen)
    assert weights(tmp_path / "run") == weights(tmp_path / "straight")


def test_a_loss_that_is_not_finite_ends_with_the_last_good_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = settings(*EXACT)
    run(tmp_path / "straight", chosen)
    begin(tmp_path / "run", chosen)
    from wuzi.training.learner import torch_learner

    real, calls = torch_learner.losses_of, [0]

    def poisoned(*args: object) -> object:
        calls[0] += 1
        losses = real(*args)  # type: ignore[arg-type]
        return {name: loss * (np.nan if calls[0] == 3 else 1) for name, loss in losses.items()}

    monkeypatch.setattr(torch_learner, "losses_of", poisoned)
    with pytest.raises(TrainingError, match=r"the loss is nan at .* resume with --set learn\.lr=0\.0002"):
        train(tmp_path / "run", chosen)
    monkeypatch.undo()
    run(tmp_path / "run", chosen)
    assert weights(tmp_path / "run") == weights(tmp_path / "straight")


def test_a_folder_that_is_not_free_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(ConfigError, match="not empty"):
        begin(tmp_path, settings())
    with pytest.raises(ConfigError, match="no run to resume"):
        RunDirectory(tmp_path).notes()
    (tmp_path / "letter.txt").unlink()
    (tmp_path / "config.toml").write_text("# somebody's own\n")
    with pytest.raises(ConfigError, match="not empty"):
        begin(tmp_path, settings())
    (tmp_path / "run.json").write_text(json.dumps({"schema": 99}))
    with pytest.raises(RecordError, match="schema 99"):
        RunDirectory(tmp_path).notes()


def test_a_begin_that_was_killed_can_be_repeated(tmp_path: Path) -> None:
    """Before run.json is written there is no run to resume, so the same command has to do."""
    begin(tmp_path, settings())
    (tmp_path / "run.json").rename(tmp_path / ".run.json.0123abcd.tmp")
    assert begin(tmp_path, settings()).exists


def test_a_change_of_nothing_is_no_change(tmp_path: Path) -> None:
    """The same seed gives the same run; another seed another one."""
    chosen = settings(*EXACT)
    for name in ("a", "b"):
        run(tmp_path / name, chosen)
    run(tmp_path / "c", settings(*EXACT, "run.seed=2"))
    assert weights(tmp_path / "a") == weights(tmp_path / "b") != weights(tmp_path / "c")
