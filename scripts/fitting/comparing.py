"""Games between two nets in the same search, to see what a fit has brought."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np

from wuzi.arena.openings import BookOpening
from wuzi.arena.rating import Tally, elo_difference
from wuzi.contract import Limit
from wuzi.core import Color, Rules
from wuzi.evaluation.codebook import CodebookNet
from wuzi.search.alphabeta.searcher import AlphaBetaSearch, EngineOptions


def play(opening: BookOpening, rules: Rules, searches: Sequence[AlphaBetaSearch], nodes: int) -> float:
    """A game at so many positions a move: the score of the first search, who has Black.

    A proved result ends it.
    """
    for search in searches:
        search.clear()
    game = opening.game(rules)
    while game.outcome is None:
        black_moves = game.to_move is Color.BLACK
        line = searches[0 if black_moves else 1].run(game.position, Limit(nodes=nodes)).lines[0]
        if line.win_in:
            return float((line.win_in > 0) == black_moves)
        game = game.play(line.move)
    return 0.5 if game.outcome.winner is None else float(game.outcome.winner is Color.BLACK)


def compare(
    rules: Rules,
    nets: Sequence[CodebookNet | None],
    book: Sequence[BookOpening],
    nodes: int,
    table_mb: int = 16,
) -> Iterator[Tally]:
    """The first net's results against the second's after each opening, played with both colours."""
    first, second = (AlphaBetaSearch(rules, EngineOptions(table_mb=table_mb), net) for net in nets)
    scores: list[tuple[float, float]] = []
    for opening in book:
        scores.append(
            (play(opening, rules, (first, second), nodes), 1 - play(opening, rules, (second, first), nodes))
        )
        flat = np.array(scores).ravel()
        wins, losses = int((flat == 1).sum()), int((flat == 0).sum())
        units = np.array([[(a + b) / 2, 2.0] for a, b in scores])
        yield Tally(wins, losses, len(flat) - wins - losses, units)


def report(results: Iterator[Tally], every: int = 20) -> None:
    """Print the results as they come."""
    begin, last = time.perf_counter(), None
    for number, last in enumerate(results, 1):
        if number % every == 0:
            print(_line(last, number, begin), flush=True)
    if last is not None and number % every:
        print(_line(last, number, begin), flush=True)


def _line(results: Tally, pairs: int, begin: float) -> str:
    score = f"{results.wins}-{results.losses}-{results.draws}, Elo {elo_difference(results)}"
    return f"{pairs} pairs, {time.perf_counter() - begin:.0f} s: {score}"
