"""Results of hardening: lines of JSON in a folder, so that a run on any machine adds to those before it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from wuzi.arena.provenance import commit, machine
from wuzi.base.store import JsonLines


@dataclass(frozen=True)
class RunOptions:
    """What a run was asked for.

    Attributes:
        count: how many results the folder should hold in the end, earlier runs included.
        seconds: of wall time that this run may take.
        seed: of everything drawn by chance.
        folder: where the results are.
    """

    count: int
    seconds: float
    seed: int
    folder: Path
    began: float = field(default_factory=time.monotonic)

    @property
    def is_over(self) -> bool:
        """Whether the time is spent."""
        return time.monotonic() > self.began + self.seconds


class Ledger:
    """The results of one kind, each with the commit and the machine that it comes from."""

    def __init__(self, folder: Path, name: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._lines = JsonLines(folder / f"{name}.jsonl", version=1, compact=True)
        self._where = {"commit": commit(), "machine": machine()}

    def add(self, **row: Any) -> None:
        """Keep a result."""
        self._lines.add({"at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), **self._where, **row})

    def rows(self) -> list[dict[str, Any]]:
        """All results so far, oldest first."""
        return [row for _, row in self._lines.objects()]

    def total(self, name: str) -> int:
        """The sum of a column."""
        return sum(int(row[name]) for row in self.rows())


def processor_s(pid: int) -> float:
    """Seconds of processor time of a process and of those below it; 0 if it is gone."""
    try:
        parent = psutil.Process(pid)
        times = [one.cpu_times() for one in (parent, *parent.children(recursive=True))]
    except psutil.Error:
        return 0.0
    parts = [spent.user + spent.system + spent.children_user + spent.children_system for spent in times]
    return float(sum(parts))


def megabytes(*pids: int | None) -> float:
    """Memory of these processes together; those that are gone have none."""
    found = 0.0
    for pid in pids:
        try:
            found += 0.0 if pid is None else psutil.Process(pid).memory_info().rss / 2**20
        except psutil.Error:
            continue
    return round(found, 1)
