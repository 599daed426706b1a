"""Who writes down what training says: the training log, TensorBoard, the curves as a picture."""

from __future__ import annotations

import datetime
import importlib.util
import io
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any, Self

from wuzi.base.atomic import write_atomic
from wuzi.base.imports import need
from wuzi.errors import MissingExtraError
from wuzi.training.run.context import Event
from wuzi.training.run.directory import RunDirectory

_CURVES_S = 60.0


class Watch:
    """Follows a run into files of its folder; one observer of :func:`wuzi.training.run.loop.train`."""

    def __init__(self, folder: Path) -> None:
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

    def __exit__(self, kind: object, error: object, trace: object) -> None:
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
        if rows := RunDirectory(self._folder).rows("metrics.jsonl"):
            with suppress(MissingExtraError):
                write_curves(rows, self._folder / "curves.png")


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


Rows = Sequence[Mapping[str, Any]]

INTERVAL = ("anchor_elo_low", "anchor_elo_high")

_PANELS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Losses", ("loss", "policy_loss", "value_loss", "hard_loss", "soft_loss", "held_loss")),
    ("Entropy (nats): net, search", ("entropy", "policy_entropy", "held_entropy")),
    ("KL of an update", ("kl",)),
    ("Learning rate", ("lr", "learning_rate")),
    (
        "Win rate: pure MCTS, best net, opponent; first moves as the teacher's",
        ("mcts_win_rate", "best_win_rate", "best_score", "opponent_score", "held_top1"),
    ),
    ("Elo: best net; latest, engine at 50 positions 0", ("elo", "anchor_elo", *INTERVAL)),
    ("Plies a game", ("plies", "plies_mean")),
    ("Evaluations (PPO: moves) a second", ("evaluations_per_s", "moves_per_s")),
)


def write_curves(rows: Rows, path: Path) -> None:
    """Draw what metrics.jsonl holds over the iterations into a PNG (with the extra ``report``)."""
    need("report", "matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 11), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, (title, names) in zip(figure.subplots(4, 2).flat, _PANELS, strict=True):
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("iteration", fontsize=8)
        axes.grid(alpha=0.3)
        for name in names:
            points = [(row["iteration"], row[name]) for row in rows if row.get(name) is not None]
            if points:
                marker = "o" if len(points) < 30 else ""
                axes.plot(*zip(*points, strict=True), marker=marker, markersize=3, label=name)
        if axes.lines:
            axes.legend(fontsize=8)
        else:
            axes.text(0.5, 0.5, "no data", ha="center", va="center", transform=axes.transAxes)
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=100)
    write_atomic(path, picture.getvalue())
