"""Analyses for clients: what they may ask, how much of it, and how their reports are shaped."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from wuzi.analysis.review.model import ANALYSTS
from wuzi.apps.web.engines import EngineList, any_engine
from wuzi.apps.web.problems import ProblemError
from wuzi.apps.web.schemas import MULTIPV
from wuzi.apps.web.schemas_analysis import AnalyzeIn, LayersIn, LimitIn, PositionIn
from wuzi.apps.web.schemas_sockets import MoveLimitIn, StartIn, TaskIn
from wuzi.apps.web.schemas_system import NetOut
from wuzi.apps.web.settings import Settings
from wuzi.contract import Limit
from wuzi.core import Game, parse_move
from wuzi.games.analysis_process import OnReply, PoolRequest
from wuzi.games.pool import PoolBusy, PoolSearch, WorkerPool
from wuzi.players.registry import seeded
from wuzi.protocols.analysis.queries import Layers, NamedTask, Start
from wuzi.protocols.analysis.wire import parse_position

DEFAULT_S = 2.0
KNOWN_S = 0.5  # seconds to wait for what the engines can play, which is known soon after the first start
NET_ENGINES = ("az", "policy")
"""Players that think with a net: a tree search, and the bare policy."""
FACTOR_MAPS = ("field", "gradient", "attention", "next_value")
"""What a three-factor net shows by cell; the layer ``net`` carries them."""
TREES = frozenset({"az", "mcts-s0", "mcts-tactical"})
"""Engines whose reports can name the visits of every cell; others would search each cell anew."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A position and how to look at it; ``maps`` by cell only where the player has them.

    The move of a game goes before analyses.
    """

    game: Game
    player: str
    limit: Limit
    multipv: int = MULTIPV
    maps: frozenset[str] = frozenset()
    is_move: bool = False


class Analyst:
    """Starts analyses in the pool's workers, within the limits of a request and of a client.

    Analyses let the moves of games go first; one whose worker dies is asked again once. Layers have a pool of
    their own, the ``lookers``: they take a moment, and searches take minutes.
    """

    def __init__(
        self, settings: Settings, pool: WorkerPool, lookers: WorkerPool, engines: EngineList
    ) -> None:
        self._settings = settings
        self._pool = pool
        self._lookers = lookers
        self._is_warm = False
        self._engines = engines
        self._searches: Counter[str] = Counter()
        self._sockets: Counter[str] = Counter()

    async def resolve(self, body: AnalyzeIn) -> Ask:
        """What a request means, for an open game and a player that can analyse it."""
        game = game_of(body.position)
        if game.outcome is not None:
            raise ProblemError(409, "game_over", f"the game is over ({game.outcome.reason.label})")
        player, own = await self._player(body, game)
        if isinstance(body, StartIn):
            if body.seed is not None:
                player = seeded(player, body.seed)
            if body.is_move:
                return Ask(game, player, _move_limit(body.limit, own), body.multipv, is_move=True)
        is_tree = body.engine in TREES
        maps = frozenset(body.include if is_tree else ())
        return Ask(game, player, self._limit(body.limit, own, is_tree), body.multipv, maps)

    def start(
        self,
        client: str,
        ask: Ask,
        on_info: OnReply | None = None,
        on_queue: Callable[[], None] | None = None,
        *,
        report_every_s: float | None = None,
    ) -> PoolSearch:
        """Queue an analysis; its answer goes through :func:`shaped`, as the reports for ``on_info`` have.

        ``on_queue`` is called when its place in the queue has changed; ``cancel()`` it when nobody waits.
        ProblemError: the client has too many analyses; PoolBusy: the server has.
        """
        request = Start(
            id=f"analysis-{secrets.token_hex(6)}",
            player=ask.player,
            game=ask.game,
            limit=ask.limit,
            multipv=ask.game.rules.num_cells if ask.maps else ask.multipv,
            report_every_s=report_every_s,
        )
        report = None if on_info is None else lambda reply: on_info(shaped(ask, reply))
        if ask.is_move:
            return self._pool.submit(request, report, on_queue)
        return self._submit(self._pool, client, request, report, on_queue)

    def task(self, client: str, body: TaskIn, on_queue: Callable[[], None] | None = None) -> PoolSearch:
        """Queue a task; who does it is one of the analysts, whatever the request says."""
        given = body.arguments.get("options")
        options = (given if isinstance(given, dict) else {}) | {"player": ANALYSTS[body.analyst]}
        arguments = body.arguments | {"position": position_of(body.position), "options": options}
        request = NamedTask(f"{body.task}-{secrets.token_hex(6)}", body.task, arguments)
        return self._submit(self._pool, client, request, None, on_queue)

    def layers(self, client: str, body: LayersIn) -> PoolSearch:
        """Queue the making of layers."""
        game = game_of(body.position)
        if "net" in body.include:
            self._find_net(body.net)
        request = Layers(
            id=f"layers-{secrets.token_hex(6)}",
            game=game,
            include=frozenset(body.include),
            net=body.net or "",
            depth=body.depth,
            moves=tuple(map(game.position.check, body.moves)),
        )
        return self._submit(self._lookers, client, request, None, None)

    @contextmanager
    def socket(self, client: str) -> Iterator[None]:
        """Count a socket of a client meanwhile; ProblemError if it has too many."""
        if self._sockets[client] >= self._settings.max_client_analysis_sockets:
            raise ProblemError(429, "limit_exceeded", f"{self._sockets[client]} analysis sockets are open")
        self._sockets[client] += 1
        if not self._is_warm:
            self._is_warm = True
            self._lookers.preload()  # whoever analyses will want to see layers
        try:
            yield
        finally:
            _less(self._sockets, client)

    def _submit(
        self,
        pool: WorkerPool,
        client: str,
        request: PoolRequest,
        on_info: OnReply | None,
        on_queue: Callable[[], None] | None,
    ) -> PoolSearch:
        if (count := self._searches[client]) >= self._settings.max_client_searches:
            raise ProblemError(429, "limit_exceeded", f"{count} analyses of yours run or wait already")
        search = pool.submit(request, on_info, on_queue, background=True, retries=1)
        self._searches[client] += 1
        search.answer.add_done_callback(lambda _: _less(self._searches, client))
        return search

    async def _player(self, body: AnalyzeIn, game: Game) -> tuple[str, Limit]:
        """The spec of who analyses, and its own budget."""
        if body.engine in NET_ENGINES:
            net = self._find_net(body.net)
            return f"{body.engine}:net={net.name}", Limit()
        entry = any_engine(body.engine, self._settings.runs_dir)
        reason = None
        with suppress(TimeoutError, PoolBusy):  # a search need not wait for all engines: its worker refuses
            async with asyncio.timeout(KNOWN_S):
                reason = await self._engines.why_not(entry, game.rules)
        if reason is not None:
            raise ProblemError(422, "unsupported_rule", f"{entry.en} {reason}")
        level = entry.level(body.level)
        return level.spec, level.limit

    def _find_net(self, name: str | None) -> NetOut:
        nets = {net.name: net for net in list_nets()}
        if name is None or name not in nets:
            known = ", ".join(nets) or "there are none"
            raise ProblemError(404, "not_found", f"net {name!r}: expected one of: {known}")
        return nets[name]

    def _limit(self, asked: LimitIn, own: Limit, is_tree: bool) -> Limit:
        """The budget of a request, else the level's, else a short time; never above the server's.

        Alpha-beta counts its positions as visits, and keeps none of them: only trees are kept small.
        """
        chosen = Limit(asked.time, asked.nodes, asked.depth, asked.visits)
        if chosen == Limit():
            chosen = Limit(time_s=DEFAULT_S) if own == Limit() else own
        time_s = min(chosen.time_s or self._settings.max_move_s, self._settings.max_analysis_s)
        visits, most = chosen.simulations, self._settings.max_visits
        if is_tree:
            visits = min(visits or most, most)
        return replace(chosen, time_s=time_s, simulations=visits)


def game_of(position: PositionIn) -> Game:
    """The game that a position of a request describes."""
    return parse_position(position_of(position))


def position_of(position: PositionIn) -> dict[str, Any]:
    """The position of a request as the analysis protocol has it."""
    found = position.model_dump(by_alias=True)
    if found.get("actions") is None:
        found.pop("actions", None)
    elif not found["moves"]:
        del found["moves"]
    return found


def _move_limit(asked: MoveLimitIn, own: Limit) -> Limit:
    """A level's own budget with what is left on the clock: of the game, or of one move."""
    time_s = own.time_s if asked.time is None else min(asked.time, own.time_s or asked.time)
    return replace(own, time_s=time_s, clock_s=asked.clock, increment_s=asked.increment or 0.0)


