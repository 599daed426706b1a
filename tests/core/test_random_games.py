"""Random games on bit lines: they see the wins that the rule book sees, and end as it says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests import naive
from tests.core.boards import (
    COLOR_BLIND,
    drawn,
    loaded,
    random_game,
    random_stones,
    rule_sets,
    same_record,
    seeds,
    shuffled_cells,
    without_rows,
)
from wuzi.core import Color, Position, Reason, Rule, Rules, random_kernels, rule_kernels
from wuzi.core.layout import LINES

pytestmark = pytest.mark.kernels


def lines_of(state: Any, seed: int = 1) -> Any:
    lines = np.zeros(1, LINES)[0]
    lines["rng"] = seed | 1
    random_kernels.lines_from_state(state, lines)
    return lines


def place_of(cell: int, size: int) -> int:
    return cell // size * 32 + cell % size


@settings(max_examples=200)
@given(rule_sets(COLOR_BLIND), seeds)
@example(Rules(size=26), 1)
@example(Rules(size=26, win_length=26), 2)
@example(Rules(size=26, win_length=26, rule=Rule.CARO), 3)
@example(Rules(size=26, win_length=4, rule=Rule.CARO_OVERLINE), 4)
def test_bit_lines_see_the_wins_of_the_rule_book(rules: Rules, seed: int) -> None:
    state = Position(rules).state()
    lines = lines_of(state)
    for cell in shuffled_cells(rules, seed):
        point = rule_kernels.to_point(cell, rules.size)
        color = int(state["side"])
        won = rule_kernels.makes_line(state, point, color)
        assert random_kernels.lines_place(lines, place_of(cell, rules.size), color) == won
        rule_kernels.push(state, point)
        if won:
            break
    assert state["result"]


@settings(max_examples=60)
@given(rule_sets(COLOR_BLIND, sizes=(3, 9), win_lengths=(3, 5)), seeds)
def test_bit_lines_of_crowded_boards(rules: Rules, seed: int) -> None:
    """Boards where no row has won yet, so that the last stone alone decides."""
    stones = without_rows(rules, random_stones(rules.size, seed, black=0.4, white=0.3))
    state = loaded(rules, stones)
    for cell in (cell for cell, stone in enumerate(stones) if not stone):
        for color in Color:
            won = random_kernels.lines_place(lines_of(state), place_of(cell, rules.size), color)
            after = naive.with_stone(stones, cell, color)
            assert bool(won) == bool(naive.winning_rows(rules, after, cell, color))


@settings(max_examples=60)
@given(rule_sets(), seeds, st.data())
def test_lines_from_a_board_are_the_lines_played(rules: Rules, seed: int, data: st.DataObject) -> None:
    positions = random_game(rules, seed)
    position = positions[data.draw(st.integers(0, len(positions) - 1))]
    played = lines_of(Position(rules).state())
    for i, cell in enumerate(shuffled_cells(rules, seed)[: position.ply]):
        random_kernels.lines_place(played, place_of(cell, rules.size), 1 + i % 2)
    lines = lines_of(position.state(), seed)
    assert np.array_equal(lines["bits"], played["bits"])
    empty = {place_of(cell, rules.size) for cell in np.flatnonzero(position.cells == 0)}
    assert set(lines["free"][: lines["num_free"]].tolist()) == empty
    assert lines["num_free"] == len(empty)
    assert [int(lines[name]) for name in ("size", "win_length", "exact", "blockable", "rng")] == [
        rules.size,
        rules.win_length,
        rules.rule.exact,
        rules.rule.blockable,
        seed | 1,
    ]
    copy = np.zeros(1, LINES)[0]
    copy["rng"] = 77
    random_kernels.copy_lines(lines, copy)
    assert same_record(copy, lines, but=("rng", "free"))
    assert copy["rng"] == 77
    assert set(copy["free"][: copy["num_free"]].tolist()) == empty


def test_a_copy_wipes_what_was_there() -> None:
    full = loaded(Rules(size=26), [1 + cell % 2 for cell in range(676)])
    for size in (26, 15, 3):
        rules = Rules(size=size, win_length=3)
        target = lines_of(full)
        random_kernels.copy_lines(lines_of(Position(rules).state()), target)
        played = np.zeros(4, np.int64)
        won = 0
        for cell in (0, 1, 2):
            won = random_kernels.lines_place(target, place_of(cell, size), 1)
            played[won] += 1
        assert won == 1
        assert played.tolist() == [2, 1, 0, 0]


@settings(max_examples=60)
@given(rule_sets(), seeds, st.data())
def test_random_games_leave_the_board_alone(rules: Rules, seed: int, data: st.DataObject) -> None:
    positions = random_game(rules, seed)
    state = positions[data.draw(st.integers(0, len(positions) - 2))].state()
    before = state.copy()
    counts = np.array([5, 10, 20, 30])
    root, work = np.zeros(2, LINES)
    work["rng"] = seed | 1
    random_kernels.random_games(state, root, work, 4, counts)
    assert same_record(state, before)
    counts -= [5, 10, 20, 30]
    assert counts[0] == 0
    assert counts.min() >= 0
    assert counts.sum() == 4
    assert work["rng"] != seed | 1


@pytest.mark.parametrize("rule", list(Rule))
def test_random_games_depend_on_the_seed_alone(rule: Rule) -> None:
    def play(seed: int) -> list[int]:
        counts = np.zeros(4, np.int64)
        root, work = np.zeros(2, LINES)
        work["rng"] = seed
        random_kernels.random_games(Position(Rules(size=9, rule=rule)).state(), root, work, 60, counts)
        return counts.tolist()

    assert play(3) == play(3)
    assert len({tuple(play(seed)) for seed in range(1, 9)}) > 1
    black, white, _ = np.sum([play(seed) for seed in range(1, 9)], axis=0)[1:]
    assert black > 50
    assert white > 50


@settings(max_examples=80)
@given(rule_sets(COLOR_BLIND, sizes=(3, 8)), seeds)
def test_a_random_game_ends_as_the_rule_book_says(rules: Rules, seed: int) -> None:
    """One stone before the end every continuation is known: the only two results are those of the cells."""
    start = random_game(rules, seed)[-2]
    outcomes = {cell: start.play(cell).outcome for cell in start.legal_moves}
    last = {cell: outcome for cell, outcome in outcomes.items() if outcome is not None}
    if len(last) == len(outcomes):
        results = {3 if o.winner is None else int(o.winner) for o in last.values()}
        assert random_kernels.random_game(lines_of(start.state(), seed), start.to_move) in results
    full = start.play(next(iter(last)))
    if full.outcome is not None and full.outcome.reason is Reason.DRAW_FULL:
        assert random_kernels.random_game(lines_of(full.state()), full.to_move) == 3


def test_random_moves_are_spread_evenly() -> None:
    """With one winning cell among n the first move takes it in about one game of n."""
    rules = Rules(size=4, win_length=4)
    size, stones, _ = drawn("""
        X X X .
        O O O X
        O X X O
        X O . .
    """)
    state = loaded(Rules(size=size, win_length=4), stones)
    counts = np.zeros(4, np.int64)
    root, work = np.zeros(2, LINES)
    work["rng"] = 12345
    random_kernels.random_games(state, root, work, 30_000, counts)
    assert rules.num_cells - sum(map(bool, stones)) == 3
    # Black takes d4 first (1/3) or third, if White did not (1/3 of the games).
    assert counts[1] / 30_000 == pytest.approx(2 / 3, abs=0.02)
    assert counts[2] == 0


@settings(max_examples=60)
@given(st.integers(5, 11), seeds, st.data())
def test_random_renju_games_avoid_forbidden_points_and_end_as_they_should(
    size: int, seed: int, data: st.DataObject
) -> None:
    rules = Rules(size=size, rule=Rule.RENJU)
    positions = [p for p in random_game(rules, seed) if p.outcome is None]
    start = positions[data.draw(st.integers(0, len(positions) - 1))]
    state = start.state()
    result = random_kernels.random_game_renju(state, lines_of(state, seed))
    stones, color = start.cells.tolist(), int(start.to_move)
    for ply in range(start.ply, int(state["ply"])):
        cell = rule_kernels.to_cell(int(state["history"][ply]), size)
        assert not stones[cell]
        outcome = naive.outcome_after(rules, stones, cell, color)
        assert outcome is None or (outcome.reason is not Reason.FORBIDDEN and ply == state["ply"] - 1)
        stones[cell], color = color, 3 - color
    if state["result"]:
        assert outcome is not None
        assert result == state["result"] == (3 if outcome.winner is None else outcome.winner)
    else:
        assert (result, color) == (Color.WHITE, Color.BLACK)
        assert all(
            naive.forbidden_kinds(size, stones)[cell] for cell in range(size * size) if not stones[cell]
        )


NOTHING_BUT_FORBIDDEN = """
    O O X O O O
    X X O X X O
    X X X * X X
    O O X O X X
    X X O O X O
    O O X O O X
