"""Self-play in this process or in several children that speak lines of JSON.

Both keep their games going from iteration to iteration: a new net takes over in the middle of games, so
batches stay full and nothing is waited for. Games going on are written down every few seconds.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from wuzi.core import Rules
from wuzi.errors import TrainingError
from wuzi.evaluators.evaluator import Evaluator
from wuzi.evaluators.net_file import Backend, load_net, open_net
from wuzi.evaluators.wrappers import RandomSymmetryEvaluator
from wuzi.jobs.line_process import LineProcess
from wuzi.records.atomic import write_atomic
from wuzi.training.config import SelfPlayBackend, SelfPlaySection
from wuzi.training.games import SelfPlayGame
from wuzi.training.run_dir import read_json
from wuzi.training.selfplay import OpenGame, SelfPlay, new_numbers
from wuzi.training.settings import section_values

SNAPSHOT_S = 5.0
_SILENCE_S = 120.0
"""A child that says nothing for so long hangs."""


@dataclass
class Counts:
    """What self-play has done.

    Attributes:
        evaluations: positions evaluated.
        moves: moves played.
    """

    evaluations: int = 0
    moves: int = 0


class Workers(Protocol):
    """Self-play as training sees it.

    Attributes:
        counts: of this process's life.
    """

    counts: Counts

    def use(self, net: Path, iteration: int) -> None:
        """Play with another net from now on; it has been read when this returns."""
        ...

    def games(self) -> Iterator[SelfPlayGame | None]:
        """Play: games as they end, None now and then while none does."""
        ...

    def pause(self) -> list[SelfPlayGame]:
        """Stop playing; games going on wait and are written down. Those that ended meanwhile."""
        ...

    def close(self) -> None:
        """End."""
        ...


@dataclass(frozen=True)
class Task:
    """What is played, where games going on are written down, and which numbers are taken.

    Attributes:
        rules, options, seed: as of :class:`wuzi.training.selfplay.SelfPlay`.
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


def open_evaluator(net: Path, backend: SelfPlayBackend, device: str, seed: int | None) -> Evaluator:
    """The evaluator of a net file.

    Args:
        net: its weights.
        backend: what computes it.
        device: where, for torch.
        seed: of random orientations; None for none.
    """
    found: Evaluator
    if backend is SelfPlayBackend.TORCH or (backend is SelfPlayBackend.AUTO and device != "cpu"):
        from wuzi.nets import TorchEvaluator, load_module

        found = TorchEvaluator(load_module(load_net(net, check=False)), device)
    else:
        wanted = Backend.ONNX if backend is SelfPlayBackend.ONNX else Backend.AUTO
        found = open_net(load_net(net, check=False), wanted)
    return found if seed is None else RandomSymmetryEvaluator(found, seed)


class Here:
    """Self-play in this process."""

    def __init__(self, task: Task, worker: int = 0, workers: int = 1) -> None:
        """Prepare; games begin with the first net.

        Args:
            task: what to play.
            worker: which of the workers this is: games are numbered ``worker``, ``worker + workers``, ...
            workers: how many there are.
        """
        self.counts = Counts()
        self._task, self._worker, self._workers = task, worker, workers
        self._play: SelfPlay | None = None
        self._ended: list[SelfPlayGame] = []
        self._written = time.monotonic()

    def use(self, net: Path, iteration: int) -> None:
        """See :class:`Workers`."""
        task = self._task
        seed = task.seed + iteration if task.options.random_symmetry else None
        evaluator = open_evaluator(net, task.options.backend, task.device, seed)
        if self._play is not None:
            self._play.use(evaluator, iteration)
            return
        going_on = self._going_on()
        taken = set(task.taken) | {game.number for game in read_open(task.folder)}
        self._play = SelfPlay(
            task.rules,
            task.options,
            evaluator,
            seed=task.seed,
            net=iteration,
            numbers=new_numbers(self._worker, self._workers, taken),
            slots=task.options.concurrency,
            going_on=going_on,
        )

    def games(self) -> Iterator[SelfPlayGame | None]:
        """See :class:`Workers`."""
        assert self._play is not None
        while True:
            # Everything that ended before was taken: what is written down now leaves no game out.
            if time.monotonic() - self._written > SNAPSHOT_S:
                self._write()
            self._ended += self._play.step()
            self.counts.evaluations, self.counts.moves = self._play.evaluations, self._play.played
            if not self._ended:
                yield None
            while self._ended:
                yield self._ended.pop(0)

    def pause(self) -> list[SelfPlayGame]:
        """See :class:`Workers`."""
        left, self._ended = self._ended, []
        self._write()
        return left

    def close(self) -> None:
        """See :class:`Workers`."""
        self._write()

    def _write(self) -> None:
        if self._play is not None:
            write_open(self._task.folder, self._worker, self._play.open_games())
        self._written = time.monotonic()

    def _going_on(self) -> list[OpenGame]:
        games = sorted(read_open(self._task.folder), key=lambda game: game.number)
        left = [game for game in games if game.number not in self._task.taken]
        return [game for game in left if game.number % self._workers == self._worker]


