"""Driving a game for a face: engines think when it is their turn, clocks run, late answers are dropped.

Faces ask the pool with callbacks, from its own loop (the web) or from another one (a window).
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any

from wuzi.contract import Limit
from wuzi.core import Game
from wuzi.errors import ConfigError, PlayerError, WuziError
from wuzi.games.analysis_process import OnReply, PoolRequest
from wuzi.games.pool import PoolSearch, WorkerPool, failure_code
from wuzi.games.seats import Search
from wuzi.games.session import GameSession
from wuzi.protocols.analysis.queries import Start
from wuzi.protocols.analysis.wire import parse_action

logger = logging.getLogger(__name__)

CANDIDATES = 5
"""Moves that an engine reports."""
WATCH_S = 0.25
"""Seconds between two looks at the clock of an engine, whose process may have to be started first."""
PONDER_S = 120.0
"""An engine thinks about a person's turn for so long at most."""
FLAG_S = 0.02
"""A clock is looked at so long after it has run out, so that it has."""
_numbers = itertools.count(1)

Call = Callable[[], object]
OnFailed = Callable[[str, str, str], object]
"""Gets the stable word for a failure, a line for people, and the last lines of the process."""


class PoolClient:
    """Asks a pool from the pool's own loop; a face with another loop carries calls there and back."""

    def __init__(self, pool: WorkerPool) -> None:
        self._pool = pool

    @property
    def is_starting(self) -> bool:
        """Whether a worker process is being started; who waits for one meanwhile is charged no time."""
        return self._pool.is_starting

    def call(self, function: Call) -> None:
        """Run a function in the pool's loop."""
        function()

    def deliver(self, function: Call) -> None:
        """Run a function in the face's loop, soon."""
        function()

    def after(self, seconds: float, function: Call) -> None:
        """Run a function in the face's loop, so many seconds from now."""
        self.call(lambda: asyncio.get_running_loop().call_later(seconds, self.deliver, function))

    def ask(
        self,
        request: PoolRequest,
        on_done: OnReply,
        on_failed: OnFailed,
        on_info: OnReply | None = None,
        on_queue: Call | None = None,
        least_s: float = 0.0,
        background: bool = False,
    ) -> Question:
        """Have a request answered; one of the first two callbacks comes, and none after a cancel.

        ``on_info`` gets the reports in between, ``on_queue`` is called when :attr:`Question.ahead` has
        changed; the answer is kept back until ``least_s`` seconds have passed. What is asked in the
        ``background`` lets others go first.
        """
        question = Question(self)

        def tell(function: Call) -> None:
            self.deliver(lambda: function() if question.is_wanted else None)

        async def wait() -> None:
            try:
                question.search = search = self._pool.submit(
                    request,
                    None if on_info is None else lambda reply: tell(partial(on_info, reply)),
                    None if on_queue is None else lambda: tell(on_queue),
                    background=background,
                )
                reply = await search.answer
                await asyncio.sleep(least_s - question.elapsed_s)
            except PlayerError as error:
                log = "\n".join(getattr(error, "__notes__", ()))  # of the process, where that failed
                tell(partial(on_failed, failure_code(error), str(error), log))
            except Exception as error:  # a bug must end in a message, not in an engine that thinks for ever
                logger.exception("%s", request.id)
                tell(partial(on_failed, "engine_failed", f"{type(error).__name__}: {error}", ""))
            else:
                tell(partial(on_done, reply))

        def begin() -> None:
            question.task = asyncio.get_running_loop().create_task(wait())

        self.call(begin)
        return question


class Question:
    """An answer that somebody waits for."""

    def __init__(self, asker: PoolClient) -> None:
        self.is_wanted = True
        self.search: PoolSearch | None = None
        self.task: asyncio.Task[None] | None = None
        self._asker = asker
        self._began = time.monotonic()

    @property
    def elapsed_s(self) -> float:
        """Seconds since it was asked."""
        return time.monotonic() - self._began

    @property
    def ahead(self) -> int:
        """How many searches run or wait before this one."""
        return 0 if self.search is None else self.search.ahead

    @property
    def is_waiting(self) -> bool:
        """Whether no process has it yet."""
        return self.search is None or not self.search.has_worker

    def stop(self) -> None:
        """Ask for the answer now."""
        self._asker.call(lambda: None if self.search is None else self.search.stop())

    def cancel(self) -> None:
        """The answer is no longer wanted."""
        self.is_wanted = False
        self._asker.call(lambda: None if self.task is None else self.task.cancel())


