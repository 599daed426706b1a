"""Nets computed by NumPy alone: no framework, no compiled kernel, the reference for all other backends."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from wuzi.errors import ConfigError
from wuzi.nets.evaluator import Floats
from wuzi.nets.graph import (
    GLOBAL_POOL_CENTRE,
    GLOBAL_POOL_SCALE,
    INPUT,
    POLICY,
    VALUE,
    WDL,
    Graph,
    Node,
    Weights,
    conv_weight,
    folded,
    norm_affine,
)

Array = npt.NDArray[Any]


def run_graph(graph: Graph, weights: Weights, features: Floats, outputs: Iterable[str]) -> dict[str, Floats]:
    """These outputs of a net for features float32 [B, C, N, N]; a RecordError where it has none such."""
    wanted = graph.pruned(outputs)
    tensors: dict[str, Array] = {INPUT: features}
    for node in wanted.nodes:
        tensors[node.output] = _compute(node, [tensors[name] for name in node.inputs], weights, features)
    return {meaning: tensors[name] for meaning, name in wanted.outputs.items()}


def _compute(node: Node, x: list[Array], weights: Weights, features: Floats) -> Array:
    if node.op in _WEIGHTED:
        return _WEIGHTED[node.op](node, x[0], weights)
    if node.op == "constant":
        return weights[node.params["value"]]
    if node.op == "grid":
        return x[0].reshape(*x[0].shape[:2], *features.shape[2:])
    if node.op == "slice":
        window = [slice(None)] * x[0].ndim
        window[int(node.attrs["axis"])] = slice(int(node.attrs["start"]), int(node.attrs["stop"]))
        return x[0][tuple(window)]
    if node.op == "flatten":
        start = int(node.attrs["start"])
        return x[0].reshape(*x[0].shape[:start], -1)
    if node.op == "affine":
        return x[0] * np.float32(node.attrs["scale"]) + np.float32(node.attrs["shift"])
    if node.op == "concat":
        return np.concatenate(x, axis=1)
    return _PLAIN[node.op](*x)


def _sigmoid(x: Array) -> Array:
    return np.asarray(0.5 * (np.tanh(0.5 * x) + 1.0), x.dtype)


_ERF = np.frompyfunc(math.erf, 1, 1)


def _softmax(x: Array) -> Array:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True))


def _global_pool(x: Array) -> Array:
    mean = x.mean(axis=(2, 3))
    size_term = np.float32((x.shape[-1] - GLOBAL_POOL_CENTRE) / GLOBAL_POOL_SCALE)
    return np.concatenate([mean, mean * size_term, x.max(axis=(2, 3))], axis=1)


def _conv(node: Node, x: Array, weights: Weights) -> Array:
    """im2col and one matrix product."""
    weight = conv_weight(node, weights)
    (out, _, kh, kw), (batch, channels, rows, cols) = weight.shape, x.shape
    ph, pw = node.attrs["pad"]
    if kh == kw == 1:
        columns = x.reshape(batch, channels, rows * cols)
    else:
        padded = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))
        windows = sliding_window_view(padded, (kh, kw), axis=(2, 3))
        rows, cols = windows.shape[2:4]
        columns = windows.transpose(0, 1, 4, 5, 2, 3).reshape(batch, channels * kh * kw, rows * cols)
    groups = int(node.attrs.get("groups", 1))
    kernels = weight.reshape(groups, out // groups, -1)
    y = kernels @ columns.reshape(batch, groups, -1, columns.shape[-1])
    y = y.reshape(batch, out, -1)
    if "bias" in node.params:
        y += weights[node.params["bias"]][:, None]
    return np.asarray(y.reshape(batch, out, rows, cols))


def _batchnorm(node: Node, x: Array, weights: Weights) -> Array:
    scale, shift = norm_affine(node, weights)
    return np.asarray(x * scale[:, None, None] + shift[:, None, None])


def _linear(node: Node, x: Array, weights: Weights) -> Array:
    y = x @ weights[node.params["weight"]].T
    return np.asarray(y + weights[node.params["bias"]] if "bias" in node.params else y)


def _gru(node: Node, x: Array, weights: Weights) -> Array:
    """PyTorch's cell: gates reset, update, new; the reset gate applies after the matrix product."""
    w_ih, w_hh, b_ih, b_hh = (
        weights[node.params[part]] for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    hidden = np.zeros((x.shape[0], w_hh.shape[1]), np.float32)
    for t in range(x.shape[1]):
        from_input = np.split(x[:, t] @ w_ih.T + b_ih, 3, axis=1)
        from_hidden = np.split(hidden @ w_hh.T + b_hh, 3, axis=1)
        reset = _sigmoid(from_input[0] + from_hidden[0])
        update = _sigmoid(from_input[1] + from_hidden[1])
        new = np.tanh(from_input[2] + reset * from_hidden[2])
        hidden = (1 - update) * new + update * hidden
    return hidden


_WEIGHTED: dict[str, Callable[[Node, Array, Weights], Array]] = {
    "conv": _conv,
    "batchnorm": _batchnorm,
    "linear": _linear,
    "gru": _gru,
}
_PLAIN: dict[str, Callable[..., Array]] = {
    "relu": lambda x: np.maximum(x, np.float32(0)),
    "tanh": np.tanh,
    "sigmoid": _sigmoid,
    "softplus": lambda x: np.logaddexp(np.float32(0), x),
    "erf": lambda x: np.asarray(_ERF(x), np.float32),
    "softmax": _softmax,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "matmul": np.matmul,
    "transpose": lambda x: np.swapaxes(x, -1, -2),
    "spread": lambda x: x[:, :, None, None],
    "squeeze": lambda x: x.reshape(x.shape[0]),
    "global_pool": _global_pool,
    "num_cells": lambda x: np.array([x.shape[2] * x.shape[3]], np.float32),
}


def check_features(features: Floats, planes: str, channels: int, size: int | None) -> None:
    """Raise ConfigError unless the features are of a net's planes and board."""
    if features.ndim != 4 or features.shape[2] != features.shape[3] or features.shape[1] != channels:
        raise ConfigError(f"features of shape {features.shape}: expected [B, {channels}, N, N] ({planes})")
    if size is not None and features.shape[2] != size:
        raise ConfigError(f"a {features.shape[2]}x{features.shape[2]} board: the net is for {size}x{size}")


class NumpyEvaluator:
    """An :class:`wuzi.nets.evaluator.Evaluator` that needs NumPy alone."""

    def __init__(
        self, graph: Graph, weights: Weights, *, planes: str, channels: int, size: int | None
    ) -> None:
        """Take a net apart from any file; :func:`wuzi.nets.open_net` reads one."""
        self.planes = planes
        self.size = size
        self._channels = channels
        self._graph, self._weights = folded(graph, weights)
        self._value = WDL if WDL in graph.outputs else VALUE

    def evaluate(self, features: Floats) -> tuple[Floats, Floats]:
        """See :class:`wuzi.nets.evaluator.Evaluator`."""
        check_features(features, self.planes, self._channels, self.size)
        found = run_graph(self._graph, self._weights, features, [POLICY, self._value])
        return found[POLICY], found[self._value]

    def outputs(self, features: Floats, names: Iterable[str]) -> dict[str, Floats]:
        """Any outputs of the net, such as ``attention``; errors of :func:`run_graph` and :meth:`evaluate`."""
        check_features(features, self.planes, self._channels, self.size)
        return run_graph(self._graph, self._weights, features, names)
