"""How a server holds up: many games by links at once, two sockets each, a value and its relay for every move.

A real server in a process of its own, which has the sockets that `deploy/` allows. Printed are how soon the
other side has a move, how soon a write is answered, how late the event loop is, and the memory of the server.

    python scripts/load_games.py --games 200 --seconds 30
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import secrets
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
from load_web import head, line
from serving import WAIT_S, Server
from stored_games import page_session, seat, write
from websockets.asyncio.client import ClientConnection, connect

from wuzi.core import Game, Rules

SERVE_OPTIONS = Path(__file__).resolve().parents[1] / "deploy" / "serve.env"


def deployed(option: str) -> int:
    """What `deploy/` gives a server for an option."""
    found = re.search(rf"--{option} (\d+)", SERVE_OPTIONS.read_text("utf-8"))
    assert found is not None
    return int(found[1])


class Table:
    """A game between two people, who move after a pause of a person's length."""

    def __init__(self, http: httpx.AsyncClient, address: str, pause_s: float) -> None:
        self.moves: list[float] = []
        self.writes: list[float] = []
        self._http, self._address, self._pause_s = http, address, pause_s
        self._id = secrets.token_hex(6)
        self._keys = [secrets.token_hex(12) for _ in range(2)]
        self._version = 0
        self._data = page_session(Game(Rules(size=15)), [seat(None), seat(None)])

    async def _put(self, who: int, **more: Any) -> None:
        body = write(self._id, self._version, self._data) | {"key": self._keys[who]} | more
        answer = await self._http.put(f"/store/games/{self._id}", json=body)
        self._version = answer.raise_for_status().json()["version"]

    async def play(self) -> None:
        """Play until cancelled; a full board is emptied."""
        await self._put(0, keys=self._keys)
        async with AsyncExitStack() as stack:
            url = f"ws://{self._address}/ws/v1/store/games/{self._id}"
            sides = [await stack.enter_async_context(connect(url)) for _ in range(2)]
            for side, key in zip(sides, self._keys, strict=True):
                await side.send(json.dumps({"type": "sit", "key": key}))
            while True:
                await asyncio.sleep(random.uniform(0.5, 1.5) * self._pause_s)
                await self._move(sides)

    async def _move(self, sides: list[ClientConnection]) -> None:
        actions = self._data["actions"]
        who = len(actions) % 2
        if len(actions) == 60:
            actions.clear()
        actions.append({"type": "place", "moves": [len(actions) * 3]})
        begun = time.monotonic()
        seen = asyncio.create_task(self._seen(sides[1 - who], self._version + 1))
        await self._put(who)
        self.writes.append(time.monotonic() - begun)
        # Not wait_for: in Python 3.11 it forgets that it was cancelled if the move has just been seen.
        async with asyncio.timeout(WAIT_S):
            await seen
        self.moves.append(time.monotonic() - begun)
        await self._seen(sides[who], self._version)

    async def _seen(self, side: ClientConnection, version: int) -> None:
        while True:
            message = json.loads(await side.recv())
            if message["type"] == "stored" and message["value"]["version"] >= version:
                return


async def play_together(
    server: Server, games: int, pause_s: float, seconds: float
) -> tuple[float, list[Table]]:
    """All games at once; when all had begun, and the tables."""
    limits = httpx.Limits(max_connections=100)
    async with httpx.AsyncClient(base_url=server.http.base_url, timeout=WAIT_S, limits=limits) as http:
        tables = [Table(http, server.address, pause_s) for _ in range(games)]
        tasks = []
        for table in tables:
            tasks.append(asyncio.create_task(table.play()))
            await asyncio.sleep(0.01)
        await asyncio.sleep(2 * pause_s)
        for table in tables:
            table.moves.clear()
            table.writes.clear()
        begun = time.monotonic()
        await asyncio.sleep(seconds)
        for task in tasks:
            if task.done():
                task.result()
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return begun, tables


def memory_mb(pid: int) -> float:
    """Of a process, as Linux counts it."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text("utf-8"))
    return int(found[1]) / 1024 if found else float("nan")


def main() -> None:
    """Run one load and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--pause", type=float, default=5.0, help="seconds between two moves of a game")
    parser.add_argument("--seconds", type=float, default=30.0)
    chosen = parser.parse_args()
    limits = {"workers": deployed("workers"), "max_sockets": deployed("max-sockets")}
    with tempfile.TemporaryDirectory() as folder, Server(data_dir=folder, **limits) as server:
        begun, tables = asyncio.run(play_together(server, chosen.games, chosen.pause, chosen.seconds))
        used = memory_mb(server.pid)
        ticks, _ = server.end()
    moves, writes = (
        [one for table in tables for one in getattr(table, kind)] for kind in ("moves", "writes")
    )
    rate = len(moves) / chosen.seconds
    print(f"{chosen.games} games, {limits['max_sockets']} sockets, {rate:.0f} moves a second, {used:.0f} MB")
    print(head())
    print(line("the other side has a move after", moves))
    print(line("a write is answered after", writes))
    print(line("event loop late by", [max(0.0, tick.late_s) for tick in ticks if tick.now >= begun]))


if __name__ == "__main__":
    main()
