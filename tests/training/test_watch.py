"""What is written beside the metrics: the training log, TensorBoard, the curves."""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import ModuleSpec
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fontTools.ttLib import TTFont

from tests.training.tiny import begin, settings
from wuzi.training.run.context import Event
from wuzi.training.run.directory import RunDirectory
from wuzi.training.run.watch import Watch, curves_figure

FAMILY: dict[str, Any] = {
    "iteration": 3,
    "plies": 16.4,
    "kl": 0.012,
    "lr_multiplier": 1.5,
    "loss": 3.25,
    "entropy": 2.5,
    "explained_before": 0.25,
    "explained_after": 0.5,
    "warnings": ["duplicates"],
}
PPO: dict[str, Any] = {"iteration": 3, "plies_mean": 20.0, "kl": 0.01, "entropy": 1.25}


@pytest.fixture
def scalars(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, float, int]]:
    """What a TensorBoard that is installed would be told."""
    told: list[tuple[str, float, int]] = []

    class Writer:
        def __init__(self, folder: str, purge_step: int) -> None:
            assert Path(folder).name == "tensorboard" and purge_step == 3

        def add_scalar(self, name: str, value: float, step: int) -> None:
            told.append((name, value, step))

        def close(self) -> None:
            told.append(("closed", 0.0, 0))

    find = importlib.util.find_spec
    there = ModuleSpec("tensorboard", None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: there if name == there.name else find(name))
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", SimpleNamespace(SummaryWriter=Writer))
    return told


def test_a_run_is_logged_in_the_familys_manner(tmp_path: Path, scalars: list[tuple[str, float, int]]) -> None:
    begin(tmp_path, settings())
    with Watch(tmp_path) as watch:
        watch(Event("progress", "half way"))
        watch(Event("text", "num_playouts:1000, win: 7, lose: 3, tie:0"))
        RunDirectory(tmp_path).append("metrics.jsonl", FAMILY)
        watch(Event("row", "a line for people", FAMILY))
    (log,) = tmp_path.glob("training_log_*.log")
    assert log.read_text("utf-8").splitlines() == [
        "num_playouts:1000, win: 7, lose: 3, tie:0",
        "batch i:3, episode_len:16",
        "kl:0.01200,lr_multiplier:1.500,loss:3.25000,entropy:2.50000,explained_var_old:0.250,"
        "explained_var_new:0.500",
    ]
    assert ("loss", 3.25, 3) in scalars and ("entropy", 2.5, 3) in scalars
    assert {name for name, _, _ in scalars}.isdisjoint({"iteration", "warnings"})
    assert scalars[-1][0] == "closed"
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_the_log_of_other_methods_holds_their_line(
    tmp_path: Path, scalars: list[tuple[str, float, int]]
) -> None:
    watch = Watch(tmp_path)
    watch(Event("row", "   3  moves 9  entropy 1.250", PPO))
    (log,) = tmp_path.glob("training_log_*.log")
    assert log.read_text("utf-8") == "   3  moves 9  entropy 1.250\n"
    assert ("kl", 0.01, 3) in scalars


def test_curves_have_words_for_every_metric_and_no_empty_panel() -> None:
    font = TTFont(str(files("wuzi") / "data/fonts/WuziSansSC-Regular.otf"))
    rows = [
        {"iteration": i, "policy_loss": 4.0 - i, "lr": 0.1, "mcts_win_rate": 0.5, "elo": None}
        for i in range(3)
    ]
    axes = curves_figure(rows).axes
    drawn = [panel for panel in axes if panel.axison]
    assert all(panel.lines for panel in drawn)
    texts = [panel.get_title(loc="left") for panel in drawn]
    texts += [text.get_text() for panel in drawn if (box := panel.get_legend()) for text in box.get_texts()]
    assert [text.partition(" · ")[0] for text in texts] == [
        "Loss",
        "Learning rate",
        "Share of points in test matches",
        "policy 策略",
        "against pure MCTS 对纯 MCTS",
    ]
    assert not {char for text in texts for char in text if ord(char) not in font.getBestCmap()}
    assert drawn[2].get_ylim() == (-0.04, 1.04)
