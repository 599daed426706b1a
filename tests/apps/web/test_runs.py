"""Training runs over the API: read as they are written, played against, begun and ended with a token."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.apps.desktop.conftest import FAKE
from tests.apps.web.test_system import problem
from tests.training.tiny import SMALLEST, begin, settings
from tests.web_server import RunningServer, running_server, until
from wuzi.apps.cli import main
from wuzi.apps.web import trainer
from wuzi.apps.web.children import ChildState, ChildStatus, LiveChild
from wuzi.core import Game, Rules, parse_moves
from wuzi.training.run.changes import record_changes
from wuzi.training.run.directory import RunDirectory

pytestmark = pytest.mark.slow

TOKEN = "a token of the tests"
TRAIN_S = 500.0
"""A process that trains loads PyTorch first, which takes long on a busy machine."""

SETS = [part for text in SMALLEST for part in ("--set", text)]
TINY = {"preset": "quick", "size": 6, "samples": 1, "simulations": 1, "workers": 1}
TRAVERSALS = ("..%2fsix", "%2e%2e", "six%2f..", "six%00", "/etc", "%2fetc%2fpasswd", ".hid", "seven")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run that was trained to its end."""
    folder = tmp_path_factory.mktemp("runs")
    assert main(["train", "--preset", "s3-6x6", *SETS, "--run-dir", str(folder / "six"), "--json"]) == 0
    return folder


