"""Games over the API, with real engines in real worker processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.web_server import RunningServer, running_server, seat, until
from wuzi.core import format_move
from wuzi.nets.shelf import list_nets
from wuzi.players.opponents import ENGINES

HUMANS = (None, None)
NET_BOARDS = {f"net-{net.name}": net.board for net in list_nets()}


def refused(server: RunningServer, path: str, body: Any, status: int, code: str) -> dict[str, Any]:
    problem: dict[str, Any] = server.post(path, body, status)
    assert problem["code"] == code
    return problem


def test_a_new_game_is_where_its_location_says(server: RunningServer) -> None:
    body = {"rules": {"size": 9, "winLength": 4, "rule": "standard"}, "seats": [seat(None), seat("weight")]}
    response = server.client.post("/api/v1/games", json=body)
    assert response.status_code == 201
    state = server.client.get(response.headers["location"]).json()
    assert state == response.json()
    assert state["rules"] == {"size": 9, "winLength": 4, "rule": "standard", "opening": "free"}
    assert (state["toMove"], state["ply"], state["seatToAct"], state["phase"]) == ("B", 0, 0, "play")
    assert [s["color"] for s in state["seats"]] == ["B", "W"]
    assert state["cells"] == "." * 81
    assert (state["canUndo"], state["outcome"], state["thinking"]) == (False, None, None)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_answers(server: RunningServer, engine: str) -> None:
    level = {"mcts-tactical": "/fast"}.get(engine, "")
    size, win_length, rule = NET_BOARDS.get(engine) or (9, 5, "freestyle")
    rules = {"size": size, "winLength": win_length, "rule": rule}
    game = server.new_game(None, engine + level, rules=rules)
    centre = format_move(size // 2 * (size + 1), size)
    answer = server.post(f"/games/{game['id']}/moves?wait=true&timeout=60", {"move": centre, "ply": 0})
    assert answer["game"]["ply"] == 2
    assert answer["reply"]["move"] == answer["game"]["lastMove"]
    assert answer["game"]["engineError"] is None
    assert answer["game"]["canUndo"]


def test_an_engine_that_starts_moves_by_itself(server: RunningServer) -> None:
    game = server.new_game("weight", None)
    assert game["thinking"]["seat"] == 0
    state = server.wait_for(game, lambda state: state["ply"] == 1)
    assert state["lastMove"] == "e5"
    assert state["thinking"] is None


def test_two_engines_play_to_the_end(server: RunningServer) -> None:
    game = server.new_game("weight", "random", size=7)
    state = server.wait_for(game, lambda state: state["outcome"])
    assert state["outcome"]["winner"] == "B"
    assert state["winningLines"]
    assert state["phase"] == "over"
    assert state["winrate"] == 1.0


def test_double_clicks_and_late_moves_are_harmless(server: RunningServer) -> None:
    game = server.new_game(*HUMANS)
    moves = f"/games/{game['id']}/moves"
    assert server.post(moves, {"move": "e5", "ply": 0}, 202)["ply"] == 1
    refused(server, moves, {"move": "e5", "ply": 0}, 409, "ply_mismatch")
    refused(server, moves, {"move": "d5", "ply": 0}, 409, "ply_mismatch")
    refused(server, moves, {"move": "e5"}, 422, "illegal_move")
    refused(server, moves, {"move": "z9"}, 422, "bad_notation")
    refused(server, moves, {"move": "e10"}, 422, "bad_notation")
    refused(server, moves, {"move": ""}, 422, "validation")
    refused(server, moves, {"move": 7}, 422, "validation")
    assert server.get(f"/games/{game['id']}")["ply"] == 1


def test_win_by_a_row_then_nothing_more_can_be_played(server: RunningServer) -> None:
    game = server.new_game(*HUMANS)
    state = server.play(game, "a1", "a9", "b1", "b9", "c1", "c9", "d1", "d9", "e1")
    assert state["outcome"] == {"winner": "B", "reason": "line", "forbiddenKind": None}
    assert state["winningLines"] == [["a1", "b1", "c1", "d1", "e1"]]
    refused(server, f"/games/{game['id']}/moves", {"move": "e9"}, 409, "game_over")
    refused(server, f"/games/{game['id']}/resign", {}, 409, "game_over")
    assert server.post(f"/games/{game['id']}/undo")["outcome"] is None


def test_renju_shows_forbidden_points_and_playing_one_loses(server: RunningServer) -> None:
    game = server.new_game(*HUMANS, size=15, rules={"rule": "renju"})
    state = server.play(game, "h8", "a1", "i8", "a3", "g9", "a5", "g10", "a7")
    assert state["forbidden"] == [{"move": "g8", "kind": "double_three"}]
    state = server.play(game, "g8")
    assert state["outcome"] == {"winner": "W", "reason": "forbidden", "forbiddenKind": "double_three"}
    assert state["forbidden"] == []


def test_undo_and_redo_against_an_engine(server: RunningServer) -> None:
    game = server.new_game(None, "minimax-s1/easy")
    path = f"/games/{game['id']}"
    after = server.play(game, "e5", "d5")
    assert after["ply"] == 4
    assert server.post(f"{path}/undo")["ply"] == 2
    state = server.post(f"{path}/undo", {})
    assert (state["ply"], state["canUndo"], state["canRedo"]) == (0, False, True)
    refused(server, f"{path}/undo", {}, 409, "nothing_to_undo")
    server.post(f"{path}/redo")
    assert server.post(f"{path}/redo")["moves"] == after["moves"]
    refused(server, f"{path}/redo", {}, 409, "nothing_to_redo")
    stepped = server.post(f"{path}/undo", {"plies": 1})
    assert (stepped["ply"], stepped["paused"]) == (3, True)
    state = server.post(f"{path}/resume")
    assert state["thinking"] or state["ply"] == 4


def test_undo_cancels_a_running_search(server: RunningServer) -> None:
    game = server.new_game(None, "mcts-tactical/strong")
    path = f"/games/{game['id']}"
    state = server.post(f"{path}/moves", {"move": "e5", "ply": 0}, 202)
    assert state["thinking"]["limitS"] == 6
    refused(server, f"{path}/moves", {"move": "d5"}, 409, "not_your_turn")
    state = server.post(f"{path}/undo")
    assert (state["ply"], state["thinking"]) == (0, None)
    assert server.play(server.new_game(None, "weight"), "e5")["ply"] == 2
    assert server.get(path)["ply"] == 0


def test_stop_pauses_and_resume_goes_on(server: RunningServer) -> None:
    game = server.new_game(None, "mcts-tactical/strong")
    path = f"/games/{game['id']}"
    server.post(f"{path}/moves", {"move": "e5"}, 202)
    state = server.post(f"{path}/stop")
    assert (state["paused"], state["thinking"]) == (True, None)
    assert server.get(path)["ply"] == 1
    state = server.post(f"{path}/resume")
    assert state["thinking"]["seat"] == 1
    assert server.post(f"{path}/move-now", {}, 202)["id"] == game["id"]
    assert server.wait_for(game, lambda state: state["ply"] == 2)["outcome"] is None
    refused(server, f"{path}/move-now", {}, 409, "not_your_turn")


def test_resign_and_restart(server: RunningServer) -> None:
    game = server.new_game(None, "weight")
    state = server.post(f"/games/{game['id']}/resign")
    assert state["outcome"] == {"winner": "W", "reason": "resignation", "forbiddenKind": None}
    again = server.post(f"/games/{game['id']}/restart", {}, 201)
    assert again["id"] != game["id"]
    assert (again["outcome"], again["seats"], again["rules"]) == (None, game["seats"], game["rules"])


def test_draws_are_agreed_on(server: RunningServer) -> None:
    game = server.new_game(*HUMANS)
    assert server.post(f"/games/{game['id']}/draw")["outcome"]["reason"] == "agreement"
    engine = server.new_game(None, "random")
    refused(server, f"/games/{engine['id']}/draw", {}, 409, "draw_refused")


def test_hints_first_the_area_then_the_same_move_with_its_reason(server: RunningServer) -> None:
    game = server.new_game(*HUMANS, moves=["a1", "a9", "b1", "b9", "c1", "c9", "d1"])
    path = f"/games/{game['id']}/hint"
    area = server.post(path, {"level": 1})
    assert "e1" in area["area"]
    assert area["move"] is None
    hint = server.post(path, {"level": 2})
    assert hint["move"] == "e1"
    assert hint["area"] == area["area"]
    assert hint["kind"] == "blocks_win"
    assert hint["reason"]["en"].startswith("It stops")
    assert hint["reason"]["zh"]
    assert server.get(f"/games/{game['id']}")["ply"] == 7
    refused(server, path, {"level": 3}, 422, "validation")


def test_hints_work_where_the_tactical_engine_does_not_play(server: RunningServer) -> None:
    game = server.new_game(*HUMANS, size=7, rules={"winLength": 3})
    assert server.post(f"/games/{game['id']}/hint")["move"]


def test_swap2_against_an_engine(server: RunningServer) -> None:
    game = server.new_game(None, "weight", size=15, rules={"opening": "swap2"})
    path = f"/games/{game['id']}"
    assert game["phase"] == "place_three"
    refused(server, f"{path}/moves", {"move": "h8"}, 422, "illegal_move")
    refused(server, f"{path}/actions", {"action": "swap"}, 422, "illegal_move")
    refused(server, f"{path}/actions", {"action": "place", "moves": []}, 422, "validation")
    refused(server, f"{path}/hint", {}, 409, "not_your_turn")
    server.post(f"{path}/actions", {"action": "place", "moves": ["h8", "h9", "j10"], "ply": 0}, 202)
    state = server.wait_for(game, lambda state: state["seatToAct"] == 0 or state["ply"] > 3)
    assert state["phase"] == "play"
    assert {s["color"] for s in state["seats"]} == {"B", "W"}


def test_setup_and_moves_start_a_game(server: RunningServer) -> None:
    cells = "B" + "." * 79 + "W"
    game = server.new_game(*HUMANS, setup={"cells": cells, "toMove": "W"}, moves=["e5"])
    assert (game["ply"], game["toMove"], game["moves"], game["lastMove"]) == (3, "B", ["e5"], "e5")
    assert game["cells"][0] == "B"
    refused(server, "/games", {"seats": [seat(None)] * 2, "setup": {"cells": "BW"}}, 422, "bad_notation")
    refused(server, "/games", {"seats": [seat(None)] * 2, "moves": ["h8", "h8"]}, 422, "illegal_move")


def test_a_game_from_set_up_stones_is_played_taken_back_exported_and_reviewed(server: RunningServer) -> None:
    cells = "".join("BW."[min(cell % 7, 2)] if 30 <= cell < 46 else "." for cell in range(81))
    stones = 81 - cells.count(".")
    game = server.new_game(None, "weight", setup={"cells": cells, "toMove": "B"})
    path = f"/games/{game['id']}"
    assert (game["ply"], game["moves"], game["canUndo"]) == (stones, [], False)
    state = server.play(game, "a1")
    assert (state["ply"], len(state["moves"])) == (stones + 2, 2)
    back = server.post(f"{path}/undo")
    assert (back["cells"], back["canUndo"]) == (cells, False)
    server.play(game, "a1")
    server.post(f"{path}/resign")
    file = server.client.get(f"/api/v1{path}/export").text
    assert "AB[" in file and "AW[" in file
    again = server.client.post("/api/v1/games/import", content=file).json()
    assert (again["ply"], again["moves"][0]) == (stones + 2, "a1")
    assert server.post(f"{path}/restart", status=201)["cells"] == cells
    review = server.post("/reviews", {"gameId": game["id"], "depth": "quick"}, 201)
    until(lambda: server.get(f"/reviews/{review['id']}")["status"] == "done", "the review is done")
    done = server.get(f"/reviews/{review['id']}")
    assert (done["start"], done["moves"][0]["move"]) == (cells, "a1")


@pytest.mark.parametrize(
    ("rules", "engine", "code"),
    [
        ({"size": 5, "winLength": 6}, None, "unsupported_rule"),
        ({"rule": "renju", "winLength": 4}, None, "unsupported_rule"),
        ({"size": 9, "winLength": 3}, "mcts-tactical", "unsupported_rule"),
        ({}, "minimax:depth=2", "unsupported_rule"),
        ({}, "external:cmd=touch x", "unsupported_rule"),
        ({}, "weight/unknown", "unsupported_rule"),
    ],
)
def test_impossible_games_are_refused(
    server: RunningServer, rules: dict[str, Any], engine: str | None, code: str
) -> None:
    problem = refused(server, "/games", {"rules": rules, "seats": [seat(None), seat(engine)]}, 422, code)
    assert problem["detail"]


def test_first_seat_random_gives_both_orders(server: RunningServer) -> None:
    first = {server.new_game(None, "random", firstSeat="random")["seats"][0]["kind"] for _ in range(40)}
    assert first == {"human", "engine"}


def test_recent_games_newest_first_and_deletion(server: RunningServer) -> None:
    old, new = server.new_game(*HUMANS), server.new_game(*HUMANS)
    server.play(old, "e5")
    mine = {old["id"], new["id"]}  # other tests' engines may still be playing
    listed = [game for game in server.get("/games?limit=100") if game["id"] in mine]
    assert len(server.get("/games?limit=2")) == 2
    assert [game["id"] for game in listed] == [old["id"], new["id"]]
    assert listed[0]["ply"] == 1
    assert set(listed[0]) == {"id", "name", "rules", "seats", "ply", "outcome", "updatedAt"}
    assert server.client.delete(f"/api/v1/games/{old['id']}").status_code == 204
    server.get(f"/games/{old['id']}", 404)
    assert old["id"] not in [game["id"] for game in server.get("/games?limit=100")]


@pytest.mark.slow
def test_games_survive_a_restart_and_an_engine_to_move_goes_on(tmp_path: Path) -> None:
    with running_server(tmp_path) as first:
        game = first.new_game(None, "mcts-tactical/strong")
        first.post(f"/games/{game['id']}/moves", {"move": "e5"}, 202)
        human = first.new_game(*HUMANS)
        first.play(human, "e5", "d5")
        first.post(f"/games/{human['id']}/undo")
        before = first.get(f"/games/{human['id']}")
        seen = first.get(f"/games/{game['id']}")["seq"]
    with running_server(tmp_path) as second:
        after = second.get(f"/games/{human['id']}")
        assert after["seq"] > before["seq"]
        assert {**after, "seq": 0} == {**before, "seq": 0}
        state = second.get(f"/games/{game['id']}")
        assert state["seq"] > seen
        assert state["thinking"]["seat"] == 1
        second.post(f"/games/{game['id']}/move-now", {}, 202)
        second.wait_for(game, lambda state: state["ply"] == 2)


def test_old_games_make_room_and_idle_ones_leave_memory(tmp_path: Path) -> None:
    import asyncio

    with running_server(tmp_path, max_games=3, idle_s=0.0) as small:
        games = [small.new_game(*HUMANS) for _ in range(3)]
        small.post("/games", {"seats": [seat(None)] * 2}, 429)
        loop = small.loop
        asyncio.run_coroutine_threadsafe(small.context.hub.sweep(), loop).result(30)
        games.append(small.new_game(*HUMANS))
        asyncio.run_coroutine_threadsafe(small.context.hub.sweep(), loop).result(30)
        small.get(f"/games/{games[0]['id']}", 404)
        assert small.get(f"/games/{games[3]['id']}")["ply"] == 0


def test_a_lattice_of_renju_is_set_up_and_looked_at_in_no_time(server: RunningServer) -> None:
    """Chains of threes that depend on each other, which took the server a minute each."""
    rows = ("B..", ".B.", ".B.", "..B", "..B", "B..")
    cells = "".join((rows[row % 6] * 9)[:26] for row in range(26))
    rules = {"size": 26, "rule": "renju"}
    setup = {"cells": cells, "toMove": "B"}
    game = server.post("/games", {"seats": [seat(None)] * 2, "rules": rules, "setup": setup}, 201)
    assert game["cells"] == cells
    assert {found["kind"] for found in game["forbidden"]} <= {"overline", "double_four", "double_three"}
