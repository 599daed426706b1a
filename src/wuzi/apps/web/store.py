"""Games in SQLite: one row a game, written by one thread, so that the event loop never waits for a disk."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import delete, event, func, text
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Field, Session, SQLModel, col, create_engine, select

from wuzi.errors import ConfigError

SCHEMA = 1
FILE_NAME = "games.sqlite3"
T = TypeVar("T")


class StoredRow(SQLModel, table=True):
    """A game as stored; times are seconds since 1970."""

    __tablename__ = "games"

    id: str = Field(primary_key=True, max_length=40)
    created_at: float
    updated_at: float = Field(index=True)
    summary: str
    session: str


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game in the store.

    Attributes:
        id: its address.
        created_at, updated_at: seconds since 1970.
        summary: what lists show.
        session: what :func:`wuzi.games.session_from_json` reads.
    """

    id: str
    created_at: float
    updated_at: float
    summary: dict[str, Any]
    session: dict[str, Any]


class GameStore:
    """The database of games.

    Args:
        folder: where the database lives; made if missing.

    Raises:
        ConfigError: the folder or the file cannot be used, or a newer version wrote it.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="game-store")
        self._engine = create_engine(f"sqlite:///{self.path}", connect_args={"check_same_thread": False})
        event.listen(self._engine, "connect", _tune)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._open()
        except (OSError, SQLAlchemyError) as error:
            self.close()
            reason = str(getattr(error, "orig", None) or error).splitlines()[0]
            raise ConfigError(f"{self.path}: cannot be used as the database of games: {reason}") from error

    def _open(self) -> None:
        with self._engine.begin() as connection:
            found = int(connection.execute(text("PRAGMA user_version")).scalar_one())
            if found > SCHEMA:
                raise ConfigError(f"{self.path} has schema {found}: this version reads up to {SCHEMA}")
            SQLModel.metadata.create_all(connection, tables=[_table()])
            connection.execute(text(f"PRAGMA user_version = {SCHEMA}"))

    async def put(self, game: StoredGame) -> None:
        """Insert or replace a game."""
        row = StoredRow(
            id=game.id,
            created_at=game.created_at,
            updated_at=game.updated_at,
            summary=json.dumps(game.summary),
            session=json.dumps(game.session),
        )
        await self._in_thread(lambda session: session.merge(row))

    async def get(self, game_id: str) -> StoredGame | None:
        """The game of that id, if there is one."""

        def read(session: Session) -> StoredGame | None:
            row = session.get(StoredRow, game_id)
            return None if row is None else _stored(row)

        return await self._in_thread(read)

    async def recent(self, limit: int) -> list[StoredGame]:
        """The games touched last, newest first."""

        def read(session: Session) -> list[StoredGame]:
            query = (
                select(StoredRow).order_by(col(StoredRow.updated_at).desc(), col(StoredRow.id)).limit(limit)
            )
            return [_stored(row) for row in session.exec(query)]

        return await self._in_thread(read)

    async def delete(self, game_id: str) -> None:
        """Remove a game, if it is there."""
        await self._in_thread(
            lambda session: session.execute(delete(StoredRow).where(col(StoredRow.id) == game_id))
        )

    async def prune(self, before: float, keep: int) -> int:
        """Remove games not touched since ``before`` and all but the ``keep`` newest; returns how many."""

        def remove(session: Session) -> int:
            newest = select(StoredRow.id).order_by(col(StoredRow.updated_at).desc()).limit(keep)
            old = (col(StoredRow.updated_at) < before) | col(StoredRow.id).not_in(newest)
            count = session.scalar(select(func.count()).select_from(StoredRow).where(old)) or 0
            session.execute(delete(StoredRow).where(old))
            return count

        return await self._in_thread(remove)

    async def _in_thread(self, work: Callable[[Session], T]) -> T:
        def run() -> T:
            with Session(self._engine) as session, session.begin():
                return work(session)

        return await asyncio.get_running_loop().run_in_executor(self._thread, run)

    def close(self) -> None:
        """Finish what is being written and close the file."""
        self._thread.shutdown(wait=True)
        self._engine.dispose()


def _table() -> Any:
    return StoredRow.__table__  # type: ignore[attr-defined]


def _stored(row: StoredRow) -> StoredGame:
    return StoredGame(
        row.id, row.created_at, row.updated_at, json.loads(row.summary), json.loads(row.session)
    )


def _tune(connection: sqlite3.Connection, _record: object) -> None:
    """Write-ahead logging: readers never wait, and a killed server loses no finished write."""
    with contextlib.closing(connection.cursor()) as cursor:
        for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "busy_timeout = 5000"):
            cursor.execute(f"PRAGMA {pragma}")
