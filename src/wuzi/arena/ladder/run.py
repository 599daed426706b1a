"""Playing the ladder: each arm is a tournament's folder; see :mod:`wuzi.arena.campaign`.

::

    DIR/fast/                   the arm "fast": tournament.json, games.jsonl, batch_results_*.csv
    DIR/fast-others-1/          its games among the others
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from wuzi.arena.campaign import CampaignRun, begin, check_known, deadline_after, is_over
from wuzi.arena.journal import GAMES_FILE, load_games
from wuzi.arena.ladder.config import LadderArm, LadderConfig, LadderPart
from wuzi.arena.results import GameResult
from wuzi.arena.tournament import OnProgress, Portion, run_tournament
from wuzi.errors import ConfigError, WuziError
from wuzi.players.engines_file import Engine, load_engines
from wuzi.players.gomocup_client import GomocupClient

CONFIG_FILE = "ladder.toml"
_START_S = 20.0


@dataclass(frozen=True, slots=True)
class LadderChoice:
    """Which part of a ladder is played now."""

    arms: tuple[str, ...] = ()
    against: tuple[str, ...] = ()  # only games in which one of these players takes part; all when empty
    max_time_s: float | None = None  # no game begins after so many seconds

    def check(self, config: LadderConfig) -> None:
        """Make sure that the names are the ladder's."""
        check_known("unknown arm", self.arms, [arm.name for arm in config.arms])
        check_known("unknown player", self.against, config.labels())

    def wanted(self, first: str, second: str) -> bool:
        """Whether a game of these two is played."""
        return not self.against or first in self.against or second in self.against

    def parts(self, config: LadderConfig) -> list[LadderPart]:
        """The tournaments that are played, in order."""
        arms = [arm for arm in config.arms if not self.arms or arm.name in self.arms]
        return [part for arm in arms for part in arm.parts if self._has_games(part)]

    def _has_games(self, part: LadderPart) -> bool:
        entries = part.config.entries
        return any(self.wanted(entries[a].label, entries[b].label) for a, b in part.config.pairings())


def run_ladder(
    config: LadderConfig,
    out: Path,
    choice: LadderChoice = LadderChoice(),
    *,
    concurrency: int = 1,
    observe: Callable[[LadderPart], OnProgress] | None = None,
) -> None:
    """Play the games that are not in the folder yet.

    Killed at any moment, the folder holds every finished game, and the next call plays the others.

    With a time limit each of the games at once needs a processor of its own. ``observe`` gives the observer
    of each tournament before it starts.

    Raises:
        ConfigError: wrong names, missing engines, or a folder of another ladder.
        RecordError: the folder holds a broken record.
    """
    choice.check(config)
    deadline = deadline_after(choice.max_time_s)
    parts = choice.parts(config)
    playing = _playing(parts, choice)
    engines = {name: e for name, e in load_engines(config.path, shared=True).items() if name in playing}
    named = {name: greet(engine, parts[0].config.rules.size) for name, engine in engines.items()}
    begin(out, config.path, CONFIG_FILE, CampaignRun.now(named))
    for part in parts:
        run_tournament(
            part.config,
            out / part.folder,
            resume=True,
            grow=True,
            portion=Portion(choice.wanted, deadline),
            concurrency=concurrency,
            allow_command=True,
            on_progress=observe(part) if observe else None,
        )
        if is_over(deadline):
            break


def greet(engine: Engine, size: int) -> str:
    """Start an engine and ask for its name, before hours of games are lost to a wrong path.

    Returns:
        Name and version, or its name in the file if it does not say.
    """
    if shutil.which(engine.command[0]) is None:
        raise ConfigError(f"engine {engine.name}: {engine.command[0]}: no such program")
    try:
        with contextlib.closing(GomocupClient(engine, start_s=_START_S, tolerance_s=1.0)) as client:
            client.prepare(size)
            about = client.about
    except WuziError as error:
        raise ConfigError(f"engine {engine.name} does not start: {error}") from None
    return " ".join(filter(None, (about.get("name"), about.get("version")))) or engine.name


def load_arm(arm: LadderArm, out: Path) -> list[GameResult]:
    """All games of an arm so far."""
    return [record for part in arm.parts for record in load_games(out / part.folder / GAMES_FILE)]


def _playing(parts: Sequence[LadderPart], choice: LadderChoice) -> Collection[str]:
    """Who takes part in the chosen games."""
    found: set[str] = set()
    for part in parts:
        labels = [entry.label for entry in part.config.entries]
        for a, b in part.config.pairings():
            if choice.wanted(labels[a], labels[b]):
                found |= {labels[a], labels[b]}
    return found
