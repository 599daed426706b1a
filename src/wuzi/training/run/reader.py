"""A run as seen from another process, while it is written: each line is read once, nothing is changed."""

from __future__ import annotations

import datetime
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wuzi.base.schema import build_config
from wuzi.base.settings import merged, read_toml
from wuzi.base.store import JsonTail
from wuzi.core.rules import Rules
from wuzi.training.data.games import SelfPlayGame, Shards
from wuzi.training.run.changes import CHANGES, SCHEMA, Row, changed_tables, is_change
from wuzi.training.run.config import GameSection
from wuzi.training.run.directory import RunDirectory
from wuzi.training.run.health import FINDINGS, HealthFinding, settings_findings
from wuzi.training.run.status import NAME, RunStatus, State, read_status

_STARTING_S = 60.0
"""So long a run may need from its first file to its lock."""

_ENDING_S = 5.0
"""So long one may need from its lock to its last word."""


@dataclass(slots=True)
class EvaluationScore:
    """The games so far of one evaluation of an iteration's net, whose wins, losses and draws these are: of
    kind ``mcts`` against pure MCTS with so many playouts, of ``best`` against the best net before it, of
    ``table`` without search against the score table. What games against anchors say is among the figures.
    """

    iteration: int
    kind: str
    playouts: int | None
    wins: int = 0
    losses: int = 0
    draws: int = 0


class RunReader:
    """One run; :meth:`refresh` takes in what has been written since.

    Of a run whose folder is still to be made, ``planned`` is what its config.toml will say. A ConfigError or
    RecordError where there is no run that this version reads, an OSError as the disk does.

    Attributes:
        path, notes, tables, rules: its folder, its run.json, its parameters now by section, what is played.
        changes: what was changed of its parameters when it was resumed.
        rows: figures by iteration: finite numbers and None, under the names of self-play.
        warnings: what the run itself said of its latest iteration.
        evaluations: in the order they were played.
        version: grows when earlier rows were dropped, as happens when a run resumes from a checkpoint.
        status, is_locked: what it last said; whether a process was at work at the last refresh.
    """

    def __init__(self, path: Path, planned: Mapping[str, Any] | None = None) -> None:
        self.path = path
        self._directory = RunDirectory(path)
        self._stamp = _written_ns(path / "run.json")
        self.notes = self._directory.notes() if planned is None else {}
        data = read_toml(path / "config.toml") if planned is None else planned
        self.tables: dict[str, dict[str, Any]] = {
            name: table for name, table in data.items() if isinstance(table, dict)
        }
        self.method = str(data.get("method", self.notes.get("method", "selfplay")))
        self.preset = str(data.get("preset", self.notes.get("preset", "")))
        game = build_config(GameSection, {}, self.tables.get("game", {}), f"{path.name}/config.toml [game]")
        self.rules: Rules = game.rules
        self.version, self.is_locked = 0, False
        self.rows: list[dict[str, float | None]] = []
        self.warnings: tuple[str, ...] = ()
        self.evaluations: dict[tuple[int, str], EvaluationScore] = {}
        self.status: RunStatus | None = None
        self.changes: list[Row] = []
        self._raw: list[Mapping[str, Any]] = []
        self._changed = JsonTail(path / CHANGES)
        self._metrics = JsonTail(path / "metrics.jsonl")
        self._games = JsonTail(path / "evaluations.jsonl")

    def refresh(self) -> None:
        """Read what is new."""
        # In this order: a run that ends between the two is not taken for one that crashed.
        self.is_locked = self._directory.is_locked
        self.status = read_status(self.path)
        new = [row for row in self._changed.read()[1] if row.get("v") == SCHEMA and is_change(row)]
        self.changes += new
        self.tables = merged(self.tables, changed_tables(new))
        anew, rows = self._metrics.read()
        if anew:
            self.version += 1
            self.rows, self._raw = [], []
        for row in rows:
            if isinstance(row.get("iteration"), int):
                self.rows.append(_figures(row, self._raw[-1] if self._raw else None))
                self._raw.append(row)
                self.warnings = tuple(map(str, row.get("warnings", ())))
        anew, rows = self._games.read()
        if anew:
            self.evaluations = {}
        for row in rows:
            iteration, kind, score = row.get("iteration"), row.get("kind"), row.get("score")
            if isinstance(iteration, int) and kind in ("mcts", "best", "table"):
                fresh = EvaluationScore(iteration, kind, row.get("playouts"))
                found = self.evaluations.setdefault((iteration, kind), fresh)
                found.wins += score == 1.0
                found.losses += score == 0.0
                found.draws += score == 0.5

    @property
    def is_stale(self) -> bool:
        """Whether the run was replaced by another one of its name."""
        return _written_ns(self.path / "run.json") != self._stamp

    # ------------------------------------------------------------------ what follows from it

    @property
    def iterations(self) -> int | None:
        """How many are planned; None where the method decides."""
        found = self.tables.get("run", {}).get("iterations")
        return found if isinstance(found, int) and self.method != "distill" else None

    @property
    def state(self) -> State:
        """What became of the run."""
        if self.is_locked:
            return State.RUNNING
        if self.status is None:
            return self._silent_state()
        if (
            self.status.state is State.RUNNING
            and time.time() - _written_ns(self.path / NAME) / 1e9 > _ENDING_S
        ):
            return State.CRASHED
        return self.status.state

    @property
    def updated(self) -> float:
        """When it last wrote a row or its status, in seconds since 1970."""
        return max(_written_ns(self.path / name) for name in ("metrics.jsonl", NAME, "run.json")) / 1e9

    @property
    def findings(self) -> list[HealthFinding]:
        """What is wrong with it; what the rules do not know is told in the run's own words."""
        lasting = settings_findings(self.tables)
        if not self._raw:
            return lasting
        try:
            if self.method in FINDINGS:
                return lasting + FINDINGS[self.method](self._raw, self.rules.size)
        except (KeyError, TypeError):  # rows of another version
            pass
        return [HealthFinding("other", text) for text in self.warnings]

    def last(self, name: str) -> float | None:
        """The latest value of a figure."""
        return next((row[name] for row in reversed(self.rows) if row.get(name) is not None), None)

    # ------------------------------------------------------------------ inside

    def _silent_state(self) -> State:
        """The state of a run that wrote no status file."""
        if self.rows:
            done = self.rows[-1]["iteration"] or 0
            return State.FINISHED if self.iterations and done >= self.iterations else State.STOPPED
        if "begun" not in self.notes:
            return State.STOPPED
        begun = datetime.datetime.fromisoformat(str(self.notes["begun"])).timestamp()
        return State.RUNNING if time.time() - begun < _STARTING_S else State.STOPPED


