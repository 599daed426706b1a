"""All parameters of a run of PPO."""

from __future__ import annotations

from dataclasses import dataclass, field

from wuzi.training.methods.ppo.config import PpoConfig
from wuzi.training.run.config import GameSection, RunSection


@dataclass(frozen=True)
class PpoSettings:
    """All parameters of a run of PPO; the seed is that of the run."""

    game: GameSection = field(default_factory=GameSection)
    ppo: PpoConfig = field(default_factory=PpoConfig)
    run: RunSection = field(default_factory=RunSection)
