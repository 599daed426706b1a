"""A real web server in a process of its own, for the scripts that load, time and photograph the page.

``python scripts/serving.py SETTINGS`` (fields of :class:`wuzi.apps.web.Settings` as JSON) prints its port,
serves until its input ends, and then prints what its event loop has seen.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import subprocess
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import httpx
import uvicorn
from stored_games import page_session, seat, write

from wuzi.core import Game
from wuzi.protocols.analysis.wire import parse_rules

TICK_S = 0.005
LATE_S = 0.05
WAIT_S = 600.0


class Tick(NamedTuple):
    """A look of the event loop: the time, how late it came, and the workers that searched.

    ``own_s`` and ``process_s`` of processor time were used since the look before by the loop's thread and by
    all threads of the server; what is late beyond them waited for a core.
    """

    now: float
    late_s: float
    busy: int
    own_s: float
    process_s: float

    @property
    def blocked_s(self) -> float:
        """How much of the delay was the loop's own work."""
        return min(self.late_s, self.own_s)


class Watchdog:
    """Looks from another thread what the loop's thread does whenever it is late.

    ``places`` has the milliseconds of processor time that were spent there; waiting for a core spends none.
    """

    def __init__(self) -> None:
        self.seen = time.monotonic()
        self.places = Counter[str]()
        self._loop = threading.get_ident()
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        clock, spent = time.pthread_getcpuclockid(self._loop), 0.0
        while True:
            time.sleep(LATE_S / 5)
            now, before = time.clock_gettime(clock), spent
            spent = now
            if time.monotonic() - self.seen > LATE_S:
                stack = traceback.extract_stack(sys._current_frames()[self._loop])
                shown = [one for one in stack[:-1] if "wuzi" in Path(one.filename).parts] + stack[-1:]
                names = (f"{Path(one.filename).stem}.{one.name}:{one.lineno}" for one in reversed(shown))
                self.places[" < ".join(names)] += round(1000 * (now - before))


class Server:
    """A server whose engines are ready, ended by ``with``."""

    def __init__(self, **settings: Any) -> None:
        command = [sys.executable, __file__, json.dumps(settings, default=str)]
        # A session of its own: Linux shares a core out between sessions, so that it need not share with us.
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        assert self._process.stdout is not None
        self.address = f"127.0.0.1:{int(self._process.stdout.readline())}"
        self.http = httpx.Client(base_url=f"http://{self.address}/api/v1", timeout=WAIT_S)
        self.until(lambda: self.http.get("/engines").is_success)

    @property
    def pid(self) -> int:
        """Of its process."""
        return self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.http.close()
        self._process.terminate()
        self._process.wait(60)

    def end(self) -> tuple[list[Tick], Counter[str]]:
        """Stop it; the looks of its event loop, and what a :class:`Watchdog` saw of it."""
        out, _ = self._process.communicate("\n", timeout=WAIT_S)
        found = json.loads(out.splitlines()[-1])
        return [Tick(*tick) for tick in found["ticks"]], Counter(found["places"])

    def until(self, what: Callable[[], bool]) -> None:
        """Wait for something on the server."""
        deadline = time.monotonic() + WAIT_S
        while not what():
            if time.monotonic() > deadline:
                raise TimeoutError("the server took too long")
            time.sleep(0.2)

    def get(self, path: str) -> Any:
        """The answer of the API."""
        return self.http.get(path).raise_for_status().json()

    def new_game(self, moves: str = "", engines: Sequence[str] = ("", ""), **more: Any) -> str:
        """The id of a stored game with these moves; each seat an engine, or a person's."""
        game = Game(parse_rules({"size": 15} | more.pop("rules", {})))
        for move in moves.split():
            game = game.play(move)
        name = secrets.token_hex(6)
        body = write(name, 0, page_session(game, [seat(one) for one in engines], **more))
        self.http.put(f"/store/games/{name}", json=body).raise_for_status()
        return name

    def post(self, path: str, body: object) -> Any:
        """The answer of the API."""
        return self.http.post(path, json=body).raise_for_status().json()


async def serve(settings: dict[str, Any]) -> None:
    """Serve until the input ends."""
    from wuzi.apps.web import Settings, create_app
    from wuzi.apps.web.app import prepare
    from wuzi.apps.web.server import listen

    for name in {"data_dir", "runs_dir"} & settings.keys():
        settings[name] = Path(settings[name])
    app, listener = create_app(Settings(**settings)), listen("127.0.0.1", 0)
    prepare(app)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False, ws_max_size=1 << 16))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started:
        await asyncio.sleep(TICK_S)
    print(listener.getsockname()[1], flush=True)
    ticks: list[Tick] = []
    watchdog = Watchdog()

    async def watch() -> None:
        while True:
            due, own, process = time.monotonic() + TICK_S, time.thread_time(), time.process_time()
            await asyncio.sleep(TICK_S)
            watchdog.seen = now = time.monotonic()
            used = time.thread_time() - own, time.process_time() - process
            ticks.append(Tick(now, now - due, app.state.context.pool.num_busy, *used))

    watching = asyncio.create_task(watch())
    await asyncio.to_thread(sys.stdin.readline)
    watching.cancel()
    server.should_exit = True
    await serving
    print(json.dumps({"ticks": ticks, "places": watchdog.places}), flush=True)


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvicorn.Config("").get_loop_factory()) as runner:
        runner.run(serve(json.loads(sys.argv[1])))
