"""Gomoku as an environment for reinforcement learning, in three forms.

- :class:`ArrayEnv`: many games a call, as arrays; needs nothing but wuzi.
- :mod:`wuzi.envs.gomoku_v0`: PettingZoo's turn-based form, two agents.
- :class:`wuzi.envs.gymnasium_env.GomokuEnv`: Gymnasium's form, one agent against a player of wuzi; also
  ``gymnasium.make("wuzi.envs.gymnasium_env:wuzi/Gomoku-v0")``.

The last two need the extra ``envs``. Rules and wins are those of :mod:`wuzi.core`, as everywhere.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wuzi.envs.array_env import ArrayEnv, Step

__all__ = ["ArrayEnv", "Step"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(importlib.import_module("wuzi.envs.array_env"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
