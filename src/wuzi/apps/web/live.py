"""One game that is in memory: its session, its readers, and the engine that thinks for it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
import zlib
from collections.abc import Callable
from typing import Any

from wuzi.apps.web.engines import any_engine
from wuzi.apps.web.schemas import GameState, Reply, ThinkingOut
from wuzi.apps.web.schemas_sockets import EngineErrorMessage, GameMessage, Message, SearchMessage
from wuzi.apps.web.settings import Settings
from wuzi.apps.web.sockets import Viewer
from wuzi.apps.web.states import clocks_out, forbidden_out, summary
from wuzi.core import Game, format_moves
from wuzi.games import GameSession, Search
from wuzi.games.driver import Asker, GameDriver
from wuzi.games.pool import WorkerPool
from wuzi.players.registry import seeded
from wuzi.protocols.analysis.wire import format_cells

logger = logging.getLogger(__name__)


class LiveGame(GameDriver):
    """A game in memory. Everything here runs in the event loop; only searches run elsewhere.

    Times (of its making and of the last change) are seconds since 1970, ``touched`` is monotonic; ``hint``
    has the position that was asked about, and the report.
    """

    def __init__(
        self,
        game_id: str,
        session: GameSession,
        pool: WorkerPool,
        settings: Settings,
        save: Callable[[LiveGame], None],
        times: tuple[float, float],
    ) -> None:
        super().__init__(session, Asker(pool), settings.engine_pause_s)
        self.id = game_id
        self.created_at, self.updated_at = times
        self.viewers: set[Viewer] = set()
        self.touched = time.monotonic()
        self.hint: tuple[Game, dict[str, Any]] | None = None
        self._settings = settings
        self._save = save
        self._reports = 0
        self._settled = asyncio.Event()

    @property
    def is_read(self) -> bool:
        """Whether somebody looks at the game, or did so a short while ago."""
        return bool(self.viewers) or time.monotonic() - self.touched < self._settings.idle_s

    def state(self) -> GameState:
        """The game as clients see it: everything a board needs to show."""
        session, game, position = self.session, self.session.game, self.session.game.position
        return GameState.model_validate(
            {
                **summary(self.id, session, self.updated_at),
                "seq": session.seq,
                "created_at": self.created_at,
                "phase": game.phase,
                "seat_to_act": game.seat_to_act,
                "to_move": game.to_move,
                "to_place": game.colors_to_place,
                "moves": game.moves,
                "cells": format_cells(position),
                "last_move": position.last_move,
                "winning_lines": position.winning_lines(),
                "forbidden": forbidden_out(position) if game.outcome is None else [],
                "thinking": self._thinking(),
                "paused": session.paused,
                "engine_error": session.failure,
                "winrate": session.winrate,
                "winrates": session.winrates,
                "can_undo": session.can_undo,
                "can_redo": session.can_redo,
                "position_code": format_moves(game.moves, game.rules.size),
                "clocks": clocks_out(session, self.elapsed_s),
                "pace_s": None if session.human_seats else self.pace_s,
            }
        )

    def last_reply(self) -> Reply | None:
        """The last answer of an engine, for ``?wait=true``."""
        if (reply := self.reply) is None:
            return None
        moves = reply["action"].get("moves") or []
        move = moves[0] if len(moves) == 1 else None
        found = {"resigned": False, **reply, "move": move, "winrate": self.reply_winrate}
        return Reply.model_validate(found)

    def _thinking(self) -> ThinkingOut | None:
        if self.session.search is None or self.thinking is None:
            return None
        seat, elapsed_s = self.session.search.seat, self.thinking.elapsed_s
        return ThinkingOut.model_validate(
            {
                "seat": seat,
                "started_at": time.time() - elapsed_s,
                "elapsed": round(elapsed_s, 3),
                "limit_s": self.session.limit_for(seat).time_s,
                "queued_ahead": self.thinking.ahead,
            }
        )

    async def settled(self, timeout_s: float) -> None:
        """Wait until no engine is to act any more, or so long."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._settled.wait(), timeout_s)

    def broadcast(self, message: Message) -> None:
        """Send a message to all readers."""
        for viewer in self.viewers:
            viewer.send(message)

    def broadcast_state(self) -> None:
        """Send the state to all readers."""
        if self.viewers:
            self.broadcast(GameMessage(game=self.state()))

    def think(self) -> None:
        """As every driver; :meth:`settled` waits while an engine is to act."""
        super().think()
        if self.session.engine_to_act is None:
            self._settled.set()
        else:
            self._settled.clear()

    def queued(self) -> None:
        """Tell the readers."""
        self.broadcast_state()

    def engine_spec(self, search: Search) -> str:
        """An engine of the server's list, or a net of a run; each game goes another way."""
        seat = self.session.seats[search.seat]
        level = any_engine(seat.player, self._settings.runs_dir).level(seat.level or None)
        return seeded(level.spec, zlib.crc32(self.id.encode()) & 0xFFFF)

    def may_think(self) -> bool:
        """Not in a demo; two engines play only while somebody looks."""
        return not self._settings.read_only and (bool(self.session.human_seats) or self.is_read)

    def may_ponder(self) -> bool:
        """Only while somebody looks."""
        return self.may_think() and bool(self.viewers)

    def show(self) -> None:
        """Store the game and tell its readers."""
        self.updated_at = time.time()
        self._save(self)
        self.broadcast_state()

    def close(self) -> None:
        """As every driver; the turn so far has cost its time, and that is stored."""
        is_timed = self.session.timed_seat is not None
        self.stop_clock()
        super().close()
        if is_timed:
            self._save(self)

    def kept_log(self, log: str) -> str:
        """What its process said, where nobody else reaches the server."""
        return log if self._settings.show_engine_log else ""

    def failed(self, code: str, message: str) -> None:
        """Tell the readers."""
        logger.warning("game %s: %s", self.id, message)
        self.broadcast(EngineErrorMessage(code=code, message=message))

    def reported(self, search: Search, reply: dict[str, Any]) -> None:
        """Tell the readers."""
        self._reports += 1
        about = {"game_id": self.id, "ply": search.ply, "seq": self._reports}
        self.broadcast(SearchMessage.model_validate({**reply, **about}))
