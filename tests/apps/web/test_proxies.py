"""Behind a reverse proxy: whose origin is ours, whom headers are believed, and a server below a path."""

from __future__ import annotations

import json
import re
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from tests.apps.desktop.conftest import FAKE
from tests.apps.web.test_system import problem
from tests.proxy import proxied
from tests.web_server import RunningServer, running_server
from wuzi.apps.web import Settings
from wuzi.apps.web.guard import is_same_origin
from wuzi.apps.web.server import settings_at
from wuzi.errors import ConfigError

PUBLIC = "play.example.org"
MOVES = b"h8h9i7"


@pytest.mark.parametrize(
    ("origin", "host", "same"),
    [
        ("https://play.example.org", "play.example.org", True),
        ("https://play.example.org", "play.example.org:443", True),
        ("http://play.example.org", "play.example.org:80", True),
        ("https://play.example.org:443", "play.example.org", True),
        ("https://play.example.org", "PLAY.Example.org", True),
        ("HTTPS://Play.Example.ORG", "play.example.org:443", True),
        ("http://play.example.org:8080", "play.example.org:8080", True),
        ("http://[::1]:8000", "[::1]:8000", True),
        ("http://[::1]", "[::1]:80", True),
        ("https://play.example.org", "play.example.org:80", False),
        ("http://play.example.org", "play.example.org:443", False),
        ("http://play.example.org:8080", "play.example.org", False),
        ("http://play.example.org", "play.example.org:8080", False),
        ("https://play.example.org.evil.example", "play.example.org", False),
        ("https://evil.example", "play.example.org", False),
        ("https://play.example.org@evil.example", "play.example.org", False),
        ("https://evil.example@play.example.org", "play.example.org", False),
        ("https://evil.example/play.example.org", "play.example.org", False),
        ("https://play.example.org/", "play.example.org", False),
        ("https://play.example.org:x", "play.example.org", False),
        ("https://play.example.org:99999", "play.example.org", False),
        ("ftp://play.example.org", "play.example.org", False),
        ("play.example.org", "play.example.org", False),
        ("https://", "", False),
        ("null", "null", False),
        ("", "", False),
    ],
)
def test_whose_origin_is_ours(origin: str, host: str, same: bool) -> None:
    assert is_same_origin(origin, host) is same


@pytest.mark.parametrize("host", [f"{PUBLIC}:443", PUBLIC, PUBLIC.upper(), f"{PUBLIC.title()}:443"])
def test_a_proxy_may_write_the_host_in_any_usual_way(server: RunningServer, host: str) -> None:
    headers = {"host": host, "origin": f"https://{PUBLIC}"}
    assert server.client.post("/api/v1/records/parse", content=MOVES, headers=headers).status_code == 200
    for origin in ("https://evil.example", f"https://{PUBLIC}:8443", f"https://{PUBLIC}.evil.example"):
        response = server.client.post(
            "/api/v1/records/parse", content=MOVES, headers={**headers, "origin": origin}
        )
        problem(response, 403, "forbidden_origin")


def test_host_names_are_known_in_any_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WUZI_ALLOWED_HOSTS", "Play.Example.org, second.example")
    known = settings_at("127.0.0.1", Settings(data_dir=tmp_path)).allowed_hosts
    with running_server(tmp_path, worker_command=FAKE, allowed_hosts=known) as local:
        for host in (PUBLIC, "PLAY.EXAMPLE.ORG:443", "localhost", "Second.Example:80"):
            assert local.client.get("/api/v1/health", headers={"host": host}).status_code == 200
        for host in ("evil.example", f"{PUBLIC}.evil.example", f"{PUBLIC}:x", ""):
            problem(local.client.get("/api/v1/health", headers={"host": host}), 403, "forbidden_origin")


