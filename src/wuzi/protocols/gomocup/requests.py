"""What the engine's side of the Gomocup protocol asks of its owner: requests and events."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from wuzi.core.rules import Rule
from wuzi.core.types import Color
from wuzi.protocols.gomocup.limits import MoveBudget


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
    FORBIDDEN = "forbidden"
    """The cells that Black may not play; there may be none."""


@dataclass(frozen=True, slots=True)
class Request:
    """What the engine shall answer.

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
        blocked: cells that shall not be considered.
        bias: the score, for the side to move, that counts as balanced.
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

    def taken(self) -> set[int]:
        """The occupied cells."""
        return {cell for cell, _ in self.stones} | set(self.opening or ())

    def cells_asked(self) -> set[int]:
        """How many cells an answer may have."""
        if self.task is GomocupTask.OPENING:
            return {0: {3}, 3: {1, 2}, 5: {1}}[len(self.opening or ())]
        return {2} if self.task is GomocupTask.BALANCE_TWO else {1}

    def check(self, cells: tuple[int, ...] | None) -> None:
        """Refuse an answer that cannot be played, by a ValueError; None is a swap."""
        if cells is None and self.opening and self.task is GomocupTask.OPENING:
            return
        if cells is None or len(set(cells)) != len(cells):
            raise ValueError(f"answer {cells} to a request for cells")
        if self.task is not GomocupTask.FORBIDDEN and len(cells) not in self.cells_asked():
            raise ValueError(f"answer {cells} to a request for {self.cells_asked()} cells")
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
