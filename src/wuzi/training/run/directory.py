"""A run's folder: what lies where, and how it is written so that a crash at any moment does no harm.

::

    config.toml              method, preset and every parameter the run was begun with
    changes.jsonl            what was changed of them since; see :mod:`wuzi.training.run.changes`
    attempts.jsonl, attempts/  what learned nothing; see :mod:`wuzi.training.run.attempts`
    run.json                 schema, versions, machine, when it began
    metrics.jsonl            a row an iteration, with its ``iteration``
    evaluations.jsonl        every game against pure MCTS or the best net
    training_log_*.log       one for each time it was started
    selfplay/*.jsonl         the games; see :mod:`wuzi.training.data.games`
    selfplay/open-*.json     the games that are under way
    checkpoints/             see :mod:`wuzi.training.run.checkpoint`
    nets/                    net files by rules, architecture, games and positions
    current_policy.json      which of them is the latest
    best_policy.json         which of them is the best
    curves.png, tensorboard/
    status.json              what it is doing, or how it ended; see :mod:`wuzi.training.run.status`
    run.lock                 locked while a process trains here
"""

from __future__ import annotations

import datetime
import json
import platform
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

import wuzi
from wuzi.base.atomic import TEMPORARY, write_atomic
from wuzi.base.machine import processors
from wuzi.base.store import JsonLines, read_object, write_object
from wuzi.errors import ConfigError, RecordError

SCHEMA = 1
CURRENT, BEST = "current_policy", "best_policy"
METRICS, EVALUATIONS, SELFPLAY = "metrics.jsonl", "evaluations.jsonl", "selfplay"
LOCK = "run.lock"
_PATIENCE_S = 0.5


