"""What another host of the learner's kernels is held to: tests/golden/files/learning.json.

``python -m tests.wasm.learning`` writes it: some games, the losses and answers of a net that takes steps on
positions drawn from them, and the random stones that a run's first games begin with.
"""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from wuzi.core import Color, Game, Rules
from wuzi.core.types import Reason
from wuzi.nets.evaluator import UniformEvaluator
from wuzi.nets.file import NetFile
from wuzi.nets.fresh import fresh_net
from wuzi.training.data.games import Flag, Row, SelfPlayGame
from wuzi.training.data.replay import Replay, winning_row
from wuzi.training.learner.kernels.learner import KernelLearner
from wuzi.training.methods.registry import make_plan
from wuzi.training.methods.selfplay.games import SelfPlay
from wuzi.training.run.config import TrainSettings

FILE = Path(__file__).resolve().parents[1] / "golden" / "files" / "learning.json"
RULES = Rules(7, 5)
STEPS, PROGRESS, OPENING, SEED = 4, 0.25, 2, 7
LOSSES = {"loss": "loss", "policy": "policy_loss", "value": "value_loss"}


def numbers(count: int, begin: int = 0) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Numbers from 0 to 1 that any program can make."""
    return (np.arange(begin, begin + count, dtype=np.uint64) * 2654435761 % 2**32) / 2**32


def first_net() -> NetFile:
    """A net whose layers begin with such numbers within their bounds, each from 0 on."""
    net = fresh_net("flexible", {"blocks": 2, "channels": 16}, RULES)
    weights = dict(net.weights)
    for name, value in weights.items():
        layer = weights[f"{name.rpartition('.')[0]}.weight"]
        if layer.ndim > 1:
            bound = 1 / np.sqrt(layer[0].size)
            drawn = numbers(value.size) * 2 * bound - bound
            weights[name] = drawn.reshape(value.shape).astype(np.float32)
    return NetFile(net.card, weights)


def games() -> list[SelfPlayGame]:
    """Games of random moves with searches that never were; fewer positions than a batch has."""
    random, found = np.random.default_rng(4), list[SelfPlayGame]()
    for number in range(6):
        game, rows = Game(RULES), list[Row]()
        while game.outcome is None:
            legal = np.array(game.position.legal_moves)
            if len(game.moves) >= OPENING:
                cells = np.sort(random.permutation(legal)[:5]).astype(np.int16)
                shares = random.integers(1, 20, len(cells)).astype(np.float32)
                shares = np.round(shares / shares.sum(), 6).astype(np.float32)
                value, surprise = np.round(random.uniform(-1, 1), 3), np.round(random.uniform(0, 2), 3)
                flags = int(random.choice([0, Flag.FAST, Flag.DECIDED, Flag.FAST | Flag.DECIDED]))
                rows.append(Row(cells, shares, float(value), flags, float(surprise)))
            game = game.play(int(random.choice(legal)))
        points = {None: 0, Color.BLACK: 1, Color.WHITE: -1}[game.outcome.winner]
        moves = np.array(game.moves, np.int16)
        reason = "line" if game.outcome.reason is Reason.LINE else "full"
        found.append(SelfPlayGame(number, 0, moves, OPENING, points, reason, rows))
    return found


def example() -> dict[str, Any]:
    """All of it, by Python's own learner."""
    settings: TrainSettings = make_plan("tiny").settings
    net, played = first_net(), games()
    replay = Replay(RULES, settings.replay, net.card.planes, net.card.graph.outputs)
    for game in played:
        replay.add(game)
    batch = settings.learn.batch
    assert replay.rows < batch
    learner, steps = KernelLearner(net, settings.learn, RULES.size), list[dict[str, float]]()
    for step in range(STEPS):
        rows = (numbers(batch, 1000 * step) * replay.rows).astype(np.int64)
        turns = (numbers(batch, 1000 * step + 500) * 8).astype(np.int64)
        figures = learner.learn(replay._batch(rows, turns), PROGRESS)
        steps.append({name: figures[own] for name, own in LOSSES.items()})
    checks = learner.net(RULES, "example", {}).card.checks
    return {
        "size": RULES.size,
        "winLength": RULES.win_length,
        "progress": PROGRESS,
        "games": [_plain(game) for game in played],
        "steps": steps,
        "openings": openings(settings),
        "checks": [{"moves": one.moves, "value": one.value, "policy": one.policy} for one in checks],
    }


def openings(settings: TrainSettings) -> list[list[int]]:
    """How the first games of a run with :data:`SEED` begin."""
    how: dict[str, Any] = {"seed": SEED, "net": 0, "numbers": count()}
    return [
        game["moves"] for game in SelfPlay(RULES, settings.selfplay, UniformEvaluator(), **how).open_games()
    ]


def _plain(game: SelfPlayGame) -> dict[str, Any]:
    line = winning_row(RULES, tuple(game.moves.tolist())) if game.reason == "line" else ()
    rows = [
        {
            "cells": row.cells.tolist(),
            "shares": row.shares.tolist(),
            "value": row.value,
            "flags": row.flags,
            "surprise": row.surprise,
        }
        for row in game.rows
    ]
    moves = game.moves.tolist()
    return {"moves": moves, "opening": game.opening, "result": game.result, "line": line, "rows": rows}


if __name__ == "__main__":
    FILE.write_text(json.dumps(example(), separators=(",", ":")) + "\n", "utf-8")
