"""Weight files of the AlphaZero_Gomoku family: pickled lists of 16 arrays, written under Theano.

The format: a pickle of protocol 2 whose top is a list of 16 float32 arrays, weight and bias of three
convolutions, policy convolution, policy dense, value convolution and two value dense layers. Its
convolutions are true ones, so kernels are turned by half a turn; dense weights are [in, out]; the policy
counts rows from the bottom (``move = h * width + w``), planes do not. All of that is turned into our
conventions here, and back again for saving.

No unpickler runs: see :mod:`wuzi.nets.legacy_pickle`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.base.atomic import write_atomic
from wuzi.core import Rules
from wuzi.errors import RecordError
from wuzi.nets.card import NetCard
from wuzi.nets.file import NetFile
from wuzi.nets.graph import INPUT, POLICY, VALUE, Graph, Node, Weights
from wuzi.nets.legacy_pickle import Arrays, dump_arrays, parse_arrays

MAX_BYTES = 64 << 20
PLANES = "az4-v1"
NUM_ARRAYS = 16
LAYERS = (*(f"trunk.conv{i}" for i in (1, 2, 3)), "act_conv1", "act_fc1", "val_conv1", "val_fc1", "val_fc2")
"""The layers in the order of the file, as ``basic`` names them."""


def basic_graph() -> Graph:
    """The graph of the ``basic`` net, for files that come without one."""
    nodes: list[Node] = []

    def add(op: str, source: str, layer: str = "", **attrs: Any) -> str:
        params = {part: f"{layer}.{part}" for part in ("weight", "bias")} if layer else {}
        nodes.append(Node(op, (source,), f"t{len(nodes)}:{op}", params, attrs))
        return nodes[-1].output

    x = INPUT
    for layer in LAYERS[:3]:
        x = add("relu", add("conv", x, layer, pad=[1, 1]))
    policy = add("relu", add("conv", x, "act_conv1", pad=[0, 0]))
    policy = add("linear", add("flatten", policy, start=1), "act_fc1")
    value = add("relu", add("conv", x, "val_conv1", pad=[0, 0]))
    value = add("relu", add("linear", add("flatten", value, start=1), "val_fc1"))
    value = add("squeeze", add("tanh", add("linear", value, "val_fc2")))
    return Graph(tuple(nodes), {POLICY: policy, VALUE: value})


def rows_turned(size: int) -> npt.NDArray[np.int64]:
    """int64 [size * size]: the family's policy index of each of our cells, and the other way round."""
    return np.arange(size * size).reshape(size, size)[::-1].reshape(-1)


def read_legacy(path: str | os.PathLike[str], rules: Rules | None = None) -> NetFile:
    """Read a weight file of the family as a ``basic`` net.

    Args:
        path: the file.
        rules: what it was trained for; by default freestyle with five in a row (four on 6x6).

    Raises:
        RecordError: the file is not of this format, or is for another board than ``rules``.
        OSError: it cannot be read.
    """
    source = Path(path)
    if source.stat().st_size > MAX_BYTES:
        raise RecordError(f"{source.name}: {source.stat().st_size} bytes: expected at most {MAX_BYTES}")
    content = source.read_bytes()
    if is_pytorch(content):
        raise RecordError(f"{source.name}: a PyTorch file: `wuzi models import` makes a net of it")
    arrays = parse_arrays(content, source.name)
    size = _board_size(arrays, source.name)
    made_for = rules or Rules(size=size, win_length=4 if size == 6 else min(5, size))
    if made_for.size != size:
        raise RecordError(
            f"{source.name}: weights for {size}x{size}: expected {made_for.size}x{made_for.size}"
        )
    weights = _from_family(arrays, size)
    card = NetCard(
        name=source.stem,
        architecture="basic",
        options={"value_hidden": int(arrays[13].shape[0])},
        size=size,
        planes=PLANES,
        rules=made_for,
        graph=basic_graph(),
        parameters=sum(int(array.size) for array in arrays),
        recipe={"source": f"AlphaZero_Gomoku weight file {source.name}"},
    )
    return NetFile(card, weights).with_checks()


def is_pytorch(content: bytes) -> bool:
    """Whether this is the beginning of a PyTorch file: a zip archive, or before PyTorch 1.6 a pickled number.

    The first 32 bytes are enough.
    """
    return content.startswith(b"PK\x03\x04") or b"\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19." in content[:32]


def save_legacy(path: str | os.PathLike[str], net: NetFile) -> None:
    """Write a ``basic`` net as a weight file of the family, byte for byte in its layout.

    Raises:
        RecordError: the net has other layers.
        OSError: the file cannot be written.
    """
    card = net.card
    needed = {f"{layer}.{part}" for layer in LAYERS for part in ("weight", "bias")}
    if card.size is None or not needed <= set(net.weights):
        raise RecordError(f"net {card.name} ({card.label}): only basic nets fit into the family's files")
    write_atomic(path, dump_arrays(_to_family(net.weights, card.size)))


def _board_size(arrays: Arrays, source: str) -> int:
    """The board of 16 arrays, whose shapes must all fit."""
    if len(arrays) != NUM_ARRAYS:
        raise RecordError(f"{source}: {len(arrays)} arrays: expected {NUM_ARRAYS}")
    size = round(float(np.sqrt(arrays[9].size)))
    cells, hidden = size * size, arrays[13].size
    shapes = [
        *((32, 4, 3, 3), (32,), (64, 32, 3, 3), (64,), (128, 64, 3, 3), (128,)),
        *((4, 128, 1, 1), (4,), (4 * cells, cells), (cells,)),
        *((2, 128, 1, 1), (2,), (2 * cells, hidden), (hidden,), (hidden, 1), (1,)),
    ]
    for i, (array, shape) in enumerate(zip(arrays, shapes, strict=True)):
        if array.shape != shape:
            raise RecordError(f"{source}: array {i} has shape {array.shape}: expected {shape}")
        if not np.isfinite(array).all():
            raise RecordError(f"{source}: array {i} holds values that are not finite")
    return size


def _from_family(arrays: Arrays, size: int) -> dict[str, npt.NDArray[Any]]:
    found = {}
    for i, layer in enumerate(LAYERS):
        weight, bias = arrays[2 * i], arrays[2 * i + 1]
        weight = weight[:, :, ::-1, ::-1] if weight.ndim == 4 else weight.T
        if layer == "act_fc1":
            weight, bias = weight[rows_turned(size)], bias[rows_turned(size)]
        found[f"{layer}.weight"], found[f"{layer}.bias"] = weight.copy(), bias.copy()
    return found


def _to_family(weights: Weights, size: int) -> Arrays:
    found: Arrays = []
    for layer in LAYERS:
        weight, bias = weights[f"{layer}.weight"], weights[f"{layer}.bias"]
        if layer == "act_fc1":
            weight, bias = weight[rows_turned(size)], bias[rows_turned(size)]
        weight = weight[:, :, ::-1, ::-1] if weight.ndim == 4 else weight.T
        found += [np.ascontiguousarray(part, np.float32) for part in (weight, bias)]
    return found
