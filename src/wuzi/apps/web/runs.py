"""The training runs in a server's folder: read as they are written, and told to those who follow them.

All files are read by one thread, each line once; the event loop waits for none of them. Ids are the names
of folders in the listing, never paths.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from wuzi.apps.web.engines import run_engine_id
from wuzi.apps.web.problems import ProblemError, not_found
from wuzi.apps.web.schemas_jobs import MetricsOut, RunGames, RunNetOut, RunOut, RunSummary, ScoreOut
from wuzi.apps.web.schemas_sockets import RunMessage
from wuzi.apps.web.settings import Settings
from wuzi.apps.web.sockets import Viewer
from wuzi.apps.web.trainer import Trainer
from wuzi.arena.rating import wilson
from wuzi.base.json_fields import MALFORMED
from wuzi.core import format_moves
from wuzi.errors import ConfigError, RecordError
from wuzi.nets.shelf import best_of_run
from wuzi.training.data.games import SelfPlayGame
from wuzi.training.run.directory import CURRENT, RunDirectory
from wuzi.training.run.health import HealthFinding
from wuzi.training.run.reader import RunReader, read_games, run_folder, run_names
from wuzi.training.run.status import State

FOLLOW_S = 1.0
"""Seconds from one look at a followed run to the next."""

MAX_LISTED = 200
MAX_SOCKETS = 100
MAX_ROWS = 100
"""Rows in one message; a page that has missed more asks for all figures again."""

T = TypeVar("T")


class RunHub:
    """The runs of a server, those that it trains itself included."""

    def __init__(self, settings: Settings, trainer: Trainer) -> None:
        self._settings = settings
        self._trainer = trainer
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="runs")
        self._readers: OrderedDict[str, RunReader] = OrderedDict()
        self._followers = 0

    @property
    def folder(self) -> Path | None:
        """Where the runs are; None where this server has none."""
        return self._settings.runs_dir

    async def recent(self) -> list[RunSummary]:
        """All runs, the one written to last first."""
        return await self._in_thread(self._list)

    async def read(self, run_id: str, work: Callable[..., T], *more: Any) -> T:
        """Have something made of a run that is up to date; ProblemError where there is no such run."""
        return await self._in_thread(lambda: work(self._fresh(run_id), *more))

    async def follow(self, run_id: str, viewer: Viewer) -> None:
        """Tell a viewer how a run stands, now and after each change; ends with the run's folder."""
        if self._followers >= MAX_SOCKETS:
            raise ProblemError(429, "limit_exceeded", f"{self._followers} sockets follow runs")
        self._followers += 1
        told, since = None, None
        try:
            while True:
                now = await self.read(run_id, self._told, since)
                known = (now.run, now.version, now.count)
                if known != told:
                    viewer.send(now)
                told, since = known, now
                await asyncio.sleep(FOLLOW_S)
        finally:
            self._followers -= 1

    async def close(self) -> None:
        """Stop reading."""
        self._thread.shutdown(wait=True)

    def _told(self, reader: RunReader, since: RunMessage | None) -> RunMessage:
        """What to tell of a run now; with the rows that are new, unless they are too many for a message."""
        version, count = reader.version, len(reader.rows)
        first = since.count if since is not None and since.version == version else count
        if count - first > MAX_ROWS:
            first = count
        run, rows = run_summary(reader, self._trainer), reader.rows[first:]
        return RunMessage(run=run, version=version, count=count, first=first, rows=rows)

    def _list(self) -> list[RunSummary]:
        if self.folder is None:
            return []
        found = []
        for name in {*run_names(self.folder), *self._trainer.names}:
            with contextlib.suppress(ProblemError):
                found.append(run_summary(self._fresh(name), self._trainer))
        return sorted(found, key=lambda run: run.updated_at, reverse=True)[:MAX_LISTED]

    def _fresh(self, run_id: str) -> RunReader:
        """The reader of a run with all that is written by now; ProblemError if there is none."""
        path = None if self.folder is None else run_folder(self.folder, run_id)
        if path is None:
            self._readers.pop(run_id, None)
            if (coming := self._trainer.coming(run_id)) is not None:
                return coming
            raise not_found(f"run {run_id[:80]!r}")
        try:
            reader = self._readers.get(run_id)
            if reader is None or reader.is_stale:
                reader = RunReader(path)
            reader.refresh()
        except (ConfigError, RecordError, OSError) as error:
            raise ProblemError(422, "bad_record", f"run {run_id}: {error}") from error
        self._readers[run_id] = reader
        self._readers.move_to_end(run_id)
        if len(self._readers) > MAX_LISTED:
            self._readers.popitem(last=False)
        return reader

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


STALLED_S = 600.0
"""A run at work that writes nothing for so long is stuck."""

_WINNERS = {1: "B", 0: None, -1: "W"}


def run_summary(reader: RunReader, trainer: Trainer) -> RunSummary:
    """What lists show of a run; the trainer knows whether this server started its process."""
    return RunSummary.model_validate(_summary(reader, trainer))


def run_out(reader: RunReader, trainer: Trainer) -> RunOut:
    """A run with what does not change."""
    environment = reader.notes.get("environment", {}).items()
    plain = {name: value for name, value in environment if value is None or isinstance(value, str | int)}
    tables = {
        section: {key: one if isinstance(one, str | int | float) else str(one) for key, one in table.items()}
        for section, table in reader.tables.items()
    }
    changes = [
        {"iteration": row["iteration"], "name": name, "before": one.get("from"), "after": one["to"]}
        for row in reader.changes
        for name, one in row["changes"].items()
    ]
    more = {"parameters": tables, "environment": plain, "version": str(reader.notes.get("wuzi", ""))}
    more["changes"] = changes
    return RunOut.model_validate(_summary(reader, trainer) | more)


