"""A net as data: a list of operations on named tensors.

Every net file carries its graph beside its weights, so that no reader needs the code (or the framework)
that made the net: :mod:`wuzi.nets.backends.numpy_net` computes a graph, :mod:`wuzi.nets.backends.onnx_graph`
translates it, :mod:`wuzi.torch_nets.tracing` makes it from a torch module.

============  ==========================================================================================
operation      meaning (the first axis is the batch; shapes without it)
============  ==========================================================================================
conv           cross-correlation, zero padding ``pad`` (rows, columns); weight [O, I, kh, kw], bias [O];
               with ``taps`` (``diagonal``, ``antidiagonal``) weight [O, I, k] lies on that diagonal; with
               ``groups`` each group of outputs reads its own of the inputs: weight [O, I / groups, kh, kw]
batchnorm      by channel: (x - mean) / sqrt(var + eps) * weight + bias
linear         [I] -> [O]: weight [O, I], bias [O]
relu, tanh,    element by element; softplus is log(1 + exp(x)), erf the error function; softmax over the last
sigmoid, erf,  axis. SiLU, GELU and Mish are products of these
softplus,
softmax
add, sub, mul  of two tensors, with broadcasting
affine         x * scale + shift
concat         along axis 1
slice          ``start`` to ``stop`` along ``axis``
flatten        all axes from ``start`` on into one
grid           [C, N * N] -> [C, N, N]
spread         [C] -> [C, 1, 1]
squeeze        [1] -> []
global_pool    [C, N, N] -> [3 C]: mean, mean * (N - 14) / 10, maximum (Wu 2019, section 3.3)
num_cells      N * N of a tensor [C, N, N], without a batch axis: [1]
matmul         of two matrices; transpose swaps the last two axes
gru            [T, I] -> [H], the last hidden state, in PyTorch's form of the cell
constant       the parameter ``value`` itself, without a batch axis
module         an answer that only the torch module of the architecture can compute; ``reason`` says why
============  ==========================================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.base.json_fields import MALFORMED
from wuzi.errors import RecordError

Weights = Mapping[str, npt.NDArray[Any]]

INPUT = "features"
POLICY, VALUE, WDL = "policy", "value", "wdl"

_ONE_INPUT = (
    *("conv", "batchnorm", "linear", "relu", "tanh", "sigmoid", "softmax", "affine", "slice", "flatten"),
    *("softplus", "erf", "grid", "spread", "squeeze", "global_pool", "num_cells", "transpose", "gru"),
)
_ARITY = {**dict.fromkeys(_ONE_INPUT, 1), **dict.fromkeys(("add", "sub", "mul", "matmul"), 2), "constant": 0}
_PARAMS = {
    "conv": {"weight"},
    "batchnorm": {"weight", "bias", "mean", "var"},
    "linear": {"weight"},
    "gru": {"weight_ih", "weight_hh", "bias_ih", "bias_hh"},
    "constant": {"value"},
}
_ATTRS = {
    "conv": {"pad"},
    "batchnorm": {"eps"},
    "affine": {"scale", "shift"},
    "slice": {"axis", "start", "stop"},
    "flatten": {"start"},
}
OPERATIONS = frozenset({*_ARITY, "concat"})
"""Those that every backend computes."""

MODULE = "module"
"""The operation of a net that graphs cannot express: its torch module."""

GLOBAL_POOL_CENTRE, GLOBAL_POOL_SCALE = 14.0, 10.0


@dataclass(frozen=True)
class Node:
    """One operation."""

    op: str  # its name, one of :data:`OPERATIONS`
    inputs: tuple[str, ...]  # names of the tensors it reads
    output: str  # name of the tensor it makes
    params: Mapping[str, str] = field(default_factory=dict)  # names of its weights by their part in it
    attrs: Mapping[str, Any] = field(default_factory=dict)  # its constants

    def check(self) -> None:
        """Raise RecordError unless the operation is known and complete."""
        if self.op == MODULE:
            return
        if self.op not in OPERATIONS:
            raise RecordError(f"graph: unknown operation {self.op!r}")
        arity = _ARITY.get(self.op)
        if len(self.inputs) < 1 if arity is None else len(self.inputs) != arity:
            raise RecordError(f"graph: {self.op} with {len(self.inputs)} inputs: expected {arity}")
        for wanted, given in ((_PARAMS, self.params), (_ATTRS, self.attrs)):
            if missing := sorted(wanted.get(self.op, set()) - set(given)):
                raise RecordError(f"graph: {self.op} {self.output!r} lacks {missing[0]!r}")


@dataclass(frozen=True)
class Graph:
    """A net: operations in order, and what comes out."""

    nodes: tuple[Node, ...]  # each reads only what stands before it, or :data:`INPUT`
    # tensor names by what they mean: ``policy`` (logits [N * N]), ``value`` ([]) or ``wdl`` (probabilities
    # [3]), and whatever else the net can show
    outputs: Mapping[str, str]

    @classmethod
    def of_module(cls, outputs: Iterable[str], reason: str) -> Graph:
        """The entry of a net that only its torch module can compute: its outputs, and the reason."""
        nodes = {name: Node(MODULE, (INPUT,), f"{MODULE}:{name}", {}, {"reason": reason}) for name in outputs}
        return cls(tuple(nodes.values()), {name: node.output for name, node in nodes.items()})

    @property
    def why_torch(self) -> str | None:
        """Why only torch can compute it; None for a graph that every backend computes."""
        return next((str(node.attrs.get("reason")) for node in self.nodes if node.op == MODULE), None)

    def check(self, weights: Weights) -> None:
        """Raise RecordError unless every name is defined before it is used and every weight is there."""
        known = {INPUT}
        for node in self.nodes:
            node.check()
            for name in node.inputs:
                if name not in known:
                    raise RecordError(f"graph: {node.op} reads {name!r}, which nothing before it makes")
            for name in node.params.values():
                if name not in weights:
                    raise RecordError(f"graph: {node.op} needs the weight {name!r}, which is not in the file")
            known.add(node.output)
        for meaning, name in self.outputs.items():
            if name not in known:
                raise RecordError(f"graph: nothing makes its output {meaning!r}")

    def pruned(self, outputs: Iterable[str]) -> Graph:
        """Only these outputs and what they need; a RecordError if the net has no such output."""
        chosen = list(outputs)
        for meaning in chosen:
            if meaning not in self.outputs:
                raise RecordError(f"no output {meaning!r}: the net has {', '.join(self.outputs)}")
        needed = {self.outputs[meaning] for meaning in chosen}
        kept: list[Node] = []
        for node in reversed(self.nodes):
            if node.output in needed:
                kept.append(node)
                needed.update(node.inputs)
        return Graph(tuple(reversed(kept)), {meaning: self.outputs[meaning] for meaning in chosen})

    def evaluation(self) -> Graph:
        """Only what an evaluator answers: the policy and the value or win, draw and loss."""
        return self.pruned([POLICY, WDL if WDL in self.outputs else VALUE])

    def readers(self) -> dict[str, list[Node]]:
        """The operations that read each tensor."""
        found: dict[str, list[Node]] = {}
        for node in self.nodes:
            for name in node.inputs:
                found.setdefault(name, []).append(node)
        return found

    def to_json(self) -> dict[str, Any]:
        """As JSON-compatible data."""
        nodes = [
            {
                "op": node.op,
                "in": list(node.inputs),
                "out": node.output,
                **({"params": dict(node.params)} if node.params else {}),
                **({"attrs": dict(node.attrs)} if node.attrs else {}),
            }
            for node in self.nodes
        ]
        return {"nodes": nodes, "outputs": dict(self.outputs)}

    @classmethod
    def from_json(cls, data: Any) -> Graph:
        """Read :meth:`to_json`'s form; a RecordError for anything else."""
        try:
            nodes = tuple(
                Node(
                    str(item["op"]),
                    tuple(str(name) for name in item["in"]),
                    str(item["out"]),
                    {str(part): str(name) for part, name in item.get("params", {}).items()},
                    dict(item.get("attrs", {})),
                )
                for item in data["nodes"]
            )
            return cls(nodes, {str(k): str(v) for k, v in data["outputs"].items()})
        except MALFORMED as error:
            raise RecordError(f"graph: not a list of operations ({error!r})") from None


