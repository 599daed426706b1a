"""Analysis over HTTP and over the live socket, with real workers: limits, queue, cancel, killed workers."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.apps.web.test_workers import fake_worker, posix_only
from tests.web_server import WAIT_S, RunningServer, read, running_server, say, until
from wuzi.apps.web.routes.socket import MAX_OPEN
from wuzi.core import parse_moves

pytestmark = pytest.mark.slow

POSITION = {"size": 9, "moves": ["e5", "e6", "d5"]}
WON = {"size": 9, "moves": ["a1", "a2", "b1", "b2", "c1", "c2", "d1", "d2", "e1"]}
QUIET = {"size": 15, "moves": ["h8", "i9"]}
LONG = {"type": "start", "id": "long", "position": QUIET, "engine": "engine", "limit": {"time": 600}}
"""A search that only its time ends, however fast the machine: no limit of visits, no win to be proved."""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server with one worker and low limits for a client."""
    folder = tmp_path_factory.mktemp("small")
    few = {"workers": 1, "max_client_searches": 3, "max_client_analysis_sockets": 4, "long_s": 600.0}
    with running_server(folder, max_move_s=600, **few) as server:
        until(lambda: server.client.get("/api/v1/engines").is_success, "the engines are ready")
        yield server


def busy(server: RunningServer) -> int:
    return server.context.pool.num_busy


# ---------------------------------------------------------------- one-shot


def test_an_analysis_has_katagos_names(server: RunningServer) -> None:
    body = {"position": POSITION, "engine": "engine", "limit": {"nodes": 2000}, "multipv": 3}
    report = server.post("/analyze", body)
    assert report["isDuringSearch"] is False
    assert report["turnNumber"] == 3
    assert report["rootInfo"]["currentPlayer"] == "W"
    assert [info["order"] for info in report["moveInfos"]] == [0, 1, 2]
    for info in report["moveInfos"]:
        assert info["pv"][0] == info["move"]
        assert 0 <= info["winrate"] <= 1


def test_a_tree_search_fills_the_maps(server: RunningServer) -> None:
    body = {
        "position": POSITION,
        "engine": "mcts-s0",
        "limit": {"visits": 500},
        "multipv": 2,
        "include": ["visits"],
    }
    report = server.post("/analyze", body)
    assert len(report["moveInfos"]) == 2
    assert len(report["visits"]) == 81
    assert max(report["visits"]) == report["moveInfos"][0]["visits"]
    assert sum(report["visits"]) <= report["rootInfo"]["visits"]
    assert report["policy"] is None


def test_a_set_up_board_is_analysed(server: RunningServer) -> None:
    cells = ["."] * 81
    for cell, stone in ((40, "B"), (41, "B"), (42, "B"), (43, "B"), (0, "W")):
        cells[cell] = stone
    position = {"size": 9, "cells": "".join(cells), "toMove": "B"}
    report = server.post("/analyze", {"position": position, "engine": "minimax-s1", "limit": {"depth": 1}})
    assert report["moveInfos"][0]["winIn"] == 1
    assert report["moveInfos"][0]["move"] in ("d5", "i5")


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"position": WON}, 409, "game_over"),
        ({"position": POSITION | {"moves": ["e5", "e5"]}}, 422, "illegal_move"),
        ({"position": POSITION | {"moves": ["z9"]}}, 422, "bad_notation"),
        ({"engine": "nobody"}, 422, "unsupported_rule"),
        ({"engine": "az", "net": "../../etc/passwd"}, 404, "not_found"),
        ({"engine": "az"}, 404, "not_found"),
        ({"position": {"size": 26}, "engine": "engine"}, 422, "unsupported_rule"),
        ({"multipv": 51}, 422, "validation"),
        ({"limit": {"time": -1}}, 422, "validation"),
        ({"command": "rm"}, 422, "validation"),
    ],
)
def test_refusals_have_codes(server: RunningServer, change: dict[str, Any], status: int, code: str) -> None:
    body = {"position": POSITION, "engine": "weight", "limit": {"nodes": 100}} | change
    problem = server.post("/analyze", body, status)
    assert problem["code"] == code


def test_no_search_outlasts_the_servers_limit(tmp_path: Path) -> None:
    with running_server(tmp_path, workers=1, max_move_s=0.3, max_analysis_s=0.6) as server:
        body = {"position": POSITION, "engine": "mcts-tactical", "limit": {"time": 600}}
        assert server.post("/analyze", body)["rootInfo"]["time"] < 30


