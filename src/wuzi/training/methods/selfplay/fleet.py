"""Self-play by a crew of workers, which may be lost and may come in the middle.

Numbers of games are leased to workers. A number comes back with its game, or when its worker is lost; then
another one begins that game anew, so that no game is lost and none is there twice. At most two requests
are asked of a worker at a time: who cannot take more games in is not sent more.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from wuzi.base.machine import processors
from wuzi.base.settings import section_values
from wuzi.errors import ConfigError
from wuzi.training.data.games import EndedGame, SelfPlayGame
from wuzi.training.methods.selfplay.workers import (
    NO_LIMIT,
    LocalSelfPlay,
    SelfPlayTask,
    SelfPlayWorkers,
    contents_of,
    write_open,
)
from wuzi.workers.crew import Crew, CrewReply, Executor, JoinedWorkers, WorkerKind
from wuzi.workers.local import Local

SLICE_S = 0.2
"""Seconds of play a request: a worker is told of a new net, or to pause, so much later."""

SLICE_A_WORKER_S = 0.002
"""The same for each worker of a large fleet: the driver is not asked more often than it can answer."""

AHEAD = 2
_LEASED = 3
"""Numbers that a worker has, as a multiple of its games at once: a step may end all of these."""


def slice_s(workers: int) -> float:
    """Seconds of play a request in a fleet of so many."""
    return max(SLICE_S, workers * SLICE_A_WORKER_S)


def make_workers(
    task: SelfPlayTask, wanted: int, executor: Executor | None = None, alone: str = ""
) -> SelfPlayWorkers:
    """Self-play by so many workers of an executor, by default in this process or several of this machine.

    There are never more on one machine than it has processors; 0 means as many as that. ``alone`` is what
    only this process knows: a ConfigError where others are to play with it.
    """
    where, task = executor or Local(), task.with_openings()
    if where.shares_disk:
        cores = processors()
        wanted = min(wanted or cores, cores)
        if wanted == 1 and not task.options.overlap:
            return LocalSelfPlay(task)
    if alone:
        raise ConfigError(
            f"{alone} is registered in this process alone: expected selfplay.workers=1 and no overlap, "
            "or a plug-in that other processes find"
        )
    return Fleet(task, where.crew(play_worker_kind(task, where), wanted), where.snapshot_s)


def play_worker_kind(task: SelfPlayTask, executor: Executor) -> WorkerKind:
    """What self-play's workers are."""
    setup = {
        "rules": task.rules.to_json(),
        "options": section_values(task.options),
        "seed": task.seed,
        "device": task.device if executor.shares_disk else "cuda" if task.options.gpus else "cpu",
        "openings": [list(map(int, moves)) for moves in task.openings],
        "ends": task.most < NO_LIMIT,
    }
    return WorkerKind("wuzi.training.methods.selfplay.workers:PlayWorker", setup, gpus=task.options.gpus)


@dataclass
class _Seat:
    """What the fleet knows of a worker."""

    leased: set[int] = field(default_factory=set)  # numbers it was given whose games have not come
    asked: int = 0  # requests without an answer
    net: int = -1  # the one it was last told of
    open: list[dict[str, Any]] = field(default_factory=list)  # its games going on, as it last told
    told: float = field(default_factory=time.monotonic)  # when that was asked for
    at_work: bool = False  # whether it has answered


