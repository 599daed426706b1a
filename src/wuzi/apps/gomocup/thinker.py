"""The thinking half of ``pbrain-wuzi``: one background thread that never lacks an answer."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wuzi.apps.gomocup.players import Roster
from wuzi.core.types import Color
from wuzi.players.openings import balanced_three
from wuzi.players.weight_table import best_cell
from wuzi.protocols.gomocup.requests import GomocupTask, Request

if TYPE_CHECKING:
    from wuzi.contract import Player, SearchInfo, Stop

logger = logging.getLogger(__name__)

WIN_LENGTH = 5

_WAIT_SHARE = 0.5
"""Part of a move's time that is spent waiting for a player that is still loading."""

_WORTH_WAITING_S = 10.0
"""With less time for a move, kernels that have to be compiled first are not waited for."""


@dataclass(frozen=True, slots=True)
class ThinkAnswer:
    """What the thinker came up with.

    Attributes:
        request: what was asked.
        cells: the cells to place, None to swap.
        trouble: why the score table had to stand in for the player, if something is wrong.
        info: what the search knew, if there was one.
    """

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


def stand_in(request: Request) -> tuple[int, ...]:
    """An answer from the score table alone, in a few milliseconds and without compiled kernels."""
    if request.task is GomocupTask.FORBIDDEN:
        return ()
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
    if request.task is not GomocupTask.BALANCE_TWO:
        return (first,)
    cells[first] = int(request.me)
    return (first, best_cell(cells, request.size, WIN_LENGTH, int(request.me.opponent)))


class Thinker:
    """Thinks in one background thread; the players are loaded in others.

    Until a player is ready (its kernels may have to be compiled), moves come from the score table.

    Args:
        specs: the players' spec strings in order of preference.
        on_answer: called from the background with each answer.
        on_progress: called from the background while a search goes on.
        on_failure: called from the background when a player cannot be made, with the reason.
    """

    def __init__(
        self,
        specs: Sequence[str],
        on_answer: Callable[[ThinkAnswer], None],
        on_progress: Callable[[ThinkProgress], None],
        on_failure: Callable[[Exception], None],
    ) -> None:
        self._on_answer = on_answer
        self._on_progress = on_progress
        self._roster = Roster(specs, on_failure)
        self._jobs: queue.Queue[ThinkJob] = queue.Queue()
        self._current: ThinkJob | None = None
        self._forget = threading.Event()
        self._expected: int | None = None

    def start(self) -> None:
        """Begin to load the player."""
        self._roster.start()
        threading.Thread(target=self._work, name="pbrain_think", daemon=True).start()

    def wait_until_ready(self, until: float) -> None:
        """Wait for the player until a monotonic time, unless its kernels have to be compiled."""
        self._roster.wait_for_first(until)

    def think(self, request: Request, arrived: float, *, ponder: bool = False) -> None:
        """Begin to think; ``arrived`` is the monotonic time from which the budget counts."""
        self.stop()
        self._current = ThinkJob(request, arrived, ponder)
        self._jobs.put(self._current)

    def stop(self) -> None:
        """Make the current thinking answer as soon as it can."""
        job = self._current
        if job is not None:
            job.stopped.set()
            if job.stop is not None:
                job.stop.set()

    @property
    def pondering(self) -> bool:
        """Whether the opponent's time is being used."""
        return self._current is not None and self._current.ponder and not self._current.stopped.is_set()

    def forget(self) -> None:
        """Let the next search begin with empty tables."""
        self._forget.set()

    def best_so_far(self, request: Request) -> tuple[int, ...]:
        """What to answer when time is up: the search's best move so far, else the score table's."""
        job = self._current
        if job is not None and job.request is request and job.best is not None:
            return (job.best,)
        return stand_in(request)

    def close(self) -> None:
        """Release the players."""
        self.stop()
        self._roster.close()

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            try:
                answer = self._answer(job)
            except Exception as error:
                logger.exception("thinking failed")
                text = " ".join(str(error).split())[:200]
                answer = ThinkAnswer(job.request, stand_in(job.request), f"{type(error).__name__}: {text}")
            if not job.ponder:
                self._on_answer(answer)

    def _answer(self, job: ThinkJob) -> ThinkAnswer:
        request = job.request
        if request.task is GomocupTask.FORBIDDEN:
            from wuzi.apps.gomocup.asking import forbidden_cells

            return ThinkAnswer(request, forbidden_cells(request))
        player = self._wait_for_player(job)
        if player is None:
            logger.info("still loading: this answer comes from the score table")
            return ThinkAnswer(request, stand_in(request))
        return self._ask(player, job)

    def _ask(self, player: Player, job: ThinkJob) -> ThinkAnswer:
        from wuzi.apps.gomocup import asking as gomocup_asking

        if self._forget.is_set():
            self._forget.clear()
            gomocup_asking.forget(player)
        if job.ponder:
            gomocup_asking.ponder(player, job, self._expected)
            return ThinkAnswer(job.request, None)
        self._expected = None
        answer = gomocup_asking.ask(player, job, self._on_progress)
        if answer.info is not None and answer.info.lines and answer.info.lines[0].pv[1:]:
            self._expected = int(answer.info.lines[0].pv[1])
        return answer

    def _wait_for_player(self, job: ThinkJob) -> Player | None:
        from wuzi.core.rules import Opening, Rules

        request = job.request
        opening = Opening.SWAP2 if request.task is GomocupTask.OPENING else Opening.FREE
        rules = Rules(request.size, WIN_LENGTH, request.rule, opening)
        until = job.arrived + request.budget.soft_s * _WAIT_SHARE
        while (player := self._roster.find(rules)) is None and time.monotonic() < until:
            too_long = self._roster.is_cold and request.budget.soft_s < _WORTH_WAITING_S
            if too_long or job.stopped.is_set() or self._roster.settled(rules):
                break
            time.sleep(0.005)
        return player
