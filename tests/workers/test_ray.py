"""A Ray cluster of several nodes on this machine: commands whose games are played there."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from research.cluster.local_cluster import LocalCluster
from tests.training.fleets import SETTING, check_same, games_in, small_net
from wuzi.arena.journal import GAMES_FILE, load_games
from wuzi.training.data.games import Shards
from wuzi.workers.local import worker_environment
from wuzi.workers.ray_executor import ENVIRONMENT, room_of

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="extra cluster"),
    pytest.mark.may_skip,
]


of_several_nodes = pytest.mark.ci(
    "a Ray cluster of several nodes: its start alone keeps both cores busy for ten seconds"
)


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    with LocalCluster(1, 1) as found:
        yield found


def started(cluster: LocalCluster | None, *arguments: str, program: str = "wuzi") -> subprocess.Popen[str]:
    where = [] if cluster is None else ["--executor", "ray", "--address", cluster.address]
    return subprocess.Popen(
        [sys.executable, "-m", program, *arguments, *where],
        cwd=ROOT,
        env={**os.environ, **worker_environment(), **ENVIRONMENT},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def python(code: str, *arguments: str) -> subprocess.Popen[str]:
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, **ENVIRONMENT, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(process: subprocess.Popen[str]) -> str:
    output, errors = process.communicate(timeout=900)
    assert process.returncode == 0, errors
    return output


def disturbed(cluster: LocalCluster, process: subprocess.Popen[str], file: Path, lines: int) -> None:
    """Kill a node when a file has so many lines, and start another one."""
    while not file.exists() or file.read_bytes().count(b"\n") < lines:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    cluster.kill(cluster.nodes.pop(0))
    cluster.nodes.append(cluster.add(1))
    assert process.poll() is None, "it was over before the node was killed"


@of_several_nodes
def test_a_tournament_loses_no_game_with_a_node(cluster: LocalCluster, tmp_path: Path) -> None:
    net = small_net(tmp_path)
    players = ("weight", "minimax:depth=1", f"Net=az:net={net},simulations=60")
    chosen = [word for player in players for word in ("--player", player)]
    chosen += ["--size", "6", "--win-length", "4", "--games", "40", "--no-report"]
    here, there = tmp_path / "here", tmp_path / "there"
    process = started(cluster, "tournament", *chosen, "--out", str(there))
    disturbed(cluster, process, there / GAMES_FILE, 10)
    finished(process)
    finished(started(None, "tournament", *chosen, "--out", str(here)))
    a, b = ({game.game_id: game for game in load_games(folder / GAMES_FILE)} for folder in (here, there))
    assert len(a) == 120
    assert {key: (game.moves, game.winner, game.reason) for key, game in a.items()} == {
        key: (game.moves, game.winner, game.reason) for key, game in b.items()
    }
    assert {game.black for game in b.values()} == {"weight", "minimax:depth=1", "Net"}


STUDY = """
[study]
title = "By a cluster"
title_zh = "集群"
size = 6
anchor = "weight"
openings = "auto"
[methods.weight]
spec = "weight"
[methods.minimax]
spec = "minimax:depth=1"
[methods.netty]
spec = "az:net=small,simulations=30"
net = "small"
train = "wuzi train"
[[stages]]
name = "own"
kind = "main"
games = 20
[[stages]]
name = "sizes"
kind = "sizes"
sizes = [6, 7]
win_lengths = [4, 5]
games = 6
methods = ["weight", "minimax"]
"""


@of_several_nodes
def test_a_study_loses_no_game_with_a_node(
    cluster: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its nets travel by name, from the driver's own folder; the nodes do not know it."""
    monkeypatch.setenv("WUZI_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "data" / "nets").mkdir(parents=True)
    small_net(tmp_path / "data" / "nets")
    config = tmp_path / "study.toml"
    config.write_text(STUDY, "utf-8")
    here, there = tmp_path / "here", tmp_path / "there"
    played = ["play", str(config), "--out"]
    process = started(cluster, *played, str(there), program="research")
    disturbed(cluster, process, there / "own" / GAMES_FILE, 4)
    assert "missing" not in finished(process)
    finished(started(None, *played, str(here), program="research"))
    parts = {"own": 60, "sizes-6": 6, "sizes-7": 6}
    for part, count in parts.items():
        a, b = ({game.game_id: game for game in load_games(out / part / GAMES_FILE)} for out in (here, there))
        assert len(a) == count
        assert {key: (game.moves, game.winner, game.reason) for key, game in a.items()} == {
            key: (game.moves, game.winner, game.reason) for key, game in b.items()
        }
    assert (here / "nets.json").read_bytes() == (there / "nets.json").read_bytes()


@of_several_nodes
def test_self_play_loses_no_game_with_a_node(cluster: LocalCluster, tmp_path: Path) -> None:
    setting = [word for key, value in SETTING.items() for word in ("--set", f"selfplay.{key}={value}")]
    base = ["selfplay", "--net", str(small_net(tmp_path)), "--preset", "s3-6x6", *setting, "--games", "400"]
    here, there = tmp_path / "here", tmp_path / "there"
    process = started(cluster, *base, "--out", str(there))
    disturbed(cluster, process, there / "000000.jsonl", 40)
    finished(process)
    finished(started(None, *base, "--out", str(here)))
    assert len(games_in(there)) >= 400
    check_same(there, here)


@of_several_nodes
def test_data_with_labels_are_the_same_bytes(cluster: LocalCluster, tmp_path: Path) -> None:
    base = ["gen-data", "--size", "6", "--win-length", "4", "--games", "20", "--json"]
    for executor, name in ((cluster, "there"), (None, "here")):
        assert json.loads(finished(started(executor, *base, "--out", str(tmp_path / name))))["made"] == 20
    files = [sorted(path.name for path in (tmp_path / name).iterdir()) for name in ("here", "there")]
    assert files[0] == files[1]
    for name in files[0]:
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes()


@of_several_nodes
def test_training_by_a_cluster(cluster: LocalCluster, tmp_path: Path) -> None:
    small = ("selfplay.games=6", "selfplay.concurrency=2", "selfplay.simulations=4", "learn.batch=8")
    small += ("learn.batches=2", "evaluate.interval=0", "promote.gate=none", "learn.threads=1")
    chosen = [word for text in small for word in ("--set", text)]
    out = tmp_path / "run"
    metrics = out / "metrics.jsonl"
    process = started(cluster, "train", "--preset", "s3-6x6", "-n", "3", *chosen, "--run-dir", str(out))
    while not metrics.exists() or metrics.read_bytes().count(b"\n") < 1:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.kill()
    process.communicate()
    kept = len(games_in(out / "selfplay"))
    finished(started(cluster, "train", "--resume", "--run-dir", str(out)))
    rows = [json.loads(line) for line in metrics.read_text().splitlines()]
    assert [row["iteration"] for row in rows] == [1, 2, 3]
    games = list(Shards(out / "selfplay").read(0))
    assert len(games_in(out / "selfplay")) == len(games) >= kept, "none is lost or there twice"
    taken = learned = 0
    for row in rows:
        # An iteration takes the games it asks for, and all others that have ended by then, in their order.
        own = games[taken : taken + row["games"]]
        taken, learned = taken + len(own), learned + sum(len(game.rows) for game in own)
        assert len(own) >= 6
        assert (row["total_games"], row["total_rows"]) == (taken, learned)
        assert row["new_rows"] == sum(len(game.rows) for game in own)
    assert taken >= kept, "what had ended before the end of the run is learned from"
    assert taken <= len(games)


SHARED = """
import sys
from wuzi.workers.crew import WorkerKind, perform
from wuzi.workers.ray_executor import RayExecutor
from wuzi.core.notation import Move
import ray
executor = RayExecutor(sys.argv[1])
crew = executor.crew(WorkerKind("tests.workers.toy:Toy", {}, {"a": b"a file"}), 0)
while len(crew.workers()) < 4:
    crew.hear(0.5)
move = ray.get(ray.put(Move(112, 15)))
assert (str(move), int(move), move) == ("h8", 112, Move(112, 15)), "a move is still one after a round trip"
shared = crew.share(bytes(1_000_000))
for worker in crew.workers():
    crew.ask(worker, {"n": worker}, shared)
for _ in crew.workers():
    while (heard := crew.hear(1.0)) is None:
        pass
    assert heard.answer == {"twice": 2 * heard.worker, "shared": [1_000_000], "files": ["a file"]}, heard
nodes = ray.experimental.get_object_locations(shared)[shared[0]]["node_ids"]
assert sorted(crew.nodes().values()) == [1, 1, 2], crew.nodes()
assert len(nodes) == len(set(nodes)) and set(crew.nodes()) <= set(nodes), nodes
crew.close()
executor.close()
"""


@of_several_nodes
def test_weights_go_to_each_node_once_and_workers_come_with_nodes(cluster: LocalCluster) -> None:
    """Two workers of one node read one copy."""
    more = cluster.add(2)
    finished(python(SHARED, cluster.address))
    cluster.kill(more)


def test_a_node_has_workers_for_its_processors_and_gpus() -> None:
    node = {"CPU": 16.0, "GPU": 2.0}
    assert [room_of(node, gpus) for gpus in (0, 1, 0.5, 0.1, 4)] == [16, 2, 4, 16, 0]
    assert room_of({"CPU": 4.0}, 0.0) == 4
    assert room_of({"CPU": 4.0}, 1.0) == 0


@pytest.mark.parametrize(
    ("address", "said"), [("nowhere", "expected HOST:PORT or auto"), ("127.0.0.1:9", "nothing answers there")]
)
def test_no_cluster_is_one_line(address: str, said: str) -> None:
    done = started(None, "match", "random", "weight", "--executor", "ray", "--address", address)
    _, errors = done.communicate(timeout=900)
    assert done.returncode != 0
    assert errors.strip().splitlines()[-1].startswith(f"wuzi: error: no Ray cluster at {address}: {said}")


ALONE = """
import sys
import psutil
from wuzi.workers.crew import WorkerKind, perform
from wuzi.workers.ray_executor import RayExecutor
executor = RayExecutor()
crew = executor.crew(WorkerKind("tests.workers.toy:Toy", {}, silence_s=5.0), 1)
tasks = [(n, {"n": n, "hang": sys.argv[1] if n == 1 else ""}) for n in range(3)]
assert [answer["twice"] for _, answer in perform(crew, tasks)] == [0, 2, 4]
us = psutil.Process()
sockets = [socket for p in [us, *us.children(recursive=True)] for socket in p.net_connections()]
heard = [socket.laddr.ip for socket in sockets if socket.status == "LISTEN"]
assert len(heard) >= 3 and {ip.removeprefix("::ffff:") for ip in heard} == {"127.0.0.1"}, heard
crew.close()
executor.close()
"""


@pytest.mark.ci("starts a cluster of its own")
def test_without_an_address_there_is_a_cluster_that_nobody_else_can_reach(tmp_path: Path) -> None:
    """And a worker of it that hangs is lost, and its task done by the next one."""
    finished(python(ALONE, str(tmp_path / "hung")))
    assert (tmp_path / "hung").exists()
