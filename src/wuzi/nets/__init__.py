"""Nets as files: where they lie, their cards, feature planes, and what computes them. No torch here.

The names of nets are loaded when first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wuzi.nets.card import NetCard
    from wuzi.nets.evaluator import Evaluator, FunctionEvaluator, policy_of, scalar_value
    from wuzi.nets.file import Backend, NetFile, load_net, open_net, save_net
    from wuzi.nets.legacy import read_legacy, save_legacy
    from wuzi.nets.loading import read_net
    from wuzi.nets.planes import PlaneEncoder, plane_set, records_of
    from wuzi.nets.shelf import default_net, find_net, list_nets
    from wuzi.nets.wrappers import CachedEvaluator, RandomSymmetryEvaluator, SymmetricEvaluator

_HOMES = {
    "evaluator": ("Evaluator", "FunctionEvaluator", "policy_of", "scalar_value"),
    "legacy": ("read_legacy", "save_legacy"),
    "card": ("NetCard",),
    "file": ("Backend", "NetFile", "load_net", "open_net", "save_net"),
    "planes": ("PlaneEncoder", "plane_set", "records_of"),
    "loading": ("read_net",),
    "shelf": ("default_net", "find_net", "list_nets"),
    "wrappers": ("CachedEvaluator", "RandomSymmetryEvaluator", "SymmetricEvaluator"),
}
_LAZY = {name: f"wuzi.nets.{home}" for home, names in _HOMES.items() for name in names}

__all__ = [
    "Backend",
    "CachedEvaluator",
    "Evaluator",
    "FunctionEvaluator",
    "NetCard",
    "NetFile",
    "PlaneEncoder",
    "RandomSymmetryEvaluator",
    "SymmetricEvaluator",
    "default_net",
    "find_net",
    "list_nets",
    "load_net",
    "open_net",
    "plane_set",
    "policy_of",
    "read_legacy",
    "read_net",
    "records_of",
    "save_legacy",
    "save_net",
    "scalar_value",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(importlib.import_module(_LAZY[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
