"""Nets with random weights, made without PyTorch: the graph and the weights of those that small boards need.

Graph, names of weights and their order are those of the same architecture in :mod:`wuzi.torch_nets`, so that
files and checkpoints of one are read by the other.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.base.schema import build_config, option
from wuzi.core import Rules
from wuzi.core.rules import MAX_SIZE, MIN_SIZE
from wuzi.errors import ConfigError
from wuzi.nets.card import NetCard
from wuzi.nets.file import NetFile
from wuzi.nets.graph import INPUT, Graph, Node
from wuzi.nets.planes import plane_set

HEAD, HIDDEN = 32, 64
"""Channels of the heads of ``flexible``, and units of its value head."""

POLICIES = ("policy", "soft_policy", "reply_policy")

STATISTICS = ("running_mean", "running_var")
"""What the weights of a norm have that is not trained."""

_SHORT = re.compile(r"(\d+)b(\d+)")


@dataclass(frozen=True)
class FlexibleConfig:
    """Our size-independent net; ``5b48`` is short for ``flexible:blocks=5,channels=48``.

    Attributes:
        blocks: residual blocks. channels: their width.
        pool_every: every how many blocks one hears of the whole board; 0 for none.
        planes: the feature planes.
    """

    blocks: int = option(5, minimum=1, maximum=40)
    channels: int = option(48, minimum=8, maximum=512)
    pool_every: int = option(3, minimum=0, maximum=40)
    planes: str = "tactical18-v1"


@dataclass(frozen=True)
class BasicConfig:
    """The three-layer net of the AlphaZero_Gomoku family (documents 001, 003; 000 section 3.3).

    Attributes:
        value_hidden: hidden units of the value head: 64 in documents 001 and 003, 256 in document 000.
        planes: the feature planes; other than the documents' for comparisons.
        head_convolutions: a 1x1 convolution begins each head, as in documents 001 and 003; false as document
            000 draws its basic net, whose dense layers take all 128 channels.
    """

    value_hidden: int = option(64, minimum=1, maximum=4096)
    planes: str = "az4-v1"
    head_convolutions: bool = True


def expand_short(text: str) -> str:
    """``5b48`` as a full spec; other text as it is.

    >>> expand_short("5b48")
    'flexible:blocks=5,channels=48'
    """
    found = _SHORT.fullmatch(text.strip())
    return f"flexible:blocks={found[1]},channels={found[2]}" if found else text


class DrawnNet:
    """A graph that is being drawn, with weights as PyTorch's layers begin with them."""

    def __init__(self, random: np.random.Generator) -> None:
        self.weights: dict[str, npt.NDArray[np.float32]] = {}
        self.outputs: dict[str, str] = {}
        self._nodes: list[Node] = []
        self._random = random

    @property
    def graph(self) -> Graph:
        """What was drawn."""
        return Graph(tuple(self._nodes), self.outputs)

    def add(self, op: str, *inputs: str, params: Mapping[str, str] | None = None, **attrs: Any) -> str:
        """An operation; the name of its output."""
        output = f"t{len(self._nodes)}:{op}"
        self._nodes.append(Node(op, inputs, output, params or {}, attrs))
        return output

    def layer(self, name: str, *shape: int, bias: bool = True) -> dict[str, str]:
        """The weights of a layer, uniform within one over the root of its inputs; by their part in it."""
        bound = 1 / math.sqrt(math.prod(shape[1:]))
        shapes = {"weight": shape, **({"bias": shape[:1]} if bias else {})}
        for part, wanted in shapes.items():
            found = self._random.uniform(-bound, bound, wanted)
            self.weights[f"{name}.{part}"] = found.astype(np.float32)
        return {part: f"{name}.{part}" for part in shapes}

    def conv(
        self, x: str, name: str, inputs: int, outputs: int, kernel: int = 3, *, bias: bool = True
    ) -> str:
        """A convolution that keeps the board's size."""
        params = self.layer(name, outputs, inputs, kernel, kernel, bias=bias)
        return self.add("conv", x, params=params, pad=[kernel // 2, kernel // 2])

    def norm(self, x: str, name: str, channels: int) -> str:
        """A batch norm."""
        params = {"weight": "weight", "bias": "bias", "mean": "running_mean", "var": "running_var"}
        for part, own in params.items():
            self.weights[f"{name}.{own}"] = np.full(channels, part in ("weight", "var"), np.float32)
        return self.add("batchnorm", x, params={k: f"{name}.{v}" for k, v in params.items()}, eps=1e-5)

    def conv_norm(self, x: str, name: str, inputs: int, outputs: int, kernel: int = 3) -> str:
        """A convolution without bias, then a batch norm."""
        return self.norm(
            self.conv(x, f"{name}.conv", inputs, outputs, kernel, bias=False), f"{name}.norm", outputs
        )

    def linear(self, x: str, name: str, inputs: int, outputs: int) -> str:
        """A dense layer."""
        return self.add("linear", x, params=self.layer(name, outputs, inputs))


def _residual(net: DrawnNet, x: str, name: str, width: int) -> str:
    out = net.conv(x, f"{name}.conv1", width, width, bias=False)
    out = net.add("relu", net.norm(out, f"{name}.bn1", width))
    out = net.norm(net.conv(out, f"{name}.conv2", width, width, bias=False), f"{name}.bn2", width)
    return net.add("relu", net.add("add", out, x))


def _pooling(net: DrawnNet, x: str, name: str, width: int) -> str:
    pooled = max(8, width // 4)
    first = net.conv_norm(x, f"{name}.first", width, width)
    pool = net.add("relu", net.conv_norm(x, f"{name}.pool", width, pooled, 1))
    everywhere = net.linear(net.add("global_pool", pool), f"{name}.mix", 3 * pooled, width)
    out = net.add("relu", net.add("add", first, net.add("spread", everywhere)))
    return net.add("relu", net.add("add", net.conv_norm(out, f"{name}.second", width, width), x))


def _policies(net: DrawnNet, x: str, width: int) -> str:
    local = net.conv_norm(x, "policy_head.local", width, HEAD, 1)
    pool = net.add("relu", net.conv_norm(x, "policy_head.pool", width, HEAD, 1))
    everywhere = net.linear(net.add("global_pool", pool), "policy_head.mix", 3 * HEAD, HEAD)
    both = net.add("relu", net.add("add", local, net.add("spread", everywhere)))
    return net.conv(both, "policy_head.out", HEAD, len(POLICIES), 1)


def _draw_flexible(net: DrawnNet, config: FlexibleConfig, size: int) -> None:
    del size
    width = config.channels
    x = net.add("relu", net.conv_norm(INPUT, "stem", plane_set(config.planes).channels, width))
    for number in range(config.blocks):
        pools = config.pool_every and (number + 1) % config.pool_every == 0
        x = (_pooling if pools else _residual)(net, x, f"blocks.{number}", width)
    policies = _policies(net, x, width)
    for i, name in enumerate(POLICIES):
        part = net.add("slice", policies, axis=1, start=i, stop=i + 1)
        net.outputs[name] = net.add("flatten", part, start=1)
    value = net.add("global_pool", net.add("relu", net.conv_norm(x, "value_conv", width, HEAD, 1)))
    hidden = net.add("relu", net.linear(value, "value_fc1", 3 * HEAD, HIDDEN))
    result = net.linear(hidden, "value_fc2", HIDDEN, 4)
    net.outputs["wdl_logits"] = net.add("slice", result, axis=1, start=0, stop=3)
    net.outputs["wdl"] = net.add("softmax", net.outputs["wdl_logits"])
    left = net.add("sigmoid", net.add("slice", result, axis=1, start=3, stop=4))
    net.outputs["moves_left"] = net.add("squeeze", left)
    net.outputs["final_line"] = net.conv(x, "final_line", width, 3, 1)


def _draw_basic(net: DrawnNet, config: BasicConfig, size: int) -> None:
    x, cells, narrow = INPUT, size * size, config.head_convolutions
    widths = plane_set(config.planes).channels, 32, 64, 128
    for i in range(3):
        x = net.add("relu", net.conv(x, f"trunk.conv{i + 1}", widths[i], widths[i + 1]))
    act = net.add("relu", net.conv(x, "act_conv1", 128, 4, 1)) if narrow else x
    policy = net.linear(net.add("flatten", act, start=1), "act_fc1", (4 if narrow else 128) * cells, cells)
    val = net.add("relu", net.conv(x, "val_conv1", 128, 2, 1)) if narrow else x
    inputs = (2 if narrow else 128) * cells
    dense = net.linear(net.add("flatten", val, start=1), "val_fc1", inputs, config.value_hidden)
    value = net.add("tanh", net.linear(net.add("relu", dense), "val_fc2", config.value_hidden, 1))
    net.outputs |= {"policy": policy, "value": net.add("squeeze", value)}


_DRAWN: Mapping[str, tuple[type, Callable[[DrawnNet, Any, int], None], bool]] = {
    "flexible": (FlexibleConfig, _draw_flexible, True),
    "basic": (BasicConfig, _draw_basic, False),
}
"""By architecture: its options, what draws it, and whether its weights fit every board."""


LEARNED_HERE = tuple(_DRAWN)
"""The architectures that are made, and learn, without PyTorch."""


def fresh_net(name: str, options: Mapping[str, object], rules: Rules, seed: int = 0) -> NetFile:
    """A net of an architecture with random weights, without check positions.

    A ConfigError for an architecture that only PyTorch makes, and for wrong options.
    """
    if name not in _DRAWN:
        made = ", ".join(LEARNED_HERE)
        raise ConfigError(f"net {name!r} is made by PyTorch alone: expected {made} or a short form like 2b16")
    config_type, draw, fits = _DRAWN[name]
    config: Any = build_config(config_type, {}, dict(options), name)
    if not MIN_SIZE <= rules.size <= MAX_SIZE:
        raise ConfigError(f"net {name} for board size {rules.size}: expected {MIN_SIZE} to {MAX_SIZE}")
    drawn = DrawnNet(np.random.default_rng(seed))
    draw(drawn, config, rules.size)
    trained = sum(v.size for key, v in drawn.weights.items() if not key.endswith(STATISTICS))
    card = NetCard(
        name=name,
        architecture=name,
        options=asdict(config),
        size=None if fits else rules.size,
        planes=config.planes,
        rules=rules,
        graph=drawn.graph,
        parameters=trained,
    )
    return NetFile(card, drawn.weights)
