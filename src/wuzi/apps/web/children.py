"""Long jobs of a server: ``wuzi`` commands that run as its children, each in a folder of its own.

A folder holds ``child.json`` (what was asked for, and how it stands), ``child.log`` (the end of what the
command said) and ``run/``, which the command writes. After a restart of the server they tell everything: its
end stops the children, which keep what they have done, and its next start resumes them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
import secrets
import shutil
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Any

from wuzi.apps.child import GRACE_S, INTERRUPTED, is_running
from wuzi.apps.web.problems import ProblemError, not_found
from wuzi.base.atomic import write_atomic
from wuzi.base.json_fields import MALFORMED
from wuzi.workers.line_process import LineProcess

logger = logging.getLogger(__name__)

STATE_FILE = "child.json"
SCHEMA = 1
CHILD_COMMAND = (sys.executable, "-m", "wuzi.apps.child")
NICENESS = 10
"""A server's games and searches come before its long jobs."""
_LOG_CHARACTERS = 20_000


class ChildStatus(StrEnum):
    """How a job stands.

    ``STOPPED`` was asked for, ``FAILED`` says why, and ``INTERRUPTED`` ended with a server that was killed
    or left no word; all three can be resumed.
    """

    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    DONE = "done"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(slots=True)
class ChildState:
    """What ``child.json`` holds: what was asked for, and how it stood at last.

    Times are seconds since 1970; a job that is ``wanted`` resumes when the server starts.
    """

    request: dict[str, Any]
    created: float
    started: float | None = None
    ended: float | None = None
    status: str = ChildStatus.STOPPED
    exit: int | None = None
    message: str = ""
    starts: int = 0
    wanted: bool = False


class LiveChild:
    """A job; its methods are called in the event loop.

    Its id is the name of its folder, of which :attr:`run` is the command's part and ``state`` says the rest.
    """

    def __init__(self, folder: Path, state: ChildState) -> None:
        self.id = folder.name
        self.folder = folder
        self.state = state
        self.stopping = False
        self.ended = asyncio.Event()
        self.process: LineProcess | None = None

    @property
    def run(self) -> Path:
        """The folder that the command writes."""
        return self.folder / "run"

    @property
    def status(self) -> ChildStatus:
        """How it stands now."""
        if self.process is not None:
            return ChildStatus.STOPPING if self.stopping else ChildStatus.RUNNING
        status = ChildStatus(self.state.status)
        if status is not ChildStatus.RUNNING:
            return status
        # The server that ran it was killed; its child notices, and needs a moment to end.
        return ChildStatus.STOPPING if is_running(self.folder) else ChildStatus.INTERRUPTED

    @property
    def is_over(self) -> bool:
        """Whether nothing runs."""
        return self.status not in (ChildStatus.RUNNING, ChildStatus.STOPPING)


