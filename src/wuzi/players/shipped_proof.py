"""The shipped proof that Black wins 15x15 freestyle: a file for each of White's replies to the first move."""

from __future__ import annotations

import lzma
from importlib.resources import files
from typing import Any

SIZE, WIN_LENGTH = 15, 5
FIRST = "h8"
"""The first move of the shipped proofs."""
FOLDER = files("wuzi") / "data" / "proof" / "freestyle-15"
_ENDING = ".txt.xz"


def proved_replies() -> tuple[str, ...]:
    """White's replies to the first move, up to symmetry, after which a shipped proof wins."""
    if not FOLDER.is_dir():
        return ()
    return tuple(sorted(path.name.removesuffix(_ENDING) for path in FOLDER.iterdir()))


def shipped_file(reply: str) -> Any:
    """The packed proof of a proved reply."""
    return FOLDER / f"{reply}{_ENDING}"


def shipped_proof(reply: str) -> bytes:
    """The text of the proof of a proved reply."""
    return lzma.decompress(shipped_file(reply).read_bytes())
