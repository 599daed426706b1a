"""Records on disk: files of lines that only grow, and JSON files that hold one object.

A line is written whole, in one go, so that a killed program leaves at most one unfinished line, the last
one. Readers leave that one out; the next writer cuts it off. A broken line anywhere else is an error.

A file that no longer grows can be packed by ``gzip``: in place of ``games.jsonl`` there is then
``games.jsonl.gz``. It is read under its old name, and unpacked before the next line is appended.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import logging
import os
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, cast

from wuzi.base.atomic import naming, write_atomic
from wuzi.errors import RecordError

logger = logging.getLogger(__name__)

_CHUNK = 1 << 16
PACKED = ".gz"
"""What a packed file's name has behind the name of the file that it holds."""


def read_text(path: Path) -> str:
    """The text of a UTF-8 file, with or without a byte order mark; RecordError if it cannot be read."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise RecordError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise RecordError(f"{path}: byte {error.start} is not UTF-8") from None


def packed_path(path: Path) -> Path:
    """Where a file lies when it is packed; a name that says so stays.

    >>> packed_path(Path("games.jsonl")).name, packed_path(Path("games.jsonl.gz")).name
    ('games.jsonl.gz', 'games.jsonl.gz')
    """
    return path if path.suffix == PACKED else path.with_name(path.name + PACKED)


def pack(path: Path) -> None:
    """Put a packed file in the place of this one; the same lines give the same bytes."""
    write_atomic(packed_path(path), gzip.compress(path.read_bytes(), 9, mtime=0))
    path.unlink()


class LineFile:
    """A file of lines of text in UTF-8, which need not exist yet; one program at a time appends to it.

    Args:
        path: the file. A packed one may be named by either name.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.with_suffix("") if path.suffix == PACKED else path
        self._repaired = False

    def exists(self) -> bool:
        """Whether there is such a file, packed or not."""
        return self.path.exists() or packed_path(self.path).exists()

    def append(self, line: str) -> None:
        """Add a line, given without its end; it is in the file when this returns.

        After an OSError (the disk is full, or the like) the file is as it was before.
        """
        if not self._repaired:
            self.repair()
            self._repaired = True
        with naming(self.path), open(self.path, "ab", buffering=0) as file:
            end = file.seek(0, os.SEEK_END)
            rest = memoryview(line.encode("utf-8") + b"\n")
            try:
                while rest:
                    rest = rest[file.write(rest) :]
            except OSError:
                with contextlib.suppress(OSError):
                    file.truncate(end)
                raise

    def lines(self, first: int = 0) -> Iterator[tuple[str, bytes]]:
        """The whole lines after the first ``first``, each with its place for messages and with its end.

        A missing file has none; RecordError if it cannot be read.
        """
        path = self.stored()
        try:
            with _readable(path), _open(path) as file:
                for number, line in enumerate(file, 1):
                    where = f"{path}: line {number}"
                    if not line.endswith(b"\n"):
                        logger.warning("%s is broken and dropped", where)
                    elif number > first:
                        yield where, line
        except FileNotFoundError:
            return

    def begin(self, most: int) -> bytes:
        """So many bytes at most of the first line, none of a missing file; errors as :meth:`lines`."""
        path = self.stored()
        try:
            with _readable(path), _open(path) as file:
                return file.readline(most)
        except FileNotFoundError:
            return b""

    def stored(self) -> Path:
        """The file that holds the lines: the plain one, or the packed one in its place."""
        packed = packed_path(self.path)
        if not packed.exists():
            return self.path
        if self.path.exists():
            raise RecordError(f"{self.path}: {packed.name} is there, too: expected one of the two")
        return packed

    def unpack(self) -> None:
        """Put the plain file in the place of a packed one."""
        packed = packed_path(self.path)
        if not packed.exists():
            return
        with _readable(packed):
            lines = gzip.decompress(packed.read_bytes())
        # Whoever was killed between the two steps finds both, the plain file whole.
        if not (self.path.exists() and self.path.read_bytes() == lines):
            self.stored()
            write_atomic(self.path, lines)
        packed.unlink()

    def repair(self) -> None:
        """Cut off a broken last line, the trace of a write that was interrupted; unpack a packed file."""
        self.unpack()
        try:
            with naming(self.path), open(self.path, "r+b") as file:
                end = file.seek(0, os.SEEK_END)
                whole = _begin_of_line(file, end)
                if whole == end:
                    begin = _begin_of_line(file, max(0, end - 1))
                    file.seek(begin)
                    whole = end if begin == end or self._is_good(file.read(end - begin)) else begin
                if whole < end:
                    file.truncate(whole)
        except FileNotFoundError:
            return

    def _is_good(self, line: bytes) -> bool:
        return True


