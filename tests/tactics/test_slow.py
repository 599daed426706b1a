"""The rules-only searches and their kernels, compared with plain Python."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests import naive
from tests.tactics.boards import crowded
from wuzi.core import Color, Game, Position, Rule, Rules, parse_moves, rule_kernels
from wuzi.core.layout import MAX_CELLS
from wuzi.tactics.checker import why_line_fails
from wuzi.tactics.checker_kernels import attack_points, double_points, is_punished, useful_replies
from wuzi.tactics.proof import completed, points_to_win, proof_by_fours
from wuzi.tactics.slow import SlowSearch
from wuzi.tactics.vcf import VcfSolver, Verdict

pytestmark = pytest.mark.kernels

RULES = [
    Rules(size=9),
    Rules(size=9, rule="standard"),
    Rules(size=9, rule="renju"),
    Rules(size=7, win_length=4),
]
TINY = [
    Rules(size=6),
    Rules(size=6, rule="standard"),
    Rules(size=6, rule="renju"),
    Rules(size=5, win_length=4),
]


def naive_wins(rules: Rules, stones: list[int], color: int) -> set[int]:
    """Cells where a stone makes a winning row."""
    return {
        cell
        for cell, stone in enumerate(stones)
        if not stone and naive.winning_rows(rules, naive.with_stone(stones, cell, color), cell, color)
    }


def allowed(rules: Rules, stones: list[int], cell: int, color: int) -> bool:
    black = rules.rule is Rule.RENJU and color == Color.BLACK
    return not (black and naive.forbidden_kind(rules.size, stones, cell))


def naive_doubles(rules: Rules, stones: list[int], color: int) -> set[int]:
    return {
        cell
        for cell, stone in enumerate(stones)
        if not stone
        and allowed(rules, stones, cell, color)
        and len(naive_wins(rules, naive.with_stone(stones, cell, color), color)) >= 2
    }


@pytest.mark.parametrize("rules", TINY, ids=lambda rules: rules.label)
def test_points_agree_with_plain_python(rules: Rules) -> None:
    rng = random.Random(rules.label)
    out = np.empty(MAX_CELLS, np.int64)
    tried = 0
    for _ in range(12):
        position = crowded(rng, rules, rng.randrange(14, 20) if rules.win_length == 5 else 9, rules.size)
        if position is None or tried == 3:
            continue
        stones, color = position.cells.tolist(), int(position.to_move)
        wins = naive_wins(rules, stones, color)
        assert set(points_to_win(position, position.to_move)) == wins
        if wins:
            continue
        tried += 1
        state = position.state()
        cells = lambda n: {int(rule_kernels.to_cell(int(p), rules.size)) for p in out[:n]}  # noqa: E731
        doubles = naive_doubles(rules, stones, color)
        assert cells(int(double_points(state, color, out))) == doubles
        if doubles:
            continue
        empty = [
            cell for cell, stone in enumerate(stones) if not stone and allowed(rules, stones, cell, color)
        ]
        fours = {c for c in empty if naive_wins(rules, naive.with_stone(stones, c, color), color)}
        assert cells(int(attack_points(state, 1, out))) == fours
        threats = {c for c in empty if naive_doubles(rules, naive.with_stone(stones, c, color), color)}
        assert cells(int(attack_points(state, 0, out))) == fours | threats
    assert tried > 1


def test_what_punishes_a_reply() -> None:
    position = Game.from_moves(Rules(), parse_moves("h8a1i8a15j8", 15)).position
    open_four = np.array([rule_kernels.to_point(c, 15) for c in parse_moves("k8g8", 15)], np.int64)
    scratch = np.empty(MAX_CELLS, np.int64)
    state = position.play("o15").state()
    assert is_punished(state, open_four, 2, scratch)
    assert is_punished(position.play("l8").state(), open_four, 2, scratch), "the other end is open"
    assert not is_punished(position.play("g8").state(), open_four, 2, scratch)
    useful = np.empty(MAX_CELLS, np.int64)
    assert int(useful_replies(position.state(), open_four, 2, useful, scratch)) > 0
    assert useful[0] == rule_kernels.to_point(parse_moves("g8", 15)[0], 15)


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.label)
def test_fours_agree_with_the_solver(rules: Rules) -> None:
    rng = random.Random(f"{rules.label} fours")
    solver, slow = VcfSolver(), SlowSearch(fours_only=True, max_nodes=5000)
    seen = set()
    for _ in range(30):
        position = crowded(rng, rules, rng.randrange(10, 22) if rules.win_length == 5 else 8, 7)
        if position is not None:
            verdict = solver.solve(position).verdict
            assert slow.wins(position) is (verdict is Verdict.WIN), position
            seen.add(verdict)
    assert seen == {Verdict.WIN, Verdict.NONE}


def test_a_search_that_gives_up_says_so() -> None:
    position = Game.from_moves(Rules(), parse_moves("h8a1i9c1", 15)).position
    assert SlowSearch(fours_only=False, max_nodes=1).wins(position) is None


def test_a_line_is_completed_to_the_winning_row() -> None:
    """White's four leaves Black a forbidden block: Black plays elsewhere, and White makes five."""
    cells = np.zeros(225, np.int8)
    cells[list(parse_moves("g8f8h7h6c13a1", 15))] = 1
    cells[list(parse_moves("d12f10g9o1o3", 15))] = 2
    position = Position.from_cells(Rules(rule="renju"), cells, Color.WHITE)
    solution = VcfSolver().solve(position)
    assert solution.verdict is Verdict.WIN
    assert solution.moves[::2] == parse_moves("e11h8", 15)
    after = position
    for move in solution.moves:
        after = after.play(move)
    assert after.outcome is not None
    assert after.outcome.winner is Color.WHITE
    assert why_line_fails(position, solution.moves) is None
    assert completed(position, solution.moves) == solution.moves
    assert proof_by_fours(position, solution.moves).main_line() == solution.moves
