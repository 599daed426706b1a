"""Static evaluations, and nets as files: planes, evaluators, weights. No framework is imported here.

The names of nets are loaded when first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wuzi.evaluators.catalogue import find_net, read_net
    from wuzi.evaluators.evaluator import Evaluator, FunctionEvaluator, policy_of, scalar_value
    from wuzi.evaluators.legacy import read_legacy, save_legacy
    from wuzi.evaluators.net_card import NetCard
    from wuzi.evaluators.net_file import Backend, NetFile, load_net, open_net, save_net
    from wuzi.evaluators.planes import PlaneEncoder, plane_set, records_of
    from wuzi.evaluators.shelf import default_net, list_nets
    from wuzi.evaluators.wrappers import CachedEvaluator, RandomSymmetryEvaluator, SymmetricEvaluator

_HOMES = {
    "catalogue": ("find_net", "read_net"),
    "evaluator": ("Evaluator", "FunctionEvaluator", "policy_of", "scalar_value"),
    "legacy": ("read_legacy", "save_legacy"),
    "net_card": ("NetCard",),
    "net_file": ("Backend", "NetFile", "load_net", "open_net", "save_net"),
    "planes": ("PlaneEncoder", "plane_set", "records_of"),
    "shelf": ("default_net", "list_nets"),
    "wrappers": ("CachedEvaluator", "RandomSymmetryEvaluator", "SymmetricEvaluator"),
}
_LAZY = {name: f"wuzi.evaluators.{home}" for home, names in _HOMES.items() for name in names}

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
