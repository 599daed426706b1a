"""The curves of a run as a picture."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wuzi.base.atomic import write_atomic
from wuzi.base.optional import need

Rows = Sequence[Mapping[str, Any]]

_PANELS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Losses", ("loss", "policy_loss", "value_loss", "hard_loss", "soft_loss", "held_loss")),
    ("Entropy (nats): net, search", ("entropy", "policy_entropy", "held_entropy")),
    ("KL of an update", ("kl",)),
    ("Learning rate", ("lr", "learning_rate")),
    (
        "Win rate: pure MCTS, best net, opponent; first moves as the teacher's",
        ("mcts_win_rate", "best_win_rate", "best_score", "opponent_score", "held_top1"),
    ),
    ("Elo of the best net", ("elo",)),
    ("Plies a game", ("plies", "plies_mean")),
    ("Evaluations (PPO: moves) a second", ("evaluations_per_s", "moves_per_s")),
)


def write_curves(rows: Rows, path: Path) -> None:
    """Draw losses, entropy, KL, learning rate, win rate, Elo, lengths and speed over the iterations.

    Args:
        rows: of metrics.jsonl.
        path: the PNG to write.

    Raises:
        MissingExtraError: matplotlib is not installed.
        OSError: the file cannot be written.
    """
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
