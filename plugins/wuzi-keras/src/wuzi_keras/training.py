"""Supervised training on games of ``wuzi gen-data``: the teacher's policy, and who won."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import keras
import numpy as np
import numpy.typing as npt

from wuzi.core import Rules
from wuzi.errors import ConfigError
from wuzi.training.methods.distill.rows import DistillRows, load_rows
from wuzi_keras.model import PLANES, build

SYMMETRIES = 8
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Settings:
    """How to train.

    Attributes:
        epochs: passes over the games, each under a symmetry of the board drawn anew.
        batch: positions a step.
        lr: learning rate of Adam.
        weight_decay: decoupled from the gradient.
        held_out: share of the games that only measures.
        seed: of weights and batches.
    """

    epochs: int = 8
    batch: int = 256
    lr: float = 1e-3
    weight_decay: float = 1e-4
    held_out: float = 0.1
    seed: int = 0


def train(
    folders: Sequence[Path], settings: Settings, on_epoch: Callable[[dict[str, float]], None]
) -> tuple[Any, Rules]:
    """A net trained on folders of ``wuzi gen-data``, and the rules of its games.

    ``on_epoch`` is called with the number of every epoch, and the losses on games learned and held out.

    Raises:
        ConfigError: games of different boards, or too few of them.
        RecordError: a damaged folder.
    """
    rows, rules, _ = load_rows(folders, PLANES)
    learned, held = rows.split(settings.held_out)
    if not len(learned) or not len(held):
        raise ConfigError(f"{len(rows)} positions in {len(folders)} folders: too few games to learn from")
    keras.utils.set_random_seed(settings.seed)
    model = learner(rules.size, settings)
    draw = np.random.default_rng(settings.seed)
    for epoch in range(1, settings.epochs + 1):
        turned = learned.turned(int(draw.integers(SYMMETRIES)))
        losses = _pass(model, turned, settings.batch, draw)
        measured = _measure(model, held, settings.batch)
        on_epoch({"epoch": epoch, **losses, **measured})
    return model, rules


def learner(size: int, settings: Settings) -> Any:
    """A net with fresh weights for boards of ``size``, with its optimizer and losses."""
    model = build(size)
    model.compile(
        optimizer=keras.optimizers.AdamW(settings.lr, weight_decay=settings.weight_decay),
        loss={"policy": keras.losses.CategoricalCrossentropy(from_logits=True), "value": "mse"},
    )
    return model


def _pass(model: Any, rows: DistillRows, batch: int, draw: np.random.Generator) -> dict[str, float]:
    """One pass over the rows in a new order; the mean losses."""
    planes, targets, weights = _targets(rows)
    order = draw.permutation(len(planes))
    history = model.fit(
        planes[order],
        {name: target[order] for name, target in targets.items()},
        sample_weight={name: weight[order] for name, weight in weights.items()},
        batch_size=batch,
        epochs=1,
        shuffle=False,
        verbose=0,
    )
    return {name: float(values[0]) for name, values in history.history.items()}


def _measure(model: Any, rows: DistillRows, batch: int) -> dict[str, float]:
    """The losses on games held out."""
    planes, targets, weights = _targets(rows)
    found = model.evaluate(
        planes, targets, sample_weight=weights, batch_size=batch, verbose=0, return_dict=True
    )
    return {f"held_out_{name}": float(value) for name, value in found.items()}


def _targets(rows: DistillRows) -> tuple[Floats, dict[str, Floats], dict[str, Floats]]:
    """Planes, targets, and how much each target counts.

    The policy is the teacher's; where it said nothing the player's move, and nothing where that was drawn at
    random.
    """
    policy = rows.policy.astype(np.float32).copy()
    silent = policy.sum(axis=1) == 0
    told = silent & (rows.played >= 0)
    policy[np.flatnonzero(told), rows.played[told]] = 1
    known = policy.sum(axis=1) > 0
    policy[~known] = 1 / policy.shape[1]
    targets = {"policy": policy, "value": rows.results[:, None].astype(np.float32)}
    # Keras divides by all positions: weighed so, the loss is the mean over those with a target.
    told_share = np.float32(max(known.mean(), 1e-9))
    weights = {"policy": known / told_share, "value": np.ones(len(policy), np.float32)}
    return np.asarray(rows.planes, np.float32), targets, weights
