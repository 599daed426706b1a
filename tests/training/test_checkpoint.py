"""Checkpoint files."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from tests.training.tiny import begin, settings
from wuzi.errors import RecordError
from wuzi.training.evaluation.promotion import GateState
from wuzi.training.methods.selfplay.state import IterationPhase, SelfPlayState
from wuzi.training.run.checkpoint import Checkpoint, Checkpoints, read_checkpoint, write_checkpoint
from wuzi.training.run.context import RunClock
from wuzi.training.run.directory import RunDirectory
from wuzi.training.run.loop import train

GOLDEN = Path(__file__).parent / "golden" / "run-v1.checkpoint.safetensors"


def a_checkpoint(number: int = 1) -> Checkpoint:
    rng = np.random.default_rng(number)
    arrays = {
        "model/a": rng.normal(size=(2, 3)).astype(np.float32),
        "optimizer/0/step": np.array(7.0, np.float32),
        "torch_random": rng.integers(0, 255, 16).astype(np.uint8),
    }
    state = SelfPlayState(
        GateState(2000, 0.7, 5, 33.5), iteration=8, phase=IterationPhase.LEARN, batch=3, batches=9
    )
    state.add({"loss": 2.5})
    return Checkpoint(arrays, {"run": asdict(state), "learner": {"multiplier": 1.5, "steps": 7}})


def same(a: Checkpoint, b: Checkpoint) -> bool:
    return a.arrays.keys() == b.arrays.keys() and all(
        np.array_equal(a.arrays[name], b.arrays[name]) and a.arrays[name].shape == b.arrays[name].shape
        for name in a.arrays
    )


def test_a_checkpoint_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_checkpoint(path, a_checkpoint())
    again = read_checkpoint(path)
    assert same(again, a_checkpoint())
    assert SelfPlayState.from_json(again.meta["run"]) == SelfPlayState.from_json(a_checkpoint().meta["run"])


def test_a_checkpoint_of_the_first_schema_still_loads() -> None:
    found = read_checkpoint(GOLDEN)
    assert same(found, a_checkpoint())
    state = SelfPlayState.from_json(found.meta["run"])
    assert (state.standing.elo, state.phase, state.batch, state.means()) == (
        33.5,
        IterationPhase.LEARN,
        4,
        {"loss": 2.5},
    )


@pytest.mark.parametrize("position", [3, 60, -1, -10])
def test_a_changed_byte_is_noticed(tmp_path: Path, position: int) -> None:
    path = tmp_path / "x"
    write_checkpoint(path, a_checkpoint())
    content = bytearray(path.read_bytes())
    content[position] ^= 4
    path.write_bytes(bytes(content))
    with pytest.raises(RecordError):
        read_checkpoint(path)


def test_every_truncation_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_checkpoint(path, a_checkpoint())
    content = path.read_bytes()
    for length in range(0, len(content), 37):
        path.write_bytes(content[:length])
        with pytest.raises(RecordError):
            read_checkpoint(path)


def test_old_checkpoints_go_and_numbered_ones_stay(tmp_path: Path) -> None:
    kept = Checkpoints(tmp_path, keep_every=10)
    for iteration in (0, 5, 10, 10, 15, 20, 20, 25, 30, 31):
        kept.write(iteration, a_checkpoint())
    names = [path.name.split(".")[0] for path in sorted(tmp_path.iterdir())]
    assert names == ["00000004-000010", "00000007-000020", "00000009-000030", "00000010-000031"]


def test_a_resumed_run_keeps_its_learning_rate(tmp_path: Path) -> None:
    """Its time was over, so the rate was the last one; without a time limit it does not begin again."""
    more = ("learn.schedule=cosine", "learn.lr=0.01", "learn.lr_last=0.0001", "evaluate.interval=0")
    chosen = settings(*more)
    begin(tmp_path / "run", chosen)
    assert not train(tmp_path / "run", chosen, max_seconds=0.0)
    assert train(tmp_path / "run", chosen)
    rows = RunDirectory(tmp_path / "run").rows("metrics.jsonl")
    assert [row["lr"] for row in rows] == pytest.approx([0.0001] * 2)
    clock = RunClock()
    assert [clock.progress(share) for share in (0.0, 0.5, 1.0)] == [0.0, 0.5, 1.0]
    clock.stood = (0.6, 0.2)
    assert [clock.progress(share) for share in (0.2, 0.6, 1.0)] == pytest.approx([0.6, 0.8, 1.0])


def test_a_state_of_another_kind_is_refused() -> None:
    with pytest.raises(RecordError, match="not the state of a run"):
        SelfPlayState.from_json({"phase": "holiday", "standing": {"playouts": 1}})
