"""Self-play by several processes: the same games as by one, whatever happens to them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.training.fleets import RULES, check_same, games_in, options, small_net
from wuzi.training.methods.selfplay.fleet import AHEAD
from wuzi.training.methods.selfplay.generate import generate
from wuzi.training.methods.selfplay.workers import read_open
from wuzi.training.run.context import Event
from wuzi.workers.crew import Crew, CrewReply, WorkerKind
from wuzi.workers.local import Local

pytestmark = pytest.mark.slow


def workers_of_this_process() -> list[psutil.Process]:
    children = psutil.Process().children()
    return [child for child in children if "wuzi.workers.crew_child" in child.cmdline()]


def test_a_fleet_plays_the_games_of_one_process_and_a_lost_worker_costs_none(tmp_path: Path) -> None:
    net = str(small_net(tmp_path))
    generate(net, RULES, options(1), tmp_path / "here", games=120)
    killed: list[int] = []

    def kill(event: Event) -> None:
        done = int(event.text.partition("/")[0])
        if len(killed) < 2 and done >= 30 * (len(killed) + 1):
            worker = workers_of_this_process()[0]
            killed.append(worker.pid)
            worker.kill()

    generate(net, RULES, options(2), tmp_path / "fleet", games=120, observe=kill)
    assert len(killed) == 2
    assert not workers_of_this_process()
    check_same(tmp_path / "fleet", tmp_path / "here")
    games = games_in(tmp_path / "fleet")
    going_on = {game.number for game in read_open(tmp_path / "fleet", games.keys())}
    assert not going_on & games.keys()
    # Every number below the least that is open or to come was played: none was lost with its worker.
    least_open = min(going_on)
    assert set(range(least_open)) <= games.keys()


def test_a_fleet_goes_on_where_it_was(tmp_path: Path) -> None:
    net = str(small_net(tmp_path))
    for games in (10, 30, 60):
        generate(net, RULES, options(2), tmp_path / "games", games=games)
        assert len(games_in(tmp_path / "games")) >= games
        assert len(list((tmp_path / "games").glob("open-*.json"))) == 1


class Watched(Local):
    """This machine, with a look at what is asked of its workers."""

    def __init__(self) -> None:
        self.most: Counter[int] = Counter()
        self.nets: Counter[tuple[int, int]] = Counter()

    def crew(self, kind: WorkerKind, workers: int) -> Crew:
        return WatchedCrew(super().crew(kind, workers), self)


class WatchedCrew:
    def __init__(self, crew: Crew, watched: Watched) -> None:
        self._crew, self._watched = crew, watched
        self._asked: Counter[int] = Counter()
        self._nets: list[object] = []
        self.workers, self.close = crew.workers, crew.close

    def share(self, *contents: bytes) -> object:
        self._nets.append(self._crew.share(*contents))
        return self._nets[-1]

    def ask(self, worker: int, request: Mapping[str, Any], shared: object = None) -> None:
        self._asked[worker] += 1
        self._watched.most[worker] = max(self._watched.most[worker], self._asked[worker])
        if shared is not None:
            self._watched.nets[worker, self._nets.index(shared)] += 1
        self._crew.ask(worker, request, shared)

    def hear(self, timeout_s: float) -> CrewReply | None:
        heard = self._crew.hear(timeout_s)
        if heard is not None:
            self._asked[heard.worker] -= 1
        return heard


def test_a_driver_that_is_busy_is_not_sent_more_and_a_net_is_named_once(tmp_path: Path) -> None:
    """However long a driver is elsewhere, a worker has two requests; its net comes with the first of them."""
    watched = Watched()
    net = str(small_net(tmp_path))
    generate(
        net,
        RULES,
        options(2),
        tmp_path / "games",
        games=60,
        observe=lambda _: time.sleep(0.05),
        executor=watched,
    )
    assert set(watched.most) == {0, 1}
    # One more may go out at the end, when all games going on are asked for.
    assert set(watched.most.values()) <= {AHEAD, AHEAD + 1}
    assert watched.nets == {(0, 0): 1, (1, 0): 1}
