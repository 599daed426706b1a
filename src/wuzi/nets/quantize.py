"""8-bit nets: ranges measured on positions, and accepted only when the answers stay the same.

The rule: on positions that were not used for the ranges, the mean Kullback-Leibler divergence of the
8-bit policy from the float32 policy must be below :data:`MAX_POLICY_KL` and the mean absolute
difference of the values below :data:`MAX_VALUE_ERROR`. Otherwise the net is used in float32.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from wuzi.base.json_fields import MALFORMED
from wuzi.core import Position, Rules, rule_kernels
from wuzi.core.layout import STATE
from wuzi.errors import ConfigError, RecordError
from wuzi.nets.backends.onnx_graph import Ranges, onnx_model, quantized_tensors
from wuzi.nets.backends.onnx_net import OnnxEvaluator, make_session
from wuzi.nets.evaluator import Evaluator, Floats, policy_of, scalar_value
from wuzi.nets.graph import INPUT, Graph, Weights, folded
from wuzi.nets.planes import PlaneEncoder, Records

MAX_POLICY_KL = 0.01
MAX_VALUE_ERROR = 0.02
"""Values run from -1 to 1, so this is one percentage point of the win rate."""

_BATCH = 256
_GAMES = 64
RANDOM_SHARE = 0.25
"""How much of each move's probability is spread evenly, so that sampled games differ."""

OUTLIERS = 1e-5
"""Share of a tensor's values beyond either end of its range: rare ones would make every step coarse."""


@dataclass(frozen=True, slots=True)
class Quantization:
    """How a net is computed in 8 bits, and how well."""

    ranges: Ranges  # smallest and largest value of each tensor stored in 8 bits
    policy_kl: float  # mean divergence of the 8-bit policy from the float32 policy, in nats
    value_error: float  # mean absolute difference of the values
    positions: int  # how many positions the two were measured on

    @property
    def accepted(self) -> bool:
        """Whether the 8-bit net may stand in for the float32 net."""
        return self.policy_kl < MAX_POLICY_KL and self.value_error < MAX_VALUE_ERROR

    @property
    def verdict(self) -> str:
        """The two figures with their limits, for people."""
        text = f"policy KL {self.policy_kl:.4f} (limit {MAX_POLICY_KL}), value error {self.value_error:.4f}"
        return f"{text} (limit {MAX_VALUE_ERROR}) on {self.positions} positions"

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Quantization:
        """Read the form of a card; anything else is a RecordError."""
        try:
            ranges = {str(name): (float(low), float(high)) for name, (low, high) in data["ranges"].items()}
            figures = float(data["policy_kl"]), float(data["value_error"]), int(data["positions"])
        except MALFORMED as error:
            raise RecordError(f"card: quantization is not of the expected form ({error!r})") from None
        return cls(ranges, *figures)


def measured_ranges(graph: Graph, weights: Weights, features: Floats) -> dict[str, tuple[float, float]]:
    """Smallest and largest value, :data:`OUTLIERS` aside, of every tensor to be stored in 8 bits."""
    plain, _ = folded(graph.evaluation(), weights)
    names = [name for name in quantized_tensors(plain) if name != INPUT]
    model = onnx_model(
        graph.evaluation(), weights, channels=features.shape[1], size=features.shape[2], extra=tuple(names)
    )
    session = make_session(model)
    ranges = dict.fromkeys(names, (0.0, 0.0))
    for start in range(0, len(features), _BATCH):
        batch = np.ascontiguousarray(features[start : start + _BATCH])
        answers = session.run([f"extra:{name}" for name in names], {INPUT: batch})
        for name, found in zip(names, answers, strict=True):
            least, most = _ends(found)
            ranges[name] = (min(ranges[name][0], least), max(ranges[name][1], most))
    return {INPUT: (0.0, 255.0 if features.max() > 1 else 1.0), **ranges}


def _ends(values: Floats) -> tuple[float, float]:
    skipped = int(OUTLIERS * values.size)
    ordered = np.partition(values, (skipped, values.size - 1 - skipped), axis=None)
    return float(ordered[skipped]), float(ordered[-1 - skipped])


def quantize(
    graph: Graph, weights: Weights, features: Floats, *, planes: str, size: int | None
) -> Quantization:
    """Ranges measured on three quarters of the positions (float32 [B, C, N, N]), the 8-bit net on the rest.

    A RecordError for fewer than 8 positions.
    """
    if len(features) < 8:
        raise RecordError(f"{len(features)} positions to quantise on: expected at least 8")
    held_out = np.arange(len(features)) % 4 == 0
    ranges = measured_ranges(graph, weights, features[~held_out])
    common: dict[str, Any] = {"planes": planes, "channels": features.shape[1], "size": size}
    exact = OnnxEvaluator(graph, weights, **common)
    rounded = OnnxEvaluator(graph, weights, ranges=ranges, **common)
    kl, error = disagreement(exact, rounded, features[held_out])
    return Quantization(ranges, kl, error, int(held_out.sum()))


def disagreement(exact: Evaluator, other: Evaluator, features: Floats) -> tuple[float, float]:
    """Mean policy divergence (nats) and mean absolute value difference of two evaluators."""
    kl, error = 0.0, 0.0
    for start in range(0, len(features), _BATCH):
        batch = features[start : start + _BATCH]
        (p_logits, p_value), (q_logits, q_value) = exact.evaluate(batch), other.evaluate(batch)
        p, q = policy_of(p_logits.astype(np.float64)), policy_of(q_logits.astype(np.float64))
        kl += float((p * (np.log(p + 1e-30) - np.log(q + 1e-30))).sum())
        error += float(np.abs(scalar_value(p_value) - scalar_value(q_value)).sum())
    return kl / len(features), error / len(features)


def sample_positions(evaluator: Evaluator, rules: Rules, count: int, seed: int = 0) -> Floats:
    """Feature planes float32 [count, C, N, N] of games by a net's policy; a ConfigError for its size.

    A RecordError where its answers are not finite.
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
        if not np.isfinite(logits).all():
            raise RecordError("answers that are not finite: the weights are damaged or too large")
        _play(records, logits, rules, random)
    return np.concatenate(found)[:count]


def _play(records: Records, logits: Floats, rules: Rules, random: np.random.Generator) -> None:
    """One move in each game; a finished game begins anew."""
    policy = policy_of(logits)
    empty = np.array([rule_kernels.to_point(cell, rules.size) for cell in range(rules.num_cells)])
    for i in range(len(records)):
        legal = records[i]["cells"][empty] == 0
        chances = policy[i] * legal + 1e-9 * legal
        chances = (1 - RANDOM_SHARE) * chances / chances.sum() + RANDOM_SHARE * legal / legal.sum()
        cell = int(random.choice(rules.num_cells, p=chances / chances.sum()))
        rule_kernels.push(records[i], int(empty[cell]))
        if records[i]["result"]:
            records[i] = Position(rules).state()
