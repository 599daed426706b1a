"""What a program outside Python must know to call a kernel: the layout of records, and the arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numba.core import types
from numba.np import numpy_support
from wasm_making.exports import RECORDS


def fields(record: np.dtype[Any]) -> dict[str, dict[str, Any]]:
    """The fields of a record: offset in bytes, type of the items, shape."""
    found: dict[str, dict[str, Any]] = {}
    assert record.fields is not None
    for name, (kind, offset, *_) in record.fields.items():
        found[name] = {"at": offset, "type": kind.base.name, "shape": list(kind.shape)}
    return found


def parameters(kernel: Any) -> list[dict[str, Any]]:
    """The arguments of a kernel in order; a tuple of several counts as so many.

    Each has a ``name`` and a ``kind``: a scalar's type, the name of a record, or an array's item type or
    record with ``dims``, its number of dimensions.
    """
    signature = kernel.nopython_signatures[0]
    names = kernel.py_func.__code__.co_varnames
    return [one for name, kind in zip(names, signature.args, strict=False) for one in _flat(name, kind)]


def returned(kernel: Any) -> str:
    """The type that a kernel returns, ``void`` for nothing."""
    return (
        "void"
        if kernel.nopython_signatures[0].return_type == types.void
        else str(kernel.nopython_signatures[0].return_type)
    )


def _flat(name: str, kind: Any) -> Iterator[dict[str, Any]]:
    if isinstance(kind, types.NamedTuple):
        for field, member in zip(kind.fields, kind.types, strict=True):
            yield from _flat(field, member)
    elif isinstance(kind, types.Array):
        yield {"name": name, "kind": _named(kind.dtype), "dims": kind.ndim}
    else:
        yield {"name": name, "kind": _named(kind)}


def _named(kind: Any) -> str:
    if not isinstance(kind, types.Record):
        return str(kind)
    layout = numpy_support.as_dtype(kind)
    for name, record in RECORDS.items():
        if record == layout:
            return name
    raise KeyError(f"no layout module names the record {layout}")
