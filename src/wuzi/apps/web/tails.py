"""Following a file of JSON lines that another process appends to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MAX_READ = 8 << 20
"""Most bytes of one look; the rest comes with the next."""


class JsonTail:
    """The whole lines of a growing file, each given once.

    A line that is still being written comes with a later look; one that is no JSON object is counted and
    left out. A file that became shorter was begun anew: it is read from its start again.

    Attributes:
        path: the file; it need not exist yet.
        restarts: how often the file was begun anew.
        broken: lines that were left out.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.restarts = 0
        self.broken = 0
        self._offset = 0

    def read(self) -> list[dict[str, Any]]:
        """The objects that were added since the last look.

        Raises:
            OSError: the file is there but cannot be read.
        """
        try:
            with open(self.path, "rb") as file:
                if file.seek(0, 2) < self._offset:
                    self._offset, self.restarts = 0, self.restarts + 1
                file.seek(self._offset)
                data = file.read(MAX_READ)
        except FileNotFoundError:
            return []
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole)
        found = []
        for line in whole.splitlines():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                value = None
            if isinstance(value, dict):
                found.append(value)
            elif line.strip():
                self.broken += 1
        return found
