"""Game files over the API, and position codes."""

from __future__ import annotations

import json
from typing import Any

import pytest

import wuzi
from tests.web_server import RunningServer
from wuzi.records import dumps, loads

MOVES = ["e5", "e6", "d5", "d6", "c5"]


def upload(server: RunningServer, path: str, content: bytes, form: bool) -> Any:
    if form:
        return server.client.post(f"/api/v1{path}", files={"file": ("game.sgf", content)})
    return server.client.post(f"/api/v1{path}", content=content)


@pytest.mark.parametrize("format", ["sgf", "psq", "rec", "json"])
@pytest.mark.parametrize("form", [True, False])
def test_out_and_in_again(server: RunningServer, format: str, form: bool) -> None:
    game = "".join(MOVES).encode()
    file = server.client.post(f"/api/v1/records/convert?format={format}", content=game)
    assert file.headers["content-disposition"] == f'attachment; filename="wuzi-analysis.{format}"'
    parsed = upload(server, "/records/parse", file.content, form).json()
    assert parsed["format"] == format
    assert parsed["moves"] == MOVES
    assert parsed["rules"]["size"] == 15 or format == "rec"


@pytest.mark.parametrize("format", ["pos", "svg", "txt"])
def test_other_exports(server: RunningServer, format: str) -> None:
    game = "".join(MOVES).encode()
    file = server.client.post(f"/api/v1/records/convert?format={format}", content=game)
    assert file.status_code == 200
    assert {"pos": "e5e6d5d6c5", "svg": "<svg", "txt": "15"}[format] in file.text
    wrong = server.client.post("/api/v1/records/convert?format=png", content=game)
    assert wrong.json()["code"] == "validation"


SHORT_GAME = "(;FF[4]GM[4]SZ[15]PB[Ada];B[hh];W[gg];B[hi];W[hf];B[hk];W[hj];B[fh];W[ig];B[gh];W[ih])"


def test_a_review_is_written_as_a_file_and_read_again(server: RunningServer) -> None:
    record = loads(SHORT_GAME)
    found = wuzi.review(record.game(), quick_nodes=500, deep_nodes=0, verify_nodes=500)
    saved = found.to_json()
    body = {"record": dumps(record, "json"), "options": saved["options"], "results": saved["results"]}
    sgf = server.client.post("/api/v1/records/review", json=body | {"lang": "zh"})
    assert sgf.headers["content-type"].startswith("application/x-go-sgf")
    again = upload(server, "/records/parse", sgf.content, False).json()
    assert again["review"]["results"] == json.loads(json.dumps(saved["results"]))
    assert again["review"]["options"] == saved["options"] and again["players"]["black"] == "Ada"
    page = server.client.post("/api/v1/records/review", json=body | {"format": "html"})
    assert page.text.startswith("<!doctype html>")
    for wrong in ({"options": {"player": 1}}, {"results": {"quick.99": {}}}, {"record": "{}"}):
        refused = server.client.post("/api/v1/records/review", json=body | wrong)
        assert (refused.status_code, refused.json()["code"]) == (422, "bad_record"), refused.text


def test_variations_names_and_warnings_are_parsed(server: RunningServer) -> None:
    sgf = "(;GM[4]SZ[15]PB[甲]PW[乙]RE[B+R];B[hh];W[ii](;B[jj]C[好])(;B[kk]))"
    parsed = upload(server, "/records/parse", sgf.encode(), False).json()
    assert parsed["players"] == {"black": "甲", "white": "乙"}
    assert parsed["tree"]["nodes"]
    assert parsed["result"]["reason"] == "resignation"
    assert parsed["review"] is None


def test_pasted_position_codes_are_games(server: RunningServer) -> None:
    parsed = upload(server, "/records/parse", b"h8h9i7", False).json()
    assert (len(parsed["moves"]), parsed["rules"]["size"]) == (3, 15)


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
@pytest.mark.parametrize("path", ["/records/parse", "/records/convert"])
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


def test_a_request_may_name_the_charset_and_the_rule(server: RunningServer) -> None:
    content = "(;GM[1]SZ[15]PB[Žák];B[hh];W[ii])".encode("cp1250")
    refused = server.client.post("/api/v1/records/parse", content=content)
    assert refused.status_code == 422 and "GM[1] (Go): expected GM[4]" in refused.text
    asked = "/api/v1/records/parse?tree=true&rule=renju&charset=windows-1250"
    parsed = server.client.post(asked, content=content).json()
    assert parsed["rules"]["rule"] == "renju" and parsed["players"]["black"] == "Žák"
    assert any("GM[1] (Go) is not gomoku" in warning for warning in parsed["warnings"])
    refused = server.client.post("/api/v1/records/parse?charset=klingon", content=content)
    assert refused.status_code == 422 and "unknown charset 'klingon'" in refused.text


def test_an_analysis_takes_boards_that_were_changed_between_the_moves(server: RunningServer) -> None:
    content = "(;GM[4]SZ[15]RU[freestyle];B[hh];AW[aa][bb]AB[cc];W[hi])"
    assert server.client.post("/api/v1/records/parse", content=content).status_code == 422
    tree = server.client.post("/api/v1/records/parse?tree=true", content=content).json()["tree"]
    assert [node.get("setup") for node in tree["nodes"]][2] == {"black": ["c13"], "white": ["a15", "b14"]}
