"""What pages keep on the server, in SQLite: games and reviews, each a value with a version.

One thread does all the work, so that the event loop never waits for a disk. A value is what the page makes of
it; the server knows its size, its version and what lists show.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from wuzi.apps.web.migration import earlier_reviews, page_game
from wuzi.apps.web.problems import ProblemError
from wuzi.apps.web.schemas import time_text
from wuzi.apps.web.seats import Digests, Writer, digest, needed_seat
from wuzi.errors import ConfigError

SCHEMA = 3
FILE_NAME = "games.sqlite3"
KINDS = ("games", "reviews")
_LONGEST_PATH = 512
T = TypeVar("T")

_TABLE = """CREATE TABLE IF NOT EXISTS {0} (id VARCHAR(40) NOT NULL PRIMARY KEY, created_at FLOAT NOT NULL,
updated_at FLOAT NOT NULL, summary JSON NOT NULL, data JSON NOT NULL, version INTEGER NOT NULL DEFAULT 1,
seats JSON, writer INTEGER)"""
_COLUMNS = "id, created_at, updated_at, summary, data, version, seats, writer"
_PLACES = ",".join("?" * 8)


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """A game or a review as its pages wrote it; times are seconds since 1970.

    Attributes:
        seats: digests of the keys of both seats, of a game by a link; None: whoever knows the id writes.
        writer: the seat that wrote this version.
    """

    id: str
    created_at: float
    updated_at: float
    summary: dict[str, Any]
    data: dict[str, Any]
    version: int
    seats: Digests | None = None
    writer: int | None = None


class Store:
    """The database in a folder, made if missing.

    ConfigError: the folder or the file cannot be used, or a newer version wrote it.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None)
            try:
                self._open()
            except BaseException:
                self._db.close()
                raise
        except (OSError, sqlite3.Error) as error:
            self._thread.shutdown()
            path = str(self.path.absolute())
            long = (
                f" (SQLite opens paths of up to {_LONGEST_PATH} bytes)"
                if len(os.fsencode(path)) > _LONGEST_PATH
                else ""
            )
            raise ConfigError(f"{path}: cannot be used as the database of games: {error}{long}") from error

    def _open(self) -> None:
        # Write-ahead logging: readers never wait, and a killed server loses no finished write.
        for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "busy_timeout = 5000"):
            self._db.execute(f"PRAGMA {pragma}")
        found = int(self._db.execute("PRAGMA user_version").fetchone()[0])
        if found > SCHEMA:
            raise ConfigError(f"{self.path} has schema {found}: this version reads up to {SCHEMA}")
        with self._whole():
            if found == 1:
                self._db.execute("ALTER TABLE games RENAME COLUMN session TO data")
                self._db.execute("ALTER TABLE games ADD COLUMN version INTEGER NOT NULL DEFAULT 1")
            for kind in KINDS if found == 2 else ("games",) if found == 1 else ():
                self._db.execute(f"ALTER TABLE {kind} ADD COLUMN seats JSON")
                self._db.execute(f"ALTER TABLE {kind} ADD COLUMN writer INTEGER")
            for kind in KINDS:
                self._db.execute(_TABLE.format(kind))
                self._db.execute(f"CREATE INDEX IF NOT EXISTS ix_{kind}_updated_at ON {kind} (updated_at)")
            self._db.execute(f"PRAGMA user_version = {SCHEMA}")

    @contextlib.contextmanager
    def _whole(self) -> Any:
        """All of what happens here, or nothing."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    async def put(
        self,
        kind: str,
        name: str,
        version: int,
        summary: dict[str, Any],
        data: dict[str, Any],
        writer: Writer = Writer(),
    ) -> StoredEntry | None:
        """Keep a new value of what had this version (0: what is new); None if it has another one by now.

        ProblemError: it has seats, and the writer has the key of none.
        """
        now = time.time()
        texts = [json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in (summary, data)]

        def write() -> StoredEntry | None:
            seats, seat = self._seated(kind, name, writer)
            told = seats and json.dumps(seats)
            if version == 0:
                values = (name, now, now, *texts, 1, told, seat)
                done = self._db.execute(
                    f"INSERT OR IGNORE INTO {kind} ({_COLUMNS}) VALUES ({_PLACES})", values
                )
            else:
                done = self._db.execute(
                    f"UPDATE {kind} SET updated_at=?, summary=?, data=?, version=version+1, seats=?, writer=?"
                    " WHERE id=? AND version=?",
                    (now, *texts, told, seat, name, version),
                )
            return self._found(kind, name) if done.rowcount else None

        return await self._in_thread(write)

    def _seated(self, kind: str, name: str, writer: Writer) -> tuple[Digests | None, int | None]:
        """The seats of a value from now on, and the one that writes it."""
        seats = self._seats(kind, name)
        if seats is None and writer.keys:
            seats = [digest(key) for key in writer.keys]
        elif seats is None and writer.like and not self._is_kept(kind, name):
            seats = self._seats(kind, writer.like)
            needed_seat(seats, writer.key)
            if seats and writer.swapped:
                seats = seats[::-1]
        return seats, needed_seat(seats, writer.key)

    def _seats(self, kind: str, name: str) -> Digests | None:
        row = self._db.execute(f"SELECT seats FROM {kind} WHERE id=?", (name,)).fetchone()
        return None if row is None or row[0] is None else json.loads(row[0])

    def _is_kept(self, kind: str, name: str) -> bool:
        return self._db.execute(f"SELECT 1 FROM {kind} WHERE id=?", (name,)).fetchone() is not None

    async def get(self, kind: str, name: str) -> StoredEntry | None:
        """The value of that id, if there is one."""
        return await self._in_thread(lambda: self._found(kind, name))

    async def recent(
        self, kind: str, limit: int, search: str = "", only: Sequence[str] | None = None
    ) -> list[dict[str, Any]]:
        """What lists show, the latest change first; of a search those that have all its words.

        With ``only`` of these ids; without it of all that have no seats: who has no link of a game does not
        learn of it.
        """
        words = search.casefold().split()
        those = "seats IS NULL" if only is None else f"id IN ({','.join('?' * len(only))})"

        def read() -> list[dict[str, Any]]:
            query = f"SELECT summary, created_at, updated_at FROM {kind} WHERE {those}"
            rows = self._db.execute(f"{query} ORDER BY updated_at DESC, id", tuple(only or ()))
            found = (
                json.loads(text) | {"createdAt": time_text(created), "updatedAt": time_text(updated)}
                for text, created, updated in rows
            )
            fitting = (one for one in found if all(word in _searched(one) for word in words))
            return [one for one, _ in zip(fitting, range(limit), strict=False)]

        return await self._in_thread(read)

    async def delete(self, kind: str, name: str) -> bool:
        """Remove a value; whether it was there. ProblemError: it has seats, and belongs to both of them."""

        def remove() -> bool:
            needed_seat(self._seats(kind, name), "")
            return bool(self._db.execute(f"DELETE FROM {kind} WHERE id=?", (name,)).rowcount)

        return await self._in_thread(remove)

    async def prune(self, kind: str, before: float, keep: int) -> int:
        """Remove what was not changed since ``before``, and all but the ``keep`` newest; returns how many."""
        newest = f"SELECT id FROM {kind} ORDER BY updated_at DESC LIMIT ?"
        query = f"DELETE FROM {kind} WHERE updated_at < ? OR id NOT IN ({newest})"
        return await self._in_thread(lambda: self._db.execute(query, (before, keep)).rowcount)

    async def take_in(self, folder: Path) -> None:
        """Keep the reviews of an earlier version, whose folder then has another name."""

        def move() -> None:
            if not folder.is_dir():
                return
            for name, changed, summary, data in earlier_reviews(folder):
                texts = (json.dumps(summary), json.dumps(data))
                values = (name, changed, changed, *texts, 1, None, None)
                self._db.execute(f"INSERT OR IGNORE INTO reviews ({_COLUMNS}) VALUES ({_PLACES})", values)
            folder.rename(folder.with_name(f"{folder.name}-of-schema-1"))

        await self._in_thread(move)

    def _found(self, kind: str, name: str) -> StoredEntry | None:
        row = self._db.execute(f"SELECT {_COLUMNS} FROM {kind} WHERE id=?", (name,)).fetchone()
        if row is None:
            return None
        name, created_at, updated_at, summary, data, version, seats, writer = row
        about, value = json.loads(summary), page_game(json.loads(data))
        seated = None if seats is None else json.loads(seats)
        return StoredEntry(name, created_at, updated_at, about, value, version, seated, writer)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except sqlite3.Error as error:
            raise ProblemError(503, "storage_failed", f"{self.path.name}: {error}") from error

    def close(self) -> None:
        """Finish what is being written and close the file."""
        self._thread.shutdown(wait=True)
        self._db.close()


def _searched(about: dict[str, Any]) -> str:
    """The words of a summary: the names of game and players in both languages, board and rule."""
    rules = about.get("rules", {})
    names = [text for seat in about.get("seats", ()) for text in seat["name"].values()]
    board = f"{rules.get('size')}x{rules.get('size')}"
    return " ".join([about.get("name", ""), *names, board, str(rules.get("rule"))]).casefold()