def layers_of(server: RunningServer, **question: Any) -> dict[str, Any]:
    layers: dict[str, Any] = server.ask(type="layers", **question)["result"]
    return layers


def test_layers_say_what_is_on_the_board(server: RunningServer) -> None:
    position = {"size": 15, "moves": ["h8", "a1", "i8", "a2", "j8", "a3"]}
    include = ["threats", "scores", "tree", "words"]
    layers = layers_of(server, position=position, include=include, moves=["k8"])
    assert "open_three" in {threat["kind"] for threat in layers["threats"]["found"]}
    black, white = layers["threats"]["lines"]
    assert (black["color"], black["toMove"], black["verdict"]) == ("B", True, "win")
    assert (white["color"], white["toMove"]) == ("W", False)
    assert layers["scores"]["attack"][7 * 15 + 10] > 0
    assert layers["scores"]["reasons"]["k8"][0]["stones"] == 4
    rows = layers["tree"]["rows"]
    assert rows[0]["parent"] is None
    assert all(row["parent"] is None or row["parent"] < row["id"] for row in rows)
    assert "open four" in layers["words"][0]["en"][0]
    assert layers["unsupported"] == {}


def test_layers_that_make_no_sense_say_why(server: RunningServer) -> None:
    position = {"size": 9, "winLength": 6, "moves": ["e5"]}
    layers = layers_of(server, position=position, include=["threats", "scores"])
    assert layers.get("threats") is None
    assert "threats" in layers["unsupported"]
    assert layers["scores"] is not None


def test_a_record_keeps_its_variations_on_the_way_through(server: RunningServer) -> None:
    sgf = "(;FF[4]GM[4]SZ[15];B[hh]C[the centre](;W[ih];B[ii])(;W[gg]C[or here]))"
    parsed = server.client.post("/api/v1/records/parse?tree=true", content=sgf).json()
    assert [node.get("comment") for node in parsed["tree"]["nodes"]].count("or here") == 1
    back = server.client.post("/api/v1/records/convert?format=sgf", content=json.dumps(parsed["tree"]))
    assert back.status_code == 200
    assert "or here" in back.text
    again = server.client.post("/api/v1/records/parse?tree=true", content=back.text).json()
    assert again["tree"]["nodes"] == parsed["tree"]["nodes"]


# ---------------------------------------------------------------- live


def test_reports_come_until_the_limit_and_then_the_answer(server: RunningServer) -> None:
    with server.asking() as socket:
        say(socket, LONG, limit={"visits": 20_000}, id="q1")
        first = read(socket, "info", "done")
        assert first["id"] == "q1"
        assert first["moveInfos"]
        done = read(socket, "done")
        assert done["isDuringSearch"] is False
        assert done["seq"] >= first["seq"]


def test_stop_answers_at_once_with_the_best_so_far(server: RunningServer) -> None:
    with server.asking() as socket:
        say(socket, LONG)
        read(socket, "info")
        say(socket, {"type": "stop", "id": "long"})
        done = read(socket, "done")
        assert done["rootInfo"]["time"] < 50
        assert done["moveInfos"]


def test_searches_run_side_by_side_and_one_of_the_same_id_takes_its_place(server: RunningServer) -> None:
    slow = LONG | {"engine": "mcts-tactical", "level": "strong", "limit": {}, "isMove": True}
    with server.asking() as socket:
        say(socket, slow)
        read(socket, "info")
        say(socket, slow, id="next", engine="weight", level=None)
        assert read(socket, "done")["id"] == "next"
        say(socket, slow, engine="weight", level=None)
        done = read(socket, "done")
        assert done["id"] == "long" and done["rootInfo"]["depth"] <= 1
    until(lambda: not busy(server), "the first search ended")


def test_the_end_of_a_search_is_not_the_end_of_the_next(server: RunningServer) -> None:
    """Each replaced search is told to stop; what takes its place must go on until it is told so itself."""
    with server.asking() as socket:
        for number in range(8):
            say(socket, LONG, position=QUIET | {"moves": QUIET["moves"][: number % 3]})
            for _ in range(number % 3):
                assert read(socket, "info", "done", "error")["type"] == "info"
        while read(socket, "info")["turnNumber"] != 7 % 3:
            pass
        say(socket, {"type": "stop", "id": "long"})
        assert read(socket, "done", "error")["turnNumber"] == 7 % 3
    until(lambda: not busy(server), "all have ended")


