"""The read-only demo: games are shown; nothing can be played, changed, searched or removed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.apps.desktop.conftest import FAKE
from tests.apps.web.test_system import problem
from tests.web_server import WAIT_S, running_server


def test_a_read_only_server_shows_games_and_refuses_the_rest(tmp_path: Path) -> None:
    with running_server(tmp_path, worker_command=FAKE) as server:
        game = server.new_game(None, "engine/quick", moves=["e5", "e6"])
    with running_server(tmp_path, worker_command=FAKE, read_only=True) as server:
        assert server.get("/version")["readOnly"] is True
        path = f"/store/games/{game['id']}"
        assert server.state(game["id"])["moves"] == ["e5", "e6"]
        assert [one["id"] for one in server.get("/store/games")] == [game["id"]]
        client = server.client
        for refused in (
            client.put(f"/api/v1{path}", json={"version": 1, "summary": {}, "data": {}}),
            client.post("/api/game/new", json={}),
            client.post("/move", json={"board": [[0] * 15] * 15}),
            client.delete(f"/api/v1{path}"),
            client.post("/api/v1/nowhere", json={}),
        ):
            problem(refused, 403, "read_only")
        parsed = client.post("/api/v1/records/parse", content="h8h9i7")
        assert parsed.status_code == 200
        problem(client.post("/api/v1/records/review", json={}), 422, "validation")  # written, were it one
        assert server.get(path)["version"] == 1


def test_a_read_only_server_thinks_for_nobody(tmp_path: Path) -> None:
    with running_server(tmp_path, worker_command=FAKE) as server:
        game = server.new_game("minimax-s1/normal", None)
    with running_server(tmp_path, worker_command=FAKE, read_only=True) as server:
        with connect(f"ws://127.0.0.1:{server.port}/ws/v1/store/games/{game['id']}") as socket:
            assert "stored" in str(socket.recv(WAIT_S))
        with pytest.raises(InvalidStatus):
            connect(f"ws://127.0.0.1:{server.port}/ws/v1/analysis")


def test_legacy_games_of_a_read_only_server_are_kept(tmp_path: Path) -> None:
    with running_server(tmp_path, worker_command=FAKE) as server:
        game = server.new_game(None, None)
    with running_server(tmp_path, worker_command=FAKE, read_only=True, keep_days=0.0) as server:
        asyncio.run_coroutine_threadsafe(server.context.sweep(), server.loop).result(30)
        assert server.state(game["id"])["id"] == game["id"]
