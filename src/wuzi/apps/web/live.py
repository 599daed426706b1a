"""One game that is in memory: its session, its readers, and the engine that thinks for it."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
import zlib
from collections.abc import Callable
from typing import Any

from wuzi.apps.web.engines import seeded
from wuzi.apps.web.pool import Search as PoolSearch
from wuzi.apps.web.pool import WorkerPool, failure_code, process_log
from wuzi.apps.web.run_engines import any_engine
from wuzi.apps.web.schemas import GameState, Reply, ThinkingOut
from wuzi.apps.web.schemas_sockets import EngineErrorMessage, GameMessage, Message, SearchMessage
from wuzi.apps.web.settings import Settings
from wuzi.apps.web.sockets import Viewer
from wuzi.apps.web.states import game_state, when
from wuzi.core import Game
from wuzi.errors import WuziError
from wuzi.games import GameSession, Search
from wuzi.protocols.analysis.queries import Start
from wuzi.protocols.analysis.wire import parse_action

logger = logging.getLogger(__name__)

REPORT_EVERY_S = 0.1
CANDIDATES = 5


class LiveGame:
    """A game in memory. Everything here runs in the event loop; only searches run elsewhere.

    Attributes:
        id: its address.
        session: the rules of what may happen.
        created_at, updated_at: seconds since 1970.
        viewers: connected sockets.
        touched: monotonic time of the last request.
        last_reply: the last engine answer, for ``?wait=true``.
        hint: the position that a hint was asked for, and the report of its search.
    """

    def __init__(
        self,
        game_id: str,
        session: GameSession,
        pool: WorkerPool,
        settings: Settings,
        save: Callable[[LiveGame], None],
        created_at: float | None = None,
        updated_at: float | None = None,
    ) -> None:
        self.id = game_id
        self.session = session
        self.created_at = time.time() if created_at is None else created_at
        self.updated_at = self.created_at if updated_at is None else updated_at
        self.viewers: set[Viewer] = set()
        self.touched = time.monotonic()
        self.last_reply: Reply | None = None
        self.hint: tuple[Game, dict[str, Any]] | None = None
        self._pool = pool
        self._settings = settings
        self._save = save
        self._search: PoolSearch | None = None
        self._task: asyncio.Task[None] | None = None
        self._began = 0.0
        self._began_at = 0.0
        self._reports = 0
        self._settled = asyncio.Event()
        self._turn: tuple[int, int | None] | None = None
        self._turn_began = time.monotonic()
        self._flag_timer: asyncio.TimerHandle | None = None

    # ------------------------------------------------------------ what is

    @property
    def is_thinking(self) -> bool:
        """Whether an engine thinks, or waits for a worker, for this game."""
        return self._task is not None

    @property
    def is_read(self) -> bool:
        """Whether somebody looks at the game, or did so a short while ago."""
        return bool(self.viewers) or time.monotonic() - self.touched < self._settings.idle_s

    @property
    def elapsed_s(self) -> float:
        """Seconds since the turn of the seat to act began."""
        return time.monotonic() - self._turn_began

    def state(self) -> GameState:
        """The game as clients see it."""
        return game_state(
            self.id, self.session, self.created_at, self.updated_at, self._thinking(), self.elapsed_s
        )

    def _thinking(self) -> ThinkingOut | None:
        if self.session.search is None:
            return None
        seat = self.session.search.seat
        return ThinkingOut(
            seat=seat,
            started_at=when(self._began_at),
            elapsed=round(time.monotonic() - self._began, 3),
            limit_s=self.session.limit_for(seat).time_s,
            queued_ahead=0 if self._search is None else self._search.ahead,
        )

    # ------------------------------------------------------------ what happens

    def changed(self) -> None:
        """After each change of the session: store it, tell the readers, let the engine to act think."""
        self.updated_at = time.time()
        if self.session.search is None:
            self._abandon()
        self.watch_clock()
        self.think()
        self._save(self)
        self.broadcast_state()

    def think(self) -> None:
        """Let the engine to act think, if there is one and it does not think already."""
        session = self.session
        if self._task is not None or session.engine_to_act is None:
            if session.engine_to_act is None:
                self._settled.set()
            return
        if self._settings.read_only or (not session.human_seats and not self.is_read):
            return
        self._settled.clear()
        self._began, self._began_at = time.monotonic(), time.time()
        search = session.begin_search()
        self._task = asyncio.get_running_loop().create_task(self._think(search))

    def watch_clock(self) -> None:
        """Begin the time of a new turn, and end the game when the clock of the seat to act runs out."""
        session = self.session
        turn = (len(session.game.actions), session.timed_seat)
        if turn != self._turn:
            self._turn, self._turn_began = turn, time.monotonic()
        if self._flag_timer is not None:
            self._flag_timer.cancel()
            self._flag_timer = None
        if session.timed_seat is not None and (clock := session.clocks[session.timed_seat]) is not None:
            loop = asyncio.get_running_loop()
            self._flag_timer = loop.call_later(max(0.0, clock.left_s - self.elapsed_s) + 0.02, self._flag)

    def _flag(self) -> None:
        self._flag_timer = None
        if self.session.flag(self.elapsed_s):
            self.changed()
        else:
            self.watch_clock()

    def move_now(self) -> bool:
        """Ask the engine for its best so far; False if none thinks."""
        if self._search is None:
            return False
        self._search.stop()
        return True

    async def settled(self, timeout_s: float) -> bool:
        """Wait until no engine is to act any more; False if that took too long."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._settled.wait()
        except TimeoutError:
            return False
        return True

    def broadcast(self, message: Message) -> None:
        """Send a message to all readers."""
        for viewer in self.viewers:
            viewer.send(message)

    def broadcast_state(self) -> None:
        """Send the state to all readers."""
        if self.viewers:
            self.broadcast(GameMessage(game=self.state()))

    def close(self) -> None:
        """Stop thinking, and the clock."""
        self._abandon()
        if self._flag_timer is not None:
            self._flag_timer.cancel()
            self._flag_timer = None

    # ------------------------------------------------------------ inside

    def _abandon(self) -> None:
        """Drop the search that the session no longer wants."""
        if self._search is not None:
            self._search.cancel()
            self._search = None
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _request(self, search: Search) -> Start:
        seat = self.session.seats[search.seat]
        level = any_engine(seat.player, self._settings.runs_dir).level(seat.level or None)
        return Start(
            id=f"{self.id}-{search.id}-{secrets.token_hex(4)}",
            player=seeded(level.spec, zlib.crc32(self.id.encode()) & 0xFFFF),
            game=self.session.game,
            limit=self.session.limit_for(search.seat),
            multipv=CANDIDATES,
            report_every_s=REPORT_EVERY_S,
        )

    async def _think(self, search: Search) -> None:
        """Have the search done and hand its answer to the session."""
        try:
            self._search = self._pool.submit(
                self._request(search),
                on_info=lambda reply: self._report(search, reply),
                on_queue=self.broadcast_state,
            )
            reply = await self._search.answer
            if not self.session.human_seats:
                await asyncio.sleep(self._settings.engine_pause_s - (time.monotonic() - self._began))
            self._apply(search, reply)
        except WuziError as error:
            logger.warning("game %s: %s", self.id, error)
            self._failed(search, failure_code(error), str(error), process_log(error))
        except Exception as error:  # a bug must end in a message, not in a game that thinks for ever
            logger.exception("game %s", self.id)
            self._failed(search, "engine_failed", f"{type(error).__name__}: {error}")
        self._search = None
        self._task = None
        self.changed()

    def _apply(self, search: Search, reply: dict[str, Any]) -> None:
        size = self.session.rules.size
        action = parse_action(reply["action"], size)
        moves = reply["action"].get("moves") or [None]
        infos = list(reply["moveInfos"])
        best = next((info["winrate"] for info in infos if info["move"] == moves[0]), None)
        winrate = reply["rootInfo"]["winrate"] if best is None else best
        resigned = bool(reply.get("resigned"))
        self.last_reply = Reply(
            move=moves[0] if len(moves) == 1 else None,
            action=reply["action"],
            resigned=resigned,
            winrate=winrate,
            move_infos=infos,
        )
        elapsed_s = time.monotonic() - self._began
        self.session.answer(search, action, winrate=winrate, resigned=resigned, elapsed_s=elapsed_s)

    def _failed(self, search: Search, code: str, message: str, log: str = "") -> None:
        if self.session.fail(search, code, message, log if self._settings.show_engine_log else ""):
            self.broadcast(EngineErrorMessage(code=code, message=message))

    def _report(self, search: Search, reply: dict[str, Any]) -> None:
        if search != self.session.search:
            return
        self._reports += 1
        self.broadcast(
            SearchMessage.model_validate(
                {
                    "game_id": self.id,
                    "ply": search.ply,
                    "seq": self._reports,
                    "root_info": reply["rootInfo"],
                    "move_infos": reply["moveInfos"],
                }
            )
        )
