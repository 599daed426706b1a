"""Who plays whom, from which opening, with which colour and seed: all fixed before the first game."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import wuzi
from wuzi.arena.openings import (
    EMPTY,
    BookOpening,
    generate_openings,
    load_openings,
    load_shipped,
    random_symmetry,
)
from wuzi.arena.sprt import SprtConfig
from wuzi.contract import Limit
from wuzi.core import Opening, Rules, format_moves
from wuzi.errors import ConfigError
from wuzi.games.referee import Adjudication
from wuzi.players.registry import create_player, seeded

_LABELLED = re.compile(r"\s*([^:=,]+?)\s*=\s*(\S.*)")
_LIMITS = {"time": "time_s", "clock": "clock_s", "increment": "increment_s"}
_LIMITS |= {name: name for name in ("nodes", "depth", "simulations")}
FORMATS = ("round-robin", "gauntlet", "ladder")

GAMES, TEST_GAMES = 20, 1_000
"""Games where none are asked for, and of a test with random openings."""


def parse_limit(text: str) -> Limit:
    """Read a budget such as ``time=0.5,nodes=100000`` (also clock, increment, depth, simulations)."""
    values: dict[str, Any] = {}
    for part in text.split(","):
        key, _, number = part.strip().partition("=")
        if key not in _LIMITS:
            raise ConfigError(
                f"budget {part.strip()!r}: expected one of {', '.join(_LIMITS)}, as in time=0.5"
            )
        name = _LIMITS[key]
        try:
            values[name] = float(number) if name.endswith("_s") else int(number)
        except ValueError:
            raise ConfigError(f"budget {part.strip()!r}: expected a number") from None
        if not 0 <= values[name] < math.inf:
            raise ConfigError(f"budget {part.strip()!r}: expected 0 or more")
    return Limit(**values)


@dataclass(frozen=True, slots=True)
class Entry:
    """A player of a tournament."""

    spec: str
    label: str = ""  # its name in records; the spec by default
    limit: Limit | None = None  # its own budget instead of the tournament's

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", " ".join((self.label or self.spec).split()))

    @classmethod
    def parse(cls, text: str) -> Entry:
        """Read ``spec`` or ``label=spec``, with an own budget after ``@`` if wanted.

        Raises:
            ConfigError: the budget cannot be read.

        >>> Entry.parse("Deep=minimax:depth=4").label, Entry.parse("minimax:depth=4").label
        ('Deep', 'minimax:depth=4')
        >>> Entry.parse("mcts @time=0.5").limit.describe()
        '0.5s'
        """
        rest, at, budget = text.strip().rpartition(" @")
        limit = parse_limit(budget) if at else None
        spec = rest.strip() if at else text.strip()
        found = _LABELLED.fullmatch(spec)
        return cls(found[2], found[1], limit) if found else cls(spec, limit=limit)


@dataclass(frozen=True, slots=True)
class TournamentConfig:
    """Everything that decides what is played.

    Attributes:
        entries: the players, two or more, with different labels.
        rules: the rules of all games.
        games: games of each pairing.
        format: ``round-robin``, ``gauntlet`` (the first against each other one), or ``ladder`` (each
            against the next two of the list, for players in order of strength).
        openings: ``auto`` (generated), ``none``, the name of a shipped book, or a file.
        opening_plies: least and most stones of generated openings.
        transform: turn or mirror each opening at random.
        random_first: draw who moves first in each game (each game then has its own opening) instead
            of playing every opening with both colours.
        seed: of openings, colours and players.
        limit: budget of one answer, or clock for a game, of players without one of their own.
        adjudication: when the referee ends a game.
        tolerance_s: how late an answer may be.
        sprt: stop when this test is decided (two players only).

    Raises:
        ConfigError: impossible settings.
    """

    entries: tuple[Entry, ...]
    rules: Rules = field(default_factory=Rules)
    games: int = 2
    format: str = "round-robin"
    openings: str = "auto"
    opening_plies: tuple[int, int] = (2, 6)
    transform: bool = False
    random_first: bool = False
    seed: int = 0
    limit: Limit = field(default_factory=Limit)
    adjudication: Adjudication = field(default_factory=Adjudication)
    tolerance_s: float = 1.0
    sprt: SprtConfig | None = None

    def __post_init__(self) -> None:
        labels = [entry.label for entry in self.entries]
        if len(labels) < 2:
            raise ConfigError(f"{len(labels)} players: expected at least 2")
        for label in labels:
            if labels.count(label) > 1:
                raise ConfigError(f"two players are called {label!r}: name them, as in 'A={label}'")
        if self.games < 1:
            raise ConfigError(f"{self.games} games a pairing: expected at least 1")
        if self.format not in FORMATS:
            raise ConfigError(f"tournament format {self.format!r}: expected one of {', '.join(FORMATS)}")
        if self.tolerance_s < 0:
            raise ConfigError(f"tolerance {self.tolerance_s:g} s: expected 0 or more")
        if self.sprt is not None and len(labels) != 2:
            raise ConfigError(f"sprt with {len(labels)} players: expected 2")
        if self.rules.opening is not Opening.FREE and self.openings not in ("none", "auto"):
            raise ConfigError(
                f"openings {self.openings!r} with the {self.rules.opening} opening: expected none"
            )

    @property
    def uses_book(self) -> bool:
        """Whether stones are placed before the players are asked."""
        return self.openings != "none" and self.rules.opening is Opening.FREE

    def limit_of(self, index: int) -> Limit:
        """The budget of a player."""
        return self.entries[index].limit or self.limit

    def pairings(self) -> list[tuple[int, int]]:
        """Indices of the players of each pairing."""
        if self.format == "gauntlet":
            return [(0, other) for other in range(1, len(self.entries))]
        if self.format == "ladder":
            count = len(self.entries)
            return [(i, j) for i in range(count) for j in range(i + 1, min(i + 3, count))]
        return list(combinations(range(len(self.entries)), 2))

    def settings(self) -> dict[str, Any]:
        """All of it as JSON-compatible data; :func:`config_from_settings` reads it back."""
        data = dataclasses.asdict(self)
        data["opening_plies"] = list(self.opening_plies)
        data["rules"] = self.rules.to_json() | {"opening": str(self.rules.opening)}
        data["entries"] = [dataclasses.asdict(entry) for entry in self.entries]
        return data


@dataclass(frozen=True, slots=True)
class ScheduledGame:
    """A game to be played."""

    id: str  # unique; games of one pair differ in their last ``-1`` or ``-2`` only
    seats: tuple[int, int]  # the players' indices: who acts first, and the other
    opening: BookOpening  # the stones on the board
    seed: int  # of this game
    specs: tuple[str, str]  # each seat's spec with its seed
    index: int = 0  # its place among the games of its pairing, from 0


def config_from_settings(data: Mapping[str, Any]) -> TournamentConfig:
    """The inverse of :meth:`TournamentConfig.settings`."""
    try:
        values = {key: value for key, value in data.items() if key != "openings_hash"}
        values["entries"] = tuple(
            Entry(item["spec"], item["label"], item["limit"] and Limit(**item["limit"]))
            for item in data["entries"]
        )
        values["rules"] = Rules(**data["rules"])
        values["opening_plies"] = tuple(data["opening_plies"])
        values["limit"] = Limit(**data["limit"])
        values["adjudication"] = Adjudication(**data["adjudication"])
        values["sprt"] = SprtConfig(**data["sprt"]) if data["sprt"] else None
        return TournamentConfig(**values)
    except (KeyError, TypeError) as error:
        raise ConfigError(f"tournament settings: {error}: expected those of this version") from None


def check_players(config: TournamentConfig, *, allow_command: bool = False) -> None:
    """Make sure that every player exists and supports the rules, before anything is played."""
    for entry in config.entries:
        with create_player(entry.spec, allow_command=allow_command) as player:
            if (reason := player.capabilities.why_not(config.rules)) is not None:
                raise ConfigError(f"{entry.label} {reason}")


def book_of(config: TournamentConfig) -> list[BookOpening]:
    """The openings in the order they are used; used again from the start when there are too few."""
    if not config.uses_book:
        return [EMPTY]
    if config.openings == "auto":
        count = config.games if config.random_first else (config.games + 1) // 2
        most = min(config.opening_plies[1], max(2, config.rules.num_cells // 8))
        plies = (min(config.opening_plies[0], most), most)
        return generate_openings(config.rules, count, seed=config.seed, plies=plies) or [EMPTY]
    path = Path(config.openings)
    if path.suffix or path.exists():
        return load_openings(path, config.rules)
    return load_shipped(config.openings, config.rules)


def default_games(config: TournamentConfig) -> int:
    """How many games a pairing gets where no number was asked for.

    A test may play each opening of its book with both colours: a repeated game is no new evidence.
    """
    if config.sprt is None:
        return GAMES
    return 2 * len(book_of(config)) if config.openings not in ("auto", "none") else TEST_GAMES


def schedule(config: TournamentConfig, book: Sequence[BookOpening]) -> list[ScheduledGame]:
    """All games, in the order in which they are started: the pairings take turns, an opening each."""
    games = []
    step = 1 if config.random_first else 2
    for unit, start in enumerate(range(0, config.games, step)):
        for pair in config.pairings():
            for index in range(start, min(start + step, config.games)):
                games.append(_game(config, book, pair, index, unit))
    return games


def player_hash(config: TournamentConfig, index: int) -> str:
    """Twelve hex digits that change with a player's spec, budget or wuzi's version."""
    entry = config.entries[index]
    data = [entry.spec, dataclasses.asdict(config.limit_of(index)), wuzi.__version__]
    return _digest(json.dumps(data))[:12]


def _game(
    config: TournamentConfig, book: Sequence[BookOpening], pair: tuple[int, int], index: int, unit: int
) -> ScheduledGame:
    opening = book[unit % len(book)]
    labels = tuple(config.entries[player].label for player in pair)
    if config.transform:
        rng = np.random.default_rng([config.seed & (2**63 - 1), 1, unit])
        opening = random_symmetry(opening, config.rules.size, rng)
    moves = format_moves(opening.moves, config.rules.size)
    name = _digest("\x1f".join((*labels, opening.id, moves, str(unit))))[:12]
    if config.random_first:
        swap = int(_digest(f"{config.seed}\x1f{name}"), 16) % 2 == 1
    else:
        swap = index % 2 == 1
        name = f"{name}-{2 if swap else 1}"
    seats = (pair[1], pair[0]) if swap else pair
    seed = int(_digest(f"{config.seed}\x1f{name}")[:8], 16) & 0x7FFFFFFF
    specs = tuple(seeded(config.entries[seats[i]].spec, (seed + i) & 0x7FFFFFFF) for i in (0, 1))
    return ScheduledGame(name, seats, opening, seed, (specs[0], specs[1]), index)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