class RunDirectory:
    """The folder of one run; naming it reads and makes nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def exists(self) -> bool:
        """Whether a run was begun here."""
        return (self.path / "run.json").is_file()

    def create(self, config: str, notes: Mapping[str, Any]) -> None:
        """Begin a run with the text of config.toml and further entries of run.json, such as the method.

        A run that ended before it had trained anything makes way for it. A ConfigError where there is
        another run or something else in the folder, an OSError as the disk does.
        """
        self._refuse_taken(config)
        with self.locked():
            self._refuse_taken(config)  # by another process since
            self._clear()
            self._write_first(config, notes)

    def _refuse_taken(self, config: str) -> None:
        """See :meth:`create`; nothing is written."""
        if self.exists and not self._is_all_bare:
            raise ConfigError(
                f"{self.path}: there is a run already: continue it with --resume, or name another folder"
            )
        if not self.exists and self.path.is_dir():
            if any(not self._is_begun(entry, config) for entry in self.path.iterdir()):
                raise ConfigError(f"{self.path}: the folder is not empty: name another for --run-dir")

    def _write_first(self, config: str, notes: Mapping[str, Any]) -> None:
        write_atomic(self.path / "config.toml", config.encode())
        facts = {
            "schema": SCHEMA,
            "wuzi": wuzi.__version__,
            "begun": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "environment": environment(),
            **notes,
        }
        # Written last: with it, the run exists.
        write_object(self.path / "run.json", facts, indent=1)

    @staticmethod
    def _is_begun(entry: Path, config: str) -> bool:
        """Whether a file is all that a begin with the same text has left, which was killed."""
        if entry.name == "config.toml":
            return entry.read_bytes() == config.encode()
        return entry.name == LOCK or entry.name.endswith(TEMPORARY)

    def discard(self) -> bool:
        """Remove a run that ended before it had played or trained anything; whether it was one."""
        if self.is_locked or not self._is_all_bare:
            return False
        shutil.rmtree(self.path)
        return True

    def _clear(self) -> None:
        """Remove all but the lock."""
        for entry in self.path.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry)
            elif entry.name != LOCK:
                entry.unlink()

    @property
    def _is_all_bare(self) -> bool:
        return all(self._is_bare(entry) for entry in self.path.iterdir())

    @staticmethod
    def _is_bare(entry: Path) -> bool:
        """Whether an entry is there before anything is played or trained."""
        if entry.is_dir():
            return entry.name in ("nets", "tensorboard") or not any(entry.iterdir())
        made = {"run.json", "config.toml", LOCK, "status.json", f"{CURRENT}.json", f"{BEST}.json"}
        return entry.name in made or entry.match("training_log_*.log") or entry.name.endswith(TEMPORARY)

    def notes(self) -> dict[str, Any]:
        """The content of run.json; a ConfigError without any, a RecordError where it cannot be understood."""
        if not self.exists:
            raise ConfigError(f"{self.path}: there is no run to resume")
        found = read_object(self.path / "run.json")
        if found.get("schema") != SCHEMA:
            raise RecordError(f"{self.path / 'run.json'}: schema {found.get('schema')!r}: expected {SCHEMA}")
        return found

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes out; a ConfigError where one is at work here."""
        self.path.mkdir(parents=True, exist_ok=True)
        try:
            # Not at once: whoever looks at :attr:`is_locked` holds it for a moment.
            lock = FileLock(self.path / LOCK).acquire(timeout=_PATIENCE_S, poll_interval=0.02)
        except Timeout:
            raise ConfigError(f"{self.path}: another process is training here") from None
        with lock:
            yield

    @property
    def is_locked(self) -> bool:
        """Whether a process trains here now; nothing is written."""
        try:
            with (self.path / LOCK).open("rb") as file:
                return not _can_share(file.fileno())
        except OSError:
            return False

    # ------------------------------------------------------------------ lines

    def append(self, name: str, row: Mapping[str, Any]) -> None:
        """Add a row to a file of JSON lines; it is in the file when this returns."""
        JsonLines(self.path / name, compact=True).add(row)

    def rows(self, name: str) -> list[dict[str, Any]]:
        """The rows of a file of JSON lines; a broken line is a RecordError, unless it is the last."""
        return [row for _, row in JsonLines(self.path / name).objects()]

    def drop_after(self, name: str, iteration: int) -> None:
        """Drop the rows of later iterations: they will be written again."""
        rows = self.rows(name)
        kept = [row for row in rows if row["iteration"] <= iteration]
        if len(kept) < len(rows):
            lines = (json.dumps(row, separators=(",", ":")) + "\n" for row in kept)
            write_atomic(self.path / name, "".join(lines).encode())

    # ------------------------------------------------------------------ nets

    @property
    def nets(self) -> Path:
        """Where the nets are."""
        folder = self.path / "nets"
        folder.mkdir(exist_ok=True)
        return folder

    def point(self, pointer: str, name: str, iteration: int, sha256: str, judged: str = "") -> None:
        """Let a pointer name another net, which must have been written, and say by which games it was judged.

        What is known of the same weights is kept where ``judged`` is empty.
        """
        fact = {"schema": SCHEMA, "net": name, "iteration": iteration, "weights_sha256": sha256}
        before = self.pointed(pointer) or {}
        if not judged and before.get("weights_sha256") == sha256:
            judged = before.get("judged", "")
        write_object(self.path / f"{pointer}.json", fact | ({"judged": judged} if judged else {}), indent=1)

    def pointed(self, pointer: str) -> dict[str, Any] | None:
        """What a pointer says, None before there is any."""
        path = self.path / f"{pointer}.json"
        return read_object(path) if path.is_file() else None

    def net_path(self, pointer: str) -> Path:
        """The weights file that a pointer names; a ConfigError where it names none yet."""
        found = self.pointed(pointer)
        if found is None:
            raise ConfigError(f"{self.path}: there is no {pointer} yet")
        return self.nets / f"{found['net']}.safetensors"

    def prune_nets(self, kept: set[str]) -> None:
        """Delete the nets that neither a pointer nor ``kept`` names."""
        named = {str(found["net"]) for p in (CURRENT, BEST) if (found := self.pointed(p)) is not None}
        for card in self.nets.glob("*.json"):
            if card.stem not in named | kept:
                card.unlink(missing_ok=True)
                card.with_suffix(".safetensors").unlink(missing_ok=True)


def newest_run(parent: Path) -> Path:
    """The folder of the run below ``parent`` that was begun last; a ConfigError where there is none."""
    found = [path.parent for path in parent.glob("*/run.json")]
    if not found:
        raise ConfigError(f"--resume: there is no run below {parent}: expected one, or --run-dir DIR")
    return max(found, key=lambda path: str(RunDirectory(path).notes().get("begun")))


def environment() -> dict[str, Any]:
    """What the run is computed with."""
    import numpy
    import onnxruntime

    found = {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": processors(),
        "numpy": numpy.__version__,
        "onnxruntime": onnxruntime.__version__,
    }
    with suppress(ImportError):  # kernels can learn without it
        import torch

        found["torch"] = torch.__version__
        found["gpu"] = torch.cuda.get_device_name() if torch.cuda.is_available() else None
    return found


def _can_share(descriptor: int) -> bool:
    """Whether nobody holds the lock of an open file; looking keeps no other look out."""
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
