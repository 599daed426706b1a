"""What a cluster costs: self-play by Ray on a local cluster against processes, and the bytes that travel.

    python -m research.cluster.cluster_bench --out benchmarks/cluster.json

Two processes, then two nodes of one processor each, all on this machine. The figures are the inputs of
``research/cluster/cluster_model.py``; those by processor time hold on a busy machine too.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import tempfile
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from research.cluster.local_cluster import LocalCluster
from wuzi.arena.provenance import commit, machine
from wuzi.nets import load_net, save_net
from wuzi.nets.shelf import net_paths
from wuzi.torch_nets import Net, create_net, net_file
from wuzi.torch_nets.files import outputs_of
from wuzi.training import SelfPlayGame, Shards, TrainSettings, make_plan
from wuzi.training.data.replay import Replay
from wuzi.training.learner.torch_learner import TorchLearner
from wuzi.training.methods.selfplay.fleet import Fleet, play_worker_kind
from wuzi.training.methods.selfplay.games import SelfPlay, new_numbers
from wuzi.training.methods.selfplay.workers import SelfPlayTask, open_evaluator
from wuzi.workers.crew import Crew, CrewReply, Executor
from wuzi.workers.local import make_executor
from wuzi.workers.ray_executor import ENVIRONMENT

WORKERS = 2
PINGS = 100
FLEETS = (16, 1600)
ANSWERS = 20_000
SAMPLE, REPEATS = 8, 20


def main() -> None:
    """Measure, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--preset", default="15x15")
    parser.add_argument("--seconds", type=float, default=15.0, help="of self-play a turn")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--driver", action="store_true", help="only what an answer costs, into --out")
    given = parser.parse_args()
    settings: TrainSettings = make_plan(given.preset).settings
    os.environ.update(ENVIRONMENT)
    before, rules = round(os.getloadavg()[0], 1), settings.game.rules
    module, spec = create_net(settings.net.architecture, rules.size, seed=1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        net = folder / "net.safetensors"
        save_net(net, net_file(module, spec, rules, "net"))
        if given.driver:
            known = json.loads(given.out.read_text(encoding="utf-8")) | driver(settings, net, folder)
            given.out.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
            return
        ended, alone = sample(settings, net)
        figures = {
            "weights_bytes": sum(path.stat().st_size for path in net_paths(net)),
            **turns(settings, net, folder, given.seconds, given.rounds),
            **alone,
            **head(ended, folder),
            **driver(settings, net, folder),
            "learn_s_per_iteration": learn_s(settings, module, ended),
        }
    facts = {
        "commit": commit(),
        "machine": machine(),
        "load": [before, round(os.getloadavg()[0], 1)],
        "preset": given.preset,
        "architecture": settings.net.architecture,
        "games_per_iteration": settings.selfplay.games,
        "concurrency": settings.selfplay.concurrency,
    }
    text = json.dumps(facts | figures, indent=1) + "\n"
    print(text, end="")
    if given.out:
        given.out.write_text(text, encoding="utf-8")


def turns(settings: TrainSettings, net: Path, folder: Path, seconds: float, rounds: int) -> dict[str, Any]:
    """Self-play by processes, then by Ray; medians."""
    tasks = []
    for number in range(2 * rounds):
        (place := folder / str(number)).mkdir()
        tasks.append(SelfPlayTask(settings.game.rules, settings.selfplay, 1, place, frozenset()))
    local = [turn(task, make_executor(), net, seconds) for task in tasks[:rounds]]
    begun = time.perf_counter()
    with LocalCluster(*[1] * WORKERS) as cluster:
        started = time.perf_counter() - begun
        executor = make_executor("ray", cluster.address)
        ray = [turn(task, executor, net, seconds) for task in tasks[rounds:]]
        executor.close()
    found = {
        f"{name}_{key}": round(statistics.median(row[key] for row in rows), 6)
        for name, rows in (("local", local), ("ray", ray))
        for key in rows[0]
    }
    share = found["ray_evaluations_per_cpu_s"] / found["local_evaluations_per_cpu_s"]
    return {"cluster_start_s": round(started, 1), **found, "ray_share": round(share, 3)}


def turn(task: SelfPlayTask, executor: Executor, net: Path, seconds: float) -> dict[str, float]:
    """One turn of self-play; the time until all workers have answered is not counted.

    Rates are by the clock and by the processor time of all processes, the cluster's own among them:
    other programs on the machine do not change the latter.
    """
    begun = time.perf_counter()
    crew = executor.crew(play_worker_kind(task, executor), WORKERS)
    fleet = Fleet(task, crew, 1e9)
    fleet.use(net, 0)
    try:
        play = fleet.games()
        while fleet.at_work < WORKERS:
            next(play)
        ready, used, before = time.perf_counter(), cpu_s(), fleet.evaluations
        while time.perf_counter() - ready < seconds:
            next(play)
        done = fleet.evaluations - before
        spent, used = time.perf_counter() - ready, cpu_s() - used
        fleet.pause()
        return {
            "start_s": ready - begun,
            "evaluations_per_s": done / spent,
            "evaluations_per_cpu_s": done / used,
            "request_s": ping(crew)[0],
        }
    finally:
        fleet.close()


def cpu_s() -> float:
    """Processor seconds of this process and all below it."""
    me, total = psutil.Process(), 0.0
    for process in (me, *me.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system
    return total


class PromptCrew:
    """Workers that answer at once, with nothing: what a fleet itself costs its driver.

    ``looks`` counts how often they were looked through.
    """

    def __init__(self, workers: int) -> None:
        self.looks, self._workers = 0, range(workers)
        self._asked: deque[int] = deque()

    def workers(self) -> Sequence[int]:
        """All of them, from the beginning."""
        self.looks += 1
        return self._workers

    def share(self, *contents: bytes) -> object:
        """The contents as they are."""
        return contents

    def ask(self, worker: int, request: Mapping[str, Any], shared: object = None) -> None:
        """Nothing is done."""
        self._asked.append(worker)

    def hear(self, timeout_s: float) -> CrewReply | None:
        """The answer to the oldest request."""
        return CrewReply(self._asked.popleft(), {"games": [], "evaluations": 1}) if self._asked else None

    def close(self) -> None:
        """Nothing is held."""


def fleet_s(settings: TrainSettings, net: Path, folder: Path, workers: int) -> float:
    """Processor seconds of a fleet of so many for each answer, without Ray and without games."""
    task = SelfPlayTask(settings.game.rules, settings.selfplay, 1, folder, frozenset())
    fleet = Fleet(task, PromptCrew(workers), 1e9)
    fleet.use(net, 0)
    play = fleet.games()
    for _ in range(2 * workers):
        next(play)
    begun = time.process_time()
    for _ in range(ANSWERS):
        next(play)
    return round((time.process_time() - begun) / ANSWERS, 9)


def driver(settings: TrainSettings, net: Path, folder: Path) -> dict[str, Any]:
    """What an answer costs the driver: a fleet's part by its workers, and Ray's part."""
    found = {f"fleet_s_per_answer_{n}": fleet_s(settings, net, folder, n) for n in FLEETS}
    task = SelfPlayTask(settings.game.rules, settings.selfplay, 1, folder, frozenset())
    with LocalCluster(1) as cluster:
        executor = make_executor("ray", cluster.address)
        crew = executor.crew(play_worker_kind(task, executor), 1)
        while not crew.workers():
            crew.hear(1.0)
        fleet = Fleet(task, crew, 1e9)
        fleet.use(net, 0)
        play = fleet.games()
        while not fleet.at_work:
            next(play)
        fleet.pause()
        found["ray_s_per_answer"] = round(ping(crew)[1], 6)
        fleet.close()
        executor.close()
    return {"driver_commit": commit(), "driver_machine": machine(), **found}


def ping(crew: Crew) -> tuple[float, float]:
    """Seconds from a request that asks for nothing to its answer, the median; this process's work for it."""
    request = {"seconds": 0.0, "fresh": [], "going_on": [], "iteration": 0, "doubled": 0, "open": False}
    times, worker, used = [], crew.workers()[0], time.process_time()
    for _ in range(PINGS):
        begun = time.perf_counter()
        crew.ask(worker, request)
        while crew.hear(1.0) is None:
            pass
        times.append(time.perf_counter() - begun)
    return statistics.median(times), (time.process_time() - used) / PINGS


def sample(settings: TrainSettings, net: Path) -> tuple[list[SelfPlayGame], dict[str, float]]:
    """Some games, what one took, and the rate of one process by its processor time."""
    evaluator = open_evaluator(load_net(net, check=False), settings.selfplay.backend, "cpu")
    numbers = new_numbers(frozenset())
    options = replace(settings.selfplay, concurrency=SAMPLE)
    play = SelfPlay(settings.game.rules, options, evaluator, seed=1, net=0, numbers=numbers)
    ended: list[SelfPlayGame] = []
    begun = time.process_time()
    while len(ended) < 2 * SAMPLE:
        ended += play.step()
    spent = time.process_time() - begun
    plies = statistics.mean(len(game.rows) for game in ended)
    return ended, {
        "evaluations_per_s_alone": round(play.evaluations / spent),
        "evaluations_per_game": round(play.evaluations / play.played * plies, 1),
        "plies_per_game": round(plies, 1),
    }


def head(ended: list[SelfPlayGame], folder: Path) -> dict[str, float]:
    """Bytes of a game as it travels, and what reading it and writing it down costs the head."""
    lines, shards = [game.to_line() for game in ended], Shards(folder / "head")
    begun = time.process_time()
    for line in lines * REPEATS:
        shards.append(line)
    spent = time.process_time() - begun
    return {
        "game_bytes": round(statistics.mean(map(len, lines))),
        "head_s_per_game": round(spent / REPEATS / len(lines), 6),
    }


def learn_s(settings: TrainSettings, module: Net, ended: list[SelfPlayGame]) -> float:
    """Processor seconds of an iteration's batches on one thread."""
    options, rules = replace(settings.learn, threads=1), settings.game.rules
    replay = Replay(rules, settings.replay, module.planes, outputs_of(module, rules.size))
    for game in ended:
        replay.add(game)
    learner = TorchLearner(module, options)
    batches = [replay.sample(options.batch, np.random.default_rng(seed)) for seed in range(3)]
    learner.learn(batches.pop(), 0.0)
    begun = time.process_time()
    for batch in batches:
        learner.learn(batch, 0.0)
    each = (time.process_time() - begun) / len(batches)
    rows = settings.selfplay.games * statistics.mean(len(game.rows) for game in ended)
    return round(each * (options.batches or max(1, round(options.samples * rows / options.batch))), 3)


if __name__ == "__main__":
    main()
