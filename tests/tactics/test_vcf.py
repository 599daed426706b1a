"""Wins by fours: every line replayed by the independent checker, every "none" by a slow search."""

from __future__ import annotations

import random

import pytest

from tests.tactics.boards import crowded
from wuzi.core import Color, Game, Position, Rules, format_moves, parse_moves
from wuzi.errors import UnsupportedError
from wuzi.tactics.checker import why_line_fails, wins_at_once
from wuzi.tactics.vcf import VcfSolver, Verdict

pytestmark = pytest.mark.kernels


def naive_vcf(position: Position, fours: int) -> bool:
    """Whether the side to move wins with at most ``fours`` fours, by the rule book alone."""
    attacker = position.to_move
    if wins_at_once(position):
        return True
    if fours == 0:
        return False
    opponent = _passed(position)
    must = wins_at_once(opponent)
    for move in must if len(must) == 1 else [] if must else position.legal_moves:
        after = position.play(move)
        if after.outcome is not None:
            continue
        points = wins_at_once(_passed(after))
        if len(points) > 1:
            return True
        if len(points) == 1:
            reply = after.play(points[0])
            if reply.outcome is not None:
                if reply.outcome.winner is attacker:
                    return True
                continue
            if naive_vcf(reply, fours - 1):
                return True
    return False


def _passed(position: Position) -> Position:
    return Position.from_cells(position.rules, position.cells, position.to_move.opponent)


RULES = [
    Rules(size=15),
    Rules(size=15, rule="standard"),
    Rules(size=15, rule="renju"),
    Rules(size=8, win_length=4),
]


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.label)
def test_every_win_is_real(rules: Rules) -> None:
    rng = random.Random(rules.label)
    solver = VcfSolver()
    wins = deep = 0
    for _ in range(150):
        stones, inner = (rng.randrange(24, 40), 11) if rules.size > 8 else (8, 8)
        position = crowded(rng, rules, stones, inner)
        if position is None:
            continue
        solution = solver.solve(position, max_nodes=200_000)
        if solution.verdict is not Verdict.WIN:
            assert solution.moves == ()
            continue
        wins += 1
        deep += solution.plies > 3
        if solution.plies > 1:
            reason = why_line_fails(position, solution.moves)
            assert reason is None, f"{reason}: {format_moves(solution.moves, rules.size)}\n{position}"
    assert wins > 10 and deep > 2


@pytest.mark.slow
@pytest.mark.parametrize("rules", [Rules(size=7), Rules(size=7, rule="renju"), Rules(size=6, win_length=4)])
def test_no_win_is_missed(rules: Rules) -> None:
    rng = random.Random(3)
    solver = VcfSolver()
    checked = 0
    for _ in range(30):
        position = crowded(rng, rules, rng.randrange(8, 15) if rules.win_length == 5 else 6, 5)
        if position is None:
            continue
        solution = solver.solve(position)
        assert solution.verdict is not Verdict.UNKNOWN
        if solution.verdict is Verdict.NONE:
            assert not naive_vcf(position, 3), position
        elif solution.plies >= 3:
            # The shortest: one four fewer must not do.
            fours = (solution.plies - 1) // 2
            assert not naive_vcf(position, fours - 1) or solution.plies % 2 == 0
        checked += 1
    assert checked > 15


def test_a_known_line() -> None:
    # Black: three in a row with one closed end and a second line crossing it: four, then open four.
    position = Game.from_moves(Rules(), parse_moves("h8g8i8a1j8c1k10e1k11g1k12i1", 15)).position
    assert position.to_move is Color.BLACK
    solution = VcfSolver().solve(position)
    assert solution.verdict is Verdict.WIN
    assert why_line_fails(position, solution.moves) is None


def test_checker_refuses_wrong_lines() -> None:
    position = Game.from_moves(Rules(), parse_moves("h8a1i8c1j8e1", 15)).position
    good = parse_moves("k8", 15)
    assert why_line_fails(position, good) is None
    assert "does not lose at once" in (why_line_fails(position, parse_moves("l8", 15)) or "")
    assert "odd number" in (why_line_fails(position, ()) or "")
    assert "odd number" in (why_line_fails(position, parse_moves("k8l8", 15)) or "")
    longer = parse_moves("k8l8g8", 15)
    assert why_line_fails(position, longer) is not None or len(longer) == 3


def test_limits_and_unsupported_rules() -> None:
    rng = random.Random(12)
    solver = VcfSolver()
    verdicts = set()
    for _ in range(40):
        position = crowded(rng, Rules(), 30, 9)
        if position is not None:
            verdicts.add(solver.solve(position, max_nodes=2).verdict)
    assert Verdict.UNKNOWN in verdicts
    with pytest.raises(UnsupportedError, match="caro"):
        solver.solve(Position(Rules(rule="caro")))
    with pytest.raises(UnsupportedError, match="6 in a row"):
        solver.solve(Position(Rules(win_length=6)))
