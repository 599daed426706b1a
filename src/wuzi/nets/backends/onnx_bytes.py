"""ONNX files written byte by byte: the few protobuf messages a net needs.

Field numbers are those of ``onnx.proto`` (ONNX 1.x, IR version 8, operator set 17), so that exporting
a net needs neither the ``onnx`` package nor a framework.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

IR_VERSION, OPSET = 8, 17
FLOAT, UINT8, INT8, INT32, INT64 = 1, 2, 3, 6, 7
_TYPES = {"float32": FLOAT, "uint8": UINT8, "int8": INT8, "int32": INT32, "int64": INT64}


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def _number(tag: int, value: int) -> bytes:
    return _varint(tag << 3) + _varint(value)


def _bytes(tag: int, value: bytes | str) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return _varint(tag << 3 | 2) + _varint(len(data)) + data


def _attribute(name: str, value: Any) -> bytes:
    head = _bytes(1, name)
    if isinstance(value, float):
        return head + _varint(2 << 3 | 5) + np.float32(value).tobytes() + _number(20, 1)
    if isinstance(value, int):
        return head + _number(3, value) + _number(20, 2)
    if isinstance(value, str):
        return head + _bytes(4, value) + _number(20, 3)
    return head + b"".join(_number(8, int(item)) for item in value) + _number(20, 7)


def _tensor(name: str, value: npt.NDArray[Any]) -> bytes:
    dims = b"".join(_number(1, n) for n in value.shape)
    data = np.ascontiguousarray(value).tobytes()
    return dims + _number(2, _TYPES[value.dtype.name]) + _bytes(8, name) + _bytes(9, data)


def _value_info(name: str, shape: Sequence[int | str] | None) -> bytes:
    tensor_type = _number(1, FLOAT)
    if shape is not None:
        dims = (_bytes(1, _number(1, n) if isinstance(n, int) else _bytes(2, n)) for n in shape)
        tensor_type += _bytes(2, b"".join(dims))
    return _bytes(1, name) + _bytes(2, _bytes(1, tensor_type))


@dataclass
class OnnxWriter:
    """Collects nodes and constants, and writes the model."""

    nodes: list[bytes] = field(default_factory=list)  # encoded operations, in order
    constants: dict[str, npt.NDArray[Any]] = field(default_factory=dict)  # initialisers by name

    def add(self, op: str, inputs: Iterable[str], outputs: Iterable[str], **attributes: Any) -> str:
        """Append an operation; the name of its first output that has one."""
        made = list(outputs)
        parts = [_bytes(1, name) for name in inputs] + [_bytes(2, name) for name in made]
        name = next(name for name in made if name)
        parts += [_bytes(3, f"{op}:{name}"), _bytes(4, op)]
        parts += [_bytes(5, _attribute(key, value)) for key, value in attributes.items()]
        self.nodes.append(b"".join(parts))
        return name

    def constant(self, name: str, value: npt.NDArray[Any]) -> str:
        """Enter a constant under this name; the name."""
        self.constants[name] = value
        return name

    def model(
        self,
        inputs: Mapping[str, Sequence[int | str]],
        outputs: Mapping[str, Sequence[int | str] | None],
        metadata: Mapping[str, str],
    ) -> bytes:
        """The file: float32 inputs and outputs with their shapes (text for a free axis, None for any)."""
        graph = [_bytes(1, node) for node in self.nodes]
        graph.append(_bytes(2, "wuzi"))
        graph += [_bytes(5, _tensor(name, value)) for name, value in self.constants.items()]
        graph += [_bytes(11, _value_info(name, shape)) for name, shape in inputs.items()]
        graph += [_bytes(12, _value_info(name, shape)) for name, shape in outputs.items()]
        head = _number(1, IR_VERSION) + _bytes(2, "wuzi") + _bytes(7, b"".join(graph))
        opset = _bytes(8, _bytes(1, "") + _number(2, OPSET))
        notes = b"".join(_bytes(14, _bytes(1, key) + _bytes(2, text)) for key, text in metadata.items())
        return head + opset + notes
