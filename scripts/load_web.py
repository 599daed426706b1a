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
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

TICK_S = 0.005
WAIT_S = 300.0
POSITION = {"size": 15, "moves": ["h8", "i9", "j7"]}
LONG = {"type": "start", "id": "long", "position": POSITION, "engine": "mcts-tactical", "limit": {"time": 60}}


# ---------------------------------------------------------------------------- the server's side


def serve(folder: str, workers: int, clients: int) -> None:
    """Serve until the input ends, then print what the event loop has seen."""
    import uvicorn

    from wuzi.apps.web import Settings, create_app
    from wuzi.apps.web.server import listen

    settings = Settings(data_dir=Path(folder), workers=workers)
    app = create_app(replace(settings, max_client_searches=clients + 4, max_client_sockets=clients + 4))
    listener = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False, ws_max_size=1 << 16))

    async def run() -> None:
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        ticks: list[tuple[float, float, int]] = []
        while not server.started:
            await asyncio.sleep(TICK_S)
        print(listener.getsockname()[1], flush=True)
        watching = asyncio.create_task(watch(ticks, app))
        await asyncio.to_thread(sys.stdin.readline)
        watching.cancel()
        server.should_exit = True
        await serving
        print(json.dumps(ticks), flush=True)

    asyncio.run(run())


async def watch(ticks: list[tuple[float, float, int]], app: Any) -> None:
    """Note, tick by tick: the time, how late the loop was, and how many workers search."""
    while True:
        due = time.monotonic() + TICK_S
        await asyncio.sleep(TICK_S)
        now = time.monotonic()
        ticks.append((now, now - due, app.state.context.pool.num_busy))


class Server:
    """A server in a process of its own."""

    def __init__(self, folder: str, workers: int, clients: int) -> None:
        command = [sys.executable, __file__, "--serve", folder, "--workers", str(workers)]
        self._process = subprocess.Popen(
            [*command, "--clients", str(clients)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        self.address = f"127.0.0.1:{int(self._process.stdout.readline())}"

    def end(self) -> list[tuple[float, float, int]]:
        """Stop it; what its event loop has seen."""
        out, _ = self._process.communicate("\n", timeout=WAIT_S)
        ticks: list[tuple[float, float, int]] = json.loads(out.splitlines()[-1])
        return ticks


@contextmanager
def running(workers: int, clients: int) -> Iterator[Server]:
    """A server whose engines are ready."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder, workers, clients)
        try:
            with httpx.Client(base_url=f"http://{server.address}/api/v1", timeout=WAIT_S) as http:
                while http.get("/engines").status_code != 200:
                    time.sleep(0.2)
            yield server
        finally:
            if server._process.poll() is None:
                server._process.kill()


# ---------------------------------------------------------------------------- the clients' side


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

    async def play(http: httpx.AsyncClient) -> None:
        nonlocal reports
        seats = [{"kind": "engine", "engine": "engine", "level": "quick"}] * 2
        while True:
            game = (await http.post("/games", json={"rules": {"size": 15}, "seats": seats})).json()
            async with connect(f"ws://{server.address}/ws/v1/games/{game['id']}") as socket:
                async for text in socket:
                    message = json.loads(text)
                    reports += message["type"] in ("info", "state")
                    if message["type"] == "state" and message["game"]["outcome"]:
                        break

    url = f"http://{server.address}/api/v1"
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(httpx.AsyncClient(base_url=url, timeout=WAIT_S))
        sockets = [
            await stack.enter_async_context(connect(f"ws://{server.address}/ws/v1/analysis"))
            for _ in range(clients // 2)
        ]
        tasks = [asyncio.create_task(analyse(socket)) for socket in sockets]
        tasks += [asyncio.create_task(play(http)) for _ in range(clients - len(sockets))]
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


# ---------------------------------------------------------------------------- figures


def at(values: Sequence[float], part: float) -> float:
    """The value below which that part of the values lies, in milliseconds."""
    return 1000 * sorted(values)[min(len(values) - 1, int(part * len(values)))]


def line(name: str, values: Sequence[float]) -> str:
    """Median, 99th percentile and worst of some seconds."""
    return (
        f"{name:34} {at(values, 0.5):7.1f} {at(values, 0.99):7.1f} {1000 * max(values):7.1f}  n={len(values)}"
    )


def cancelled(left: Sequence[float], ticks: Sequence[tuple[float, float, int]]) -> list[float]:
    """Seconds from each closing until no worker searched."""
    return [next(now for now, _, busy in ticks if now >= closed and not busy) - closed for closed in left]


def main() -> None:
    """Run one load and print its figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--leave", type=int, default=20, help="searches that are left alone")
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    parser.add_argument("--serve", metavar="FOLDER", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        serve(chosen.serve, chosen.workers, chosen.clients)
        return
    with running(chosen.workers, chosen.clients) as server:
        left = asyncio.run(leave(server, chosen.leave))
        begun, ended, answers, reports = asyncio.run(think_together(server, chosen.clients, chosen.seconds))
        ticks = server.end()
    lags = [max(0.0, late) for now, late, _ in ticks if begun <= now <= ended]
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, "
        f"Python {platform.python_version()}"
    )
    print(
        f"{chosen.clients} clients, {chosen.workers} workers, "
        f"{reports / (ended - begun + 2):.0f} reports a second"
    )
    print(f"{'milliseconds':34} {'median':>7} {'99 %':>7} {'worst':>7}")
    print(line("event loop late by", lags))
    print(line("GET /health answered after", answers))
    print(line("search ended after its socket", cancelled(left, ticks)))


if __name__ == "__main__":
    main()
