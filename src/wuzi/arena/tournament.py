"""Playing a schedule: several games at once, each finished one recorded before the next begins."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import logging
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from wuzi.arena.game_worker import game_request, game_worker_kind
from wuzi.arena.journal import TournamentJournal, write_settings
from wuzi.arena.live import clear_live
from wuzi.arena.openings import BookOpening
from wuzi.arena.rating import tally
from wuzi.arena.results import GameResult, record_from_json, write_csv
from wuzi.arena.schedule import ScheduledGame, TournamentConfig, book_of, check_players, schedule
from wuzi.arena.sprt import SprtState, outcome_counts, sprt
from wuzi.base.machine import processors
from wuzi.core.notation import format_moves
from wuzi.errors import ConfigError
from wuzi.games.player_process import WorkerTimeouts
from wuzi.players.registry import is_known_here_only
from wuzi.workers.crew import Executor, WorkerKind, perform
from wuzi.workers.local import Local

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TournamentProgress:
    """Where a tournament stands, after a game."""

    record: GameResult | None  # the game just finished; None for the first report
    records: Sequence[GameResult]  # all games so far, those of earlier runs included
    total: int


@dataclass(frozen=True, slots=True)
class TournamentResult:
    """All games, in the order of the schedule; ``csv_path`` is None when nothing was written."""

    config: TournamentConfig
    records: tuple[GameResult, ...]
    csv_path: Path | None = None
    sprt: SprtState | None = None


OnProgress = Callable[[TournamentProgress], None]


def default_concurrency(config: TournamentConfig) -> int:
    """Games at once: as many as processors; one fewer where players have a time limit."""
    timed = any(
        limit.time_s is not None or limit.clock_s is not None
        for limit in map(config.limit_of, range(len(config.entries)))
    )
    return max(1, processors() - timed)


def run_tournament(  # noqa: PLR0913 (options by keyword)
    config: TournamentConfig,
    out: Path | None = None,
    *,
    resume: bool = False,
    grow: bool = False,
    deadline: float | None = None,
    most: Callable[[str, str], int] | None = None,
    concurrency: int | None = None,
    allow_command: bool = False,
    on_progress: OnProgress | None = None,
    patience: WorkerTimeouts | None = None,
    executor: Executor | None = None,
) -> TournamentResult:
    """Play all games that are not in the folder yet.

    Killed at any moment, the folder holds every finished game; ``resume`` plays the others. On Ctrl-C
    running games are dropped, the processes ended, and KeyboardInterrupt is raised.

    Args:
        config: what to play.
        out: folder for ``games.jsonl``, ``tournament.json`` and the CSV; nothing is written without.
        resume: continue an earlier run.
        grow: an earlier run may have had fewer games or players.
        deadline: no game begins after this time (of ``time.monotonic``); those that run are finished.
        most: how many of the planned games of two labels are played, the first ones; all by default.
        concurrency: games at once; by default as many as there are processors for.
        allow_command: let specs run programs; only for what a person typed.
        on_progress: called in this thread, first before any game, then after each.
        patience: how long to wait for the players' processes.
        executor: where games are played; on this machine by default.

    Raises:
        ConfigError: wrong players or settings.
        RecordError: the folder holds a broken record.
    """
    check_players(config, allow_command=allow_command)
    alone = _plays_here(config, executor, concurrency)
    book = book_of(config)
    games = schedule(config, book)
    where, patience = executor or Local(), patience or WorkerTimeouts(tolerance_s=config.tolerance_s)
    kind = game_worker_kind(config, patience, where, allow_command=allow_command, live=out, here=alone)
    if concurrency is None and where.shares_disk:
        concurrency = 1 if alone else default_concurrency(config)
    with contextlib.ExitStack() as stack:
        journal = None
        if out:
            settings = _settings(config, book)
            journal = stack.enter_context(TournamentJournal(out, settings, resume=resume, grow=grow))
            clear_live(out)
        records = journal.records if journal else []
        add = journal.append if journal else records.append
        if on_progress:
            on_progress(TournamentProgress(None, records, len(games)))
        if not _decided(config, records):
            pending = _pending(config, games, records, most)
            with contextlib.closing(_play(pending, kind, where, deadline, concurrency or 0)) as played:
                for record in played:
                    add(record)
                    if on_progress:
                        on_progress(TournamentProgress(record, records, len(games)))
                    if _decided(config, records):
                        break
        if out:
            clear_live(out)  # games that a decided test has left
        return _result(config, games, records, journal)


continue_tournament = partial(run_tournament, resume=True, grow=True, allow_command=True)
"""Play what a campaign's folder lacks, with the specs of its settings file."""


