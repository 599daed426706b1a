"""Games in SQLite: one row a game, written by one thread, so that the event loop never waits for a disk."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import JSON, delete, event, text
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Field, Session, SQLModel, col, create_engine, select

from wuzi.errors import ConfigError

SCHEMA = 1
FILE_NAME = "games.sqlite3"
T = TypeVar("T")


class StoredGame(SQLModel, table=True):
    """A game as :func:`wuzi.games.session_from_json` reads it, with what lists show; times are since 1970."""

    __tablename__ = "games"

    id: str = Field(primary_key=True, max_length=40)
    created_at: float
    updated_at: float = Field(index=True)
    summary: dict[str, Any] = Field(sa_type=JSON)
    session: dict[str, Any] = Field(sa_type=JSON)


class GameStore:
    """The database of games in a folder, made if missing.

    ConfigError: the folder or the file cannot be used, or a newer version wrote it.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="game-store")
        self._engine = create_engine(f"sqlite:///{self.path}", connect_args={"check_same_thread": False})
        event.listen(self._engine, "connect", _tune)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with self._engine.begin() as connection:
                found = int(connection.execute(text("PRAGMA user_version")).scalar_one())
                if found > SCHEMA:
                    raise ConfigError(f"{self.path} has schema {found}: this version reads up to {SCHEMA}")
                SQLModel.metadata.create_all(connection, tables=[SQLModel.metadata.tables["games"]])
                connection.execute(text(f"PRAGMA user_version = {SCHEMA}"))
        except (OSError, SQLAlchemyError) as error:
            self.close()
            reason = str(getattr(error, "orig", None) or error).splitlines()[0]
            raise ConfigError(f"{self.path}: cannot be used as the database of games: {reason}") from error

    async def put(self, game: StoredGame) -> None:
        """Insert or replace a game."""
        await self._in_thread(lambda session: session.merge(game))

    async def get(self, game_id: str) -> StoredGame | None:
        """The game of that id, if there is one."""
        return await self._in_thread(lambda session: session.get(StoredGame, game_id))

    async def recent(self, limit: int) -> list[StoredGame]:
        """The games touched last, newest first."""
        newest = col(StoredGame.updated_at).desc()
        query = select(StoredGame).order_by(newest, col(StoredGame.id)).limit(limit)
        return await self._in_thread(lambda session: list(session.exec(query)))

    async def delete(self, game_id: str) -> None:
        """Remove a game, if it is there."""
        query = delete(StoredGame).where(col(StoredGame.id) == game_id)
        await self._in_thread(lambda session: session.execute(query))

    async def prune(self, before: float, keep: int) -> int:
        """Remove games not touched since ``before`` and all but the ``keep`` newest; returns how many."""

        def remove(session: Session) -> int:
            changed = col(StoredGame.updated_at)
            newest = select(StoredGame.id).order_by(changed.desc()).limit(keep)
            old = (changed < before) | col(StoredGame.id).not_in(newest)
            return session.connection().execute(delete(StoredGame).where(old)).rowcount

        return await self._in_thread(remove)

    async def _in_thread(self, work: Callable[[Session], T]) -> T:
        def run() -> T:
            with Session(self._engine, expire_on_commit=False) as session, session.begin():
                return work(session)

        return await asyncio.get_running_loop().run_in_executor(self._thread, run)

    def close(self) -> None:
        """Finish what is being written and close the file."""
        self._thread.shutdown(wait=True)
        self._engine.dispose()


def _tune(connection: sqlite3.Connection, _record: object) -> None:
    """Write-ahead logging: readers never wait, and a killed server loses no finished write."""
    with contextlib.closing(connection.cursor()) as cursor:
        for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "busy_timeout = 5000"):
            cursor.execute(f"PRAGMA {pragma}")
