"""Gomoku as an environment for reinforcement learning, in three forms.

- :class:`ArrayEnv`: many games a call, as arrays; needs nothing but wuzi.
- :mod:`wuzi.envs.gomoku_v0`: PettingZoo's turn-based form, two agents.
- :class:`wuzi.envs.gymnasium_env.GomokuEnv`: Gymnasium's form, one agent against a player of wuzi; also
  ``gymnasium.make("wuzi.envs.gymnasium_env:wuzi/Gomoku-v0")``.

The last two need the extra ``envs``. Rules and wins are those of :mod:`wuzi.core`, as everywhere.
"""

from wuzi.base.imports import attach

__getattr__, __dir__, __all__ = attach(__name__)
