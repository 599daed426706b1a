"""All games of a server: those in memory, and the store behind them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import Iterator
from typing import Any

from wuzi.apps.web.live import LiveGame
from wuzi.apps.web.problems import ProblemError, not_found
from wuzi.apps.web.schemas import GameSummary
from wuzi.apps.web.schemas_sockets import GameMessage
from wuzi.apps.web.settings import Settings
from wuzi.apps.web.sockets import Viewer
from wuzi.apps.web.states import searched, summary
from wuzi.apps.web.store import GameStore, StoredGame
from wuzi.errors import RecordError
from wuzi.games import GameSession, session_from_json, session_to_json
from wuzi.games.pool import WorkerPool

logger = logging.getLogger(__name__)

SWEEP_S = 60.0


class Hub:
    """The games of a server. Changes reach the store in the order they were made."""

    def __init__(self, settings: Settings, store: GameStore, pool: WorkerPool) -> None:
        self._settings = settings
        self._store = store
        self.pool = pool
        self.loop = asyncio.get_running_loop()
        self._games: dict[str, LiveGame] = {}
        self._loading: dict[str, asyncio.Task[LiveGame]] = {}
        self._unsaved: dict[str, StoredGame] = {}
        self._deleted: set[str] = set()
        self._writing: asyncio.Future[None] = self.loop.create_future()
        self._writing.set_result(None)
        self._sweeping = asyncio.create_task(self._sweep())

    @property
    def num_sockets(self) -> int:
        """Open WebSockets."""
        return sum(len(game.viewers) for game in self._games.values())

    def create(self, session: GameSession) -> LiveGame:
        """Start a game, unless too many are being played."""
        if len(self._games) >= self._settings.max_games:
            raise ProblemError(429, "limit_exceeded", f"{len(self._games)} games are being played")
        now = time.time()
        game = self._live(secrets.token_urlsafe(9), session, (now, now))
        game.changed()
        return game

    async def get(self, game_id: str) -> LiveGame:
        """The game of that id; an engine whose turn it is keeps thinking. ProblemError if there is none."""
        if (game := self._games.get(game_id)) is None:
            if (task := self._loading.get(game_id)) is None:
                task = self._loading[game_id] = asyncio.create_task(self._load(game_id))
                task.add_done_callback(lambda _: self._loading.pop(game_id, None))
            game = await asyncio.shield(task)
        game.touched = time.monotonic()
        game.think()
        return game

    async def delete(self, game_id: str) -> None:
        """Remove a game; ProblemError if there is none."""
        game = await self.get(game_id)
        self._deleted.add(game_id)
        game.close()
        self._games.pop(game_id, None)
        self._unsaved.pop(game_id, None)
        for viewer in list(game.viewers):
            await viewer.close(4404)
        await self._store.delete(game_id)

    async def recent(self, limit: int, search: str = "") -> list[dict[str, Any]]:
        """Summaries of the games touched last; of a search those that have all its words."""
        await self.flush()
        words = search.casefold().split()
        most = self._settings.max_games if words else limit
        found = [game.summary for game in await self._store.recent(most)]
        return [one for one in found if all(word in searched(one) for word in words)][:limit]

    @contextlib.contextmanager
    def reading(self, game: LiveGame, viewer: Viewer) -> Iterator[None]:
        """Tell a viewer of a game meanwhile; ProblemError over the limits."""
        if self.num_sockets >= self._settings.max_sockets:
            raise ProblemError(429, "limit_exceeded", f"{self.num_sockets} sockets are open")
        if len(game.viewers) >= self._settings.max_sockets_per_game:
            raise ProblemError(429, "limit_exceeded", f"{len(game.viewers)} sockets watch this game")
        game.viewers.add(viewer)
        game.think()
        viewer.send(GameMessage(game=game.state()))
        try:
            yield
        finally:
            game.viewers.discard(viewer)
            game.touched = time.monotonic()

    async def flush(self) -> None:
        """Wait until all changes are stored, or have failed to be."""
        await asyncio.shield(self._writing)

    async def close(self) -> None:
        """Stop all engines, store everything."""
        for game in self._games.values():
            game.close()
        self._begin_writing()
        await self.flush()
        self._sweeping.cancel()
        await asyncio.gather(self._sweeping, return_exceptions=True)

    def _live(self, game_id: str, session: GameSession, times: tuple[float, float]) -> LiveGame:
        game = LiveGame(game_id, session, self.pool, self._settings, self._save, times)
        self._games[game_id] = game
        game.time_turn()
        return game

    async def _load(self, game_id: str) -> LiveGame:
        await self.flush()
        stored = await self._store.get(game_id)
        if stored is None or game_id in self._deleted:
            raise not_found(f"game {game_id[:40]!r}")
        try:
            session = session_from_json(stored.session)
        except RecordError as error:
            raise ProblemError(500, "bad_record", f"game {game_id} cannot be read: {error}") from error
        session.seq += 1  # newer than any state that a page may still show
        return self._live(game_id, session, (stored.created_at, stored.updated_at))

    def _save(self, game: LiveGame) -> None:
        if game.id in self._deleted:
            return
        about = GameSummary.model_validate(summary(game.id, game.session, game.updated_at))
        self._unsaved[game.id] = StoredGame(
            id=game.id,
            created_at=game.created_at,
            updated_at=game.updated_at,
            summary=about.model_dump(mode="json", by_alias=True),
            session=session_to_json(game.session),
        )
        self._begin_writing()

    def _begin_writing(self) -> None:
        if self._unsaved and self._writing.done():
            self._writing = asyncio.create_task(self._write())

    async def _write(self) -> None:
        """Store what has changed; of several changes to a game only the newest. What fails is tried again."""
        failed: dict[str, StoredGame] = {}
        while self._unsaved:
            game_id = next(iter(self._unsaved))
            row = self._unsaved.pop(game_id)
            failed.pop(game_id, None)
            try:
                await self._store.put(row)
            except Exception as error:
                failed[game_id] = row
                logger.error("game %s could not be stored, it is kept in memory: %s", game_id, error)
        self._unsaved = {game_id: row for game_id, row in failed.items() if game_id not in self._deleted}

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_S)
            await self.sweep()

    async def sweep(self) -> None:
        """Idle games leave memory, unless they could not be stored; old ones leave the store."""
        self._begin_writing()
        await self.flush()
        for game in list(self._games.values()):
            if not game.is_read and not game.is_thinking and game.id not in self._unsaved:
                game.close()
                del self._games[game.id]
        if self._settings.read_only:
            return
        before = time.time() - self._settings.keep_days * 86_400
        if removed := await self._store.prune(before, self._settings.max_games):
            logger.info("%d old games were removed", removed)
