"""A worker for tests of crews: it doubles numbers, and can end its process or hang."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wuzi.errors import ConfigError


class Toy:
    def __init__(self, setup: Mapping[str, Any], files: Mapping[str, Path]) -> None:
        self.setup, self.files = setup, files
        self.stopped = threading.Event()

    def answer(self, request: dict[str, Any], shared: Sequence[bytes]) -> dict[str, Any]:
        print("a worker may print")
        if "once" in request and not (mark := Path(request["once"])).exists():
            mark.touch()
            os._exit(3)
        if request.get("die"):
            os._exit(4)
        if request.get("refuse"):
            raise ConfigError("not this one")
        if request.get("break"):
            raise ZeroDivisionError("by zero")
        if request.get("hang") and not Path(request["hang"]).exists():
            Path(request["hang"]).touch()
            time.sleep(1000)
        if request.get("wait"):
            self.stopped.wait()
        content = [path.read_text() for path in self.files.values()]
        return {"twice": 2 * request["n"], "shared": [len(x) for x in shared], "files": content}

    def stop(self) -> None:
        self.stopped.set()

    def close(self) -> None:
        self.stopped.set()