def test_one_socket_has_only_so_many_questions(server: RunningServer) -> None:
    with server.asking() as socket:
        for number in range(MAX_OPEN + 1):
            say(socket, LONG, id=f"q{number}", isMove=True)
        assert read(socket, "error") | {"message": ""} == {
            "type": "error",
            "id": f"q{MAX_OPEN}",
            "code": "limit_exceeded",
            "message": "",
            "log": "",
        }
    until(lambda: not busy(server), "all have ended")


SWAP = {"size": 15, "opening": "swap2", "actions": [{"type": "place", "moves": ["h8", "i9", "j7"]}]}


def test_a_player_of_a_game_acts_in_its_opening_and_says_what_it_does(server: RunningServer) -> None:
    done = server.ask(type="start", position=SWAP, engine="weight", isMove=True)
    assert done["type"] == "done" and done["action"]["type"] in ("swap", "keep", "place")
    first = server.ask(type="start", position=SWAP | {"actions": []}, engine="levels", isMove=True, seed=3)
    assert len(first["action"]["moves"]) == 3 and first["resigned"] is False
    clock = {"clock": 1.0, "increment": 0}
    timed = server.ask(
        type="start", position=QUIET, engine="engine", level="strong", isMove=True, limit=clock
    )
    assert timed["rootInfo"]["time"] < 1.0


def test_hints_name_an_area_with_the_move_in_it_and_the_reason(server: RunningServer) -> None:
    four = {"size": 9, "moves": ["a1", "a9", "b1", "b9", "c1", "c9", "d1", "d9"]}
    for analyst in ("engine", "minimax-s1"):
        hint = server.ask(type="task", task="hint", position=four, analyst=analyst)["result"]
        assert (hint["move"], hint["reason"], hint["winrate"]) == ("e1", "wins", 1.0)
        assert "e1" in hint["area"] and hint["lines"][0]["move"] == "e1"


def test_a_move_is_judged_and_a_review_is_made_by_tasks_of_the_analysts_alone(server: RunningServer) -> None:
    four = {"size": 15, "moves": ["a1", "a9", "b1", "b9", "c1", "c9", "d1", "d9"]}
    judged = server.ask(
        type="task",
        task="judge",
        position=four,
        arguments={"move": "e1", "goal": "best", "options": {"player": "external:cmd=true"}},
    )
    assert judged["result"]["verdict"] == "solved", "whatever player is asked for"
    look = {"kind": "quick", "ply": 2, "moves": "", "options": {"quick_nodes": 500}}
    found = server.ask(type="task", task="review", position=four, arguments=look)["result"]
    assert 0 <= found["winrate"] <= 1 and found["lines"]
    bad = {"kind": "quick", "ply": 99, "moves": "", "options": {}}
    for wrong in (bad, look | {"options": {"secret": 1}}, {"kind": "none"}):
        refused = server.ask(type="task", task="review", position=four, arguments=wrong)
        assert refused["type"] == "error" and refused["message"]


def test_a_closed_socket_cancels_its_search(server: RunningServer) -> None:
    with server.asking() as socket:
        say(socket, LONG)
        read(socket, "info")
        assert busy(server) == 1
        pids = server.context.pool.pids
    until(lambda: not busy(server), "the search was cancelled")
    assert server.context.pool.pids == pids  # stopped, not killed


def test_a_client_that_goes_away_cancels_its_one_shot_search(server: RunningServer) -> None:
    import http.client

    asking = http.client.HTTPConnection("127.0.0.1", server.port)
    body = json.dumps({key: LONG[key] for key in ("position", "engine", "limit")})
    asking.request("POST", "/api/v1/analyze", body, {"content-type": "application/json"})
    until(lambda: busy(server), "the search began")
    asking.close()
    until(lambda: not busy(server), "the search was cancelled")


@posix_only
def test_a_killed_worker_is_replaced_and_asked_again(server: RunningServer) -> None:
    with server.asking() as socket:
        say(socket, LONG, limit={"time": 4})
        read(socket, "info")
        before = server.context.pool.pids
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        done = read(socket, "done", "error")
        assert done["type"] == "done", done
        assert not set(before) & set(server.context.pool.pids)


