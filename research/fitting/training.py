"""Training of the codebook net: logistic loss of the value, softmax loss of the move."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from research.fitting.gradient_kernels import Data, Weights, adam, run
from research.fitting.positions import Positions, board
from wuzi.core import Rules
from wuzi.core.lines import radius
from wuzi.evaluation.codebook import PLACES, UNIT, CodebookNet, line_pairs, quantised, windows_of
from wuzi.evaluation.layout import HIDDEN, WIDTH
from wuzi.tactics.layout import NUM_THREATS, REACH

BATCH = 1024
WARM_UP = 100
DECAY = 0.3
"""Weight decay of windows and class pairs."""


@dataclass(frozen=True)
class Options:
    """How to train; see ``research/fitting --help``."""

    epochs: int = 4
    rate: float = 2e-3
    trust: float = 0.5
    policy_weight: float = 0.1
    seed: int = 1


def orbits() -> npt.NDArray[np.int64]:
    """For every place relative to a move the number of its class under the eight symmetries."""
    numbers: dict[tuple[int, int], int] = {}
    width = 2 * REACH + 1
    orbit = np.zeros(PLACES, np.int64)
    for place in range(PLACES):
        low, high = sorted((abs(place // width - REACH), abs(place % width - REACH)))
        orbit[place] = numbers.setdefault((low, high), len(numbers))
    return orbit


def start(rules: Rules, rng: np.random.Generator) -> Weights:
    """Random weights; Black and White apart in renju only."""
    sides = 2 if rules.rule.forbids else 1
    windows = len(windows_of(rules)[0])

    def normal(*shape: int, scale: float) -> npt.NDArray[np.float32]:
        # Both sides begin alike, so that they differ by what they learn alone.
        one = rng.normal(0, scale, shape).astype(np.float32)
        return np.repeat(one[None], sides, axis=0)

    def zeros(*shape: int) -> npt.NDArray[np.float32]:
        return np.zeros((sides, *shape), np.float32)

    return Weights(
        windows=zeros(windows, WIDTH),
        lines=normal(225, WIDTH, scale=0.05),
        pairs=zeros(196, WIDTH),
        bias=zeros(WIDTH) + np.float32(0.05),
        first=normal(2 * WIDTH, HIDDEN, scale=(2 * WIDTH) ** -0.5),
        threats=zeros(NUM_THREATS, HIDDEN),
        second=normal(HIDDEN, HIDDEN, scale=HIDDEN**-0.5),
        second_bias=zeros(HIDDEN),
        last=normal(HIDDEN, scale=HIDDEN**-0.5),
        direct=zeros(2 * WIDTH),
        direct_threats=zeros(NUM_THREATS),
        policy=zeros(2 * WIDTH),
        policy_pairs=zeros(196),
        places=np.zeros((2, int(orbits().max()) + 1), np.float32),
    )


def adopt(weights: Weights, rules: Rules, net: CodebookNet, of: Rules) -> None:
    """Begin with the net of other rules, whose windows may reach less far."""
    for name in Weights._fields:
        mine, theirs = getattr(weights, name), getattr(net, name)
        scale = UNIT if theirs.dtype == np.int16 else 1
        if name == "windows":
            cut = 2 * (radius(rules) - radius(of))
            if cut < 0:
                raise ValueError(f"windows of {of.rule.label} reach farther than those of {rules.rule.label}")
            keys = (windows_of(rules)[0] >> cut) & (4 ** (2 * radius(of)) - 1)
            theirs = theirs[:, windows_of(of)[1][keys]]
        elif name == "places":
            theirs = theirs[:, np.unique(orbits(), return_index=True)[1]]
        mine[:] = theirs.astype(np.float32) / scale


class Trainer:
    """Weights, their optimiser, and the positions of one set of rules."""

    def __init__(self, rules: Rules, positions: Positions, options: Options) -> None:
        self.rules, self.options = rules, options
        self._rng = np.random.default_rng(options.seed)
        self.weights = start(rules, self._rng)
        self._gradients = Weights(*(np.zeros_like(w) for w in self.weights))
        self._moments = [(np.zeros_like(w), np.zeros_like(w)) for w in self.weights]
        _, numbers, swapped = windows_of(rules)
        self._classes = line_pairs(rules)[: len(self.weights.bias)]
        self._board = board(rules)
        self._positions = positions
        proved = np.isnan(positions.hope)
        target = (1 - options.trust) * positions.result + options.trust * positions.hope
        self._data = self._with_target(numbers, swapped, np.where(proved, -1, target))
        self._to_results = self._with_target(numbers, swapped, np.where(proved, -1, positions.result))
        held_out = positions.game % 10 == 0
        self.held_out, self._train = np.flatnonzero(held_out), np.flatnonzero(~held_out)
        self._step = 0

    def _with_target(self, numbers: Any, swapped: Any, target: Any) -> Data:
        p = self._positions
        games = p.points, p.first, p.ply, target.astype(np.float32)
        return Data(*games, p.begin, p.wanted, p.shares, numbers, swapped, orbits())

    def codebook(self) -> npt.NDArray[np.float32]:
        """Features of every window, float32 [1 or 2, windows, WIDTH]."""
        w = self.weights
        return np.stack([x + y[c] for x, y, c in zip(w.windows, w.lines, self._classes, strict=True)])

    def train(self) -> dict[str, object]:
        """All epochs; the losses on held-out games."""
        total = self.options.epochs * (len(self._train) // BATCH)
        begin, losses = time.perf_counter(), {}
        for epoch in range(self.options.epochs):
            order = self._rng.permutation(self._train)
            sums, known = np.zeros(4), max(1, int((self._data.target[order] >= 0).sum()))
            for at in range(0, len(order) - BATCH + 1, BATCH):
                sums += self._learn(np.sort(order[at : at + BATCH]), total)
            losses = {"train_loss": round(float(sums[0]) / known, 4), **self.held_out_losses()}
            print(f"epoch {epoch + 1}, {time.perf_counter() - begin:.0f} s: {losses}", flush=True)
        return {"positions": len(self._positions.ply), **losses}

    def _learn(self, batch: npt.NDArray[np.int64], total: int) -> npt.NDArray[np.float64]:
        w, g, codebook = self.weights, self._gradients, self.codebook()
        g_codebook = np.zeros_like(codebook)
        weight = self.options.policy_weight
        sums = run(batch, *self._board, self._data, w, codebook, g, g_codebook, weight, True)
        g.windows[:] = g_codebook
        for e, classes in enumerate(self._classes):
            for k in range(WIDTH):
                g.lines[e, :, k] = np.bincount(classes, g_codebook[e, :, k], 225)
        self._step += 1
        rate = self.options.rate * 0.5 * (1 + np.cos(np.pi * self._step / total))
        rate *= min(1.0, self._step / WARM_UP)
        for name, x, y, (m, v) in zip(Weights._fields, w, g, self._moments, strict=True):
            np.divide(y, len(batch), out=y)
            decay = DECAY if name in ("windows", "pairs", "lines") else 0.0
            args = (np.float32(rate), self._step, np.float32(decay))
            adam(x.ravel(), y.ravel(), m.ravel(), v.ravel(), *args)
        return np.asarray(sums)

    def held_out_losses(self) -> dict[str, object]:
        """Of value and policy on the held-out games."""
        args = (self.weights, self.codebook(), self._gradients, self._gradients.windows, 0.0, False)
        value, policy, positions, hits = run(self.held_out, *self._board, self._data, *args)
        results = run(self.held_out, *self._board, self._to_results, *args)[0]
        known = int((self._data.target[self.held_out] >= 0).sum())
        return {
            "held_out_loss": round(float(value) / known, 4),
            "held_out_loss_to_results": round(float(results) / known, 4),
            "policy_held_out_loss": round(float(policy / positions), 4),
            "policy_held_out_top1": round(float(hits / positions), 4),
        }

    def net(self, recipe: dict[str, object]) -> CodebookNet:
        """The net as the engine reads it."""
        return quantised(self.weights, orbits(), recipe)