"""


def test_black_loses_a_random_renju_game_with_nothing_but_forbidden_points() -> None:
    size, stones, marks = drawn(NOTHING_BUT_FORBIDDEN)
    rules = Rules(size=size, rule=Rule.RENJU)
    assert [naive.forbidden_kind(size, stones, cell).name for cell in marks] == ["OVERLINE"]
    for side, result in ((Color.BLACK, 2), (Color.WHITE, 3)):
        state = loaded(rules, stones, side)
        assert random_kernels.random_game_renju(state, lines_of(state)) == result
        counts = np.zeros(4, np.int64)
        root, work = np.zeros(2, LINES)
        work["rng"] = 9
        state = loaded(rules, stones, side)
        random_kernels.random_games(state, root, work, 7, counts)
        assert counts.tolist() == [7 if i == result else 0 for i in range(4)]
        assert same_record(state, loaded(rules, stones, side))


def test_the_generator_is_xorshift64_star() -> None:
    lines = lines_of(Position(Rules()).state(), 1)
    assert int(lines["rng"]) == 1
    x = 1
    for n in range(1, 50):
        x ^= x >> 12
        x = (x ^ x << 25) % 2**64
        x ^= x >> 27
        high = (x * 0x2545F4914F6CDD1D % 2**64) >> 32
        assert random_kernels.draw_below(lines, n) == high * n >> 32
        assert int(lines["rng"]) == x
