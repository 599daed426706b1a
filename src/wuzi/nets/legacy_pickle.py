"""The pickles of the AlphaZero_Gomoku family, read and written without Python's unpickler.

Such a file is a pickle of protocol 2 (3 from Python 3's pickler) whose top is a list of float32 arrays.
The operations it consists of are carried out one by one; any other operation, name or number type in a
file is an error before it has any effect.
"""

from __future__ import annotations

import pickletools
import struct
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.base.json_fields import MALFORMED
from wuzi.errors import RecordError

Arrays = list[npt.NDArray[np.float32]]


@dataclass
class _Type:
    """A number type under construction."""

    code: str
    order: str = ""

    def complete(self, state: Any) -> None:
        self.order = str(state[1])


@dataclass
class _Array:
    """An array under construction."""

    value: npt.NDArray[np.float32] | None = None

    def complete(self, state: Any) -> None:
        _, shape, kind, fortran, data = state
        if not isinstance(kind, _Type) or (kind.code, kind.order) != ("f4", "<"):
            raise ValueError("numbers that are not little-endian float32")
        raw = data.encode("latin-1") if isinstance(data, str) else bytes(data)
        dims = tuple(int(n) for n in shape)
        if any(n < 0 for n in dims) or len(raw) != 4 * int(np.prod(dims, dtype=object)):
            raise ValueError(f"{len(raw)} bytes for an array of shape {dims}")
        array = np.frombuffer(raw, "<f4").astype(np.float32)
        self.value = array.reshape(dims, order="F" if fortran else "C")


_NAMES: dict[str, Callable[..., Any] | None] = {
    "numpy.core.multiarray _reconstruct": lambda *_: _Array(),
    "numpy._core.multiarray _reconstruct": lambda *_: _Array(),
    "numpy ndarray": None,
    "numpy dtype": lambda code, *_: _Type(str(code)),
    "_codecs encode": lambda text, *_: text.encode("latin-1"),
}
"""The few names that such a file may use, and what each is replaced by."""

_VALUES = frozenset(
    {
        *("BININT", "BININT1", "BININT2", "LONG1", "SHORT_BINSTRING", "BINSTRING"),
        *("BINUNICODE", "SHORT_BINBYTES", "BINBYTES"),
    }
)
_FIXED = {"NONE": None, "NEWFALSE": False, "NEWTRUE": True, "EMPTY_TUPLE": ()}
_SHORT_TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}


class _Reader:
    """Carries out the few operations that a list of arrays is made of."""

    def __init__(self) -> None:
        self._stack: list[Any] = []
        self._marks: list[int] = []
        self._memo: dict[int, Any] = {}

    def read(self, content: bytes) -> Any:
        with warnings.catch_warnings():  # a damaged text may hold escapes that Python calls deprecated
            warnings.simplefilter("ignore", DeprecationWarning)
            for operation, argument, _ in pickletools.genops(content):
                if operation.name == "STOP":
                    (result,) = self._stack
                    return result
                self._step(operation.name, argument)
        raise ValueError("no end")

    def _step(self, name: str, argument: Any) -> None:
        stack = self._stack
        if name in _VALUES:
            stack.append(argument)
        elif name in _FIXED:
            stack.append(_FIXED[name])
        elif name in ("BINPUT", "LONG_BINPUT"):
            self._memo[argument] = stack[-1]
        elif name in ("BINGET", "LONG_BINGET"):
            stack.append(self._memo[argument])
        elif name == "MARK":
            self._marks.append(len(stack))
        elif name == "EMPTY_LIST":
            stack.append([])
        elif name in _SHORT_TUPLES:
            n = _SHORT_TUPLES[name]
            stack[-n:] = [tuple(stack[-n:])]
        elif name == "PROTO":
            if argument not in (2, 3):
                raise ValueError(f"pickle protocol {argument}: expected 2 or 3")
        else:
            self._build(name, argument)

    def _build(self, name: str, argument: Any) -> None:
        stack = self._stack
        if name == "GLOBAL":
            if argument not in _NAMES:
                raise ValueError(f"it wants {argument.replace(' ', '.')!r}, which no weight file needs")
            stack.append(_NAMES[argument])
        elif name in ("TUPLE", "APPENDS"):
            mark = self._marks.pop()
            items = stack[mark:]
            del stack[mark:]
            stack.append(tuple(items)) if name == "TUPLE" else stack[-1].extend(items)
        elif name == "APPEND":
            item = stack.pop()
            stack[-1].append(item)
        elif name == "REDUCE":
            arguments = stack.pop()
            if not callable(stack[-1]):
                raise ValueError("a call of something that cannot be called")
            stack[-1] = stack[-1](*arguments)
        elif name == "BUILD":
            state = stack.pop()
            if not isinstance(stack[-1], _Array | _Type):
                raise ValueError("a state for something that has none")
            stack[-1].complete(state)
        else:
            raise ValueError(f"operation {name}, which no weight file needs")


_BROKEN = (*MALFORMED, struct.error)


def parse_arrays(content: bytes, source: str) -> Arrays:
    """The arrays of a weight file; a RecordError unless it is a pickled list of float32 arrays alone."""
    try:
        found = _Reader().read(content)
        if not isinstance(found, list) or not all(isinstance(item, _Array) for item in found):
            raise ValueError("its content is no list of arrays")
        arrays = [item.value for item in found if item.value is not None]
        if len(arrays) < len(found):
            raise ValueError("an empty array")
    except _BROKEN as error:
        raise RecordError(f"{source}: not a weight file of the AlphaZero_Gomoku family ({error})") from None
    return arrays


# ---------------------------------------------------------------------------- writing


def dump_arrays(arrays: Sequence[npt.NDArray[np.float32]]) -> bytes:
    """A list of arrays as Python 2's pickler wrote it under protocol 2, byte for byte."""
    out = [b"\x80\x02]q\x01("]
    memo = 2
    for i, array in enumerate(arrays):
        if i == 0:
            out.append(b"cnumpy.core.multiarray\n_reconstruct\nq\x02cnumpy\nndarray\nq\x03")
            memo = 4
        else:
            out.append(b"h\x02h\x03")
        out.append(b"K\x00\x85U\x01b\x87Rq" + bytes([memo]) + b"(K\x01" + _shape_bytes(array.shape))
        memo += 1
        if i == 0:
            out.append(b"cnumpy\ndtype\nq\x05U\x02f4K\x00K\x01\x87Rq\x06(K\x03U\x01<NNN")
            out.append(b"J\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb")
            memo = 7
        else:
            out.append(b"h\x06")
        data = np.ascontiguousarray(array, "<f4").tobytes()
        head = b"U" + bytes([len(data)]) if len(data) < 256 else b"T" + struct.pack("<i", len(data))
        out.append(b"\x89" + head + data + b"tb")
    return b"".join([*out, b"e."])


def _shape_bytes(shape: Sequence[int]) -> bytes:
    numbers = b"".join(_long(n) for n in shape)
    return numbers + bytes([0x84 + len(shape)]) if len(shape) < 4 else b"(" + numbers + b"t"


def _long(n: int) -> bytes:
    data = n.to_bytes(n.bit_length() // 8 + 1, "little", signed=True)
    return b"\x8a" + bytes([len(data)]) + data
