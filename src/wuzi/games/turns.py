"""Whose turn it is not, the right to answer for an engine, and why an engine could not."""

from __future__ import annotations

from dataclasses import dataclass

from wuzi.errors import IllegalMoveError


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
