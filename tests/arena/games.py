"""Made-up results for the tests of figures and reports."""

from __future__ import annotations

import random

from wuzi.arena.results import GameResult

# The second evaluation of the 9x9 study: wins of the first, wins of the second, draws.
STUDY = {
    ("Pure MCTS", "Minimax"): (1, 59, 0),
    ("Pure MCTS", "AlphaZero"): (38, 22, 0),
    ("Pure MCTS", "Enhanced"): (22, 37, 1),
    ("Minimax", "AlphaZero"): (58, 2, 0),
    ("Minimax", "Enhanced"): (49, 9, 2),
    ("AlphaZero", "Enhanced"): (10, 50, 0),
}


def record(number: int, black: str, white: str, winner: str, **more: object) -> GameResult:
    values: dict[str, object] = {
        "reason": "line",
        "plies": 9 + number % 40,
        "duration_s": 0.5 + number % 7,
        "black_time_s": 0.2,
        "white_time_s": 0.3,
        "size": 9,
        "win_length": 5,
        "rule": "freestyle",
        "moves": f"e5e6{number}",
        "opening_id": f"o{number // 2}",
        "seed": number,
        "started_at": "2026-01-02T03:04:05.678+00:00",
        "version": "0.1.0",
    }
    return GameResult(f"u{number // 2}-{number % 2 + 1}", black, white, winner, **{**values, **more})  # type: ignore[arg-type]


def games_of(
    results: dict[tuple[str, str], tuple[int, int, int]], seed: int = 0, start: int = 0
) -> list[GameResult]:
    """Games with these totals, colours alternating, the order of results drawn."""
    draw = random.Random(seed)
    games = []
    for (first, second), (wins, losses, draws) in results.items():
        scores = [1.0] * wins + [0.0] * losses + [0.5] * draws
        draw.shuffle(scores)
        for score in scores:
            number = start + len(games)
            black, white = (first, second) if number % 2 == 0 else (second, first)
            winner = "draw" if score == 0.5 else "black" if (score == 1.0) == (black == first) else "white"
            games.append(record(number, black, white, winner))
    return games
