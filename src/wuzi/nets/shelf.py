"""Finding nets: by name, by file, or for a board. :mod:`wuzi.nets.loading` reads what is found here."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from wuzi.base.json_fields import MALFORMED
from wuzi.base.machine import data_dir
from wuzi.base.store import read_object
from wuzi.core.rules import Rules
from wuzi.errors import ConfigError

WEIGHTS_SUFFIX, CARD_SUFFIX = ".safetensors", ".json"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")

Board = tuple[int, int, str]
"""Size, win length and rule."""


@dataclass(frozen=True, slots=True)
class MeasuredRating:
    """How strong a net or level was measured to be, see ``wuzi models measure``."""

    elo: float  # on a scale on which the score-table player has 1000; low, high: 95 % interval
    low: float
    high: float
    games: int  # how many it played for that, on boards of this size
    size: int = 15
    player: str = ""  # the spec of what played; empty for a level


@dataclass(frozen=True, slots=True)
class NetEntry:
    """A net at hand: how to ask for it, its weights file, and whether it came with wuzi."""

    name: str
    path: Path
    shipped: bool

    @property
    def board(self) -> Board | None:
        """What its card says that it was made for; None where the card cannot be read."""
        try:
            rules = self._card()["rules"]
            return int(rules["size"]), int(rules["win_length"]), str(rules["rule"])
        except (OSError, *MALFORMED):
            return None

    @property
    def rating(self) -> MeasuredRating | None:
        """Its measured strength; None where the card has none or cannot be read."""
        try:
            card = self._card()
            found, size = card["measured"]["rating"], int(card["rules"]["size"])
            elo, low, high = (float(found[name]) for name in ("value", "low", "high"))
            return MeasuredRating(elo, low, high, int(found["games"]), size, str(found["player"]))
        except (OSError, *MALFORMED):
            return None

    def _card(self) -> Mapping[str, Any]:
        data: Mapping[str, Any] = json.loads(self.path.with_name(self.name + CARD_SUFFIX).read_bytes())
        return data


def user_nets_dir() -> Path:
    """Where a user's nets are. Not created here."""
    return data_dir() / "nets"


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


def net_paths(path: str | os.PathLike[str]) -> tuple[Path, Path]:
    """The weights file and the card of a net, from either or from their common stem."""
    given = Path(path)
    stem = given.with_suffix("") if given.suffix in (WEIGHTS_SUFFIX, CARD_SUFFIX) else given
    return stem.with_name(stem.name + WEIGHTS_SUFFIX), stem.with_name(stem.name + CARD_SUFFIX)


def check_name(name: str) -> str:
    """The name itself; a ConfigError if no net may be called so."""
    if not _NAME.fullmatch(name):
        raise ConfigError(f"net name {name[:90]!r}: expected letters, digits, dots, dashes, at most 80")
    return name


def remove_net(name: str) -> Path:
    """Remove a user's net of that name, and return where its weights were.

    Raises:
        ConfigError: there is none, or it came with wuzi.
    """
    nets = {entry.name: entry.shipped for entry in list_nets()}
    if nets.get(name, True):
        own = ", ".join(one for one, shipped in nets.items() if not shipped) or "there are none"
        why = " came with wuzi and stays;" if name in nets else ""
        raise ConfigError(f"net {name!r}:{why} expected one of yours: {own}")
    weights, card = net_paths(user_nets_dir() / f"{check_name(name)}{CARD_SUFFIX}")
    weights.unlink()  # first: a card alone is no net, and stands in the way of none
    card.unlink(missing_ok=True)
    return weights


def best_of_run(folder: Path) -> dict[str, Any] | None:
    """What a run's pointer to its best net says; None before there is one, and where it names the net of the
    beginning, untrained and not judged by any game.
    """
    path = folder / f"best_policy{CARD_SUFFIX}"
    found = read_object(path) if path.is_file() else {}
    return found if found.get("iteration") or found.get("judged") else None


def net_of_run(folder: Path) -> dict[str, Any] | None:
    """What the pointer to the net that one should play with says: the best, or the latest before one was
    judged; None if the folder is not that of a run, or has no net yet.
    """
    path = folder / f"current_policy{CARD_SUFFIX}"
    return best_of_run(folder) or (read_object(path) if path.is_file() else None)


def _net_of_run(folder: Path) -> NetEntry | None:
    if (found := net_of_run(folder)) is None:
        return None
    name = check_name(str(found.get("net")))
    return NetEntry(name, folder / "nets" / f"{name}{WEIGHTS_SUFFIX}", False)


def find_net(text: str, *, allow_path: bool = True) -> NetEntry:
    """The net of that name; where paths are allowed also that of a file (either of its two, or a family's),
    or the best net in the folder of a run of ``wuzi train``.

    Raises:
        ConfigError: there is none; the message lists the names.
    """
    by_name = {entry.name: entry for entry in list_nets()}
    if text in by_name:
        return by_name[text]
    if allow_path:
        path = Path(text)
        weights, card = net_paths(path)
        if weights.is_file() and card.is_file():
            return NetEntry(weights.stem, weights, False)
        if path.is_file() and path.suffix not in (WEIGHTS_SUFFIX, CARD_SUFFIX):
            return NetEntry(path.stem, path, False)
        if (found := _net_of_run(path)) is not None:
            return found
        if path.suffix in (WEIGHTS_SUFFIX, CARD_SUFFIX) and (weights.is_file() or card.is_file()):
            missing = card if weights.is_file() else weights
            raise ConfigError(f"net {text!r}: {missing.name} is not beside it")
    known = ", ".join(by_name) or "there are none yet"
    raise ConfigError(f"no net {text[:80]!r}: {'a file, or ' if allow_path else ''}one of: {known}")


def default_net(rules: Rules) -> NetEntry | None:
    """The net that plays these rules when none is named: made for this very board.

    A shipped net comes before a user's, among several of either kind the one with the highest measured
    rating, and among those without one the last by name.
    """
    board = (rules.size, rules.win_length, rules.rule.label)
    made = [entry for entry in list_nets() if entry.board == board]

    def rank(entry: NetEntry) -> tuple[bool, float, str]:
        return entry.shipped, -math.inf if entry.rating is None else entry.rating.elo, entry.name

    return max(made, key=rank, default=None)


def boards() -> list[Board]:
    """The boards for which there is a net, each once."""
    return sorted({board for entry in list_nets() if (board := entry.board) is not None})
