"""Perft: known totals, and the twin's counts."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings

from tests import naive
from tests.core.boards import random_game, rule_sets, same_record, seeds
from wuzi.core import Rule, Rules, perft, rule_kernels
from wuzi.errors import ConfigError

pytestmark = pytest.mark.kernels


def test_tic_tac_toe() -> None:
    nodes = (9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872)
    for depth in range(1, 10):
        assert perft(Rules(size=3, win_length=3), depth).nodes == nodes[:depth]
    result = perft(Rules(size=3, win_length=3), 9)
    assert result.finished == 255_168
    assert result.time_s >= 0


@pytest.mark.parametrize("rule", [rule for rule in Rule if rule is not Rule.RENJU])
def test_tic_tac_toe_is_the_same_under_rules_that_differ_in_overlines_and_ends(rule: Rule) -> None:
    # A row of three fills a 3x3 board from edge to edge.
    assert perft(Rules(size=3, win_length=3, rule=rule), 9).finished == 255_168


@pytest.mark.parametrize(
    ("size", "win_length", "depth"), [(4, 3, 3), (4, 4, 3), (5, 4, 3), (5, 5, 3), (26, 5, 1), (26, 26, 2)]
)
def test_few_plies_from_the_empty_board(size: int, win_length: int, depth: int) -> None:
    rules = Rules(size=size, win_length=win_length)
    result = perft(rules, depth)
    cells = size * size
    assert result.nodes == (cells, cells * (cells - 1), cells * (cells - 1) * (cells - 2))[:depth]
    assert result.finished == 0


@pytest.mark.parametrize("rule", [rule for rule in Rule if rule is not Rule.RENJU])
@pytest.mark.parametrize(("size", "win_length"), [(4, 3), (4, 4), (5, 4)])
def test_endings_counted_by_the_twin(rule: Rule, size: int, win_length: int) -> None:
    count_to_the_end(Rules(size=size, win_length=win_length, rule=rule), seed=size)


@pytest.mark.parametrize("seed", range(4))
def test_renju_endings_counted_by_the_twin(seed: int) -> None:
    count_to_the_end(Rules(size=6, rule=Rule.RENJU), seed)


def count_to_the_end(rules: Rules, seed: int) -> None:
    """All games from positions with a few empty cells, reached by random play that nobody won."""
    rng = random.Random(seed)
    for _ in range(4000):
        positions = random_game(rules, rng.getrandbits(32))
        if rules.num_cells - len(positions) < 2:
            start = positions[max(0, rules.num_cells - 5)]
            break
    else:
        start = positions[-3]
    state = start.state()
    before = state.copy()
    depth = min(5, rules.num_cells - start.ply)
    nodes = np.zeros(depth, np.int64)
    finished = rule_kernels.perft(state, depth, nodes)
    assert (nodes.tolist(), finished) == naive.count_games(rules, start.cells.tolist(), start.to_move, depth)
    assert nodes[0] == rules.num_cells - start.ply
    assert finished > 0
    assert same_record(state, before)


@settings(max_examples=25)
@given(rule_sets(sizes=(3, 6)), seeds)
def test_two_plies_before_the_end_counted_by_the_twin(rules: Rules, seed: int) -> None:
    start = random_game(rules, seed)[-3]
    nodes = np.zeros(2, np.int64)
    finished = rule_kernels.perft(start.state(), 2, nodes)
    assert (nodes.tolist(), finished) == naive.count_games(rules, start.cells.tolist(), start.to_move, 2)
    assert finished > 0


@pytest.mark.parametrize("depth", [0, -1, 10])
def test_impossible_depths(depth: int) -> None:
    with pytest.raises(ConfigError, match=f"depth {depth}: expected 1 to 9"):
        perft(Rules(size=3, win_length=3), depth)
