"""Games by the addresses of document 004, in memory: a session each, whose engine answers at once."""

from __future__ import annotations

import secrets
from collections import OrderedDict

from wuzi.apps.web.problems import not_found
from wuzi.errors import PlayerError
from wuzi.games import GameSession
from wuzi.games.pool import WorkerPool
from wuzi.players.opponents import find_engine
from wuzi.protocols.analysis.queries import Start
from wuzi.protocols.analysis.wire import parse_action


class LegacyGames:
    """So many games; the one that was asked for longest ago makes room."""

    def __init__(self, pool: WorkerPool, most: int) -> None:
        self._pool = pool
        self._most = most
        self._games: OrderedDict[str, GameSession] = OrderedDict()

    def add(self, session: GameSession) -> str:
        """The id of a new game."""
        name = secrets.token_urlsafe(9)
        self._games[name] = session
        if len(self._games) > self._most:
            self._games.popitem(last=False)
        return name

    def get(self, name: str) -> GameSession:
        """The game of that id; ProblemError if there is none."""
        if name not in self._games:
            raise not_found(f"game {name[:40]!r}")
        self._games.move_to_end(name)
        return self._games[name]

    async def answer(self, session: GameSession) -> None:
        """Let the engine to act, if there is one, play its move; PlayerError if it cannot now."""
        number = session.engine_to_act
        if number is None:
            return
        seat = session.seats[number]
        level, search = find_engine(seat.player).level(seat.level), session.begin_search()
        request = Start(f"old-{secrets.token_hex(6)}", level.spec, session.game, level.limit, 1, None)
        reply = await self._pool.submit(request).answer
        if search != session.search:
            raise PlayerError("the game has changed meanwhile")
        action = parse_action(reply["action"], session.rules.size)
        session.answer(search, action, winrate=reply["rootInfo"]["winrate"], resigned=reply["resigned"])
