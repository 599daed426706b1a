"""Named levels: what each may overlook, what none does, and that more is better."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wuzi.contract import Limit, PlayResult
from wuzi.core import Game, Move, Position, Rules, parse_move, parse_moves
from wuzi.core.layout import PAD, STRIDE
from wuzi.evaluation.codebook import shipped_record
from wuzi.players import create_player, level_kernels
from wuzi.players.intuition import LevelNoise
from wuzi.players.layout import GLANCE
from wuzi.players.level_kernels import draw_glanced, level_choice
from wuzi.players.levels import LEVELS, Level, LevelName, find_level, level_ratings
from wuzi.search.layout import UNSCORED
from wuzi.tactics.checker import wins_at_once
from wuzi.tactics.classes import tables
from wuzi.tactics.kernels import patterns_from_state
from wuzi.tactics.layout import PATTERNS

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


def chance_of(game: Game, seed: int, **changes: float) -> LevelNoise:
    """The chance of a level that plays at a glance."""
    return LevelNoise(Level(LevelName.NOVICE, "", "", **changes), seed, game)  # type: ignore[arg-type]


def test_quiet_things_are_missed_first() -> None:
    four, three = game_of("h8a1i8a3j8a5k8g8o1"), game_of("h8a1i8a3j8")
    trials, missed_four, missed_three = 400, 0, 0
    ends = {parse_move(cell, 15) for cell in ("g8", "k8", "f8", "l8")}
    for seed in range(trials):
        moves = [chance_of(game, seed, sight=0.4, spread=0.1).glance(game.position) for game in (four, three)]
        missed_four += moves[0] != parse_move("l8", 15)
        missed_three += moves[1] not in ends
    assert 0.1 * trials < missed_four < missed_three < 0.5 * trials


@settings(max_examples=60)
@given(st.sampled_from(["freestyle", "standard", "renju"]), st.integers(0, 10_000))
def test_clear_sight_takes_fives_stops_fives_and_stays_near(rule: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    position = Position(Rules(9, 5, rule))  # type: ignore[arg-type]
    for _ in range(int(rng.integers(0, 40))):
        after = position.play(rng.choice(position.legal_moves))
        position = after if after.outcome is None else position
    seen = chance_of(Game(position.rules, start=position), seed, sight=1.0)
    move = seen.glance(position)
    assert position.legal_mask()[seen.shown["cells"][: int(seen.shown["count"])]].all()
    turned = Position.from_cells(position.rules, position.cells, position.to_move.opponent)
    if wins := wins_at_once(position):
        assert move in wins
    elif threats := wins_at_once(turned):
        assert move in threats or position.forbidden_mask()[threats].all()
    blind = chance_of(Game(position.rules, start=position), seed, sight=0.0)
    assert position.legal_mask()[blind.glance(position)]
    assert position.legal_mask()[blind.shown["cells"][: int(blind.shown["count"])]].all()


def test_temperature_spreads_and_absurd_moves_are_cut() -> None:
    drawn: dict[float, list[int]] = {}
    for spread in (0.01, 3.0):
        chance = chance_of(game_of("h8"), 1, spread=spread)
        chance.shown["count"], chance.shown["cells"][:4] = 4, np.arange(4)
        chance.shown["logits"][:4] = [0.0, -1.0, -3.9, -4.1]
        drawn[spread] = [int(draw_glanced(chance.record, chance.shown)) for _ in range(3000)]
    assert set(drawn[0.01]) == {0} and set(drawn[3.0]) == {0, 1, 2}
    weights = np.exp(np.array([0.0, -1.0, -3.9]) / 3)
    expected, found = 3000 * weights / weights.sum(), np.bincount(drawn[3.0], minlength=3)
    assert ((found - expected) ** 2 / expected).sum() < 13.8, "chi-square of two degrees, 1 in 1000"


def test_the_choice_among_lines_follows_their_odds() -> None:
    """200 points are a unit of log-odds; what is too bad, or beside a proved end, is never chosen."""
    scores = np.array([100, 60, -100, UNSCORED, -150], np.int64)
    chance = chance_of(game_of("h8"), 2, temperature=0.5)
    drawn = [int(level_choice(chance.record, scores, 5, 200, 990_000)) for _ in range(3000)]
    weights = np.exp(np.array([0.0, -0.2, -1.0, -0.5, -9e9]) / 0.5)
    expected, found = 3000 * weights / weights.sum(), np.bincount(drawn, minlength=5)
    assert found[4] == 0
    assert ((found - expected)[:4] ** 2 / expected[:4]).sum() < 16.3, "chi-square of three degrees"
    for first in (995_000, -995_000, UNSCORED):
        scores[0] = first
        assert all(level_choice(chance.record, scores, 5, 200, 990_000) == 0 for _ in range(20))
    cold = chance_of(game_of("h8"), 2, temperature=0.0)
    assert level_choice(cold.record, np.array([5, 5], np.int64), 2, 200, 990_000) == 0


@pytest.mark.parametrize("rule", ["freestyle", "standard", "renju"])
def test_a_glance_shows_what_its_plain_twin_does(rule: str) -> None:
    """Candidates and logits against NumPy, with some classes overlooked."""
    rng = np.random.default_rng(8)
    for _ in range(25):
        position = Position(Rules(13, 5, rule))  # type: ignore[arg-type]
        for _ in range(int(rng.integers(0, 50))):
            after = position.play(rng.choice(position.legal_moves))
            position = after if after.outcome is None else position
        seen = rng.random((2, 16)) < 0.7
        cells, logits = plain_glance(position, seen)
        shown = kernel_glance(position, seen)
        assert shown["cells"][: int(shown["count"])].tolist() == cells.tolist()
        np.testing.assert_allclose(shown["logits"][: int(shown["count"])], logits, rtol=0, atol=1e-12)


def kernel_glance(position: Position, seen: Any) -> Any:
    """What the kernels show at a glance."""
    rules, shown = position.rules, np.zeros(1, GLANCE)[0]
    state, patterns = position.state(), np.zeros(1, PATTERNS)[0]
    patterns_from_state(state, patterns, tables(rules.rule, rules.win_length))
    shown["seen"] = seen
    level_kernels.glance_candidates(state, patterns, shown)
    level_kernels.glance_logits(state, patterns, shipped_record(rules.rule, rules.win_length), shown)
    return shown


def plain_glance(position: Position, seen: Any) -> tuple[Any, Any]:
    """Candidates and their logits in NumPy."""
    size, side = position.rules.size, int(position.to_move) - 1
    net = shipped_record(position.rules.rule, position.rules.win_length)
    rows, columns = np.divmod(np.arange(size * size), size)
    points = (rows + PAD) * STRIDE + columns + PAD
    state, patterns = position.state(), np.zeros(1, PATTERNS)[0]
    patterns_from_state(state, patterns, tables(position.rules.rule, position.rules.win_length))
    classes = patterns["classes"][[side, 1 - side]][:, points].astype(np.int64)
    legal = position.legal_mask() & ~position.forbidden_mask()
    legal = legal if legal.any() else position.legal_mask()
    near = (classes > 1).any(axis=0)
    for stone in np.flatnonzero(position.cells):
        near |= np.maximum(abs(rows - stone // size), abs(columns - stone % size)) <= 2
    if not near.any():
        near = np.maximum(abs(rows - size // 2), abs(columns - size // 2)) <= 2
    cells = np.flatnonzero(legal & near)
    cells = cells if len(cells) else np.flatnonzero(legal)
    noticed = np.stack([seen[0][classes[0]], seen[1][classes[1]]])
    own, opponent = np.where(noticed, np.minimum(classes, 13), 0)
    black, white = (own, opponent) if side == 0 else (opponent, own)
    features = net["rows"][net["window"][patterns["keys"][:, points]]].sum(axis=0, dtype=np.int64)
    features = features + net["bias"] + net["pairs"][black * 16 + white]
    shape = (np.maximum(features, 0) @ net["policy"][side].astype(np.int64)) / 1024
    score = np.where(noticed.all(axis=0), shape, np.minimum(shape, np.median(shape)))
    score += net["policy_pairs"][side][own, opponent]
    if position.ply:  # a board that is set up has no last moves; both lie beyond its first corner
        score[0] += net["places"][: min(position.ply, 2), 120].sum()
    return cells, score[cells] / 100


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
