"""Who plays: a person at this face, or a player that thinks."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from wuzi.contract import Limit
from wuzi.games.clock import Clock


class SeatKind(StrEnum):
    """What sits at a seat."""

    HUMAN = "human"
    ENGINE = "engine"


@dataclass(frozen=True, slots=True)
class Seat:
    """One side of a game, apart from its colour (swap openings change colours, never seats).

    Attributes:
        kind: human or engine.
        player: for an engine, what the face knows it by: a spec string or an id of its own list.
        level: for an engine, the name of the level chosen, if the face has levels.
        limit: for an engine, the budget of one move; ``clock_s`` and ``increment_s`` give either kind a
            clock for the whole game.
        name: a display name; empty for the face's default.
    """

    kind: SeatKind = SeatKind.HUMAN
    player: str = ""
    level: str = ""
    limit: Limit = field(default_factory=Limit)
    name: str = ""

    @property
    def is_human(self) -> bool:
        """Whether a person acts here."""
        return self.kind is SeatKind.HUMAN

    def clock(self) -> Clock | None:
        """A full clock for the game; None where nobody counts the time."""
        return None if self.limit.clock_s is None else Clock(self.limit.clock_s, self.limit.increment_s)
