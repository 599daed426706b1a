"""Game files over the API, and position codes."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from tests.web_server import RunningServer

MOVES = ["e5", "e6", "d5", "d6", "c5"]


def upload(server: RunningServer, path: str, content: bytes, form: bool) -> Any:
    if form:
        return server.client.post(f"/api/v1{path}", files={"file": ("game.sgf", content)})
    return server.client.post(f"/api/v1{path}", content=content)


@pytest.mark.parametrize("format", ["sgf", "psq", "rec", "json"])
@pytest.mark.parametrize("form", [True, False])
def test_out_and_in_again(server: RunningServer, format: str, form: bool) -> None:
    game = server.new_game(None, None)
    server.play(game, *MOVES)
    file = server.client.get(f"/api/v1/games/{game['id']}/export?format={format}")
    assert file.headers["content-disposition"] == f'attachment; filename="wuzi-{game["id"]}.{format}"'
    response = upload(server, "/games/import", file.content, form)
    assert response.status_code == 201, response.text
    state = response.json()
    assert state["moves"] == MOVES
    assert [seat["kind"] for seat in state["seats"]] == ["human", "human"]
    assert server.client.get(response.headers["location"]).json() == state
    parsed = upload(server, "/records/parse", file.content, form).json()
    assert parsed["format"] == format
    assert parsed["moves"] == MOVES
    assert parsed["rules"]["size"] == 9


@pytest.mark.parametrize("format", ["pos", "svg", "txt"])
def test_other_exports(server: RunningServer, format: str) -> None:
    game = server.new_game(None, None)
    server.play(game, *MOVES)
    file = server.client.get(f"/api/v1/games/{game['id']}/export?format={format}")
    assert file.status_code == 200
    assert {"pos": "e5e6d5d6c5", "svg": "<svg", "txt": "9"}[format] in file.text
    assert server.get(f"/games/{game['id']}/export?format=png", 422)["code"] == "validation"


def test_the_default_export_is_sgf_with_names_and_result(server: RunningServer) -> None:
    game = server.new_game(None, "weight")
    server.play(game, "e5")
    server.post(f"/games/{game['id']}/resign")
    text = server.client.get(f"/api/v1/games/{game['id']}/export").text
    assert "PW[Score table]" in text
    assert "RE[W+R" in text
    chinese = server.client.get(f"/api/v1/games/{game['id']}/export?lang=zh").text
    assert "PB[玩家]" in chinese and "PW[评分表]" in chinese
    review = server.post("/reviews", {"gameId": game["id"], "depth": "quick", "lang": "zh"}, 201)
    assert review["players"] == {"B": "你", "W": "评分表"}


def test_variations_names_and_warnings_are_parsed(server: RunningServer) -> None:
    sgf = "(;GM[4]SZ[15]PB[甲]PW[乙]RE[B+R];B[hh];W[ii](;B[jj]C[好])(;B[kk]))"
    parsed = upload(server, "/records/parse", sgf.encode(), False).json()
    assert parsed["players"] == {"black": "甲", "white": "乙"}
    assert parsed["tree"]["nodes"]
    assert parsed["result"]["reason"] == "resignation"
    state = upload(server, "/games/import", sgf.encode(), False).json()
    assert [seat["name"]["zh"] for seat in state["seats"]] == ["甲", "乙"]


def test_pasted_position_codes_are_games(server: RunningServer) -> None:
    state = upload(server, "/games/import", b"h8h9i7", False).json()
    assert (state["ply"], state["rules"]["size"]) == (3, 15)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello",
        b"(;GM[4]",
        b"(;GM[1]SZ[19];B[aa])",
        b"\x00\x01\x02",
        b"(" * 50_000,
        b"h8h8",
        b"<svg></svg>",
    ],
)
@pytest.mark.parametrize("path", ["/records/parse", "/games/import"])
def test_broken_files_are_problems(server: RunningServer, path: str, content: bytes) -> None:
    response = upload(server, path, content, False)
    assert response.status_code == 422, response.text
    assert response.json()["code"] == "bad_record"


def test_forms_without_a_file_are_problems(server: RunningServer) -> None:
    response = server.client.post("/api/v1/records/parse", files={"other": (None, "")})
    assert response.json()["code"] == "bad_record"
    headers = {"content-type": "multipart/form-data; boundary=x"}
    response = server.client.post("/api/v1/records/parse", content=b"junk", headers=headers)
    assert response.status_code in (400, 422)
    response = server.client.post(
        "/api/v1/records/parse", content=b"junk", headers={"content-type": "multipart/form-data"}
    )
    assert response.status_code in (400, 422)


def position(server: RunningServer, code: str, query: str = "", status: int = 200) -> Any:
    return server.get(f"/positions/{quote(code)}{query}", status)


def test_position_codes(server: RunningServer) -> None:
    found = position(server, "h8 h9i7", "?size=15")
    assert (found["ply"], found["toMove"], found["legal"]) == (3, "W", 222)
    assert found["cells"][7 * 15 + 7] == "B"
    assert found["positionCode"] == "h8h9i7"
    assert position(server, "-")["ply"] == 0


def test_renju_positions_have_forbidden_points(server: RunningServer) -> None:
    found = position(server, "h8a1i8a3g9a5g10a7", "?rule=renju")
    assert found["forbidden"] == [{"move": "g8", "kind": "double_three"}]


def test_threats_are_listed_on_request(server: RunningServer) -> None:
    found = position(server, "h8a1i8a3j8", "?threats=true")
    assert {(threat["kind"], threat["color"]) for threat in found["threats"]} == {("open_three", "B")}
    assert set(found["threats"][0]["stones"]) == {"h8", "i8", "j8"}
    assert position(server, "h8")["threats"] is None
    position(server, "h8", "?threats=true&winLength=3&size=9", 422)


def test_finished_positions_say_so(server: RunningServer) -> None:
    found = position(server, "a1a3b1b3c1c3d1d3e1")
    assert found["outcome"]["reason"] == "line"
    assert found["legal"] == 0


@pytest.mark.parametrize(
    ("code", "query", "problem"),
    [
        ("hello!", "", "bad_notation"),
        ("h16", "", "bad_notation"),
        ("h8h8", "", "illegal_move"),
        ("a1a3b1b3c1c3d1d3e1e3", "", "game_over"),
        ("h8", "?size=6&winLength=7", "unsupported_rule"),
        ("h8", "?rule=go", "validation"),
    ],
)
def test_bad_position_codes(server: RunningServer, code: str, query: str, problem: str) -> None:
    response = server.client.get(f"/api/v1/positions/{quote(code)}{query}")
    assert response.status_code in (409, 422)
    assert response.json()["code"] == problem


def test_a_request_may_name_the_charset_and_the_rule(server: RunningServer) -> None:
    content = "(;GM[1]SZ[15]PB[Žák];B[hh];W[ii])".encode("cp1250")
    refused = server.client.post("/api/v1/records/parse", content=content)
    assert refused.status_code == 422 and "GM[1] (Go): expected GM[4]" in refused.text
    asked = "/api/v1/records/parse?tree=true&rule=renju&charset=windows-1250"
    parsed = server.client.post(asked, content=content).json()
    assert parsed["rules"]["rule"] == "renju" and parsed["players"]["black"] == "Žák"
    assert any("GM[1] (Go) is not gomoku" in warning for warning in parsed["warnings"])
    opened = server.client.post("/api/v1/games/import?rule=renju&charset=cp1250", content=content)
    assert opened.status_code == 201 and opened.json()["rules"]["rule"] == "renju"
    refused = server.client.post("/api/v1/records/parse?charset=klingon", content=content)
    assert refused.status_code == 422 and "unknown charset 'klingon'" in refused.text


def test_an_analysis_takes_boards_that_were_changed_between_the_moves(server: RunningServer) -> None:
    content = "(;GM[4]SZ[15]RU[freestyle];B[hh];AW[aa][bb]AB[cc];W[hi])"
    assert server.client.post("/api/v1/records/parse", content=content).status_code == 422
    tree = server.client.post("/api/v1/records/parse?tree=true", content=content).json()["tree"]
    assert [node.get("setup") for node in tree["nodes"]][2] == {"black": ["c13"], "white": ["a15", "b14"]}
