"""The rule-book kernels agree with their slow twins, with themselves and with Position."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests import naive
from tests.core.boards import (
    COLOR_BLIND,
    loaded,
    random_game,
    random_stones,
    rule_sets,
    same_record,
    seeds,
    shuffled_cells,
)
from wuzi.core import Color, ForbiddenKind, Outcome, Position, Reason, Rule, Rules, rule_kernels
from wuzi.core.layout import DIRECTIONS, GRID, PAD, STATE, STRIDE, WALL
from wuzi.core.symmetry import cell_maps

pytestmark = pytest.mark.kernels


def outcome_of(state: np.void) -> Outcome | None:
    if not state["result"]:
        return None
    winner = None if state["result"] == 3 else Color(int(state["result"]))
    return Outcome(winner, Reason(int(state["reason"])))


@settings(max_examples=300)
@given(rule_sets(), seeds)
@example(Rules(size=26, win_length=26), 1)
@example(Rules(size=26, rule=Rule.RENJU), 2)
@example(Rules(size=26, win_length=6, rule=Rule.CARO), 3)
def test_every_ply_of_a_game_agrees_with_the_twin_and_with_position(rules: Rules, seed: int) -> None:
    position = Position(rules)
    state = position.state()
    stones = [0] * rules.num_cells
    for ply, cell in enumerate(shuffled_cells(rules, seed)):
        color = 1 + ply % 2
        expected = naive.outcome_after(rules, stones, cell, color)
        stones[cell] = color
        rule_kernels.push(state, rule_kernels.to_point(cell, rules.size))
        position = position.play(cell)
        assert outcome_of(state) == position.outcome == expected
        assert position.cells.tolist() == stones
        assert (
            (int(state["ply"]), int(state["side"]))
            == (position.ply, position.to_move)
            == (ply + 1, 3 - color)
        )
        assert int(state["key"]) == position.key
        assert position.last_move == cell
        if expected:
            break
    assert expected is not None
    assert same_record(state, position.state(), but=("history",))


@settings(max_examples=60)
@given(rule_sets(), seeds)
def test_pop_takes_back_every_field(rules: Rules, seed: int) -> None:
    state = Position(rules).state()
    before = []
    for cell in shuffled_cells(rules, seed):
        before.append(state.copy())
        rule_kernels.push(state, rule_kernels.to_point(cell, rules.size))
        if state["result"]:
            break
    while before:
        rule_kernels.pop(state)
        assert same_record(state, before.pop())


@settings(max_examples=60)
@given(rule_sets(), seeds, st.data())
def test_keys_depend_on_stones_and_side_not_on_order(rules: Rules, seed: int, data: st.DataObject) -> None:
    positions = random_game(rules, seed)
    played = positions[data.draw(st.integers(0, len(positions) - 1))]
    set_up = Position.from_cells(rules, played.cells, played.to_move)
    assert (set_up.key, set_up) == (played.key, played)
    moves = shuffled_cells(rules, seed)[: played.ply]
    rng = random.Random(seed)
    black, white = moves[::2], moves[1::2]
    rng.shuffle(black)
    rng.shuffle(white)
    moves[::2], moves[1::2] = black, white
    state = Position(rules).state()
    for cell in moves:
        rule_kernels.push(state, rule_kernels.to_point(cell, rules.size))
    assert int(state["key"]) == played.key
    other_side = Position.from_cells(rules, played.cells, played.to_move.opponent)
    assert other_side.key != played.key
    assert other_side != played


def test_keys_of_single_stones_differ() -> None:
    points = [rule_kernels.to_point(cell, 26) for cell in range(676)]
    keys = {rule_kernels.zobrist(point, color) for point in points for color in (1, 2)}
    assert len(keys) == 2 * 676


@settings(max_examples=40)
@given(rule_sets(sizes=(3, 15)), seeds)
def test_symmetries_commute_with_playing(rules: Rules, seed: int) -> None:
    positions = random_game(rules, seed)
    moves = shuffled_cells(rules, seed)[: len(positions) - 1]
    for where in cell_maps(rules.size):
        image = Position(rules)
        for cell, original in zip(moves, positions[1:], strict=True):
            image = image.play(int(where[cell]))
            assert image.outcome == original.outcome
        assert (image.cells[where] == original.cells).all()
        assert (image.forbidden_mask()[where] == original.forbidden_mask()).all()
        rows = {frozenset(int(where[c]) for c in row) for row in original.winning_lines()}
        assert rows == {frozenset(row) for row in image.winning_lines()}


@settings(max_examples=60)
@given(rule_sets(COLOR_BLIND, sizes=(3, 12)), seeds)
def test_swapping_colours_swaps_winners(rules: Rules, seed: int) -> None:
    stones = random_stones(rules.size, seed, black=0.35, white=0.35)
    swapped = [(0, 2, 1)[stone] for stone in stones]
    one, other = loaded(rules, stones), loaded(rules, swapped)
    for cell, stone in enumerate(stones):
        if not stone:
            point = rule_kernels.to_point(cell, rules.size)
            for color in (1, 2):
                won = rule_kernels.makes_line(one, point, color)
                assert won == rule_kernels.makes_line(other, point, 3 - color)
                after = naive.with_stone(stones, cell, color)
                assert bool(won) == bool(naive.winning_rows(rules, after, cell, color))


@settings(max_examples=40)
@given(rule_sets(), seeds)
def test_legal_moves_are_the_empty_cells(rules: Rules, seed: int) -> None:
    positions = random_game(rules, seed)
    for position in positions[:-1]:
        assert len(position.legal_moves) == rules.num_cells - position.ply == position.legal_mask().sum()
        assert not position.cells[position.legal_moves].any()
    assert positions[-1].legal_moves == []


@settings(max_examples=60)
@given(rule_sets(), seeds)
def test_winning_lines_are_the_rows_of_the_twin(rules: Rules, seed: int) -> None:
    end = random_game(rules, seed)[-1]
    assert end.outcome is not None
    rows: list[tuple[int, ...]] = []
    if end.outcome.reason is Reason.LINE:
        rows = naive.winning_rows(rules, end.cells.tolist(), end.last_move, end.outcome.winner)
        assert rows
    assert [tuple(map(int, row)) for row in end.winning_lines()] == sorted(rows)


@pytest.mark.parametrize("size", [3, 4, 15, 25, 26])
def test_points_and_cells_and_the_walls_around_them(size: int) -> None:
    state = Position(Rules(size=size, win_length=3)).state()
    points = [rule_kernels.to_point(cell, size) for cell in range(size * size)]
    assert [rule_kernels.to_cell(point, size) for point in points] == list(range(size * size))
    assert set(np.flatnonzero(state["cells"] != WALL)) == set(points)
    # Kernels look PAD cells far in every direction and must stay inside the grid, on walls.
    for cell in range(size * size):
        row, col = divmod(cell, size)
        for way, step in zip(naive.WAYS, DIRECTIONS, strict=True):
            for i in range(-PAD, PAD + 1):
                seen = points[cell] + i * step
                assert 0 <= seen < GRID
                inside = naive.on_board(size, row + i * way[0], col + i * way[1])
                assert (state["cells"][seen] != WALL) == inside
    assert max(points) + PAD * (STRIDE + 1) < GRID


def lines_of(size: int, length: int) -> list[tuple[int, ...]]:
    found = set()
    for cell in range(size * size):
        for way in naive.WAYS:
            line = naive.cells_of_line(size, cell, way)
            found |= {tuple(line[i : i + length]) for i in range(len(line) - length + 1)}
    return sorted(found)


@pytest.mark.parametrize(
    ("rule", "size", "length"),
    [
        (rule, size, length)
        for rule in Rule
        for size, length in ((3, 3), (5, 5), (7, 5), (6, 4), (10, 6))
        if rule is not Rule.RENJU or length == 5
    ],
)
def test_every_row_of_the_board_wins_whichever_stone_comes_last(rule: Rule, size: int, length: int) -> None:
    rules = Rules(size=size, win_length=length, rule=rule)
    lines = lines_of(size, length)
    assert len(lines) == 2 * size * (size - length + 1) + 2 * (size - length + 1) ** 2
    for color in Color:
        for line in lines:
            for last in line:
                stones = [0] * rules.num_cells
                for cell in line:
                    stones[cell] = color if cell != last else 0
                state = loaded(rules, stones, color)
                rule_kernels.push(state, rule_kernels.to_point(last, size))
                assert outcome_of(state) == Outcome(color, Reason.LINE)


@pytest.mark.parametrize("rule", list(Rule))
def test_rows_in_the_corners_of_the_largest_board(rule: Rule) -> None:
    rules = Rules(size=26, rule=rule)
    corners = {0, 25, 650, 675}
    lines = [line for line in lines_of(26, 5) if corners & set(line)]
    assert len(lines) == 12
    for line in lines:
        for short, won in ((line[:-1], True), (line[:-2], False)):
            state = loaded(rules, [int(cell in short) for cell in range(676)])
            last = line[-1]
            assert bool(rule_kernels.makes_line(state, rule_kernels.to_point(last, 26), 1)) is won


def test_a_row_does_not_go_on_over_the_edge() -> None:
    rules = Rules(size=9)
    for line in ([6, 7, 8, 9, 10], [5 * 9 + 8, 6 * 9, 6 * 9 + 1, 6 * 9 + 2, 6 * 9 + 3]):
        state = loaded(rules, [int(cell in line[1:]) for cell in range(81)])
        assert not rule_kernels.makes_line(state, rule_kernels.to_point(line[0], 9), 1)


def test_boards_in_an_array_do_not_touch_each_other() -> None:
    batch = np.zeros(3, STATE)
    for i, size in enumerate((5, 26, 9)):
        rule_kernels.reset(batch[i], size, 5, 0)
    edges = batch[0].copy(), batch[2].copy()
    for cell in shuffled_cells(Rules(size=26), 7):
        rule_kernels.push(batch[1], rule_kernels.to_point(cell, 26))
    assert same_record(batch[0], edges[0])
    assert same_record(batch[2], edges[1])
    while batch[1]["ply"]:
        rule_kernels.pop(batch[1])
    assert same_record(batch[1], Position(Rules(size=26)).state())


@settings(max_examples=20)
@given(rule_sets(sizes=(3, 15)), seeds)
def test_the_benchmark_walk_leaves_the_board_alone(rules: Rules, seed: int) -> None:
    state = random_game(rules, seed)[0].state()
    before = state.copy()
    stones = rule_kernels.walk(state, 3, seed + 1)
    assert 3 * (2 * min(rules.win_length, 3) - 1) <= stones <= 3 * rules.num_cells
    assert same_record(state, before)


@settings(max_examples=150)
@given(st.integers(5, 15), seeds)
@example(26, 1)
def test_forbidden_points_of_crowded_boards_agree_with_the_twin(size: int, seed: int) -> None:
    rules = Rules(size=size, rule=Rule.RENJU)
    stones = random_stones(size, seed)
    state = loaded(rules, stones)
    before = state.copy()
    kinds = np.full(rules.num_cells, 99, np.int8)
    rule_kernels.forbidden_map(state, kinds)
    assert kinds.tolist() == naive.forbidden_kinds(size, stones)
    assert same_record(state, before)


@settings(max_examples=25)
@given(st.integers(5, 11), seeds)
def test_forbidden_points_agree_with_the_twin_at_every_ply(size: int, seed: int) -> None:
    for position in random_game(Rules(size=size, rule=Rule.RENJU), seed):
        kinds = naive.forbidden_kinds(size, position.cells.tolist())
        assert [position.forbidden_kind(cell) for cell in range(size * size)] == kinds
        assert position.forbidden_mask().tolist() == [kind is not ForbiddenKind.NONE for kind in kinds]


@given(rule_sets(COLOR_BLIND, sizes=(5, 9)), seeds)
@settings(max_examples=10)
def test_nothing_is_forbidden_outside_renju(rules: Rules, seed: int) -> None:
    kinds = np.full(rules.num_cells, 99, np.int8)
    rule_kernels.forbidden_map(loaded(rules, random_stones(rules.size, seed)), kinds)
    assert not kinds.any()