def test_a_worker_that_always_dies_is_an_error(tmp_path: Path) -> None:
    with running_server(tmp_path, worker_command=fake_worker(tmp_path, "sys.exit(3)")) as server:
        with server.asking() as socket:
            say(socket, LONG, engine="weight")
            error = read(socket, "done", "error")
            assert (error["id"], error["code"]) == ("long", "engine_crashed")
            say(socket, LONG, engine="weight", id="more")
            assert read(socket, "error")["id"] == "more"
        body = {"position": POSITION, "engine": "weight", "limit": {"nodes": 10}}
        assert server.post("/analyze", body, 503)["code"] == "engine_crashed"


def test_waiting_analyses_know_their_place_and_leave_the_queue(small: RunningServer) -> None:
    with small.asking() as first, small.asking() as third:
        say(first, LONG)
        read(first, "info")
        with small.asking() as second:
            say(second, LONG)
            assert read(second, "queued")["ahead"] == 1
            say(third, LONG)
            assert read(third, "queued")["ahead"] == 2
        while read(third, "queued")["ahead"] != 1:  # the second one has gone
            pass
        say(first, {"type": "cancel", "id": "long"})
        assert read(third, "info")["id"] == "long"
    until(lambda: not busy(small), "all were cancelled")


def test_a_games_move_waits_for_no_analysis(small: RunningServer) -> None:
    with small.asking() as first, small.asking() as second:
        say(first, LONG)
        read(first, "info")
        say(second, LONG)
        assert read(second, "queued")["ahead"] == 1
        assert small.ask(type="start", position=QUIET, engine="weight", isMove=True)["type"] == "done"
        for socket in (first, second):
            say(socket, {"type": "ping"})
            assert read(socket, "pong", "done", "error")["type"] == "pong"  # still searching, still waiting
        say(first, {"type": "cancel", "id": "long"})
        assert read(second, "info")["id"] == "long"
    until(lambda: not busy(small), "all were cancelled")


def test_a_client_has_only_so_many_searches_and_sockets(small: RunningServer) -> None:
    with ExitStack() as stack:
        sockets = [stack.enter_context(small.asking()) for _ in range(4)]
        for socket in sockets[:3]:
            say(socket, LONG)
            read(socket, "queued", "info")
        say(sockets[3], LONG)
        assert read(sockets[3], "error")["code"] == "limit_exceeded"
        body = {"position": POSITION, "engine": "weight"}
        assert small.post("/analyze", body, 429)["code"] == "limit_exceeded"
        with small.asking() as one_more, pytest.raises(ConnectionClosed) as closed:
            one_more.recv(timeout=WAIT_S)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4429
    until(lambda: not busy(small), "all were cancelled")
    assert small.post("/analyze", {"position": POSITION, "engine": "weight"})["moveInfos"]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"type": "start"}, "validation"),
        ({"type": "nonsense", "id": "x"}, "validation"),
        (LONG | {"position": WON}, "game_over"),
        (LONG | {"engine": "nobody"}, "unsupported_rule"),
        (LONG | {"reportEvery": 0.001}, "validation"),
        (LONG | {"player": "minimax:depth=20"}, "validation"),
    ],
)
def test_messages_that_make_no_sense_are_errors(
    server: RunningServer, message: dict[str, Any], code: str
) -> None:
    with server.asking() as socket:
        say(socket, message)
        assert read(socket, "error")["code"] == code
        say(socket, {"type": "ping"})
        assert read(socket, "pong")


def test_the_loop_answers_while_clients_think(small: RunningServer) -> None:
    with small.asking() as one, small.asking() as two:
        for socket in (one, two):
            say(socket, LONG)
        read(one, "info")
        for _ in range(20):
            assert small.get("/health")["status"] == "ok"


def test_a_move_that_evens_the_position_out(server: RunningServer) -> None:
    position = {"size": 15, "moves": ["h8"]}
    for count in (1, 2):
        asked = {"type": "task", "task": "balance", "arguments": {"count": count}}
        found = server.ask(**asked, position=position)["result"]
        assert len(parse_moves(found["moves"], 15)) == count and 0.2 < found["winrate"] < 0.8
        assert server.ask(**asked, position=WON)["code"] == "game_over"
