"""Named levels: what each may overlook, what none does, and that more is better."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wuzi.contract import Limit, PlayResult
from wuzi.core import Game, Move, Position, Rules, parse_move, parse_moves
from wuzi.players import create_player
from wuzi.players.intuition import Glance, glance
from wuzi.players.levels import LEVELS, LevelName, find_level, level_ratings
from wuzi.tactics.checker import wins_at_once

pytestmark = pytest.mark.kernels


def game_of(moves: str, size: int = 15) -> Game:
    return Game.from_moves(Rules(size), parse_moves(moves, size))


def answers(name: str, game: Game, seeds: int) -> list[Move]:
    found = []
    for seed in range(seeds):
        with create_player(f"level:name={name},seed={seed}") as player:
            found.append(player.think(game).move)
    return found


def test_a_four_is_stopped_at_most_levels() -> None:
    game = game_of("h8a1i8a3j8a5k8g8o1")
    block = parse_move("l8", 15)
    blocked = {name: answers(name, game, 60).count(block) for name in ("novice", "beginner")}
    assert 60 * 0.3 < blocked["novice"] < 60 * 0.9 and blocked["novice"] < blocked["beginner"]
    assert blocked["beginner"] >= 57
    for name in ("casual", "club", "skilled", "strong", "expert"):
        assert answers(name, game, 8) == [block] * 8


def test_quiet_things_are_missed_first() -> None:
    rng = np.random.default_rng(0)
    four = game_of("h8a1i8a3j8a5k8g8o1").position
    three = game_of("h8a1i8a3j8").position
    trials, missed_four, missed_three = 400, 0, 0
    ends = {parse_move(cell, 15) for cell in ("g8", "k8", "f8", "l8")}
    for _ in range(trials):
        missed_four += glance(four, 0.4, rng).draw(0.1, rng) != parse_move("l8", 15)
        missed_three += glance(three, 0.4, rng).draw(0.1, rng) not in ends
    assert 0.1 * trials < missed_four < missed_three < 0.5 * trials


@settings(max_examples=60)
@given(st.sampled_from(["freestyle", "standard", "renju"]), st.integers(0, 10_000))
def test_clear_sight_takes_fives_stops_fives_and_stays_near(rule: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    position = Position(Rules(9, 5, rule))  # type: ignore[arg-type]
    for _ in range(int(rng.integers(0, 40))):
        after = position.play(rng.choice(position.legal_moves))
        position = after if after.outcome is None else position
    seen = glance(position, 1.0, rng)
    move = seen.draw(1.0, rng)
    assert position.legal_mask()[seen.cells].all()
    turned = Position.from_cells(position.rules, position.cells, position.to_move.opponent)
    if wins := wins_at_once(position):
        assert move in wins
    elif threats := wins_at_once(turned):
        assert move in threats or position.forbidden_mask()[threats].all()
    blind = glance(position, 0.0, rng)
    assert position.legal_mask()[blind.cells].all()


def test_temperature_spreads_and_absurd_moves_are_cut() -> None:
    rng = np.random.default_rng(1)
    shown = Glance(np.arange(4), np.array([0.0, -1.0, -3.9, -4.1]))
    cold = {shown.draw(0.01, rng) for _ in range(50)}
    warm = {shown.draw(3.0, rng) for _ in range(400)}
    assert cold == {0} and warm == {0, 1, 2}


def test_rules_that_the_engine_does_not_know_are_played_too() -> None:
    for rules in (Rules(6, 4), Rules(15, 5, "caro"), Rules(26)):  # type: ignore[arg-type]
        for name in ("novice", "strong", "master"):
            with create_player(f"level:name={name}") as player:
                result = player.think(Game(rules), Limit(nodes=100, depth=1))
                assert Game(rules).act(result.action).ply == 1


def test_the_highest_level_is_the_whole_engine() -> None:
    game = game_of("h8i9j8g8")
    limit = Limit(nodes=3000)
    results: list[PlayResult] = []
    for spec in ("level:name=master", "engine"):
        with create_player(spec) as player:
            results.append(player.think(game, limit, multipv=3))
    assert results[0].action == results[1].action
    assert [line.move for line in results[0].info.lines] == [line.move for line in results[1].info.lines]
    assert not create_player("level:name=master").capabilities.deterministic
    assert create_player("level").capabilities.deterministic


def test_a_limit_only_makes_a_level_faster() -> None:
    with create_player("level:name=expert") as player:
        own = player.think(game_of("h8i9")).info.nodes
        assert own == pytest.approx(LEVELS["expert"].nodes, rel=0.01)
        assert player.think(game_of("h8i9"), Limit(nodes=500)).info.nodes <= 500
        assert player.think(game_of("h8i9"), Limit(nodes=10**9)).info.nodes == own


def test_names_and_ratings() -> None:
    assert list(LEVELS) == [str(name) for name in LevelName]
    assert find_level("club").spec == "level:name=club"
    assert all(level.en and level.zh for level in LEVELS.values())
    ratings = level_ratings()
    assert list(sorted(ratings, key=list(LEVELS).index)) == list(LEVELS)
    elos = [ratings[name].elo for name in LEVELS]
    assert elos == sorted(elos)
    for rating in ratings.values():
        assert rating.low < rating.elo < rating.high and rating.games >= 80
