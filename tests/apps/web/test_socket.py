"""The WebSocket of a game."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tests.web_server import WAIT_S, RunningServer, running_server, until


@contextmanager
def watching(server: RunningServer, game_id: str, **options: Any) -> Iterator[ClientConnection]:
    url = f"ws://127.0.0.1:{server.port}/ws/v1/games/{game_id}"
    with connect(url, open_timeout=WAIT_S, close_timeout=WAIT_S, **options) as socket:
        yield socket


def read(socket: ClientConnection) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(socket.recv(timeout=WAIT_S))
    return message


def read_until(socket: ClientConnection, kind: str, **wanted: Any) -> dict[str, Any]:
    while True:
        message = read(socket)
        game = message.get("game", {})
        if message["type"] == kind and all(game.get(key) == value for key, value in wanted.items()):
            return message


def test_the_state_comes_first_and_after_each_change(server: RunningServer) -> None:
    game = server.new_game(None, None)
    with watching(server, game["id"]) as socket:
        assert read(socket) == {"type": "state", "game": game}
        state = server.play(game, "e5")
        assert read_until(socket, "state", ply=1)["game"]["seq"] == state["seq"]
        server.post(f"/games/{game['id']}/undo")
        assert read_until(socket, "state", ply=0)["game"]["canRedo"]


def test_reports_come_while_an_engine_thinks_and_then_its_move(server: RunningServer) -> None:
    game = server.new_game(None, "mcts-tactical/strong")
    with watching(server, game["id"]) as socket:
        server.post(f"/games/{game['id']}/moves", {"move": "e5"}, 202)
        assert read_until(socket, "state", ply=1)["game"]["thinking"]["seat"] == 1
        first, second = read_until(socket, "info"), read_until(socket, "info")
        assert first["gameId"] == game["id"]
        assert first["ply"] == 1
        assert second["seq"] > first["seq"]
        assert 0 <= second["rootInfo"]["winrate"] <= 1
        assert second["moveInfos"][0]["pv"][0] == second["moveInfos"][0]["move"]
        server.post(f"/games/{game['id']}/move-now", {}, 202)
        done = read_until(socket, "state", ply=2)["game"]
        assert done["thinking"] is None
        assert done["winrate"] is not None


def test_every_reader_sees_the_same(server: RunningServer) -> None:
    game = server.new_game(None, None)
    with watching(server, game["id"]) as one, watching(server, game["id"]) as two:
        server.play(game, "e5")
        assert read_until(one, "state", ply=1) == read_until(two, "state", ply=1)


def test_pings_and_rubbish(server: RunningServer) -> None:
    game = server.new_game(None, None)
    with watching(server, game["id"]) as socket:
        read(socket)
        for rubbish in ("", "{", "[]", "[" * 4000, '{"type":"move","move":"e5"}'):
            socket.send(rubbish)
        socket.send('{"type":"ping"}')
        assert read(socket) == {"type": "pong"}
        assert server.get(f"/games/{game['id']}")["ply"] == 0


@pytest.mark.parametrize(("message", "code"), [("x" * 5000, 1009), (b"\xff\x00", 1003)])
def test_long_messages_and_bytes_close_the_socket(
    server: RunningServer, message: str | bytes, code: int
) -> None:
    with watching(server, server.new_game(None, None)["id"]) as socket:
        read(socket)
        socket.send(message)
        with pytest.raises(ConnectionClosed) as closed:
            read(socket)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == code


def test_unknown_games_close_with_a_code(server: RunningServer) -> None:
    with watching(server, "unknown") as socket, pytest.raises(ConnectionClosed) as closed:
        read(socket)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4404


def test_other_sites_cannot_listen(server: RunningServer) -> None:
    game = server.new_game(None, None)
    with pytest.raises(InvalidStatus), watching(server, game["id"], origin="http://evil.example"):
        pass
    with watching(server, game["id"], origin=server.url) as socket:
        assert read(socket)["type"] == "state"


def test_a_deleted_game_closes_its_sockets(server: RunningServer) -> None:
    game = server.new_game(None, None)
    with watching(server, game["id"]) as socket:
        read(socket)
        server.client.delete(f"/api/v1/games/{game['id']}")
        with pytest.raises(ConnectionClosed):
            read(socket)


def test_the_server_pings_and_bounds_the_number_of_sockets(tmp_path: Path) -> None:
    limits = {"ping_s": 0.05, "max_sockets": 3, "max_sockets_per_game": 2}
    with running_server(tmp_path, **limits) as server, ExitStack() as stack:
        one, two = server.new_game(None, None), server.new_game(None, None)
        sockets = [stack.enter_context(watching(server, game["id"])) for game in (one, one, two)]
        for socket in sockets:
            assert read_until(socket, "ping")
        for game in (one, two):
            refused = stack.enter_context(watching(server, game["id"]))
            with pytest.raises(ConnectionClosed) as closed:
                read(refused)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4429
        sockets[0].close()
        until(lambda: server.context.hub.num_sockets == 2, "the socket left")
        assert read(stack.enter_context(watching(server, one["id"])))["type"] == "state"


def test_two_engines_wait_for_a_reader(server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server.context.hub, "_settings", replace(server.settings, idle_s=0.0))
    game = server.new_game("weight", "weight", size=7)
    assert game["thinking"] is None and game["ply"] == 0
    with watching(server, game["id"]) as socket:
        while read_until(socket, "state")["game"]["ply"] < 3:
            pass
