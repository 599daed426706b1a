"""Quick games of the engine from random openings."""

from __future__ import annotations

import numpy as np

from wuzi.contract import Limit
from wuzi.core import Game, Rules
from wuzi.search.alphabeta.searcher import AlphaBetaSearch, EngineOptions

RULES = (
    Rules(size=15),
    Rules(size=15, rule="standard"),  # type: ignore[arg-type]
    Rules(size=15, rule="renju"),  # type: ignore[arg-type]
    Rules(size=20),
    Rules(size=15),
    Rules(size=15, rule="renju"),  # type: ignore[arg-type]
    Rules(size=11),
)
_OPTIONS = EngineOptions(table_mb=2, vcf_nodes=1, root_vcf_nodes=1)
_SEARCHES: dict[Rules, AlphaBetaSearch] = {}


def play_game(seed: int, number: int) -> Game:
    """The game of that number: a random opening of 4 to 12 stones, then the engine on both sides.

    Each side has its own number of positions a move, 20 to 1000, and looks for no wins by fours, so that
    it overlooks things.
    """
    rng = np.random.default_rng([seed, number])
    rules = RULES[number % len(RULES)]
    nodes = [int(n) for n in np.exp(rng.uniform(np.log(20), np.log(1000), 2))]
    game = _opening(rules, rng, int(rng.integers(4, 13)), int(rng.integers(5, 10)))
    search = _SEARCHES.setdefault(rules, AlphaBetaSearch(rules, _OPTIONS))
    search.clear()
    while game.outcome is None:
        info = search.run(game.position, Limit(nodes=nodes[game.ply % 2]))
        game = game.play(info.lines[0].move)
    return game


SCATTERED = (
    Rules(size=15),
    Rules(size=15, rule="renju"),  # type: ignore[arg-type]
    Rules(size=15, rule="standard"),  # type: ignore[arg-type]
    Rules(size=9),
    Rules(size=8, win_length=4),
    Rules(size=20, rule="renju"),  # type: ignore[arg-type]
    Rules(size=22),
    Rules(size=7, win_length=4, rule="standard"),  # type: ignore[arg-type]
)

SPARSE_EVERY = 21


def scattered_game(seed: int, number: int) -> Game:
    """The random game of that number: stones anywhere in an inner square, not over yet.

    One in ``SPARSE_EVERY`` is sparse, for threats; in the others there are long chains of fours.
    """
    rng = np.random.default_rng([seed, number, 1])
    rules = SCATTERED[number % len(SCATTERED)]
    small = rules.win_length == 4
    sparse = number % SPARSE_EVERY == 0
    width = min(rules.size, 6 if small else 9 if sparse else int(rng.integers(9, 16)))
    share = rng.uniform(0.1, 0.16) if sparse else rng.uniform(0.17, 0.27)
    return _opening(rules, rng, int(share * width * width), width)


def _opening(rules: Rules, rng: np.random.Generator, stones: int, width: int) -> Game:
    """Random stones in the inner square of that width, none of which ends the game."""
    first = (rules.size - width) // 2
    while True:
        game = Game(rules)
        for cell in rng.permutation(width * width)[:stones]:
            row, col = divmod(int(cell), width)
            game = game.play((first + row) * rules.size + first + col)
            if game.outcome is not None:
                break
        else:
            return game
