"""Running a kernel under a limit: deadline, stop request, progress, Ctrl-C."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from wuzi.contract import Limit, Line, Stop
from wuzi.core.layout import MAX_NODES, STOP
from wuzi.core.notation import Move
from wuzi.core.types import Color
from wuzi.search.time_management import allot

T = TypeVar("T")

Control = npt.NDArray[np.int64]
"""``ctl`` of the kernels: int64 [8], see :mod:`wuzi.search.layout`."""

_LOOK_S = 0.02
"""Seconds between looks at a budget that may change."""


def new_control(max_nodes: int | None = None) -> Control:
    """A fresh control array."""
    ctl = np.zeros(8, np.int64)
    ctl[MAX_NODES] = max_nodes or 0
    return ctl


def time_budget(limit: Limit) -> float | None:
    """Seconds to spend on this answer, or None for no limit in time."""
    allotment = allot(limit)
    return None if allotment is None else allotment.target_s


def counted(limit: Limit) -> int | None:
    """The least of the limits in nodes and in simulations, None without either."""
    return min((n for n in (limit.nodes, limit.simulations) if n is not None), default=None)


def scored_line(
    pv: tuple[Move, ...], score: int, color: Color, *, win: int, proven: int, scale: float
) -> Line:
    """A line by its score for ``color``: beyond ``proven`` it is ``win`` less the plies to the end.

    Other scores become values by tanh(score / scale).
    """
    win_in = (win - abs(score)) * (1 if score > 0 else -1) if abs(score) > proven else None
    value = math.copysign(1.0, score) if win_in else math.tanh(score / scale)
    return Line(move=pv[0], value=value, color=color, score=float(score), pv=pv, win_in=win_in)


def drive(
    work: Callable[[], T],
    ctl: Control,
    *,
    budget_s: float | Callable[[], float | None] | None = None,
    stop: Stop | None = None,
    on_tick: Callable[[], None] | None = None,
    every_s: float = 0.1,
) -> T:
    """Run ``work``, kernels that obey ``ctl``, in a thread while this one keeps the time.

    ``ctl[STOP]`` is set when ``budget_s`` seconds are over, when ``stop`` is set, or when the wait is
    interrupted (Ctrl-C), and the kernel answers at once with what it has. It is set again and again until
    ``work`` ends, as that may begin another search with the same control. A budget that is a function is
    asked again and again, as the search may learn that its answer is worth more or less time. ``on_tick``
    is called every ``every_s`` seconds.
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
        next_tick = start + every_s
        while not done.is_set():
            now = time.perf_counter()
            budget = budget_s() if callable(budget_s) else budget_s
            is_over = (budget is not None and now - start >= budget) or (stop is not None and stop.is_set)
            if is_over:
                request()
            if on_tick is not None and now >= next_tick:
                on_tick()
                next_tick = now + every_s
            waits = [_LOOK_S if is_over else 0.5 if budget is None else start + budget - now]
            waits += [next_tick - now] if on_tick is not None else []
            waits += [_LOOK_S] if callable(budget_s) else []
            done.wait(max(0.0, min(waits)))
    except BaseException:
        request()
        thread.join()
        raise
    finally:
        if stop is not None:
            stop.forget(request)
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
