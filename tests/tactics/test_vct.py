"""Wins by threats: every proof replayed by the checker, every verdict compared with a search by the rules."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from tests.tactics.boards import crowded
from wuzi.core import Color, Game, Position, Rules, parse_moves, rule_kernels
from wuzi.core.layout import MAX_CELLS, STOP
from wuzi.errors import UnsupportedError
from wuzi.tactics.checker import why_proof_fails
from wuzi.tactics.checker_kernels import double_points, useful_replies
from wuzi.tactics.classes import tables
from wuzi.tactics.kernels import patterns_from_state
from wuzi.tactics.layout import PATTERNS, VCT
from wuzi.tactics.proof import Attack, points_to_win
from wuzi.tactics.slow import SlowSearch
from wuzi.tactics.vcf import Verdict
from wuzi.tactics.vct import VctSolver
from wuzi.tactics.vct_move_kernels import vct_replies

pytestmark = pytest.mark.kernels

RULES = [
    Rules(size=15),
    Rules(size=15, rule="standard"),
    Rules(size=15, rule="renju"),
    Rules(size=9, win_length=4),
    Rules(size=7, win_length=4, rule="standard"),
]


SMALL = [
    Rules(size=9),
    Rules(size=9, rule="standard"),
    Rules(size=9, rule="renju"),
    Rules(size=7, win_length=4),
]


def boards(rules: Rules, seed: int, count: int) -> list[Position]:
    rng = random.Random(f"{rules.label} {seed}")
    found = []
    while len(found) < count:
        stones, inner = (rng.randrange(8, 24), 9) if rules.win_length == 5 else (rng.randrange(4, 9), 6)
        if (position := crowded(rng, rules, stones, inner)) is not None:
            found.append(position)
    return found


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.label)
def test_every_win_is_real(rules: Rules) -> None:
    solver = VctSolver()
    wins = long = 0
    for position in boards(rules, 1, 30):
        solution = solver.solve(position, max_nodes=15_000)
        assert (solution.proof is not None) == (solution.verdict is Verdict.WIN)
        if solution.proof is None:
            assert solution.moves == ()
            continue
        wins += 1
        long += solution.plies > 5
        assert why_proof_fails(position, solution.proof) is None, position
        after = position
        for move in solution.moves:
            after = after.play(move)
        attacker = position.to_move
        won = after.outcome is not None and after.outcome.winner is attacker
        assert won or len(points_to_win(after, attacker)) >= 2
    assert wins > 6 and (long > 0 or rules.win_length == 4)


@pytest.mark.parametrize("rules", SMALL, ids=lambda rules: rules.label)
def test_verdicts_agree_with_a_search_by_the_rules(rules: Rules) -> None:
    solver = VctSolver()
    slow = SlowSearch(fours_only=False, max_nodes=60, advice=solver.advise)
    seen = set()
    for position in boards(rules, 2, 14):
        verdict = solver.solve(position, max_nodes=20_000).verdict
        truth = slow.wins(position)
        if truth is None or verdict is Verdict.UNKNOWN:
            continue
        # Fouls by the lines only are no attacks of the solver, so Black may have more in renju.
        if verdict is Verdict.WIN or "renju" not in rules.label:
            assert truth is (verdict is Verdict.WIN), position
        seen.add(verdict)
    assert seen == {Verdict.WIN, Verdict.NONE}


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.label)
def test_no_useful_reply_is_left_out(rules: Rules) -> None:
    """The replies of the kernel hold all that the rules do not see punished at once."""
    table = tables(rules.rule, rules.win_length)
    patterns, work = np.zeros(1, PATTERNS)[0], np.zeros(1, VCT)[0]
    out, follow, scratch = (np.empty(MAX_CELLS, np.int64) for _ in range(3))
    tried = 0
    for position in boards(rules, 3, 60):
        defender, attacker = position.to_move, position.to_move.opponent
        if points_to_win(position, attacker) or points_to_win(position, defender):
            continue
        state = position.state()
        patterns_from_state(state, patterns, table)
        if not int(patterns["counts"][attacker - 1][12]):
            continue
        count = int(double_points(state, int(attacker), follow))
        useful = out[: int(useful_replies(state, follow, count, out, scratch))].tolist()
        n = int(vct_replies(state, patterns, table, work, 0))
        assert set(useful) <= set(work["moves"][0][:n].tolist()), position
        tried += 1
    assert tried > 4


def test_the_checker_refuses_broken_proofs() -> None:
    solver = VctSolver()
    refused = 0
    for position in boards(Rules(), 4, 25):
        proof = solver.solve(position, max_nodes=15_000).proof
        if proof is None or not proof.replies:
            continue
        reply, answer = next(iter(proof.replies.items()))
        fewer = {cell: attack for cell, attack in proof.replies.items() if cell != reply}
        broken = replace(proof, replies=fewer)
        assert "is not answered" in (why_proof_fails(position, broken) or "")
        assert "is not answered" in (why_proof_fails(position, replace(proof, follow=())) or "")
        wrong = Attack(reply, answer.follow, answer.replies)
        assert why_proof_fails(position, replace(proof, replies={**fewer, reply: wrong})) is not None
        refused += 1
    assert refused > 3


def test_a_four_that_leaves_a_forbidden_block_wins() -> None:
    # White's four at e11 leaves Black only h8, where two open threes cross.
    black = parse_moves("g8f8h7h6c13a1", 15)
    white = parse_moves("d12f10g9o1o3", 15)
    cells = np.zeros(225, np.int8)
    cells[list(black)] = 1
    cells[list(white)] = 2
    position = Position.from_cells(Rules(rule="renju"), cells, Color.WHITE)
    assert position.forbidden_kind("h8").label == "double_three"
    solution = VctSolver().solve(position)
    assert solution.verdict is Verdict.WIN
    assert solution.proof is not None
    assert (solution.proof.move, solution.proof.replies) == (parse_moves("e11", 15)[0], {})
    assert why_proof_fails(position, solution.proof) is None
    assert solution.moves[::2] == parse_moves("e11h8", 15)
    free = Position.from_cells(Rules(), cells, Color.WHITE)
    assert VctSolver().solve(free).moves[::2] != solution.moves[::2]


def test_an_open_three_that_meets_a_four() -> None:
    position = Game.from_moves(Rules(), parse_moves("h8a1i8c1h9a3i10c3", 15)).position
    solver = VctSolver()
    solution = solver.solve(position)
    assert solution.verdict is Verdict.WIN
    after = position.play(solution.moves[0])
    assert solver.keeps_win(after) is Verdict.WIN
    assert solver.keeps_win(position.play("o15")) is not Verdict.WIN


def test_limits_stops_and_unsupported_rules() -> None:
    solver = VctSolver()
    verdicts = {solver.solve(position, max_nodes=3).verdict for position in boards(Rules(), 5, 20)}
    assert Verdict.UNKNOWN in verdicts
    ctl = np.zeros(8, np.int64)
    ctl[STOP] = 1
    quiet = Game.from_moves(Rules(), parse_moves("h8a1i8c1h9a3i10c3", 15)).position
    assert solver.solve(quiet, ctl=ctl).verdict is Verdict.UNKNOWN
    with pytest.raises(UnsupportedError, match="caro"):
        solver.solve(Position(Rules(rule="caro")))
    with pytest.raises(UnsupportedError, match="3 in a row"):
        solver.solve(Position(Rules(size=5, win_length=3)))
    over = Game.from_moves(Rules(), parse_moves("h8a1i8c1j8e1k8g1l8", 15)).position
    assert solver.solve(over).verdict is Verdict.NONE
    assert solver.keeps_win(over) is Verdict.WIN


def test_the_board_is_left_as_it_was() -> None:
    solver = VctSolver()
    position = boards(Rules(), 6, 1)[0]
    state = position.state()
    before = state.copy()
    table = tables(position.rules.rule, 5)
    patterns_from_state(state, solver._patterns, table)
    kept = solver._patterns.copy()
    control = np.zeros(8, np.int64)
    solver._again(state, table, control, int(position.to_move))
    assert state["cells"].tolist() == before["cells"].tolist()
    assert state["key"] == before["key"]
    assert solver._patterns["classes"].tolist() == kept["classes"].tolist()
    assert solver._patterns["counts"].tolist() == kept["counts"].tolist()
    assert rule_kernels.to_cell(int(solver._work["move"]), 15) >= 0
