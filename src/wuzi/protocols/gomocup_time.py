"""How long to think for one move under the limits of the Gomocup protocol."""

from __future__ import annotations

from dataclasses import dataclass

from wuzi.protocols.gomocup import UNLIMITED_MS

DEFAULT_TURN_S = 5.0
"""Seconds a move when the manager never sent ``timeout_turn``."""

LEAST_S = 0.02
"""Seconds a move when there is no time at all."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Seconds from the arrival of the command.

    Attributes:
        soft_s: the search should answer by then.
        hard_s: something must be answered by then.
    """

    soft_s: float
    hard_s: float


def think_budget(
    *, turn_ms: int | None, match_ms: int, left_ms: int | None, used_s: float, empty_cells: int
) -> Budget:
    """The budget for one move.

    Args:
        turn_ms: limit of one move; 0 is as fast as possible, None was never sent.
        match_ms: limit of the whole game; 0 is none.
        left_ms: what is left of the game's limit as the manager says, may be negative; None was never sent.
        used_s: seconds used in this game as we counted them, for a manager that does not say.
        empty_cells: how many cells are empty; a guess of how long the game may last.
    """
    turn = DEFAULT_TURN_S if turn_ms is None else max(0, turn_ms) / 1000
    # A fifth of a short move, at most 0.4 s, is left for pipes, the scheduler and the referee's clock.
    margin = min(0.4, max(0.04, turn / 5))
    soft, hard = turn - margin, turn - margin / 2
    left = _left_s(match_ms, left_ms, used_s)
    if left is not None:
        moves_to_go = max(6, min(25, empty_cells // 6))
        spendable = left - min(0.5, left / 10)
        soft = min(soft, spendable / moves_to_go)
        hard = min(hard, soft + max(0.0, spendable - soft) / 4)
    soft = max(LEAST_S, soft)
    return Budget(soft, max(hard, soft + LEAST_S))


def _left_s(match_ms: int, left_ms: int | None, used_s: float) -> float | None:
    """Seconds left for the game, None for no limit."""
    if left_ms is not None:
        return None if left_ms >= UNLIMITED_MS else max(0.0, left_ms / 1000)
    return max(0.0, match_ms / 1000 - used_s) if match_ms > 0 else None
