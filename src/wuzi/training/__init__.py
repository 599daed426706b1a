"""Learning: self-play, replay, the learner, gates, presets and the run directory (extra: train).

What needs torch is imported when first used: processes that only play games do without.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

# Threads of the learner that wait for each other by spinning are ten times slower than one alone as soon
# as anything else runs. Only seen by an OpenMP that has not been loaded yet.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("GOMP_SPINCOUNT", "0")

if TYPE_CHECKING:
    from wuzi.training.data.games import SelfPlayGame, Shards
    from wuzi.training.methods.registry import METHODS, MethodEntry, Plan, make_plan
    from wuzi.training.run.config import TrainSettings
    from wuzi.training.run.directory import RunDirectory
    from wuzi.training.run.events import Event
    from wuzi.training.run.loop import train
    from wuzi.training.run.presets import Preset, list_presets, load_preset

_HOMES = {
    "run.config": ("TrainSettings",),
    "data.games": ("SelfPlayGame", "Shards"),
    "run.events": ("Event",),
    "run.loop": ("train",),
    "methods.registry": ("METHODS", "MethodEntry", "Plan", "make_plan"),
    "run.presets": ("Preset", "list_presets", "load_preset"),
    "run.directory": ("RunDirectory",),
}
_LAZY = {name: f"wuzi.training.{home}" for home, names in _HOMES.items() for name in names}

__all__ = [
    "Event",
    "METHODS",
    "MethodEntry",
    "Plan",
    "Preset",
    "RunDirectory",
    "SelfPlayGame",
    "Shards",
    "TrainSettings",
    "list_presets",
    "load_preset",
    "make_plan",
    "train",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(importlib.import_module(_LAZY[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
