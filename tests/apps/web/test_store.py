"""The database of what pages keep."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tests.web_server import page_game
from wuzi.analysis.review import ReviewOptions
from wuzi.analysis.review.model import ReviewJournal
from wuzi.analysis.review.results import SearchedPosition, SeenLine
from wuzi.apps.web.problems import ProblemError
from wuzi.apps.web.seats import Writer
from wuzi.apps.web.store import FILE_NAME, Store
from wuzi.core import Move
from wuzi.errors import ConfigError
from wuzi.records import loads

SGF = "(;FF[4]GM[4]SZ[15]PB[Ada]PW[Bo];B[hh];W[gg];B[hi])"
GOLDEN = Path(__file__).parents[2] / "games" / "session_schema1.json"


def with_store(folder: Path, work: Callable[[Store], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        store = Store(folder)
        try:
            return await work(store)
        finally:
            store.close()

    return asyncio.run(run())


def test_what_is_put_is_there_after_reopening(tmp_path: Path) -> None:
    async def fill(store: Store) -> None:
        first = await store.put("games", "aaaa", 0, {"name": "五子"}, {"seq": 1})
        assert first is not None and first.version == 1
        second = await store.put("games", "aaaa", 1, {"name": "五子"}, {"seq": 2})
        assert second is not None and (second.version, second.created_at) == (2, first.created_at)

    async def look(store: Store) -> None:
        found = await store.get("games", "aaaa")
        assert found is not None and (found.version, found.data) == (2, {"seq": 2})
        assert await store.get("games", "bbbb") is None and await store.get("reviews", "aaaa") is None
        assert await store.delete("games", "aaaa") and not await store.delete("games", "aaaa")

    with_store(tmp_path / "deep" / "folder", fill)
    with_store(tmp_path / "deep" / "folder", look)


def test_a_write_from_an_older_version_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await store.put("games", "aaaa", 0, {}, {"by": "one"})
        writers = [store.put("games", "aaaa", 1, {}, {"by": number}) for number in range(8)]
        done = [one for one in await asyncio.gather(*writers) if one is not None]
        assert len(done) == 1
        for version in (0, 1, 3):
            assert await store.put("games", "aaaa", version, {}, {"by": "late"}) is None
        assert await store.get("games", "aaaa") == done[0]
        assert await store.put("games", "gone", 1, {}, {}) is None

    with_store(tmp_path, work)


KEYS = ("black-" * 4, "white-" * 4)


def test_a_game_with_seats_is_written_by_them_alone(tmp_path: Path) -> None:
    black, white, stranger = (Writer(key) for key in (*KEYS, "other-" * 4))

    async def work(store: Store) -> None:
        made = await store.put("games", "aaaa", 0, {"id": "aaaa"}, {}, Writer(KEYS[0], KEYS))
        assert made is not None and (made.writer, made.version) == (0, 1)
        assert made.seats and not set(KEYS) & set(made.seats)
        second = await store.put("games", "aaaa", 1, {"id": "aaaa"}, {"move": 1}, white)
        assert second is not None and (second.writer, second.seats) == (1, made.seats)
        for wrong in (stranger, Writer(), Writer(made.seats[0]), Writer("", KEYS), Writer(keys=KEYS)):
            with pytest.raises(ProblemError, match="link of a seat"):
                await store.put("games", "aaaa", 2, {}, {"stolen": True}, wrong)
        with pytest.raises(ProblemError, match="link of a seat"):
            await store.delete("games", "aaaa")
        assert await store.put("games", "aaaa", 1, {}, {}, black) is None
        kept = await store.get("games", "aaaa")
        assert kept is not None and kept.data == {"move": 1}
        # Who has no link does not learn of it.
        assert await store.recent("games", 9) == []
        assert [one["id"] for one in await store.recent("games", 9, only=["aaaa", "bbbb"])] == ["aaaa"]

        again = await store.put("games", "bbbb", 0, {}, {}, Writer(KEYS[0], like="aaaa", swapped=True))
        assert again is not None and again.seats == made.seats[::-1] and again.writer == 1
        with pytest.raises(ProblemError, match="link of a seat"):
            await store.put("games", "cccc", 0, {}, {}, Writer("other-" * 4, like="aaaa"))

    with_store(tmp_path, work)


def test_a_game_gets_seats_later(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await store.put("games", "aaaa", 0, {}, {})
        seated = await store.put("games", "aaaa", 1, {}, {}, Writer(KEYS[1], KEYS))
        assert seated is not None and seated.writer == 1
        with pytest.raises(ProblemError):
            await store.put("games", "aaaa", 2, {}, {})

    with_store(tmp_path, work)


def test_recent_search_and_prune(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        for index in range(6):
            seats = [{"name": {"en": f"Player {index}", "zh": "甲"}}]
            about = {"id": f"g{index}", "rules": {"size": 9, "rule": "renju"}, "seats": seats}
            await store.put("games", f"game{index}", 0, about, {})
            await asyncio.sleep(0.002)
        assert [one["id"] for one in await store.recent("games", 2)] == ["g5", "g4"]
        for search, found in (("player 3 9x9", ["g3"]), ("甲 RENJU", ["g5", "g4"]), ("player 9 15x15", [])):
            assert [one["id"] for one in await store.recent("games", 2, search)] == found
        assert await store.prune("games", 0, keep=3) == 3
        assert [one["id"] for one in await store.recent("games", 9)] == ["g5", "g4", "g3"]
        assert await store.prune("games", time.time() + 1, keep=9) == 3

    with_store(tmp_path, work)


def test_a_newer_schema_is_refused_and_left_alone(tmp_path: Path) -> None:
    Store(tmp_path).close()
    database = sqlite3.connect(tmp_path / FILE_NAME)
    database.execute("PRAGMA user_version = 99")
    database.commit()
    database.close()
    with pytest.raises(ConfigError, match="schema 99"):
        Store(tmp_path)


def test_a_file_that_is_no_database_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"this is no database at all, but long enough to be read as one" * 20)
    with pytest.raises(ConfigError, match="not a database"):
        Store(tmp_path)
    (tmp_path / "file").write_text("x", "utf-8")
    with pytest.raises(ConfigError):
        Store(tmp_path / "file")
    with pytest.raises(ConfigError, match="up to 512 bytes"):
        Store(tmp_path / ("d" * 200) / ("e" * 200) / ("f" * 200))


def test_a_database_of_schema_1_still_loads(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / FILE_NAME)
    database.executescript((Path(__file__).parent / "games_schema1.sql").read_text("utf-8"))
    session = GOLDEN.read_text("utf-8")
    database.execute("INSERT INTO games VALUES ('other', 1.0, 2.0, '{}', ?)", (session,))
    database.commit()
    database.close()

    async def look(store: Store) -> None:
        golden, other = await store.get("games", "golden"), await store.get("games", "other")
        assert golden is not None and other is not None
        assert golden.summary["ply"] == 2 and golden.version == 1
        assert str(page_game(golden.data).moves[0]) == "e5"
        old, data = json.loads(session), other.data
        game = page_game(data)
        assert len(game.actions) == len(old["position"]["actions"])
        assert data["seq"] == old["seq"] and len(data["seats"]) == len(data["clocks"]) == 2
        assert [one and one["leftS"] for one in data["clocks"]] == old["clocks"]
        assert data["winrates"] == [[int(ply), rate] for ply, rate in old["winrates"].items()]
        again = await store.put("games", "other", 1, {}, data)
        assert again is not None and again.data == data

    with_store(tmp_path, look)


def test_the_reviews_of_an_earlier_server_are_taken_in_once(tmp_path: Path) -> None:
    folder = tmp_path / "reviews"
    folder.mkdir()
    (folder / "abcdefgh.sgf").write_text(SGF, "utf-8")
    (folder / "broken.sgf").write_text("(;GM", "utf-8")
    game, options = loads(SGF).game(), ReviewOptions(quick_nodes=5000, deep_nodes=0)
    journal = ReviewJournal(folder / "abcdefgh.jsonl")
    journal.open(game, options)
    move = Move(0, 15)
    journal.add("quick.3", SearchedPosition(0.5, 10, (SeenLine(move, 0.5, None, (move,)),)))

    async def take(store: Store) -> Any:
        await store.take_in(folder)
        await store.take_in(folder)
        return await store.get("reviews", "abcdefgh"), await store.recent("reviews", 9)

    found, listed = with_store(tmp_path, take)
    assert [one["id"] for one in listed] == ["abcdefgh"] and listed[0]["status"] == "stopped"
    assert found.data["players"] == {"B": "Ada", "W": "Bo"}
    assert found.data["wire"]["quick.3"]["lines"][0]["move"] == "a15"
    assert found.data["options"]["quickNodes"] == asdict(options)["quick_nodes"]
    assert page_game(found.data["game"] | {"end": None}).moves == game.moves
    assert not folder.exists() and (tmp_path / "reviews-of-schema-1" / "broken.sgf").is_file()
