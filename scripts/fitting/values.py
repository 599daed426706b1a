"""The evaluation: a ridge logistic regression over counts of class pairs, line pairs and threats."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, diags

from fitting.games import PROVED, samples
from wuzi.core import Rule, Rules
from wuzi.core.lines import line_table
from wuzi.evaluators.fitted import FINE, LOGIT, NUM_CLASSES, FittedValues, zero_values
from wuzi.tactics.layout import NUM_THREATS

Floats = npt.NDArray[np.float64]
PAIRS, LINES = NUM_CLASSES**2, 15**2
LINE_RIDGE = 2.5
"""How much more the line terms are held back than the cell terms."""

SHRINK = 0.9
"""A search's score counts as slightly less sure than it says."""

STEPS = 120


class _Rows:
    """Sparse rows of counts, one a position."""

    def __init__(self, by_side: bool) -> None:
        self.width = PAIRS + LINES + NUM_THREATS + 1
        self.by_side = by_side
        self.columns: list[npt.NDArray[np.int64]] = []
        self.counts: list[npt.NDArray[np.int64]] = []
        self.target: list[tuple[float, int, int]] = []

    def add(self, columns: npt.NDArray[np.int64], side: int, result: float, score: int, game: int) -> None:
        unique, counts = np.unique(columns, return_counts=True)
        self.columns.append(unique + (self.width if self.by_side and side else 0))
        self.counts.append(counts)
        self.target.append((result, score, game))

    def matrix(self) -> csr_matrix:
        ends = np.concatenate([[0], np.cumsum([len(row) for row in self.columns])])
        data = np.concatenate(self.counts).astype(np.float64)
        shape = (len(self.columns), self.width * (2 if self.by_side else 1))
        return csr_matrix((data, np.concatenate(self.columns), ends), shape=shape)


def fit_values(rules: Rules, games: list[Path], *, ridge: float, trust: float) -> FittedValues:
    """Fit to ``(1 - trust) * result + trust * logistic(score)``; Black and White apart in renju only."""
    by_side = rules.rule is Rule.RENJU
    table = line_table(rules.rule, rules.win_length)
    lines = (table & 15).astype(np.int64) * 15 + (table >> 4)
    rows = _Rows(by_side)
    for sample in samples(rules, games):
        if abs(sample.score) < PROVED:
            keys = sample.windows.ravel()
            parts = (
                sample.pairs,
                PAIRS + lines[keys[keys != 0]],
                np.array([PAIRS + LINES + sample.threats, PAIRS + LINES + NUM_THREATS]),
            )
            rows.add(np.concatenate(parts), sample.side, sample.result, sample.score, sample.game)
    x = rows.matrix()
    result, score, game = (np.array(column, np.float64) for column in zip(*rows.target, strict=True))
    target = (1 - trust) * result + trust / (1 + np.exp(-SHRINK * score / LOGIT))
    held_out = game % 10 == 0
    penalty = np.full(rows.width, ridge)
    penalty[PAIRS : PAIRS + LINES] *= LINE_RIDGE
    penalty[-1] = 0.01
    penalty = np.tile(penalty, 2 if by_side else 1)
    weights = _regress(x[~held_out], target[~held_out], penalty)
    recipe: dict[str, object] = {
        "positions": int(x.shape[0]),
        "train_loss": round(_loss(x[~held_out], target[~held_out], weights), 4),
        "held_out_loss": round(_loss(x[held_out], target[held_out], weights), 4),
        "held_out_loss_to_results": round(_loss(x[held_out], result[held_out], weights), 4),
    }
    print(recipe, flush=True)
    return _to_values(rules, weights.reshape(-1, rows.width), lines, recipe)


def _regress(x: csr_matrix, y: Floats, penalty: Floats) -> Floats:
    scale = 1 / np.sqrt(0.2 * np.asarray(x.multiply(x).sum(axis=0)).ravel() + penalty)
    scaled = (x @ diags(scale)).tocsr()
    turned = scaled.T.tocsr()
    weight = penalty * scale * scale

    def objective(v: Floats) -> tuple[float, Floats]:
        z = scaled @ v
        value = np.sum(np.logaddexp(0, z) - y * z) + 0.5 * np.sum(weight * v * v)
        return float(value), turned @ (1 / (1 + np.exp(-z)) - y) + weight * v

    start = np.zeros(x.shape[1])
    options = {"maxiter": STEPS, "maxcor": 30}
    return np.asarray(minimize(objective, start, jac=True, method="L-BFGS-B", options=options).x * scale)


def _loss(x: csr_matrix, y: Floats, weights: Floats) -> float:
    z = x @ weights
    return float(np.mean(np.logaddexp(0, z) - y * z))


def _to_values(
    rules: Rules, weights: Floats, lines: npt.NDArray[np.int64], recipe: dict[str, object]
) -> FittedValues:
    both = np.repeat(weights, 2, axis=0)[:2] if len(weights) == 1 else weights
    zero = zero_values(rules.rule, rules.win_length)
    keys = np.arange(len(zero.windows), dtype=np.int64)
    turned = ((keys & 0x55555555) << 1) | ((keys >> 1) & 0x55555555)
    windows = np.zeros(zero.windows.shape)
    for side, seen in enumerate((keys, turned)):
        windows[:, side] = both[side, PAIRS + lines[seen]]
    windows[0] = 0
    return FittedValues(
        pairs=np.round(both[:, :PAIRS] * LOGIT * FINE).astype(np.int32).reshape(zero.pairs.shape),
        windows=np.round(windows * LOGIT * FINE).clip(-32767, 32767).astype(np.int16),
        threats=np.round(both[:, PAIRS + LINES : -1] * LOGIT).astype(np.int32),
        tempo=np.round(both[:, -1] * LOGIT).astype(np.int32),
        policy=zero.policy,
        places=zero.places,
        recipe=recipe,
    )
