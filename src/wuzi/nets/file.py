"""Net files: weights as safetensors, a JSON card beside them, and evaluators made of the two.

``NAME.safetensors`` holds the weights, ``NAME.json`` the card (:class:`wuzi.nets.card.NetCard`)
with the hash of the weights. ONNX models are made from the two in memory; an exported ONNX file carries
the same hash. Loading checks the hash, that graph and weights belong together, and the card's positions.
Weights are computed in float32; a file may hold them in half precision (:meth:`NetFile.halved`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors import numpy as safetensors_numpy

from wuzi.base.atomic import write_atomic
from wuzi.base.imports import torch_nets
from wuzi.base.json_fields import MALFORMED
from wuzi.core import Rules
from wuzi.errors import ConfigError, RecordError
from wuzi.nets.backends.numpy_net import NumpyEvaluator
from wuzi.nets.backends.onnx_graph import Ranges, onnx_model
from wuzi.nets.backends.onnx_net import OnnxEvaluator
from wuzi.nets.card import NetCard, answers_to, dump_card, make_checks, parse_card
from wuzi.nets.evaluator import Evaluator, Floats, policy_of, scalar_value
from wuzi.nets.graph import POLICY, Weights
from wuzi.nets.quantize import MAX_POLICY_KL, MAX_VALUE_ERROR, quantize, sample_positions
from wuzi.nets.shelf import net_paths

TOLERANCE = 1e-3
"""How far a probability or value of a check position may be off in float32."""

_LEAST_HALVED = 1024
"""Smaller arrays save nothing."""

INT8_SLACK = 5.0
"""The few check positions of a card may be this many times the limits of the 8-bit rule off on average;
more is a processor whose 8-bit sums saturate."""


class Backend(StrEnum):
    """What computes a net."""

    AUTO = "auto"
    """8 bits if the card accepts them and this processor answers the check positions well, else float32;
    torch where nothing else can compute the net."""
    ONNX = "onnx"
    """ONNX Runtime in float32."""
    INT8 = "int8"
    """ONNX Runtime in 8 bits."""
    NUMPY = "numpy"
    """NumPy alone."""
    TORCH = "torch"
    """The torch module that the net was trained as."""


@dataclass(frozen=True)
class NetFile:
    """A net: its card and its weights, float32 arrays by name, with those that only training needs."""

    card: NetCard
    weights: Weights
    half: frozenset[str] = frozenset()  # those that its file holds in half precision

    def halved(self, positions: int = 512) -> NetFile:
        """The same with weights rounded to half precision, in which they are then saved.

        One array after another, the largest first, is rounded if no probability or value changes by more than
        0.8 of :data:`TOLERANCE` on so many positions from games by its own policy. The card keeps the answers
        of the exact weights, with which every reader compares these, and their hash as ``float32_sha256`` of
        its recipe.

        Raises:
            ConfigError: only torch can compute it.
        """
        features = sample_positions(self.onnx(), self.card.rules, positions)
        exact = _answers(self.onnx().evaluate(features))
        half, weights = set(self.half), dict(self.weights)
        for name in sorted(weights, key=lambda name: (-weights[name].size, name)):
            with np.errstate(over="ignore"):  # a weight too large for it is seen in the answers
                rounded = weights | {name: weights[name].astype(np.float16).astype(np.float32)}
            if weights[name].size < _LEAST_HALVED or name in half or not np.isfinite(rounded[name]).all():
                continue
            found = _answers(replace(self, weights=rounded).onnx().evaluate(features))
            if np.abs(found - exact).max() <= 0.8 * TOLERANCE:
                half, weights = half | {name}, rounded
        recipe = {"float32_sha256": self.card.weights_sha256, **self.card.recipe}
        net = NetFile(replace(self.card, recipe=recipe), weights, frozenset(half))
        check_answers(net)
        return net

    def numpy(self) -> NumpyEvaluator:
        """The evaluator that needs NumPy alone; unchecked. A ConfigError where only torch can compute it."""
        self._check_graph()
        return NumpyEvaluator(self.card.graph, self.weights, **_shape(self.card))

    def onnx(self, *, int8: bool = False, threads: int = 1) -> OnnxEvaluator:
        """The evaluator on ONNX Runtime, unchecked.

        A ConfigError for 8 bits without measured ranges, or where only torch can compute the net.
        """
        self._check_graph()
        return OnnxEvaluator(
            self.card.graph, self.weights, ranges=self._ranges(int8), threads=threads, **_shape(self.card)
        )

    def exact(self) -> Evaluator:
        """What its card's answers come from: NumPy, or torch where only that can compute it; unchecked."""
        if self.card.graph.why_torch is None:
            return self.numpy()
        found: Evaluator = torch_nets().open_module(self, None)
        return found

    def _check_graph(self) -> None:
        if (reason := self.card.graph.why_torch) is not None:
            raise ConfigError(f"net {self.card.name}: only torch can compute it ({reason})")

    def _ranges(self, int8: bool) -> Ranges | None:
        if not int8:
            return None
        if self.card.quantization is None:
            raise ConfigError(f"net {self.card.name}: its card has no ranges for 8 bits")
        return self.card.quantization.ranges

    def with_checks(self, rules: Rules | None = None) -> NetFile:
        """The same with check positions of ``rules`` (default: the card's) on its card."""
        if POLICY not in self.card.graph.outputs:
            return replace(self, card=replace(self.card, checks=()))
        try:
            checks = make_checks(self.exact(), rules or self.card.rules)
        except RecordError as error:
            raise RecordError(f"net {self.card.name}: {error}") from None
        return replace(self, card=replace(self.card, checks=checks))

    def quantized(self, features: Floats) -> NetFile:
        """The same with 8-bit ranges measured on these feature planes, whether accepted or not.

        A net that only torch computes stays as it is.
        """
        card = self.card
        if card.graph.why_torch is not None:
            return self
        found = quantize(card.graph, self.weights, features, planes=card.planes, size=card.size)
        return replace(self, card=replace(card, quantization=found))

    def calibrated(self, count: int) -> NetFile:
        """As :meth:`quantized`, on so many positions of games by its own policy."""
        if self.card.graph.why_torch is not None:
            return self
        return self.quantized(sample_positions(self.onnx(), self.card.rules, count))

    def onnx_bytes(self, size: int, *, int8: bool = False) -> bytes:
        """An ONNX file for one size; inputs ``features``, outputs ``policy`` and ``value`` or ``wdl``.

        A ConfigError for another size, or where only torch computes the net.
        """
        card = self.card
        self._check_graph()
        if card.size not in (None, size):
            raise ConfigError(f"net {card.name} on {size}x{size}: its weights fit {card.size}x{card.size}")
        ranges = self._ranges(int8)
        notes = {"planes": card.planes, "weights_sha256": card.weights_sha256, "name": card.name}
        graph = card.graph.evaluation()
        return onnx_model(
            graph, self.weights, channels=card.channels, size=size, ranges=ranges, metadata=notes
        )


