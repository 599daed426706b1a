"""Arenas over the API: real tournaments in real children."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.sync.client import connect

from tests.apps.web.test_system import problem
from tests.web_server import RunningServer, running_server, until
from wuzi.apps.web.results import Reporter, Source
from wuzi.arena.results import read_csv
from wuzi.core import parse_moves
from wuzi.errors import RecordError

pytestmark = pytest.mark.slow

SMALL = {"rules": {"size": 5, "winLength": 4}, "openings": "none"}
TWO = [{"spec": "random", "label": "R"}, {"spec": "weight", "label": "W"}]


def begin(server: RunningServer, **more: Any) -> dict[str, Any]:
    arena: dict[str, Any] = server.post("/arenas", {"players": TWO, **SMALL, **more}, 201)
    return arena


def wait_for(
    server: RunningServer, arena: dict[str, Any], what: Callable[[dict[str, Any]], Any]
) -> dict[str, Any]:
    seen: dict[str, Any] = {}

    def look() -> bool:
        seen.update(server.get(f"/arenas/{arena['id']}"))
        return bool(what(seen))

    until(look, f"a state of {arena['id']}: {seen}")
    return seen


def said_boards(socket: Any, least: int) -> list[dict[str, Any]]:
    """The next boards that are said, of so many games."""
    while True:
        message = json.loads(socket.recv(120))
        if message["type"] == "boards" and len(message["boards"]) >= least:
            found: list[dict[str, Any]] = message["boards"]
            return found


def test_a_tournament_from_its_start_to_its_report(server: RunningServer) -> None:
    players = [*TWO, {"spec": "minimax:preset=s0,depth=1", "limit": {"timeS": 5}}]
    begun = begin(server, name="First", players=players, games=4)
    assert (begun["name"], begun["total"], begun["done"]) == ("First", 12, 0)
    path = f"/arenas/{begun['id']}"
    done = wait_for(server, begun, lambda arena: arena["status"] != "running")
    assert (done["status"], done["done"], done["message"]) == ("done", 12, "")
    figures = server.get(f"{path}?lang=zh")["figures"]
    assert figures["games"] == 12 and len(figures["standings"]) == 3 and len(figures["pairs"]) == 3
    assert [len(table["rows"]) for table in figures["tables"]] == [3, 3, 3]
    assert any("\u4e00" <= letter <= "\u9fff" for letter in figures["findings"][0])
    rows = server.get(f"{path}/games?after=10&limit=5")
    assert rows["total"] == 12 and [row["number"] for row in rows["games"]] == [11, 12]
    game = rows["games"][0]
    assert len(parse_moves(game["moves"], 5)) == game["plies"]
    csv = server.client.get(f"/api/v1{path}/export?format=csv").text
    assert len(csv.splitlines()) == 13
    sgf = server.client.get(f"/api/v1{path}/export?format=sgf").text
    assert sgf.count("GM[4]") == 12
    assert begun["id"] in [arena["id"] for arena in server.get("/arenas")]
    problem(server.client.get(f"/api/v1{path}/export?format=html"), 404, "not_found")
    charts(server, path, 12)


def charts(server: RunningServer, path: str, games: int) -> None:
    """Let the charts be drawn, and take them."""
    assert server.get(f"{path}/charts?lang=zh")["status"] == "none"
    asked = server.post(f"{path}/charts?lang=zh", status=202)
    assert asked["status"] in ("making", "ready")
    until(lambda: server.get(f"{path}/charts?lang=zh")["status"] != "making", "the charts are drawn")
    drawn = server.get(f"{path}/charts?lang=zh")
    assert (drawn["status"], drawn["games"], len(drawn["charts"])) == ("ready", games, 12), drawn
    for chart in drawn["charts"]:
        picture = server.client.get(f"/api/v1{path}/charts/{chart['number']}?lang=zh")
        assert picture.content.startswith(b"\x89PNG"), chart
    report = server.client.get(f"/api/v1{path}/export?format=html&lang=zh")
    assert 'lang="zh' in report.text and "attachment" in report.headers["content-disposition"]


def test_a_match_with_a_test_ends_when_it_is_decided(server: RunningServer) -> None:
    begun = begin(server, games=400, sprt={"elo0": -30, "elo1": 30})
    done = wait_for(server, begun, lambda arena: arena["status"] != "running")
    assert done["status"] == "done"
    assert done["sprt"]["decision"] == "H0"  # R is the first player, and much the weaker one
    assert done["done"] < done["total"]
    assert sum(done["figures"]["pairs"][0]["pentanomial"]) > 0


def test_it_is_watched_killed_and_goes_on(tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        slow = {
            "players": [
                {"spec": "minimax:preset=s1", "label": "A"},
                {"spec": "minimax:preset=s1", "label": "B"},
            ]
        }
        begun = begin(server, **slow, games=1000, rules={"size": 15}, limit={"timeS": 0.05})
        kinds = set()
        with connect(f"ws://127.0.0.1:{server.port}/ws/v1/arenas/{begun['id']}?lang=zh") as socket:
            while kinds != {"state", "boards"}:
                message = json.loads(socket.recv(120))
                if message["type"] == "boards" and message["boards"]:
                    board = message["boards"][0]
                    sides = (board["black"], board["white"])
                    assert {side["name"] for side in sides} == {"A", "B"} and board["size"] == 15
                    assert board["askedAt"] is None or 0 <= message["sentAt"] - board["askedAt"] < 60
                    assert all(side["clockS"] is None for side in sides)
                    if all(side["timeS"] > 0 for side in sides):
                        kinds.add("boards")
                if message["type"] == "state" and message["arena"]["done"]:
                    kinds.add("state")
        child = server.context.arenas.children._known[begun["id"]]
        assert child.process is not None
        os.kill(child.process.pid, signal.SIGKILL)
        broken = wait_for(server, begun, lambda arena: arena["status"] == "failed")
        assert "SIGKILL" in broken["message"]
        server.post(f"/arenas/{begun['id']}/resume")
        more = wait_for(server, begun, lambda arena: arena["done"] > broken["done"])
        assert more["message"] == ""
        other = begin(server, **slow, games=1000, rules={"size": 15}, limit={"timeS": 0.05})
        problem(server.client.post("/api/v1/arenas", json={"players": TWO, **SMALL}), 429, "limit_exceeded")
        with connect(f"ws://127.0.0.1:{server.port}/ws/v1/arenas/{other['id']}") as socket:
            until(lambda: said_boards(socket, 1)[0]["moves"], "a game has a move")
            stopped = server.post(f"/arenas/{other['id']}/stop")
            assert stopped["status"] == "stopped"
        with connect(f"ws://127.0.0.1:{server.port}/ws/v1/arenas/{other['id']}") as socket:
            left = said_boards(socket, 1)
            assert left[0]["moves"], "the unfinished game stays to be seen"
            assert all(board["winner"] is None for board in left)
        assert server.client.delete(f"/api/v1/arenas/{other['id']}").status_code == 204
        problem(server.client.get(f"/api/v1/arenas/{other['id']}"), 404, "not_found")
    with running_server(tmp_path) as server:
        assert server.get(f"/arenas/{begun['id']}")["status"] == "running"
        server.post(f"/arenas/{begun['id']}/stop")
    with running_server(tmp_path, read_only=True) as server:
        path = f"/api/v1/arenas/{begun['id']}"
        assert server.client.get(path).json()["status"] == "stopped"
        assert server.client.get(f"{path}/games").json()["total"] >= more["done"]
        for refused in (
            server.client.post("/api/v1/arenas", json={"players": TWO, **SMALL}),
            server.client.post(f"{path}/resume"),
            server.client.post(f"{path}/charts"),
            server.client.post("/api/v1/results", content="black,white,winner\na,b,a\n"),
            server.client.delete(path),
        ):
            problem(refused, 403, "read_only")


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"players": TWO[:1]}, "validation", "players"),
        ({"players": [TWO[0], TWO[0]]}, "unsupported_rule", "two players are called 'R'"),
        ({"players": [TWO[0], {"spec": "nobody"}]}, "unsupported_rule", "unknown player 'nobody'"),
        ({"players": [TWO[0], {"spec": "external:cmd=/bin/true"}]}, "unsupported_rule", "command line only"),
        ({"players": [TWO[0], {"spec": "external:own=random"}]}, "unsupported_rule", "command line only"),
        (
            {"players": [TWO[0], {"spec": "external:name=x,file=/etc/passwd"}]},
            "unsupported_rule",
            "line only",
        ),
        ({"players": [TWO[0], {"spec": "external:name=x,log_dir=/tmp"}]}, "unsupported_rule", "line only"),
        ({"players": [TWO[0], {"spec": "az:net=../../x.npz"}]}, "unsupported_rule", "line only"),
        ({"players": [TWO[0], {"spec": "external:name=nobody"}]}, "unsupported_rule", "unknown engine"),
        ({"players": [TWO[0], {"spec": "weight @time=1"}]}, "unsupported_rule", "weight @time"),
        (
            {"players": [{"spec": "random", "label": str(i)} for i in range(13)]},
            "limit_exceeded",
            "13 players",
        ),
        ({"games": 5001}, "limit_exceeded", "5001 games"),
        ({"limit": {"timeS": 61}}, "limit_exceeded", "61 seconds a move"),
        ({"limit": {"visits": 200_001}}, "limit_exceeded", "simulations"),
        (
            {"players": [TWO[0], {"spec": "mcts:simulations=200001"}]},
            "limit_exceeded",
            "simulations=200001: this server allows 200000",
        ),
        ({"players": [TWO[0], {"spec": "mcts:max_nodes=1_000_000_000"}]}, "limit_exceeded", "max_nodes"),
        ({"players": [TWO[0], {"spec": "engine:table_mb=4096"}]}, "limit_exceeded", "table_mb"),
        ({"players": [TWO[0], {"spec": "engine:threads=64"}]}, "limit_exceeded", "threads"),
        ({"rules": {"size": 27}}, "validation", "size"),
        ({"rules": {"size": 3, "winLength": 4}}, "unsupported_rule", "3"),
        ({"openings": "/etc/passwd"}, "validation", "openings"),
        ({"sprt": {"elo0": 5, "elo1": 1}}, "unsupported_rule", "elo0"),
        ({"players": [*TWO, {"spec": "mcts"}], "sprt": {}}, "unsupported_rule", "sprt with 3 players"),
        ({"cmd": "x"}, "validation", "cmd"),
    ],
)
def test_what_is_refused(server: RunningServer, change: dict[str, Any], code: str, words: str) -> None:
    response = server.client.post("/api/v1/arenas", json={"players": TWO, **SMALL, **change})
    problem(response, 422, code)
    assert words in response.json()["detail"]


def test_the_form_offers_engines_of_the_file_by_name(
    server: RunningServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WUZI_CONFIG_DIR", str(tmp_path))
    (tmp_path / "engines.toml").write_text('[engines]\nother = "/secret/pbrain-other"\n"a,b" = "x"\n')
    offered = server.get("/arenas/players")
    specs = [player["spec"] for player in offered]
    assert "external:name=other" in specs and "random" in specs
    assert "secret" not in json.dumps(offered) and "a,b" not in json.dumps(offered)


@settings(max_examples=60)
@given(
    name=st.one_of(st.text(min_size=1, max_size=40), st.sampled_from(["..", "../arenas", "a" * 12, "run"]))
)
def test_nothing_outside_is_reached(server: RunningServer, name: str) -> None:
    # Clients resolve dots by themselves unless they are escaped.
    wild = quote(name, safe="").replace(".", "%2E")
    for kind in ("arenas", "results"):
        for tail in ("", "/figures", "/games", "/charts", "/charts/1", "/export?format=csv"):
            response = server.client.get(f"/api/v1/{kind}/{wild}{tail}")
            assert response.status_code == 404 or name == "players", (kind, name, tail, response.text)


CSV = "black,white,winner,moves\nA,B,black,h8h9\nB,A,draw,h8i9\nA,B,B,\n"


def test_results_are_uploaded_shown_and_removed(server: RunningServer) -> None:
    response = server.client.post(
        "/api/v1/results", params={"name": "../my results.csv"}, files={"file": ("x.csv", CSV, "text/csv")}
    )
    assert response.status_code == 201, response.text
    kept = response.json()
    assert (kept["games"], kept["players"], kept["name"]) == (3, ["A", "B"], "../my results.csv")
    path = f"/results/{kept['id']}"
    assert server.get(path) == kept and kept in server.get("/results")
    assert server.get(f"{path}/figures")["games"] == 3
    assert server.get(f"{path}/games")["games"][0]["moves"] == "h8h9"
    charts(server, path, 3)
    assert server.client.delete(f"/api/v1{path}").status_code == 204
    problem(server.client.get(f"/api/v1{path}/figures"), 404, "not_found")


def uploaded(folder: Path) -> Source:
    folder.mkdir()
    (folder / "results.csv").write_text(CSV)
    return Source(folder, "results", tuple(read_csv(folder / "results.csv")))


def test_of_a_report_only_its_failure_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, reporter = uploaded(tmp_path / "kept"), Reporter()

    def draw(self: Reporter, place: Path, source: Source, language: str) -> None:
        if language == "zh":
            raise RecordError("no font")
        (place / "fig_anly_results").mkdir(parents=True)
        (place / "fig_anly_results" / "report.html").touch()

    async def drawn(language: str) -> tuple[str, str]:
        reporter.make(source, language)
        assert reporter.state(source, language).status == "making"
        await asyncio.wait(reporter._tasks.values())
        await asyncio.sleep(0)
        found = reporter.state(source, language)
        return found.status, found.message

    async def all_drawn() -> None:
        assert await drawn("en") == ("ready", "")
        shutil.rmtree(source.folder / "report-en-3")
        assert reporter.state(source, "en").status == "none", "removed since"
        assert await drawn("zh") == ("failed", "no font")
        assert await drawn("zh") == ("failed", "no font"), "it is tried again"
        assert reporter._tasks == {}

    monkeypatch.setattr(Reporter, "_draw", draw)
    asyncio.run(all_drawn())


def test_a_report_does_not_bring_a_removed_folder_back(tmp_path: Path) -> None:
    source, reporter = uploaded(tmp_path / "gone"), Reporter()
    shutil.rmtree(source.folder)
    reporter._draw(source.folder / "report-en-3", source, "en")
    assert not source.folder.exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty file"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"a,b\n1,2\n", "no column black or white"),
        (b"black,white,winner\nA,B,nobody\n", "mine.csv: line 2, column winner: 'nobody'"),
        (b"black,white,winner\n", "no games"),
        (b"black,white,winner\n" + b"".join(b"p%d,q%d,draw\n" % (i, i) for i in range(30)), "60 players"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(server: RunningServer, content: bytes, words: str) -> None:
    before = server.get("/results")
    response = server.client.post("/api/v1/results?name=mine.csv", content=content)
    assert response.status_code == 422
    assert words in response.json()["detail"]
    assert str(server.settings.data_dir) not in response.text
    assert server.get("/results") == before


def test_a_file_over_the_limit_is_refused_unread(server: RunningServer) -> None:
    response = server.client.post("/api/v1/results", content=b"x" * (server.settings.max_body + 1))
    problem(response, 413, "limit_exceeded")
