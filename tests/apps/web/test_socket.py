"""Stored games over the API and their WebSocket: versions, watchers, and who leads."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import load_games
import pytest
from serving import Server
from stored_games import write
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tests.web_server import WAIT_S, RunningServer, running_server, until


@contextmanager
def watching(server: RunningServer, game_id: str, **options: Any) -> Iterator[ClientConnection]:
    url = f"ws://127.0.0.1:{server.port}/ws/v1/store/games/{game_id}"
    with connect(url, open_timeout=WAIT_S, close_timeout=WAIT_S, **options) as socket:
        yield socket


def read(socket: ClientConnection, *kinds: str) -> dict[str, Any]:
    """The next message of one of these types, or of any."""
    while True:
        message: dict[str, Any] = json.loads(socket.recv(timeout=WAIT_S))
        if not kinds or message["type"] in kinds:
            return message


def test_every_watcher_gets_the_value_and_each_new_one(server: RunningServer) -> None:
    game = server.new_game(None, None)
    with watching(server, game["id"]) as one, watching(server, game["id"]) as two:
        assert read(one, "stored")["value"]["version"] == read(two, "stored")["value"]["version"] == 1
        server.play(game, "e5")
        first, second = read(one, "stored"), read(two, "stored")
        assert first["value"]["version"] == second["value"]["version"] == 2
        assert first["value"]["data"] == server.get(f"/store/games/{game['id']}")["data"]


def test_a_write_with_an_old_number_is_refused_and_nothing_is_lost(server: RunningServer) -> None:
    game = server.new_game(None, None)
    stored = server.get(f"/store/games/{game['id']}")
    server.play(game, "e5")
    for version in (0, 1, 7):
        assert server.put(game["id"], version, stored["data"], 409)["code"] == "conflict"
    assert server.state(game["id"])["moves"] == ["e5"]
    assert server.put("nowhere1", 3, stored["data"], 404)["code"] == "not_found"


def test_the_first_page_leads_and_the_next_one_after_it(server: RunningServer) -> None:
    game = server.new_game(None, "weight")
    with ExitStack() as first, watching_two(server, game["id"], first) as (one, two):
        assert read(two, "watch") == {"type": "watch", "leads": False, "watchers": 2, "here": []}
        while read(one, "watch")["watchers"] < 2:
            pass
        two.send(json.dumps({"type": "say", "said": {"moveNow": True}}))
        assert read(one, "said")["said"] == {"moveNow": True}
        one.send(json.dumps({"type": "say", "said": {"info": 7}}))
        assert read(two, "said")["said"] == {"info": 7}
        first.close()
        assert read(two, "watch") == {"type": "watch", "leads": True, "watchers": 1, "here": []}


@contextmanager
def watching_two(
    server: RunningServer, game_id: str, first: ExitStack
) -> Iterator[tuple[ClientConnection, ClientConnection]]:
    one = first.enter_context(watching(server, game_id))
    assert read(one, "watch")["leads"]
    with watching(server, game_id) as two:
        yield one, two


def test_who_sits_is_seen_and_strangers_do_not_write(server: RunningServer) -> None:
    keys = [f"key of seat {seat}, long" for seat in (0, 1)]
    game = server.new_game(None, None)
    stored = server.get(f"/store/games/{game['id']}")
    assert not stored["seated"]

    def put(version: int, status: int = 200, **more: Any) -> Any:
        body = write(game["id"], version, stored["data"]) | more
        response = server.client.put(f"/api/v1/store/games/{game['id']}", json=body)
        assert response.status_code == status, response.text
        return response.json()

    assert put(1, keys=["short", "shorter"], status=422)["code"] == "validation"
    seated = put(1, keys=keys, key=keys[0])
    assert seated["seated"] and seated["writer"] == 0
    assert not any(key in json.dumps(server.get(f"/store/games/{game['id']}")) for key in keys)
    assert put(2, 403)["code"] == "no_seat"
    assert put(2, 403, key=keys[0].upper())["code"] == "no_seat"
    assert put(2, key=keys[1])["writer"] == 1
    assert server.client.delete(f"/api/v1/store/games/{game['id']}").status_code == 403
    assert game["id"] not in [one["id"] for one in server.get("/store/games?limit=100")]
    assert [one["id"] for one in server.get(f"/store/games?ids={game['id']},nothing")] == [game["id"]]
    with watching(server, game["id"]) as one, watching(server, game["id"]) as two:
        for message in ({"key": keys[1]}, {"key": "of nobody"}, {"key": 7}, {}):
            one.send(json.dumps({"type": "sit"} | message))
        while read(two, "watch")["here"] != [1]:
            pass
        two.send(json.dumps({"type": "sit", "key": keys[0]}))
        while (seen := read(one, "watch"))["here"] != [0, 1]:
            pass
        assert seen["watchers"] == 2


def test_two_hundred_games_at_once_fit_what_a_deployment_allows(tmp_path: Path) -> None:
    allowed = load_games.deployed("max-sockets")
    with Server(data_dir=tmp_path, workers=1, max_sockets=allowed) as server:
        _, tables = asyncio.run(load_games.play_together(server, 200, pause_s=3, seconds=5))
        server.end()
    assert all(table.moves for table in tables)


def test_pings_and_rubbish(server: RunningServer) -> None:
    game = server.new_game(None, None)
    with watching(server, game["id"]) as socket:
        read(socket, "watch")
        for rubbish in ("", "{", "[]", "[" * 4000, '{"type":"move","move":"e5"}', '{"type":"say"}'):
            socket.send(rubbish)
        socket.send('{"type":"ping"}')
        assert read(socket) == {"type": "pong"}
        assert server.state(game["id"])["ply"] == 0


@pytest.mark.parametrize(("message", "code"), [("x" * 33_000, 1009), (b"\xff\x00", 1003)])
def test_long_messages_and_bytes_close_the_socket(
    server: RunningServer, message: str | bytes, code: int
) -> None:
    with watching(server, server.new_game(None, None)["id"]) as socket:
        read(socket, "watch")
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
        assert read(socket)["type"] == "stored"


def test_a_deleted_game_closes_its_sockets(server: RunningServer) -> None:
    game = server.new_game(None, None)
    with watching(server, game["id"]) as socket:
        read(socket, "watch")
        assert server.client.delete(f"/api/v1/store/games/{game['id']}").status_code == 204
        with pytest.raises(ConnectionClosed):
            read(socket)
    server.get(f"/store/games/{game['id']}", 404)
    assert server.client.delete(f"/api/v1/store/games/{game['id']}").status_code == 404


def test_the_server_pings_and_bounds_the_number_of_sockets(tmp_path: Path) -> None:
    limits = {"ping_s": 0.05, "max_sockets": 3, "max_sockets_per_game": 2}
    with running_server(tmp_path, **limits) as server, ExitStack() as stack:
        one, two = server.new_game(None, None), server.new_game(None, None)
        sockets = [stack.enter_context(watching(server, game["id"])) for game in (one, one, two)]
        for socket in sockets:
            assert read(socket, "ping")
        for game in (one, two):
            refused = stack.enter_context(watching(server, game["id"]))
            with pytest.raises(ConnectionClosed) as closed:
                read(refused)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4429
        sockets[0].close()
        until(lambda: server.context.watchers.num_sockets == 2, "the socket left")
        assert read(stack.enter_context(watching(server, one["id"])))["type"] == "stored"


def test_lists_searches_and_limits(tmp_path: Path) -> None:
    with running_server(tmp_path, max_games=3) as server:
        games = [server.new_game(None, None, name=f"game {number}")["id"] for number in range(5)]
        assert [one["id"] for one in server.get("/store/games?limit=2")] == [games[4], games[3]]
        assert [one["id"] for one in server.get("/store/games?search=game+2+9x9")] == [games[2]]
        asyncio.run_coroutine_threadsafe(server.context.sweep(), server.loop).result(30)
        assert len(server.get("/store/games")) == 3
        for wrong in ("/store/games/%2e%2e", "/store/secrets", "/store/games/a%20b"):
            server.get(wrong, 422)
        body = {"version": 0, "summary": {"name": "x" * 20_000}, "data": {}}
        assert server.client.put("/api/v1/store/games/long", json=body).status_code == 413


def test_games_outlive_a_killed_server(tmp_path: Path) -> None:
    """What was answered is stored: the next server has it, with the time at which the turn began."""
    with running_server(tmp_path) as one:
        clock = {"leftS": 500, "incrementS": 0}
        game = one.new_game(None, None, moves=["e5"], clocks=[clock, clock], turnBegan=1_700_000_000_000)
    with running_server(tmp_path) as two:
        stored = two.get(f"/store/games/{game['id']}")
        assert stored["data"]["turnBegan"] == 1_700_000_000_000
        assert stored["data"]["clocks"] == [clock, clock] and stored["now"] > stored["updatedAt"]
