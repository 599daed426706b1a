"""The training runs in a server's folder: read as they are written, and told to those who follow them.

All files are read by one thread, each line once; the event loop waits for none of them. Ids are the names
of folders in the listing, never paths.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from wuzi.apps.web.problems import ProblemError, not_found
from wuzi.apps.web.run_states import metrics_out, run_games, run_nets, run_out, run_summary, score_out
from wuzi.apps.web.schemas_sockets import RunMessage
from wuzi.apps.web.schemas_training import MetricsOut, RunGames, RunNetOut, RunOut, RunSummary, ScoreOut
from wuzi.apps.web.settings import Settings
from wuzi.apps.web.sockets import Viewer
from wuzi.apps.web.trainer import Trainer
from wuzi.errors import ConfigError, RecordError
from wuzi.training.run.reader import RunReader, run_folder, run_names

FOLLOW_S = 1.0
"""Seconds from one look at a followed run to the next."""

MAX_LISTED = 200
MAX_SOCKETS = 100
MAX_ROWS = 100
"""Rows in one message; a page that has missed more asks for all figures again."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Told:
    """What the followers of a run are told: how it stands, and its rows from some number on."""

    version: int
    count: int
    summary: RunSummary
    rows: list[dict[str, float | None]] = field(compare=False)

    def message(self) -> RunMessage:
        first = self.count - len(self.rows)
        return RunMessage(
            run=self.summary, version=self.version, count=self.count, first=first, rows=self.rows
        )


class RunHub:
    """The runs of a server, those that it trains itself included."""

    def __init__(self, settings: Settings, trainer: Trainer) -> None:
        self._settings = settings
        self._trainer = trainer
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="runs")
        self._readers: OrderedDict[str, RunReader] = OrderedDict()
        self._viewers: dict[str, set[Viewer]] = {}
        self._followers: dict[str, asyncio.Task[None]] = {}

    @property
    def folder(self) -> Path | None:
        """Where the runs are; None where this server has none."""
        return self._settings.runs_dir

    async def recent(self) -> list[RunSummary]:
        """All runs, the one written to last first."""
        return await self._in_thread(self._list)

    async def summary(self, run_id: str) -> RunSummary:
        """One run in short; as all of these ProblemError where there is no such run."""
        return await self._read(run_id, self._summary)

    async def run(self, run_id: str) -> RunOut:
        """One run with its parameters."""
        return await self._read(run_id, lambda reader: run_out(reader, self._trainer))

    async def metrics(self, run_id: str, points: int) -> MetricsOut:
        """The figures of a run."""
        return await self._read(run_id, lambda reader: metrics_out(reader, points))

    async def evaluations(self, run_id: str) -> list[ScoreOut]:
        """The results of its evaluations."""
        return await self._read(run_id, lambda reader: list(map(score_out, reader.evaluations.values())))

    async def games(self, run_id: str, first: int | None, count: int) -> RunGames:
        """Games of its self-play."""
        return await self._read(run_id, lambda reader: run_games(reader, first, count))

    async def nets(self, run_id: str) -> list[RunNetOut]:
        """The nets it has saved, the latest first."""
        return await self._read(run_id, run_nets)

    @contextlib.asynccontextmanager
    async def reading(self, run_id: str, viewer: Viewer) -> AsyncIterator[None]:
        """Tell a viewer of a run meanwhile; ProblemError if there is no such run, or over the limit."""
        count = sum(map(len, self._viewers.values()))
        if count >= MAX_SOCKETS:
            raise ProblemError(429, "limit_exceeded", f"{count} sockets follow runs")
        told = await self._read(run_id, self._told)
        viewers = self._viewers.setdefault(run_id, set())
        viewers.add(viewer)
        viewer.send(told.message())
        if run_id not in self._followers:
            self._followers[run_id] = asyncio.create_task(self._follow(run_id, told))
        try:
            yield
        finally:
            viewers.discard(viewer)
            if not viewers:
                self._viewers.pop(run_id, None)
                if task := self._followers.pop(run_id, None):
                    task.cancel()

    async def close(self) -> None:
        """Stop following, and say goodbye."""
        for task in self._followers.values():
            task.cancel()
        await asyncio.gather(*self._followers.values(), return_exceptions=True)
        for viewers in self._viewers.values():
            for viewer in list(viewers):
                await viewer.close(1001)
        self._thread.shutdown(wait=True)

    async def _follow(self, run_id: str, told: _Told) -> None:
        while True:
            await asyncio.sleep(FOLLOW_S)
            try:
                now = await self._read(run_id, self._told, since=told)
            except ProblemError:
                for viewer in list(self._viewers.get(run_id, ())):
                    await viewer.close(4404)
                return
            if now != told:
                for viewer in self._viewers.get(run_id, ()):
                    viewer.send(now.message())
            told = now

    def _told(self, reader: RunReader, since: _Told | None = None) -> _Told:
        """What to tell of a run now; with the rows that are new, unless they are too many for a message."""
        version, count = reader.version, len(reader.rows)
        first = since.count if since is not None and since.version == version else count
        rows = reader.rows[first:] if count - first <= MAX_ROWS else []
        return _Told(version, count, self._summary(reader), rows)

    def _summary(self, reader: RunReader) -> RunSummary:
        return run_summary(reader, self._trainer)

    def _list(self) -> list[RunSummary]:
        if self.folder is None:
            return []
        found = []
        for name in {*run_names(self.folder), *self._trainer.names}:
            with contextlib.suppress(ProblemError):
                found.append(self._summary(self._fresh(name)))
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

    async def _read(self, run_id: str, work: Callable[..., T], **more: Any) -> T:
        """Have something made of a run that is up to date."""
        return await self._in_thread(lambda: work(self._fresh(run_id), **more))

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)
