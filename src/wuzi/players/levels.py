"""The named levels: what each may see and search, their names, and their measured ratings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from types import MappingProxyType

from wuzi.base.machine import packaged_table
from wuzi.contract import Limit
from wuzi.errors import ConfigError
from wuzi.nets.shelf import MeasuredRating


class LevelName(StrEnum):
    """The levels, weakest first."""

    NOVICE = "novice"
    BEGINNER = "beginner"
    CASUAL = "casual"
    CLUB = "club"
    SKILLED = "skilled"
    STRONG = "strong"
    EXPERT = "expert"
    MASTER = "master"


@dataclass(frozen=True, slots=True)
class Level:
    """What a level may see and search."""

    name: LevelName  # its name in specs
    en: str  # en, zh: its name for people
    zh: str
    # how often a move is played at a glance (:mod:`wuzi.players.intuition`), without search
    haste: float = 0.0
    sight: float = 1.0  # what a glance notices, 0 to 1
    spread: float = 1.0  # temperature of moves played at a glance
    nodes: int | None = None  # positions searched for the other moves; None for all the time there is
    depth: int = 60  # plies of that search
    vcf_nodes: int = 150  # positions of the threat search at a leaf
    # of the choice among the near-best moves of a search, in log-odds; 0 for the best
    temperature: float = 0.0
    time_s: float | None = None  # the faces' time for a move, where the level has no budget of its own

    @property
    def spec(self) -> str:
        """The player's spec string."""
        return f"level:name={self.name}"

    @property
    def limit(self) -> Limit:
        """The budget that faces give it."""
        return Limit(time_s=self.time_s)

    @property
    def searches_less(self) -> bool:
        """Whether the level is anything but the whole engine."""
        return self.nodes is not None


LEVELS: Mapping[str, Level] = MappingProxyType(
    {name: Level(LevelName(name), **row) for name, row in packaged_table("players/levels.toml").items()}
)
"""All levels by name, weakest first."""


def find_level(name: str) -> Level:
    """The level of that name; a ConfigError if there is none."""
    if name not in LEVELS:
        raise ConfigError(f"unknown level {name!r}: expected one of {', '.join(LEVELS)}")
    return LEVELS[name]


@cache
def level_ratings() -> Mapping[str, MeasuredRating]:
    """The measured ratings by level; ``research/rate_levels.py`` makes the file."""
    path = resources.files("wuzi") / "data" / "levels" / "ratings.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    return MappingProxyType(
        {
            name: MeasuredRating(**{key: value for key, value in row.items() if key != "budget"})
            for name, row in data["levels"].items()
        }
    )
