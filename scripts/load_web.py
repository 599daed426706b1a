"""How a server holds up: many clients think at once, and searches are left alone in the middle.

A real server in a process of its own, real WebSockets. Printed are the lag of the server's event loop while
all clients think, how soon a request is answered meanwhile, and how long a search outlives its socket.

    python scripts/load_web.py --clients 20 --seconds 20
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any

import httpx
from serving import WAIT_S, Server, Tick
from websockets.asyncio.client import ClientConnection, connect

from wuzi.arena.provenance import machine

POSITION = {"size": 15, "moves": ["h8", "i9", "j7"]}
MOVE = {"type": "start", "id": "move", "engine": "engine", "level": "quick", "isMove": True}
MOST_MOVES = 80
LONG = {"type": "start", "id": "long", "position": POSITION, "engine": "mcts-tactical", "limit": {"time": 60}}


async def think_together(
    server: Server, clients: int, seconds: float
) -> tuple[float, float, list[float], int]:
    """All clients analyse or play at once. When it began and ended, times of answers, reports received."""
    reports = 0

    async def analyse(socket: ClientConnection) -> None:
        nonlocal reports
        await socket.send(json.dumps(LONG | {"multipv": 20, "include": ["visits"], "reportEvery": 0.1}))
        async for text in socket:
            message = json.loads(text)
            reports += message["type"] == "info"
            if message["type"] == "done":
                await socket.send(json.dumps(LONG))

    async def play() -> None:
        """A game of two engines, move by move, as its page asks for them."""
        while True:
            moves: list[str] = []
            async with connect(f"ws://{server.address}/ws/v1/analysis") as socket:
                while (message := await moved(socket, moves))["type"] == "done" and len(moves) < MOST_MOVES:
                    moves += message["action"]["moves"]

    async def moved(socket: ClientConnection, moves: list[str]) -> dict[str, Any]:
        nonlocal reports
        await socket.send(json.dumps(MOVE | {"position": {"size": 15, "moves": moves}}))
        while (message := json.loads(await socket.recv()))["type"] not in ("done", "error"):
            reports += message["type"] == "info"
        return dict(message)

    async with AsyncExitStack() as stack:
        client = httpx.AsyncClient(base_url=server.http.base_url, timeout=WAIT_S)
        http = await stack.enter_async_context(client)
        sockets = [
            await stack.enter_async_context(connect(f"ws://{server.address}/ws/v1/analysis"))
            for _ in range(clients // 2)
        ]
        tasks = [asyncio.create_task(analyse(socket)) for socket in sockets]
        tasks += [asyncio.create_task(play()) for _ in range(clients - len(sockets))]
        await asyncio.sleep(2)
        begun, answers = time.monotonic(), []
        while time.monotonic() - begun < seconds:
            asked = time.monotonic()
            (await http.get("/health")).raise_for_status()
            answers.append(time.monotonic() - asked)
            await asyncio.sleep(0.05)
        ended = time.monotonic()
        for task in tasks:
            if task.done():
                task.result()
            task.cancel()
    return begun, ended, answers, reports


async def leave(server: Server, times: int) -> list[float]:
    """Begin a search and close the socket, again and again; when each was closed."""
    left = []
    for _ in range(times):
        async with connect(f"ws://{server.address}/ws/v1/analysis") as socket:
            await socket.send(json.dumps(LONG))
            while json.loads(await socket.recv())["type"] != "info":
                pass
            left.append(time.monotonic())
        await asyncio.sleep(1)
    return left


def line(name: str, values: Sequence[float]) -> str:
    """Median, 99th percentile and worst of some seconds, in milliseconds."""
    ordered = sorted(1000 * value for value in values)
    median, most = (ordered[min(len(ordered) - 1, int(part * len(ordered)))] for part in (0.5, 0.99))
    return f"{name:44} {median:7.1f} {most:7.1f} {ordered[-1]:7.1f}  n={len(ordered)}"


def head() -> str:
    """The machine, and the columns of :func:`line`."""
    facts = f"{machine()}, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}"
    return f"{facts}\n{'milliseconds':44} {'median':>7} {'99 %':>7} {'worst':>7}"


def cancelled(left: Sequence[float], ticks: Sequence[Tick]) -> list[float]:
    """Seconds from each closing until no worker searched."""
    return [next(one.now for one in ticks if one.now >= closed and not one.busy) - closed for closed in left]


def main() -> None:
    """Run one load and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--leave", type=int, default=20, help="searches that are left alone")
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    chosen = parser.parse_args()
    most = chosen.clients + 4
    limits = {"workers": chosen.workers, "max_client_searches": most, "max_client_analysis_sockets": most}
    with tempfile.TemporaryDirectory() as folder, Server(data_dir=folder, **limits) as server:
        left = asyncio.run(leave(server, chosen.leave))
        begun, ended, answers, reports = asyncio.run(think_together(server, chosen.clients, chosen.seconds))
        ticks, places = server.end()
    lags = [tick for tick in ticks if begun <= tick.now <= ended]
    rate = reports / (ended - begun + 2)
    print(f"{chosen.clients} clients, {chosen.workers} workers, {rate:.0f} reports a second")
    print(head())
    print(line("event loop late by", [max(0.0, tick.late_s) for tick in lags]))
    print(line("by work of its own thread", [max(0.0, tick.blocked_s) for tick in lags]))
    print(line("GET /health answered after", answers))
    print(line("search ended after its socket", cancelled(left, ticks)))
    print("".join(f"{spent:6} ms in {place}\n" for place, spent in places.most_common(10)), end="")


if __name__ == "__main__":
    main()
