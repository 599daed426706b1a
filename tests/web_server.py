"""The real server in a thread of this process, with real workers, for API and browser tests."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from wuzi.apps.web import Settings, create_app
from wuzi.apps.web.context import Context
from wuzi.apps.web.server import listen

WAIT_S = 120.0


class RunningServer:
    """A server at a free port of this machine.

    Attributes:
        url: where it is.
        client: an HTTP client for it.
    """

    def __init__(self, settings: Settings, port: int = 0) -> None:
        self.settings = settings
        self.app = create_app(settings)
        self._socket = listen("127.0.0.1", port)
        self.port = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        config = uvicorn.Config(
            self.app,
            proxy_headers=False,
            log_level="warning",
            access_log=False,
            ws_max_size=1 << 16,
            timeout_graceful_shutdown=3,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True
        )
        self.client = httpx.Client(base_url=self.url, timeout=WAIT_S)

    @property
    def context(self) -> Context:
        """The parts of the server."""
        context: Context = self.app.state.context
        return context

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop of the server's thread."""
        return self.context.hub.loop

    def start(self) -> None:
        self._thread.start()
        until(lambda: self._server.started, "the server started")
        self.context.engines.wait_s = WAIT_S  # on a busy machine the first worker takes long to start

    def stop(self) -> None:
        self.client.close()
        self._server.should_exit = True
        self._thread.join(WAIT_S)
        self._socket.close()
        assert not self._thread.is_alive(), "the server did not stop"

    # ------------------------------------------------------------ what tests do often

    def post(self, path: str, body: Any = None, status: int | None = None) -> Any:
        response = self.client.post(f"/api/v1{path}", json=body)
        if status is not None:
            assert response.status_code == status, response.text
        else:
            assert response.is_success, response.text
        return response.json()

    def get(self, path: str, status: int = 200) -> Any:
        response = self.client.get(f"/api/v1{path}")
        assert response.status_code == status, response.text
        return response.json()

    def new_game(self, *engines: str | None, size: int = 9, **more: Any) -> dict[str, Any]:
        """A game; each seat an engine (``id`` or ``id/level``) or None for a person."""
        rules = {"size": size} | more.pop("rules", {})
        seats = [seat(name) for name in engines or (None, None)]
        game: dict[str, Any] = self.post("/games", {"rules": rules, "seats": seats} | more, 201)
        return game

    def play(self, game: dict[str, Any], *moves: str) -> dict[str, Any]:
        """Play moves for people, waiting for the engine's reply after each."""
        state = game
        for move in moves:
            answer = self.post(f"/games/{game['id']}/moves?wait=true&timeout=60", {"move": move})
            state = answer["game"]
        return state

    def wait_for(self, game: dict[str, Any], what: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """The first state of the game for which ``what`` holds."""
        seen: dict[str, Any] = {}

        def look() -> bool:
            seen.update(self.get(f"/games/{game['id']}"))
            return bool(what(seen))

        until(look, f"a state of {game['id']}")
        return seen

    def wait_for_thinking(self, game: dict[str, Any]) -> None:
        """Until a worker's process has the search of a game: one killed before that is replaced silently.

        Its search is one of those that are busy; one for the bar may think while this one's worker starts.
        """
        self.wait_for(game, lambda state: state["thinking"] and state["thinking"]["queuedAhead"] == 0)
        pool = self.context.pool
        until(lambda: 0 < pool.num_busy == pool.num_thinking, f"an engine thinks about {game['id']}")


def seat(name: str | None) -> dict[str, str]:
    """The request for a seat."""
    if name is None:
        return {"kind": "human"}
    engine, _, level = name.partition("/")
    return {"kind": "engine", "engine": engine} | ({"level": level} if level else {})


def until(what: Callable[[], Any], name: str, seconds: float = WAIT_S) -> None:
    """Wait until something holds; fails after a long time, so that slow machines pass."""
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, f"waited too long for: {name}"
        time.sleep(0.02)


@contextlib.contextmanager
def running_server(folder: Path, port: int = 0, **changes: Any) -> Iterator[RunningServer]:
    """A server with its data in ``folder`` and one worker, as a worker takes seconds to start."""
    settings = replace(Settings(data_dir=folder, workers=1, engine_pause_s=0.0), **changes)
    server = RunningServer(settings, port)
    server.start()
    try:
        yield server
    finally:
        server.stop()
