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
    from wuzi.training.config import TrainSettings
    from wuzi.training.events import Event
    from wuzi.training.games import SelfPlayGame, Shards
    from wuzi.training.loop import train
    from wuzi.training.methods import METHODS, Method, Plan, make_plan
    from wuzi.training.presets import Preset, list_presets, load_preset
    from wuzi.training.run_dir import RunDirectory

_HOMES = {
    "config": ("TrainSettings",),
    "games": ("SelfPlayGame", "Shards"),
    "events": ("Event",),
    "loop": ("train",),
    "methods": ("METHODS", "Method", "Plan", "make_plan"),
    "presets": ("Preset", "list_presets", "load_preset"),
    "run_dir": ("RunDirectory",),
}
_LAZY = {name: f"wuzi.training.{home}" for home, names in _HOMES.items() for name in names}

__all__ = [
    "Event",
    "METHODS",
    "Method",
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
