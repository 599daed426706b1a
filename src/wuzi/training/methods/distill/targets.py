"""From a teacher's scores to what a student shall answer: a policy, and win, draw and loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wuzi.errors import ConfigError
from wuzi.nets.evaluator import Floats
from wuzi.training.methods.distill.game_file import LabelledMove

Doubles = npt.NDArray[np.float64]
_FAR = 4000.0
"""Scores are cut here: beyond it a move is as good as won or lost."""


def label_policy(candidates: Sequence[LabelledMove], num_cells: int, tau: float) -> Floats:
    """The teacher's policy float32 [cells]: visits where it counted any, else softmax(score / tau)."""
    policy = np.zeros(num_cells, np.float32)
    cells = [candidate.cell for candidate in candidates]
    visits = np.array([candidate.visits for candidate in candidates], np.float64)
    if visits.sum() > 0:
        policy[cells] = visits / visits.sum()
    else:
        policy[cells] = _softmax(_scores(candidates), tau)
    return policy


def _scores(candidates: Sequence[LabelledMove]) -> Doubles:
    return np.clip([candidate.score or 0.0 for candidate in candidates], -_FAR, _FAR)


def _softmax(scores: Doubles, tau: float) -> Doubles:
    weights = np.exp((scores - scores.max()) / tau)
    return np.asarray(weights / weights.sum())


def fit_tau(labels: Sequence[Sequence[LabelledMove]], share: float) -> float:
    """The temperature in points at which the best candidate gets ``share`` of the policy on average.

    A share that no temperature gives (proven moves keep all of theirs) gives the nearest bound, 1 or 10,000.
    """
    scores = [_scores(candidates) for candidates in labels if len(candidates) > 1]
    if not scores:
        return 1.0
    low, high = 1.0, 10_000.0
    for _ in range(40):
        tau = float(np.sqrt(low * high))
        mean = float(np.mean([_softmax(row, tau).max() for row in scores]))
        low, high = (tau, high) if mean > share else (low, tau)
    return low


@dataclass(frozen=True, slots=True)
class ResultModel:
    """Win, draw and loss from a score: an ordered logistic model.

    ``P(win) = sigmoid((s - draw) / scale)``, ``P(loss) = sigmoid((-s - draw) / scale)``, a draw what is left.

    Attributes:
        scale: points of one unit of log-odds (Texel's k).
        draw: the score at which winning is as likely as not.
    """

    scale: float
    draw: float

    def wdl(self, scores: npt.ArrayLike) -> Doubles:
        """Probabilities float64 [R, 3] of win, draw and loss."""
        s = np.clip(np.asarray(scores, np.float64), -_FAR, _FAR)
        win, loss = _sigmoid((s - self.draw) / self.scale), _sigmoid((-s - self.draw) / self.scale)
        return np.stack([win, np.maximum(0.0, 1.0 - win - loss), loss], axis=-1)


def fit_results(scores: npt.ArrayLike, results: npt.ArrayLike) -> ResultModel:
    """The likeliest model of game results (1 won, 0 drawn, -1 lost by the side that the score is for).

    Found on a grid that is refined three times; the same data give the same model.

    Raises:
        ConfigError: no scores, or not as many results.
    """
    s, z = np.asarray(scores, np.float64), np.asarray(results, np.int64)
    if len(s) == 0 or len(s) != len(z):
        raise ConfigError(f"{len(s)} scores and {len(z)} results: expected equally many, at least one")
    best, spread = ResultModel(200.0, 0.0), 10.0
    for _ in range(4):
        scales = best.scale * np.geomspace(1 / spread, spread, 13)
        models = [
            ResultModel(float(k), float(m)) for k in scales for m in _draws(best.draw, float(k), spread)
        ]
        best = min(models, key=lambda model: _surprise(model, s, z))
        spread **= 0.4
    return best


def _draws(near: float, scale: float, spread: float) -> Doubles:
    width = scale * np.log(spread)
    return np.unique(np.maximum(0.0, near + width * np.linspace(-1.5, 1.5, 13)))


def _surprise(model: ResultModel, scores: Doubles, results: npt.NDArray[np.int64]) -> float:
    chances = model.wdl(scores)[np.arange(len(results)), 1 - results]
    return float(-np.log(np.maximum(chances, 1e-6)).mean())


def _sigmoid(x: Doubles) -> Doubles:
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * x)))


def seed_soft_label(features: Floats) -> Floats:
    """Document 000's soft label float32 [R]: ``tanh(0.1 * sum of the six counts)``; flawed, see the docs."""
    found: Floats = np.tanh(0.1 * features.sum(axis=1)).astype(np.float32)
    return found
