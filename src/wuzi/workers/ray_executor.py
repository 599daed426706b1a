"""Workers on the machines of a Ray cluster: one actor a processor, on nodes that may come and go.

Imported only when asked for (extra ``cluster``). Every node runs the same version of wuzi. What many
workers need is put into Ray's object store, which takes it to each node once.
"""

from __future__ import annotations

import os
import queue
import socket
import sys
import time
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import wuzi
from wuzi.base.imports import need
from wuzi.errors import ConfigError, JobError
from wuzi.workers.crew import RAY, Crew, CrewReply, Worker, WorkerKind, WorkerLosses, answer_to, checked

ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_enable_metrics_collection": "false",
    "RAY_worker_niceness": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
}
"""For clusters of this machine alone: no reports, no metrics, workers not behind everything else, and the
loopback interface (the last one: else Ray puts the outer address in place of 127.0.0.1)."""

_LOOK_S = 1.0
"""Seconds from one look at the cluster's nodes to the next."""

_REACH_S = 20.0
_NOBODY_S = 300.0
"""Seconds that a crew waits for its first or next worker."""


def _ray() -> Any:
    """Ray, which reports nothing unless told otherwise."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    return need("cluster", "ray")


class RayExecutor:
    """A Ray cluster; see :class:`wuzi.workers.crew.Executor`."""

    name = RAY
    shares_disk = False
    snapshot_s = 60.0

    def __init__(self, address: str | None = None) -> None:
        """Join a cluster, or start one of this machine alone."""
        quiet: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}
        if address is None:
            os.environ.update(ENVIRONMENT)
            quiet |= {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}
        elif address != "auto":
            _reach(address)
        self._ray = _ray()
        try:
            self._ray.init(address=address or "local", **quiet)
        except (ConnectionError, RuntimeError, ValueError) as error:
            text = str(error).strip().partition("\n")[0]
            raise ConfigError(f"no Ray cluster at {address or 'this machine'}: {text}") from None
        self._let_print(False)

    def crew(self, kind: WorkerKind, workers: int) -> Crew:
        """Begin a crew; it grows and shrinks with the cluster, to at most ``workers`` (0: no bound)."""
        return _RayCrew(self._ray, kind, workers)

    def close(self) -> None:
        """Leave the cluster."""
        self._ray.shutdown()
        self._let_print(True)

    def _let_print(self, allowed: bool) -> None:
        # What Ray has to say of a lost node goes to standard output, whatever log_to_driver says: into the
        # JSON of a command. (Its own debugger keeps it quiet so.) The crew hears of each worker that is lost.
        self._ray._private.worker._worker_logs_enabled = allowed


def _reach(address: str) -> None:
    """Look whether anything answers at an address; Ray would try for minutes."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise ConfigError(f"no Ray cluster at {address}: expected HOST:PORT or auto")
    try:
        socket.create_connection((host, int(port)), timeout=_REACH_S).close()
    except (OSError, OverflowError) as error:
        raise ConfigError(f"no Ray cluster at {address}: nothing answers there ({error})") from None


@dataclass
class _Seat:
    """A worker of the crew."""

    actor: Any
    node: str  # the node it is on
    # references of its answers, the oldest first; before all others that of its beginning
    asked: deque[Any] = field(default_factory=deque)
    ready: bool = False  # whether it has begun
    since: float = 0.0  # when it last answered, or was asked after a rest


