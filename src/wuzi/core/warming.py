"""Have all kernels compiled before they are needed."""

from __future__ import annotations

from wuzi.core import kernel_cache


def fill() -> None:
    """Compile what is missing, once; standard error says so meanwhile. Numba is imported only for that."""
    if not kernel_cache.is_warm():
        from wuzi.core import jit

        jit.warm_once()
