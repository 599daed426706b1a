"""A real web server in a process of its own, for the scripts that load, time and photograph the page.

``python scripts/serving.py SETTINGS`` (fields of :class:`wuzi.apps.web.Settings` as JSON) prints its port,
serves until its input ends, and then prints what its event loop has seen.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import httpx

TICK_S = 0.005
WAIT_S = 600.0


class Server:
    """A server whose engines are ready, ended by ``with``."""

    def __init__(self, **settings: Any) -> None:
        command = [sys.executable, __file__, json.dumps(settings, default=str)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.address = f"127.0.0.1:{int(self._process.stdout.readline())}"
        self.http = httpx.Client(base_url=f"http://{self.address}/api/v1", timeout=WAIT_S)
        self.until(lambda: self.http.get("/engines").is_success)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.http.close()
        self._process.terminate()
        self._process.wait(60)

    def end(self) -> list[tuple[float, float, int]]:
        """Stop it; of each tick the time, how late the event loop was, and the workers that searched."""
        out, _ = self._process.communicate("\n", timeout=WAIT_S)
        ticks: list[tuple[float, float, int]] = json.loads(out.splitlines()[-1])
        return ticks

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

    def post(self, path: str, body: object) -> Any:
        """The answer of the API."""
        return self.http.post(path, json=body).raise_for_status().json()


async def serve(settings: dict[str, Any]) -> None:
    """Serve until the input ends."""
    import uvicorn

    from wuzi.apps.web import Settings, create_app
    from wuzi.apps.web.server import listen

    for name in {"data_dir", "runs_dir"} & settings.keys():
        settings[name] = Path(settings[name])
    app, listener = create_app(Settings(**settings)), listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False, ws_max_size=1 << 16))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started:
        await asyncio.sleep(TICK_S)
    print(listener.getsockname()[1], flush=True)
    ticks: list[tuple[float, float, int]] = []

    async def watch() -> None:
        while True:
            due = time.monotonic() + TICK_S
            await asyncio.sleep(TICK_S)
            now = time.monotonic()
            ticks.append((now, now - due, app.state.context.pool.num_busy))

    watching = asyncio.create_task(watch())
    await asyncio.to_thread(sys.stdin.readline)
    watching.cancel()
    server.should_exit = True
    await serving
    print(json.dumps(ticks), flush=True)


if __name__ == "__main__":
    asyncio.run(serve(json.loads(sys.argv[1])))
