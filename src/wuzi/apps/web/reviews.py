"""The reviews of a server: each a small file of results that grows, made by the workers step by step."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from wuzi.analysis.review import Review, ReviewOptions, next_task, progress, restore, strip
from wuzi.analysis.review.model import ANALYSTS, DEPTHS, ReviewJournal
from wuzi.analysis.review.output import review_json
from wuzi.analysis.review.results import parse_result
from wuzi.apps.web.engines import EngineList
from wuzi.apps.web.problems import ProblemError, not_found
from wuzi.apps.web.schemas_analysis import ReviewOut, ReviewSummary, TrialOut
from wuzi.apps.web.schemas_sockets import ReviewMessage
from wuzi.apps.web.sockets import Viewer
from wuzi.apps.web.states import outcome_out
from wuzi.arena.openings import book_stones
from wuzi.base.atomic import write_atomic
from wuzi.core import Game, format_moves, parse_moves
from wuzi.errors import PlayerError, RecordError, WuziError
from wuzi.games.pool import PoolSearch, WorkerPool, failure_code
from wuzi.protocols.analysis.queries import NamedTask
from wuzi.protocols.analysis.wire import position_json
from wuzi.records import GameRecord, dumps, load

logger = logging.getLogger(__name__)

FOLDER = "reviews"
MAX_RUNNING = 8
MAX_KEPT = 200
MAX_VIEWERS = 20
FOLLOW_S = 0.3
"""Least seconds between two states that a reader gets."""
_ID = re.compile(r"[A-Za-z0-9_-]{6,40}")


class LiveReview:
    """A review in memory; everything here runs in the event loop. An error is its code and its text."""

    def __init__(
        self, review_id: str, record: GameRecord, review: Review, folder: Path, created: float
    ) -> None:
        self.id = review_id
        self.record = record
        self.review = review
        self.created = created
        self.error: tuple[str, str] | None = None
        self.ahead = 0
        self._viewers = 0
        self.seq = len(review.results)
        self.journal = ReviewJournal(folder / f"{review_id}.jsonl")
        self.task: asyncio.Task[None] | None = None
        self._news = asyncio.Event()

    def changed(self) -> None:
        """Wake everybody who follows the review."""
        self._news.set()
        self._news = asyncio.Event()

    async def follow(self, viewer: Viewer) -> None:
        """Send the state now and after each change, but not more often than people can read; never ends."""
        if self._viewers >= MAX_VIEWERS:
            raise ProblemError(429, "limit_exceeded", f"{self._viewers} sockets watch this review")
        self._viewers += 1
        try:
            while True:
                news = self._news
                viewer.send(ReviewMessage(review=await asyncio.to_thread(self.state)))
                await news.wait()
                await asyncio.sleep(FOLLOW_S)
        finally:
            self._viewers -= 1

    @property
    def is_idle(self) -> bool:
        """Whether nothing works on it and nobody follows it."""
        return self.task is None and not self._viewers

    @property
    def status(self) -> str:
        """``running``, ``stopped``, ``done`` or ``failed``."""
        if self.task is not None:
            return "running"
        if next_task(self.review) is None:
            return "done"
        return "failed" if self.error is not None else "stopped"

    def summary(self) -> ReviewSummary:
        """What lists show."""
        about = {"ply": len(self.review.subject.game.moves), "fraction": progress(self.review).fraction}
        return ReviewSummary.model_validate(self._head() | about)

    def state(self) -> ReviewOut:
        """All of it as clients see it."""
        code, text = self.error or (None, None)
        about = {
            "seq": self.seq,
            "error": text,
            "error_code": code,
            "date": self.record.date,
            "outcome": outcome_out(self.review.subject.game),
            "progress": {**asdict(progress(self.review)), "ahead": self.ahead},
        }
        return ReviewOut.model_validate(review_json(self.review) | self._head() | about)

    def _head(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "status": self.status,
            "created_at": self.created,
            "players": {"B": self.record.black, "W": self.record.white},
            "rules": self.review.subject.game.rules,
        }


class ReviewHub:
    """All reviews, in a folder of ``data_dir``. Each runs step by step, so that they share the workers."""

    def __init__(self, data_dir: Path, pool: WorkerPool, engines: EngineList) -> None:
        self._folder = data_dir / FOLDER
        self._pool = pool
        self._engines = engines
        self._live: dict[str, LiveReview] = {}
        self._creating = asyncio.Lock()

    async def create(self, record: GameRecord, depth: str) -> LiveReview:
        """Begin a review, and remove the oldest of too many; what the record holds is not analysed again."""
        async with self._creating:  # or requests that come together would pass the limit together
            live = await self._create(record, depth)
        await self._prune()
        return live

    async def _create(self, record: GameRecord, depth: str) -> LiveReview:
        game = await asyncio.to_thread(record.game)
        review = await asyncio.to_thread(restore, record, game)
        if review is None:
            analyst = await self._engines.first(ANALYSTS, game.rules)
            book = await asyncio.to_thread(book_stones, record)
            options = ReviewOptions(ANALYSTS[analyst.id], *DEPTHS[depth], book=book)
            review = await asyncio.to_thread(Review.of, game, options)
        name = _name(record, review)
        with contextlib.suppress(ProblemError):  # there is none yet, or it cannot be read
            return await self._again(await self.get(name))
        self._check_room()
        live = LiveReview(name, strip(record), review, self._folder, time.time())
        await asyncio.to_thread(self._store, live)
        self._live[live.id] = live
        self._start(live)
        return live

    async def _again(self, live: LiveReview) -> LiveReview:
        """The review that there is of the same game with the same settings, going on."""
        await self.resume(live)
        return live

    async def get(self, review_id: str) -> LiveReview:
        """The review of that id; ProblemError if there is none."""
        if review_id not in self._live:
            if not _ID.fullmatch(review_id):
                raise not_found(f"review {review_id[:40]!r}")
            live = await asyncio.to_thread(self._load, review_id)
            self._live.setdefault(review_id, live)
        return self._live[review_id]

    async def recent(self, limit: int) -> list[ReviewSummary]:
        """The newest reviews."""
        found = []
        for name in (await asyncio.to_thread(self._names))[:limit]:
            try:
                found.append((await self.get(name)).summary())
            except WuziError as error:
                logger.warning("review %s cannot be listed: %s", name, error)
        return found

    async def resume(self, live: LiveReview) -> None:
        """Go on with a review that was stopped or failed."""
        if live.task is None and next_task(live.review) is not None:
            self._check_room()
            live.error = None
            self._start(live)
            live.changed()

    async def stop(self, live: LiveReview) -> None:
        """Stop a review; it can be resumed later."""
        if live.task is not None:
            live.task.cancel()
            await asyncio.gather(live.task, return_exceptions=True)

    async def delete(self, live: LiveReview) -> None:
        """Remove a review for good."""
        await self.stop(live)
        await self._remove(live.id)

    async def _remove(self, review_id: str) -> None:
        self._live.pop(review_id, None)
        for path in (self._journal_path(review_id), self._record_path(review_id)):
            await asyncio.to_thread(path.unlink, True)

    async def _prune(self) -> None:
        """Remove the oldest of too many reviews, but none that runs or is followed."""
        for name in (await asyncio.to_thread(self._names))[MAX_KEPT:]:
            if name not in self._live or self._live[name].is_idle:
                await self._remove(name)

    def _check_room(self) -> None:
        """ProblemError if no further review may run now."""
        if sum(one.task is not None for one in self._live.values()) >= MAX_RUNNING:
            raise ProblemError(429, "limit_exceeded", f"{MAX_RUNNING} reviews are running: try again later")

    async def close(self) -> None:
        """Stop all reviews; their results so far stay."""
        for live in list(self._live.values()):
            await self.stop(live)

    async def judge(self, game: Game, move: str, goal: str, options: Mapping[str, Any]) -> TrialOut:
        """What a move is worth that somebody tries; ``goal`` is a :class:`wuzi.analysis.review.Goal`."""
        cell = str(game.position.check(move))
        arguments = {"position": position_json(game), "move": cell, "goal": goal, "options": options}
        found = await self._ask("judge", arguments)
        return TrialOut.model_validate({**found, "line": parse_moves(found["line"], game.rules.size)})

    async def balance(self, game: Game, count: int) -> dict[str, Any]:
        """One or two moves that come nearest to both sides standing alike, and Black's win rate then."""
        options = {"player": ANALYSTS["engine"]}
        return await self._ask(
            "balance", {"position": position_json(game), "count": count, "options": options}
        )

    async def _ask(
        self, task: str, arguments: Mapping[str, Any], live: LiveReview | None = None
    ) -> dict[str, Any]:
        """The result of one of :mod:`wuzi.analysis.review.trial`; cancelling the caller frees the worker.

        The review that it is for knows how many searches come before it.
        """
        request = NamedTask(f"{task}-{secrets.token_hex(6)}", task, arguments)
        search: PoolSearch | None = None

        def on_queue() -> None:
            if live is not None and search is not None:  # not yet while it is submitted
                live.ahead = search.ahead
                live.changed()

        search = self._pool.submit(request, on_queue=on_queue, background=True, retries=1)
        on_queue()
        try:
            result: dict[str, Any] = (await search.answer)["result"]
            return result
        except BaseException:
            search.cancel()
            raise

    def _start(self, live: LiveReview) -> None:
        if next_task(live.review) is not None:
            live.task = asyncio.create_task(self._run(live))

    async def _run(self, live: LiveReview) -> None:
        """Do what is left, step by step."""
        try:
            subject, size = live.review.subject, live.review.subject.size
            plain = await asyncio.to_thread(subject.game_at, len(subject.moves))
            arguments = {"position": position_json(plain), "options": asdict(live.review.options)}
            while (task := next_task(live.review)) is not None:
                step = {"kind": str(task.kind), "ply": task.ply, "moves": format_moves(task.moves, size)}
                found = await self._ask("review", arguments | step, live)
                result = parse_result(task.kind, found, size)
                live.review.results[task.key] = result
                live.seq += 1
                live.changed()
                await asyncio.to_thread(live.journal.add, task.key, result)
        except PlayerError as error:
            live.error = (failure_code(error), str(error))
        except OSError as error:
            live.error = ("internal", f"the results cannot be written: {error.strerror}")
        except Exception as error:  # a bug must end in a message, not in a review that runs for ever
            logger.exception("review %s", live.id)
            live.error = ("engine_failed", f"{type(error).__name__}: {error}")
        finally:
            live.task = None
            live.seq += 1
            live.changed()

    def _record_path(self, review_id: str) -> Path:
        return self._folder / f"{review_id}.sgf"

    def _journal_path(self, review_id: str) -> Path:
        return self._folder / f"{review_id}.jsonl"

    def _store(self, live: LiveReview) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomic(self._record_path(live.id), dumps(live.record).encode())
        review = live.journal.open(live.review.subject.game, live.review.options)
        for key, result in live.review.results.items():
            if key not in review.results:
                live.journal.add(key, result)

    def _load(self, review_id: str) -> LiveReview:
        path = self._record_path(review_id)
        try:
            created = path.stat().st_mtime
            record = load(path)
            journal, game = ReviewJournal(self._journal_path(review_id)), record.game()
            review = journal.read(game)
            review = review and journal.open(game, review.options)
        except OSError:
            raise not_found(f"review {review_id!r}") from None
        except RecordError as error:
            raise ProblemError(500, "bad_record", f"review {review_id} cannot be read: {error}") from error
        if review is None:
            raise ProblemError(500, "bad_record", f"review {review_id}: its results are of another game")
        return LiveReview(review_id, record, review, self._folder, created)

    def _names(self) -> list[str]:
        """Ids, newest first."""
        try:
            paths = [(path.stat().st_mtime, path.stem) for path in self._folder.glob("*.sgf")]
        except OSError:
            return []
        return [name for _, name in sorted(paths, reverse=True)]


def _name(record: GameRecord, review: Review) -> str:
    """The id of a review: that of another one of the same game and players with the same settings."""
    told = [review.header(), record.black, record.white, str(review.subject.game.outcome)]
    return sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:20]
