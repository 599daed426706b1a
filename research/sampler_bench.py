"""How many positions a second the learner's batches are made of, by processor time.

    python -m research.sampler_bench

Games of random moves and policies fill the window: what is measured does not depend on how good they are.
"""

from __future__ import annotations

import statistics
import time

import numpy as np

from wuzi.core import Rules
from wuzi.training import SelfPlayGame
from wuzi.training.data.games import Row
from wuzi.training.data.replay import Replay
from wuzi.training.run.config import ReplaySection

OUTPUTS = ("policy", "wdl", "soft_policy", "reply_policy", "moves_left", "final_line")
GAMES, PLIES, OPENING, SHARES = 1500, 30, 4, 20
BATCH, BATCHES, ROUNDS = 256, 8, 5


def random_game(number: int, rules: Rules) -> SelfPlayGame:
    """A game of random moves, each with a policy of some random cells."""
    rng, cells = np.random.default_rng(number), rules.num_cells
    rows = []
    for _ in range(PLIES - OPENING):
        where = np.sort(rng.permutation(cells)[:SHARES]).astype(np.int16)
        rows.append(Row(where, rng.dirichlet(np.full(SHARES, 0.5)).astype(np.float32), 0.1, 0, 0.2))
    moves = rng.permutation(cells)[:PLIES].astype(np.int16)
    return SelfPlayGame(number, 0, moves, OPENING, 1, "resignation", tuple(rows))


def main() -> None:
    """Print a rate for each board."""
    for size in (9, 15):
        rules = Rules(size=size)
        replay = Replay(rules, ReplaySection(), "tactical18-v1", OUTPUTS)
        for number in range(GAMES):
            replay.add(random_game(number, rules))
        replay.sample(BATCH, np.random.default_rng(0))
        rates = []
        for _ in range(ROUNDS):
            begun = time.thread_time()
            for seed in range(BATCHES):
                replay.sample(BATCH, np.random.default_rng(seed))
            rates.append(BATCHES * BATCH / (time.thread_time() - begun))
        print(f"{size}x{size}: {statistics.median(rates):,.0f} positions/s of {replay.rows:,}")


if __name__ == "__main__":
    main()