def test_the_host_that_a_trusted_proxy_names_is_ours(tmp_path: Path) -> None:
    known = frozenset({"127.0.0.1", PUBLIC})
    asked = {"x-forwarded-host": f"forged.example, {PUBLIC}", "x-forwarded-proto": "https"}
    ours, foreign = {"origin": f"https://{PUBLIC}"}, {"origin": "https://evil.example"}
    with running_server(tmp_path / "trusting", worker_command=FAKE, allowed_hosts=known) as local:
        client = local.client
        assert client.post("/api/v1/records/parse", content=MOVES, headers=asked | ours).status_code == 200
        refused = [
            asked | foreign,
            # The address of the server behind the proxy is no page that anybody has open.
            asked | {"origin": local.url},
            {"x-forwarded-host": "evil.example"} | foreign,
        ]
        for headers in refused:
            problem(
                client.post("/api/v1/records/parse", content=MOVES, headers=headers), 403, "forbidden_origin"
            )
        # A name of somebody else's that leads to this machine can send the header, too.
        rebound = {"host": "evil.example", "x-forwarded-host": "127.0.0.1"}
        problem(client.get("/api/v1/store/games", headers=rebound), 403, "forbidden_origin")
        url = f"ws://127.0.0.1:{local.port}/ws/v1/analysis"
        with connect(
            url, origin=Origin(f"https://{PUBLIC}"), additional_headers={"X-Forwarded-Host": PUBLIC}
        ):
            pass
        with pytest.raises(InvalidStatus):
            connect(url, origin=Origin(f"https://{PUBLIC}"))
    with running_server(
        tmp_path / "strict", worker_command=FAKE, allowed_hosts=known, forwarded_allow_ips="192.0.2.1"
    ) as local:
        response = local.client.post("/api/v1/records/parse", content=MOVES, headers=asked | ours)
        problem(response, 403, "forbidden_origin")


@pytest.mark.parametrize("strips", [True, False], ids=["the proxy strips the path", "the proxy keeps it"])
def test_a_server_below_a_path(tmp_path: Path, strips: bool) -> None:
    with (
        running_server(tmp_path, worker_command=FAKE, root_path="/a/wuzi") as local,
        proxied(local.port, "/a/wuzi", strips=strips) as url,
        httpx.Client(timeout=60) as client,
    ):
        origin = {"origin": url.removesuffix("/a/wuzi")}
        game = local.new_game(None, None)["id"]
        stored = client.get(f"{url}/api/v1/store/games/{game}").json()
        body = {"version": 1, "summary": {}, "data": stored["data"]}
        made = client.put(f"{url}/api/v1/store/games/{game}", json=body, headers=origin)
        assert made.status_code == 200 and made.json()["version"] == 2
        assert client.get(f"{url}/openapi.json").json()["servers"] == [{"url": "/a/wuzi"}]
        problem(client.get(f"{url}/api/v1/nothing"), 404, "not_found")
        with connect(
            f"{url.replace('http', 'ws')}/ws/v1/store/games/{game}", origin=Origin(origin["origin"])
        ) as followed:
            assert json.loads(followed.recv(30))["type"] == "stored"
        if not strips:
            found = client.get(url)
            assert (found.status_code, found.headers["location"]) == (308, "/a/wuzi/")


def test_the_page_is_told_where_it_lies(tmp_path: Path) -> None:
    web = tmp_path / "web"
    (web / "assets").mkdir(parents=True)
    (web / "assets" / "page-1.js").write_text("1\n")
    (web / "index.html").write_text('<head><script src="/assets/page-1.js"></script></head><a href="//x">\n')
    for root, expected in (("", "/assets/page-1.js"), ("/wuzi", "/wuzi/assets/page-1.js")):
        with running_server(
            tmp_path / f"d{root}", worker_command=FAKE, web_root=web, root_path=root
        ) as local:
            for path in ("/", "/index.html", "/play/x", f"{root}/", f"{root}/play/x"):
                text = local.client.get(path).text
                assert re.findall(r'src="([^"]+)"', text) == [expected], path
                assert ('<meta name="wuzi-root" content="/wuzi" />' in text) is bool(root)
                assert 'href="//x"' in text
            assert local.client.get(expected).text == "1\n"


@pytest.mark.parametrize(
    "path", ["wuzi", "/", "/wuzi/", "//evil", "/a/../b", "/api", "/ws/x", "/assets", '/"x']
)
def test_paths_that_a_server_cannot_lie_below(tmp_path: Path, path: str) -> None:
    with pytest.raises(ConfigError, match="expected one such as /wuzi"):
        Settings(data_dir=tmp_path, root_path=path)
    assert Settings(data_dir=tmp_path, root_path="/games/wuzi-2.x").root_path == "/games/wuzi-2.x"
