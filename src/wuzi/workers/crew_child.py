"""A worker in a process of its own: requests on its standard input, answers on its standard output.

The first line is ``{"factory": "module:name", "setup": {...}}``, every other one
``{"request": {...}, "shared": [PATH, ...]}``; each is answered by one line. ``{"quit": true}`` closes the
worker. It ends with its input, in the middle of a request too, so that no worker outlives a killed parent.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import sys
import threading
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import IO, Any

from wuzi.workers.crew import Worker, WorkerKind, answer_to
from wuzi.workers.line_process import kill_all, take_stdout


def main() -> None:
    """Answer until the input ends."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    write = take_stdout()  # what a worker prints must not get between our lines
    lines: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_read_lines, args=(sys.stdin, lines), daemon=True).start()
    first = json.loads(lines.get())
    kind = WorkerKind(first["factory"], first["setup"])

    @cache
    def worker() -> Worker:
        return kind.make({})

    while True:
        message = json.loads(lines.get())
        if "quit" in message:
            worker().close()
            return
        write(json.dumps(answer_to(partial(_answer, worker, message["request"], message["shared"]))))


def _answer(worker: Callable[[], Worker], request: dict[str, Any], shared: list[str]) -> dict[str, Any]:
    return worker().answer(request, [Path(path).read_bytes() for path in shared])


def _read_lines(stream: IO[str], lines: queue.Queue[str]) -> None:
    for line in stream:
        lines.put(line)
    # A program that the worker started may not notice the end of its input.
    kill_all()
    os._exit(0)


if __name__ == "__main__":
    main()
