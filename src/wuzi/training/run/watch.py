"""Who writes down what training says: the training log, TensorBoard, the curves as a picture."""

from __future__ import annotations

import datetime
import importlib.util
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any, Self

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
        self._last = 0
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
        if self._board is not None and row["iteration"] <= self._last:  # the run has begun again
            self._board.close()
            self._board = None
        self._last = row["iteration"]
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

ALONE = "Policy alone against the score table · 仅策略对评分表"
SHARES = "Share of points in test matches · 测试对局得分率"
INTERVAL = {"anchor_elo_low": 1, "anchor_elo_high": 1, "table_score_low": 0, "table_score_high": 0}
"""Ends of intervals, with the place of the line in its panel that they belong to."""

_PANELS: tuple[tuple[str, Mapping[str, str]], ...] = (
    (
        "Loss · 损失",
        {
            "loss": "total 总计",
            "policy_loss": "policy 策略",
            "value_loss": "value 价值",
            "hard_loss": "played moves 实际着法",
            "soft_loss": "teacher's probabilities 教师概率",
            "held_loss": "held-out positions 验证局面",
        },
    ),
    (
        "Entropy of move probabilities (nats) · 着法概率的熵",
        {
            "entropy": "net 网络",
            "policy_entropy": "search 搜索",
            "held_entropy": "net, held-out positions 网络，验证局面",
        },
    ),
    ("Change of the policy in an update (KL) · 每次更新的策略变化", {"kl": ""}),
    ("Learning rate · 学习率", {"lr": "", "learning_rate": ""}),
    (
        SHARES,
        {
            "mcts_win_rate": "against pure MCTS 对纯 MCTS",
            "best_win_rate": "against the best net 对最佳网络",
            "best_score": "against the best net 对最佳网络",
            "opponent_score": "against its opponents 对陪练",
        },
    ),
    (
        ALONE,
        {
            "table_score": "this net 当前网络",
            "untrained_score": "the untrained net 未训练的网络",
            "table_score_low": "its 95 % interval 95% 区间",
            "table_score_high": "",
        },
    ),
    ("Same first choice as the teacher · 与教师首选相同", {"held_top1": "held-out positions 验证局面"}),
    (
        "Elo · 等级分",
        {
            "elo": "best net 最佳网络",
            "anchor_elo": "latest net (engine at 50 positions = 0) 最新网络",
            "anchor_elo_low": "its 95 % interval 95% 区间",
            "anchor_elo_high": "",
        },
    ),
    ("Length of a game (moves) · 每局手数", {"plies": "", "plies_mean": ""}),
    (
        "Speed (per second) · 速度（每秒）",
        {"evaluations_per_s": "evaluated positions 评估局面", "moves_per_s": "moves 着法"},
    ),
)
"""Titles, and for each metric what its line is called."""


def write_curves(rows: Rows, path: Path) -> None:
    """Draw what metrics.jsonl holds over the iterations into a PNG (with the extra ``report``)."""
    need("report", "matplotlib")
    from wuzi.arena.charts import save_chart
    from wuzi.arena.charts.style import chart_style

    with chart_style():
        save_chart(curves_figure(rows), path)


def curves_figure(rows: Rows) -> Any:
    """The drawing: a panel for every group of metrics that the rows hold."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    from wuzi.arena.charts.style import color_of

    known = [(title, [name for name in names if _has(rows, name)], names) for title, names in _PANELS]
    panels = [panel for panel in known if panel[1]]
    height = max(1, -(-len(panels) // 2))
    figure = Figure(figsize=(10, 2.5 * height), layout="constrained")
    grid = figure.subplots(height, 2, squeeze=False).flat
    for axes, (title, names, words) in zip(grid, panels, strict=False):
        axes.set_title(title, fontsize=10, loc="left")
        axes.set_xlabel("iteration · 轮次", fontsize=8.5)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        for i, name in enumerate(names):
            points = [(row["iteration"], row[name]) for row in rows if row.get(name) is not None]
            look: dict[str, Any] = {"marker": "o" if len(points) < 30 else "", "markersize": 3}
            if name in INTERVAL:
                look |= {"linestyle": ":", "marker": "", "color": color_of(INTERVAL[name])}
            else:
                look["color"] = color_of(i)
            axes.plot(*zip(*points, strict=True), label=words[name] or None, **look)
        if any(words[name] for name in names):
            axes.legend(fontsize=8, frameon=True, edgecolor="none", framealpha=0.8)
        if title in (SHARES, ALONE):
            axes.set_ylim(-0.04, 1.04)
    for axes in figure.axes[len(panels) :]:
        axes.set_axis_off()
    return figure


def _has(rows: Rows, name: str) -> bool:
    return any(row.get(name) is not None for row in rows)
