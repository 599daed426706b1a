"""Playing a schedule: several games at once, each finished one recorded before the next begins."""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import json
import logging
import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import wuzi
from wuzi.arena.journal import Journal
from wuzi.arena.openings import Opening
from wuzi.arena.rating import tally
from wuzi.arena.referee import Interrupted, Played, play_game
from wuzi.arena.results import GameRecord, write_csv
from wuzi.arena.schedule import (
    ScheduledGame,
    TournamentConfig,
    book_of,
    check_players,
    player_hash,
    schedule,
)
from wuzi.arena.slot import Patience, Slot
from wuzi.arena.sprt import SprtState, outcome_counts, sprt
from wuzi.contract import Player, Stop
from wuzi.core.game import Game
from wuzi.core.notation import format_moves
from wuzi.core.types import Color, Outcome, Reason
from wuzi.errors import PlayerError

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a tournament stands, after a game.

    Attributes:
        record: the game just finished; None for the first report.
        records: all games so far, those of earlier runs included.
        total: games planned.
    """

    record: GameRecord | None
    records: Sequence[GameRecord]
    total: int


@dataclass(frozen=True, slots=True)
class TournamentResult:
    """What was played.

    Attributes:
        config: the settings.
        records: all games, in the order of the schedule.
        csv_path: the result file; None when nothing was written.
        sprt: state of the test, if there was one.
    """

    config: TournamentConfig
    records: tuple[GameRecord, ...]
    csv_path: Path | None = None
    sprt: SprtState | None = None


@dataclass(frozen=True, slots=True)
class Portion:
    """Which of the planned games are played now.

    Attributes:
        wanted: says of two labels whether these players' games are; all by default.
        deadline: no game begins after this time (of ``time.monotonic``); those that run are finished.
    """

    wanted: Callable[[str, str], bool] | None = None
    deadline: float | None = None

    def has(self, config: TournamentConfig, game: ScheduledGame) -> bool:
        """Whether a game is one of the wanted ones."""
        first, second = (config.entries[seat].label for seat in game.seats)
        return self.wanted is None or self.wanted(first, second)

    @property
    def is_over(self) -> bool:
        """Whether the deadline has passed."""
        return self.deadline is not None and time.monotonic() >= self.deadline


OnProgress = Callable[[Progress], None]


def default_concurrency(config: TournamentConfig) -> int:
    """Games at once: as many as processors; one fewer where players have a time limit."""
    try:
        processors = len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        processors = os.cpu_count() or 1
    timed = any(
        limit.time_s is not None or limit.clock_s is not None
        for limit in map(config.limit_of, range(len(config.entries)))
    )
    return max(1, processors - timed)


def run_tournament(  # noqa: PLR0913 (options by keyword)
    config: TournamentConfig,
    out: Path | None = None,
    *,
    resume: bool = False,
    grow: bool = False,
    portion: Portion = Portion(),
    concurrency: int | None = None,
    allow_command: bool = False,
    on_progress: OnProgress | None = None,
    patience: Patience | None = None,
) -> TournamentResult:
    """Play all games that are not in the folder yet.

    Killed at any moment, the folder holds every finished game; ``resume`` plays the others. On Ctrl-C
    running games are dropped, the processes ended, and KeyboardInterrupt is raised.

    Args:
        config: what to play.
        out: folder for ``games.jsonl``, ``tournament.json`` and the CSV; nothing is written without.
        resume: go on with an earlier run.
        grow: an earlier run may have had fewer games or players.
        portion: which of the games are played now.
        concurrency: games at once.
        allow_command: let specs run programs; only for what a person typed.
        on_progress: called in this thread, first before any game, then after each.
        patience: how long to wait for the players' processes.

    Raises:
        ConfigError: wrong players or settings.
        RecordError: the folder holds a broken record.
    """
    check_players(config, allow_command=allow_command)
    book = book_of(config)
    games = schedule(config, book)
    settings = {**config.settings(), "openings_hash": _book_hash(config, book)}
    with contextlib.ExitStack() as stack:
        journal = stack.enter_context(Journal(out, settings, resume=resume, grow=grow)) if out else None
        records = list(journal.records) if journal else []
        done = {record.game_id for record in records}
        run = _Run(config, allow_command, patience or Patience(tolerance_s=config.tolerance_s), portion)
        pending = [game for game in games if game.id not in done and portion.has(config, game)]
        if on_progress:
            on_progress(Progress(None, records, len(games)))
        if not _decided(config, records):
            for record in run.play(pending, concurrency or default_concurrency(config)):
                if journal:
                    journal.append(record)
                records.append(record)
                if on_progress:
                    on_progress(Progress(record, records, len(games)))
                if _decided(config, records):
                    run.stop.set()
        place = {game.id: i for i, game in enumerate(games)}
        ordered = tuple(sorted(records, key=lambda record: place.get(record.game_id, len(place))))
        if journal and ordered:
            write_csv(ordered, journal.csv_path)
        return TournamentResult(
            config, ordered, journal.csv_path if journal and ordered else None, sprt_state(config, ordered)
        )


def sprt_state(config: TournamentConfig, records: Sequence[GameRecord]) -> SprtState | None:
    """Where the test stands, from the first player's side; None without a test."""
    if config.sprt is None:
        return None
    counted = tally(records, config.entries[0].label, config.entries[1].label)
    return sprt(outcome_counts(counted), config.sprt)