@pytest.fixture(scope="module")
def reading(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server that shows these runs and trains nothing."""
    with running_server(tmp_path_factory.mktemp("data"), runs_dir=runs, workers=1) as server:
        yield server


def follow(server: RunningServer, run: str) -> ClientConnection:
    return connect(f"ws://127.0.0.1:{server.port}/ws/v1/runs/{run}")


def told(socket: ClientConnection) -> dict[str, Any]:
    """The next message about the run."""
    while True:
        found: dict[str, Any] = json.loads(socket.recv(TRAIN_S))
        if found["type"] == "run":
            return found


# ---------------------------------------------------------------------------- reading


def test_a_finished_run_is_shown_whole(reading: RunningServer) -> None:
    (listed,) = reading.get("/runs")
    assert (listed["id"], listed["state"], listed["preset"]) == ("six", "finished", "s3-6x6")
    assert (listed["iteration"], listed["iterations"], listed["games"]) == (2, 2, 4)
    assert listed["rules"] == {"size": 6, "winLength": 4, "rule": "freestyle", "opening": "free"}
    assert (listed["net"], listed["canStop"], listed["work"]) == ("basic", False, None)
    run = reading.get("/runs/six")
    assert {name: run[name] for name in listed} == listed
    assert run["parameters"]["selfplay"]["simulations"] == 2
    assert run["environment"]["torch"]
    metrics = reading.get("/runs/six/metrics")
    assert (metrics["count"], metrics["stride"], len(metrics["rows"])) == (2, 1, 2)
    assert {"loss", "kl", "lr", "entropy", "games_per_minute"} <= set(metrics["rows"][-1])
    first, second = reading.get("/runs/six/evaluations")
    assert (first["iteration"], second["iteration"], first["kind"], first["playouts"]) == (1, 2, "mcts", 4)
    assert first["wins"] + first["losses"] + first["draws"] == 1
    assert 0 <= first["low"] <= first["rate"] <= first["high"] <= 1


def test_its_games_are_whole_games(reading: RunningServer) -> None:
    found = reading.get("/runs/six/games?limit=2")
    assert (found["total"] - found["first"], len(found["games"])) == (2, 2)
    assert [game["number"] for game in found["games"]] == [found["first"], found["first"] + 1]
    for game in found["games"]:
        played = Game.from_moves(Rules(6, 4), parse_moves(game["moves"], 6))
        assert played.ply == game["ply"]
        winner = played.outcome and played.outcome.winner
        assert game["winner"] == (None if winner is None else winner.name[0])
    assert reading.get("/runs/six/games?first=0&limit=1")["games"][0]["number"] == 0
    assert reading.get("/runs/six/games?first=10000")["games"] == []


def test_many_figures_are_thinned_out_and_sparse_ones_kept(tmp_path: Path) -> None:
    begin(tmp_path / "runs" / "long", settings())
    directory = RunDirectory(tmp_path / "runs" / "long")
    for iteration in range(1, 1001):
        sparse = {"mcts_win_rate": iteration / 1000} if iteration % 10 == 3 else {}
        directory.append("metrics.jsonl", {"iteration": iteration, "loss": 1.0, **sparse})
    with running_server(tmp_path, runs_dir=tmp_path / "runs", worker_command=FAKE) as server:
        found = server.get("/runs/long/metrics?points=100")
        assert (found["count"], found["stride"], len(found["rows"])) == (1000, 10, 100)
        assert [row["iteration"] for row in found["rows"][-2:]] == [990, 1000]
        assert found["rows"][-1]["mcts_win_rate"] == 0.993


def test_a_run_is_followed_row_by_row(tmp_path: Path) -> None:
    begin(tmp_path / "runs" / "live", settings())
    directory = RunDirectory(tmp_path / "runs" / "live")
    with (
        running_server(tmp_path, runs_dir=tmp_path / "runs", worker_command=FAKE, read_only=True) as server,
        follow(server, "live") as socket,
    ):
        first = told(socket)
        assert (first["count"], first["rows"], first["run"]["iteration"]) == (0, [], 0)
        for iteration in (1, 2):
            directory.append("metrics.jsonl", {"iteration": iteration, "loss": float("inf")})
            found = told(socket)
            assert (found["count"], found["first"]) == (iteration, iteration - 1)
            assert found["rows"] == [{"iteration": iteration, "loss": None}]
        directory.drop_after("metrics.jsonl", 1)
        found = told(socket)
        assert (found["count"], found["version"]) == (1, first["version"] + 1)
        (directory.path / "run.json").unlink()
        with pytest.raises(ConnectionClosed) as gone:
            told(socket)
        assert gone.value.rcvd is not None
        assert gone.value.rcvd.code == 4404


def test_a_run_that_was_killed_after_a_stop_has_not_crashed(tmp_path: Path) -> None:
    begin(tmp_path / "runs" / "slow", settings())
    status = {
        "schema": 1,
        "state": "running",
        "at": "2026-11-26T01:04:09+00:00",
        "pid": 1,
        "text": "",
        "work": {},
    }
    path = tmp_path / "runs" / "slow" / "status.json"
    path.write_text(json.dumps(status), "utf-8")
    os.utime(path, (0, 0))
    with running_server(tmp_path, runs_dir=tmp_path / "runs", worker_command=FAKE) as server:
        assert server.get("/runs/slow")["state"] == "crashed"
        child = LiveChild(tmp_path, ChildState({}, created=0.0, status=ChildStatus.STOPPED))
        server.context.trainer._of_run["slow"] = child
        assert server.get("/runs/slow")["state"] == "stopped"


def test_an_unknown_run_is_not_followed(reading: RunningServer) -> None:
    with follow(reading, "seven") as socket, pytest.raises(ConnectionClosed) as gone:
        told(socket)
    assert gone.value.rcvd is not None
    assert gone.value.rcvd.code == 4404


# ---------------------------------------------------------------------------- names only


@pytest.mark.parametrize("name", TRAVERSALS)
@pytest.mark.parametrize("tail", ["", "/metrics", "/games", "/nets", "/evaluations"])
def test_ids_of_runs_are_names_and_nothing_else(
    reading: RunningServer, runs: Path, name: str, tail: str
) -> None:
    hidden = runs / ".hid"
    if not hidden.exists():
        begin(hidden, settings())
    problem(reading.client.get(f"/api/v1/runs/{name}{tail}"), 404, "not_found")


@pytest.mark.skipif(os.name != "posix", reason="makes links")
def test_links_that_lead_out_of_the_folder_are_no_runs(runs: Path, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "six").symlink_to(runs / "six")
    begin(folder / "own", settings())
    nets = folder / "own" / "nets"
    nets.mkdir()
    for file in (runs / "six" / "nets").iterdir():
        (nets / file.name).symlink_to(file)
    engine = f"run/own/{next(nets.glob('*.json')).stem}"
    with running_server(tmp_path, runs_dir=folder, worker_command=FAKE) as server:
        assert [run["id"] for run in server.get("/runs")] == ["own"]
        server.get("/runs/six", 404)
        problem(analysed(server, engine), 422, "unsupported_rule")


@pytest.mark.parametrize(
    "engine",
    [
        "run/six",
        "run/six/",
        "run/six/nothing",
        "run//x",
        "run/../six/x",
        "run/six/../nets/NET",
        "run/six/NET,seed=1",
    ],
)
def test_ids_of_nets_are_names_and_nothing_else(reading: RunningServer, engine: str) -> None:
    net = reading.get("/runs/six/nets")[0]["name"]
    problem(analysed(reading, engine.replace("NET", net)), 422, "unsupported_rule")


def analysed(server: RunningServer, engine: str, **more: Any) -> httpx.Response:
    """The answer to a question about an opening of 6x6."""
    position = {"size": 6, "winLength": 4, "moves": ["c3"]}
    body = {"position": position, "engine": engine, "limit": {"visits": 8}} | more
    return server.client.post("/api/v1/analyze", json=body)


def test_a_net_of_a_run_plays_and_analyses(reading: RunningServer) -> None:
    nets = reading.get("/runs/six/nets")
    assert [net["iteration"] for net in nets] == sorted((n["iteration"] for n in nets), reverse=True)
    assert sum(net["current"] for net in nets) == 1
    assert sum(net["best"] for net in nets) == 1
    engine = nets[0]["engine"]
    assert engine == f"run/six/{nets[0]['name']}"
    for level in ("quick", "policy", None):
        assert analysed(reading, engine, level=level).json()["moveInfos"]
    refused = analysed(reading, engine, position={"size": 9})
    assert "6" in problem(refused, 422, "unsupported_rule")["detail"]


# ---------------------------------------------------------------------------- who may train


Change = tuple[str, dict[str, Any]]
CHANGES: tuple[Change, ...] = (
    ("/runs", {"name": "x", **TINY}),
    ("/runs/estimate", TINY),
    ("/runs/six/stop", {}),
    ("/runs/six/resume", {}),
)


@pytest.mark.parametrize(("path", "body"), CHANGES)
@pytest.mark.parametrize("token", [None, "", TOKEN])
def test_without_the_flag_nothing_is_begun_or_ended(
    reading: RunningServer, path: str, body: dict[str, Any], token: str | None
) -> None:
    assert reading.get("/training") == {"hasRuns": True, "canStart": False, "presets": [], "missing": None}
    headers = {} if token is None else {"X-Wuzi-Token": token}
    answer = reading.client.post(f"/api/v1{path}", json=body, headers=headers)
    problem(answer, 403, "training_disabled")


def test_a_demo_begins_and_ends_nothing_even_with_the_token(runs: Path, tmp_path: Path) -> None:
    given: dict[str, Any] = {"runs_dir": runs, "worker_command": FAKE, "training_token": TOKEN}
    with running_server(tmp_path, read_only=True, **given) as server:
        assert server.get("/training")["canStart"] is False
        assert server.get("/runs/six")["state"] == "finished"
        for path, body in CHANGES:
            answer = server.client.post(f"/api/v1{path}", json=body, headers={"X-Wuzi-Token": TOKEN})
            problem(answer, 403, "read_only")


def test_the_command_line_refuses_a_demo_that_trains(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--allow-training", "--read-only"]) == 2
    assert "--read-only" in capsys.readouterr().err
    monkeypatch.setenv("WUZI_TRAINING_TOKEN", "short")
    assert main(["serve", "--allow-training"]) == 2
    assert "WUZI_TRAINING_TOKEN" in capsys.readouterr().err


@pytest.fixture
def training(tmp_path: Path) -> Iterator[RunningServer]:
    """A server that trains for who knows the token."""
    given: dict[str, Any] = {"runs_dir": tmp_path / "runs", "worker_command": FAKE, "training_token": TOKEN}
    with running_server(tmp_path / "data", **given) as server:
        yield server


def ask(server: RunningServer, path: str, body: Any = None, status: int = 200) -> dict[str, Any]:
    """A request with the token."""
    answer = server.client.post(f"/api/v1{path}", json=body or {}, headers={"X-Wuzi-Token": TOKEN})
    assert answer.status_code == status, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.parametrize("token", [None, "", "another token", TOKEN + "x", "\xe9"])
def test_only_who_knows_the_token_trains(training: RunningServer, token: str | None) -> None:
    headers = {} if token is None else {"X-Wuzi-Token": token.encode()}
    for path, body in CHANGES:
        answer = training.client.post(f"/api/v1{path}", json=body, headers=headers)  # type: ignore[arg-type]
        problem(answer, 403, "bad_token")
    assert training.get("/runs") == []


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"name": "../x"}, "validation"),
        ({"name": ".x"}, "validation"),
        ({"name": "a/b"}, "validation"),
        ({"name": "--help"}, "validation"),
        ({"preset": "../quick"}, "unsupported_rule"),
        ({"preset": "nothing"}, "unsupported_rule"),
        ({"size": 4, "win_length": 5}, "validation"),
        ({"size": 4, "winLength": 5}, "unsupported_rule"),
        ({"set": ["net.start=/etc/passwd"]}, "validation"),
        ({"run_dir": "/tmp/x"}, "validation"),
    ],
)
def test_a_request_says_nothing_but_names_and_numbers(
    training: RunningServer, change: dict[str, Any], code: str
) -> None:
    problem_body = ask(training, "/runs", {"name": "x", **TINY, **change}, 422)
    assert problem_body["code"] == code
    assert training.get("/runs") == []


def test_a_run_is_begun_followed_and_stopped(training: RunningServer) -> None:
    begun = ask(training, "/runs", {"name": "mine", **TINY, "iterations": 100_000}, 201)
    assert (begun["id"], begun["state"], begun["canStop"]) == ("mine", "starting", True)
    assert (begun["rules"]["size"], begun["iterations"]) == (6, 100_000)
    assert ask(training, "/runs", {"name": "mine", **TINY}, 409)["code"] == "name_taken"
    assert ask(training, "/runs", {"name": "second", **TINY}, 429)["code"] == "limit_exceeded"
    until(lambda: training.get("/runs/mine")["state"] == "running", "the process is at work", TRAIN_S)
    with follow(training, "mine") as socket:
        while not told(socket)["rows"]:
            pass
    assert ask(training, "/runs/mine/resume", {}, 409)["code"] == "engine_busy"
    assert ask(training, "/runs/mine/stop")["canStop"] is False
    until(lambda: training.get("/runs/mine")["state"] == "stopped", "the process ended", TRAIN_S)
    assert (training.get("/runs/mine")["reason"], training.get("/runs/mine")["work"]) == ("", None)
    until(lambda: not training.context.trainer.owns("mine"), "its exit was seen", TRAIN_S)
    assert ask(training, "/runs/mine/stop", {}, 409)["code"] == "not_ours"


def test_the_time_of_a_run_is_estimated_before_it_begins(training: RunningServer) -> None:
    # An iteration of this run takes some hundredths of a second at least.
    assert ask(training, "/runs/estimate", {**TINY, "iterations": 100_000})["seconds"] > 100
    assert ask(training, "/runs/estimate", {"preset": "nothing"}, 422)["code"] == "unsupported_rule"
    assert training.get("/runs") == []


@pytest.mark.ci("starts training twice, each time with PyTorch; one run is begun in `make test`")
def test_a_run_goes_on_and_outlives_its_server(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "mine"
    begin(folder, settings("run.iterations=100000"))
    given: dict[str, Any] = {"runs_dir": folder.parent, "worker_command": FAKE, "training_token": TOKEN}
    with running_server(tmp_path / "data", **given) as server:
        ask(server, "/runs/mine/resume")
        until(lambda: server.get("/runs/mine")["iteration"] > 0, "it goes on", TRAIN_S)
    assert not RunDirectory(folder).is_locked, "it ended with the server"
    with running_server(tmp_path / "data", **given) as server:
        rows = server.get("/runs/mine")["iteration"]
        assert server.get("/runs/mine")["canStop"] is True
        until(lambda: server.get("/runs/mine")["iteration"] > rows, "and goes on with the next one", TRAIN_S)


def test_a_wrong_run_says_why_and_a_short_one_of_its_name_ends_by_itself(training: RunningServer) -> None:
    wrong = {"name": "mine", "preset": "ppo-tiny", "simulations": 2}  # a parameter that it does not have
    ask(training, "/runs", wrong, 201)
    until(lambda: training.get("/runs/mine")["state"] == "failed", "the run failed", TRAIN_S)
    assert "--simulations" in training.get("/runs/mine")["reason"]
    assert training.get("/runs/mine/metrics")["rows"] == []
    ask(training, "/runs", {"name": "mine", **TINY, "iterations": 1}, 201)
    until(lambda: training.get("/runs/mine")["state"] == "finished", "the run ended", TRAIN_S)
    assert training.get("/runs/mine")["canStop"] is False


def test_without_pytorch_only_small_nets_are_trained_and_the_page_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainer, "has_torch", lambda: False)
    (tmp_path / "runs").mkdir()
    with running_server(
        tmp_path / "data", worker_command=FAKE, runs_dir=tmp_path / "runs", training_token=TOKEN
    ) as server:
        about = server.get("/training")
        assert (about["hasRuns"], about["canStart"]) == (True, True)
        assert about["missing"] == 'pip install "wuzi[train]"'
        names = {preset["name"] for preset in about["presets"]}
        assert {"tiny", "quick", "s1"} <= names and not {"s4", "distill", "ppo-tiny"} & names
        for path, body in (
            ("/runs", {"preset": "s4-quick", "name": "mine"}),
            ("/runs/estimate", {"preset": "distill"}),
        ):
            answer = server.client.post(f"/api/v1{path}", json=body, headers={"X-Wuzi-Token": TOKEN})
            problem(answer, 503, "missing_extra")
            assert 'PyTorch is not installed: pip install "wuzi[train]"' in answer.json()["detail"]
        assert server.get("/runs") == [] and not any((tmp_path / "runs").iterdir())


def test_a_run_that_was_changed_shows_it(runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "six", tmp_path / "six")
    changes = {"run.iterations": {"from": 2, "to": 5}, "learn.lr": {"from": 0.002, "to": 0.001}}
    record_changes(tmp_path / "six", 2, changes)
    with running_server(tmp_path / "data", worker_command=FAKE, runs_dir=tmp_path) as server:
        found = server.get("/runs/six")
        assert (found["iterations"], found["parameters"]["learn"]["lr"]) == (5, 0.001)
        assert found["changes"] == [
            {"iteration": 2, "name": "run.iterations", "before": 2, "after": 5},
            {"iteration": 2, "name": "learn.lr", "before": 0.002, "after": 0.001},
        ]
        record_changes(tmp_path / "six", 3, {"learn.lr": {"from": 0.001, "to": 0.0005}})
        assert server.get("/runs/six")["parameters"]["learn"]["lr"] == 0.0005
