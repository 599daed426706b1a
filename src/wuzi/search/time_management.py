"""How much time an answer is worth, and when a deepening search should stop.

A time for this answer alone is spent whole, because time saved is lost: only a reply without choice
comes at once. On a game's clock each answer has a share as its target: less when the best move has
stood for several depths, more when it has just changed or its value has dropped.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from wuzi.contract import MAX_CLOCK_SHARE, Limit

CLOCK_SHARE = 0.04
"""Share of the remaining clock that is one answer's target."""

LEAST_S = 0.01

INCREMENT_SHARE = 0.8
_LONGEST = 4.0
"""An answer may take this many targets."""

_ANOTHER = 0.6
"""No new depth is begun after this part of the target: it would hardly be finished."""

_OVERTIME = 1.5
"""A depth that is being searched may continue for this many targets."""

_STABLE_DEPTHS = 5
"""Depths without a change after which the best move counts as stable."""

_LEAST_FACTOR, _CHANGED_FACTOR, _DROP_WEIGHT, _MOST_FACTOR = 0.4, 1.4, 4.0, 3.0

FORCED_DEPTH = 4
"""Depth to which a forced reply is searched all the same, for its value and the expected line."""


@dataclass(frozen=True, slots=True)
class Allotment:
    """Seconds for one answer: what it is worth, and what it may take at most."""

    target_s: float
    limit_s: float
    saves: bool
    """Whether time that is not spent can be spent later."""


def allot(limit: Limit) -> Allotment | None:
    """The time for one answer, None for no limit in time."""
    if limit.clock_s is None:
        return None if limit.time_s is None else Allotment(limit.time_s, limit.time_s, saves=False)
    clock = max(0.0, limit.clock_s)
    most = max(LEAST_S, min(clock * 0.8, clock * MAX_CLOCK_SHARE + limit.increment_s))
    target = max(LEAST_S, min(clock * CLOCK_SHARE + INCREMENT_SHARE * limit.increment_s, most))
    longest = min(most, target * _LONGEST)
    if limit.time_s is not None:
        target, longest = min(target, limit.time_s), min(longest, limit.time_s)
    return Allotment(target, longest, saves=True)


class TimeKeeper:
    """Watches one iterative deepening; see the module.

    The search calls :meth:`note` after each depth and begins another one only if :meth:`enough` is
    false; whoever watches the clock stops it when :meth:`deadline_s` seconds are over.

    Without an allotment nothing ever ends the search. A running depth is cut short ``margin_s`` earlier, for
    what comes after it. Where not a ``single`` move is asked for, a forced reply is no reason to stop.
    """

    def __init__(
        self,
        allotment: Allotment | None,
        *,
        margin_s: float = 0.0,
        single: bool = True,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._allotment, self._margin_s, self._single = allotment, margin_s, single
        self._now, self._start = now, now()
        self._forced = False
        self._move: int | None = None
        self._stable = 0
        self._values: list[float] = []
        self._depth = 0

    def set_forced(self) -> None:
        """There is but one reply that does not lose at once."""
        self._forced = self._single

    def note(self, depth: int, move: int, value: float) -> None:
        """A depth is done: its best move (any number that names it) and the value, -1 to 1, of the mover."""
        self._stable = self._stable + 1 if move == self._move else 0
        self._move, self._depth = move, depth
        self._values.append(value)

    @property
    def elapsed_s(self) -> float:
        """Seconds since the beginning."""
        return self._now() - self._start

    def enough(self) -> bool:
        """Whether to answer rather than begin another depth."""
        if self._allotment is None:
            return False
        if self._forced and self._depth >= FORCED_DEPTH:
            return True
        if not self._allotment.saves:
            return self.elapsed_s >= self._allotment.limit_s
        return self.elapsed_s >= _ANOTHER * self._worth_s()

    def deadline_s(self) -> float | None:
        """Seconds from the beginning at which a running depth is cut short; it changes with every depth."""
        if self._allotment is None:
            return None
        limit = self._allotment.limit_s
        until = min(limit, _OVERTIME * self._worth_s()) if self._allotment.saves else limit
        return max(0.001, until - self._margin_s)

    def _worth_s(self) -> float:
        """The target, as the search's course stretches or shortens it."""
        assert self._allotment is not None
        return min(self._allotment.limit_s, self._allotment.target_s * self._factor())

    def _factor(self) -> float:
        if len(self._values) < 2:
            return 1.0
        calm = min(self._stable, _STABLE_DEPTHS) / _STABLE_DEPTHS
        factor = _CHANGED_FACTOR + (_LEAST_FACTOR - _CHANGED_FACTOR) * calm
        drop = max(0.0, max(self._values[-4:-1]) - self._values[-1])
        return min(_MOST_FACTOR, factor + _DROP_WEIGHT * drop)
