"""Short matches without a search: is the learner better than before?

All games of a match are played side by side, because a net answers a batch of positions in the time of a few;
the referee leads single games of players, as those of evaluations with a search.
Every opening of random stones is played twice, with both colours. Real figures come from the arena.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from wuzi.core import Rules
from wuzi.core.batch import Cells, GameBatch
from wuzi.nets.planes import PlaneEncoder
from wuzi.torch_nets.blocks import Net
from wuzi.training.learner.nets import answers_of

Chooser = Callable[[GameBatch, Cells], Cells]
"""Moves int64 [K] for the games whose numbers (int64 [K]) are given."""


@dataclass(frozen=True, slots=True)
class Score:
    """The first side's result in games."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """How many games were played."""
        return self.wins + self.draws + self.losses

    @property
    def rate(self) -> float:
        """Points a game, a draw counting half."""
        return (self.wins + self.draws / 2) / max(1, self.games)


def net_chooser(net: Net, rules: Rules, *, greedy: bool = True) -> Chooser:
    """Moves of a net's policy over the legal cells: the likeliest, or drawn."""
    encoder = PlaneEncoder(net.planes, rules)

    @torch.no_grad()
    def choose(games: GameBatch, rows: Cells) -> Cells:
        planes = encoder.encode(np.ascontiguousarray(games.states[rows]))
        logits = answers_of(net.eval(), planes)["policy"].numpy()
        return games.choose(logits, games.masks()[rows], rows, greedy=greedy)[0]

    return choose


def play_match(
    rules: Rules, first: Chooser, second: Chooser, *, pairs: int, seed: int = 0, random_plies: int = 4
) -> Score:
    """Play ``pairs`` openings with both colours; the first side's score."""
    games = GameBatch(rules, 2 * pairs, seed=seed, random_plies=min(random_plies, rules.num_cells - 1))
    games.states[pairs:] = games.states[:pairs]
    # In the first half the first side is to move, in the second half the second.
    mover = games.states["side"].astype(np.int64)
    side = np.where(np.arange(2 * pairs) < pairs, mover, 3 - mover)
    while (going := games.states["result"] == 0).any():
        actions = np.full(2 * pairs, -1, np.int64)
        firsts = games.states["side"] == side
        for chooser, theirs in ((first, firsts), (second, ~firsts)):
            if len(rows := np.flatnonzero(going & theirs)):
                actions[rows] = chooser(games, rows)
        games.play(actions)
    result = games.states["result"]
    wins, draws = int((result == side).sum()), int((result == 3).sum())
    return Score(wins, draws, 2 * pairs - wins - draws)
