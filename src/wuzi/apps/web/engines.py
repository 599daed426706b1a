"""The opponents: the engines of this server with what each can play, and the nets of training runs.

Nets of runs have ids of the server's own making: ``run/NAME/NET``.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from wuzi.apps.web.problems import ProblemError
from wuzi.apps.web.schemas import MAX_ENGINE, LocalText
from wuzi.apps.web.schemas_jobs import ArenaPlayerOptionOut
from wuzi.apps.web.schemas_system import EngineOut
from wuzi.contract import Limit
from wuzi.core.rules import Rules
from wuzi.errors import ConfigError
from wuzi.games.pool import PoolBusy, WorkerPool
from wuzi.nets.shelf import WEIGHTS_SUFFIX
from wuzi.players.engines_file import load_engines
from wuzi.players.opponents import ENGINES, GAMES, EngineEntry, EngineLevel, find_engine, net_levels
from wuzi.players.spec import PlayerSpec, format_spec
from wuzi.protocols.analysis.queries import Describe
from wuzi.protocols.analysis.replies import parse_capabilities
from wuzi.training.run.reader import run_folder

logger = logging.getLogger(__name__)

PREFIX = "run/"
_PLAIN = re.compile(r"[^,=\s]+")


async def capabilities_of(pool: WorkerPool, spec: str) -> dict[str, Any]:
    """What a player can play, as a worker says; it refuses specs with commands or paths (PlayerError)."""
    request = Describe(f"describe-{secrets.token_hex(8)}", spec)
    found: dict[str, Any] = (await pool.submit(request).answer)["capabilities"]
    return found


class EngineList:
    """The engines with what each can play, as their players say in a worker process, in so many seconds.

    The server itself imports no player: loading (or compiling) their kernels would hold up its loop.
    """

    def __init__(self, pool: WorkerPool, wait_s: float = 15.0) -> None:
        self.wait_s = wait_s
        self._pool = pool
        self._known: dict[str, asyncio.Task[dict[str, Any]]] = {}
        self._shown: list[EngineOut] = []

    async def get(self) -> list[EngineOut]:
        """All engines as the API shows them; PlayerError if no worker could say, the next call asks again."""
        if not self._shown:
            # One after the other: together they would fill a short queue.
            async with self._patience():
                self._shown = [engine_out(entry, await self._can(entry)) for entry in ENGINES.values()]
        return self._shown

    async def why_not(self, entry: EngineEntry, rules: Rules) -> str | None:
        """None if the engine plays these rules, else the reason; raises as :meth:`get`."""
        async with self._patience():
            return parse_capabilities(await self._can(entry)).why_not(rules)

    async def first(self, ids: Iterable[str], rules: Rules) -> EngineEntry:
        """The first of these engines that plays the rules; ProblemError if none does."""
        for engine_id in ids:
            if await self.why_not(entry := find_engine(engine_id), rules) is None:
                return entry
        raise ProblemError(422, "unsupported_rule", f"no engine for this plays {rules.label}")

    async def close(self) -> None:
        """Stop asking."""
        for task in self._known.values():
            task.cancel()
        await asyncio.gather(*self._known.values(), return_exceptions=True)

    @asynccontextmanager
    async def _patience(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self.wait_s):
                yield
        except TimeoutError:
            raise PoolBusy("the engines are still being prepared: try again soon") from None

    async def _can(self, entry: EngineEntry) -> dict[str, Any]:
        """What an engine can play, asked for once; also when its first asker does not wait for it."""
        task = self._known.get(entry.id)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            asking = capabilities_of(self._pool, entry.level().spec)
            task = self._known[entry.id] = asyncio.create_task(asking)
        return await asyncio.shield(task)


def engine_out(entry: EngineEntry, can: dict[str, Any]) -> EngineOut:
    """An engine as the API shows it, with what it can play."""
    first = entry.level()
    levels = [
        {"id": one.id, "name": one, "limit": _limit_out(one.limit), "rating": entry.ratings.get(one.id)}
        for one in entry.levels
    ]
    return EngineOut.model_validate(
        {
            "id": entry.id,
            "name": entry,
            "description": LocalText(en=entry.about_en, zh=entry.about_zh),
            "spec": first.spec,
            "net": entry.net,
            "default_level": first.id,
            "levels": levels,
            "capabilities": can,
        }
    )


def _limit_out(limit: Limit) -> dict[str, float]:
    named = {"timeS": limit.time_s, "visits": limit.simulations, "nodes": limit.nodes, "depth": limit.depth}
    return {name: value for name, value in named.items() if value is not None}


def arena_players() -> list[ArenaPlayerOptionOut]:
    """What a form for arenas offers: engines, and external ones by name unless their file is broken."""
    found = [
        ArenaPlayerOptionOut(spec=level.spec, name=_full_name(entry, level), limit=_limit_out(level.limit))
        for entry in ENGINES.values()
        for level in entry.levels
    ]
    try:
        names = sorted(filter(_PLAIN.fullmatch, load_engines()))
    except ConfigError as error:
        logger.warning("%s", error)
        return found
    for name in names:
        found.append(
            ArenaPlayerOptionOut(spec=f"external:name={name}", name=LocalText(en=name, zh=name), limit={})
        )
    return found


def _full_name(entry: EngineEntry, level: EngineLevel) -> LocalText:
    if len(entry.levels) == 1:
        return LocalText(en=entry.en, zh=entry.zh)
    return LocalText(en=f"{entry.en} · {level.en}", zh=f"{entry.zh} · {level.zh}")


# ---------------------------------------------------------------- nets of training runs


def run_engine_id(run: Path, net: str) -> str | None:
    """The id of a net in the folder of a run; None where a player spec cannot name its file."""
    found = f"{PREFIX}{run.name}/{net}"
    try:
        _spec("az", run, net)
    except ConfigError:
        return None
    return found if len(found) <= MAX_ENGINE else None


def any_engine(engine: str | None, runs: Path | None) -> EngineEntry:
    """The opponent of an id: one of the list, or a net of a run in that folder; ConfigError for others."""
    if engine is None or not engine.startswith(PREFIX):
        return find_engine(engine)
    name, _, net = engine.removeprefix(PREFIX).partition("/")
    run = None if runs is None else run_folder(runs, name)
    if run is None or not _has_net(run, net) or run_engine_id(run, net) is None:
        raise ConfigError(f"engine {engine[:MAX_ENGINE]!r}: there is no such net of a run (any more)")
    called = engine_name(engine)
    about = f"A net of the training run {run.name}: {net}.", f"训练 {run.name} 的网络：{net}。"
    return EngineEntry(
        engine, called.en, called.zh, *about, net_levels(_spec("az", run, net), _spec("policy", run, net))
    )


def engine_name(engine: str) -> LocalText:
    """What to call the opponent of an id, also one that is there no more."""
    if entry := ENGINES.get(engine):
        return LocalText(en=entry.en, zh=entry.zh)
    if engine.startswith(PREFIX):
        name, _, net = engine.removeprefix(PREFIX).partition("/")
        if games := GAMES.search(net):
            return LocalText(en=f"{name} after {games[1]} games", zh=f"{name}（{games[1]} 局后）")
        return LocalText(en=f"{net} ({name})", zh=f"{net}（{name}）")
    return LocalText(en=engine, zh=engine)


def _has_net(run: Path, net: str) -> bool:
    """Whether the run has that net. The name is looked up, never followed; nor are links that lead out."""
    file, nets = f"{net}{WEIGHTS_SUFFIX}", run / "nets"
    names = [path.name for path in nets.glob(f"*{WEIGHTS_SUFFIX}")]
    return file in names and (nets / file).resolve().parent == run.resolve() / "nets"


def _spec(player: str, run: Path, net: str) -> str:
    path = (run / "nets" / net).resolve()
    return format_spec(PlayerSpec(player, {"net": f"{path}{WEIGHTS_SUFFIX}"}))
