"""What the threads of ``pbrain-wuzi`` hand each other: jobs and answers. Needs no compiled kernels."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from wuzi.core.types import Color
from wuzi.players.chance import balanced_three
from wuzi.players.weight_table import best_cell
from wuzi.protocols.gomocup.requests import GomocupTask, Request
from wuzi.protocols.gomocup.steps import different

if TYPE_CHECKING:
    from wuzi.contract import SearchInfo, Stop

WIN_LENGTH = 5


@dataclass(frozen=True, slots=True)
class ThinkAnswer:
    """The cells to place (None to swap, none to keep), and why the score table stands in, if it does."""

    request: Request
    cells: tuple[int, ...] | None
    trouble: str | None = None
    info: SearchInfo | None = None


@dataclass(frozen=True, slots=True)
class ThinkProgress:
    """What the search for a request knows so far."""

    request: Request
    info: SearchInfo


@dataclass(slots=True)
class ThinkJob:
    """One request on its way through the thinking thread.

    Attributes:
        request: what is asked.
        arrived: the monotonic time from which the budget counts.
        ponder: think in the opponent's time; nothing is answered.
        stopped: whether an answer is wanted at once.
        stop: the same for the search, once there is one.
        best: the best move so far, for the case that time runs out before the search answers.
    """

    request: Request
    arrived: float
    ponder: bool = False
    stopped: threading.Event = field(default_factory=threading.Event)
    stop: Stop | None = None
    best: int | None = None


def fallback_answer(request: Request) -> tuple[int, ...]:
    """An answer from the score table alone, in a few milliseconds and without compiled kernels."""
    if request.task in (GomocupTask.FORBIDDEN, GomocupTask.CHOOSE):
        return ()
    if request.task is GomocupTask.PICK:
        return request.choices[:1]
    if request.opening is not None and not request.opening:
        return balanced_three(request.size, 0)
    stones = request.stones or tuple(
        (cell, Color.WHITE if index % 2 else Color.BLACK) for index, cell in enumerate(request.opening or ())
    )
    cells = [0] * request.size**2
    for cell, color in stones:
        cells[cell] = int(color)
    if cells.count(0) - len(request.blocked - request.taken()) >= max(request.cells_asked()):
        for cell in request.blocked:
            cells[cell] = cells[cell] or 3
    first = best_cell(cells, request.size, WIN_LENGTH, int(request.me))
    if request.task is GomocupTask.FIFTHS:
        return fifth_move_offers(request, [first])
    if request.task is not GomocupTask.BALANCE_TWO:
        return (first,)
    cells[first] = int(request.me)
    return (first, best_cell(cells, request.size, WIN_LENGTH, int(request.me.opponent)))


def fifth_move_offers(request: Request, best: Sequence[int]) -> tuple[int, ...]:
    """As many different moves as are asked for: the best ones, then those nearest to the centre."""
    size, middle = request.size, request.size // 2
    near = sorted(range(size**2), key=lambda cell: max(abs(cell // size - middle), abs(cell % size - middle)))
    return different(chain(best, near), request.stones, size, request.multipv)