class Fleet:
    """:class:`.SelfPlayWorkers` in other processes or on other machines; the crew is closed with the fleet.

    Takes up the games that were going on, and writes them down again every ``snapshot_s`` seconds.
    """

    def __init__(self, task: SelfPlayTask, crew: Crew, snapshot_s: float) -> None:
        self.evaluations = self._uses = self._iteration = self._doubled = 0
        self._task, self._crew, self._snapshot_s = task, crew, snapshot_s
        going_on, self._later, self._numbers = task.games()
        self._going_on, self._again = deque(going_on), list[int]()
        self._to_end = self._to_lease = task.most  # games that have not ended, and those without a worker
        self._seats: dict[int, _Seat] = {}
        self._newcomers, self._playing, self._out = JoinedWorkers(crew), False, 0
        self._ended: list[EndedGame] = []
        self._net: object = None
        self._failed = False
        self._written = time.monotonic()

    @property
    def at_work(self) -> int:
        """How many workers have answered."""
        return sum(seat.at_work for seat in self._seats.values())

    def use(self, net: Path, iteration: int, doubled: int = 0) -> None:
        """See :class:`.SelfPlayWorkers`."""
        self._net = self._crew.share(*contents_of(net))
        self._uses, self._iteration, self._doubled = self._uses + 1, iteration, doubled

    def games(self) -> Iterator[EndedGame | None]:
        """See :class:`.SelfPlayWorkers`."""
        self._play()
        while True:
            self._hear(0.05)
            if not self._ended:
                yield None
            while self._ended:
                yield self._ended.pop(0)
            # Games that were given are in their file by now.
            if time.monotonic() - self._written > self._snapshot_s:
                self._write()

    def go_on(self) -> list[EndedGame]:
        """See :class:`.SelfPlayWorkers`."""
        self._play()
        # Games that were given are in their file by now.
        if not self._ended and time.monotonic() - self._written > self._snapshot_s:
            self._write()
        for _ in range(len(self._seats) + 1):
            if not self._hear(0.0):
                break
        return self._given()

    def pause(self) -> list[EndedGame]:
        """See :class:`.SelfPlayWorkers`."""
        self._settle()
        return self._given()

    def close(self) -> None:
        """See :class:`.SelfPlayWorkers`; games going on are written down."""
        try:
            if not self._failed:
                for worker, seat in self._seats.items():
                    seat.told = -self._snapshot_s
                    self._ask(worker, 0.0)
                self._settle()
                self._write()
        finally:
            self._crew.close()

    # ------------------------------------------------------------------ inside

    def _given(self) -> list[EndedGame]:
        left, self._ended = self._ended, []
        return left

    def _play(self) -> None:
        """Ask all workers that have room; from then on each is asked again as it answers."""
        if not self._playing:
            self._playing = True
            for worker in self._seats:
                self._fill(worker)

    def _fill(self, worker: int) -> None:
        seat = self._seats[worker]
        while self._playing and seat.asked < AHEAD and (seat.leased or self._to_lease):
            self._ask(worker, slice_s(len(self._seats)))

    def _settle(self) -> None:
        """Hear everything that was asked for."""
        self._playing = False
        while self._out and not self._failed:
            self._hear(0.05)

    def _ask(self, worker: int, seconds: float) -> None:
        """Let a worker play on, with what it may need: games going on, numbers for new ones."""
        seat = self._seats[worker]
        # Where there are few games left, each worker has its part of them.
        share = -(-self._to_end // len(self._seats))
        room = max(0, min(_LEASED * self._task.options.concurrency, share) - len(seat.leased))
        taken_up = [self._going_on.popleft() for _ in range(min(room, len(self._going_on)))]
        room -= len(taken_up)
        fresh = [self._again.pop() for _ in range(min(room, len(self._again)))]
        fresh += islice(self._numbers, room - len(fresh))
        self._to_lease -= len(taken_up) + len(fresh)
        seat.leased |= {game.number for game in taken_up} | set(fresh)
        asks = time.monotonic() - seat.told > self._snapshot_s
        if asks:
            seat.told = time.monotonic()
        going_on = [game.to_json() for game in taken_up]
        request = {"seconds": seconds, "fresh": fresh, "going_on": going_on}
        request |= {"iteration": self._iteration, "doubled": self._doubled, "open": asks}
        self._crew.ask(worker, request, self._net if seat.net != self._uses else None)
        seat.net = self._uses
        seat.asked += 1
        self._out += 1

    def _hear(self, timeout_s: float) -> bool:
        """Hear a worker, the others are not looked at; whether there was anything."""
        new = self._newcomers.look() if self._playing else []
        self._seats |= {worker: _Seat() for worker in new}
        for worker in new:
            self._fill(worker)
        try:
            heard = self._crew.hear(timeout_s)
        except BaseException:
            self._failed = True
            raise
        if heard is None:
            self._newcomers.soon()
        else:
            self._take(heard)
        return heard is not None

    def _take(self, heard: CrewReply) -> None:
        if heard.answer is None:
            lost = self._seats.pop(heard.worker, _Seat())
            self._again = sorted([*self._again, *lost.leased], reverse=True)
            self._to_lease += len(lost.leased)
            self._out -= lost.asked
            self._newcomers.soon()
            for worker in self._seats:  # those that had nothing left to do
                self._fill(worker)
            return
        seat, answer = self._seats[heard.worker], heard.answer
        seat.asked -= 1
        self._out -= 1
        seat.at_work = True
        for line in answer["games"]:
            game = SelfPlayGame.from_line(line, f"worker {heard.worker}")
            seat.leased.remove(game.number)
            self._to_end -= 1
            self._ended.append(EndedGame(line, game))
        self.evaluations += answer["evaluations"]
        seat.open = answer.get("open", seat.open)
        self._fill(heard.worker)

    def _write(self) -> None:
        left = [game.to_json() for game in (*self._going_on, *self._later)]
        write_open(self._task.folder, left + [game for seat in self._seats.values() for game in seat.open])
        self._written = time.monotonic()
