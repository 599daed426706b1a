"""The names under which Gymnasium and PettingZoo find wuzi's environments. Imports neither by itself."""

from __future__ import annotations

GYMNASIUM_ID = "wuzi/Gomoku-v0"
PETTINGZOO_ID = "wuzi/gomoku-v0"


def register_gymnasium() -> None:
    """Tell Gymnasium; done when :mod:`wuzi.envs.gymnasium_env` is imported."""
    from gymnasium.envs.registration import register, registry

    if GYMNASIUM_ID not in registry:
        register(id=GYMNASIUM_ID, entry_point="wuzi.envs.gymnasium_env:GomokuEnv")


def register_pettingzoo() -> None:
    """Tell PettingZoo; done when :mod:`wuzi.envs.gomoku_v0` is imported."""
    from pettingzoo import aec_registry, register

    if PETTINGZOO_ID not in aec_registry:
        register("aec", PETTINGZOO_ID, "wuzi.envs.gomoku_v0:env")