def shaped(ask: Ask, reply: dict[str, Any]) -> dict[str, Any]:
    """A worker's report as the API sends it: so many candidates, and the maps over the board."""
    infos, size = reply["moveInfos"], ask.game.rules.size
    names = ("id", "isDuringSearch", "turnNumber", "rootInfo")
    report = {name: reply[name] for name in names} | {"moveInfos": infos[: ask.multipv]}
    for name, key in (("visits", "visits"), ("policy", "prior")):
        if name in ask.maps:
            cells: list[Any] = [0 if name == "visits" else None] * (size * size)
            for info in infos:
                cells[parse_move(info["move"], size)] = info[key]
            report[name] = cells
    return report


def list_nets() -> list[NetOut]:
    """The nets at hand by name; those whose card cannot be read are left out."""
    from wuzi.errors import RecordError
    from wuzi.nets import shelf
    from wuzi.nets.card import card_of

    found = []
    for entry in shelf.list_nets():
        try:
            card = card_of(entry)
        except (OSError, RecordError):
            continue
        about = {
            "name": entry.name,
            "architecture": card.label,
            "parameters": card.parameters,
            "size": card.size,
            "rules": card.rules,
            "shipped": entry.shipped,
            "has_policy": "policy" in card.graph.outputs,
            "maps": [name for name in FACTOR_MAPS if name in card.graph.outputs],
        }
        found.append(NetOut.model_validate(about))
    return found


def _less(counter: Counter[str], key: str) -> None:
    counter[key] -= 1
    if counter[key] <= 0:
        del counter[key]
