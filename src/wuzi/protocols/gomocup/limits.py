"""What INFO lines say, and what they mean for one request."""

from __future__ import annotations

from dataclasses import dataclass

from wuzi.core.rules import Rule
from wuzi.protocols.gomocup.time import MoveBudget, think_budget
from wuzi.protocols.gomocup.wire import parse_whole, rule_from_code

_KEYS = {
    "rule": "rule_code",
    "timeout_turn": "timeout_turn",
    "timeout_match": "timeout_match",
    "time_left": "time_left",
    "time_increment": "time_increment",
    "max_memory": "max_memory",
    "max_node": "max_node",
    "max_depth": "max_depth",
    "hash_size": "hash_size",
    "thread_num": "thread_num",
    "show_detail": "show_detail",
    "pondering": "pondering",
}

_GRAPHICAL_RULES = {2: Rule.RENJU, 5: Rule.FREESTYLE, 6: Rule.FREESTYLE}
"""Numbers that graphical interfaces use: renju, and freestyle with a swap opening."""

_SHOWN = 40


@dataclass(slots=True)
class Limits:
    """The last value of each key, in the protocol's units; 0 means no limit."""

    rule_code: int = 0
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
        name = _KEYS.get(key.lower())
        if name is None:
            return
        value = parse_whole(text)
        if value is None and name.startswith("max_") and text.strip().isdigit():
            value = 0  # more digits than any search can count
        if value is None:
            self._problem = f"INFO {key.lower()} {printable(text)}: expected a whole number"
        else:
            setattr(self, name, value)

    def rule(self) -> Rule | None:
        """The rule in force; None for one that is not played here.

        Number 2 is the continuous game for a referee and renju for a graphical interface, which is
        known by the commands it sends.
        """
        if self.graphical and self.rule_code in _GRAPHICAL_RULES:
            return _GRAPHICAL_RULES[self.rule_code]
        return rule_from_code(self.rule_code)

    def take_problem(self) -> str | None:
        """What is wrong with the limits, told once; an impossible rule gives way to the one before it."""
        problem, self._problem = self._problem, None
        if self.rule() is None:
            problem = f"rule {self.rule_code} is not supported: expected 0, 1, 4, 8 or 9"
            self.rule_code = self._good_rule
        self._good_rule = self.rule_code
        return problem

    def budget(self, used_s: float) -> MoveBudget:
        """The time for one answer; see :func:`wuzi.protocols.gomocup.time.think_budget`."""
        return think_budget(
            turn_ms=self.timeout_turn,
            match_ms=self.timeout_match,
            left_ms=self.time_left,
            used_s=used_s,
            increment_ms=self.time_increment,
        )


def printable(text: str) -> str:
    """At most 40 printable ASCII characters of a text, to be repeated in an answer."""
    cut = "".join(char if " " <= char <= "~" else "?" for char in text[:_SHOWN])
    return cut + "..." if len(text) > _SHOWN else cut
