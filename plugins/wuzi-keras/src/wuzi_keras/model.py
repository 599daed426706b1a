"""The ``basic`` net as a Keras model, and its weights to and from wuzi's net files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import keras
import numpy as np
from keras import layers

from wuzi.core import Rules
from wuzi.errors import ConfigError
from wuzi.nets import NetCard, NetFile
from wuzi.nets.legacy import basic_graph

PLANES = "az4-v1"
CHANNELS = 4
TRUNK = ("trunk.conv1", "trunk.conv2", "trunk.conv3")
CONVOLUTIONS = (*TRUNK, "act_conv1", "val_conv1")
DENSE = ("act_fc1", "val_fc1", "val_fc2")

_RELU: dict[str, Any] = {"activation": "relu", "kernel_initializer": "he_uniform"}
"""With Keras's own initial weights the two filters of the value head often die, and it answers a constant."""


def build(size: int, value_hidden: int = 64, decay: float = 0.0) -> Any:
    """The net with fresh weights; ``value_hidden`` units in the value head's hidden layer.

    ``decay`` is the weight of an L2 term in the gradient of every parameter.

    Returns:
        A model of planes float32 [B, 4, N, N] with outputs ``policy`` (logits [B, N * N]) and ``value``
        [B, 1], both from the side to move.
    """
    l2 = keras.regularizers.L2(decay / 2) if decay else None
    both = {"kernel_regularizer": l2, "bias_regularizer": l2}
    relu = both | _RELU
    planes = keras.Input((CHANNELS, size, size), name="features")
    # Convolutions want the channels last: TensorFlow on a processor knows no other order.
    x = layers.Permute((2, 3, 1))(planes)
    for name, filters in zip(TRUNK, (32, 64, 128), strict=True):
        x = layers.Conv2D(filters, 3, padding="same", name=_layer(name), **relu)(x)
    policy = layers.Conv2D(4, 1, name="act_conv1", **relu)(x)
    policy = layers.Dense(size * size, name="act_fc1", **both)(_flat(policy))
    value = layers.Conv2D(2, 1, name="val_conv1", **relu)(x)
    value = layers.Dense(value_hidden, name="val_fc1", **relu)(_flat(value))
    value = layers.Dense(1, activation="tanh", name="val_fc2", **both)(value)
    return keras.Model(planes, {"policy": policy, "value": value}, name="basic")


def from_net(net: NetFile, decay: float = 0.0) -> Any:
    """The model of a net file; ``decay`` as for :func:`build`.

    Raises:
        ConfigError: the net is not of the ``basic`` architecture.
    """
    card = net.card
    is_basic = card.architecture in ("basic", "student") and card.options.get("head_convolutions", True)
    if not is_basic or card.planes != PLANES or card.size is None:
        raise ConfigError(f"net {card.name} is {card.label}: wuzi-keras computes basic nets only")
    model = build(card.size, int(card.options["value_hidden"]), decay)
    for name in (*CONVOLUTIONS, *DENSE):
        kernel = np.asarray(net.weights[f"{name}.weight"])
        kernel = kernel.transpose(2, 3, 1, 0) if kernel.ndim == 4 else kernel.T
        model.get_layer(_layer(name)).set_weights([kernel, np.asarray(net.weights[f"{name}.bias"])])
    return model


def to_net(model: Any, rules: Rules, name: str, recipe: Mapping[str, Any] | None = None) -> NetFile:
    """The net file of a model from :func:`build`, for :func:`wuzi.nets.save_net`; ``recipe`` are notes."""
    weights = {}
    for layer in (*CONVOLUTIONS, *DENSE):
        kernel, bias = (np.asarray(part, np.float32) for part in model.get_layer(_layer(layer)).get_weights())
        kernel = kernel.transpose(3, 2, 0, 1) if kernel.ndim == 4 else kernel.T
        weights[f"{layer}.weight"], weights[f"{layer}.bias"] = np.ascontiguousarray(kernel), bias
    card = NetCard(
        name=name,
        architecture="basic",
        options={"value_hidden": int(weights["val_fc1.bias"].size)},
        size=rules.size,
        planes=PLANES,
        rules=rules,
        graph=basic_graph(),
        parameters=sum(array.size for array in weights.values()),
        recipe={"framework": f"keras {keras.__version__} on {keras.backend.backend()}", **(recipe or {})},
    )
    return NetFile(card, weights).with_checks()


def _layer(name: str) -> str:
    """The Keras name of a layer: without the dot of wuzi's."""
    return name.removeprefix("trunk.")


def _flat(x: Any) -> Any:
    """All cells of all channels in wuzi's order: channel, row, column."""
    return layers.Flatten()(layers.Permute((3, 1, 2))(x))