def _decided(config: TournamentConfig, records: Sequence[GameRecord]) -> bool:
    state = sprt_state(config, records)
    return state is not None and state.decision != ""


class _Run:
    """The threads of one call of :func:`run_tournament`; each has a worker process."""

    def __init__(
        self, config: TournamentConfig, allow_command: bool, patience: Patience, portion: Portion
    ) -> None:
        self.stop = Stop()
        self._portion = portion
        self._config = config
        self._allow_command = allow_command
        self._patience = patience
        self._pending: deque[ScheduledGame] = deque()
        self._finished: queue.Queue[GameRecord | BaseException | None] = queue.Queue()

    def play(self, games: Sequence[ScheduledGame], concurrency: int) -> Iterator[GameRecord]:
        """Play the games; gives each record when it is there. Left early, it ends all processes."""
        self._pending.extend(games)
        running = min(max(1, concurrency), len(games))
        threads = [threading.Thread(target=self._work, name=f"arena-{i}") for i in range(running)]
        for thread in threads:
            thread.start()
        try:
            while running:
                try:
                    # The time-out lets Ctrl-C through on systems where a plain wait would not.
                    item = self._finished.get(timeout=0.5)
                except queue.Empty:
                    continue
                if isinstance(item, GameRecord):
                    yield item
                    continue
                running -= 1
                if item is not None:
                    raise item
        finally:
            self.stop.set()
            for thread in threads:
                thread.join()

    def _work(self) -> None:
        failed: BaseException | None = None
        try:
            with Slot(self._patience, allow_command=self._allow_command, stop=self.stop) as slot:
                while not self.stop.is_set and not self._portion.is_over:
                    try:
                        game = self._pending.popleft()
                    except IndexError:
                        break
                    self._finished.put(self._play(slot, game))
        except Interrupted:
            pass
        except BaseException as error:  # handed to the caller's thread, which raises it
            failed = error
        self._finished.put(failed)

    def _play(self, slot: Slot, planned: ScheduledGame) -> GameRecord:
        config = self._config
        game = planned.opening.game(config.rules) if planned.opening.moves else Game(config.rules)
        started_at = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        started = time.perf_counter()
        players: list[Player] = []
        played: Played | None = None
        for seat in (0, 1):
            try:
                players.append(slot.seat(seat, planned.specs[seat], game))
            except PlayerError as error:
                if self.stop.is_set:
                    raise Interrupted from None
                lost = Outcome(game.color_of(1 - seat), Reason.CRASH)
                played = Played(game.end(lost), (0.0, 0.0), detail=str(error))
                break
            if seat == 1:
                started = time.perf_counter()
        if played is None:
            played = play_game(
                players,
                game,
                (config.limit_of(planned.seats[0]), config.limit_of(planned.seats[1])),
                adjudication=config.adjudication,
                tolerance_s=config.tolerance_s,
                stop=self.stop,
            )
        return self._record(planned, played, started_at, time.perf_counter() - started)

    def _record(
        self, planned: ScheduledGame, played: Played, started_at: str, duration_s: float
    ) -> GameRecord:
        config, game = self._config, played.game
        assert game.outcome is not None
        black, white = game.seat_of(Color.BLACK), game.seat_of(Color.WHITE)
        label = [config.entries[index].label for index in planned.seats]
        hashes = [player_hash(config, index) for index in planned.seats]
        size = config.rules.size
        return GameRecord(
            game_id=planned.id,
            started_at=started_at,
            black=label[black],
            white=label[white],
            winner=game.outcome.result,
            reason=game.outcome.reason.label,
            plies=game.ply,
            duration_s=round(duration_s, 6),
            black_time_s=round(played.times_s[black], 6),
            white_time_s=round(played.times_s[white], 6),
            first_player=label[0],
            size=size,
            win_length=config.rules.win_length,
            rule=config.rules.rule.label,
            opening_id=planned.opening.id,
            seed=planned.seed,
            moves=format_moves(game.moves, size),
            black_hash=hashes[black],
            white_hash=hashes[white],
            version=wuzi.__version__,
            opening=format_moves(planned.opening.moves, size),
            detail=played.detail,
            black_slowest_s=round(played.slowest_s[black], 6),
            white_slowest_s=round(played.slowest_s[white], 6),
            black_late=played.late[black],
            white_late=played.late[white],
        )


def _book_hash(config: TournamentConfig, book: Sequence[Opening]) -> str:
    """Changes when the openings do, also when a book file was edited."""
    data = [[opening.id, format_moves(opening.moves, config.rules.size)] for opening in book]
    return hashlib.sha256(json.dumps(data).encode()).hexdigest()[:12]
