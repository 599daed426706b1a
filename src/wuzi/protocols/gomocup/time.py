"""How long to think for one move under the limits of the Gomocup protocol."""

from __future__ import annotations

from dataclasses import dataclass

from wuzi.protocols.gomocup.wire import UNLIMITED_MS

DEFAULT_TURN_S = 5.0
"""Seconds a move when the manager never sent ``timeout_turn``."""

_LEAST_SOFT_S, _LEAST_HARD_S = 0.02, 0.025
"""The budget when there is no time at all: the only one that is longer than a limit."""

_RESERVE_S = 1.0
"""Seconds of a game's clock that are never spent on thinking, as far as the clock has as many."""

_MOST_OF_CLOCK = 0.2
"""Share of what is left of a game's clock that one move may take at most."""


@dataclass(frozen=True, slots=True)
class MoveBudget:
    """Seconds from the arrival of the command.

    Attributes:
        soft_s: the search must have answered by then; it may answer earlier.
        hard_s: something must be answered by then.
        clock_s: what the search may spend in the rest of the game, None for no limit.
        increment_s: seconds added to the clock after each move.
    """

    soft_s: float
    hard_s: float
    clock_s: float | None = None
    increment_s: float = 0.0


def think_budget(
    *,
    turn_ms: int | None,
    match_ms: int,
    left_ms: int | None,
    used_s: float,
    increment_ms: int = 0,
) -> MoveBudget:
    """The budget for one move; it is within every limit of 25 ms or more.

    How much of a game's clock a move is worth is the search's own affair
    (:mod:`wuzi.search.time_management`); here is what it may not exceed.

    Args:
        turn_ms: limit of one move; 0 is as fast as possible, None was never sent.
        match_ms: limit of the whole game; 0 is none.
        left_ms: what is left of the game's limit as the manager says, may be negative; None was never sent.
        used_s: seconds used in this game as we counted them, for a manager that does not say.
        increment_ms: added to the clock after each move.
    """
    turn = DEFAULT_TURN_S if turn_ms is None else min(max(0, turn_ms), UNLIMITED_MS) / 1000
    # A part of a short move, at most 0.3 s, is left for pipes, the scheduler and the referee's clock.
    margin = min(0.3, max(0.012, turn / 20))
    soft, hard = turn - margin, turn - margin / 3
    left = _left_s(match_ms, left_ms, used_s)
    spendable = None
    if left is not None:
        spendable = max(0.0, left - min(_RESERVE_S, left / 5))
        soft = min(soft, spendable * _MOST_OF_CLOCK)
        hard = min(hard, soft + (spendable - soft) / 4)
    increment = max(0, increment_ms) / 1000
    return MoveBudget(max(_LEAST_SOFT_S, soft), max(_LEAST_HARD_S, hard), spendable, increment)


def _left_s(match_ms: int, left_ms: int | None, used_s: float) -> float | None:
    """Seconds left for the game, None for no limit."""
    if left_ms is not None:
        return None if left_ms >= UNLIMITED_MS else max(0.0, left_ms / 1000)
    return max(0.0, match_ms / 1000 - used_s) if match_ms > 0 else None
