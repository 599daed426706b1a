"""The database of games."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from wuzi.apps.web.store import FILE_NAME, GameStore, StoredGame
from wuzi.errors import ConfigError


def with_store(folder: Path, work: Callable[[GameStore], Awaitable[None]]) -> None:
    async def run() -> None:
        store = GameStore(folder)
        try:
            await work(store)
        finally:
            store.close()

    asyncio.run(run())


def stored(game_id: str, updated_at: float) -> StoredGame:
    return StoredGame(
        id=game_id,
        created_at=1.0,
        updated_at=updated_at,
        summary={"id": game_id},
        session={"schema": 1, "text": "五子"},
    )


def test_what_is_put_is_there_after_reopening(tmp_path: Path) -> None:
    async def fill(store: GameStore) -> None:
        await store.put(stored("a", 5.0))
        await store.put(stored("a", 6.0))

    async def look(store: GameStore) -> None:
        assert await store.get("a") == stored("a", 6.0)
        assert await store.get("b") is None
        await store.delete("a")
        await store.delete("a")
        assert await store.get("a") is None

    with_store(tmp_path / "deep" / "folder", fill)
    with_store(tmp_path / "deep" / "folder", look)


def test_recent_and_prune(tmp_path: Path) -> None:
    async def work(store: GameStore) -> None:
        now = time.time()
        for index in range(6):
            await store.put(stored(f"g{index}", now - 100 * index))
        assert [game.id for game in await store.recent(2)] == ["g0", "g1"]
        assert await store.prune(now - 450, keep=100) == 1
        assert await store.prune(0, keep=3) == 2
        assert [game.id for game in await store.recent(9)] == ["g0", "g1", "g2"]

    with_store(tmp_path, work)


def test_a_newer_schema_is_refused_and_left_alone(tmp_path: Path) -> None:
    GameStore(tmp_path).close()
    database = sqlite3.connect(tmp_path / FILE_NAME)
    database.execute("PRAGMA user_version = 99")
    database.commit()
    database.close()
    with pytest.raises(ConfigError, match="schema 99"):
        GameStore(tmp_path)


def test_a_file_that_is_no_database_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"this is no database at all, but long enough to be read as one" * 20)
    with pytest.raises(ConfigError, match="not a database"):
        GameStore(tmp_path)
    (tmp_path / "file").write_text("x", "utf-8")
    with pytest.raises(ConfigError):
        GameStore(tmp_path / "file")


def test_a_database_of_schema_1_still_loads(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / FILE_NAME)
    database.executescript((Path(__file__).parent / "games_schema1.sql").read_text("utf-8"))
    database.close()

    async def look(store: GameStore) -> None:
        game = await store.get("golden")
        assert game is not None
        assert game.summary["ply"] == 2
        assert game.session["position"]["actions"][0]["moves"] == ["e5"]

    with_store(tmp_path, look)
