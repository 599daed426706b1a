"""The thinking half of ``pbrain-wuzi``: loads the player in the background and never lacks an answer."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wuzi.core.types import Color
from wuzi.players.openings import balanced_three
from wuzi.players.weight_table import best_cell
from wuzi.protocols.gomocup_session import Request

if TYPE_CHECKING:
    from wuzi.contract import Limit, Player, PlayResult, Stop
    from wuzi.core.game import Game

logger = logging.getLogger(__name__)

WIN_LENGTH = 5

_WAIT_SHARE = 0.5
"""Part of a move's time that is spent waiting for a player that is still loading."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the thinker came up with.

    Attributes:
        request: what was asked.
        cells: the cells to place, None to swap.
        trouble: why the score table had to stand in for the player, if something is wrong.
    """

    request: Request
    cells: tuple[int, ...] | None
    trouble: str | None = None


@dataclass(slots=True)
class _Job:
    request: Request
    arrived: float
    stopped: threading.Event
    stop: Stop | None = None


def stand_in(request: Request) -> tuple[int, ...]:
    """An answer from the score table alone, in a few milliseconds and without compiled kernels."""
    if request.opening is not None and not request.opening:
        return balanced_three(request.size, 0)
    stones = request.stones or tuple(
        (cell, Color.WHITE if index % 2 else Color.BLACK) for index, cell in enumerate(request.opening or ())
    )
    cells = [0] * request.size**2
    for cell, color in stones:
        cells[cell] = int(color)
    return (best_cell(cells, request.size, WIN_LENGTH, int(request.me)),)


class Thinker:
    """Owns the player; thinks in one background thread, loads the player in another.

    Until the player is ready (its kernels may have to be compiled), moves come from the score table.

    Args:
        spec: the player's spec string.
        on_answer: called from the background with each answer.
        on_failure: called from the background when the player cannot be made, with the reason.
    """

    def __init__(
        self, spec: str, on_answer: Callable[[Answer], None], on_failure: Callable[[Exception], None]
    ) -> None:
        self._spec = spec
        self._on_answer = on_answer
        self._on_failure = on_failure
        self._player: Player | None = None
        self._ready = threading.Event()
        self._jobs: queue.Queue[_Job] = queue.Queue()
        self._current: _Job | None = None

    def start(self) -> None:
        """Begin to load the player."""
        for target in (self._load, self._work):
            threading.Thread(target=target, name=f"pbrain{target.__name__}", daemon=True).start()

    def think(self, request: Request, arrived: float) -> None:
        """Begin to think; ``arrived`` is the monotonic time from which the budget counts."""
        self._current = _Job(request, arrived, threading.Event())
        self._jobs.put(self._current)

    def stop(self) -> None:
        """Make the current thinking answer as soon as it can."""
        job = self._current
        if job is not None:
            job.stopped.set()
            if job.stop is not None:
                job.stop.set()

    def close(self) -> None:
        """Release the player (which may be another process)."""
        self.stop()
        if self._player is not None:
            self._player.close()

    def _load(self) -> None:
        try:
            from wuzi.contract import Limit
            from wuzi.core.game import Game
            from wuzi.core.rules import Rules
            from wuzi.players.registry import create_player

            player = create_player(self._spec, allow_command=True)
            rules = Rules(size=15)
            if player.capabilities.why_not(rules) is None:
                # A first short search loads what the player imports only when it thinks.
                player.think(Game(rules).play("h8"), Limit(time_s=0.01, nodes=1))
        except Exception as error:
            logger.exception("cannot load %s", self._spec)
            self._on_failure(error)
            return
        self._player = player
        self._ready.set()
        logger.info("%s is ready", player.name)

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            try:
                answer = self._answer(job)
            except Exception as error:
                logger.exception("thinking failed")
                text = " ".join(str(error).split())[:200]
                answer = Answer(job.request, stand_in(job.request), f"{type(error).__name__}: {text}")
            self._on_answer(answer)

    def _answer(self, job: _Job) -> Answer:
        request = job.request
        if not request.stones and request.opening is None:
            return Answer(request, stand_in(request))
        self._wait_until_ready(job)
        if self._player is None:
            logger.info("still loading: this answer comes from the score table")
            return Answer(request, stand_in(request))
        return Answer(request, _ask(self._player, job))

    def _wait_until_ready(self, job: _Job) -> None:
        until = job.arrived + job.request.budget.soft_s * _WAIT_SHARE
        while not self._ready.is_set() and not job.stopped.is_set() and time.monotonic() < until:
            self._ready.wait(0.01)


def _ask(player: Player, job: _Job) -> tuple[int, ...] | None:
    """The player's answer to a request: cells, or None to swap."""
    from wuzi.contract import Stop
    from wuzi.core.types import Keep, Place, PlaceSeveral, Swap

    stop = Stop()
    job.stop = stop
    if job.stopped.is_set():
        stop.set()

    def think(game: Game) -> PlayResult:
        return player.think(game, _limit(job), stop=stop)

    game = _game(job.request)
    action = think(game).action
    if isinstance(action, Keep):
        # The protocol has no word for keeping White: one just plays on with it.
        action = think(game.act(action)).action
    if isinstance(action, Swap):
        return None
    if isinstance(action, PlaceSeveral):
        return tuple(int(move) for move in action.moves)
    assert isinstance(action, Place)
    return (int(action.move),)


def _limit(job: _Job) -> Limit:
    from wuzi.contract import Limit

    request = job.request
    left = job.arrived + request.budget.soft_s - time.monotonic()
    return Limit(time_s=max(0.005, left), nodes=request.max_nodes, depth=request.max_depth)


def _game(request: Request) -> Game:
    """The game as the player gets it: a set-up position, or a swap2 opening at its point of choice."""
    from wuzi.core.game import Game
    from wuzi.core.position import Position
    from wuzi.core.rules import Opening, Rules
    from wuzi.core.types import Move, PlaceSeveral

    if request.opening is not None:
        game = Game(Rules(request.size, WIN_LENGTH, request.rule, Opening.SWAP2))
        moves = tuple(Move(cell) for cell in request.opening)
        for several in (moves[:3], moves[3:]):
            game = game.act(PlaceSeveral(several)) if several else game
        return game
    rules = Rules(request.size, WIN_LENGTH, request.rule)
    cells = [0] * rules.num_cells
    for cell, color in request.stones:
        cells[cell] = int(color)
    theirs = [cell for cell, color in request.stones if color != request.me]
    last = Move(theirs[-1]) if theirs else None
    return Game(rules, Position.from_cells(rules, cells, request.me, last))
