"""Patterns kept stone by stone: equal to those computed from scratch, and those to the twin's."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests import naive
from tests.core.boards import (
    COLOR_BLIND,
    loaded,
    random_stones,
    rule_sets,
    same_record,
    seeds,
    shuffled_cells,
)
from wuzi.core import Color, Position, Rule, Rules, rule_kernels
from wuzi.core.classes import CellClass
from wuzi.core.layout import DIRECTIONS
from wuzi.core.lines import radius
from wuzi.core.symmetry import cell_maps
from wuzi.tactics.classes import tables
from wuzi.tactics.kernels import pattern_pop, pattern_push, pattern_walk, patterns_from_state
from wuzi.tactics.layout import PATTERNS

pytestmark = pytest.mark.kernels

pattern_rules = rule_sets(sizes=(4, 26), win_lengths=(4, 5))
small_rules = rule_sets(sizes=(4, 9), win_lengths=(4, 5))


def points_of(size: int) -> np.ndarray[Any, Any]:
    return np.array([rule_kernels.to_point(cell, size) for cell in range(size * size)])


def patterns_of(rules: Rules, state: Any) -> Any:
    patterns = np.zeros(1, PATTERNS)[0]
    patterns["counts"] = 99
    patterns["keys"] = 99
    patterns_from_state(state, patterns, tables(rules.rule, rules.win_length))
    return patterns


def assert_equal_on_empty_cells(kept: Any, fresh: Any, state: Any, size: int) -> None:
    """Keys agree everywhere; lines, codes and classes are promised for empty cells only."""
    points = points_of(size)
    assert np.array_equal(kept["keys"][:, points], fresh["keys"][:, points])
    empty = points[state["cells"][points] == 0]
    for name in ("lines", "codes", "classes"):
        assert np.array_equal(kept[name][:, empty], fresh[name][:, empty]), name
    assert np.array_equal(kept["counts"], fresh["counts"])
    assert kept["radius"] == fresh["radius"]


@settings(max_examples=60)
@given(pattern_rules, seeds)
@example(Rules(size=26, rule=Rule.CARO), 1)
@example(Rules(size=26), 2)
@example(Rules(size=26, rule=Rule.RENJU), 3)
def test_kept_patterns_equal_fresh_ones_at_every_ply_and_pop_restores_them(rules: Rules, seed: int) -> None:
    state = Position(rules).state()
    kept = patterns_of(rules, state)
    table = tables(rules.rule, rules.win_length)
    plain = state.copy()
    history = []
    for cell in shuffled_cells(rules, seed)[:140]:
        history.append((state.copy(), kept.copy()))
        point = rule_kernels.to_point(cell, rules.size)
        pattern_push(state, kept, table, point)
        rule_kernels.push(plain, point)
        assert same_record(state, plain)
        assert_equal_on_empty_cells(kept, patterns_of(rules, state), state, rules.size)
        if state["result"]:
            break
    while history:
        before, patterns = history.pop()
        pattern_pop(state, kept, table)
        assert same_record(state, before)
        assert kept.tobytes() == patterns.tobytes()


@settings(max_examples=40)
@given(small_rules, seeds)
def test_patterns_from_any_board_can_be_kept_up(rules: Rules, seed: int) -> None:
    """Crowded set-up boards, and branches tried from one node as a search does."""
    state = loaded(rules, random_stones(rules.size, seed, black=0.3, white=0.25))
    kept = patterns_of(rules, state)
    table = tables(rules.rule, rules.win_length)
    before, patterns = state.copy(), kept.copy()
    empty = [
        cell
        for cell in shuffled_cells(rules, seed)
        if not state["cells"][rule_kernels.to_point(cell, rules.size)]
    ]
    for first in range(0, min(len(empty), 6), 2):
        for cell in empty[first : first + 3]:
            pattern_push(state, kept, table, rule_kernels.to_point(cell, rules.size))
            assert_equal_on_empty_cells(kept, patterns_of(rules, state), state, rules.size)
        for _ in empty[first : first + 3]:
            pattern_pop(state, kept, table)
        assert same_record(state, before)
        assert kept.tobytes() == patterns.tobytes()


@settings(max_examples=60)
@given(small_rules, seeds)
def test_patterns_agree_with_the_twin(rules: Rules, seed: int) -> None:
    stones = random_stones(rules.size, seed, black=0.25, white=0.2)
    patterns = patterns_of(rules, loaded(rules, stones))
    reach = radius(rules)
    for color in Color:
        for cell, (lines, kind) in naive.board_classes(rules, stones, color, reach).items():
            point = rule_kernels.to_point(cell, rules.size)
            code = int(patterns["codes"][color - 1, point])
            assert [(code >> 4 * d) & 15 for d in range(4)] == lines
            shift = 4 * (color - 1)
            assert [(int(patterns["lines"][d, point]) >> shift) & 15 for d in range(4)] == lines
            assert patterns["classes"][color - 1, point] == kind
        counts = Counter({CellClass(i): int(n) for i, n in enumerate(patterns["counts"][color - 1]) if n})
        assert counts == naive.histogram(rules, stones, color, reach)


@pytest.mark.parametrize("size", [4, 5, 15, 26])
def test_keys_are_the_windows_of_the_board(size: int) -> None:
    rules = Rules(size=size, win_length=4, rule=Rule.STANDARD)
    stones = random_stones(size, size, black=0.3, white=0.3)
    patterns = patterns_of(rules, loaded(rules, stones))
    for cell in range(size * size):
        point = rule_kernels.to_point(cell, size)
        for direction, way in enumerate(naive.WAYS):
            window = naive.window_at(rules, stones, cell, way, Color.BLACK, 4)
            codes = [".xo#".index(letter) for letter in window[:4] + window[5:]]
            assert patterns["keys"][direction, point] == sum(c << 2 * i for i, c in enumerate(codes))
    assert len(DIRECTIONS) == len(naive.WAYS)


@settings(max_examples=30)
@given(small_rules, seeds)
def test_symmetries_commute_with_classes(rules: Rules, seed: int) -> None:
    stones = np.array(random_stones(rules.size, seed, black=0.3, white=0.25))
    points = points_of(rules.size)
    state = loaded(rules, stones.tolist())
    patterns = patterns_of(rules, state)
    for where in cell_maps(rules.size):
        moved = np.zeros_like(stones)
        moved[where] = stones
        image = patterns_of(rules, loaded(rules, moved.tolist()))
        assert np.array_equal(image["classes"][:, points[where]], patterns["classes"][:, points])
        assert np.array_equal(image["counts"], patterns["counts"])


@settings(max_examples=30)
@given(rule_sets(COLOR_BLIND, sizes=(4, 12), win_lengths=(4, 5)), seeds)
def test_swapping_colours_swaps_classes(rules: Rules, seed: int) -> None:
    stones = random_stones(rules.size, seed, black=0.3, white=0.2)
    one = patterns_of(rules, loaded(rules, stones))
    other = patterns_of(rules, loaded(rules, [(0, 2, 1)[stone] for stone in stones]))
    for name in ("codes", "classes", "counts"):
        assert np.array_equal(one[name], other[name][::-1]), name


@settings(max_examples=60)
@given(st.integers(5, 9), seeds)
def test_forbidden_classes_hold_every_forbidden_point(size: int, seed: int) -> None:
    """The lines say at least what the exact test says; only threes that are not real make a difference."""
    rules = Rules(size=size, rule=Rule.RENJU)
    stones = random_stones(size, seed)
    patterns = patterns_of(rules, loaded(rules, stones))
    for cell, kind in enumerate(naive.forbidden_kinds(size, stones)):
        if stones[cell]:
            continue
        by_lines = patterns["classes"][0, rule_kernels.to_point(cell, size)] == CellClass.FORBIDDEN
        if kind:
            assert by_lines
        elif by_lines:
            code = int(patterns["codes"][0, rule_kernels.to_point(cell, size)])
            names = [naive.LineClass((code >> 4 * d) & 15).name for d in range(4)]
            assert sum(name.startswith("OPEN_THREE") for name in names) >= 2


@settings(max_examples=20)
@given(small_rules, seeds)
def test_the_benchmark_walk_leaves_everything_alone(rules: Rules, seed: int) -> None:
    state = Position(rules).state()
    patterns = patterns_of(rules, state)
    before, kept = state.copy(), patterns.copy()
    stones = pattern_walk(state, patterns, tables(rules.rule, rules.win_length), 3, seed + 1)
    assert 3 <= stones <= 3 * rules.num_cells
    assert stones == rule_kernels.walk(Position(rules).state(), 3, seed + 1), (
        "the same games as without patterns"
    )
    assert same_record(state, before)
    assert patterns.tobytes() == kept.tobytes()