def read_games(path: Path, first: int | None, count: int) -> tuple[int, int, list[SelfPlayGame]]:
    """Up to ``count`` games of self-play of a run in the order they ended, from ``first`` (None: the latest).

    How many there are, the number of the first one read, and those read; a RecordError for a broken line.
    """
    shards = Shards(path / "selfplay")
    total = shards.count
    start = max(0, total - count) if first is None else min(first, total)
    return total, start, list(shards.read(start, min(start + count, total)))


_NAMES = {"learning_rate": "lr", "plies_mean": "plies", "value_explained": "explained_after"}
"""Figures of PPO that self-play calls otherwise."""


def _figures(row: Mapping[str, Any], before: Mapping[str, Any] | None) -> dict[str, float | None]:
    """The numbers of a row, those that are not finite as None, and what follows from them."""
    found: dict[str, float | None] = {}
    for name, value in row.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            found[_NAMES.get(name, name)] = value if math.isfinite(value) else None
    if "finished" in row:  # PPO: shares already, and games since the beginning
        new, found["total_games"] = row["finished"], found.pop("games", None)
        found["black_share"], found["draw_share"] = found.pop("black_wins", None), found.pop("draws", None)
    else:
        new = row.get("games")
        if new and "black_wins" in row:
            found["black_share"], found["draw_share"] = row["black_wins"] / new, row["draws"] / new
    spent = row.get("seconds", 0.0) - (before.get("seconds", 0.0) if before else 0.0)
    if new is not None and spent > 0:
        found["games_per_minute"] = 60.0 * new / spent
    return found


def _written_ns(path: Path) -> int:
    """When a file was last written, in nanoseconds since 1970; 0 where there is none."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def run_names(folder: Path) -> list[str]:
    """The names of the runs in a folder; none where it cannot be read."""
    return sorted(path.name for path in _runs(folder))


def run_folder(folder: Path, name: str) -> Path | None:
    """The folder of the run of that name; None where there is none. A name is looked up, never followed."""
    return next((path for path in _runs(folder) if path.name == name), None)


def _runs(folder: Path) -> list[Path]:
    """The runs of a folder; links that lead out of it are none."""
    try:
        found = [path for path in folder.iterdir() if not path.name.startswith(".")]
    except OSError:
        return []
    home = folder.resolve()
    return [path for path in found if RunDirectory(path).exists and path.resolve().parent == home]
