"""Cutting a stream of bytes into lines of text."""

from __future__ import annotations


class LineSplitter:
    """Collects bytes and gives back whole lines.

    Lines are UTF-8 (anything else is replaced) and end in LF, CR LF or CR; empty lines are skipped.

    Args:
        max_line: bytes of one line; the rest of a longer one is dropped.
    """

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
