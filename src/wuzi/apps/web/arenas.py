"""The arenas of a server: tournaments that run as its children, read from the files that they write."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from wuzi.apps.web.children import Children, ChildStatus, LiveChild
from wuzi.apps.web.engines import capabilities_of
from wuzi.apps.web.problems import ProblemError, not_found
from wuzi.apps.web.results import figures_out
from wuzi.apps.web.schemas_jobs import ArenaOut, ArenaSummary, BoardOut, BudgetIn, NewArena
from wuzi.apps.web.schemas_sockets import ArenaMessage, BoardsMessage
from wuzi.apps.web.settings import Settings
from wuzi.apps.web.sockets import Viewer
from wuzi.arena.analysis import Analysis, analyse
from wuzi.arena.journal import GAMES_FILE, SETTINGS_FILE, load_settings
from wuzi.arena.live import read_live
from wuzi.arena.openings import default_openings
from wuzi.arena.results import GameResult, record_from_json
from wuzi.arena.schedule import Entry, TournamentConfig, config_from_settings
from wuzi.arena.sprt import SprtConfig
from wuzi.arena.tournament import prepare_folder, sprt_state
from wuzi.base.store import JsonTail
from wuzi.contract import Limit
from wuzi.core import parse_moves
from wuzi.errors import ConfigError, WuziError
from wuzi.games.pool import WorkerPool
from wuzi.players.spec import parse_spec
from wuzi.protocols.analysis.replies import parse_capabilities
from wuzi.protocols.analysis.wire import parse_rules

logger = logging.getLogger(__name__)

FOLDER = "arenas"
LOOK_S = 0.5
"""Seconds between two looks at the files of an arena that somebody watches."""
MAX_BOARDS = 4
MAX_HELD = 20
"""Arenas in memory that nobody watches."""

MAX_READ = 8 << 20
"""Bytes of games at a look."""

REST = 4.0
"""Figures are computed for a fifth of the time at most."""


@dataclass(eq=False)
class WatchedArena:
    """An arena in memory: its job, the finished games read so far and their figures, and its open sockets.

    ``seq`` grows with every change; before ``rest_until`` (of ``time.monotonic``) no figures are computed.
    """

    child: LiveChild
    config: TournamentConfig
    tail: JsonTail
    records: list[GameResult] = field(default_factory=list)
    analysis: Analysis | None = None
    sockets: int = 0
    seq: int = 0
    rest_until: float = 0.0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def out(self, language: str) -> ArenaOut:
        """All of it, in a language."""
        speed, analysis = self._speed(), self.analysis
        left = _num_games(self.config) - len(self.records)
        running = self.child.status is ChildStatus.RUNNING
        test, state = self.config.sprt, sprt_state(self.config, self.records)
        return ArenaOut.model_validate(
            {
                **_summary(self.child, self.config, len(self.records)),
                "seq": self.seq,
                "message": self.child.state.message,
                "format": self.config.format,
                "openings": self.config.openings,
                "games_per_hour": speed,
                "eta_s": left / speed * 3600 if speed and running else None,
                "sprt": test and state and asdict(test) | asdict(state) | {"decision": state.decision},
                "figures": analysis and figures_out(analysis.records, analysis, language),
            }
        )

    def boards(self) -> list[BoardOut]:
        """The games that are being played, or were when it stopped."""
        found = []
        for game in read_live(self.child.run)[:MAX_BOARDS]:
            with contextlib.suppress(WuziError, ValidationError):
                moves = parse_moves(game["moves"], self.config.rules.size)
                found.append(BoardOut.model_validate({**game, "moves": moves}))
        if self.child.status in (ChildStatus.RUNNING, ChildStatus.STOPPING):
            return found
        return [board for board in found if board.winner is None]

    def _speed(self) -> float | None:
        """Games an hour since the process was started."""
        state = self.child.state
        if state.started is None:
            return None
        begun = sum(_seconds(record.started_at) >= state.started for record in self.records)
        elapsed = (state.ended or time.time()) - state.started
        return begun / elapsed * 3600 if begun and elapsed > 0 else None


class ArenaHub:
    """All arenas; the pool tells what players can play."""

    def __init__(self, settings: Settings, pool: WorkerPool) -> None:
        self._settings = settings
        self._pool = pool
        self.children = Children(settings.data_dir / FOLDER, self._arguments, settings.max_arenas)
        self._watched: dict[str, WatchedArena] = {}

    async def create(self, body: NewArena) -> WatchedArena:
        """Begin to play.

        ProblemError: over a limit of the server. ConfigError, PlayerError: impossible settings or players.
        """
        if not self._settings.max_arenas:
            raise ProblemError(403, "read_only", "this server starts no tournaments")
        config = config_of(body, self._settings)
        for entry in config.entries:  # a worker refuses specs with commands or paths
            can = parse_capabilities(await capabilities_of(self._pool, entry.spec))
            if (reason := can.why_not(config.rules)) is not None:
                raise ConfigError(f"{entry.label} {reason}")
        child = await self.children.create({"name": body.name}, lambda run: prepare_folder(config, run))
        return await self._watch(child)

    async def get(self, arena_id: str) -> WatchedArena:
        """The arena of that id, as its files are now; ProblemError if there is none, or it is broken."""
        return await self._watch(await self.children.get(arena_id))

    async def all(self, limit: int) -> list[ArenaSummary]:
        """The newest arenas."""
        found = []
        for child in (await self.children.all())[:limit]:
            watched = self._watched.get(child.id)
            try:
                config = watched.config if watched else await asyncio.to_thread(_config_of, child.run)
            except ProblemError as error:
                logger.warning("arena %s cannot be listed: %s", child.id, error)
                continue
            done = await asyncio.to_thread(_count_lines, child.run / GAMES_FILE)
            found.append(ArenaSummary.model_validate(_summary(child, config, done)))
        return found

    async def delete(self, watched: WatchedArena) -> None:
        """Stop an arena and remove it for good."""
        await self.children.delete(watched.child)
        self._watched.pop(watched.child.id, None)

    async def follow(self, watched: WatchedArena, viewer: Viewer, language: str) -> None:
        """Tell a viewer the state and every change; ends with the arena. ProblemError: too many sockets."""
        if sum(one.sockets for one in self._watched.values()) >= self._settings.max_sockets:
            raise ProblemError(429, "limit_exceeded", f"{self._settings.max_sockets} sockets are open")
        watched.sockets += 1
        told: tuple[Any, ...] | None = None
        boards: list[BoardOut] | None = None
        try:
            while watched.child.id in self._watched:
                await self._refresh(watched)
                known = (watched.seq, watched.child.status, watched.child.state.message)
                if known != told:
                    told, boards = known, None
                    viewer.send(ArenaMessage(arena=await asyncio.to_thread(watched.out, language)))
                now = await asyncio.to_thread(watched.boards)
                if now != boards:
                    boards = now
                    viewer.send(BoardsMessage(boards=now, sent_at=time.time()))
                await asyncio.sleep(LOOK_S)
        finally:
            watched.sockets -= 1
        raise not_found(f"arena {watched.child.id}")

    async def close(self) -> None:
        """Stop all arenas; the next start resumes them."""
        await self.children.close()

    async def _watch(self, child: LiveChild) -> WatchedArena:
        watched = self._watched.get(child.id)
        if watched is None:
            for arena_id, one in list(self._watched.items()):  # make room: the files tell everything again
                if len(self._watched) >= MAX_HELD and not one.sockets:
                    del self._watched[arena_id]
            config = await asyncio.to_thread(_config_of, child.run)
            tail = JsonTail(child.run / GAMES_FILE, MAX_READ)
            watched = self._watched.setdefault(child.id, WatchedArena(child, config, tail))
        await self._refresh(watched)
        return watched

    async def _refresh(self, watched: WatchedArena) -> None:
        """Read what is new. The figures of many games take a while, so that they may lag while it runs."""
        async with watched.turn:
            if await asyncio.to_thread(_read_games, watched):
                watched.seq += 1
            known = 0 if watched.analysis is None else watched.analysis.games
            rests = time.monotonic() < watched.rest_until and watched.child.status is ChildStatus.RUNNING
            if len(watched.records) == known or rests:
                return
            begun = time.monotonic()
            watched.analysis = await asyncio.to_thread(analyse, list(watched.records))
            watched.seq += 1
            watched.rest_until = time.monotonic() + REST * (time.monotonic() - begun)

    def _arguments(self, child: LiveChild) -> list[str]:
        jobs = str(self._settings.workers)
        return ["tournament", "--out", str(child.run), "--resume", "--no-report", "--json", "-j", jobs]


def _summary(child: LiveChild, config: TournamentConfig, done: int) -> dict[str, Any]:
    """What lists show of an arena."""
    return {
        "id": child.id,
        "name": child.state.request["name"],
        "status": child.status,
        "created_at": child.state.created,
        "players": [entry.label for entry in config.entries],
        "rules": config.rules,
        "done": done,
        "total": _num_games(config),
    }


def _count_lines(path: Path) -> int:
    try:
        with open(path, "rb") as file:
            return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
    except FileNotFoundError:
        return 0


def _config_of(run: Path) -> TournamentConfig:
    try:
        return config_from_settings(load_settings(run)["settings"])
    except WuziError as error:
        text = str(error).replace(f"{run}/", "")
        raise ProblemError(500, "bad_record", f"{SETTINGS_FILE}: {text}") from None


def _read_games(watched: WatchedArena) -> bool:
    """Take what was added to the file of games; whether there was something."""
    anew, lines = watched.tail.read()
    if anew:
        watched.records.clear()
    for line in lines:
        try:
            watched.records.append(record_from_json(line, GAMES_FILE))
        except WuziError as error:
            logger.warning("arena %s: %s", watched.child.id, error)
    return anew or bool(lines)


def _seconds(text: str) -> float:
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return 0.0


def _num_games(config: TournamentConfig) -> int:
    return config.games * len(config.pairings())


def config_of(body: NewArena, settings: Settings) -> TournamentConfig:
    """The tournament that a request means; ProblemError over a limit of the server."""
    if len(body.players) > settings.max_arena_players:
        raise _over("players", len(body.players), settings.max_arena_players)
    for one in body.players:
        _check_size(one.spec, settings)
    limits = [None if one.limit is None else _limit(one.limit, settings) for one in body.players]
    players = zip(body.players, limits, strict=True)
    rules = parse_rules(body.rules.model_dump(by_alias=True))
    config = TournamentConfig(
        entries=tuple(Entry(one.spec, one.label, limit) for one, limit in players),
        rules=rules,
        games=body.games,
        format=body.format,
        openings=default_openings(rules) if body.openings == "book" else body.openings,
        seed=body.seed,
        limit=_limit(body.limit, settings),
        sprt=None if body.sprt is None else SprtConfig(body.sprt.elo0, body.sprt.elo1),
    )
    if (total := _num_games(config)) > settings.max_arena_games:
        raise _over("games", total, settings.max_arena_games)
    return config


def _check_size(spec: str, settings: Settings) -> None:
    """What a spec may take of the machine; whether its values are right at all is the player's business."""
    counts = ("simulations", "max_simulations", "max_nodes", "trace")
    most = dict.fromkeys(counts, settings.max_visits)
    most |= {"table_mb": settings.max_table_mb, "threads": settings.workers}
    for key, value in parse_spec(spec).options.items():
        try:
            number = float(value)
        except ValueError:
            continue
        if number > most.get(key, number):
            detail = f"{spec}: {key}={value}: this server allows {most[key]}"
            raise ProblemError(422, "limit_exceeded", detail)


def _limit(budget: BudgetIn | None, settings: Settings) -> Limit:
    if budget is None:
        return Limit()
    if (budget.time_s or 0) > settings.max_move_s:
        raise _over("seconds a move", budget.time_s, settings.max_move_s)
    if (budget.visits or 0) > settings.max_visits:
        raise _over("simulations", budget.visits, settings.max_visits)
    chosen = budget.model_dump()
    return Limit(simulations=chosen.pop("visits"), **chosen)


def _over(what: str, value: float | None, most: float) -> ProblemError:
    return ProblemError(422, "limit_exceeded", f"{value:g} {what}: this server allows {most:g}")