def sprt_state(config: TournamentConfig, records: Sequence[GameResult]) -> SprtState | None:
    """Where the test stands, from the first player's side; None without a test."""
    if config.sprt is None:
        return None
    counted = tally(records, config.entries[0].label, config.entries[1].label)
    return sprt(outcome_counts(counted), config.sprt)


def _decided(config: TournamentConfig, records: Sequence[GameResult]) -> bool:
    state = sprt_state(config, records)
    return state is not None and state.decision != ""


def _plays_here(config: TournamentConfig, executor: Executor | None, concurrency: int | None) -> bool:
    """Whether a player is an object of this process; a ConfigError where games are to be played elsewhere."""
    alone = [entry.label for entry in config.entries if is_known_here_only(entry.spec)]
    if alone and (executor is not None or (concurrency or 1) != 1):
        raise ConfigError(
            f"{alone[0]} is known to this process only, which plays one game at a time: expected no "
            f"executor and concurrency 1"
        )
    return bool(alone)


def _pending(
    config: TournamentConfig,
    games: Sequence[ScheduledGame],
    records: Sequence[GameResult],
    most: Callable[[str, str], int] | None,
) -> list[ScheduledGame]:
    """The games that are not there yet, of each pairing up to the ``most``."""
    done = {record.game_id for record in records}
    return [
        game
        for game in games
        if game.id not in done
        and (not most or game.index < most(*(config.entries[seat].label for seat in game.seats)))
    ]


def _result(
    config: TournamentConfig,
    games: Sequence[ScheduledGame],
    records: Sequence[GameResult],
    journal: TournamentJournal | None,
) -> TournamentResult:
    """The games in the order of the schedule, also as a table beside the journal."""
    place = {game.id: i for i, game in enumerate(games)}
    ordered = tuple(sorted(records, key=lambda record: place.get(record.game_id, len(place))))
    path = journal.csv_path if journal and ordered else None
    if path:
        write_csv(ordered, path)
    return TournamentResult(config, ordered, path, sprt_state(config, ordered))


def _play(
    games: Sequence[ScheduledGame],
    kind: WorkerKind,
    executor: Executor,
    deadline: float | None,
    concurrency: int,
) -> Generator[GameResult, None, None]:
    """Play the games; gives each record when it is there. Left early, it ends all processes."""
    if not games:
        return
    crew = executor.crew(kind, min(concurrency, len(games)) if concurrency else 0)
    tasks = ((game.id, game_request(game)) for game in games)
    try:
        for _, answer in perform(crew, itertools.takewhile(lambda _: not is_over(deadline), tasks)):
            if answer:
                yield record_from_json(answer["record"], "a worker")
    finally:
        crew.close()


def is_over(deadline: float | None) -> bool:
    """Whether a deadline (of ``time.monotonic``) has passed."""
    return deadline is not None and time.monotonic() >= deadline


def prepare_folder(config: TournamentConfig, folder: Path) -> None:
    """Write a tournament's settings into a new folder; ``resume`` then plays it, whoever starts that."""
    folder.mkdir(parents=True, exist_ok=True)
    write_settings(folder, _settings(config, book_of(config)))


def _settings(config: TournamentConfig, book: Sequence[BookOpening]) -> dict[str, Any]:
    """The settings with a hash of the openings, which changes also when a book file was edited."""
    data = [[opening.id, format_moves(opening.moves, config.rules.size)] for opening in book]
    digest = hashlib.sha256(json.dumps(data).encode()).hexdigest()
    return {**config.settings(), "openings_hash": digest[:12]}
