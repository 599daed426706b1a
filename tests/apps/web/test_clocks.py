"""Clocks and books of openings over the API."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest
from websockets.sync.client import connect

from tests.web_server import RunningServer, running_server, seat, until
from wuzi.arena.openings import load_shipped
from wuzi.core import Game, Rules
from wuzi.core.symmetry import NUM_SYMMETRIES

HUMANS = [seat(None), seat(None)]


def test_a_clock_counts_adds_and_ends_the_game(server: RunningServer) -> None:
    body = {"rules": {"size": 9}, "seats": HUMANS, "clock": {"seconds": 2, "increment": 30}}
    game = server.post("/games", body, 201)
    assert [clock["running"] for clock in game["clocks"]] == [True, False]
    state = server.play(game, "e5")
    assert state["clocks"][0]["leftS"] > 28, "the increment was added"
    assert [clock["running"] for clock in state["clocks"]] == [False, True]
    over = server.wait_for(game, lambda state: state["outcome"])
    assert over["outcome"] == {"winner": "B", "reason": "time", "forbiddenKind": None}
    assert over["clocks"][1] == {"leftS": 0, "incrementS": 30, "moveS": None, "running": False}


def test_without_a_clock_nobody_counts(server: RunningServer) -> None:
    assert server.new_game(None, None)["clocks"] == [None, None]
    body = {"rules": {"size": 9}, "seats": HUMANS, "clock": {"seconds": 0}}
    assert server.post("/games", body, 422)["code"] == "validation"


def test_clocks_outlive_the_server(tmp_path: Path) -> None:
    body = {"rules": {"size": 9}, "seats": HUMANS, "clock": {"seconds": 500, "increment": 7}}
    with running_server(tmp_path) as one:
        game = one.post("/games", body, 201)
        left = one.play(game, "e5")["clocks"][0]["leftS"]
        one.context.hub._games[game["id"]]._turn_began -= 100
    with running_server(tmp_path) as two:
        clocks = two.get(f"/games/{game['id']}")["clocks"]
        assert clocks[0] == {"leftS": left, "incrementS": 7, "moveS": None, "running": False}
        assert clocks[1]["running"] and 300 < clocks[1]["leftS"] < 400, "the turn so far has cost its time"


def test_undo_and_redo_give_no_time_back(server: RunningServer) -> None:
    body = {"rules": {"size": 9}, "seats": HUMANS, "clock": {"seconds": 500}}
    game = server.post("/games", body, 201)
    live = server.context.hub._games[game["id"]]
    path = f"/games/{game['id']}"
    server.play(game, "e5")
    live._turn_began -= 100
    assert 300 < server.post(f"{path}/undo")["clocks"][1]["leftS"] <= 400
    live._turn_began -= 100
    assert 300 < server.post(f"{path}/redo")["clocks"][0]["leftS"] <= 400
    live._turn_began -= 100
    server.client.post(f"/api/game/{game['id']}/undo")
    assert 200 < server.get(path)["clocks"][1]["leftS"] <= 300
    live._turn_began -= 100
    server.client.post(f"/api/game/{game['id']}/move", json={"x": 0, "y": 0})
    assert 200 < server.get(path)["clocks"][0]["leftS"] <= 300


@pytest.mark.parametrize("end", ["resign", "draw"])
def test_the_turn_that_ends_a_game_without_a_stone_costs_its_time(server: RunningServer, end: str) -> None:
    body = {"rules": {"size": 9}, "seats": HUMANS, "clock": {"seconds": 500}}
    game = server.post("/games", body, 201)
    server.context.hub._games[game["id"]]._turn_began -= 100
    over = server.post(f"/games/{game['id']}/{end}")
    assert over["outcome"] and 300 < over["clocks"][0]["leftS"] <= 400
    again = server.post(f"/games/{game['id']}/undo")
    assert not again["outcome"] and again["clocks"][0]["running"]
    assert 300 < again["clocks"][0]["leftS"] <= 400, "taken back, the turn stays charged"


@pytest.mark.skipif(os.name != "posix", reason="kills a process")
def test_an_engine_is_not_charged_for_the_start_of_its_worker(tmp_path: Path) -> None:
    start = "import time; time.sleep(6); from wuzi.apps.cli import main; main()"
    with running_server(tmp_path, worker_command=(sys.executable, "-c", start, "analysis-engine")) as server:
        until(lambda: server.client.get("/api/v1/engines").is_success, "the engines are ready")
        seats = [seat(None), seat("weight")]
        game = server.post("/games", {"rules": {"size": 9}, "seats": seats, "clock": {"seconds": 500}}, 201)
        os.kill(server.context.pool.pids[0], signal.SIGKILL)
        state = server.play(game, "e5")
        assert state["ply"] == 2 and state["clocks"][1]["leftS"] > 495


def test_an_engine_that_thinks_is_charged_while_another_worker_starts(server: RunningServer) -> None:
    until(lambda: server.client.get("/api/v1/engines").is_success, "the engines are ready")
    seats = [seat("engine/strong"), seat(None)]
    game = server.post("/games", {"rules": {"size": 15}, "seats": seats, "clock": {"seconds": 500}}, 201)
    server.wait_for_thinking(game)
    live, pool = server.context.hub._games[game["id"]], server.context.pool

    async def look() -> float:
        live._turn_began -= 100
        pool._starting += 1
        live.time_turn()
        pool._starting -= 1
        return live.elapsed_s

    assert asyncio.run_coroutine_threadsafe(look(), server.loop).result() >= 100
    server.post(f"/games/{game['id']}/stop")


@pytest.mark.parametrize("start", [{"handicap": 2}, {"book": "even"}, {"moves": ["h8", "h9"]}])
def test_a_game_begins_anew_as_it_began_with_the_seats_exchanged(
    server: RunningServer, start: dict[str, object]
) -> None:
    until(lambda: server.client.get("/api/v1/engines").is_success, "the engines are ready")
    seats = [seat(None), seat("weight") | {"ponders": True}]
    body = {"rules": {"size": 15}, "seats": seats, "clock": {"seconds": 500, "increment": 3}}
    game = server.post("/games", body | start, 201)
    path = f"/games/{game['id']}"
    server.post(f"{path}/stop")
    for swap, order in ((True, -1), (False, 1)):
        again = server.post(f"{path}/restart", {"swapSides": swap}, 201)
        assert [again["cells"], again["moves"]] == [game["cells"], game["moves"]]
        assert [one["ponders"] for one in again["seats"]] == [False, True][::order]
        assert [one["kind"] for one in again["seats"]] == ["human", "engine"][::order]
        assert [clock["incrementS"] for clock in again["clocks"]] == [3, 3]


@pytest.mark.parametrize(("book", "name"), [("even", "freestyle-15"), ("renju26", "renju26")])
def test_a_game_begins_with_an_opening_of_the_book(server: RunningServer, book: str, name: str) -> None:
    rules = Rules(15)
    body = {"rules": {"size": 15}, "seats": HUMANS, "book": book}
    game = server.post("/games", body, 201)
    begun = Game.from_moves(rules, game["moves"])
    images = {
        tuple(opening.transformed(15, symmetry).moves)
        for opening in load_shipped(name, rules)
        for symmetry in range(NUM_SYMMETRIES)
    }
    assert begun.moves in images
    assert game["phase"] == "play"


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"rules": {"size": 11}, "book": "even"}, "unsupported_rule"),
        ({"rules": {"size": 15}, "book": "even", "moves": ["h8"]}, "validation"),
        ({"rules": {"size": 15, "opening": "swap2"}, "book": "renju26"}, "validation"),
        ({"rules": {"size": 15}, "book": "mine"}, "validation"),
    ],
)
def test_books_that_do_not_fit_are_refused(server: RunningServer, more: dict[str, object], code: str) -> None:
    assert server.post("/games", {"seats": HUMANS, **more}, 422)["code"] == code


def test_an_engine_that_ponders_thinks_about_the_persons_turn_and_stops_when_it_moves(
    server: RunningServer,
) -> None:
    until(lambda: server.client.get("/api/v1/engines").is_success, "the engines are ready")
    seats = [seat(None), seat("engine/quick") | {"ponders": True}]
    game = server.post("/games", {"rules": {"size": 9}, "seats": seats}, 201)
    live = server.context.hub._games[game["id"]]
    assert live.pondering is None, "nobody looks"
    with connect(f"ws://127.0.0.1:{server.port}/ws/v1/games/{game['id']}"):
        until(lambda: live.pondering is not None and live.pondering.search is not None, "it ponders")
        state = server.play(game, "e5")
        assert state["ply"] == 2
        until(lambda: live.pondering is not None, "it ponders about the next turn")
        paused = server.post(f"/games/{game['id']}/stop")
        assert paused["paused"]
        until(lambda: live.pondering is None, "a pause ends it")


def test_the_pace_of_two_engines_and_the_name_of_a_game_can_be_set(server: RunningServer) -> None:
    game = server.new_game("weight", "weight")
    path = f"/games/{game['id']}"
    assert server.post(f"{path}/pace", {"seconds": 7.5})["paceS"] == 7.5
    assert server.post(f"{path}/pace", {"seconds": -1}, 422)["code"] == "validation"
    assert server.post(f"{path}/name", {"name": "  The  Dragon "})["name"] == "The Dragon"
    assert server.new_game(None, None)["paceS"] is None
    assert [one["id"] for one in server.get("/games?search=dragon+9x9")] == [game["id"]]
    assert server.get("/games?search=dragon+nobody") == []


def test_black_may_have_extra_stones_before_whites_first_move(server: RunningServer) -> None:
    body = {"rules": {"size": 9}, "seats": HUMANS, "handicap": 2}
    game = server.post("/games", body, 201)
    assert (game["cells"].count("B"), game["toMove"], game["moves"]) == (3, "W", [])
    assert game["seats"][game["seatToAct"]]["color"] == "W"
    again = server.post(f"/games/{game['id']}/restart", status=201)
    assert again["cells"] == game["cells"]
    for wrong in ({"handicap": 4}, {"moves": ["e5"]}, {"rules": {"size": 9, "opening": "swap2"}}):
        assert server.post("/games", body | wrong, 422)["code"] in ("validation", "unsupported_rule")


def test_an_engine_is_tried_out_and_no_other_program(server: RunningServer) -> None:
    until(lambda: server.client.get("/api/v1/engines").is_success, "the engines are ready")
    found = server.post("/engines/weight/probe", {}, 200)
    assert found["move"] and found["board"]["size"] == 15
    nets = [one for one in server.get("/engines") if one["net"] and one["capabilities"]["maxSize"] < 15]
    small = server.post(f"/engines/{nets[0]['id']}/probe", {}, 200)
    assert small["board"]["size"] == nets[0]["capabilities"]["maxSize"]
    for wrong in ("external:cmd=true", "..", "run%2Fx%2Fy"):
        assert server.client.post(f"/api/v1/engines/{wrong}/probe", json={}).status_code in (404, 405, 422)
