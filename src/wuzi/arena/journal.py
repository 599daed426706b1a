"""The folder of a tournament: its settings, and a line for every finished game."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import filelock

import wuzi
from wuzi.arena.results import GameResult, record_from_json, record_to_json
from wuzi.base.store import JsonLines, read_object, write_object
from wuzi.errors import ConfigError, RecordError

SETTINGS_FILE = "tournament.json"
GAMES_FILE = "games.jsonl"
SCHEMA = 1


class TournamentJournal(AbstractContextManager["TournamentJournal"]):
    """Settings and games on disk. Each game is one whole line, written and flushed when it is over.

    Use it as a context manager: two programs never write to one folder, which is made if needed. ``resume``
    continues with the games that are there, ``grow`` allows more games or players than before.

    Raises:
        ConfigError: there are games and ``resume`` is not set; other settings than before; or another
            program is at work in the folder.
        RecordError: a broken file (a broken last line is dropped: the program was killed while writing).
    """

    def __init__(
        self, folder: Path, settings: Mapping[str, Any], *, resume: bool = False, grow: bool = False
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._lock = filelock.FileLock(folder / ".lock")
        try:
            self._lock.acquire(timeout=0)
        except filelock.Timeout:
            raise ConfigError(f"{folder}: another tournament is running there") from None
        try:
            self.created = self._settle(json.loads(json.dumps(settings)), resume, grow)
            self._games = JsonLines(folder / GAMES_FILE)
            self._games.unpack()
            self.records = load_games(folder / GAMES_FILE)
            self._games.repair()
        except BaseException:
            self._lock.release()
            raise

    def append(self, record: GameResult) -> None:
        """Write a game."""
        self._games.add(record_to_json(record))
        self.records.append(record)

    @property
    def csv_path(self) -> Path:
        """Where the results go: named after the time the tournament was created."""
        return self.folder / f"batch_results_{self.created:%Y%m%d_%H%M%S}.csv"

    def close(self) -> None:
        """Let other programs in."""
        self._lock.release()

    def __exit__(self, *error: object) -> None:
        self.close()

    def _settle(self, settings: dict[str, Any], resume: bool, grow: bool) -> datetime.datetime:
        """Write the settings, or compare them with those that are there; when it was created."""
        path = self.folder / SETTINGS_FILE
        if path.exists():
            if not resume:
                raise ConfigError(f"{self.folder}: there is a tournament already; continue it with --resume")
            old = load_settings(self.folder)
            if found := differences(old["settings"], settings):
                if not (grow and only_grew(old["settings"], settings)):
                    raise ConfigError(f"{path}: cannot resume with other settings: {'; '.join(found)}")
                write_object(path, {**old, "settings": settings})
            try:
                return datetime.datetime.fromisoformat(old["created"])
            except ValueError:
                wrong = f"created is {old['created']!r}: expected an ISO 8601 time"
                raise RecordError(f"{path}: {wrong}") from None
        if JsonLines(self.folder / GAMES_FILE).exists():
            raise RecordError(f"{self.folder}: {GAMES_FILE} without {SETTINGS_FILE}: cannot tell whose games")
        return write_settings(self.folder, settings)


def write_settings(folder: Path, settings: Mapping[str, Any]) -> datetime.datetime:
    """Write the ``tournament.json`` of a new tournament; when it was created."""
    now = datetime.datetime.now().astimezone().replace(microsecond=0)
    data = {"v": SCHEMA, "version": wuzi.__version__, "created": now.isoformat(), "settings": settings}
    write_object(folder / SETTINGS_FILE, data)
    return now


def load_settings(folder: Path) -> dict[str, Any]:
    """What ``tournament.json`` of a folder says."""
    path = folder / SETTINGS_FILE
    data = read_object(path)
    if data.get("v") != SCHEMA:
        raise RecordError(f"{path}: expected a tournament's settings, schema version {SCHEMA}")
    for key, kind in (("settings", dict), ("created", str)):
        if not isinstance(data.get(key), kind):
            raise RecordError(f"{path}: {key} is {data.get(key)!r}")
    return data


def load_games(path: Path) -> list[GameResult]:
    """The games in a ``games.jsonl``, packed or not; none where it is missing, without a broken last line."""
    records: dict[str, GameResult] = {}
    for where, data in JsonLines(path).objects():
        record = record_from_json(data, where)
        if record.game_id in records:
            raise RecordError(f"{where}: game {record.game_id} is there twice")
        records[record.game_id] = record
    return list(records.values())


def differences(old: Any, new: Any, name: str = "") -> list[str]:
    """What differs between two settings, each as ``key was 1, is 2``.

    >>> differences({"games": 60, "seed": 0}, {"games": 80, "seed": 0})
    ['games was 60, is 80']
    """
    if isinstance(old, dict) and isinstance(new, dict):
        found = []
        for key in sorted({*old, *new}):
            found += differences(old.get(key), new.get(key), f"{name}.{key}" if name else key)
        return found
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [text for i in range(len(old)) for text in differences(old[i], new[i], f"{name}[{i}]")]
    if old == new:
        return []
    return [f"{name} was {json.dumps(old)}, is {json.dumps(new)}"]


def only_grew(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether new settings only add games to each pairing, or players after those there were.

    >>> only_grew({"games": 60, "entries": ["a", "b"]}, {"games": 80, "entries": ["a", "b", "c"]})
    True
    >>> only_grew({"games": 60, "entries": ["a", "b"]}, {"games": 40, "entries": ["a", "b"]})
    False
    """
    if new["games"] < old["games"]:
        return False
    cut = {**new, "games": old["games"], "entries": new["entries"][: len(old["entries"])]}
    if old.get("openings") == "auto":
        # More games need more openings, of which the first are the same.
        cut["openings_hash"] = old.get("openings_hash")
    return not differences(dict(old), {key: value for key, value in cut.items() if key in new})
