"""Who plays a game, their clocks, and what the state of a session refuses."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from wuzi.contract import Limit
from wuzi.core import Game
from wuzi.errors import IllegalMoveError

REST_S = 5.0
"""Taking back an action leaves at least these seconds on a clock that has them: enough for a move."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds left for the rest of the game, never below zero, and an increment after each action in time.

    With ``move_s`` they are those of one action, and each action in time begins them anew. ``owed_s`` are
    increments of actions that were taken back when they were used up already: the next ones pay for them.
    """

    left_s: float
    increment_s: float = 0.0
    move_s: float | None = None
    owed_s: float = 0.0

    @property
    def has_flagged(self) -> bool:
        """Whether the time is used up."""
        return self.left_s <= 0

    def run(self, elapsed_s: float) -> Clock:
        """The clock after ``elapsed_s`` without an action.

        >>> Clock(10, increment_s=2).run(3).left_s
        7
        """
        return replace(self, left_s=max(0.0, self.left_s - max(0.0, elapsed_s)))

    def spend(self, elapsed_s: float) -> Clock:
        """The clock after an action that took ``elapsed_s``; no increment once it has run out.

        >>> Clock(10, increment_s=2).spend(3).left_s
        9.0
        >>> Clock(10, move_s=15).spend(3).left_s
        15
        >>> Clock(10, increment_s=2).spend(10).has_flagged
        True
        """
        after = self.run(elapsed_s)
        if after.has_flagged:
            return after
        return after.earn() if self.move_s is None else replace(after, left_s=self.move_s)

    def earn(self) -> Clock:
        """The clock with the increment of one action more, less what is owed."""
        paid_s = min(self.owed_s, self.increment_s)
        return replace(self, left_s=self.left_s + self.increment_s - paid_s, owed_s=self.owed_s - paid_s)

    def give_back(self) -> Clock:
        """The clock without the increment of an action that is taken back; :meth:`earn` undoes this.

        >>> Clock(10, increment_s=2).give_back().left_s
        8
        >>> short = Clock(6, increment_s=2).give_back()
        >>> short.left_s, short.owed_s, short.earn().left_s
        (5.0, 1.0, 6.0)
        """
        given_s = min(self.increment_s, max(0.0, self.left_s - REST_S))
        return replace(self, left_s=self.left_s - given_s, owed_s=self.owed_s + self.increment_s - given_s)


class SeatKind(StrEnum):
    """What sits at a seat."""

    HUMAN = "human"
    ENGINE = "engine"


@dataclass(frozen=True, slots=True)
class Seat:
    """One side of a game, apart from its colour (swap openings change colours, never seats).

    Attributes:
        player: for an engine, what the face knows it by: a spec string or an id of its own list.
        level: for an engine, the name of the level chosen, if the face has levels.
        limit: an engine's budget of one move; ``clock_s`` and ``increment_s`` give either kind a clock.
        name: a display name; empty for the face's default.
        move_s: seconds of a clock that begins anew with each action, in place of one for the whole game.
        ponders: an engine that thinks while the person against it does.
    """

    kind: SeatKind = SeatKind.HUMAN
    player: str = ""
    level: str = ""
    limit: Limit = field(default_factory=Limit)
    name: str = ""
    move_s: float | None = None
    ponders: bool = False

    @property
    def is_human(self) -> bool:
        """Whether a person acts here."""
        return self.kind is SeatKind.HUMAN

    def clock(self) -> Clock | None:
        """A full clock for the game; None where nobody counts the time."""
        if self.move_s is not None:
            return Clock(self.move_s, move_s=self.move_s)
        return None if self.limit.clock_s is None else Clock(self.limit.clock_s, self.limit.increment_s)


class TurnError(IllegalMoveError):
    """Something that the state of the session does not allow now.

    Attributes:
        code: a stable word for programs: ``not_your_turn``, ``ply_mismatch``, ``engine_busy``,
            ``nothing_to_undo``, ``nothing_to_redo``, ``draw_refused``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Search:
    """The right to answer for an engine seat at a ply; an answer with an outdated one is dropped."""

    id: int
    seat: int
    ply: int


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an engine could not answer; the game waits until it is resumed.

    ``code`` is a stable word for programs, ``log`` the last lines of its process, if there are any to show.
    """

    code: str
    message: str
    log: str = ""


def acting_seats(game: Game) -> list[int]:
    """Which seat made each action of a game."""
    return [game.at(count).seat_to_act for count in range(len(game.actions))]
