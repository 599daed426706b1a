"""Health, version, engines, the page, headers, errors and limits."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.web_server import RunningServer, running_server
from wuzi import __version__
from wuzi.apps.web.problems import CODES
from wuzi.players import create_player
from wuzi.players.levels import LEVELS, level_ratings
from wuzi.players.opponents import ENGINES
from wuzi.players.registry import seeded


def problem(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """Check that a response is a problem document."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = response.json()
    assert body["status"] == status
    assert body["code"] == code
    assert code in CODES
    assert body["detail"]
    assert "\n" not in body["detail"]
    return body


def test_health_and_version(server: RunningServer) -> None:
    health = server.get("/health")
    assert (health["status"], health["version"]) == ("ok", __version__)
    version = server.get("/version")
    names = ["freestyle", "standard", "renju", "caro", "caro_overline"]
    assert [rule["id"] for rule in version["rules"]] == names
    assert (version["minSize"], version["maxSize"], version["readOnly"]) == (3, 26, False)
    assert version["limits"]["maxBody"] == server.settings.max_body


def test_engines_say_what_they_play(server: RunningServer) -> None:
    engines = {engine["id"]: engine for engine in server.get("/engines")}
    assert list(engines) == list(ENGINES)
    for engine in engines.values():
        assert engine["name"]["en"]
        assert engine["name"]["zh"]
        assert engine["levels"]
        assert "freestyle" in engine["capabilities"]["rules"]
    assert engines["mcts-tactical"]["capabilities"]["winLengths"] == [4, 5]


def test_levels_carry_their_measured_ratings(server: RunningServer) -> None:
    engines = {engine["id"]: engine for engine in server.get("/engines")}
    levels = engines["levels"]["levels"]
    assert [level["id"] for level in levels] == list(LEVELS)
    assert engines["levels"]["defaultLevel"] == "casual"
    assert engines["weight"]["defaultLevel"] == "default"
    for level in levels:
        rating = level_ratings()[level["id"]]
        assert level["rating"] == {
            "elo": rating.elo,
            "low": rating.low,
            "high": rating.high,
            "size": 15,
            "games": rating.games,
        }
    assert engines["engine"]["levels"][0]["rating"] is None


@pytest.mark.parametrize("engine", ENGINES)
def test_every_level_is_a_player(engine: str) -> None:
    for level in ENGINES[engine].levels:
        with create_player(seeded(level.spec, 7)) as player:
            assert player.name


def test_the_schema_is_served_and_errors_are_problems_in_it(server: RunningServer) -> None:
    schema = server.client.get("/openapi.json").json()
    assert schema["info"]["title"] == "wuzi"
    for path in schema["paths"].values():
        for operation in path.values():
            for status, response in operation["responses"].items():
                if status >= "400":
                    assert list(response["content"]) == ["application/problem+json"]


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/api/v1/nothing", 404, "not_found"),
        ("GET", "/api/v2/health", 404, "not_found"),
        ("GET", "/api", 404, "not_found"),
        ("GET", "/api/v1/store/games/unknown", 404, "not_found"),
        ("DELETE", "/api/v1/store/games/unknown", 404, "not_found"),
        ("POST", "/api/v1/health", 405, "method_not_allowed"),
        ("POST", "/api/v1/store/games/some", 405, "method_not_allowed"),
        ("PUT", "/", 405, "method_not_allowed"),
        ("GET", "/api/v1/store/games?limit=0", 422, "validation"),
        ("GET", "/api/v1/store/secrets", 422, "validation"),
        ("GET", "/assets/missing.js", 404, "not_found"),
        ("GET", "/assets/..%2f..%2fapp.py", 404, "not_found"),
    ],
)
def test_errors_of_addresses_are_problems(
    server: RunningServer, method: str, path: str, status: int, code: str
) -> None:
    response = server.client.request(method, path)
    problem(response, status, code)
    if status == 405:
        assert response.headers["allow"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "validation"),
        (b"{", "validation"),
        (b"[]", "validation"),
        (b'{"version":0,"summary":{}}', "validation"),
        (b'{"version":-1,"summary":{},"data":{}}', "validation"),
        (b'{"version":"0","summary":{},"data":{}}', "validation"),
        (b'{"version":0,"summary":{},"data":{},"extra":1}', "validation"),
        (b'{"version":0,"summary":[],"data":{}}', "validation"),
    ],
)
def test_bad_bodies_are_problems(server: RunningServer, body: bytes, code: str) -> None:
    headers = {"content-type": "application/json"}
    response = server.client.put("/api/v1/store/games/some", content=body, headers=headers)
    errors = problem(response, 422, code)
    assert len(json.dumps(errors)) < 5000


def test_a_body_that_is_no_text_is_a_problem(server: RunningServer) -> None:
    headers = {"content-type": "application/json"}
    problem(
        server.client.put("/api/v1/store/games/some", content=b"\xff", headers=headers), 400, "validation"
    )


def test_bodies_over_the_limit_are_refused_announced_or_not(server: RunningServer) -> None:
    big = b"x" * (server.settings.max_body + 1)
    problem(server.client.post("/api/v1/records/parse", content=big), 413, "limit_exceeded")

    def chunks() -> Any:
        stream = io.BytesIO(big)
        while chunk := stream.read(1 << 16):
            yield chunk

    problem(server.client.post("/api/v1/records/parse", content=chunks()), 413, "limit_exceeded")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1"])
