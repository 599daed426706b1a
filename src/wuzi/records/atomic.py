"""Files that are either the old ones or the new ones, never half written."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_atomic(path: str | os.PathLike[str], data: bytes) -> None:
    """Write ``data`` to ``path``: a temporary file beside it, flushed to disk, then renamed over it.

    Raises:
        OSError: the folder is missing or cannot be written; the old file, if any, is untouched.
    """
    target = Path(path)
    # A link keeps pointing where it did: the file behind it is the one to replace.
    target = target.resolve() if target.is_symlink() else target
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
