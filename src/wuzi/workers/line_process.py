"""A child process that speaks lines of text on its standard input and output.

It behaves the same on every system, can always be killed with all its children, never blocks the
caller beyond a deadline, and keeps a bounded log of what was said.
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Self

logger = logging.getLogger(__name__)

_running: weakref.WeakSet[LineProcess] = weakref.WeakSet()

MAX_LINE = 1 << 20
"""Bytes of one line; what is longer is cut."""

_QUEUED_LINES = 10_000
_LOG_LINES = 4_000
_LOG_WIDTH = 400
_STDERR_BYTES = 64 << 10


class LineProcess:
    """A running child process.

    Lines are UTF-8 (anything else is replaced), end in LF, CR LF or CR; empty lines are skipped.
    A child that writes faster than it is read is held up by its full pipe, as usual.

    Args:
        command: program and arguments; no shell is involved.
        cwd: working directory.
        env: variables set on top of this process's environment.
        max_line: bytes of one line of output; the rest of a longer one is dropped.
        niceness: how far it and its children stand back for this program, as in :func:`os.nice`.

    Raises:
        OSError: the program cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Path | str | None = None,
        env: Mapping[str, str] | None = None,
        max_line: int = MAX_LINE,
        niceness: int = 0,
    ) -> None:
        self.command = tuple(command)
        self._max_line = max_line
        self._started = time.monotonic()
        self._lines: queue.Queue[str | None] = queue.Queue(_QUEUED_LINES)
        self._log: deque[str] = deque(maxlen=_LOG_LINES)
        self._errors = bytearray()
        self._closing = threading.Event()
        self._ended = False
        self._process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=cwd,
            env=None if env is None else {**os.environ, **env},
            # Not a session: Linux gives each the same share of a core, whatever its niceness is.
            process_group=0 if os.name == "posix" else None,
            creationflags=_windows_flags(niceness),
        )
        if niceness and os.name == "posix":
            lowest = os.getpriority(os.PRIO_PROCESS, 0) + niceness
            with contextlib.suppress(ProcessLookupError):  # it has ended
                os.setpriority(os.PRIO_PROCESS, self._process.pid, lowest)
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._stdin: IO[bytes] = self._process.stdin
        self._threads = [
            threading.Thread(target=self._read_output, args=(self._process.stdout,), daemon=True),
            threading.Thread(target=self._read_errors, args=(self._process.stderr,), daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        _running.add(self)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit status, None while the process runs; negative for a signal, as in subprocess."""
        return self._process.poll()

    def send(self, line: str) -> None:
        """Write one line.

        Raises:
            EOFError: the process has ended or closed its input.
        """
        self._note(">", line)
        try:
            self._stdin.write(line.encode("utf-8", "replace") + b"\n")
            self._stdin.flush()
        except (OSError, ValueError):
            raise EOFError(self.describe_end()) from None

    def read(self, timeout_s: float | None = None) -> str:
        """The next line, without its end.

        Raises:
            TimeoutError: none came in time.
            EOFError: the process has ended or closed its output; all its lines were read.
        """
        if self._ended:
            raise EOFError(self.describe_end())
        try:
            if timeout_s is not None and timeout_s <= 0:
                line = self._lines.get_nowait()
            else:
                line = self._lines.get(timeout=timeout_s)
        except queue.Empty:
            raise TimeoutError(f"no line within {max(0.0, timeout_s or 0.0):.3g} s") from None
        if line is None:
            self._ended = True
            raise EOFError(self.describe_end())
        return line

    def describe_end(self) -> str:
        """How the process ended, in one line, with the last line of its standard error."""
        try:
            status = self._process.wait(5.0)
        except subprocess.TimeoutExpired:
            return "closed its pipes but runs on"
        text = f"exit status {status}"
        if status < 0:
            with contextlib.suppress(ValueError):
                text = f"signal {signal.Signals(-status).name}"
        self._threads[1].join(2.0)
        last = self.errors.strip().splitlines()[-1:] or [""]
        return f"{text} ({last[0][:200]})" if last[0] else text

    @property
    def errors(self) -> str:
        """The end of what the process wrote to its standard error."""
        return bytes(self._errors).decode("utf-8", "replace")

    def log_text(self) -> str:
        """What was said, a line each: seconds since the start, ``>`` sent or ``<`` received; then stderr."""
        text = "\n".join(list(self._log))
        return f"{text}\n--- stderr ---\n{self.errors}" if self._errors else text

    def close(self, farewell: str | None = None, grace_s: float = 0.5) -> None:
        """Say ``farewell``, close the input, wait ``grace_s``, then kill the process and its children."""
        if self._closing.is_set():
            return
        if farewell is not None:
            with contextlib.suppress(EOFError):
                self.send(farewell)
        self._closing.set()
        with contextlib.suppress(OSError):
            self._stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(grace_s)
        self._kill_tree()
        self._process.wait()
        for thread in self._threads:
            thread.join(1.0)

    def kill(self) -> None:
        """End the process and its children now."""
        self.close(grace_s=0.0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _kill_tree(self) -> None:
        if os.name == "posix":
            # The group outlives its leader, so children of an ended process are killed too.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        elif self._process.poll() is None:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run(
                    ["taskkill", "/T", "/F", "/PID", str(self._process.pid)],
                    capture_output=True,
                    timeout=5,
                    check=False,
                )
        with contextlib.suppress(OSError):
            self._process.kill()

    def _read_output(self, stream: IO[bytes]) -> None:
        splitter = LineSplitter(self._max_line)
        with stream:
            while chunk := _read_some(stream):
                self._deliver(splitter.feed(chunk))
        self._deliver(splitter.finish())
        self._put(None)

    def _deliver(self, lines: list[str]) -> None:
        for line in lines:
            self._note("<", line)
            self._put(line)

    def _put(self, line: str | None) -> None:
        while True:
            try:
                self._lines.put(line, timeout=0.2)
            except queue.Full:
                if not self._closing.is_set():
                    continue
                with contextlib.suppress(queue.Empty):
                    self._lines.get_nowait()
                continue
            return

    def _read_errors(self, stream: IO[bytes]) -> None:
        with stream:
            while chunk := _read_some(stream):
                self._errors += chunk
                del self._errors[:-_STDERR_BYTES]

    def _note(self, mark: str, line: str) -> None:
        cut = line if len(line) <= _LOG_WIDTH else f"{line[:_LOG_WIDTH]}... ({len(line)} characters)"
        self._log.append(f"{time.monotonic() - self._started:9.3f} {mark} {cut}")
        logger.debug("%d %s %s", self._process.pid, mark, cut)


class LineSplitter:
    """Collects bytes and gives back whole lines, as :class:`LineProcess` describes them."""

    def __init__(self, max_line: int) -> None:
        self._max_line = max_line
        self._rest = bytearray()
        self._overlong = False

    def feed(self, chunk: bytes) -> list[str]:
        """The lines that ``chunk`` completes."""
        self._rest += chunk.replace(b"\r", b"\n")
        *whole, self._rest = self._rest.split(b"\n")
        found = []
        for line in whole:
            if line and not self._overlong:
                found.append(self._text(line))
            self._overlong = False
        if len(self._rest) > self._max_line:
            if not self._overlong:
                found.append(self._text(self._rest))
            self._rest, self._overlong = bytearray(), True
        return found

    def finish(self) -> list[str]:
        """The last line, if the stream ended without a line end."""
        rest, self._rest = self._rest, bytearray()
        return [self._text(rest)] if rest and not self._overlong else []

    def _text(self, line: bytearray) -> str:
        return bytes(line[: self._max_line]).decode("utf-8", "replace")


def take_stdout() -> Callable[[str], None]:
    """What writes a line to standard output from now on; all else that is printed goes to standard error."""
    sys.stdout.flush()
    output = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)

    def write(line: str) -> None:
        output.write(line + "\n")
        output.flush()

    return write


def kill_all() -> None:
    """End every child process of this program, with its children; for one that is about to end itself."""
    for process in list(_running):
        process._kill_tree()


def _read_some(stream: IO[bytes]) -> bytes:
    try:
        return stream.read(65536)
    except (OSError, ValueError):
        return b""


def _windows_flags(niceness: int) -> int:
    if os.name != "nt":
        return 0
    flags: int = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW  # type: ignore[attr-defined]
    if niceness:
        flags |= subprocess.BELOW_NORMAL_PRIORITY_CLASS  # type: ignore[attr-defined]
    return flags
