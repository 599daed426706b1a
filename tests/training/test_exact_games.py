"""``wuzi selfplay --games``: exactly so many games, whoever plays them and however short they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.training.fleets import RULES, games_in
from tests.training.test_fleet import workers_of_this_process
from wuzi.training.methods.selfplay.generate import generate
from wuzi.training.methods.selfplay.workers import read_open
from wuzi.training.run.config import SelfPlaySection
from wuzi.training.run.context import Event

OPTIONS = SelfPlaySection(simulations=8, concurrency=4, workers=1, considered=4)


def play(folder: Path, games: int, options: SelfPlaySection = OPTIONS) -> int:
    return generate("codebook", RULES, options, folder, games=games, finish=True)


@pytest.mark.parametrize("games", [1, 4, 7])
def test_so_many_games_are_begun_and_all_are_played_to_their_end(games: int, tmp_path: Path) -> None:
    assert play(tmp_path / "several", games) == games
    assert games_in(tmp_path / "several").keys() == {*range(games)}
    assert read_open(tmp_path / "several", set()) == []
    assert play(tmp_path / "alone", games, replace(OPTIONS, concurrency=1)) == games
    assert games_in(tmp_path / "alone") == games_in(tmp_path / "several")


def test_a_folder_is_continued_to_exactly_so_many(tmp_path: Path) -> None:
    assert [play(tmp_path, games) for games in (3, 3, 2, 8)] == [3, 0, 0, 5]
    assert games_in(tmp_path).keys() == {*range(8)}


def test_games_that_were_going_on_come_first_and_none_too_many_is_lost(tmp_path: Path) -> None:
    generate("codebook", RULES, OPTIONS, tmp_path, games=2)
    ended = games_in(tmp_path).keys()
    open_then = [game.number for game in read_open(tmp_path, ended)]
    assert len(open_then) == OPTIONS.concurrency
    assert play(tmp_path, len(ended) + 1) == 1
    assert games_in(tmp_path).keys() - ended == {open_then[0]}
    assert [game.number for game in read_open(tmp_path, set())] == open_then[1:]
    assert play(tmp_path, 10) == 10 - len(ended) - 1
    assert games_in(tmp_path).keys() == {*range(10)}


@pytest.mark.slow
@pytest.mark.parametrize("games", [3, 40])
def test_a_fleet_plays_exactly_these_though_a_worker_is_lost(
    games: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wuzi.training.methods.selfplay.fleet.processors", lambda: 2)  # also on one
    play(tmp_path / "here", games)
    killed: list[int] = []

    def kill(event: Event) -> None:
        if not killed and int(event.text.partition("/")[0]) >= games - 2:
            worker = workers_of_this_process()[0]
            killed.append(worker.pid)
            worker.kill()

    fleet = replace(OPTIONS, workers=2)
    generate("codebook", RULES, fleet, tmp_path / "fleet", games=games, finish=True, observe=kill)
    assert killed
    assert games_in(tmp_path / "fleet") == games_in(tmp_path / "here")
    assert read_open(tmp_path / "fleet", set()) == []