class GameDriver(ABC):
    """A session, the search of the engine to act, and the clock of the seat to act.

    A face changes the session and then calls :meth:`changed`; the rest follows. All calls and callbacks come
    in the face's own loop, which never waits: the driver asks, and is called back. ``reply`` is the last
    answer of an engine, as it came; between two engines a move takes at least :attr:`pace_s` seconds.
    While a person thinks, an engine that ponders searches the same position; its process keeps what it found.
    """

    def __init__(self, session: GameSession, asker: PoolClient, pause_s: float) -> None:
        self.session = session
        self.asker = asker
        self.pause_s = pause_s
        self.thinking: Question | None = None
        self.pondering: Question | None = None
        self.reply: dict[str, Any] | None = None
        self.reply_winrate: float | None = None
        self._turn: tuple[GameSession, int, int | None] | None = None
        self._turn_began = time.monotonic()
        self._timer = 0
        self._pondered: Game | None = None

    @abstractmethod
    def engine_spec(self, search: Search) -> str:
        """The spec of the engine that thinks, with a seed; ConfigError if there is no such engine now."""

    @abstractmethod
    def show(self) -> None:
        """After each change, with the engine to act thinking already: keep the game and show it."""

    @abstractmethod
    def queued(self) -> None:
        """The engine to act has another place in the line for a worker."""

    @abstractmethod
    def reported(self, search: Search, reply: dict[str, Any]) -> None:
        """What a running search has said."""

    @abstractmethod
    def failed(self, code: str, message: str) -> None:
        """An engine has failed, and the game waits."""

    def may_think(self) -> bool:
        """Whether engines may think now."""
        return True

    def may_ponder(self) -> bool:
        """Whether an engine may think about a person's turn now."""
        return self.may_think()

    def kept_log(self, log: str) -> str:
        """What is kept of the last lines of a process that failed."""
        return ""

    @property
    def is_thinking(self) -> bool:
        """Whether an engine thinks about its move, or waits for a worker."""
        return self.thinking is not None

    @property
    def pace_s(self) -> float:
        """Least seconds of a move: none where a person plays."""
        if self.session.human_seats:
            return 0.0
        return self.pause_s if self.session.pace_s is None else self.session.pace_s

    @property
    def elapsed_s(self) -> float:
        """Seconds that the running clock has run in this turn; 0 while none runs."""
        return 0.0 if self.session.timed_seat is None else time.monotonic() - self._turn_began

    def time_left(self, seat: int) -> float | None:
        """Seconds on the clock of a seat now; None where nobody counts its time."""
        clock = self.session.clocks[seat]
        if clock is None:
            return None
        return clock.run(self.elapsed_s if self.session.timed_seat == seat else 0.0).left_s

    def changed(self) -> None:
        """After each change of the session: drop what is outdated, start what is due, show the game."""
        if self.session.search is None:
            self.drop_thinking()
        self.think()
        self.time_turn()
        self.show()

    def think(self) -> None:
        """Let the engine to act think, if there is one, it may, and it does not think already.

        One that ponders stops first: the process that has thought about the position must be free.
        """
        session = self.session
        if not self._has_pondered():
            return
        self._ponder()
        if self.thinking is not None or session.engine_to_act is None or not self.may_think():
            return
        search = session.begin_search()
        try:
            spec = self.engine_spec(search)
        except ConfigError as error:  # a net that is gone, in a stored game
            session.fail(search, "engine_failed", str(error))
            self.failed("engine_failed", str(error))
            return
        limit = session.limit_for(search.seat)
        self.thinking = self.asker.ask(
            Start(f"move-{next(_numbers)}", spec, session.game, limit, CANDIDATES),
            lambda reply: self._answered(search, reply),
            lambda code, message, log: self._failed(search, code, message, log),
            lambda reply: self.reported(search, reply) if search == self.session.search else None,
            self.queued,
            self.pace_s,
        )

    def _has_pondered(self) -> bool:
        """End a search about another turn than this; whether nothing need be waited for."""
        asked = self.pondering
        if asked is None or (self.session.game == self._pondered and self.session.pondering_seat is not None):
            return True
        if asked.search is None or asked.ahead:  # it would first wait for a worker
            asked.cancel()
            self.pondering = None
            return True
        asked.stop()
        return False

    def _ponder(self) -> None:
        """Let an engine think about the turn of the person against it."""
        session = self.session
        seat = session.pondering_seat
        if seat is None or session.game == self._pondered or not self.may_ponder():
            return
        try:
            spec = self.engine_spec(Search(0, seat, session.game.ply))
        except ConfigError:  # its own turn will say so
            return
        self._pondered = session.game
        request = Start(f"ponder-{next(_numbers)}", spec, session.game, Limit(time_s=PONDER_S), CANDIDATES)

        def ended(*_: object) -> None:
            self.pondering = None
            if self.session.game != self._pondered:
                self.changed()

        self.pondering = self.asker.ask(request, ended, ended, background=True)

    def move_now(self) -> bool:
        """Ask the engine for its best so far; False if none thinks."""
        if self.thinking is not None:
            self.thinking.stop()
        return self.is_thinking

    def drop_thinking(self) -> None:
        """Cancel the search of the engine to act."""
        if self.thinking is not None:
            self.thinking.cancel()
            self.thinking = None

    def interrupt(self, what: Callable[[GameSession], object]) -> None:
        """Do what ends a turn without an action (taking back, resigning, a pause); the turn costs its time.

        Raises what ``what`` raises; the turn has cost its time by then.
        """
        self.stop_clock()
        what(self.session)

    def stop_clock(self) -> None:
        """Take the time of a turn that ends without an action off its clock."""
        self.session.run_clock(self.elapsed_s)
        self._turn_began = time.monotonic()

    def time_turn(self) -> None:
        """Begin the time of a new turn, and look again when its clock has run out."""
        session = self.session
        seat = session.timed_seat
        turn = (session, len(session.game.actions), seat)
        asked = self.thinking
        if turn != self._turn or (asked is not None and asked.is_waiting and self.asker.is_starting):
            self._turn, self._turn_began = turn, time.monotonic()
        self._timer += 1
        left_s = None if seat is None else self.time_left(seat)
        if left_s is not None:
            timer = self._timer
            wait_s = min(left_s, WATCH_S) if self.is_thinking else left_s
            self.asker.after(wait_s + FLAG_S, lambda: self._look_at_clock(timer))

    def close(self) -> None:
        """Drop the search and stop the clock: nobody looks at the game any more."""
        self._turn = None
        self._timer += 1
        self.drop_thinking()
        if self.pondering is not None:
            self.pondering.cancel()
            self.pondering = None

    def _look_at_clock(self, timer: int) -> None:
        if timer != self._timer:
            return
        if self.session.flag(self.elapsed_s):
            self.changed()
        else:
            self.time_turn()

    def _answered(self, search: Search, reply: dict[str, Any]) -> None:
        elapsed_s, self.thinking = self.elapsed_s, None
        try:
            action = parse_action(reply["action"], self.session.rules.size)
            played = reply["action"].get("moves", [None])[0]
            rates = {info["move"]: info["winrate"] for info in reply["moveInfos"]}
            rate, resigned = rates.get(played), bool(reply.get("resigned"))
            self.reply = reply
            self.reply_winrate = rate = reply["rootInfo"]["winrate"] if rate is None else rate
            self.session.answer(search, action, winrate=rate, resigned=resigned, elapsed_s=elapsed_s)
        except WuziError as error:
            self._failed(search, "engine_failed", str(error), "")
        except Exception as error:  # a broken worker must end in a message, not in a game that waits for ever
            logger.exception("an answer that makes no sense")
            self._failed(search, "engine_failed", f"{type(error).__name__}: {error}", "")
        else:
            self.changed()

    def _failed(self, search: Search, code: str, message: str, log: str) -> None:
        self.thinking = None
        if self.session.fail(search, code, message, self.kept_log(log)):
            self.failed(code, message)
        self.changed()
