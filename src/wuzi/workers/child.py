"""A worker in a process of its own, as its parent sees it; :mod:`wuzi.workers.crew_child` is the other."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import wuzi
from wuzi.workers.crew import Job
from wuzi.workers.line_process import LineProcess

_ONE_THREAD = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_MAX_ANSWER = 1 << 28


def worker_environment() -> dict[str, str]:
    """One thread a worker (there are as many as processors), and the same wuzi as ours."""
    root = str(Path(wuzi.__file__).resolve().parent.parent)
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH", ""))))
    return {**dict.fromkeys(_ONE_THREAD, "1"), "PYTHONPATH": path}


class WorkerProcess:
    """A running worker; what it is asked it answers in order.

    Args:
        job: which worker it makes when it is first asked.

    Attributes:
        pid: of the process.

    Raises:
        OSError: the process cannot be started.
    """

    def __init__(self, job: Job) -> None:
        command = (sys.executable, "-m", "wuzi.workers.crew_child")
        self._process = LineProcess(command, env=worker_environment(), max_line=_MAX_ANSWER)
        self.pid = self._process.pid
        with contextlib.suppress(EOFError):  # whoever reads hears of its end
            self._send({"factory": job.factory, "setup": dict(job.setup)})

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
