"""Following a file of JSON lines that another process appends to."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


class JsonTail:
    """The whole lines of a growing file, each given once.

    A line that is still being written comes with a later look; one that is no JSON object is counted and
    left out. A file that became shorter, was replaced by another or went away was begun anew.

    Args:
        path: the file; it need not exist yet.
        most: about so many bytes at a look, the rest comes with the next; None for all there is.

    Attributes:
        path: the file.
        broken: lines that were left out.
    """

    def __init__(self, path: Path, most: int | None = None) -> None:
        self.path = path
        self.broken = 0
        self._most = -1 if most is None else most
        self._offset = 0
        self._file: tuple[int, int] | None = None

    def read(self) -> tuple[bool, list[dict[str, Any]]]:
        """Whether the file was begun anew, and the objects that were added since the last look.

        Raises:
            OSError: the file is there but cannot be read.
        """
        try:
            with self.path.open("rb") as file:
                found = os.fstat(file.fileno())
                same = (found.st_dev, found.st_ino)
                anew = self._file is not None and (same != self._file or found.st_size < self._offset)
                self._file = same
                if anew:
                    self._offset = 0
                file.seek(self._offset)
                data = file.read(self._most)
                if not data.endswith(b"\n"):
                    data += file.readline()  # else a line longer than a look would never come
        except FileNotFoundError:
            anew = self._offset > 0
            self._offset, self._file = 0, None
            return anew, []
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole)
        return anew, self._objects(whole.splitlines())

    def _objects(self, lines: list[bytes]) -> list[dict[str, Any]]:
        found = []
        for line in lines:
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                value = None
            if isinstance(value, dict):
                found.append(value)
            elif line.strip():
                self.broken += 1
        return found
