"""What the engine's side of the Gomocup protocol asks of its owner: requests, limits, events."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import Enum

from wuzi.contract import MAX_CLOCK_SHARE
from wuzi.core.rules import Rule
from wuzi.core.types import Color
from wuzi.protocols.gomocup.wire import UNLIMITED_MS, parse_whole, printable, rule_from_code, split_word

DEFAULT_TURN_S = 5.0
"""Seconds a move when the manager never sent ``timeout_turn``."""

_LEAST_SOFT_S, _LEAST_HARD_S = 0.02, 0.025
"""The budget when there is no time at all: the only one that is longer than a limit."""

_RESERVE_S = 1.0
"""Seconds of a game's clock that are never spent on thinking, as far as the clock has as many."""

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

    def set(self, args: str) -> str | None:
        """Take the rest of an INFO line; what is wrong with its value, None if nothing is.

        Unknown keys are ignored, and so are decimals. A wrong value changes nothing.
        """
        key, text = split_word(args)
        name = key.lower()
        if name not in _KEYS:
            return None
        whole, _, decimals = text.strip().partition(".")
        value = parse_whole(whole) if not decimals or decimals.isdigit() else None
        if value is None and name.startswith("max_") and text.strip().isdigit():
            value = 0  # more digits than any search can count
        if value is None:
            return f"INFO {name} {printable(text)}: expected a number, the line is ignored"
        setattr(self, name, value)
        return None

    def rule_in_force(self) -> Rule | None:
        """The rule in force; None for one that is not played here.

        Number 2 is the continuous game for a referee and renju for a graphical interface, which is
        known by the commands it sends.
        """
        if self.graphical and self.rule in _GRAPHICAL_RULES:
            return _GRAPHICAL_RULES[self.rule]
        return rule_from_code(self.rule)

    def take_problem(self) -> str | None:
        """What is wrong with the rule, told once; an impossible rule is replaced by the one before it."""
        problem = None
        if self.rule_in_force() is None:
            problem = f"rule {self.rule} is not supported: expected 0, 1, 4, 8 or 9"
            self.rule = self._good_rule
        self._good_rule = self.rule
        return problem

    def budget(self, used_s: float) -> MoveBudget:
        """The time for one answer, within every limit of 25 ms or more.

        How much of a game's clock a move is worth is the search's own affair
        (:mod:`wuzi.search.time_management`); here is what it may not exceed. ``used_s`` are the seconds used
        in this game as we counted them, for a manager that does not say.
        """
        turn_ms = self.timeout_turn
        turn = DEFAULT_TURN_S if turn_ms is None else min(max(0, turn_ms), UNLIMITED_MS) / 1000
        # A part of a short move, at most 0.3 s, is left for pipes, the scheduler and the referee's clock.
        margin = min(0.3, max(0.012, turn / 20))
        soft, hard = turn - margin, turn - margin / 3
        left = max(0.0, self.timeout_match / 1000 - used_s) if self.timeout_match > 0 else None
        if self.time_left is not None:
            left = None if self.time_left >= UNLIMITED_MS else max(0.0, self.time_left / 1000)
        spendable = None
        if left is not None:
            spendable = max(0.0, left - min(_RESERVE_S, left / 5))
            soft = min(soft, spendable * MAX_CLOCK_SHARE)
            hard = min(hard, soft + (spendable - soft) / 4)
        increment = max(0, self.time_increment) / 1000
        return MoveBudget(max(_LEAST_SOFT_S, soft), max(_LEAST_HARD_S, hard), spendable, increment)


_KEYS = {field.name for field in dataclasses.fields(Limits) if field.name[0] != "_"} - {"graphical"}


@dataclass(frozen=True, slots=True)
class About:
    """What the engine says about itself: the answer to ABOUT, its title for people, and what it can use.

    ``max_hash_log2_kb`` is the largest transposition table, as the power of two of its kilobytes.
    """

    line: str
    title: str = ""
    max_threads: int = 1
    max_hash_log2_kb: int = 22


