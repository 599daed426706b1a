"""The codebook net: its sums stone by stone, its slow twin, its files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from wuzi.contract import Limit
from wuzi.core import Color, Game, Rules, parse_moves
from wuzi.core.position import Position
from wuzi.core.rule_kernels import push, to_point
from wuzi.core.symmetry import NUM_SYMMETRIES, transform_moves
from wuzi.errors import ConfigError
from wuzi.evaluation.codebook import (
    LOGIT,
    PLACES,
    POLICY_LOGIT,
    POOL,
    UNIT,
    CodebookNet,
    codebook_record,
    dump_net,
    line_pairs,
    parse_net,
    shipped_net,
    windows_of,
)
from wuzi.evaluation.codebook_kernels import (
    accumulator_ahead,
    accumulator_from_state,
    accumulator_pop,
    accumulator_push,
    net_policy,
    net_value,
)
from wuzi.evaluation.layout import ACCUMULATOR, COLUMNS, HIDDEN, WIDTH
from wuzi.search.alphabeta.searcher import AlphaBetaSearch, EngineOptions
from wuzi.tactics.classes import tables
from wuzi.tactics.kernels import pattern_pop, pattern_push, patterns_from_state, threat_index
from wuzi.tactics.layout import NUM_THREATS, PATTERNS, REACH

pytestmark = pytest.mark.kernels

RULES = [Rules(11, 5, "freestyle"), Rules(9, 5, "standard"), Rules(10, 5, "renju"), Rules(6, 4, "freestyle")]


@cache
def random_net(rules: Rules) -> CodebookNet:
    """A net whose every number matters."""
    rng = np.random.default_rng(3)
    sides = 2 if rules.rule.label == "renju" else 1
    windows = len(windows_of(rules)[0])

    def ints(*shape: int) -> Any:
        return rng.integers(-150, 150, (sides, *shape)).astype(np.int16)

    def floats(*shape: int) -> Any:
        return rng.normal(0, 0.2, (sides, *shape)).astype(np.float32)

    return CodebookNet(
        windows=ints(windows, WIDTH),
        lines=ints(225, WIDTH),
        pairs=ints(196, WIDTH),
        bias=ints(WIDTH),
        first=floats(COLUMNS, HIDDEN),
        threats=floats(NUM_THREATS, HIDDEN),
        second=floats(HIDDEN, HIDDEN),
        second_bias=floats(HIDDEN),
        last=floats(HIDDEN),
        direct=floats(COLUMNS),
        direct_threats=floats(NUM_THREATS),
        policy=floats(COLUMNS),
        policy_pairs=floats(196),
        places=rng.normal(0, 0.5, (2, PLACES)).astype(np.float32),
        recipe={},
    )


class Board:
    """State, patterns and sums of one board."""

    def __init__(self, rules: Rules, cells: Sequence[int] = ()) -> None:
        self.rules, self.table = rules, tables(rules.rule, rules.win_length)
        self.state = Position(rules).state()
        self.patterns, self.accumulator = np.zeros(1, PATTERNS)[0], np.zeros(1, ACCUMULATOR)[0]
        self.net = codebook_record(random_net(rules), rules)
        for cell in cells:
            push(self.state, to_point(cell, rules.size))
        self.refresh()

    def refresh(self) -> None:
        patterns_from_state(self.state, self.patterns, self.table)
        accumulator_from_state(self.state, self.patterns, self.net, self.accumulator)

    def points(self) -> list[int]:
        return [int(p) for p in np.flatnonzero(self.state["cells"] == 0)]

    def value(self, ahead: int = 0) -> int:
        return int(net_value(self.state, self.patterns, self.net, self.accumulator, ahead))

    def same(self, other: Board) -> bool:
        at = self.points()
        features = self.accumulator["features"][at], other.accumulator["features"][at]
        return np.array_equal(*features) and np.array_equal(
            self.accumulator["pool"], other.accumulator["pool"]
        )


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_sums_are_kept_stone_by_stone_and_taken_back(rules: Rules) -> None:
    rng = np.random.default_rng(4)
    board = Board(rules)
    played: list[tuple[int, Any]] = []
    while not board.state["result"]:
        point, color = int(rng.choice(board.points())), int(board.state["side"])
        played.append((point, board.accumulator["pool"].copy()))
        pattern_push(board.state, board.patterns, board.table, point)
        accumulator_ahead(board.state, board.patterns, board.net, board.accumulator, point, color)
        ahead = board.value(1)
        accumulator_push(
            board.state, board.patterns, board.net, board.accumulator, point, color, len(played) - 1
        )
        assert board.value() == ahead
        fresh = Board(rules)
        fresh.state = board.state
        fresh.refresh()
        assert board.same(fresh)
    assert len(played) > 8
    while played:
        point, pool = played.pop()
        pattern_pop(board.state, board.patterns, board.table)
        accumulator_pop(board.state, board.patterns, board.accumulator, point, len(played))
        assert np.array_equal(board.accumulator["pool"], pool)
    assert board.same(Board(rules))


def slow_twin(board: Board, net: CodebookNet) -> tuple[float, dict[int, float]]:
    """Value and policy by the documentation, in double precision."""
    rules, state, patterns = board.rules, board.state, board.patterns
    _, numbers, swapped = windows_of(rules)
    mover = int(state["side"]) - 1
    pool, features = np.zeros((2, WIDTH)), {}
    for point in board.points():
        for view in range(2):
            side = view if len(net.bias) == 2 else 0
            own, opponent = int(patterns["classes"][view, point]), int(patterns["classes"][1 - view, point])
            x = (net.bias[side] + net.pairs[side, own * 14 + opponent]).astype(float)
            for direction in range(4):
                window = numbers[patterns["keys"][direction, point]]
                window = swapped[window] if view else window
                x += net.windows[side, window] + net.lines[side, line_pairs(rules)[side, window]]
            features[point, view] = np.maximum(x, 0) / UNIT
            pool[view] += features[point, view]
    side = mover if len(net.bias) == 2 else 0
    threat = int(threat_index(patterns, mover + 1))
    x = np.concatenate([pool[mover], pool[1 - mover]]) * POOL
    first = np.maximum(x @ net.first[side] + net.threats[side, threat], 0)
    second = np.maximum(first @ net.second[side] + net.second_bias[side], 0)
    value = second @ net.last[side] + x @ net.direct[side] + net.direct_threats[side, threat]
    policy = {}
    for point in board.points():
        seen = np.concatenate([features[point, mover], features[point, 1 - mover]])
        own, opponent = int(patterns["classes"][mover, point]), int(patterns["classes"][1 - mover, point])
        z = seen @ net.policy[side] + net.policy_pairs[side, own * 14 + opponent]
        for back in range(min(2, int(state["ply"]))):
            last = int(state["history"][state["ply"] - 1 - back])
            dy, dx = point // 32 - last // 32 + REACH, point % 32 - last % 32 + REACH
            if 0 <= dy <= 2 * REACH and 0 <= dx <= 2 * REACH:
                z += net.places[back, dy * (2 * REACH + 1) + dx]
        policy[point] = float(z)
    return float(value) * LOGIT, {point: z * POLICY_LOGIT for point, z in policy.items()}


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_value_and_policy_equal_their_slow_twin(rules: Rules) -> None:
    rng = np.random.default_rng(6)
    for _ in range(12):
        stones = [int(c) for c in rng.permutation(rules.size**2)[: rng.integers(0, 16)]]
        board = Board(rules, stones)
        value, policy = slow_twin(board, random_net(rules))
        assert board.value() == pytest.approx(value, abs=2, rel=1e-4)
        for point, points in policy.items():
            got = int(net_policy(board.state, board.patterns, board.net, board.accumulator, point))
            # Each weight is rounded to 1 / 1024 of a point and step.
            assert got == pytest.approx(points, abs=6)


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_value_is_the_same_from_every_side_of_the_board(rules: Rules) -> None:
    stones = [int(c) for c in np.random.default_rng(7).permutation(rules.size**2)[:9]]
    images = (transform_moves(stones, rules.size, s) for s in range(NUM_SYMMETRIES))
    assert len({Board(rules, [int(c) for c in image]).value() for image in images}) == 1


@pytest.mark.parametrize("rules", [r for r in RULES if r.rule.label != "renju"], ids=str)
def test_value_does_not_depend_on_the_names_of_the_colours(rules: Rules) -> None:
    board = Board(rules, [int(c) for c in np.random.default_rng(8).permutation(rules.size**2)[:8]])
    value = board.value()
    cells = board.state["cells"]
    board.state["cells"] = np.where((cells == 1) | (cells == 2), 3 - cells, cells)
    board.state["side"] = 3 - board.state["side"]
    board.refresh()
    assert board.value() == pytest.approx(value, abs=1)


@pytest.mark.parametrize(("rules", "windows"), [(RULES[0], 121), (RULES[1], 364), (RULES[3], 40)])
def test_there_are_as_many_windows_as_counted(rules: Rules, windows: int) -> None:
    keys, numbers, swapped = windows_of(rules)
    assert len(keys) == windows * (windows + 1) // 2
    assert numbers.max() == len(keys) - 1
    assert np.array_equal(swapped[swapped], np.arange(len(keys)))


def test_files_round_trip_and_wrong_ones_are_named() -> None:
    rule = Rules().rule
    net = shipped_net(rule, 5)
    content = dump_net(net)
    again = parse_net(content, "copy", rule, 5)
    assert dump_net(again) == content or again.recipe == net.recipe
    assert np.array_equal(again.windows, net.windows)
    assert net.recipe["held_out_loss"] < 0.69
    for nonsense in (b"", b"{}", content[:1000]):
        with pytest.raises(ConfigError, match=r"x\.npz"):
            parse_net(nonsense, "x.npz", rule, 5)
    with pytest.raises(ConfigError, match=r"x\.npz: windows is int16 .*: expected shape"):
        parse_net(content, "x.npz", rule, 4)
    broken = replace(net, last=net.last * np.float32(np.nan))
    with pytest.raises(ConfigError, match=r"x\.npz: last holds a number that is not finite"):
        parse_net(dump_net(broken), "x.npz", rule, 5)


def test_a_net_that_knows_nothing_still_sees_tactics() -> None:
    rules = Rules()
    search = AlphaBetaSearch(rules, EngineOptions(table_mb=1), random_net(rules))
    game = Game.from_moves(rules, parse_moves("h8a1i8a3j8o15", 15))
    assert search.run(game.position, Limit(nodes=5000)).lines[0].win_in == 3


def test_the_shipped_nets_think_better_of_the_attacker() -> None:
    for label in ("freestyle", "standard", "renju"):
        rules = Rules(15, 5, label)
        search = AlphaBetaSearch(rules, EngineOptions(table_mb=1))
        game = Game.from_moves(rules, parse_moves("h8a1i9o1i7a15", 15))
        line = search.run(game.position, Limit(depth=1)).lines[0]
        assert game.to_move is Color.BLACK
        assert line.value is not None and line.value > 0.5