def _answers(outputs: tuple[Floats, Floats]) -> Floats:
    """Probabilities and values of positions, float32 [B, A + 1]."""
    return np.column_stack([policy_of(outputs[0]), scalar_value(outputs[1])])


def _shape(card: NetCard) -> dict[str, Any]:
    return {"planes": card.planes, "channels": card.channels, "size": card.size}


def save_net(path: str | os.PathLike[str], net: NetFile) -> NetFile:
    """Write a net's two files, each at once or not at all; the weights first.

    Returns:
        The net as written, with the hash of its weights.

    Raises:
        OSError: the folder cannot be written.
        RecordError: weights that are not finite.
    """
    weights_path, card_path = net_paths(path)
    _check_weights(net.weights, weights_path.name)
    arrays = {
        name: np.ascontiguousarray(value, np.float16 if name in net.half else np.float32)
        for name, value in net.weights.items()
    }
    content = safetensors_numpy.save(arrays)
    card = replace(net.card, weights_sha256=sha256(content).hexdigest())
    write_atomic(weights_path, content)
    write_atomic(card_path, dump_card(card))
    return replace(net, card=card)


def load_net(path: str | os.PathLike[str], *, check: bool = True) -> NetFile:
    """Read a net.

    Args:
        path: either of its files, or their common stem.
        check: compute the card's positions and compare.

    Raises:
        RecordError: truncated, of another hash or schema, parts that do not belong together, or other
            answers than the card says.
        OSError: a file cannot be read.
    """
    weights_path, card_path = net_paths(path)
    card = card_path.read_bytes()
    net = _parse(card, card_path.name, weights_path.read_bytes(), weights_path.name)
    if check:
        check_answers(net)
    return net


def net_from_bytes(card: bytes, weights: bytes, name: str) -> NetFile:
    """The net of the contents of its two files, its answers unchecked; errors as of :func:`load_net`."""
    return _parse(card, f"card of {name}", weights, f"weights of {name}")