class JsonLines(LineFile):
    """A file of JSON objects, one a line. A last line that is whole but no object counts as broken, too.

    Args:
        path: the file.
        version: what every object says under ``v``, its first key; None for objects without it.
        compact: write no blanks, and only ASCII.
    """

    def __init__(self, path: Path, *, version: int | None = None, compact: bool = False) -> None:
        super().__init__(path)
        self._version = version
        self._compact = compact

    def add(self, fields: Mapping[str, Any]) -> None:
        """Append an object; see :meth:`LineFile.append`."""
        data = dict(fields) if self._version is None else {"v": self._version, **fields}
        self.append(json.dumps(data, separators=(",", ":")) if self._compact else _text(data))

    def objects(self, first: int = 0) -> Iterator[tuple[str, dict[str, Any]]]:
        """The objects after the first ``first``, without their version, each with its place for messages.

        Raises:
            RecordError: a line that is not the last is no object, or one has another version.
        """
        broken = ""
        for where, line in self.lines(first):
            if broken:
                raise RecordError(broken)
            try:
                data = json.loads(line)
            except (ValueError, RecursionError) as error:
                broken = f"{where}: not JSON ({error})"
                continue
            if not isinstance(data, dict):
                broken = f"{where}: expected an object, found {type(data).__name__}"
            elif self._version is not None and (found := data.pop("v", None)) != self._version:
                raise RecordError(f"{where}: v is {found!r}: expected schema version {self._version}")
            else:
                yield where, data
        if broken:
            logger.warning("%s; the last line is broken and dropped", broken)

    def _is_good(self, line: bytes) -> bool:
        return object_in(line) is not None


class JsonTail:
    """The whole lines of a file that another process appends to, each given once.

    A line that is still being written comes with a later look. One that is no JSON object is counted and
    left out. A file that became shorter, was replaced by another or was removed is read from its beginning.

    Args:
        path: the file; it need not exist yet.
        most: about how many bytes a look reads, the rest comes with the next; None for all.

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
        """Whether reading began anew, and the objects that were added since the last look."""
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
        objects = [object_in(line) for line in whole.splitlines() if line.strip()]
        self.broken += objects.count(None)
        return anew, [found for found in objects if found is not None]


def object_in(line: bytes | str) -> dict[str, Any] | None:
    """The JSON object in a line, None for anything else."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def read_object(path: Path) -> dict[str, Any]:
    """The object in a JSON file: settings, a state, notes; RecordError, naming the file, if there is none."""
    try:
        found = json.loads(read_text(path))
    except ValueError as error:
        raise RecordError(f"{path}: not JSON ({error})") from None
    if not isinstance(found, dict):
        raise RecordError(f"{path}: expected an object, found {type(found).__name__}")
    return found


def write_object(path: Path, data: Mapping[str, Any], indent: int = 2) -> None:
    """Write a JSON file that holds one object, atomically: after an OSError the old file is untouched."""
    write_atomic(path, (_text(data, indent) + "\n").encode())


def _open(path: Path) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(path)) if path.suffix == PACKED else path.open("rb")


@contextlib.contextmanager
def _readable(path: Path) -> Iterator[None]:
    """A RecordError for what cannot be read or unpacked; a missing file stays one."""
    try:
        yield
    except FileNotFoundError:
        raise
    except (OSError, EOFError, zlib.error) as error:
        raise RecordError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _text(data: Mapping[str, Any], indent: int | None = None) -> str:
    return json.dumps(data, ensure_ascii=False, indent=indent)


def _begin_of_line(file: IO[bytes], end: int) -> int:
    """The offset behind the last line end before ``end``."""
    while end > 0:
        begin = max(0, end - _CHUNK)
        file.seek(begin)
        found = file.read(end - begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        end = begin
    return 0
