"""What a program outside Python must know to call a kernel, as TypeScript: records' layouts and arguments."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numba.core import types
from numba.np import numpy_support
from wasm_making.exports import CONSTANTS, DIRECTIONS, KERNELS, LEARNING, LEVEL_ROWS, NAMES, RECORDS
from wasm_making.settings import SETTINGS

from wuzi.core.jit import load_kernels

HEAD = """// Made by `python scripts/build_wasm.py` of the kernels and of Python's constants. Do not edit.
"""


def text() -> str:
    """The generated file: offsets of all fields, arguments of all kernels, constants, names, the levels."""
    lines = [HEAD, *_described(KERNELS, _asked(KERNELS))]
    for name, values in {"CONSTANTS": CONSTANTS, **SETTINGS}.items():
        lines += ["", f"export const {name} = {{"]
        lines += [f"  {key}: {_literal(value)}," for key, value in values.items()]
        lines += ["} as const"]
    for name, words in {**NAMES, "DIRECTIONS": DIRECTIONS}.items():
        lines += ["", f"export const {name} = {_literal(words)} as const"]
    lines += ["", "export const LEVELS = ["]
    lines += [f"  {_inline(row)}," for row in LEVEL_ROWS]
    lines += ["] as const", ""]
    return "\n".join(lines)


def learning_text() -> str:
    """The same of the module that learns: the records that the first one does not have, and its kernels."""
    known = _asked(KERNELS)
    more = [name for name in _asked(LEARNING) if name not in known]
    return "\n".join([HEAD, *_described(LEARNING, more), ""])


def _asked(kernels: Mapping[str, Any]) -> list[str]:
    """The records that some kernels take."""
    asked = {one["kind"] for kernel in kernels.values() for one in parameters(kernel)}
    return [name for name in RECORDS if name in asked]


def _described(kernels: Mapping[str, Any], records: Iterable[str]) -> Iterator[str]:
    yield "export const RECORDS = {"
    for name in records:
        yield f"  {name}: {{"
        yield f"    bytes: {RECORDS[name].itemsize},"
        yield "    fields: {"
        for field, layout in fields(RECORDS[name]).items():
            yield f"      {field}: {_inline(layout)},"
        yield from ("    },", "  },")
    yield from ("} as const", "", "export const KERNELS = {")
    for name, kernel in kernels.items():
        yield f"  {name}: {{"
        yield f"    returns: '{returned(kernel)}',"
        yield "    parameters: ["
        for one in parameters(kernel):
            yield f"      {_inline(one)},"
        yield from ("    ],", "  },")
    yield "} as const"


def _inline(value: dict[str, Any]) -> str:
    return "{ " + ", ".join(f"{key}: {_literal(it)}" for key, it in value.items()) + " }"


def _literal(value: object) -> str:
    return json.dumps(value, ensure_ascii=False).replace('"', "'")


def fields(record: np.dtype[Any]) -> dict[str, dict[str, Any]]:
    """The fields of a record: offset in bytes, type of the items, shape."""
    return {
        name: {"at": offset, "type": kind.base.name, "shape": list(kind.shape)}
        for name, (kind, offset, *_) in (record.fields or {}).items()
    }


def signature_of(kernel: Any) -> Any:
    """The types of a kernel's arguments and of what it returns."""
    load_kernels(every=True)
    return kernel.nopython_signatures[0]


def parameters(kernel: Any) -> list[dict[str, Any]]:
    """The arguments of a kernel in order; each member of a tuple is an argument.

    Each has a ``name`` and a ``kind``: a scalar's type, the name of a record, or an array's item type or
    record with ``dims``, its number of dimensions.
    """
    signature = signature_of(kernel)
    names = kernel.py_func.__code__.co_varnames
    return [one for name, kind in zip(names, signature.args, strict=False) for one in _flat(name, kind)]


def returned(kernel: Any) -> str:
    """The type that a kernel returns, ``void`` for nothing."""
    kind = signature_of(kernel).return_type
    return "void" if kind == types.void else str(kind)


def _flat(name: str, kind: Any) -> Iterator[dict[str, Any]]:
    if isinstance(kind, types.NamedTuple | types.NamedUniTuple):
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
