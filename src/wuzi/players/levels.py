"""The named levels: what each may see and search, their names, and their measured ratings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from types import MappingProxyType

from wuzi.contract import Limit
from wuzi.errors import ConfigError


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
    """What a level may see and search.

    Attributes:
        name: its name in specs.
        en, zh: its name for people.
        haste: how often a move is played at a glance (:mod:`wuzi.players.intuition`), without search.
        sight: what a glance notices, 0 to 1.
        spread: temperature of moves played at a glance.
        nodes: positions searched for the other moves; None for all the time there is.
        depth: plies of that search.
        vcf_nodes: positions of the threat search at a leaf.
        temperature: of the choice among the near-best moves of a search, in log-odds; 0 for the best.
        time_s: the faces' time for a move, where the level has no budget of its own.
    """

    name: LevelName
    en: str
    zh: str
    haste: float = 0.0
    sight: float = 1.0
    spread: float = 1.0
    nodes: int | None = None
    depth: int = 60
    vcf_nodes: int = 150
    temperature: float = 0.0
    time_s: float | None = None

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


_LEVELS = (
    Level(LevelName.NOVICE, "Novice", "新手", haste=1.0, sight=0.25, spread=1.8, nodes=50, depth=1),
    Level(LevelName.BEGINNER, "Beginner", "入门", haste=1.0, sight=0.78, spread=0.9, nodes=100, depth=1),
    Level(
        LevelName.CASUAL,
        "Casual",
        "休闲",
        haste=0.5,
        sight=0.85,
        nodes=400,
        depth=2,
        vcf_nodes=0,
        temperature=0.6,
    ),
    Level(
        LevelName.CLUB,
        "Club",
        "业余",
        haste=0.2,
        sight=0.93,
        nodes=1500,
        depth=4,
        vcf_nodes=0,
        temperature=0.4,
    ),
    Level(
        LevelName.SKILLED,
        "Skilled",
        "进阶",
        haste=0.06,
        sight=0.98,
        nodes=4000,
        depth=6,
        vcf_nodes=20,
        temperature=0.25,
    ),
    Level(LevelName.STRONG, "Strong", "高手", nodes=15_000, temperature=0.12),
    Level(LevelName.EXPERT, "Expert", "专家", nodes=80_000),
    Level(LevelName.MASTER, "Master", "大师", time_s=2.0),
)

LEVELS: Mapping[str, Level] = MappingProxyType({str(level.name): level for level in _LEVELS})
"""All levels by name, weakest first."""


@dataclass(frozen=True, slots=True)
class LevelRating:
    """How strong a level was measured to be.

    Attributes:
        elo: on the scale of the file; low, high: 95 % interval.
        games: how many it played for that, on boards of this size.
        budget: what it had for a move, where that was not its own.
    """

    elo: float
    low: float
    high: float
    games: int
    budget: str = ""
    size: int = 15


def find_level(name: str) -> Level:
    """The level of that name.

    Raises:
        ConfigError: there is none.
    """
    if name not in LEVELS:
        raise ConfigError(f"unknown level {name!r}: expected one of {', '.join(LEVELS)}")
    return LEVELS[name]


@cache
def level_ratings() -> Mapping[str, LevelRating]:
    """The measured ratings by level; ``scripts/rate_levels.py`` makes the file."""
    path = resources.files("wuzi") / "data" / "levels" / "ratings.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    return MappingProxyType({name: LevelRating(**data["levels"][name]) for name in data["levels"]})
