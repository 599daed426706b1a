"""Self-play that goes on while the net learns, and batches that are drawn ahead."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from tests.training.tiny import run, settings
from wuzi.core import Rules
from wuzi.errors import ConfigError
from wuzi.training.data.games import EndedGame, Shards
from wuzi.training.data.prefetch import Prefetcher
from wuzi.training.methods.distill.config import DistillConfig
from wuzi.training.methods.distill.trainer import DistillTrainer
from wuzi.training.methods.ppo.config import PpoConfig
from wuzi.training.methods.ppo.trainer import PpoTrainer
from wuzi.training.methods.selfplay.fleet import Fleet
from wuzi.training.run.config import SelfPlaySection
from wuzi.training.run.directory import EVALUATIONS, METRICS, SELFPLAY, RunDirectory


@pytest.mark.slow
def test_games_are_played_while_the_net_learns(tmp_path: Path) -> None:
    """An iteration takes all games that have come, is no longer for it, and none is there twice."""
    small = ("selfplay.overlap=true", "evaluate.interval=0", "promote.gate=none")
    chosen = settings(*small, "learn.batches=none", "learn.samples=24", "run.iterations=2")
    run(tmp_path, chosen)
    rows = RunDirectory(tmp_path).rows(METRICS)
    assert [row["iteration"] for row in rows] == [1, 2]
    assert max(row["games"] for row in rows) > 2, "more came while it learned"
    assert rows[-1]["total_games"] == sum(row["games"] for row in rows)
    for row in rows:
        share = 24 * row["new_rows"] * 2 / row["games"] / 8
        assert row["batches"] == max(1, round(share))
    games = list(Shards(tmp_path / SELFPLAY).read(0))
    assert len({game.number for game in games}) == len(games) >= rows[-1]["total_games"]
    assert len({game.net for game in games}) > 1
    # Games that came after the last iteration are the first of the next.
    run(tmp_path, settings(*small, "learn.batches=none", "learn.samples=24", "run.iterations=3"))
    last = RunDirectory(tmp_path).rows(METRICS)[-1]
    assert last["iteration"] == 3
    assert last["total_games"] == rows[-1]["total_games"] + last["games"]


def test_games_go_on_while_the_net_is_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After each move of the net in an evaluation other workers are heard, and asked for more."""
    asked, go_on = 0, Fleet.go_on

    def counting(self: Fleet) -> list[EndedGame]:
        nonlocal asked
        asked += 1
        return go_on(self)

    monkeypatch.setattr(Fleet, "go_on", counting)
    run(
        tmp_path,
        settings("selfplay.overlap=true", "promote.gate=none", "run.iterations=1", "evaluate.games=2"),
    )
    games = RunDirectory(tmp_path).rows(EVALUATIONS)
    moves = sum((game["plies"] + (game["color"] == "black")) // 2 for game in games)
    assert len(games) == 2
    assert asked == moves + 2 + 1, "two batches, and once at the end of self-play"


def test_the_next_is_drawn_while_this_one_is_used() -> None:
    drawn, by = [], []
    base, here = 0, threading.get_ident()

    def draw(number: int) -> int:
        drawn.append(number)
        by.append(threading.get_ident())
        return base + number

    ahead = Prefetcher(draw)
    assert [ahead.take(number, 4) for number in range(3)] == [0, 1, 2]
    ahead.forget()
    base = 100
    assert ahead.take(3, 4) == 103, "drawn before that changed"
    assert ahead.take(7, 9) == 107, "as after a resumed run"
    ahead.close()
    assert drawn in ([0, 1, 2, 3, 3, 7, 8], [0, 1, 2, 3, 3, 7])
    assert by[0] == here and by[1] != here


def test_what_fails_ahead_fails_when_it_is_taken() -> None:
    def draw(number: int) -> int:
        if number == 1:
            raise ConfigError("no such batch")
        return number

    ahead = Prefetcher(draw)
    assert ahead.take(0, 3) == 0
    with pytest.raises(ConfigError, match="no such batch"):
        ahead.take(1, 3)
    ahead.close()


def test_groups_are_equal() -> None:
    with pytest.raises(ConfigError, match="concurrency=64 in groups=3: expected equal groups"):
        SelfPlaySection(groups=3)


def test_every_method_takes_a_device() -> None:
    """All refuse a card that is not there in the same words; states of another device go on."""
    rules = Rules(size=5, win_length=4)
    with pytest.raises(ConfigError, match=r"ppo\.device='gpu': expected auto, cpu or cuda"):
        PpoTrainer(PpoConfig(device="gpu"), rules)
    with pytest.raises(ConfigError, match=r"distill\.device='gpu': expected auto, cpu or cuda"):
        DistillTrainer(DistillConfig(device="gpu"), rules, None)  # type: ignore[arg-type]
    config = PpoConfig(net="three-factor:blocks=1,channels=8", envs=4, steps=2, device="cpu")
    with PpoTrainer(config, rules) as one, PpoTrainer(replace(config, device="auto"), rules) as other:
        one.run_iteration()
        other.restore(one.state())
        assert other.iteration == 1
