"""Positions to measure a net on, where no training games are at hand: it plays them itself."""

from __future__ import annotations

import numpy as np

from wuzi.core import Position, Rules, kernels
from wuzi.core.layout import STATE
from wuzi.errors import ConfigError
from wuzi.nets.evaluator import Evaluator, Floats, policy_of
from wuzi.nets.planes import PlaneEncoder, Records

_GAMES = 64
RANDOM_SHARE = 0.25
"""How much of each move's probability is spread evenly, so that games differ."""


def sample_positions(evaluator: Evaluator, rules: Rules, count: int, seed: int = 0) -> Floats:
    """Feature planes float32 [count, C, N, N] of games whose moves are drawn from a net's policy.

    Args:
        evaluator: the net.
        rules: the board to play on.
        count: how many positions.
        seed: of the draws; the same seed gives the same positions.

    Raises:
        ConfigError: the net is for another board.
    """
    if evaluator.size not in (None, rules.size):
        raise ConfigError(f"a {rules.size}x{rules.size} board: the net is for {evaluator.size}")
    random = np.random.default_rng(seed)
    encoder = PlaneEncoder(evaluator.planes, rules)
    records: Records = np.zeros(_GAMES, STATE)
    records[:] = Position(rules).state()
    found: list[Floats] = []
    while sum(map(len, found)) < count:
        features = encoder.encode(records)
        found.append(features)
        logits, _ = evaluator.evaluate(features)
        _play(records, logits, rules, random)
    return np.concatenate(found)[:count]


def _play(records: Records, logits: Floats, rules: Rules, random: np.random.Generator) -> None:
    """One move in each game; a finished game begins anew."""
    policy = policy_of(logits)
    empty = np.array([kernels.to_point(cell, rules.size) for cell in range(rules.num_cells)])
    for i in range(len(records)):
        legal = records[i]["cells"][empty] == 0
        chances = policy[i] * legal + 1e-9 * legal
        chances = (1 - RANDOM_SHARE) * chances / chances.sum() + RANDOM_SHARE * legal / legal.sum()
        cell = int(random.choice(rules.num_cells, p=chances / chances.sum()))
        kernels.push(records[i], int(empty[cell]))
        if records[i]["result"]:
            records[i] = Position(rules).state()
