"""Players of the caller's program: objects, functions, registered classes, an evaluator of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wuzi
from wuzi.errors import ConfigError
from wuzi.nets.evaluator import UniformEvaluator
from wuzi.players import BasePlayer, create_player, list_players, register, registry
from wuzi.players.base import ThinkRequest

RULES = wuzi.Rules(size=7)


class Last:
    """Plays the last empty cell; no base class."""

    asked: list[wuzi.Limit]

    def __init__(self) -> None:
        self.asked = []

    def think(self, game: wuzi.Game, limit: wuzi.Limit) -> str:
        self.asked.append(limit)
        return str(game.legal_moves[-1])


@dataclass(frozen=True)
class FirstConfig:
    skip: int = 0


class First(BasePlayer[FirstConfig]):
    """Plays the first empty cell."""

    registered_name = "first"
    config_type = FirstConfig

    def answer(self, request: ThinkRequest, rng: np.random.Generator) -> wuzi.PlayResult:
        game = request.game
        move = game.legal_moves[self.config.skip]
        return wuzi.PlayResult(wuzi.Place(move), wuzi.SearchInfo(color=game.to_move))


@pytest.fixture
def first_is_known() -> Iterator[None]:
    register("first", First)
    yield
    registry.PLAYERS.forget("first")


def test_an_object_and_a_function_play_a_match() -> None:
    player = Last()
    result = wuzi.match(
        player, lambda game: int(game.legal_moves[0]), size=7, games=4, limit=wuzi.Limit(nodes=5)
    )
    assert (result.first, result.second) == ("Last", "lambda")
    assert len(result.games) == 4 and not result.forfeits
    assert {limit.nodes for limit in player.asked} == {5}
    assert all(game.black in ("Last", "lambda") for game in result.games)
    assert not registry.PLAYERS._here and not registry._LENT, "known as long as the match only"


def test_an_object_meets_itself_and_a_match_is_resumed(tmp_path: Path) -> None:
    player = Last()
    for _ in range(2):
        result = wuzi.match(player, player, size=7, games=2, out=tmp_path, resume=True)
        assert (result.first, result.second) == ("Last", "Last (2)")
        assert len(result.games) == 2 and not result.forfeits
    assert not registry.PLAYERS._here


def test_an_object_meets_a_spec_and_a_bad_answer_loses_the_game() -> None:
    result = wuzi.match(lambda game: "a1", "random", size=7, games=2)
    assert [game.reason for game in result.forfeits] == ["illegal", "illegal"]
    assert result.score == 0


def test_an_object_plays_one_game_at_a_time() -> None:
    with pytest.raises(ConfigError, match="Last is known to this process only"):
        wuzi.match(Last(), "random", size=7, games=2, concurrency=2)
    with pytest.raises(ConfigError, match="expected a spec, an object with think"):
        wuzi.match(3, "random", size=7, games=2)  # type: ignore[arg-type]


@pytest.mark.usefixtures("first_is_known")
def test_a_registered_class_is_a_spec_of_this_process() -> None:
    assert "first" in {info.name for info in list_players()}
    with create_player("first:skip=2") as player:
        assert player.think(wuzi.Game(RULES)).move == 2
    result = wuzi.match("first", "first:skip=1", size=7, games=2)
    assert len(result.games) == 2 and not result.forfeits
    with pytest.raises(ConfigError, match="registered already"):
        register("first", First)
    with pytest.raises(ConfigError, match="no subclass"):
        register("second", dict)  # type: ignore[arg-type]


def test_an_evaluator_of_ones_own_judges() -> None:
    evaluator = UniformEvaluator()
    with create_player("az:simulations=16", evaluator=evaluator) as player:
        assert wuzi.Game(RULES).play(player.think(wuzi.Game(RULES)).move).ply == 1
    with pytest.raises(ConfigError, match="weight with an evaluator"):
        create_player("weight", evaluator=evaluator)


def test_a_subclass_without_options_is_told_what_is_missing() -> None:
    class Bare(BasePlayer[Any]):
        pass

    with pytest.raises(ConfigError, match="Bare has no config_type"):
        Bare()
    assert First().config == FirstConfig()


@pytest.mark.parametrize("spec", ["weight", "engine:table_mb=1", "level:name=novice"])
def test_budgets_are_checked(spec: str) -> None:
    with create_player(spec) as player:
        with pytest.raises(ConfigError, match=r"limit 0\.5: expected a Limit"):
            player.think(wuzi.Game(RULES), 0.5)  # type: ignore[arg-type]
        with pytest.raises(ConfigError, match="multipv 0"):
            player.think(wuzi.Game(RULES), multipv=0)
    with pytest.raises(ConfigError, match="time_s=-1"):
        wuzi.Limit(time_s=-1)
