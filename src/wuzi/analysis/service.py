"""The engine behind ``wuzi analysis-engine``: one thread reads requests, others think, whole lines come out.

The reading thread answers pings and stops searches at once, whatever the thinking threads are doing. Each
of those has players of its own.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping
from typing import IO, TYPE_CHECKING, Any

from wuzi import __version__
from wuzi.contract import OnInfo, Player, SearchInfo, Stop
from wuzi.core import jit
from wuzi.errors import WuziError
from wuzi.protocols.analysis import queries
from wuzi.protocols.analysis.replies import capabilities_json, error_reply, report
from wuzi.protocols.analysis.wire import MAX_LINE, RequestError, encode

if TYPE_CHECKING:
    from wuzi.analysis.layers import LayerMaker
    from wuzi.analysis.review.trial import TaskRunner

logger = logging.getLogger(__name__)

MAX_QUEUE = 64
MAX_PLAYERS = 3
Job = queries.Start | queries.Describe | queries.Layers | queries.Warm | queries.NamedTask


class _ThreadTools(threading.local):
    """What each thinking thread keeps: its players, the least recently used first, and what else it needs."""

    def __init__(self) -> None:
        self.players: OrderedDict[str, Player] = OrderedDict()
        self.looker: LayerMaker | None = None
        self.bench: TaskRunner | None = None


class AnalysisRunner:
    """Serves the analysis protocol; ``write`` gets whole lines without their ends, one at a time.

    So many ``searches`` run at once, each in a thread that keeps ``max_players`` players for later requests.
    """

    def __init__(
        self,
        write: Callable[[str], None],
        create_player: Callable[[str], Player],
        *,
        default_player: str = "",
        max_players: int = MAX_PLAYERS,
        searches: int = 1,
    ) -> None:
        self._write = write
        self._create_player = create_player
        self._default_player = default_player
        self._max_players = max_players
        self._searches = searches
        self._own = _ThreadTools()
        self._writing = threading.Lock()
        self._changed = threading.Condition()
        self._jobs: deque[Job] = deque()
        self._running = 0
        self._stops: dict[str, Stop] = {}
        self._cancelled: set[str] = set()
        self._closed = False
        self._ended = False

    def serve(self, lines: Iterable[bytes]) -> None:
        """Read requests in a thread of their own and think in this one, and in others if so many are wanted.

        Returns after ``quit``, or when the input has ended and all requests are answered.
        """
        self._send({"type": "ready", "protocol": queries.VERSION, "version": __version__})
        reader = threading.Thread(target=self._read, args=(lines,), name="analysis-reader", daemon=True)
        reader.start()
        others = [
            threading.Thread(target=self._think_on, name=f"analysis-{number}", daemon=True)
            for number in range(1, self._searches)
        ]
        for thread in others:
            thread.start()
        try:
            self._think_on()
        finally:
            for thread in others:
                thread.join()

    def close(self) -> None:
        """Stop the running search, forget the waiting ones and let :meth:`serve` return."""
        with self._changed:
            self._closed = True
            self._jobs.clear()
            stops = list(self._stops.values())
            self._changed.notify_all()
        for stop in stops:
            stop.set()

    def _read(self, lines: Iterable[bytes]) -> None:
        try:
            for line in lines:
                if line.strip() and not self._handle(line):
                    self.close()
                    return
        except Exception:
            logger.exception("the input broke")
            self.close()
            return
        with self._changed:  # the input has ended: answer what was asked, then leave
            self._ended = True
            self._changed.notify_all()

    def _handle(self, line: bytes) -> bool:
        """Serve one line; False when it asks to quit."""
        try:
            request = queries.parse_request(line, self._default_player)
            match request:
                case queries.Quit():
                    return False
                case queries.Ping(request_id):
                    self._send({"type": "pong", "id": request_id})
                case queries.StopSearch(request_id, cancel=True):
                    self._cancel(request_id)
                case queries.StopSearch(request_id):
                    if (stop := self._stops.get(request_id)) is not None:
                        stop.set()
                case _:
                    self._enqueue(request)
        except RequestError as error:
            self._send(error_reply(error.code, str(error), error.request_id))
        return True

    def _enqueue(self, job: Job) -> None:
        with self._changed:
            waiting = len(self._jobs)
            if job.id in self._stops:
                raise RequestError("duplicate_id", f"id {job.id!r} is already in use", job.id)
            if waiting + self._running >= MAX_QUEUE:
                text = f"{waiting + self._running} requests are waiting: expected fewer"
                raise RequestError("engine_busy", text, job.id)
            self._stops[job.id] = Stop()
            ahead = self._running + sum(_priority(other) >= _priority(job) for other in self._jobs)
            if waiting + self._running >= self._searches:
                self._send({"type": "queued", "id": job.id, "ahead": ahead})
            self._jobs.append(job)
            self._changed.notify_all()

    def _cancel(self, request_id: str) -> None:
        """Drop the waiting and stop the running requests of that id, or all of them for an empty one."""
        with self._changed:
            chosen = {id for id in self._stops if request_id in ("", id)}
            waiting = {job.id for job in self._jobs if job.id in chosen}
            for job in [job for job in self._jobs if job.id in waiting]:
                self._jobs.remove(job)
                self._stops.pop(job.id)
            self._cancelled |= chosen - waiting
            stops = [self._stops[id] for id in chosen - waiting]
        for stop in stops:
            stop.set()
        for id in sorted(waiting):
            self._send({"type": "cancelled", "id": id})

    def _think_on(self) -> None:
        """Serve waiting requests until there are no more."""
        try:
            while (job := self._next_job()) is not None:
                self._run(job)
        except BaseException:
            self.close()
            raise
        finally:
            for player in self._own.players.values():
                player.close()

    def _next_job(self) -> Job | None:
        with self._changed:
            self._changed.wait_for(lambda: self._jobs or self._closed or self._ended)
            if not self._jobs:
                return None
            job = max(self._jobs, key=_priority)  # the first of equals
            self._jobs.remove(job)
            self._running += 1
            return job

    def _run(self, job: Job) -> None:
        try:
            match job:
                case queries.Start():
                    reply = self._think(job)
                case queries.Describe():
                    player = self._player(job.player)
                    can = capabilities_json(player.capabilities)
                    reply = {"type": "described", "id": job.id, "name": player.name, "capabilities": can}
                case queries.Layers():
                    reply = self._layers(job)
                case queries.NamedTask():
                    reply = {"type": "done", "id": job.id, "result": self._do(job)}
                case queries.Warm():
                    jit.warm_once()
                    reply = {"type": "warmed", "id": job.id, "kernels": jit.num_kernels()}
        except WuziError as error:
            reply = error_reply(queries.error_code(error), str(error), job.id)
        except Exception as error:  # a broken player must not end the process
            logger.exception("%s failed", job.id)
            self._forget(job)
            reply = error_reply("engine_failed", f"{type(error).__name__}: {error}", job.id)
        with self._changed:
            self._running -= 1
            self._stops.pop(job.id, None)
            if job.id in self._cancelled:
                self._cancelled.discard(job.id)
                reply = {"type": "cancelled", "id": job.id}
        self._send(reply)

    def _think(self, job: queries.Start) -> Mapping[str, Any]:
        numbers = itertools.count(1)

        def send_info(info: SearchInfo) -> None:
            if job.id not in self._cancelled:
                self._send(report("info", job, info, next(numbers)))

        on_info = None if job.report_every_s is None else _throttled(send_info, job.report_every_s)
        player, stop = self._player(job.player), self._stops[job.id]
        result = player.think(job.game, job.limit, multipv=job.multipv, stop=stop, on_info=on_info)
        return report("done", job, result.info, next(numbers), result)

    def _layers(self, job: queries.Layers) -> Mapping[str, Any]:
        from wuzi.analysis.layers import LayerMaker

        self._own.looker = looker = self._own.looker or LayerMaker()
        game, stop = job.game, self._stops[job.id]
        found = looker.look(game, job.include, net=job.net, depth=job.depth, moves=job.moves, stop=stop)
        return {"type": "layered", "id": job.id, "turnNumber": game.ply, **found}

    def _do(self, job: queries.NamedTask) -> Mapping[str, Any]:
        from wuzi.analysis.review.trial import TaskRunner

        self._own.bench = bench = self._own.bench or TaskRunner(self._player)
        return bench.run(job.task, job.arguments, self._stops[job.id])

    def _player(self, spec: str) -> Player:
        """The player of that spec, made now or kept from an earlier request."""
        players = self._own.players
        if spec not in players:
            while len(players) >= self._max_players:
                players.popitem(last=False)[1].close()
            players[spec] = self._create_player(spec)
        players.move_to_end(spec)
        return players[spec]

    def _forget(self, job: Job) -> None:
        """Drop the player of a job that failed, so that the next one begins with a fresh one."""
        if (
            isinstance(job, queries.Start | queries.Describe)
            and (player := self._own.players.pop(job.player, None)) is not None
        ):
            with contextlib.suppress(Exception):
                player.close()

    def _send(self, message: Mapping[str, Any]) -> None:
        line = encode(message)
        try:
            with self._writing:
                self._write(line)
        except (OSError, ValueError):  # whoever read our output has gone
            self.close()


def read_lines(stream: IO[bytes], max_line: int = MAX_LINE) -> Iterable[bytes]:
    """The lines of a stream; of a longer one only its first ``max_line`` + 1 bytes."""
    while line := stream.readline(max_line + 1):
        yield line
        while len(line) > max_line and not line.endswith(b"\n"):
            line = stream.readline(max_line + 1)
            if not line:
                return


def _priority(job: Job) -> int:
    return job.priority if isinstance(job, queries.Start) else 0


def _throttled(send: OnInfo, every_s: float) -> OnInfo:
    """``send``, but not more often than every ``every_s`` seconds."""
    last = -float("inf")

    def maybe(info: SearchInfo) -> None:
        nonlocal last
        if (now := time.monotonic()) - last >= every_s:
            last = now
            send(info)

    return maybe
