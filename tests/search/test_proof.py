"""Exact solving: known values, every position of tiny boards against plain minimax, proofs replayed."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

from wuzi.analysis.solving import Kind, Solvers
from wuzi.contract import Limit
from wuzi.core import Color, Game, Position, Rules, format_moves, parse_moves
from wuzi.core.layout import STOP
from wuzi.errors import GameOverError, UnsupportedError
from wuzi.players import create_player
from wuzi.search.control import new_control
from wuzi.search.exact.solver import ExactSolver, Value
from wuzi.tactics.checker import why_strategy_fails

pytestmark = pytest.mark.kernels


@cache
def naive_value(position: Position) -> tuple[int, int]:
    """Value for the side to move (1, 0, -1) and plies to the end: wins soon, losses late."""
    best: tuple[int, int] | None = None
    for move in position.legal_moves:
        after = position.play(move)
        if after.outcome is not None:
            value = (
                0 if after.outcome.winner is None else 1 if after.outcome.winner is position.to_move else -1
            )
            plies = 1
        else:
            value, plies = naive_value(after)
            value, plies = -value, plies + 1
        if best is None or _better((value, plies), best):
            best = value, plies
    assert best is not None
    return best


def _better(new: tuple[int, int], old: tuple[int, int]) -> bool:
    if new[0] != old[0]:
        return new[0] > old[0]
    return new[1] < old[1] if new[0] > 0 else new[1] > old[1] if new[0] < 0 else False


SIGNS = {Value.WIN: 1, Value.DRAW: 0, Value.LOSS: -1}


@pytest.mark.parametrize(
    ("rules", "stones"),
    [
        (Rules(size=3, win_length=3), 1),
        (Rules(size=4, win_length=3), 8),
        (Rules(size=4, win_length=3, rule="standard"), 8),
        (Rules(size=4, win_length=4), 9),
        (Rules(size=4, win_length=3, rule="caro"), 7),
        (Rules(size=4, win_length=3, rule="caro_overline"), 7),
        (Rules(size=5, win_length=4), 17),
        (Rules(size=5), 18),
    ],
    ids=lambda item: getattr(item, "label", str(item)),
)
def test_values_and_distances_agree_with_minimax(rules: Rules, stones: int) -> None:
    rng = random.Random(rules.label)
    solver = ExactSolver(rules)
    seen = set()
    for _ in range(12):
        game = Game(rules)
        for cell in rng.sample(range(rules.num_cells), stones + rng.randrange(2)):
            if game.outcome is None:
                game = game.play(cell)
        if game.outcome is not None:
            continue
        solution = solver.solve(game.position)
        sign, plies = naive_value(game.position)
        assert SIGNS[solution.value] == sign, game.position
        if sign:
            assert (solution.plies, len(solution.moves)) == (plies, plies), game.position
            assert game.from_moves(rules, [*game.moves, *solution.moves]).outcome is not None
        if sign < 0:
            longest = max(solver.distances(game.position).values())
            assert longest == plies
        seen.add(solution.value)
    assert seen


@pytest.mark.parametrize(
    ("size", "length", "value", "plies"),
    [
        (3, 3, "draw", None),
        (4, 3, "win", 5),
        (4, 4, "draw", None),
        (5, 4, "draw", None),
        (6, 4, "win", 11),
        (5, 5, "draw", None),
        (6, 5, "draw", None),
    ],
)
def test_known_boards(size: int, length: int, value: str, plies: int | None) -> None:
    rules = Rules(size=size, win_length=length)
    solution = ExactSolver(rules).solve(Position(rules))
    assert (solution.value, solution.plies) == (value, plies)


@pytest.mark.parametrize(
    ("rules", "moves"),
    [(Rules(size=4, win_length=3), ""), (Rules(size=6, win_length=4), "c3a1d4f6c4a6")],
    ids=["4x4", "6x6"],
)
def test_a_winning_strategy_beats_every_reply(rules: Rules, moves: str) -> None:
    position = Game.from_moves(rules, parse_moves(moves, rules.size)).position
    solver = ExactSolver(rules)
    assert solver.solve(position).value is Value.WIN
    winner = position.to_move
    reason = why_strategy_fails(position, lambda p: solver.choose(p, winner), winner, to_win=True)
    assert reason is None


@pytest.mark.slow
def test_the_first_player_beats_every_reply_on_6x6() -> None:
    rules = Rules(size=6, win_length=4)
    solver = ExactSolver(rules)
    reason = why_strategy_fails(
        Position(rules), lambda p: solver.choose(p, Color.BLACK), Color.BLACK, to_win=True
    )
    assert reason is None


@pytest.mark.parametrize("size", [3, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("holder", list(Color))
def test_a_drawing_strategy_holds_against_every_reply(holder: Color, size: int) -> None:
    rules = Rules(size=size, win_length=size)
    solver = ExactSolver(rules)
    opponent = holder.opponent
    reason = why_strategy_fails(Position(rules), lambda p: solver.choose(p, opponent), holder, to_win=False)
    assert reason is None


def test_the_checker_refuses_a_bad_strategy() -> None:
    rules = Rules(size=3, win_length=3)
    first = lambda p: p.legal_moves[0]  # noqa: E731
    assert "a line ends as" in (why_strategy_fails(Position(rules), first, Color.BLACK, to_win=True) or "")
    nothing = why_strategy_fails(Position(rules), lambda p: None, Color.BLACK, to_win=False)
    assert "no move is known" in (nothing or "")


def test_limits_stops_and_unsupported_rules() -> None:
    rules = Rules(size=8)
    solver = ExactSolver(rules)
    assert solver.solve(Position(rules), max_nodes=500).value is Value.UNKNOWN
    ctl = new_control()
    ctl[STOP] = 1
    assert solver.solve(Position(rules), ctl=ctl).value is Value.UNKNOWN
    with pytest.raises(UnsupportedError, match="renju"):
        ExactSolver(Rules(size=7, rule="renju"))
    with pytest.raises(UnsupportedError, match="9x9"):
        ExactSolver(Rules(size=9))
    with pytest.raises(UnsupportedError, match="was asked about"):
        solver.solve(Position(Rules(size=7)))
    over = Game.from_moves(Rules(size=3, win_length=3), parse_moves("a1b1a2b2a3", 3)).position
    with pytest.raises(GameOverError, match="nothing to solve"):
        ExactSolver(over.rules).solve(over)


def test_the_solver_player_resists_as_long_as_it_can() -> None:
    rules = Rules(size=6, win_length=4)
    game = Game(rules)
    with create_player("solver") as black, create_player("solver:seed=3") as white:
        while game.outcome is None:
            player = black if game.to_move is Color.BLACK else white
            result = player.think(game)
            assert result.info.lines[0].value == (1.0 if game.to_move is Color.BLACK else -1.0)
            game = game.play(result.move)
    assert game.outcome.winner is Color.BLACK
    assert game.ply == 11, format_moves(game.moves, 6)


def test_the_solver_player_draws_and_plays_on_without_a_solution() -> None:
    rules = Rules(size=4, win_length=4)
    with create_player("solver") as player:
        game = Game(rules)
        while game.outcome is None:
            game = game.play(player.think(game).move)
        assert game.outcome.winner is None
        five = Game.from_moves(Rules(size=8), parse_moves("d4a1e4b1f4c1g4", 8))
        assert player.think(five, Limit(nodes=5)).move in parse_moves("h4c4", 8)


def test_all_kinds_answer_alike() -> None:
    solvers = Solvers()
    position = Game.from_moves(Rules(size=8), parse_moves("d4a1e4a3f4a5", 8)).position
    for kind in (Kind.VCF, Kind.VCT):
        answer = solvers.solve(kind, position, nodes=10_000, time_s=10.0)
        assert (answer.result, answer.plies) == ("win", 1)
    tiny = Position(Rules(size=3, win_length=3))
    assert solvers.solve(Kind.EXACT, tiny).result == "draw"
    with pytest.raises(UnsupportedError, match="3 in a row"):
        solvers.solve(Kind.VCT, tiny)
    assert np.isfinite(solvers.solve(Kind.EXACT, Position(Rules(size=8)), time_s=0.05).time_s)
