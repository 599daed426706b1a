"""Net graphs as ONNX models, in float32 or with 8-bit convolutions.

Dense layers stay in float32: they take little time, and in 8 bits they doubled the policy's divergence.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.nets.backends.onnx_bytes import OnnxWriter
from wuzi.nets.graph import (
    GLOBAL_POOL_CENTRE,
    GLOBAL_POOL_SCALE,
    INPUT,
    Graph,
    Node,
    Weights,
    folded,
    norm_affine,
)

Ranges = Mapping[str, tuple[float, float]]
"""Smallest and largest value of each tensor that is stored in 8 bits."""

Shape = tuple[int | str, ...]

_SAME: Mapping[str, tuple[str, dict[str, Any]]] = {
    **{op: (op.capitalize(), {}) for op in ("relu", "tanh", "sigmoid", "softplus", "erf")},
    **{op: (op.capitalize(), {}) for op in ("add", "sub", "mul")},
    "matmul": ("MatMul", {}),
    "softmax": ("Softmax", {"axis": -1}),
    "concat": ("Concat", {"axis": 1}),
    "transpose": ("Transpose", {"perm": [0, 2, 1]}),
}
"""Operations that ONNX has too, with its attributes."""


def onnx_model(
    graph: Graph,
    weights: Weights,
    *,
    channels: int,
    size: int,
    ranges: Ranges | None = None,
    extra: tuple[str, ...] = (),
    metadata: Mapping[str, str] | None = None,
) -> bytes:
    """An ONNX file of a net, with all its outputs, for one board size and any batch.

    ``ranges`` quantise these tensors (:func:`quantized_tensors` of the folded graph), None keeps float32.
    ``extra`` tensors of the folded graph are answered too, under their own names; ``metadata`` are notes.
    """
    plain, values = folded(graph, weights)
    ranges, readers = ranges or {}, plain.readers()
    stored = {node.output for node in plain.nodes if node.op == "conv" and _result(node, readers) in ranges}
    translation = _Translation(values, size, ranges, stored)
    for node in plain.nodes:
        translation.translate(node)
    writer = translation.writer
    for meaning, name in plain.outputs.items():
        writer.add("Identity", [translation.name(name)], [meaning])
    for name in extra:
        writer.add("Identity", [name], [f"extra:{name}"])
    shapes: dict[str, Shape] = {"policy": ("batch", size * size), "value": ("batch",), "wdl": ("batch", 3)}
    outputs: dict[str, Shape | None] = {meaning: shapes.get(meaning) for meaning in plain.outputs}
    outputs |= {f"extra:{name}": None for name in extra}
    return writer.model({INPUT: ("batch", channels, size, size)}, outputs, metadata or {})


def quantized_tensors(graph: Graph) -> list[str]:
    """The tensors of a folded graph that an 8-bit model stores in 8 bits.

    They are what convolutions read and make, and both sides of a residual addition; a result that only
    a relu reads is stored after the relu. A convolution that makes logits is left in float32: it costs
    little, and 256 steps over their range, which occupied cells stretch, are too coarse.
    """
    readers = graph.readers()
    made_by = {node.output: node for node in graph.nodes}

    def stored(name: str) -> bool:
        if name not in made_by:
            return name == INPUT
        maker = made_by[name]
        if maker.op == "relu":
            before = made_by.get(maker.inputs[0])
            return before is not None and before.op in ("conv", "add")
        return maker.op in ("conv", "add") and not _only_relu(readers.get(name, []))

    found: list[str] = []
    for node in graph.nodes:
        names = [name for name in node.inputs if stored(name)]
        stays = any(reader.op in ("relu", "conv", "add") for reader in readers.get(node.output, []))
        if node.op == "conv" and names and stays:
            found += [*names, _result(node, readers)]
        elif node.op == "add" and len(names) == 2:
            found += names
    return list(dict.fromkeys(found))


def _result(conv: Node, readers: Mapping[str, list[Node]]) -> str:
    """Where a convolution's result is stored: after its relu, if nothing else reads it."""
    after = readers.get(conv.output, [])
    return after[0].output if _only_relu(after) else conv.output


def _only_relu(readers: list[Node]) -> bool:
    return [reader.op for reader in readers] == ["relu"]