def _state(reader: RunReader, trainer: Trainer) -> tuple[str, str]:
    """What became of a run, and why."""
    name, state = reader.path.name, reader.state
    if state is State.RUNNING:
        return state, ""
    if trainer.owns(name):
        return "starting", ""
    if not reader.notes:
        return State.FAILED, trainer.failure(name)
    if state is State.CRASHED and trainer.was_stopped(name):
        return State.STOPPED, ""  # it was too slow to say so before it was killed
    return state, reader.status.text if reader.status is not None and state is State.FAILED else ""


def _summary(reader: RunReader, trainer: Trainer) -> dict[str, Any]:
    work = {} if reader.status is None else reader.status.work
    state, reason = _state(reader, trainer)
    scores, games = scores_out(reader), reader.last("total_games")
    return {
        "id": reader.path.name,
        "method": reader.method,
        "preset": reader.preset,
        "rules": reader.rules,
        "net": _net(reader.tables),
        "state": str(state),
        "reason": reason,
        "can_stop": trainer.can_stop(reader.path.name),
        "iteration": reader.rows[-1]["iteration"] if reader.rows else 0,
        "iterations": reader.iterations,
        "games": None if games is None else int(games),
        "seconds": reader.last("seconds") or 0.0,
        "begun_at": str(reader.notes.get("begun", "")),
        "updated_at": reader.updated or trainer.begun(reader.path.name),
        "elo": reader.last("elo"),
        "score": scores[-1] if scores else None,
        "work": work if state == State.RUNNING and "stage" in work else None,
        "findings": _findings(reader),
    }


def _net(tables: Mapping[str, Mapping[str, Any]]) -> str:
    for section, key in (("net", "architecture"), ("ppo", "net"), ("distill", "net")):
        if key in tables.get(section, {}):
            return str(tables[section][key])
    return ""


def _findings(reader: RunReader) -> list[HealthFinding]:
    found = list(reader.findings)
    silent_s = time.time() - reader.updated
    if reader.state is State.RUNNING and silent_s > STALLED_S:
        minutes = round(silent_s / 60)
        text = f"nothing was written for {minutes} min"
        found.insert(0, HealthFinding("stalled", text, {"minutes": minutes}))
    return found


def scores_out(reader: RunReader) -> list[ScoreOut]:
    """The results of its evaluations with their intervals, in the order they were played."""
    found = []
    for one in reader.evaluations.values():
        games, points = one.wins + one.losses + one.draws, one.wins + one.draws / 2
        interval = wilson(points, games)
        rates = {"rate": points / games if games else 0.0, "low": interval.low, "high": interval.high}
        found.append(ScoreOut.model_validate(asdict(one) | rates))
    return found


def metrics_out(reader: RunReader, points: int) -> MetricsOut:
    """At most so many rows of figures, each with the latest value of every figure in its iterations."""
    count = len(reader.rows)
    stride = max(1, -(-count // points))
    ends = range(count, 0, -stride)
    merged = [
        {name: value for row in reader.rows[max(0, end - stride) : end] for name, value in row.items()}
        for end in reversed(ends)
    ]
    return MetricsOut(version=reader.version, count=count, stride=stride, rows=merged)


def run_games(reader: RunReader, first: int | None, count: int) -> RunGames:
    """Games of self-play; none for methods that keep them otherwise."""
    total, start, games = 0, 0, list[SelfPlayGame]()
    if reader.method != "ppo":
        try:
            total, start, games = read_games(reader.path, first, count)
        except RecordError:  # labelled games of distillation
            if reader.method == "selfplay":
                raise
    rows = [
        {
            "number": number,
            "net": game.net,
            "moves": format_moves(game.moves.tolist(), reader.rules.size),
            "ply": len(game.moves),
            "opening": game.opening,
            "winner": _WINNERS[game.result],
            "reason": game.reason,
        }
        for number, game in enumerate(games, start)
    ]
    return RunGames.model_validate({"total": total, "first": start, "rules": reader.rules, "games": rows})


def run_nets(reader: RunReader) -> list[RunNetOut]:
    """The nets of a run, the latest first."""
    directory = RunDirectory(reader.path)
    pointed = directory.pointed(CURRENT), best_of_run(reader.path)
    current, best = ((fact or {}).get("net") for fact in pointed)
    found = []
    for card in (reader.path / "nets").glob("*.json"):
        weights = card.with_suffix(".safetensors")
        try:
            data, size = json.loads(card.read_bytes()), weights.stat().st_size
            recipe = data["recipe"]
            net = {
                "name": card.stem,
                "engine": run_engine_id(reader.path, card.stem),
                "iteration": recipe.get("iteration"),
                "games": recipe.get("games"),
                "parameters": data["parameters"],
                "bytes": size,
                "current": card.stem == current,
                "best": card.stem == best,
            }
        except (OSError, *MALFORMED):  # deleted meanwhile, or no net
            continue
        found.append(RunNetOut.model_validate(net))
    return sorted(found, key=lambda net: (net.iteration or 0, net.games or 0, net.name), reverse=True)
