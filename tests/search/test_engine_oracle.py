"""The engine against plain alpha-beta over all moves, by the rules alone, on small boards."""

from __future__ import annotations

import random

import pytest

from wuzi.contract import Limit
from wuzi.core import Game, Position, Rule, Rules, parse_moves
from wuzi.search.alphabeta.searcher import AlphaBetaSearch, EngineOptions

pytestmark = pytest.mark.kernels

SMALL = EngineOptions(table_mb=1)

BENCH = ("h8h9i8g7h7h6", "h8i9g9i7h7h9g8i8i6", "h8j9h10h9g8i10", "h8g9i9g7g8i10j8")


def test_the_bench_signature() -> None:
    """Positions that fixed searches look at: a change of it is a change of the search, and says so."""
    search = AlphaBetaSearch(Rules())
    total = 0
    for code in BENCH:
        search.clear()
        position = Game.from_moves(Rules(), parse_moves(code, 15)).position
        total += search.run(position, Limit(depth=12)).nodes
    assert total == 38835


def oracle(position: Position, alpha: int, beta: int, known: dict[tuple[object, ...], int]) -> int:
    """1, 0 or -1 for the side to move: plain alpha-beta over every empty cell, to the end of the game."""
    if position.outcome is not None:
        winner = position.outcome.winner
        return 0 if winner is None else 1 if winner is position.to_move else -1
    key = (position.to_move, alpha, beta, *position.cells.reshape(-1).tolist())
    if key in known:
        return known[key]
    best = -1
    for move in position.legal_moves:
        best = max(best, -oracle(position.play(move), -beta, -max(alpha, best), known))
        if best >= beta or best == 1:
            break
    known[key] = best
    return best


def nearly_full(rules: Rules, rng: random.Random, empty: int) -> Position | None:
    """A random undecided position with so many empty cells, or None where a game ended before."""
    game = Game(rules)
    while rules.num_cells - game.ply > empty:
        if game.outcome is not None:
            return None
        game = game.play(rng.choice(game.position.legal_moves))
    return None if game.outcome is not None else game.position


@pytest.mark.parametrize(
    "rules",
    [
        Rules(size=5, win_length=4),
        Rules(size=5, win_length=4, rule=Rule.STANDARD),
        Rules(size=5),
        Rules(size=5, rule=Rule.RENJU),
    ],
    ids=lambda rules: rules.label,
)
def test_what_it_proves_is_what_full_width_search_finds(rules: Rules) -> None:
    rng = random.Random(5)
    search = AlphaBetaSearch(rules, SMALL)
    decided = compared = 0
    while compared < 25:
        position = nearly_full(rules, rng, rng.choice((5, 6, 7)))
        if position is None:
            continue
        compared += 1
        value = oracle(position, -1, 1, {})
        search.clear()
        line = search.run(position, Limit(depth=30, nodes=50_000)).lines[0]
        decided += value != 0
        proved = 0 if not line.win_in else 1 if line.win_in > 0 else -1
        assert proved in (0, value), f"{value} expected, {line}\n{position}"
        if value > 0:
            assert proved == 1, f"a win missed: {line}\n{position}"
        after = position.play(line.move)
        # Played to the end by full-width search, the move chosen keeps the value.
        assert -oracle(after, -1, 1, {}) == value, f"{line.move} loses value {value}\n{position}"
    if rules.win_length == 4:
        assert decided > 5


def test_the_oracle_knows_tic_tac_toe() -> None:
    rules = Rules(size=3, win_length=3)
    assert oracle(Position(rules), -1, 1, {}) == 0
    assert oracle(Game.from_moves(rules, parse_moves("a1b1", 3)).position, -1, 1, {}) == 1
    assert oracle(Game.from_moves(rules, parse_moves("a1b1b2", 3)).position, -1, 1, {}) == -1
