"""Workers on this machine: threads where they only wait for processes of their own, else processes."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import tempfile
import threading
import time
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import wuzi
from wuzi.base.machine import processors
from wuzi.core import warming
from wuzi.errors import ConfigError
from wuzi.workers.crew import (
    EXECUTORS,
    LOCAL,
    Crew,
    CrewReply,
    Executor,
    Worker,
    WorkerKind,
    WorkerLosses,
    answer_to,
    checked,
)
from wuzi.workers.line_process import LineProcess

_ONE_THREAD = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_MAX_ANSWER = 1 << 28


def worker_environment() -> dict[str, str]:
    """One thread a worker (there are as many as processors), and the same wuzi as ours."""
    root = str(Path(wuzi.__file__).resolve().parent.parent)
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH", ""))))
    return {**dict.fromkeys(_ONE_THREAD, "1"), "PYTHONPATH": path}


class WorkerProcess:
    """A running worker (``pid``), made for ``kind`` when it is first asked; it answers in order.

    Raises:
        OSError: the process cannot be started.
    """

    def __init__(self, kind: WorkerKind) -> None:
        command = (sys.executable, "-m", "wuzi.workers.crew_child")
        self._process = LineProcess(command, env=worker_environment(), max_line=_MAX_ANSWER)
        self.pid = self._process.pid
        with contextlib.suppress(EOFError):  # whoever reads hears of its end
            self._send({"factory": kind.factory, "setup": dict(kind.setup)})

    def ask(self, request: Mapping[str, Any], shared: Sequence[Path] = ()) -> None:
        """Send a request, with files that the worker reads."""
        self._send({"request": request, "shared": [str(path) for path in shared]})

    def read(self, timeout_s: float | None = None) -> dict[str, Any]:
        """The next answer."""
        line = self._process.read(timeout_s)
        answer = json.loads(line)
        if not isinstance(answer, dict):
            raise ValueError(f"answered {line[:60]!r}: expected an object")
        return answer

    def kill(self) -> None:
        """End the process and its children now."""
        self._process.kill()

    def close(self, grace_s: float = 2.0) -> None:
        """Let the worker close itself, then end the process."""
        self._process.close(json.dumps({"quit": True}), grace_s)

    def _send(self, message: Mapping[str, Any]) -> None:
        self._process.send(json.dumps(message))


class Local:
    """Workers on this machine; see :class:`wuzi.workers.crew.Executor`."""

    name = LOCAL
    shares_disk = True
    snapshot_s = 5.0

    def crew(self, kind: WorkerKind, workers: int) -> Crew:
        """Begin a crew of threads or processes."""
        warming.fill()  # what its workers would say about it is not heard
        wanted = workers or processors()
        return _ThreadCrew(kind, wanted) if kind.waits else _ProcessCrew(kind, wanted)

    def close(self) -> None:
        """Nothing to leave."""


class _ThreadCrew:
    """Workers in threads of this process; each makes its worker when it is first asked."""

    def __init__(self, kind: WorkerKind, workers: int) -> None:
        self._heard: queue.Queue[CrewReply] = queue.Queue()
        self._asked: list[queue.Queue[tuple[Mapping[str, Any], Sequence[bytes]] | None]] = []
        self._kind, self._made, self._closing = kind, list[Worker](), False
        self._threads = []
        for number in range(workers):
            self._asked.append(queue.Queue())
            thread = threading.Thread(target=self._work, args=(number,), name=f"worker-{number}")
            thread.start()
            self._threads.append(thread)

    def workers(self) -> Sequence[int]:
        return range(len(self._threads))

    def share(self, *contents: bytes) -> object:
        return contents

    def ask(self, worker: int, request: Mapping[str, Any], shared: object = None) -> None:
        assert shared is None or isinstance(shared, tuple)
        self._asked[worker].put((request, shared or ()))

    def hear(self, timeout_s: float) -> CrewReply | None:
        try:
            heard = self._heard.get(timeout=timeout_s)
        except queue.Empty:
            return None
        if heard.answer is not None:
            checked(heard.answer)
        return heard

    def close(self) -> None:
        self._closing = True
        for asked in self._asked:
            asked.put(None)
        for worker in list(self._made):
            worker.stop()
        for thread in self._threads:
            thread.join()

    def _work(self, number: int) -> None:
        @cache
        def made() -> Worker:
            worker = self._kind.make({})
            self._made.append(worker)
            if self._closing:
                worker.stop()
            return worker

        def answer(request: Mapping[str, Any], shared: Sequence[bytes]) -> dict[str, Any]:
            return made().answer(dict(request), shared)

        while (item := self._asked[number].get()) is not None:
            self._heard.put(CrewReply(number, answer_to(partial(answer, *item))))
        if made.cache_info().currsize:
            made().close()


class _Shared:
    """Files that are there as long as somebody may send them, or has not read them yet."""

    def __init__(self, paths: list[Path]) -> None:
        self.paths = paths
        for path in paths:
            weakref.finalize(self, path.unlink, missing_ok=True)


class _ProcessCrew:
    """Workers in processes that speak lines of JSON (:mod:`wuzi.workers.crew_child`)."""

    def __init__(self, kind: WorkerKind, workers: int) -> None:
        self._kind = kind
        self._heard: queue.Queue[CrewReply] = queue.Queue()
        self._children: dict[int, WorkerProcess] = {}
        self._since: dict[int, float] = {}
        self._asked: dict[int, deque[_Shared | None]] = {}
        self._losses, self._next, self._shared = WorkerLosses(), 0, 0
        self._folder = tempfile.TemporaryDirectory(prefix="wuzi-", ignore_cleanup_errors=True)
        for _ in range(workers):
            self._start()

    def workers(self) -> Sequence[int]:
        return list(self._children)

    def share(self, *contents: bytes) -> object:
        paths = [Path(self._folder.name) / f"shared-{self._shared}-{i}" for i in range(len(contents))]
        for path, content in zip(paths, contents, strict=True):
            path.write_bytes(content)
        self._shared += 1
        return _Shared(paths)

    def ask(self, worker: int, request: Mapping[str, Any], shared: object = None) -> None:
        assert shared is None or isinstance(shared, _Shared)
        with contextlib.suppress(EOFError):  # its end is heard
            self._children[worker].ask(request, shared.paths if shared else ())
        if not self._asked[worker]:
            self._since[worker] = time.monotonic()
        self._asked[worker].append(shared)

    def hear(self, timeout_s: float) -> CrewReply | None:
        self._look_for_silence()
        try:
            heard = self._heard.get(timeout=timeout_s)
        except queue.Empty:
            return None
        if heard.answer is None:
            self._children.pop(heard.worker).kill()
            del self._asked[heard.worker]
            self._losses.lost(heard.note)
            self._start()
            return heard
        self._losses.answered()
        self._asked[heard.worker].popleft()
        self._since[heard.worker] = time.monotonic()
        checked(heard.answer)
        return heard

    def close(self) -> None:
        for child in self._children.values():
            child.kill()
        self._children = {}
        self._folder.cleanup()

    def _start(self) -> None:
        number, self._next = self._next, self._next + 1
        child = WorkerProcess(self._kind)
        self._children[number], self._asked[number] = child, deque()
        threading.Thread(target=self._listen, args=(number, child), daemon=True).start()

    def _listen(self, number: int, child: WorkerProcess) -> None:
        while True:
            try:
                self._heard.put(CrewReply(number, child.read()))
            except EOFError as error:
                self._heard.put(CrewReply(number, None, str(error)))
                return
            except ValueError as error:
                self._heard.put(CrewReply(number, None, f"an answer that is no JSON ({error})"))
                return

    def _look_for_silence(self) -> None:
        now = time.monotonic()
        for number, child in self._children.items():
            if self._asked[number] and now - self._since[number] > self._kind.silence_s:
                child.kill()


def make_executor(name: str = LOCAL, address: str | None = None) -> Executor:
    """The executor of that name."""
    if name not in EXECUTORS:
        raise ConfigError(f"unknown executor {name!r}: expected one of {', '.join(EXECUTORS)}")
    if name == LOCAL:
        if address is not None:
            raise ConfigError(f"--address {address!r}: expected --executor ray with it")
        return Local()
    from wuzi.workers.ray_executor import RayExecutor

    return RayExecutor(address)