def scale_of(low: float, high: float) -> tuple[np.float32, np.uint8]:
    """Scale and zero point of uint8 storage for values from ``low`` to ``high`` (0 is exact)."""
    low, high = min(low, 0.0), max(high, 0.0)
    scale = max(high - low, 1e-8) / 255.0
    return np.float32(scale), np.uint8(round(-low / scale))


class _Translation:
    """Translates one graph, operation by operation."""

    def __init__(self, weights: Weights, size: int, ranges: Ranges, stored: set[str]) -> None:
        self.writer = OnnxWriter()
        self._weights = weights
        self._size = size
        self._ranges = ranges
        self._stored = stored
        self._names: dict[str, str] = {}
        if INPUT in ranges:
            self._store(INPUT)

    def name(self, tensor: str) -> str:
        """The ONNX name under which others read a tensor."""
        return self._names.get(tensor, tensor)

    def translate(self, node: Node) -> None:
        """Append the operations of a node; store its result in 8 bits where that is asked for."""
        inputs = [self.name(name) for name in node.inputs]
        if node.op in _SAME:
            op, attributes = _SAME[node.op]
            self.writer.add(op, inputs, [node.output], **attributes)
        elif node.op in ("conv", "linear"):
            self._weighted(node, inputs[0])
        elif node.op in ("flatten", "grid", "spread", "squeeze"):
            self._shaped(node, inputs[0])
        elif node.op == "constant":
            self.writer.constant(node.output, self._weights[node.params["value"]])
        elif node.op == "num_cells":
            self.writer.constant(node.output, np.array([self._size * self._size], np.float32))
        else:
            getattr(self, f"_{node.op}")(node, inputs)
        if node.output in self._ranges:
            self._store(node.output)

    def _store(self, tensor: str) -> None:
        """Round a tensor to 8 bits; others read it from there."""
        scale, zero = scale_of(*self._ranges[tensor])
        pair = [
            self.writer.constant(f"{tensor}/scale", np.asarray(scale)),
            self.writer.constant(f"{tensor}/zero", np.asarray(zero)),
        ]
        self.writer.add("QuantizeLinear", [tensor, *pair], [f"{tensor}/q"])
        self._names[tensor] = self.writer.add("DequantizeLinear", [f"{tensor}/q", *pair], [f"{tensor}/dq"])

    def _weighted(self, node: Node, x: str) -> None:
        """A convolution or dense layer; a convolution has 8-bit weights where it reads and makes 8 bits."""
        weight = self._weights[node.params["weight"]].astype(np.float32)
        bias = self._weights[node.params["bias"]].astype(np.float32) if "bias" in node.params else None
        names = [x]
        if node.output in self._stored and node.inputs[0] in self._ranges:
            names += self._quantized_weights(node, weight, bias)
        else:
            names.append(self.writer.constant(f"{node.output}/w", weight))
            if bias is not None:
                names.append(self.writer.constant(f"{node.output}/b", bias))
        if node.op == "conv":
            ph, pw = (int(n) for n in node.attrs["pad"])
            groups = int(node.attrs.get("groups", 1))
            self.writer.add("Conv", names, [node.output], pads=[ph, pw, ph, pw], group=groups)
        else:
            self.writer.add("Gemm", names, [node.output], transB=1)

    def _quantized_weights(
        self, node: Node, weight: npt.NDArray[Any], bias: npt.NDArray[Any] | None
    ) -> list[str]:
        """Weights as int8 with a scale an output, the bias as int32 in their product's unit."""
        out = weight.shape[0]
        scales = np.maximum(np.abs(weight.reshape(out, -1)).max(axis=1), 1e-8).astype(np.float32) / 127
        rounded = np.rint(weight / scales.reshape(-1, *[1] * (weight.ndim - 1))).astype(np.int8)
        base, add = node.output, self.writer.add
        scale = self.writer.constant(f"{base}/w/scale", scales)
        zero = self.writer.constant(f"{base}/w/zero", np.zeros(out, np.int8))
        stored = self.writer.constant(f"{base}/w/q", rounded)
        names = [add("DequantizeLinear", [stored, scale, zero], [f"{base}/w"], axis=0)]
        if bias is not None:
            unit = scales * scale_of(*self._ranges[node.inputs[0]])[0]
            limit = 2.0**31 - 1
            whole = np.clip(np.rint(bias.astype(np.float64) / unit), -limit, limit).astype(np.int32)
            stored = self.writer.constant(f"{base}/b/q", whole)
            scale = self.writer.constant(f"{base}/b/scale", unit.astype(np.float32))
            zero = self.writer.constant(f"{base}/b/zero", np.zeros(out, np.int32))
            names.append(add("DequantizeLinear", [stored, scale, zero], [f"{base}/b"], axis=0))
        return names

    def _ints(self, node: Node, *values: int) -> str:
        return self.writer.constant(
            f"{node.output}/ints{len(self.writer.constants)}", np.array(values, np.int64)
        )

    def _scaled(self, node: Node, x: str, **factors: npt.NDArray[Any]) -> None:
        """A tensor times the first of two constants plus the second."""
        by, to = (self.writer.constant(f"{node.output}/{key}", value) for key, value in factors.items())
        self.writer.add("Mul", [x, by], [f"{node.output}/scaled"])
        self.writer.add("Add", [f"{node.output}/scaled", to], [node.output])

    def _batchnorm(self, node: Node, x: list[str]) -> None:
        scale, shift = norm_affine(node, self._weights)
        self._scaled(node, x[0], scale=scale[:, None, None], shift=shift[:, None, None])

    def _affine(self, node: Node, x: list[str]) -> None:
        by, to = (np.array(node.attrs[key], np.float32) for key in ("scale", "shift"))
        self._scaled(node, x[0], by=by, to=to)

    def _slice(self, node: Node, x: list[str]) -> None:
        bounds = [self._ints(node, int(node.attrs[key])) for key in ("start", "stop", "axis")]
        self.writer.add("Slice", [x[0], *bounds], [node.output])

    def _shaped(self, node: Node, x: str) -> None:
        """The same numbers in another shape."""
        shapes: dict[str, tuple[str, list[int]]] = {
            "flatten": ("Reshape", [*[0] * int(node.attrs.get("start", 0)), -1]),
            "grid": ("Reshape", [0, 0, self._size, self._size]),
            "spread": ("Unsqueeze", [2, 3]),
            "squeeze": ("Squeeze", [1]),
        }
        op, values = shapes[node.op]
        self.writer.add(op, [x, self._ints(node, *values)], [node.output])

    def _global_pool(self, node: Node, x: list[str]) -> None:
        base, add = node.output, self.writer.add
        add("ReduceMean", x, [f"{base}/mean"], axes=[2, 3], keepdims=0)
        add("ReduceMax", x, [f"{base}/max"], axes=[2, 3], keepdims=0)
        term = (self._size - GLOBAL_POOL_CENTRE) / GLOBAL_POOL_SCALE
        by = self.writer.constant(f"{base}/size", np.array(term, np.float32))
        add("Mul", [f"{base}/mean", by], [f"{base}/sized"])
        add("Concat", [f"{base}/mean", f"{base}/sized", f"{base}/max"], [base], axis=1)

    def _gru(self, node: Node, x: list[str]) -> None:
        """ONNX orders the gates update, reset, new and reads the sequence along the first axis."""

        def reordered(part: str) -> npt.NDArray[Any]:
            reset, update, new = np.split(self._weights[node.params[part]].astype(np.float32), 3)
            return np.concatenate([update, reset, new])

        base, add = node.output, self.writer.add
        biases = np.concatenate([reordered("bias_ih"), reordered("bias_hh")])
        parts = {"w": reordered("weight_ih"), "r": reordered("weight_hh"), "b": biases}
        names = [self.writer.constant(f"{base}/{key}", value[None]) for key, value in parts.items()]
        hidden = int(self._weights[node.params["weight_hh"]].shape[1])
        add("Transpose", x, [f"{base}/seq"], perm=[1, 0, 2])
        add("GRU", [f"{base}/seq", *names], ["", f"{base}/h"], hidden_size=hidden, linear_before_reset=1)
        add("Squeeze", [f"{base}/h", self._ints(node, 0)], [base])
