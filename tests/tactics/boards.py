"""Random boards on which threats abound."""

from __future__ import annotations

import random

from wuzi.core import Game, Position, Rules


def crowded(rng: random.Random, rules: Rules, stones: int, inner: int) -> Position | None:
    """Random stones in an inner square; None if they end the game."""
    first = (rules.size - inner) // 2
    cells = [r * rules.size + c for r in range(first, first + inner) for c in range(first, first + inner)]
    rng.shuffle(cells)
    game = Game(rules)
    for cell in cells[:stones]:
        game = game.play(cell)
        if game.outcome is not None:
            return None
    return game.position
