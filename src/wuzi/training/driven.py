"""Runs of trainers that bring their own iterations, in the same kind of folder as self-play.

A checkpoint holds the trainer's whole state; what came after the last one is done again, the same.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from wuzi.evaluators.net_file import save_net
from wuzi.training.checkpoint import Checkpoint, Checkpoints
from wuzi.training.config import GameSection, RunSection
from wuzi.training.events import Event, Observe
from wuzi.training.export import net_name
from wuzi.training.loop import METRICS
from wuzi.training.method import Method
from wuzi.training.ppo.config import PpoConfig
from wuzi.training.ppo.trainer import PpoTrainer
from wuzi.training.run_dir import BEST, CURRENT, RunDirectory
from wuzi.training.state_file import State


@dataclass(frozen=True)
class PpoSettings:
    """All parameters of a run of PPO; the seed is that of the run."""

    game: GameSection = field(default_factory=GameSection)
    ppo: PpoConfig = field(default_factory=PpoConfig)
    run: RunSection = field(default_factory=RunSection)


def train_ppo(
    path: Path,
    settings: PpoSettings,
    *,
    observe: Observe = lambda _: None,
    max_seconds: float | None = None,
) -> bool:
    """Begin or go on with a run of PPO whose folder was created; see :func:`wuzi.training.loop.train`."""
    rules = settings.game.rules
    config = replace(settings.ppo, seed=settings.run.seed)
    directory = RunDirectory(path)
    with directory.locked(), PpoTrainer(config, rules) as trainer:
        run = _Run(directory, settings.run, trainer, observe)
        name = net_name(rules, config.net, 0, 0).partition("-g0")[0]
        return run.drive(name, None if max_seconds is None else time.monotonic() + max_seconds)


class _Run:
    """One trainer in one folder."""

    def __init__(
        self, directory: RunDirectory, section: RunSection, trainer: Method, observe: Observe
    ) -> None:
        self._directory, self._section = directory, section
        self._trainer, self._observe = trainer, observe
        self._checkpoints = Checkpoints(directory.path / "checkpoints", section.keep_every)
        found = self._checkpoints.latest()
        if found is not None:
            trainer.restore(State(dict(found.arrays), dict(found.state)))
        directory.drop_after(METRICS, trainer.iteration)
        rows = directory.rows(METRICS)
        self._loaded_s = float(rows[-1]["seconds"]) if rows else 0.0
        self._begun = self._saved = time.monotonic()

    def drive(self, name: str, deadline: float | None) -> bool:
        """Iterate to the end; False if time was over before, everything saved."""
        trainer, every = self._trainer, self._section.keep_every
        while trainer.iteration < self._section.iterations:
            if deadline is not None and time.monotonic() > deadline:
                self._save(name)
                return False
            row = dict(trainer.run_iteration())
            row["seconds"] = round(self._loaded_s + time.monotonic() - self._begun, 2)
            self._directory.append(METRICS, row)
            self._observe(Event("row", _line(row), row))
            late = time.monotonic() - self._saved > self._section.checkpoint_s
            if late or trainer.iteration % every == 0 or trainer.iteration == self._section.iterations:
                self._save(name)
        return True

    def _save(self, name: str) -> None:
        trainer, directory = self._trainer, self._directory
        state = trainer.state()
        self._checkpoints.write(trainer.iteration, Checkpoint(state.arrays, state.meta))
        full = f"{name}-i{trainer.iteration:06d}"
        net = save_net(directory.nets / full, trainer.export(full))
        for pointer in (CURRENT, BEST):
            directory.point(pointer, name=full, iteration=trainer.iteration, sha256=net.card.weights_sha256)
        directory.prune_nets({full} | self._numbered(name))
        self._saved = time.monotonic()

    def _numbered(self, name: str) -> set[str]:
        """Nets of earlier iterations that are kept for ever."""
        every, found = self._section.keep_every, set()
        for path in self._directory.nets.glob(f"{name}-i*"):
            stem = path.name.partition(".")[0]
            if int(stem.rpartition("-i")[2]) % every == 0:
                found.add(stem)
        return found


def _line(row: Mapping[str, Any]) -> str:
    """An iteration in one line, for people."""
    text = f"{row['iteration']:>4}  moves {row['moves']:,.0f}  games {row['games']:,.0f}"
    if row.get("finished"):
        text += f"  plies {row['plies_mean']:.1f}"
    for name in ("policy_loss", "value_loss", "entropy", "kl"):
        if name in row:
            text += f"  {name.replace('_', ' ')} {row[name]:.3f}"
    for name in ("opponent_score", "best_score"):
        if name in row:
            text += f"  {name.replace('_', ' ')} {row[name]:.0%}"
    return f"{text}  {row['moves_per_s']:,.0f} moves/s  {row['seconds']:.0f} s"
