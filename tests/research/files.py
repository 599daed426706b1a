"""Studies so small that a test can afford them."""

from __future__ import annotations

from pathlib import Path

import pytest

from research.__main__ import main

STUDY = """
[study]
title = "Tiny"
title_zh = "小型"
size = 6
anchor = "random"
openings = "auto"

[methods.random]
spec = "random"
[methods.weight]
spec = "weight"
title_zh = "评分表"
[methods.minimax]
spec = "minimax:depth=1"
[methods.netty]
spec = "policy:net=netty"
net = "netty"
train = "wuzi train --preset quick"
group = "fusion"
base = "random"

[[stages]]
name = "own"
kind = "main"
games = 4
most = 8
charts = {charts}
[[stages]]
name = "equal-time"
kind = "timed"
time = 1
games = 2
methods = ["random", "weight", "netty"]
[[stages]]
name = "repeat"
kind = "repeat"
games = 4
seed = 7
[[stages]]
name = "empty"
kind = "empty"
openings = "none"
random_first = true
games = 6
methods = ["weight", "minimax"]
[[stages]]
name = "sizes"
kind = "sizes"
sizes = [5, 7]
win_lengths = [4, 5]
games = 2
methods = ["random", "weight", "netty"]

[[seed_results]]
evaluation = "first"
first = "random"
second = "weight"
wins = 18
losses = 32
draws = 0
[[seed_results]]
evaluation = "second"
first = "random"
second = "weight"
wins = 38
losses = 22
draws = 0
"""

ABLATION = """
[ablation]
minutes = 5
games = 2
match = "policy"
openings = "auto"
seeds = [1, 2]

[[groups]]
name = "rate"
title = "The rate"
title_zh = "学习率"
preset = "s3-6x6"
set = [
  "selfplay.games=2", "selfplay.concurrency=1", "selfplay.workers=1", "selfplay.simulations=2",
  "learn.batch=8", "learn.batches=2", "learn.epochs=1", "learn.threads=1", "evaluate.interval=0",
  "promote.gate=none", "run.iterations=2",
]

[[groups.arms]]
name = "slow"
set = ["learn.lr=1e-3"]
question = "Does a lower rate help?"
question_zh = "学习率低一些有用吗？"
seeds = [1]

[[groups.arms]]
name = "never"
set = ["learn.lr=1e-4"]
question = "And a still lower one?"
question_zh = "再低一些呢？"
"""


def study_file(folder: Path, *, charts: bool = False) -> Path:
    """A study of 6x6 with a net called ``netty``."""
    path = folder / "tiny.toml"
    path.write_text(STUDY.replace("{charts}", str(charts).lower()), "utf-8")
    return path


def ablation_file(folder: Path, text: str = ABLATION) -> Path:
    """An ablation of trainings that take a second."""
    path = folder / "arms.toml"
    path.write_text(text, "utf-8")
    return path


def error_of(command: str, path: Path, old: str, new: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The line by which a command refuses a file in which one text is replaced; it makes no folder."""
    text, out = path.read_text("utf-8"), path.parent / "out"
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    assert main([command, str(path), "--out", str(out)]) == 2
    error = capsys.readouterr().err
    assert len(error.strip().splitlines()) == 1
    assert not out.exists()
    return error
