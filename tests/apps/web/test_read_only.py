"""The read-only demo: games are shown; nothing can be played, changed, searched or removed."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.apps.desktop.conftest import FAKE
from tests.apps.web.test_system import problem
from tests.web_server import WAIT_S, running_server


def test_a_read_only_server_shows_games_and_refuses_the_rest(tmp_path: Path) -> None:
    with running_server(tmp_path, worker_command=FAKE) as server:
        game = server.new_game(None, "engine/quick")
        server.play(game, "e5")
    with running_server(tmp_path, worker_command=FAKE, read_only=True) as server:
        assert server.get("/version")["readOnly"] is True
        path = f"/games/{game['id']}"
        shown = server.get(path)
        assert len(shown["moves"]) == 2
        assert [one["id"] for one in server.get("/games")] == [game["id"]]
        client = server.client
        for refused in (
            client.post("/api/v1/games", json={"rules": {"size": 9}, "seats": [{"kind": "human"}] * 2}),
            client.post(f"/api/v1{path}/moves", json={"move": "e4"}),
            client.post(f"/api/v1{path}/hint", json={}),
            client.delete(f"/api/v1{path}"),
            client.post("/api/v1/nowhere", json={}),
        ):
            problem(refused, 403, "read_only")
        parsed = client.post("/api/v1/records/parse", content="h8h9i7")
        assert parsed.status_code == 200
        assert server.get(path)["seq"] == shown["seq"]


def test_a_read_only_server_thinks_for_nobody(tmp_path: Path) -> None:
    with running_server(tmp_path, worker_command=FAKE) as server:
        game = server.new_game(None, "minimax-s1/normal")  # the worker thinks at it until it is told to stop
        server.post(f"/games/{game['id']}/moves", {"move": "e5"}, 202)
    with running_server(tmp_path, worker_command=FAKE, read_only=True) as server:
        with connect(f"ws://127.0.0.1:{server.port}/ws/v1/games/{game['id']}") as socket:
            assert "state" in str(socket.recv(WAIT_S))
        time.sleep(0.3)
        assert server.get(f"/games/{game['id']}")["thinking"] is None
        with pytest.raises(InvalidStatus):
            connect(f"ws://127.0.0.1:{server.port}/ws/v1/analysis")


def test_old_games_of_a_read_only_server_are_kept(tmp_path: Path) -> None:
    with running_server(tmp_path, worker_command=FAKE) as server:
        game = server.new_game(None, None)
    with running_server(tmp_path, worker_command=FAKE, read_only=True, keep_days=0.0) as server:
        asyncio.run_coroutine_threadsafe(server.context.hub.sweep(), server.loop).result(30)
        assert server.get(f"/games/{game['id']}")["id"] == game["id"]
