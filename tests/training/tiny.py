"""Runs so small that a test can afford them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from wuzi.training.data.games import Row
from wuzi.training.methods.registry import make_plan
from wuzi.training.run.config import TrainSettings
from wuzi.training.run.context import Event
from wuzi.training.run.directory import RunDirectory
from wuzi.training.run.loop import train

SMALLEST = (
    "selfplay.games=2",
    "selfplay.concurrency=1",
    "selfplay.workers=1",
    "selfplay.simulations=2",
    "learn.batch=8",
    "learn.batches=2",
    "learn.epochs=1",
    "learn.threads=1",
    "evaluate.games=1",
    "evaluate.interval=1",
    "evaluate.playouts=4",
    "evaluate.simulations=2",
    "promote.interval=1",
    "promote.games=2",
    "promote.simulations=2",
    "run.iterations=2",
)
EXACT = ("selfplay.reuse=false", "selfplay.random_symmetry=true", "run.checkpoint_s=0.05")


def settings(*more: str, preset: str = "s3-6x6", small: tuple[str, ...] = SMALLEST) -> TrainSettings:
    found: TrainSettings = make_plan(preset, None, [*small, *more]).settings
    return found


def begin(folder: Path, chosen: TrainSettings) -> RunDirectory:
    from wuzi.base.settings import to_toml

    directory = RunDirectory(folder)
    directory.create(to_toml(chosen, {"method": "selfplay", "preset": "s3-6x6"}), {"method": "selfplay"})
    return directory


def starts_of_a_dying_run(
    patch: pytest.MonkeyPatch, trainer: Any, every: int, train_on: Callable[[], bool]
) -> int:
    """Go on with a run that ends before every so many-th advance of its trainer; how often it was started."""
    advance, pieces, starts, done = trainer.advance, 0, 0, False

    def dying(self: Any) -> Any:
        nonlocal pieces
        pieces += 1
        if pieces % every == 0:
            raise KeyboardInterrupt
        return advance(self)

    patch.setattr(trainer, "advance", dying)
    while not done:
        starts += 1
        with suppress(KeyboardInterrupt):
            done = train_on()
    return starts


def run(folder: Path, chosen: TrainSettings, **options: Any) -> list[Event]:
    """Begin or go on, and what was said."""
    if not RunDirectory(folder).exists:
        begin(folder, chosen)
    events: list[Event] = []
    train(folder, chosen, observe=events.append, **options)
    return events


def row_of(policy: npt.NDArray[np.float32], value: float, flags: int, surprise: float = 0.0) -> Row:
    """A row as it will be read back: shares rounded to 16 bits, the rest to half precision."""
    rounded = np.rint(np.asarray(policy, np.float64) * 65535)
    cells = np.flatnonzero(rounded)
    if not len(cells):
        cells = np.array([int(np.argmax(policy))])
        rounded[cells] = 65535
    shares = (rounded[cells] / 65535).astype(np.float32)
    half = float(np.float16(value)), int(flags), float(np.float16(surprise))
    return Row(cells.astype(np.int16), shares, *half)