class Children:
    """The jobs of one kind, each in a folder below ``folder``.

    ``arguments_of`` gives the ``wuzi`` command of a job, from its request and what its folder holds by then.
    It decides what goes to a command line: nothing in a request may.
    """

    def __init__(
        self,
        folder: Path,
        arguments_of: Callable[[LiveChild], Sequence[str]],
        most_running: int,
        most_kept: int = 500,
    ) -> None:
        self._folder = folder.absolute()
        self._arguments_of = arguments_of
        self._most_running = most_running
        self._most_kept = most_kept
        self._known: dict[str, LiveChild] = {}
        self._loop = asyncio.get_running_loop()

    async def create(
        self, request: dict[str, Any], prepare: Callable[[Path], None] = lambda run: None
    ) -> LiveChild:
        """Begin a job; ``prepare`` makes the command's folder ready, in a thread."""
        if len(await asyncio.to_thread(self._names)) >= self._most_kept:
            raise ProblemError(429, "limit_exceeded", f"{self._most_kept} runs are kept: remove one first")
        folder = self._folder / secrets.token_urlsafe(9)
        child = LiveChild(folder, ChildState(request, created=time.time()))
        self._check_room()
        folder.mkdir(parents=True)
        try:
            await asyncio.to_thread(prepare, child.run)
            self._check_room()
            self._start(child)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        self._known[child.id] = child
        return child

    async def get(self, child_id: str) -> LiveChild:
        """The job of that id; ProblemError if there is none."""
        if not is_id(child_id):
            raise not_found(f"run {child_id[:40]!r}")
        if child_id not in self._known:
            found = await asyncio.to_thread(self._load, child_id)
            self._known.setdefault(child_id, found)
        return self._known[child_id]

    async def all(self) -> list[LiveChild]:
        """All jobs, newest first; a broken folder is left out."""
        found = []
        for name in await asyncio.to_thread(self._names):
            try:
                found.append(await self.get(name))
            except ProblemError as error:
                logger.warning("%s cannot be listed: %s", self._folder / name, error)
        return sorted(found, key=lambda child: child.state.created, reverse=True)

    async def resume(self, child: LiveChild) -> None:
        """Go on with a job that does not run and is not done; ProblemError if too many run."""
        if child.status in (ChildStatus.RUNNING, ChildStatus.DONE):
            return
        if child.process is not None:
            raise _still_ending(child)
        self._check_room()
        self._start(child)

    async def stop(self, child: LiveChild) -> None:
        """Stop a job and wait until it has ended; what it has done stays."""
        process = child.process
        if process is None:
            return
        if not child.stopping:
            child.stopping = True
            threading.Thread(target=process.close, kwargs={"grace_s": GRACE_S + 5.0}, daemon=True).start()
        await child.ended.wait()

    async def delete(self, child: LiveChild) -> None:
        """Remove a job and its files for good; ProblemError while an earlier server's process is ending."""
        await self.stop(child)
        if not child.is_over:
            raise _still_ending(child)
        self._known.pop(child.id, None)
        # The state goes first: what is left of a removal that was cut short is no run any more.
        await asyncio.to_thread((child.folder / STATE_FILE).unlink, True)
        await asyncio.to_thread(shutil.rmtree, child.folder, True)

    async def revive(self) -> None:
        """Resume the jobs that the end of an earlier server stopped; called when the server starts."""
        for child in reversed(await self.all()):
            if child.state.wanted and child.status is ChildStatus.STOPPED:
                with contextlib.suppress(ProblemError):
                    await self.resume(child)

    async def close(self) -> None:
        """Stop all jobs; the next server resumes them."""
        running = [child for child in self._known.values() if child.process is not None]
        for child in running:
            child.state.wanted = not child.stopping
        await asyncio.gather(*map(self.stop, running))

    def _check_room(self) -> None:
        running = sum(child.process is not None for child in self._known.values())
        if running >= self._most_running:
            detail = f"{running} of {self._most_running} runs are going on: stop one first"
            raise ProblemError(429, "limit_exceeded", detail)

    def _start(self, child: LiveChild) -> None:
        """Start the process; without a pause, so that two requests cannot both do it."""
        arguments = (*CHILD_COMMAND, str(child.folder), *self._arguments_of(child))
        state = child.state
        child.state = ChildState(
            state.request, state.created, time.time(), status=ChildStatus.RUNNING, starts=state.starts + 1
        )
        _store(child)
        child.stopping = False
        child.ended = asyncio.Event()
        child.process = LineProcess(arguments, niceness=NICENESS)
        threading.Thread(target=self._watch, args=(child, child.process), daemon=True).start()

    def _watch(self, child: LiveChild, process: LineProcess) -> None:
        """Wait for the process in a thread of its own; its output is in its log."""
        with contextlib.suppress(EOFError):
            while True:
                process.read()
        words = process.describe_end()
        process.kill()  # the pipes may be closed and the process, or children of it, alive
        while (status := process.returncode) is None:
            time.sleep(0.05)
        log = process.log_text()[-_LOG_CHARACTERS:]
        with contextlib.suppress(OSError):
            write_atomic(child.folder / "child.log", log.encode("utf-8", "replace"))
        with contextlib.suppress(RuntimeError):  # the loop is closed: the next start says "interrupted"
            self._loop.call_soon_threadsafe(self._over, child, status, words)

    def _over(self, child: LiveChild, status: int, words: str) -> None:
        state = child.state
        state.exit, state.ended = status, time.time()
        if status == 0:
            state.status, state.wanted = ChildStatus.DONE, False
        elif child.stopping or status == INTERRUPTED:
            state.status = ChildStatus.STOPPED
        else:
            state.status, state.message = ChildStatus.FAILED, words.replace(f"{child.folder}/", "")
            logger.warning("run %s: %s", child.id, state.message)
        child.process = None
        try:
            _store(child)
        except OSError as error:
            logger.error("run %s: its state cannot be written: %s", child.id, error)
        child.ended.set()

    def _load(self, child_id: str) -> LiveChild:
        path = self._folder / child_id / STATE_FILE
        try:
            data = json.loads(path.read_bytes())
            if data.pop("v") != SCHEMA:
                raise ValueError("schema version")
            state = ChildState(**{item.name: data[item.name] for item in fields(ChildState)})
            ChildStatus(state.status)
        except OSError:
            raise not_found(f"run {child_id!r}") from None
        except MALFORMED as error:
            raise ProblemError(500, "bad_record", f"run {child_id}: {path.name}: {error}") from None
        return LiveChild(path.parent, state)

    def _names(self) -> list[str]:
        return [name for name in folder_names(self._folder) if (self._folder / name / STATE_FILE).is_file()]


def is_id(name: str) -> bool:
    """Whether a name can be that of a folder of a job, or of an uploaded file; no other is looked up."""
    return re.fullmatch(r"[A-Za-z0-9_-]{12}", name) is not None


def folder_names(folder: Path) -> list[str]:
    """The names that are ids in a folder, which may be missing."""
    try:
        return [path.name for path in folder.iterdir() if is_id(path.name)]
    except FileNotFoundError:
        return []


def _still_ending(child: LiveChild) -> ProblemError:
    return ProblemError(409, "engine_busy", f"run {child.id} is still ending: try again in a moment")


def _store(child: LiveChild) -> None:
    data = {"v": SCHEMA, **asdict(child.state)}
    write_atomic(child.folder / STATE_FILE, (json.dumps(data, indent=2) + "\n").encode())