class _RayCrew:
    """Actors of one kind."""

    def __init__(self, ray: Any, kind: WorkerKind, workers: int) -> None:
        self._ray, self._kind, self._limit = ray, kind, workers
        self._files = {name: self._put(content) for name, content in kind.files.items()}
        self._actor = ray.remote(RayWorker)
        self._seats: dict[int, _Seat] = {}
        self._heard: deque[CrewReply] = deque()
        self._arrived: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self._losses, self._next, self._looked = WorkerLosses(), 0, -_LOOK_S
        self._since = time.monotonic()
        self._look()

    def workers(self) -> Sequence[int]:
        return [number for number, seat in self._seats.items() if seat.ready]

    def nodes(self) -> Mapping[str, int]:
        # How many workers are at work on each node, by Ray's name for it.
        return Counter(seat.node for seat in self._seats.values() if seat.ready)

    def share(self, *contents: bytes) -> object:
        return [self._put(content) for content in contents]

    def ask(self, worker: int, request: Mapping[str, Any], shared: object = None) -> None:
        seat = self._seats.get(worker)
        if seat is not None:  # else its loss is on its way
            contents: Any = shared or ()
            seat.since = seat.since if seat.asked else time.monotonic()
            seat.asked.append(seat.actor.answer.remote(dict(request), *contents))
            if len(seat.asked) == 1:
                self._await(worker, seat)

    def hear(self, timeout_s: float) -> CrewReply | None:
        if not self._heard:
            self._look()
            self._listen(timeout_s)
        if not self._heard:
            return None
        heard = self._heard.popleft()
        if heard.answer is None:
            self._losses.lost(heard.note)
        else:
            self._losses.answered()
            checked(heard.answer)
        return heard

    def close(self) -> None:
        for seat in self._seats.values():
            self._ray.kill(seat.actor)
        self._seats = {}

    def _put(self, content: bytes) -> Any:
        import numpy as np

        # An array is read where it lies in the node's store; bytes would be copied by every worker.
        return self._ray.put(np.frombuffer(content, np.uint8))

    def _look(self) -> None:
        """Lose the workers of nodes that have gone, and begin workers where there is room."""
        if time.monotonic() - self._looked < _LOOK_S:
            return
        nodes = {node["NodeID"]: node for node in self._ray.nodes() if node["Alive"]}
        for number in [number for number, seat in self._seats.items() if seat.node not in nodes]:
            self._lose(number, "its node has gone")
        for number in [number for number, seat in self._seats.items() if self._hangs(seat)]:
            self._lose(number, f"it said nothing for {self._kind.silence_s:.0f} s")
        there = Counter(seat.node for seat in self._seats.values())
        for name, node in nodes.items():
            for _ in range(room_of(node["Resources"], self._kind.gpus) - there[name]):
                if not self._limit or len(self._seats) < self._limit:
                    self._begin(name)
        self._looked = time.monotonic()
        if any(seat.ready for seat in self._seats.values()):
            self._since = self._looked
        elif self._looked - self._since > _NOBODY_S:
            raise JobError(
                f"no worker in {_NOBODY_S:.0f} s on {len(nodes)} nodes: expected a node with a free processor"
            )

    def _hangs(self, seat: _Seat) -> bool:
        return seat.ready and bool(seat.asked) and time.monotonic() - seat.since > self._kind.silence_s

    def _begin(self, node: str) -> None:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        place = NodeAffinitySchedulingStrategy(node_id=node, soft=False)
        options = {
            "num_cpus": 1,
            "num_gpus": self._kind.gpus,
            "max_restarts": 0,
            "scheduling_strategy": place,
        }
        actor = self._actor.options(**options).remote(self._kind.factory, dict(self._kind.setup))
        begun = actor.begin.remote(_versions(), list(self._files), *self._files.values())
        self._seats[self._next] = seat = _Seat(actor, node, deque([begun]))
        self._await(self._next, seat)
        self._next += 1

    def _await(self, number: int, seat: _Seat) -> None:
        """Put the answer to a worker's oldest request among those that arrived; no other is looked at."""
        arrived = self._arrived
        seat.asked[0].future().add_done_callback(lambda future: arrived.put((number, future)))

    def _listen(self, timeout_s: float) -> None:
        try:
            number, future = self._arrived.get(timeout=min(timeout_s, _LOOK_S))
        except queue.Empty:
            return
        if (seat := self._seats.get(number)) is not None:
            self._take(number, seat, future)

    def _take(self, number: int, seat: _Seat, future: Any) -> None:
        try:
            answer = future.result()
        except self._ray.exceptions.RayError as error:
            self._lose(number, str(error).strip().partition("\n")[0])
            return
        seat.asked.popleft()
        seat.since = time.monotonic()
        if seat.asked:
            self._await(number, seat)
        if seat.ready:
            self._heard.append(CrewReply(number, answer))
        else:
            checked(answer)
            seat.ready = True

    def _lose(self, number: int, note: str) -> None:
        seat = self._seats.pop(number)
        self._ray.kill(seat.actor)  # it may be alive behind a network that is not
        self._heard.append(CrewReply(number, None, f"{note} (node {seat.node[:8]})"))


def room_of(resources: Mapping[str, float], gpus: float) -> int:
    """How many workers a node has room for that hold a processor and so much of its GPUs each."""
    room = int(resources.get("CPU", 0))
    # A little more, for shares that are no binary fractions.
    return min(room, int(resources.get("GPU", 0) / gpus + 1e-6)) if gpus else room


class RayWorker:
    """A worker, as it is on its node."""

    def __init__(self, factory: str, setup: Mapping[str, Any]) -> None:
        """Nothing is made yet."""
        self._kind = WorkerKind(factory, setup)
        self._worker: Worker | None = None

    def begin(self, about: Mapping[str, Any], names: Sequence[str], *contents: Any) -> dict[str, Any]:
        """Make ready: the same versions as the driver's, its files, compiled kernels; then the worker."""

        def begun() -> dict[str, Any]:
            from wuzi.core.jit import warm_once

            if (here := _versions()) != about:
                raise ConfigError(f"a node has {here}: expected {about} as on this machine")
            warm_once()
            self._worker = self._kind.make(_settled(names, [bytes(memoryview(c)) for c in contents]))
            return {"ready": True}

        return answer_to(begun)

    def answer(self, request: dict[str, Any], *contents: Any) -> dict[str, Any]:
        """See :class:`wuzi.workers.crew.Worker`."""
        worker = self._worker
        assert worker is not None
        return answer_to(lambda: worker.answer(request, [bytes(memoryview(c)) for c in contents]))


def _versions() -> dict[str, str]:
    return {"wuzi": wuzi.__version__, "python": f"{sys.version_info[0]}.{sys.version_info[1]}"}


def _settled(names: Sequence[str], contents: Sequence[bytes]) -> dict[str, Path]:
    """The files of a kind on this node, side by side, written by the first worker that needs them."""
    from wuzi.base.atomic import write_atomic
    from wuzi.core.jit import cache_dir

    digest = sha256()
    for name, content in zip(names, contents, strict=True):
        digest.update(f"{name} {len(content)}\0".encode() + content)
    folder = cache_dir().parents[1] / "files" / digest.hexdigest()[:24]
    found = {name: folder / name for name in names}
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in zip(found.values(), contents, strict=True):
        if not path.exists():
            write_atomic(path, content)
    return found