def conv_weight(node: Node, weights: Weights) -> npt.NDArray[Any]:
    """The full kernel [O, I, kh, kw] of a convolution, also where it has taps on one diagonal only."""
    weight = weights[node.params["weight"]]
    taps = node.attrs.get("taps")
    if taps is None:
        return weight
    k = weight.shape[2]
    full = np.zeros((*weight.shape, k), weight.dtype)
    at = np.arange(k)
    full[:, :, at, at if taps == "diagonal" else k - 1 - at] = weight
    return full


def folded(graph: Graph, weights: Weights) -> tuple[Graph, dict[str, npt.NDArray[Any]]]:
    """The same net, each batch norm that follows a convolution in its weights, taps as full kernels."""
    readers, done = graph.readers(), dict(weights)
    made_by = {node.output: node for node in graph.nodes}
    nodes: dict[str, Node] = {}
    for node in graph.nodes:
        before = made_by.get(node.inputs[0]) if node.inputs else None
        after_conv = node.op == "batchnorm" and before is not None and before.op == "conv"
        if after_conv and before is not None and len(readers[before.output]) == 1:
            kernel = conv_weight(before, weights)
            scale, shift = _norm_affine(node, weights)
            old = weights[before.params["bias"]] if "bias" in before.params else np.zeros(1, np.float32)
            names = {"weight": f"{node.output}/weight", "bias": f"{node.output}/bias"}
            done[names["weight"]] = (kernel * scale[:, None, None, None]).astype(np.float32)
            done[names["bias"]] = (old * scale + shift).astype(np.float32)
            nodes.pop(before.output)
            nodes[node.output] = Node("conv", before.inputs, node.output, names, _full_attrs(before))
        elif node.op == "conv" and "taps" in node.attrs:
            name = f"{node.output}/weight"
            done[name] = conv_weight(node, weights)
            nodes[node.output] = replace(
                node, params={**node.params, "weight": name}, attrs=_full_attrs(node)
            )
        else:
            nodes[node.output] = node
    kept = Graph(tuple(nodes.values()), graph.outputs)
    used = {name for node in kept.nodes for name in node.params.values()}
    return kept, {name: value for name, value in done.items() if name in used}


def _full_attrs(node: Node) -> dict[str, Any]:
    """The constants of a convolution whose kernels are full."""
    return {key: value for key, value in node.attrs.items() if key != "taps"}


def _norm_affine(node: Node, weights: Weights) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Scale and shift by channel of a batch norm in evaluation."""
    w, b, mean, var = (weights[node.params[part]] for part in ("weight", "bias", "mean", "var"))
    scale = w.astype(np.float64) / np.sqrt(var.astype(np.float64) + float(node.attrs["eps"]))
    return scale, b - mean * scale


def norm_affine(node: Node, weights: Weights) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Scale and shift, float32 [C], that a batch norm applies in evaluation."""
    scale, shift = _norm_affine(node, weights)
    return scale.astype(np.float32), shift.astype(np.float32)
