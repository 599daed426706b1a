"""The opponents with what each can play, as the API shows them."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from wuzi.apps.web.schemas import CapabilitiesOut, EngineOut, LevelOut, LocalText, RatingOut
from wuzi.contract import Limit
from wuzi.core.rules import Rules
from wuzi.games.pool import PoolBusy, WorkerPool
from wuzi.nets.shelf import NetRating
from wuzi.players.levels import LevelRating
from wuzi.players.opponents import ENGINES, EngineEntry, EngineLevel
from wuzi.protocols.analysis.queries import Describe
from wuzi.protocols.analysis.replies import parse_capabilities


def why_not(can: CapabilitiesOut, rules: Rules) -> str | None:
    """None if a player that can do this plays these rules, else the reason."""
    return parse_capabilities(can.model_dump(by_alias=True)).why_not(rules)


class EngineList:
    """The engines with what each can play, as their players say in a worker process.

    The server itself imports no player: loading (or compiling) their kernels would hold up its loop.

    Attributes:
        wait_s: longest wait for an answer.
    """

    def __init__(self, pool: WorkerPool, wait_s: float = 15.0) -> None:
        self.wait_s = wait_s
        self._pool = pool
        self._described: dict[str, asyncio.Task[EngineOut]] = {}

    async def get(self) -> list[EngineOut]:
        """All engines as the API shows them.

        Raises:
            PlayerError: no worker could say; the next call asks again.
        """
        # One after the other: together they would fill a short queue.
        async with self._patience():
            return [await self._one(entry) for entry in ENGINES.values()]

    async def why_not(self, entry: EngineEntry, rules: Rules) -> str | None:
        """None if the engine plays these rules, else the reason; raises as :meth:`get`."""
        async with self._patience():
            return why_not((await self._one(entry)).capabilities, rules)

    async def close(self) -> None:
        """Stop asking."""
        for task in self._described.values():
            task.cancel()
        await asyncio.gather(*self._described.values(), return_exceptions=True)

    @asynccontextmanager
    async def _patience(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self.wait_s):
                yield
        except TimeoutError:
            raise PoolBusy("the engines are still being prepared: try again soon") from None

    async def _one(self, entry: EngineEntry) -> EngineOut:
        """An engine's description, asked for once; also when its first asker does not wait for it."""
        task = self._described.get(entry.id)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self._described[entry.id] = asyncio.create_task(self._describe(entry))
        return await asyncio.shield(task)

    async def _describe(self, entry: EngineEntry) -> EngineOut:
        request = Describe(f"describe-{secrets.token_hex(8)}", entry.level().spec)
        reply = await self._pool.submit(request).answer
        return _engine_out(entry, reply["capabilities"])


def _engine_out(entry: EngineEntry, can: Mapping[str, Any]) -> EngineOut:
    return EngineOut(
        id=entry.id,
        name=LocalText(en=entry.en, zh=entry.zh),
        description=LocalText(en=entry.about_en, zh=entry.about_zh),
        spec=entry.level().spec,
        net=entry.net,
        default_level=entry.level().id,
        levels=[_level_out(entry, level) for level in entry.levels],
        capabilities=CapabilitiesOut.model_validate(can),
    )


def _level_out(entry: EngineEntry, level: EngineLevel) -> LevelOut:
    rating = entry.ratings.get(level.id)
    return LevelOut(
        id=level.id,
        name=LocalText(en=level.en, zh=level.zh),
        limit=limit_out(level.limit),
        rating=None if rating is None else _rating_out(rating),
    )


def _rating_out(rating: LevelRating | NetRating) -> RatingOut:
    return RatingOut(elo=rating.elo, low=rating.low, high=rating.high, games=rating.games, size=rating.size)


def limit_out(limit: Limit) -> dict[str, float]:
    """A budget for the wire."""
    named = {"timeS": limit.time_s, "visits": limit.simulations, "nodes": limit.nodes, "depth": limit.depth}
    return {name: value for name, value in named.items() if value is not None}
