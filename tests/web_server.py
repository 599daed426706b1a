"""The real server in a thread of this process, with real workers, for API and browser tests."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from stored_games import page_session, seat, write
from websockets.sync.client import ClientConnection, connect

import wuzi
from wuzi.analysis.review.model import DEPTHS
from wuzi.analysis.review.output import review_json
from wuzi.apps.web import Settings, children, create_app
from wuzi.apps.web.context import Context
from wuzi.apps.web.migration import page_review
from wuzi.apps.web.server import listen
from wuzi.core import Game, format_move, parse_move
from wuzi.protocols.analysis.wire import (
    format_cells,
    outcome_json,
    parse_outcome,
    parse_position,
    parse_rules,
)
from wuzi.records import loads

WAIT_S = 120.0

children.NICENESS = (
    0  # a job that stands back for the other work of a busy test machine may never come to its end
)


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
        host = [("host", name) for name in sorted(settings.allowed_hosts)[:1]]
        self.client = httpx.Client(base_url=self.url, headers=host, timeout=WAIT_S)

    @property
    def context(self) -> Context:
        """The parts of the server."""
        context: Context = self.app.state.context
        return context

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop of the server's thread."""
        return self.context.loop

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
        """A stored game; each seat an engine (``id`` or ``id/level``) or None for a person."""
        game_id = f"test{secrets.token_hex(6)}"
        self.put(game_id, 0, new_session(*engines, size=size, **more))
        return self.state(game_id)

    def put(self, game_id: str, version: int, data: dict[str, Any], status: int = 200) -> Any:
        """Store a game as a page does."""
        body = write(game_id, version, data)
        response = self.client.put(f"/api/v1/store/games/{game_id}", json=body)
        assert response.status_code == status, response.text
        return response.json()

    def state(self, game_id: str) -> dict[str, Any]:
        """A stored game as the rule book sees it, in the words of the page."""
        stored = self.get(f"/store/games/{game_id}")
        return page_state(stored["data"]) | {"id": game_id, "version": stored["version"]}

    def new_review(self, text: str, **options: Any) -> tuple[str, dict[str, Any]]:
        """A stored review of a record: its id, and all that it says."""
        record = loads(text)
        budgets = dict(zip(("quick_nodes", "deep_nodes", "verify_nodes"), DEPTHS["quick"], strict=True))
        review = wuzi.review(record.game(), **budgets | options)
        about, data = page_review(record, review)
        review_id = f"test{secrets.token_hex(6)}"
        body = {"version": 0, "summary": {"id": review_id} | about, "data": data}
        response = self.client.put(f"/api/v1/store/reviews/{review_id}", json=body)
        assert response.is_success, response.text
        return review_id, review_json(review)

    def play(self, game: dict[str, Any], *moves: str) -> dict[str, Any]:
        """Play moves for people, as a page on another device would; no engine answers."""
        for move in moves:
            stored = self.get(f"/store/games/{game['id']}")
            data = stored["data"]
            cell = int(parse_move(move, data["rules"]["size"]))
            data["actions"].append({"type": "place", "moves": [cell]})
            self.put(game["id"], stored["version"], data | {"seq": data["seq"] + 1})
        return self.state(game["id"])

    @contextlib.contextmanager
    def asking(self) -> Iterator[ClientConnection]:
        """A socket for questions."""
        url = f"ws://127.0.0.1:{self.port}/ws/v1/analysis"
        # With a queue that can be full, unread reports would keep the client from seeing the server's close.
        with connect(url, open_timeout=WAIT_S, close_timeout=WAIT_S, max_queue=None) as socket:
            yield socket

    def ask(self, **question: Any) -> dict[str, Any]:
        """The last answer to a question."""
        with self.asking() as socket:
            say(socket, {"id": "q"} | question)
            return read(socket, "done", "result", "error")

    def wait_for(self, game: dict[str, Any], what: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """The first state of the game for which ``what`` holds."""
        return first_state(self.state, game["id"], what)

    def wait_for_thinking(self, game: dict[str, Any]) -> None:
        """Until a worker's process has the search of a game: one killed before that is replaced silently.

        Its search is one of those that are busy; one for the bar may think while this one's worker starts.
        """
        self.wait_for(game, lambda state: state["thinking"])
        pool = self.context.pool
        until(lambda: 0 < pool.num_busy == pool.num_thinking, f"an engine thinks about {game['id']}")


def new_session(*engines: str | None, size: int = 9, **more: Any) -> dict[str, Any]:
    """A game as a page stores it; each seat an engine (``id`` or ``id/level``) or None for a person."""
    game = Game(parse_rules({"size": size} | more.pop("rules", {})))
    for move in more.pop("moves", ()):
        game = game.play(move)
    return page_session(game, [seat(name) for name in engines or (None, None)], **more)


def first_state(
    state: Callable[[str], dict[str, Any]], game_id: str, what: Callable[[dict[str, Any]], Any]
) -> dict[str, Any]:
    """The first of the states that ``state`` gives of a game for which ``what`` holds."""
    seen: dict[str, Any] = {}

    def look() -> bool:
        seen.clear()
        seen.update(state(game_id))
        return bool(what(seen))

    until(look, f"a state of {game_id}")
    return seen


def page_game(data: dict[str, Any]) -> Game:
    """The game that a page has stored, through the rule book."""
    size, start = data["rules"]["size"], data["start"]
    position: dict[str, Any] = dict(data["rules"])
    if start is not None:
        position |= {"cells": "".join(".BW"[one] for one in start["cells"]), "toMove": ".BW"[start["toMove"]]}
    position["actions"] = [
        one if "moves" not in one else one | {"moves": [format_move(cell, size) for cell in one["moves"]]}
        for one in data["actions"]
    ]
    game = parse_position(position)
    if data["end"] is not None and game.outcome is None:
        winner = data["end"]["winner"]
        game = game.end(parse_outcome(data["end"] | {"winner": winner and ".BW"[winner]}))  # type: ignore[arg-type]
    return game


def say(socket: ClientConnection, message: dict[str, Any], **more: Any) -> None:
    socket.send(json.dumps(message | more))


def read(socket: ClientConnection, *kinds: str) -> dict[str, Any]:
    """The next message of one of these types."""
    while True:
        message: dict[str, Any] = json.loads(socket.recv(timeout=WAIT_S))
        if message["type"] in kinds:
            return message


def page_state(data: dict[str, Any]) -> dict[str, Any]:
    """What tests look at of a stored game."""
    game = page_game(data)
    over = game.outcome is not None
    to_act = data["seats"][game.seat_to_act]["kind"] == "engine"
    waits = over or data["paused"] or data["failure"] is not None
    rates = [rate for _, rate in sorted(data["winrates"])]
    seats = [one | {"color": game.color_of(index).letter} for index, one in enumerate(data["seats"])]
    return {
        "rules": data["rules"],
        "ply": game.ply,
        "moves": [str(move) for move in game.moves],
        "cells": format_cells(game.position),
        "outcome": outcome_json(game.outcome),
        "phase": str(game.phase),
        "toMove": game.to_move.letter,
        "seatToAct": game.seat_to_act,
        "seats": seats,
        "thinking": None if waits or not to_act else {"seat": game.seat_to_act},
        "paused": data["paused"],
        "engineError": data["failure"],
        "winrate": rates[-1] if rates else None,
        "clocks": [
            clock and clock | {"running": not waits and seat == game.seat_to_act}
            for seat, clock in enumerate(data["clocks"])
        ],
        "paceS": data["pace"],
        "name": data["name"],
        "seq": data["seq"],
    }


def until(what: Callable[[], Any], name: str, seconds: float = WAIT_S) -> None:
    """Wait until something holds; fails after a long time, so that slow machines pass."""
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, f"waited too long for: {name}"
        time.sleep(0.02)


@contextlib.contextmanager
def running_server(folder: Path, port: int = 0, **changes: Any) -> Iterator[RunningServer]:
    """A server with its data in ``folder`` and one worker, as a worker takes seconds to start."""
    settings = replace(Settings(data_dir=folder, workers=1), **changes)
    server = RunningServer(settings, port)
    server.start()
    try:
        yield server
    finally:
        server.stop()
