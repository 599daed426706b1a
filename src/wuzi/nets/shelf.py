"""The nets at hand by name, and which of them is for a board; nothing of them is loaded here."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

from wuzi.core.rules import Rules

WEIGHTS_SUFFIX, CARD_SUFFIX = ".safetensors", ".json"

Board = tuple[int, int, str]
"""Size, win length and rule."""


@dataclass(frozen=True, slots=True)
class NetRating:
    """How strong a net was measured to be, see ``wuzi models measure``.

    Attributes:
        elo: on a scale on which the score-table player has 1000; low, high: 95 % interval.
        games: how many it played for that, on boards of this size.
        player: the spec of what played.
    """

    elo: float
    low: float
    high: float
    games: int
    size: int
    player: str


@dataclass(frozen=True, slots=True)
class NetEntry:
    """A net at hand.

    Attributes:
        name: how to ask for it.
        path: its weights file.
        shipped: whether it came with wuzi.
    """

    name: str
    path: Path
    shipped: bool

    @property
    def board(self) -> Board | None:
        """What its card says that it was made for; None where the card cannot be read."""
        try:
            rules = self._card()["rules"]
            return int(rules["size"]), int(rules["win_length"]), str(rules["rule"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    @property
    def rating(self) -> NetRating | None:
        """Its measured strength; None where the card has none or cannot be read."""
        try:
            card = self._card()
            found, size = card["measured"]["rating"], int(card["rules"]["size"])
            elo, low, high = (float(found[name]) for name in ("value", "low", "high"))
            return NetRating(elo, low, high, int(found["games"]), size, str(found["player"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _card(self) -> Mapping[str, Any]:
        data: Mapping[str, Any] = json.loads(self.path.with_name(self.name + CARD_SUFFIX).read_bytes())
        return data


def user_nets_dir() -> Path:
    """Where a user's nets are; ``WUZI_DATA_DIR`` overrides the platform's folder. Not created here."""
    chosen = os.environ.get("WUZI_DATA_DIR")
    return (Path(chosen) if chosen else user_data_path("wuzi", appauthor=False)) / "nets"


def shipped_nets_dir() -> Path:
    """Where the nets that come with wuzi are."""
    return Path(str(resources.files("wuzi") / "data" / "nets"))


def list_nets() -> list[NetEntry]:
    """All nets at hand by name; a user's net hides a shipped one of the same name."""
    found: dict[str, NetEntry] = {}
    for folder, shipped in ((shipped_nets_dir(), True), (user_nets_dir(), False)):
        if folder.is_dir():
            for card in sorted(folder.glob(f"*{CARD_SUFFIX}")):
                weights = card.with_name(card.name.removesuffix(CARD_SUFFIX) + WEIGHTS_SUFFIX)
                if weights.is_file():
                    name = card.name.removesuffix(CARD_SUFFIX)
                    found[name] = NetEntry(name, weights, shipped)
    return [found[name] for name in sorted(found)]


def default_net(rules: Rules) -> NetEntry | None:
    """The net that plays these rules when none is named: made for this very board.

    A shipped net comes before a user's, among several of either kind the one with the highest measured
    rating, and among those without one the last by name.
    """
    board = (rules.size, rules.win_length, rules.rule.label)
    made = [entry for entry in list_nets() if entry.board == board]
    return max(made, key=lambda entry: (entry.shipped, _elo(entry), entry.name), default=None)


def _elo(entry: NetEntry) -> float:
    rating = entry.rating
    return -math.inf if rating is None else rating.elo


def boards() -> list[Board]:
    """The boards for which there is a net, each once."""
    return sorted({board for entry in list_nets() if (board := entry.board) is not None})