class Processes:
    """Self-play in several children."""

    def __init__(self, task: Task, workers: int) -> None:
        """Start the children; they play when :meth:`games` is asked.

        Raises:
            OSError: they cannot be started.
        """
        self.counts = Counts()
        self._each = [Counts() for _ in range(workers)]
        self._ended: list[SelfPlayGame] = []
        self._playing = False
        # One number after the other is taken at first: the children need only what is above.
        floor = next(n for n in range(len(task.taken) + 1) if n not in task.taken)
        message = {
            "rules": {
                "size": task.rules.size,
                "win_length": task.rules.win_length,
                "rule": task.rules.rule.label,
            },
            "options": section_values(task.options),
            "seed": task.seed,
            "folder": str(task.folder),
            "device": task.device,
            "floor": floor,
            "taken": sorted(n for n in task.taken if n > floor),
            "workers": workers,
        }
        command = (sys.executable, "-m", "wuzi.training.selfplay_child")
        threads = {"OMP_NUM_THREADS": "1"}
        self._children = [LineProcess(command, env=threads) for _ in range(workers)]
        for worker, child in enumerate(self._children):
            self._tell(child, {"task": message | {"worker": worker}})

    def use(self, net: Path, iteration: int) -> None:
        """See :class:`Workers`."""
        for child in self._children:
            self._tell(child, {"net": str(net), "iteration": iteration})
        self._wait("ready")

    def games(self) -> Iterator[SelfPlayGame | None]:
        """See :class:`Workers`."""
        for child in self._children:
            self._tell(child, {"play": True})
        self._playing = True
        heard = time.monotonic()
        while True:
            for worker, child in enumerate(self._children):
                while (message := self._said(child, 0.0)) is not None:
                    heard = time.monotonic()
                    self._take(worker, message)
            while self._ended:
                yield self._ended.pop(0)
            if time.monotonic() - heard > _SILENCE_S:
                raise TrainingError(f"self-play said nothing for {_SILENCE_S:.0f} s")
            time.sleep(0.02)
            yield None

    def pause(self) -> list[SelfPlayGame]:
        """See :class:`Workers`."""
        if self._playing:
            for child in self._children:
                self._tell(child, {"play": False})
            self._wait("paused")
        self._playing = False
        left, self._ended = self._ended, []
        return left

    def close(self) -> None:
        """See :class:`Workers`."""
        for child in self._children:
            child.close(json.dumps({"end": True}), grace_s=5.0)

    def _wait(self, key: str) -> None:
        """Read until each child has said ``key``."""
        for worker, child in enumerate(self._children):
            while True:
                message = self._said(child, _SILENCE_S)
                if message is None:
                    raise TrainingError(f"self-play said nothing for {_SILENCE_S:.0f} s")
                self._take(worker, message)
                if key in message:
                    break

    def _take(self, worker: int, message: dict[str, Any]) -> None:
        if "game" in message:
            self._ended.append(SelfPlayGame.from_line(message["game"], f"worker {worker}"))
        elif "evaluations" in message:
            self._count(worker, message)

    def _count(self, worker: int, message: dict[str, Any]) -> None:
        self._each[worker] = Counts(message["evaluations"], message["moves"])
        self.counts.evaluations = sum(counts.evaluations for counts in self._each)
        self.counts.moves = sum(counts.moves for counts in self._each)

    @staticmethod
    def _tell(child: LineProcess, message: dict[str, Any]) -> None:
        try:
            child.send(json.dumps(message))
        except EOFError as error:
            raise TrainingError(f"a process of self-play ended: {error}") from None

    @staticmethod
    def _said(child: LineProcess, timeout_s: float) -> dict[str, Any] | None:
        try:
            message: dict[str, Any] = json.loads(child.read(timeout_s))
        except TimeoutError:
            return None
        except EOFError as error:
            raise TrainingError(f"a process of self-play ended: {error}") from None
        return message


def write_open(folder: Path, worker: int, games: Sequence[dict[str, Any]]) -> None:
    """Write down the games going on of one worker."""
    write_atomic(folder / f"open-{worker}.json", json.dumps({"schema": 1, "games": games}).encode())


def read_open(folder: Path) -> list[OpenGame]:
    """The games going on of all workers, each once: the form with the most moves."""
    found: dict[int, OpenGame] = {}
    for path in sorted(folder.glob("open-*.json")):
        for data in read_json(path)["games"]:
            game = OpenGame.from_json(data)
            if game.number not in found or len(game.moves) > len(found[game.number].moves):
                found[game.number] = game
    return list(found.values())
