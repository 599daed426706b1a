"""Who writes down what training says: the training log, TensorBoard, the curves."""

from __future__ import annotations

import datetime
import importlib.util
import time
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from wuzi.errors import MissingExtraError
from wuzi.training.run.curves import write_curves
from wuzi.training.run.directory import RunDirectory
from wuzi.training.run.events import Event

_CURVES_S = 60.0


class Watch:
    """Follows a run into files of its folder; one observer of :func:`wuzi.training.run.loop.train`."""

    def __init__(self, folder: Path) -> None:
        """Begin a new training log."""
        self._folder = folder
        began = datetime.datetime.now().strftime("%Y%m%d_%H%M%S")
        self._log = folder / f"training_log_{began}.log"
        self._board: Any = None
        self._drawn = time.monotonic()

    def __call__(self, event: Event) -> None:
        """Take note of an event."""
        if event.kind == "progress":
            return
        lines = [event.text]
        if event.data is not None:
            lines = log_lines(event.data) or [event.text]
            self._plot(event.data)
        with self._log.open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Write what is left; curves need matplotlib and are left out without it."""
        # After an error nothing else is to be heard, such as that the disk is full here too.
        with nullcontext() if error is None else suppress(OSError):
            if self._board is not None:
                self._board.close()
            self._draw()

    def _plot(self, row: Mapping[str, Any]) -> None:
        if self._board is None:
            self._board = _tensorboard(self._folder, row["iteration"])
        if self._board is not None:
            for name, value in row.items():
                if isinstance(value, int | float) and name != "iteration":
                    self._board.add_scalar(name, value, row["iteration"])
        if time.monotonic() - self._drawn > _CURVES_S:
            self._draw()

    def _draw(self) -> None:
        self._drawn = time.monotonic()
        rows = RunDirectory(self._folder).rows("metrics.jsonl")
        if rows:
            try:
                write_curves(rows, self._folder / "curves.png")
            except MissingExtraError:
                return


def log_lines(row: Mapping[str, Any]) -> list[str]:
    """An iteration in the manner of the AlphaZero_Gomoku family's logs; nothing for other methods."""
    if "lr_multiplier" not in row:
        return []
    return [
        f"batch i:{row['iteration']}, episode_len:{row['plies']:.0f}",
        f"kl:{row['kl']:.5f},lr_multiplier:{row['lr_multiplier']:.3f},loss:{row['loss']:.5f},"
        f"entropy:{row['entropy']:.5f},explained_var_old:{row['explained_before']:.3f},"
        f"explained_var_new:{row['explained_after']:.3f}",
    ]


def _tensorboard(folder: Path, first: int) -> Any:
    """A writer whose rows from ``first`` on replace older ones; None where TensorBoard is not installed."""
    if importlib.util.find_spec("tensorboard") is None:
        return None
    from torch.utils.tensorboard import SummaryWriter

    return SummaryWriter(str(folder / "tensorboard"), purge_step=first)
