"""The pickles of the AlphaZero_Gomoku family, read and written without Python's unpickler.

Such a file is a pickle of protocol 2 (3 from Python 3's pickler) whose top is a list of float32 arrays.
The operations it consists of are carried out one by one; any other operation, name or number type in a
file is an error before it has any effect.
"""

from __future__ import annotations

import io
import pickletools
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.errors import RecordError

Arrays = list[npt.NDArray[np.float32]]


class _Name:
    """One of the few names that such a file may use."""

    def __init__(self, text: str) -> None:
        self.text = text


_NAMES = {
    "numpy.core.multiarray _reconstruct": "array",
    "numpy._core.multiarray _reconstruct": "array",
    "numpy ndarray": "class",
    "numpy dtype": "dtype",
    "_codecs encode": "encode",
}
_VALUES = frozenset(
    {
        *("BININT", "BININT1", "BININT2", "LONG1", "SHORT_BINSTRING", "BINSTRING"),
        *("BINUNICODE", "SHORT_BINBYTES", "BINBYTES"),
    }
)
_FIXED = {"NONE": None, "NEWFALSE": False, "NEWTRUE": True, "EMPTY_TUPLE": ()}
_SHORT_TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
_OTHERS = frozenset(
    {
        *("PROTO", "STOP", "MARK", "EMPTY_LIST", "APPEND", "APPENDS", "TUPLE", "GLOBAL", "REDUCE", "BUILD"),
        *("BINPUT", "LONG_BINPUT", "BINGET", "LONG_BINGET"),
    }
)
_ALL_OPERATIONS = {item.code.encode("latin-1"): item for item in pickletools.opcodes}
_ALLOWED = _VALUES | _OTHERS | set(_FIXED) | set(_SHORT_TUPLES)
_OPERATIONS = {code: item for code, item in _ALL_OPERATIONS.items() if item.name in _ALLOWED}


@dataclass
class _Array:
    """An array under construction."""

    value: npt.NDArray[np.float32] | None = None


@dataclass
class _Type:
    """A number type under construction."""

    code: str
    order: str = ""


class _Reader:
    """Carries out the few operations that a list of arrays is made of."""

    def __init__(self) -> None:
        self._stack: list[Any] = []
        self._marks: list[int] = []
        self._memo: dict[int, Any] = {}

    def read(self, content: bytes) -> Any:
        stream = io.BytesIO(content)
        while code := stream.read(1):
            operation = _OPERATIONS.get(code)
            if operation is None:
                known = _ALL_OPERATIONS.get(code)
                what = known.name if known else repr(code)
                raise ValueError(f"operation {what}, which no weight file needs")
            argument = None
            if operation.name == "GLOBAL":
                argument = " ".join(stream.readline(80).decode("ascii").rstrip("\n") for _ in range(2))
            elif operation.arg is not None:
                argument = operation.arg.reader(stream)
            if operation.name == "STOP":
                (result,) = self._stack
                return result
            self._step(operation.name, argument)
        raise ValueError("no end")

    def _step(self, name: str, argument: Any) -> None:
        if name in _VALUES:
            self._stack.append(argument)
        elif name in _FIXED:
            self._stack.append(_FIXED[name])
        elif name in ("BINPUT", "LONG_BINPUT"):
            self._memo[argument] = self._stack[-1]
        elif name in ("BINGET", "LONG_BINGET"):
            self._stack.append(self._memo[argument])
        elif name == "MARK":
            self._marks.append(len(self._stack))
        elif name == "EMPTY_LIST":
            self._stack.append([])
        elif name == "TUPLE":
            self._stack.append(tuple(self._since_mark()))
        elif name in _SHORT_TUPLES:
            n = _SHORT_TUPLES[name]
            self._stack[-n:] = [tuple(self._stack[-n:])]
        elif name == "PROTO":
            if argument not in (2, 3):
                raise ValueError(f"pickle protocol {argument}: expected 2 or 3")
        else:
            self._build(name, argument)

    def _build(self, name: str, argument: Any) -> None:
        if name == "GLOBAL":
            if argument not in _NAMES:
                raise ValueError(f"it wants {argument.replace(' ', '.')!r}, which no weight file needs")
            self._stack.append(_Name(_NAMES[argument]))
        elif name == "REDUCE":
            arguments = self._stack.pop()
            self._stack[-1] = _made(self._stack[-1], arguments)
        elif name == "BUILD":
            state = self._stack.pop()
            _complete(self._stack[-1], state)
        elif name == "APPENDS":
            items = self._since_mark()
            self._stack[-1].extend(items)
        elif name == "APPEND":
            item = self._stack.pop()
            self._stack[-1].append(item)

    def _since_mark(self) -> list[Any]:
        mark = self._marks.pop()
        items = self._stack[mark:]
        del self._stack[mark:]
        return items


def _made(what: Any, arguments: Any) -> Any:
    kind = what.text if isinstance(what, _Name) else ""
    if kind == "array":
        return _Array()
    if kind == "dtype":
        return _Type(str(arguments[0]))
    if kind == "encode" and isinstance(arguments[0], str):
        return arguments[0].encode("latin-1")
    raise ValueError("a call of something that cannot be called")


def _complete(what: Any, state: Any) -> None:
    if isinstance(what, _Type):
        what.order = str(state[1])
        return
    if not isinstance(what, _Array):
        raise ValueError("a state for something that has none")
    _, shape, kind, fortran, data = state
    if not isinstance(kind, _Type) or (kind.code, kind.order) != ("f4", "<"):
        raise ValueError("numbers that are not little-endian float32")
    raw = data.encode("latin-1") if isinstance(data, str) else bytes(data)
    dims = tuple(int(n) for n in shape)
    if any(n < 0 for n in dims) or len(raw) != 4 * int(np.prod(dims, dtype=object)):
        raise ValueError(f"{len(raw)} bytes for an array of shape {dims}")
    array = np.frombuffer(raw, "<f4").astype(np.float32)
    what.value = array.reshape(dims, order="F" if fortran else "C")


def parse_arrays(content: bytes, source: str) -> Arrays:
    """The arrays of a weight file.

    Raises:
        RecordError: it is not a pickled list of float32 arrays and nothing else.
    """
    try:
        found = _Reader().read(content)
        if not isinstance(found, list) or not all(isinstance(item, _Array) for item in found):
            raise ValueError("its content is no list of arrays")
    except (
        ValueError,
        TypeError,
        IndexError,
        KeyError,
        AttributeError,
        OverflowError,
        struct.error,
    ) as error:
        raise RecordError(f"{source}: not a weight file of the AlphaZero_Gomoku family ({error})") from None
    arrays = [item.value for item in found]
    if any(array is None for array in arrays):
        raise RecordError(f"{source}: not a weight file of the AlphaZero_Gomoku family (an empty array)")
    return [array for array in arrays if array is not None]


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
