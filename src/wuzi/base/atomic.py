"""Files that are either the old ones or the new ones, never half written."""

from __future__ import annotations

import os
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PATIENCE_S = 2.0
_PAUSE_S = 0.02
TEMPORARY = ".tmp"
"""How the names of temporary files end."""


def write_atomic(path: str | os.PathLike[str], data: bytes) -> None:
    """Write ``data`` to ``path``: a temporary file beside it, flushed to disk, then renamed over it.

    Raises:
        OSError: the folder is missing or cannot be written; the old file, if any, is untouched.
    """
    with replacing(path) as temporary, open(temporary, "xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let errors of writing name the file (``path``): those of a full disk or a temporary file do not."""
    try:
        yield
    except OSError as error:
        if error.errno is None or not (error.filename is None or str(error.filename).endswith(TEMPORARY)):
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A new name beside ``path`` to write to; the file there then takes the place of ``path``.

    After an exception it is removed, and the old file, if any, is untouched.

    Raises:
        OSError: it cannot be renamed.
    """
    target = Path(path)
    # A link keeps pointing where it did: the file behind it is the one to replace.
    target = target.resolve() if target.is_symlink() else target
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}{TEMPORARY}")
    try:
        with naming(target):
            yield temporary
        _rename(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _rename(source: Path, target: Path) -> None:
    """Rename over; Windows refuses that while somebody reads the target, so there it waits for them."""
    end = time.monotonic() + (_PATIENCE_S if sys.platform == "win32" else 0.0)
    while True:
        try:
            os.replace(source, target)
        except PermissionError:
            if time.monotonic() >= end:
                raise
            time.sleep(_PAUSE_S)
        else:
            return
