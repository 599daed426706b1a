"""The endpoints of document 004's own server."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web_server import RunningServer

FIVE = {f"r7c{col}": -1 for col in range(5)} | {f"r0c{2 * col}": 1 for col in range(4)}


def board(size: int = 15, **stones: int) -> list[list[int]]:
    """A board of numbers; a stone is named by its row and column, as in ``r7c8=1``."""
    rows = [[0] * size for _ in range(size)]
    for place, number in stones.items():
        row, col = place[1:].split("c")
        rows[int(row)][int(col)] = number
    return rows


def ask(server: RunningServer, path: str, body: Any = None, status: int = 200) -> Any:
    response = server.client.post(path, json=body)
    assert response.status_code == status, response.text
    return response.json()


def test_a_board_in_a_move_and_a_win_rate_out(server: RunningServer) -> None:
    four = {f"r7c{col}": 1 for col in range(4, 8)} | {f"r0c{col}": -1 for col in (0, 2, 4, 6)}
    answer = ask(server, "/move", {"board": board(**four)})
    assert (answer["x"], answer["y"]) in ((7, 3), (7, 8))
    assert answer["move"] == [answer["x"], answer["y"]]
    assert answer["win_rate"] == 1.0


def test_the_second_player_moves_on_a_board_with_one_stone_more_of_the_other(server: RunningServer) -> None:
    four = {f"r7c{col}": 1 for col in range(4, 8)} | {f"r{2 * row}c0": -1 for row in range(5)}
    answer = ask(server, "/move", {"board": board(**four)})
    assert answer["x"] == 7
    assert answer["win_rate"] == 1.0


@pytest.mark.parametrize("engine", ["net-9x9", "mcts-s0"])
def test_a_tree_search_with_and_without_a_net_moves(server: RunningServer, engine: str) -> None:
    four = {f"r3c{col}": 1 for col in range(2, 6)} | {f"r0c{col}": -1 for col in (0, 2, 4, 6)}
    level = "quick" if engine == "net-9x9" else None
    answer = ask(server, "/move", {"board": board(9, **four), "engine": engine, "level": level})
    assert (answer["x"], answer["y"]) in ((3, 1), (3, 6))
    assert answer["win_rate"] > 0.5
    for wrong in ({"engine": "net-nobody"}, {"engine": "net-9x9", "level": "none"}):
        assert ask(server, "/move", {"board": board(9, **four), **wrong}, 422)["code"] == "unsupported_rule"
    wide = ask(server, "/move", {"board": board(15), "engine": "net-s3-8x8"}, 422)
    assert wide["code"] == "unsupported_rule"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"board": board(r1c1=1, r2c2=1)}, 422, "bad_notation"),
        ({"board": [[0] * 15] * 14}, 422, "bad_notation"),
        ({"board": [[2] * 15] * 15}, 422, "validation"),
        (
            {
                "board": board(
                    **{f"r7c{col}": -1 for col in range(5)}, **{f"r0c{2 * col}": 1 for col in range(4)}
                )
            },
            409,
            "game_over",
        ),
        ({}, 422, "validation"),
    ],
)
def test_boards_that_are_none(server: RunningServer, body: Any, status: int, code: str) -> None:
    assert ask(server, "/move", body, status)["code"] == code


def test_a_game_by_the_old_addresses(server: RunningServer) -> None:
    game = ask(server, "/api/game/new", {"size": 9, "human_first": True}, 201)
    path = f"/api/game/{game['game_id']}"
    assert (game["human"], game["current_player"], game["move_count"]) == (1, 1, 0)
    after = ask(server, f"{path}/move", {"x": 4, "y": 4})
    assert after["board"][4][4] == 1
    assert after["move_count"] == 2
    assert after["ai_move"] == after["last_move"]
    assert after["board"][after["ai_move"]["x"]][after["ai_move"]["y"]] == -1
    assert 0 <= after["win_rate"] <= 1
    assert server.client.get(f"{path}/state").json() == after
    assert ask(server, f"{path}/move", {"x": 4, "y": 4}, 422)["code"] == "illegal_move"
    assert ask(server, f"{path}/undo")["move_count"] == 0
    assert server.client.get("/api/game/none/state").status_code == 404


def test_the_engine_begins_when_the_person_does_not(server: RunningServer) -> None:
    game = ask(server, "/api/game/new", {"human_first": False}, 201)
    assert (game["human"], game["move_count"]) == (-1, 1)
    assert game["ai_move"] is not None


def test_who_plays(server: RunningServer) -> None:
    assert server.client.get("/api/model/info").json()["name"] == "wuzi engine"
