"""Executors by name; only the chosen one is imported."""

from __future__ import annotations

from wuzi.errors import ConfigError
from wuzi.workers.crew import EXECUTORS, LOCAL, Executor
from wuzi.workers.local import Local


def make_executor(name: str = LOCAL, address: str | None = None) -> Executor:
    """The executor of that name."""
    if name not in EXECUTORS:
        raise ConfigError(f"unknown executor {name!r}: expected one of {', '.join(EXECUTORS)}")
    if name == LOCAL:
        if address is not None:
            raise ConfigError(f"--address {address!r}: expected --executor ray with it")
        return Local()
    from wuzi.workers.ray_executor import RayExecutor

    return RayExecutor(address)