class GomocupTask(Enum):
    """What a request is about."""

    MOVE = "move"
    """One move of the side to move."""
    OPENING = "opening"
    """The stones of a swap2 opening, or its choice of colour."""
    BALANCE_ONE = "balance_one"
    """One move after which both sides stand alike."""
    BALANCE_TWO = "balance_two"
    """Two moves, of one colour each, after which both sides stand alike."""
    CHOOSE = "choose"
    """Whether the other colour is better: None to take it, no cells to keep one's own. With ``multipv`` of n
    the side to move will play the n-th best of its moves."""
    FIFTHS = "fifths"
    """``multipv`` moves, none the mirror image of another, of which the opponent will choose one."""
    PICK = "pick"
    """One of ``choices``, stones of the opponent of which it will keep that one alone."""
    FORBIDDEN = "forbidden"
    """The cells that Black may not play; there may be none."""


@dataclass(frozen=True, slots=True)
class Request:
    """What the engine is to answer.

    Attributes:
        size: rows and columns.
        rule: the rule in force.
        stones: (cell, colour) on the board, as far as known in the order they were played.
        me: the engine's colour, which is to move.
        opening: None for a move; for SWAP2BOARD its 0, 3 or 5 cells in order (``stones`` is empty then).
        budget: how long it may take.
        max_nodes, max_depth: limits of the search, None for none.
        max_memory: bytes that the process may use, 0 for no limit.
        hash_kb: kilobytes that the transposition table may use, 0 for no limit.
        threads: threads that the search may use, 0 where nothing was said.
        task: what is asked.
        multipv: how many candidates to look for.
        blocked: cells that must not be considered.
        bias: the score, for the side to move, that counts as balanced.
        choices: the cells of which PICK takes one; they are not in ``stones``.
    """

    size: int
    rule: Rule
    stones: tuple[tuple[int, Color], ...]
    me: Color
    opening: tuple[int, ...] | None
    budget: MoveBudget
    max_nodes: int | None = None
    max_depth: int | None = None
    max_memory: int = 0
    hash_kb: int = 0
    threads: int = 0
    task: GomocupTask = GomocupTask.MOVE
    multipv: int = 1
    blocked: frozenset[int] = frozenset()
    bias: int = 0
    choices: tuple[int, ...] = ()

    def taken(self) -> set[int]:
        """The occupied cells."""
        return {cell for cell, _ in self.stones} | set(self.opening or ())

    def cells_asked(self) -> set[int]:
        """How many cells an answer may have."""
        if self.task is GomocupTask.CHOOSE:
            return {0}
        if self.task is GomocupTask.FIFTHS:
            return {self.multipv}
        if self.task is GomocupTask.OPENING:
            return {0: {3}, 3: {1, 2}, 5: {1}}[len(self.opening or ())]
        return {2} if self.task is GomocupTask.BALANCE_TWO else {1}

    def check(self, cells: tuple[int, ...] | None) -> None:
        """Refuse an answer that cannot be played, by a ValueError; None is a swap."""
        may_swap = self.task is GomocupTask.CHOOSE or (self.opening and self.task is GomocupTask.OPENING)
        if cells is None and may_swap:
            return
        if cells is None or len(set(cells)) != len(cells):
            raise ValueError(f"answer {cells} to a request for cells")
        if self.task is not GomocupTask.FORBIDDEN and len(cells) not in self.cells_asked():
            raise ValueError(f"answer {cells} to a request for {self.cells_asked()} cells")
        if self.task is GomocupTask.PICK and cells[0] not in self.choices:
            raise ValueError(f"answer {cells} to a request for one of {self.choices}")
        taken = self.taken()
        for cell in cells:
            if cell in taken or not 0 <= cell < self.size**2:
                raise ValueError(f"answer {cell % self.size},{cell // self.size} cannot be played")


@dataclass(frozen=True, slots=True)
class GomocupReply:
    """Send this line."""

    text: str


@dataclass(frozen=True, slots=True)
class Think:
    """Think, then call :meth:`wuzi.protocols.gomocup.session.Session.answer`."""

    request: Request


@dataclass(frozen=True, slots=True)
class Ponder:
    """Think about the opponent's reply to what was answered, until the next command that matters."""

    request: Request


@dataclass(frozen=True, slots=True)
class StopThinking:
    """Answer as soon as possible; stop thinking in the opponent's time."""


@dataclass(frozen=True, slots=True)
class Forget:
    """Clear the tables of the search."""


@dataclass(frozen=True, slots=True)
class Exit:
    """End the process now."""


Event = GomocupReply | Think | Ponder | StopThinking | Forget | Exit
