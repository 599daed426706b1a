"""Self-play as training sees it: in this process, or by a fleet of others (``fleet``).

Both keep their games going from iteration to iteration: a new net takes over in the middle of games, so
batches stay full and nothing is waited for. Games going on are written down every few seconds.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from wuzi.base.atomic import write_atomic
from wuzi.base.machine import processors
from wuzi.base.store import read_object
from wuzi.core import Rules
from wuzi.errors import RecordError
from wuzi.nets.evaluator import Evaluator
from wuzi.nets.file import Backend, NetFile, load_net, open_net
from wuzi.nets.wrappers import RandomSymmetryEvaluator
from wuzi.training.data.games import EndedGame
from wuzi.training.methods.selfplay.games import OpenGame, SelfPlay, new_numbers
from wuzi.training.run.config import SelfPlayBackend, SelfPlaySection
from wuzi.workers.crew import Executor
from wuzi.workers.local import Local

SCHEMA = 1
"""Version of ``open-*.json``."""
SNAPSHOT_S = 5.0


@dataclass
class Counts:
    """What self-play has done.

    Attributes:
        evaluations: positions evaluated.
        moves: moves played.
    """

    evaluations: int = 0
    moves: int = 0


class SelfPlayWorkers(Protocol):
    """Self-play as training sees it.

    Attributes:
        counts: of this process's life.
    """

    counts: Counts

    def use(self, net: Path, iteration: int) -> None:
        """Play with another net from now on; it has been read when this returns."""
        ...

    def games(self) -> Iterator[EndedGame | None]:
        """Play: games as they end, None now and then while none does."""
        ...

    def pause(self) -> list[EndedGame]:
        """Stop playing; games going on wait and are written down. Those that ended meanwhile."""
        ...

    def close(self) -> None:
        """End."""
        ...


@dataclass(frozen=True)
class SelfPlayTask:
    """What is played, where games going on are written down, and which numbers are taken.

    Attributes:
        rules, options, seed: as of :class:`wuzi.training.methods.selfplay.games.SelfPlay`.
        folder: where games going on are written down.
        taken: numbers of games that have ended.
        device: of the torch backend.
    """

    rules: Rules
    options: SelfPlaySection
    seed: int
    folder: Path
    taken: frozenset[int]
    device: str = "cpu"


def open_evaluator(net: NetFile, backend: SelfPlayBackend, device: str, seed: int | None) -> Evaluator:
    """The evaluator of a net.

    Args:
        net: the net.
        backend: what computes it.
        device: where, for torch.
        seed: of random orientations; None for none.
    """
    found: Evaluator
    if backend is SelfPlayBackend.TORCH or (backend is SelfPlayBackend.AUTO and device != "cpu"):
        from wuzi.torch_nets import TorchEvaluator, load_module

        found = TorchEvaluator(load_module(net), device)
    else:
        wanted = Backend.ONNX if backend is SelfPlayBackend.ONNX else Backend.AUTO
        found = open_net(net, wanted)
    return found if seed is None else RandomSymmetryEvaluator(found, seed)


class Here:
    """Self-play in this process."""

    def __init__(self, task: SelfPlayTask) -> None:
        """Prepare; games begin with the first net."""
        self.counts = Counts()
        self._task = task
        self._play: SelfPlay | None = None
        self._ended: list[EndedGame] = []
        self._written = time.monotonic()

    def use(self, net: Path, iteration: int) -> None:
        """See :class:`SelfPlayWorkers`."""
        task = self._task
        seed = task.seed + iteration if task.options.random_symmetry else None
        evaluator = open_evaluator(load_net(net, check=False), task.options.backend, task.device, seed)
        if self._play is not None:
            self._play.use(evaluator, iteration)
            return
        going_on = read_open(task.folder, task.taken)
        self._play = SelfPlay(
            task.rules,
            task.options,
            evaluator,
            seed=task.seed,
            net=iteration,
            numbers=new_numbers(task.taken | {game.number for game in going_on}),
            slots=task.options.concurrency,
            going_on=going_on,
        )

    def games(self) -> Iterator[EndedGame | None]:
        """See :class:`SelfPlayWorkers`."""
        assert self._play is not None
        while True:
            # Everything that ended before was taken: what is written down now leaves no game out.
            if time.monotonic() - self._written > SNAPSHOT_S:
                self._write()
            self._ended += [EndedGame(game.to_line(), game) for game in self._play.step()]
            self.counts.evaluations, self.counts.moves = self._play.evaluations, self._play.played
            if not self._ended:
                yield None
            while self._ended:
                yield self._ended.pop(0)

    def pause(self) -> list[EndedGame]:
        """See :class:`SelfPlayWorkers`."""
        left, self._ended = self._ended, []
        self._write()
        return left

    def close(self) -> None:
        """See :class:`SelfPlayWorkers`."""
        self._write()

    def _write(self) -> None:
        if self._play is not None:
            write_open(self._task.folder, self._play.open_games())
        self._written = time.monotonic()


def make_workers(task: SelfPlayTask, wanted: int, executor: Executor | None = None) -> SelfPlayWorkers:
    """Self-play in this process, in several, or on other machines.

    Args:
        task: what to play.
        wanted: how many workers; 0: as many as there are processors, which is also the most on one machine.
        executor: where; on this machine by default.
    """
    from wuzi.training.methods.selfplay.fleet import Fleet, play_job

    where = executor or Local()
    if where.shares_disk:
        cores = processors()
        wanted = min(wanted or cores, cores)
        if wanted == 1:
            return Here(task)
    return Fleet(task, where.crew(play_job(task, where), wanted), where.snapshot_s)


def write_open(folder: Path, games: Sequence[dict[str, Any]]) -> None:
    """Write down the games going on, in place of those written before."""
    path = folder / "open-0.json"
    folder.mkdir(parents=True, exist_ok=True)
    write_atomic(path, json.dumps({"schema": SCHEMA, "games": games}).encode())
    for other in folder.glob("open-*.json"):
        if other != path:
            other.unlink(missing_ok=True)


def read_open(folder: Path, taken: AbstractSet[int]) -> list[OpenGame]:
    """The games going on that have not ended, by number: of each the form with the most moves.

    Raises:
        RecordError: a file is broken, or of another schema.
    """
    found: dict[int, OpenGame] = {}
    for path in sorted(folder.glob("open-*.json")):
        stored = read_object(path)
        if stored.get("schema") != SCHEMA:
            raise RecordError(f"{path}: schema {stored.get('schema')!r}: expected {SCHEMA}")
        for data in stored["games"]:
            game = OpenGame.from_json(data)
            if game.number not in found or len(game.moves) > len(found[game.number].moves):
                found[game.number] = game
    return [found[number] for number in sorted(found.keys() - taken)]
