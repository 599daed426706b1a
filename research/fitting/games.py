"""Self-play games for the fit, and games between two nets to see what it has brought."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wuzi.arena import BookOpening, Tally
from wuzi.base.atomic import write_atomic
from wuzi.contract import Limit
from wuzi.core import Color, Game, Rules
from wuzi.evaluation.codebook import CodebookNet
from wuzi.search.alphabeta.searcher import AlphaBetaSearch, EngineOptions

PROVED = 30_000
"""Scores are stored clipped to this; one so large is a proved result."""

OPENING_NODES = 1000
EVEN = 260


def opening(rules: Rules, search: AlphaBetaSearch, rng: np.random.Generator) -> Game:
    """Two to ten random stones near the centre that a short search thinks roughly even."""
    middle, shift = rules.size // 2, 2 if rules.size > 11 else 0
    while True:
        half = min(int(rng.integers(2, 5)), middle - 1)
        row, col = (middle + int(rng.integers(-shift, shift + 1)) for _ in range(2))
        rows, cols = (range(max(0, x - half), min(rules.size, x + half + 1)) for x in (row, col))
        cells = [r * rules.size + c for r in rows for c in cols]
        game = Game(rules)
        for cell in rng.choice(cells, min(int(rng.integers(2, 11)), len(cells)), replace=False):
            if game.outcome is None:
                game = game.play(int(cell))
        if game.outcome is not None:
            continue
        line = search.run(game.position, Limit(nodes=OPENING_NODES)).lines[0]
        if line.win_in is None and abs(line.score or 0.0) < EVEN:
            return game


def play_games(rules: Rules, net: CodebookNet | None, path: Path, games: int, nodes: int, seed: int) -> None:
    """Play games at half to one and a half times ``nodes`` a move; ``net`` None is the shipped one."""
    rng = np.random.default_rng(seed)
    search = AlphaBetaSearch(rules, EngineOptions(table_mb=4, vcf_nodes=100, root_vcf_nodes=3000), net)
    columns: dict[str, list[Any]] = {name: [] for name in ("moves", "scores", "starts", "lengths", "results")}
    start = time.perf_counter()
    for number in range(games):
        search.clear()
        game = opening(rules, search, rng)
        columns["starts"].append(game.ply)
        scores, winner = [0] * game.ply, None
        while game.outcome is None:
            line = search.run(game.position, Limit(nodes=int(nodes * rng.uniform(0.5, 1.5)))).lines[0]
            scores.append(int(np.clip(line.score or 0.0, -PROVED, PROVED)))
            if line.win_in:
                winner = game.to_move if line.win_in > 0 else game.to_move.opponent
                game = game.play(line.move)
                break
            game = game.play(line.move)
        if game.outcome is not None:
            winner = game.outcome.winner
        columns["moves"].extend(int(move) for move in game.moves)
        columns["scores"].extend(scores)
        columns["lengths"].append(len(game.moves))
        columns["results"].append(0.5 if winner is None else float(winner is Color.BLACK))
        if number % 500 == 499 or number == games - 1:
            print(f"{number + 1} games, {time.perf_counter() - start:.0f} s", flush=True)
    buffer = io.BytesIO()
    types = {name: np.float32 if name == "results" else np.int16 for name in columns}
    arrays: dict[str, Any] = {name: np.array(column, types[name]) for name, column in columns.items()}
    np.savez_compressed(buffer, size=np.array(rules.size), **arrays)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, buffer.getvalue())


def play(opening: BookOpening, rules: Rules, searches: Sequence[AlphaBetaSearch], nodes: int) -> float:
    """The first search's score as Black in a game at ``nodes`` a move, which a proved result ends."""
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
        black = play(opening, rules, (first, second), nodes)
        scores.append((black, 1 - play(opening, rules, (second, first), nodes)))
        flat = np.array(scores).ravel()
        wins, losses = int((flat == 1).sum()), int((flat == 0).sum())
        units = np.array([[(a + b) / 2, 2.0] for a, b in scores])
        yield Tally(wins, losses, len(flat) - wins - losses, units)