def test_other_sites_cannot_change_anything(server: RunningServer, origin: str) -> None:
    response = server.client.put("/api/v1/store/games/some", json={}, headers={"origin": origin})
    problem(response, 403, "forbidden_origin")
    assert server.client.get("/api/v1/health", headers={"origin": origin}).status_code == 200


def test_our_own_origin_may(server: RunningServer) -> None:
    body = {"version": 0, "summary": {}, "data": {}}
    response = server.client.put("/api/v1/store/games/ours", json=body, headers={"origin": server.url})
    assert response.status_code == 200


def test_unknown_host_names_are_refused_on_a_loopback_server(tmp_path: Path) -> None:
    with running_server(tmp_path, allowed_hosts=frozenset({"127.0.0.1"})) as local:
        problem(local.client.get("/", headers={"host": "evil.example"}), 403, "forbidden_origin")
        assert local.client.get("/api/v1/health").status_code == 200


def test_every_response_has_security_headers(server: RunningServer) -> None:
    for path in ("/", "/api/v1/health", "/api/v1/nothing", "/assets/missing.js"):
        headers = server.client.get(path).headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert "'unsafe-" not in headers["content-security-policy"]
        assert "script-src 'self' 'wasm-unsafe-eval';" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
    assert server.client.get("/api/v1/health").headers["cache-control"] == "no-store"


def test_page_files_are_cached_by_kind_and_other_addresses_are_the_page(tmp_path: Path) -> None:
    root = tmp_path / "web"
    (root / "assets").mkdir(parents=True)
    (root / "index.html").write_text('<div id="app"></div>', "utf-8")
    (root / "assets" / "app-1a2b.js").write_text("export {}", "utf-8")
    (tmp_path / "secret.txt").write_text("secret", "utf-8")
    with running_server(tmp_path / "data", web_root=root) as site:
        for path in ("/", "/play/abc", "/p/h8h9?size=15"):
            page = site.client.get(path)
            assert (page.status_code, page.headers["cache-control"]) == (200, "no-cache")
            assert 'id="app"' in page.text
        script = site.client.get("/assets/app-1a2b.js")
        assert "immutable" in script.headers["cache-control"]
        assert script.headers["content-type"].startswith("text/javascript")
        again = site.client.get("/", headers={"if-none-match": site.client.get("/").headers["etag"]})
        assert again.status_code == 304
        for path in ("/..%2fsecret.txt", "/%2e%2e/secret.txt", "/assets/../../secret.txt"):
            assert "secret" not in site.client.get(path).text


def test_page_files_are_compressed_once_with_their_length(tmp_path: Path) -> None:
    (tmp_path / "web" / "assets").mkdir(parents=True)
    (tmp_path / "web" / "index.html").write_text("<p>" * 999, "utf-8")
    script = tmp_path / "web" / "assets" / "app-1a2b.js"
    script.write_text("export {};\n" * 999, "utf-8")
    (tmp_path / "web" / "icon.png").write_bytes(bytes(4000))
    with running_server(tmp_path / "data", web_root=tmp_path / "web") as site:

        def get(path: str, **headers: str) -> httpx.Response:
            return site.client.get(path, headers={"accept-encoding": "gzip", **headers})

        packed = get("/assets/app-1a2b.js")
        assert packed.text == script.read_text("utf-8")
        assert packed.headers["content-encoding"] == "gzip" and "immutable" in packed.headers["cache-control"]
        # Packed as a whole, before it is sent: what the event loop compresses piece by piece has no length.
        assert int(packed.headers["content-length"]) < 999
        assert get("/play/abc").headers["content-length"] == get("/").headers["content-length"]
        assert get("/", **{"if-none-match": get("/").headers["etag"]}).status_code == 304
        part = get("/assets/app-1a2b.js", range="bytes=0-8")
        assert (part.status_code, part.text) == (206, "export {}")
        assert "content-encoding" not in get("/icon.png").headers
        script.write_text("export {};\n" * 1999, "utf-8")
        assert get("/assets/app-1a2b.js").text == script.read_text("utf-8")


PREPARED = """
import asyncio, sys
from pathlib import Path
import httpx
from wuzi.apps.web.app import create_app, prepare
from wuzi.apps.web.settings import Settings

async def play():
    settings = Settings(data_dir=Path(sys.argv[1]), worker_command=(sys.executable, "-c", "input()"))
    app = create_app(settings)
    prepare(app).join()
    assert app.openapi_schema is not None
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost/api/v1") as client:
            known = set(sys.modules)
            for version in (0, 1):
                body = {"version": version, "summary": {}, "data": {"rules": {"size": 15, "rule": "renju"}}}
                (await client.put("/store/games/first", json=body)).raise_for_status()
            (await client.get("/data/facts")).raise_for_status()
            print([name for name in set(sys.modules) - known if name.startswith(("wuzi.core", "numba"))])

asyncio.run(play())
"""


@pytest.mark.slow
def test_a_prepared_server_loads_nothing_for_the_first_stone(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PREPARED, str(tmp_path)]
    ran = subprocess.run(command, check=False, capture_output=True, text=True)
    assert ran.stdout.strip() == "[]", ran.stdout + ran.stderr


def test_a_missing_page_says_how_to_build_it(tmp_path: Path) -> None:
    with running_server(tmp_path / "data", web_root=tmp_path / "none") as bare:
        page = bare.client.get("/")
        assert page.status_code == 503
        assert "npm run build" in page.text
        assert "页面尚未构建" in page.text
        assert bare.client.get("/api/v1/health").status_code == 200