def _parse(card_content: bytes, card_name: str, content: bytes, name: str) -> NetFile:
    card = parse_card(card_content, card_name)
    digest = sha256(content).hexdigest()
    if digest != card.weights_sha256:
        raise RecordError(
            f"{name}: sha256 is {digest[:16]}..., its card says "
            f"{card.weights_sha256[:16]}...: the file is damaged or belongs to another card"
        )
    try:
        weights: Mapping[str, npt.NDArray[Any]] = safetensors_numpy.load(content)
    except (SafetensorError, KeyError, ValueError, TypeError) as error:
        raise RecordError(f"{name}: not a safetensors file ({error})") from None
    half = frozenset(key for key, value in weights.items() if value.dtype == np.float16)
    weights = {key: value.astype(np.float32) if key in half else value for key, value in weights.items()}
    _check_weights(weights, name)
    card.graph.check(weights)
    return NetFile(card, weights, half)


def _check_weights(weights: Weights, source: str) -> None:
    for name, value in weights.items():
        if value.dtype != np.float32:
            raise RecordError(f"{source}: weight {name!r} is {value.dtype}: expected float32")
        if not np.isfinite(value).all():
            raise RecordError(f"{source}: weight {name!r} holds values that are not finite")


def check_answers(net: NetFile, evaluator: Evaluator | None = None) -> None:
    """Compare the card's answers with an evaluator's (the exact one's); a RecordError if one is off."""
    if not net.card.checks:
        return
    asked = evaluator or net.exact()
    try:
        with np.errstate(all="ignore"):  # damaged weights overflow, and then the answers are off
            worst, _, _ = answers_to(net.card.checks, asked)
    except MALFORMED as error:
        if isinstance(error, RecordError):
            raise RecordError(f"net {net.card.name}: {error}") from None
        raise RecordError(f"net {net.card.name}: its graph cannot be computed ({error})") from None
    if not worst <= TOLERANCE:
        raise RecordError(
            f"net {net.card.name}: an answer is {worst:.2g} off its card's: expected at most {TOLERANCE}"
        )


def open_net(net: NetFile, backend: Backend | str = Backend.AUTO, *, threads: int = 1) -> Evaluator:
    """An evaluator of a net, its answers compared with the card's.

    The rule of ``auto``: torch when nothing else can compute the net. 8 bits when the card accepted them and
    this processor's answers to the card's positions are close; else float32, and the evaluator's ``note``
    says why.

    Raises:
        ConfigError: unknown backend, one that cannot compute the net, or 8 bits that it did not accept.
        MissingExtraError: torch has to compute it, and is not installed.
        RecordError: wrong answers, or a net without a policy.
    """
    try:
        chosen = Backend(backend)
    except ValueError:
        raise ConfigError(f"unknown backend {backend!r}: expected one of {', '.join(Backend)}") from None
    if POLICY not in net.card.graph.outputs:
        raise RecordError(f"net {net.card.name} ({net.card.architecture}) has no policy: it cannot play")
    by_torch = chosen is Backend.TORCH or (chosen is Backend.AUTO and net.card.graph.why_torch is not None)
    if by_torch or chosen is Backend.NUMPY:
        found: Evaluator = torch_nets().open_module(net, threads) if by_torch else net.numpy()
        check_answers(net, found)
        return found
    reason = "" if chosen is Backend.ONNX else why_not_int8(net)
    if chosen is Backend.INT8 and reason:
        raise ConfigError(f"net {net.card.name} in 8 bits: {reason}")
    if chosen is not Backend.ONNX and not reason:
        return net.onnx(int8=True, threads=threads)
    exact = net.onnx(threads=threads)
    check_answers(net, exact)
    exact.note = f"float32: {reason}" if reason else ""
    return exact


def why_not_int8(net: NetFile) -> str:
    """Empty if a net may be computed in 8 bits on this machine, else the reason."""
    found = net.card.quantization
    if found is None:
        return "its card has no ranges for 8 bits"
    if not found.accepted:
        return f"not accepted, {found.verdict}"
    _, kl, error = answers_to(net.card.checks, net.onnx(int8=True))
    if kl > INT8_SLACK * MAX_POLICY_KL or error > INT8_SLACK * MAX_VALUE_ERROR:
        return f"on this processor the answers are off by policy KL {kl:.3f} and value {error:.3f}"
    return ""
