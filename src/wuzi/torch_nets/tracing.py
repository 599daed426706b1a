"""From a torch module to its graph (:mod:`wuzi.nets.graph`), by symbolic tracing."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torch
from torch import fx, nn
from torch.nn import functional as F

from wuzi.errors import ConfigError
from wuzi.nets.graph import INPUT, Graph, Node
from wuzi.torch_nets import ops
from wuzi.torch_nets.blocks import DiagonalConv, LastHidden

_FUNCTIONS: dict[Any, str] = {
    **dict.fromkeys((F.relu, torch.relu), "relu"),
    torch.tanh: "tanh",
    torch.sigmoid: "sigmoid",
    torch.matmul: "matmul",
    ops.spread: "spread",
    ops.global_pool: "global_pool",
    ops.num_cells: "num_cells",
}
_ACTIVATIONS: dict[Any, str] = {
    **{F.silu: "silu", F.gelu: "gelu", F.mish: "mish", nn.SiLU: "silu", nn.GELU: "gelu", nn.Mish: "mish"},
    **{nn.ReLU: "relu", nn.Tanh: "tanh", nn.Sigmoid: "sigmoid"},
}
"""Functions and layers that act element by element."""
_PRODUCTS: dict[str, list[tuple[str, dict[str, float]]]] = {
    "silu": [("sigmoid", {})],
    "gelu": [
        ("affine", {"scale": 0.5**0.5, "shift": 0.0}),
        ("erf", {}),
        ("affine", {"scale": 0.5, "shift": 0.5}),
    ],
    "mish": [("softplus", {}), ("tanh", {})],
}
"""Activations x * f(x), f as operations one after the other."""
_ARITHMETIC: dict[Any, str] = {operator.add: "add", operator.sub: "sub", operator.mul: "mul"}


def trace(module: nn.Module) -> Graph:
    """The graph of a net in evaluation, with the names of its state dictionary; a ConfigError where the net
    uses an operation that graphs do not have, or decides by what it computes.
    """
    was_training = module.training
    module.eval()
    try:
        graph = _Translation(module).translate(_Tracer().trace(module))
        return graph.pruned(graph.outputs)
    except ConfigError:
        raise
    except Exception as error:  # whatever a foreign module does with a placeholder tensor
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise ConfigError(f"net: its operations cannot be followed ({reason[:200]})") from error
    finally:
        module.train(was_training)


class _Tracer(fx.Tracer):
    """Takes our own two layers as one operation each."""

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        return isinstance(m, DiagonalConv | LastHidden) or super().is_leaf_module(m, module_qualified_name)


class _Translation:
    def __init__(self, module: nn.Module) -> None:
        self._modules = dict(module.named_modules())
        self._nodes: list[Node] = []
        self._names: dict[str, str] = {}
        self._outputs: dict[str, str] = {}

    def translate(self, traced: fx.Graph) -> Graph:
        handlers: dict[str, Callable[[fx.Node], None]] = {
            "placeholder": lambda node: self._names.__setitem__(node.name, INPUT),
            "get_attr": lambda node: self._add(node, "constant", (), {"value": str(node.target)}),
            "call_module": self._module,
            "call_function": self._function,
            "call_method": self._method,
            "output": self._output,
        }
        for node in traced.nodes:
            handlers[node.op](node)
        return Graph(tuple(self._nodes), self._outputs)

    def _add(
        self,
        node: fx.Node,
        op: str,
        inputs: tuple[Any, ...],
        params: dict[str, str] | None = None,
        attrs: dict[str, Any] | None = None,
    ) -> None:
        name = f"t{len(self._nodes)}:{node.name}"
        names = tuple(self._names[item.name] for item in inputs)
        self._nodes.append(Node(op, names, name, params or {}, attrs or {}))
        self._names[node.name] = name

    def _same(self, node: fx.Node) -> None:
        """The node changes nothing."""
        source = node.args[0]
        assert isinstance(source, fx.Node)
        self._names[node.name] = self._names[source.name]

    def _output(self, node: fx.Node) -> None:
        found = node.args[0]
        assert isinstance(found, dict)
        for meaning, item in found.items():
            assert isinstance(item, fx.Node)
            self._outputs[str(meaning)] = self._names[item.name]

    def _module(self, node: fx.Node) -> None:
        target = str(node.target)
        layer = self._modules[target]
        biased = {"bias": f"{target}.bias"} if getattr(layer, "bias", None) is not None else {}
        weighted = {"weight": f"{target}.weight", **biased}
        if isinstance(layer, nn.Conv2d):
            self._check_conv(layer, target)
            groups = {"groups": layer.groups} if layer.groups > 1 else {}
            self._add(node, "conv", node.args, weighted, {"pad": list(layer.padding), **groups})
        elif isinstance(layer, DiagonalConv):
            pad = layer.weight.shape[-1] // 2
            taps = "antidiagonal" if layer.anti else "diagonal"
            self._add(node, "conv", node.args, weighted, {"pad": [pad, pad], "taps": taps})
        elif isinstance(layer, nn.BatchNorm2d):
            running = {"mean": f"{target}.running_mean", "var": f"{target}.running_var"}
            self._add(node, "batchnorm", node.args, {**weighted, **running}, {"eps": layer.eps})
        elif isinstance(layer, nn.Linear):
            self._add(node, "linear", node.args, weighted)
        elif isinstance(layer, LastHidden):
            parts = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            self._add(node, "gru", node.args, {part: f"{target}.gru.{part}_l0" for part in parts})
        elif isinstance(layer, nn.Identity):
            self._same(node)
        elif type(layer) in _ACTIVATIONS:
            self._activation(node, _ACTIVATIONS[type(layer)], getattr(layer, "approximate", "none"))
        else:
            raise ConfigError(f"net: {target} is a {type(layer).__name__}, which graphs do not have")

    def _check_conv(self, layer: nn.Conv2d, target: str) -> None:
        plain = layer.stride == layer.dilation == (1, 1) and layer.padding_mode == "zeros"
        if not plain or isinstance(layer.padding, str):
            raise ConfigError(f"net: {target} is no plain convolution: expected stride and dilation 1")

    def _activation(self, node: fx.Node, name: str, approximate: object) -> None:
        """SiLU, GELU and Mish are made of simpler operations."""
        if approximate != "none":
            raise ConfigError(f"net: {name} with approximate={approximate!r}: expected 'none'")
        x = node.args[0]
        assert isinstance(x, fx.Node)
        source = self._names[x.name]
        if name not in _PRODUCTS:
            self._add(node, name, (x,))
            return
        found = source
        for op, attrs in _PRODUCTS[name]:
            output = f"t{len(self._nodes)}:{node.name}"
            self._nodes.append(Node(op, (found,), output, {}, attrs))
            found = output
        output = f"t{len(self._nodes)}:{node.name}"
        self._nodes.append(Node("mul", (source, found), output))
        self._names[node.name] = output

    def _function(self, node: fx.Node) -> None:
        target = node.target
        if target in _FUNCTIONS:
            inputs = tuple(item for item in node.args if isinstance(item, fx.Node))
            self._add(node, _FUNCTIONS[target], inputs)
        elif target in _ACTIVATIONS:
            self._activation(node, _ACTIVATIONS[target], node.kwargs.get("approximate", "none"))
        elif target in _ARITHMETIC:
            self._arithmetic(node, _ARITHMETIC[target])
        elif target is torch.softmax and node.kwargs.get("dim", node.args[-1]) == -1:
            self._add(node, "softmax", node.args[:1])
        elif target is ops.grid:
            self._add(node, "grid", node.args[:1])
        elif target is operator.getitem:
            self._slice(node)
        else:
            raise self._unknown(target)

    def _arithmetic(self, node: fx.Node, op: str) -> None:
        x, y = node.args
        if isinstance(x, fx.Node) and isinstance(y, fx.Node):
            self._add(node, op, (x, y))
            return
        swapped = not isinstance(x, fx.Node)
        tensor, number = (y, x) if swapped else (x, y)
        scale, shift = {
            "add": (1.0, number),
            "sub": (-1.0, number) if swapped else (1.0, -number),  # type: ignore[operator]
            "mul": (number, 0.0),
        }[op]
        self._add(node, "affine", (tensor,), {}, {"scale": float(scale), "shift": float(shift)})  # type: ignore[arg-type]

    def _slice(self, node: fx.Node) -> None:
        """``x[a:b]`` and ``x[:, a:b]``, and picking one of several results."""
        x, index = node.args
        parts = index if isinstance(index, tuple) else (index,)
        last = parts[-1]
        if len(parts) > 2 or any(part != slice(None) for part in parts[:-1]) or not isinstance(last, slice):
            raise ConfigError(f"net: index {index}: graphs have slices along one axis only")
        attrs = {"axis": len(parts) - 1, "start": int(last.start or 0), "stop": int(last.stop)}
        self._add(node, "slice", (x,), {}, attrs)

    def _method(self, node: fx.Node) -> None:
        target, rest = str(node.target), node.args[1:]
        if target == "flatten" and rest in ((1,), (2,)):
            self._add(node, "flatten", node.args[:1], {}, {"start": rest[0]})
        elif target == "squeeze" and rest == (1,):
            self._add(node, "squeeze", node.args[:1])
        elif target == "transpose" and rest == (1, 2):
            self._add(node, "transpose", node.args[:1])
        else:
            raise self._unknown(f"{target}{rest}")

    @staticmethod
    def _unknown(target: object) -> ConfigError:
        return ConfigError(
            f"net: {getattr(target, '__name__', target)} is an operation that graphs do not have"
        )
