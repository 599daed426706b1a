"""Running a kernel under a limit: deadline, stop request, progress, Ctrl-C."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from wuzi.contract import Limit, Stop
from wuzi.search.layout import MAX_NODES, STOP

T = TypeVar("T")

Control = npt.NDArray[np.int64]
"""``ctl`` of the kernels: int64 [8], see :mod:`wuzi.search.layout`."""

CLOCK_SHARE = 0.04
"""Share of the remaining clock spent on one move when only a clock is given."""


def new_control(max_nodes: int | None = None) -> Control:
    """A fresh control array."""
    ctl = np.zeros(8, np.int64)
    ctl[MAX_NODES] = max_nodes or 0
    return ctl


def time_budget(limit: Limit) -> float | None:
    """Seconds to spend on this answer, or None for no limit in time."""
    budgets = []
    if limit.time_s is not None:
        budgets.append(limit.time_s)
    if limit.clock_s is not None:
        share = CLOCK_SHARE * limit.clock_s + 0.8 * limit.increment_s
        budgets.append(max(0.01, min(share, 0.8 * limit.clock_s)))
    return min(budgets) if budgets else None


def drive(
    work: Callable[[], T],
    ctl: Control,
    *,
    budget_s: float | None = None,
    stop: Stop | None = None,
    on_tick: Callable[[], None] | None = None,
    every_s: float = 0.1,
) -> T:
    """Run ``work`` in a thread while this one keeps the time.

    ``ctl[STOP]`` is set when ``budget_s`` is over, when ``stop`` is set, or when the wait is
    interrupted (Ctrl-C), and the kernel answers at once with what it has.

    Args:
        work: runs kernels that obey ``ctl``.
        ctl: their control array.
        budget_s: seconds until the stop.
        stop: a stop request from outside.
        on_tick: called now and then while the work goes on.
        every_s: seconds between calls of ``on_tick``.
    """
    results: list[T] = []
    errors: list[BaseException] = []
    done = threading.Event()

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)
        finally:
            done.set()

    def request() -> None:
        ctl[STOP] = 1

    if stop is not None:
        stop.on_set(request)
    start = time.perf_counter()
    thread = threading.Thread(target=run, name="wuzi-search", daemon=True)
    thread.start()
    try:
        while not done.is_set():
            left = None if budget_s is None else budget_s - (time.perf_counter() - start)
            if left is not None and left <= 0:
                request()
                left = None
            waits = [t for t in (left, every_s if on_tick is not None else 0.5) if t is not None]
            if not done.wait(min(waits)) and on_tick is not None:
                on_tick()
    except BaseException:
        request()
        thread.join()
        raise
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
