"""Self-play by several processes: the same games as by one, whatever happens to them."""

from __future__ import annotations

from pathlib import Path

import psutil

from tests.training.fleets import RULES, check_same, games_in, options, small_net
from wuzi.training.events import Event
from wuzi.training.generate import generate
from wuzi.training.workers import read_open


def workers_of_this_process() -> list[psutil.Process]:
    children = psutil.Process().children()
    return [child for child in children if "wuzi.jobs.crew_child" in child.cmdline()]


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
