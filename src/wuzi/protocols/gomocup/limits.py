"""What INFO lines say, and what they mean for one request: the rule and the time."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from wuzi.core.rules import Rule
from wuzi.protocols.gomocup.wire import UNLIMITED_MS, parse_whole, printable, rule_from_code

DEFAULT_TURN_S = 5.0
"""Seconds a move when the manager never sent ``timeout_turn``."""

_LEAST_SOFT_S, _LEAST_HARD_S = 0.02, 0.025
"""The budget when there is no time at all: the only one that is longer than a limit."""

_RESERVE_S = 1.0
"""Seconds of a game's clock that are never spent on thinking, as far as the clock has as many."""

_MOST_OF_CLOCK = 0.2
"""Share of what is left of a game's clock that one move may take at most."""

_GRAPHICAL_RULES = {2: Rule.RENJU, 5: Rule.FREESTYLE, 6: Rule.FREESTYLE}
"""Numbers that graphical interfaces use: renju, and freestyle with a swap opening."""


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


@dataclass(slots=True)
class Limits:
    """The last value of each key, in the protocol's units; 0 means no limit."""

    rule: int = 0
    timeout_turn: int | None = None
    timeout_match: int = 0
    time_left: int | None = None
    time_increment: int = 0
    max_memory: int = 0
    max_node: int = 0
    max_depth: int = 0
    hash_size: int = 0
    thread_num: int = 0
    show_detail: int = 0
    pondering: int = 0
    graphical: bool = False
    _good_rule: int = 0
    _problem: str | None = None

    def set(self, args: str) -> None:
        """Take the rest of an INFO line. Unknown keys are ignored, wrong values remembered as a problem."""
        key, _, text = args.partition(" ")
        name = key.lower()
        if name not in _KEYS:
            return
        value = parse_whole(text)
        if value is None and name.startswith("max_") and text.strip().isdigit():
            value = 0  # more digits than any search can count
        if value is None:
            self._problem = f"INFO {name} {printable(text)}: expected a whole number"
        else:
            setattr(self, name, value)

    def rule_in_force(self) -> Rule | None:
        """The rule in force; None for one that is not played here.

        Number 2 is the continuous game for a referee and renju for a graphical interface, which is
        known by the commands it sends.
        """
        if self.graphical and self.rule in _GRAPHICAL_RULES:
            return _GRAPHICAL_RULES[self.rule]
        return rule_from_code(self.rule)

    def take_problem(self) -> str | None:
        """What is wrong with the limits, told once; an impossible rule gives way to the one before it."""
        problem, self._problem = self._problem, None
        if self.rule_in_force() is None:
            problem = f"rule {self.rule} is not supported: expected 0, 1, 4, 8 or 9"
            self.rule = self._good_rule
        self._good_rule = self.rule
        return problem

    def budget(self, used_s: float) -> MoveBudget:
        """The time for one answer; see :func:`think_budget`."""
        return think_budget(
            turn_ms=self.timeout_turn,
            match_ms=self.timeout_match,
            left_ms=self.time_left,
            used_s=used_s,
            increment_ms=self.time_increment,
        )


_KEYS = {field.name for field in dataclasses.fields(Limits) if field.name[0] != "_"} - {"graphical"}


def think_budget(
    *, turn_ms: int | None, match_ms: int, left_ms: int | None, used_s: float, increment_ms: int = 0
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
