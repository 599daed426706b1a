"""Checkpoints: one file each, written whole or not at all, checked by a hash when read."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors import numpy as safetensors_numpy

from wuzi.base.atomic import write_atomic
from wuzi.errors import RecordError

logger = logging.getLogger(__name__)

SCHEMA = 1
SUFFIX = ".checkpoint.safetensors"
_LATEST = 2
"""How many of the latest checkpoints are kept beside the numbered ones: one in case the last is broken."""

Arrays = dict[str, npt.NDArray[Any]]


@dataclass
class Checkpoint:
    """Everything that training needs to resume as if it had not stopped: weights, the optimiser's moments and
    games going on as arrays; counters, random states and everything else as JSON-compatible ``meta``.
    """

    arrays: Arrays = field(default_factory=dict)
    meta: dict[str, Any] = field(default_factory=dict)

    def put(self, prefix: str, arrays: Mapping[str, Any]) -> None:
        """Enter arrays or tensors under ``prefix.name``."""
        for name, value in arrays.items():
            plain = value.detach().cpu().numpy() if hasattr(value, "detach") else value
            self.arrays[f"{prefix}.{name}"] = np.array(plain)

    def part(self, prefix: str) -> Arrays:
        """The arrays that :meth:`put` entered under a prefix."""
        head = f"{prefix}."
        return {name[len(head) :]: value for name, value in self.arrays.items() if name.startswith(head)}


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint whole in place of any old one; an OSError leaves what was there untouched."""
    arrays = {name: np.asarray(value, order="C") for name, value in checkpoint.arrays.items()}
    notes = {"schema": str(SCHEMA), "state": json.dumps(checkpoint.meta, sort_keys=True)}
    notes["sha256"] = _digest(arrays, notes["state"])
    write_atomic(path, safetensors_numpy.save(arrays, notes))


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint; a RecordError for one that was truncated, changed, or is of another schema."""
    try:
        with safe_open(path, framework="numpy") as file:
            notes = dict(file.metadata() or {})
            arrays = {name: file.get_tensor(name) for name in file.keys()}
    except (SafetensorError, ValueError, TypeError, KeyError) as error:
        raise RecordError(f"{path.name}: not a whole checkpoint ({error})") from None
    if notes.get("schema") != str(SCHEMA):
        raise RecordError(f"{path.name}: schema {notes.get('schema')!r}: expected {SCHEMA}")
    if notes.get("sha256") != _digest(arrays, notes.get("state", "")):
        raise RecordError(f"{path.name}: its hash is not that of its content: the file is damaged")
    return Checkpoint(arrays, json.loads(notes["state"]))


class Checkpoints:
    """The numbered checkpoints of a run; that of every ``keep_every``-th iteration is kept for ever."""

    def __init__(self, folder: Path, keep_every: int) -> None:
        self._folder, self._keep_every = folder, keep_every
        folder.mkdir(parents=True, exist_ok=True)

    def write(self, iteration: int, checkpoint: Checkpoint) -> None:
        """Write a checkpoint under the next number, then drop old ones; raises OSError as the disk does."""
        paths = self._paths()
        number = int(paths[-1].name.partition("-")[0]) + 1 if paths else 1
        write_checkpoint(self._folder / f"{number:08d}-{iteration:06d}{SUFFIX}", checkpoint)
        for path in self._paths()[:-_LATEST]:
            if not self._is_kept(path):
                path.unlink(missing_ok=True)

    def latest(self) -> Checkpoint | None:
        """The last checkpoint that is whole; None without any, a RecordError where all of them are broken."""
        broken: RecordError | None = None
        for path in reversed(self._paths()):
            try:
                return read_checkpoint(path)
            except RecordError as error:
                logger.warning("%s; going back to the one before", error)
                broken = broken or error
        if broken is not None:
            raise RecordError(f"{self._folder}: no checkpoint can be read: {broken}")
        return None

    def set_aside(self) -> None:
        """Rename the last checkpoint, if there is any: the one before is then the latest."""
        for path in self._paths()[-1:]:
            path.replace(path.with_suffix(".spoiled"))

    def _paths(self) -> list[Path]:
        return sorted(self._folder.glob(f"*{SUFFIX}"))

    def _is_kept(self, path: Path) -> bool:
        """Whether it is the last of an iteration that is kept."""
        last = path.name.partition("-")[2]
        iteration = int(last.partition(".")[0])
        later = any(other > path for other in self._folder.glob(f"*-{last}"))
        return iteration > 0 and iteration % self._keep_every == 0 and not later


def _digest(arrays: Arrays, state: str) -> str:
    digest = sha256(state.encode())
    for name in sorted(arrays):
        value = arrays[name]
        digest.update(f"{name} {value.dtype} {value.shape}".encode() + b"\0")
        digest.update(np.ascontiguousarray(value).tobytes())
    return digest.hexdigest()
