"""Playing the ladder: each arm is a tournament's folder; see :mod:`wuzi.arena.campaign`.

::

    DIR/fast/                   the arm "fast": tournament.json, games.jsonl, batch_results_*.csv
    DIR/fast-others-1/          its games among the others
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from wuzi.arena.campaign import CampaignRun, begin, check_known, deadline_after, is_over
from wuzi.arena.journal import GAMES_FILE, load_games
from wuzi.arena.ladder.config import LadderArm, LadderConfig, LadderPart
from wuzi.arena.results import GameResult
from wuzi.arena.tournament import OnProgress, run_tournament
from wuzi.errors import ConfigError, WuziError
from wuzi.players.engines_file import Engine, load_engines
from wuzi.players.gomocup_client import GomocupClient

CONFIG_FILE = "ladder.toml"
_START_S = 20.0


def chosen(
    config: LadderConfig, arms: Sequence[str] = (), against: Sequence[str] = ()
) -> list[tuple[LadderPart, set[frozenset[str]]]]:
    """The tournaments of these arms in order, each with its pairs in which one of these players takes part.

    No names mean all. ConfigError for a name that is not the ladder's.
    """
    check_known("unknown arm", arms, [arm.name for arm in config.arms])
    check_known("unknown player", against, config.labels())
    found = []
    for part in (part for arm in config.arms if not arms or arm.name in arms for part in arm.parts):
        labels = [entry.label for entry in part.config.entries]
        pairs = {frozenset((labels[a], labels[b])) for a, b in part.config.pairings()}
        if pairs := {pair for pair in pairs if not against or pair & set(against)}:
            found.append((part, pairs))
    return found


def run_ladder(
    config: LadderConfig,
    out: Path,
    *,
    arms: Sequence[str] = (),
    against: Sequence[str] = (),
    max_time_s: float | None = None,
    concurrency: int = 1,
    observe: Callable[[LadderPart], OnProgress] | None = None,
) -> None:
    """Play the games that are not in the folder yet.

    Killed at any moment, the folder holds every finished game, and the next call plays the others.

    :func:`chosen` says which of them; none begins after ``max_time_s`` seconds. With a time limit each of
    the games at once needs a processor of its own. ``observe`` gives the observer of each tournament before
    it starts.

    Raises:
        ConfigError: wrong names, missing engines, or a folder of another ladder.
        RecordError: the folder holds a broken record.
    """
    deadline = deadline_after(max_time_s)
    parts = chosen(config, arms, against)
    playing = {name for _, pairs in parts for pair in pairs for name in pair}
    engines = {name: e for name, e in load_engines(config.path, shared=True).items() if name in playing}
    named = {name: greet(engine, parts[0][0].config.rules.size) for name, engine in engines.items()}
    begin(out, config.path, CONFIG_FILE, CampaignRun.now(named))
    for part, pairs in parts:
        run_tournament(
            part.config,
            out / part.folder,
            resume=True,
            grow=True,
            deadline=deadline,
            most=partial(_most, part, pairs),
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


def _most(part: LadderPart, pairs: set[frozenset[str]], first: str, second: str) -> int:
    return part.config.games if {first, second} in pairs else 0
