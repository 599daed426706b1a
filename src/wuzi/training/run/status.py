"""How a run stands, for whoever watches it from another process: ``status.json`` in its folder.

It says what the run is doing, and how it ended. A run that was killed says nothing any more: its file still
tells of work while nobody holds its lock.
"""

from __future__ import annotations

import datetime
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from wuzi.base.store import read_object, write_object
from wuzi.errors import RecordError
from wuzi.training.run.context import Event

NAME = "status.json"
SCHEMA = 1
_EVERY_S = 1.0


class State(StrEnum):
    """What became of a run."""

    RUNNING = "running"
    FINISHED = "finished"
    """Its last iteration is done."""
    STOPPED = "stopped"
    """By its user or its time limit; it can be resumed."""
    FAILED = "failed"
    """It could not continue, and said why."""
    CRASHED = "crashed"
    """It was killed, or the machine went down. Never written: what others conclude."""


@dataclass(frozen=True, slots=True)
class RunStatus:
    """What a status file says."""

    state: State
    at: str  # when that was written, RFC 3339
    text: str = ""  # why it ended; empty while it runs
    work: Mapping[str, Any] = field(default_factory=dict)  # of the latest progress event, while it runs


class StatusFile:
    """Keeps a run's status file while the block lasts; one observer of the run.

    Nothing is written before the first event: until then another process may be the one that trains here.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._begun = self._complete = False
        self._written = 0.0

    def __call__(self, event: Event) -> None:
        """Take note of an event."""
        work = event.data if event.kind == "progress" and event.data is not None else None
        first, self._begun = not self._begun, True
        if first or (work is not None and time.monotonic() - self._written > _EVERY_S):
            self._write(State.RUNNING, work=work or {})

    def completed(self, whole: bool) -> None:
        """Say whether the run reached its end when the block is left."""
        self._complete = whole

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not self._begun:
            return
        if error is None:
            self._write(State.FINISHED if self._complete else State.STOPPED)
            return
        # What went wrong is to be heard, not that this cannot be written either on a full disk.
        with suppress(OSError):
            if _is_interrupt(error):
                self._write(State.STOPPED)
            else:
                self._write(State.FAILED, (str(error) or type(error).__name__).splitlines()[0])

    def _write(self, state: State, text: str = "", work: Mapping[str, Any] | None = None) -> None:
        self._written = time.monotonic()
        at = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        head = {"schema": SCHEMA, "state": str(state), "at": at, "pid": os.getpid()}
        write_object(self._path, {**head, "text": text, "work": dict(work or {})}, indent=1)


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether it is Ctrl-C, or what a module made of it that was just being imported."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def read_status(folder: Path) -> RunStatus | None:
    """What the status file of a run says; None where there is none, or none that can be read."""
    try:
        found = read_object(folder / NAME)
        if found.get("schema") != SCHEMA or not isinstance(found["work"], dict):
            return None
        return RunStatus(State(found["state"]), str(found["at"]), str(found["text"]), found["work"])
    except (OSError, RecordError, KeyError, ValueError):
        return None
