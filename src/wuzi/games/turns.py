"""Whose turn it is not, the right to answer for an engine, and why an engine could not."""

from __future__ import annotations

from dataclasses import dataclass

from wuzi.core.game import Game
from wuzi.errors import IllegalMoveError

DRAW_MARGIN = 0.1
"""An engine takes a draw when its win rate is this near to one half."""


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
    """The right to answer for an engine seat; an answer with an outdated one is dropped.

    Attributes:
        id: grows with each search of the session.
        seat: the engine's seat.
        ply: stones on the board when it began.
    """

    id: int
    seat: int
    ply: int


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an engine could not answer; the game waits until it is resumed.

    Attributes:
        code: a stable word for programs.
        message: one line for people.
        log: the last lines of its process, where there are any to show.
    """

    code: str
    message: str
    log: str = ""


def check_draw(winrate: float | None) -> None:
    """Whether an engine takes a draw at this win rate of Black's.

    Raises:
        TurnError: it does not.
    """
    if winrate is None or abs(winrate - 0.5) > DRAW_MARGIN:
        seen = "an unknown win rate" if winrate is None else f"{winrate:.0%} for Black"
        raise TurnError("draw_refused", f"the engine plays on: it sees {seen}")


def acting_seats(game: Game) -> list[int]:
    """Which seat made each action of a game."""
    seats = []
    for count in reversed(range(len(game.actions))):
        game = game.at(count)
        seats.append(game.seat_to_act)
    return seats[::-1]
