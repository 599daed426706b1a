"""The layouts and the kernels' arguments as TypeScript."""

from __future__ import annotations

import json
from typing import Any

from wasm_making.describing import fields, parameters, returned
from wasm_making.exports import KERNELS, RECORDS

HEAD = """// Made by `python scripts/build_wasm.py` from the kernels' layouts and signatures. Do not edit.
"""


def text() -> str:
    """The generated file: ``RECORDS`` with the offsets of every field, ``KERNELS`` with the arguments."""
    used = _used()
    lines = [HEAD, "export const RECORDS = {"]
    for name in used:
        lines.append(f"  {name}: {{")
        lines.append(f"    bytes: {RECORDS[name].itemsize},")
        lines.append("    fields: {")
        for field, layout in fields(RECORDS[name]).items():
            lines.append(f"      {field}: {_inline(layout)},")
        lines += ["    },", "  },"]
    lines += ["} as const", "", "export const KERNELS = {"]
    for name, kernel in KERNELS.items():
        lines.append(f"  {name}: {{")
        lines.append(f"    returns: '{returned(kernel)}',")
        lines.append("    parameters: [")
        lines += [f"      {_inline(one)}," for one in parameters(kernel)]
        lines += ["    ],", "  },"]
    lines += ["} as const", ""]
    return "\n".join(lines)


def _used() -> list[str]:
    asked = {one["kind"] for kernel in KERNELS.values() for one in parameters(kernel)}
    return [name for name in RECORDS if name in asked]


def _inline(value: dict[str, Any]) -> str:
    parts = (
        f"{key}: {json.dumps(item) if not isinstance(item, str) else repr(item)}"
        for key, item in value.items()
    )
    return "{ " + ", ".join(parts) + " }"
