"""Games of self-play and the shards that hold them.

A shard is a text file of up to :data:`SHARD_GAMES` lines, a game each, appended and flushed as games end.
It holds moves, sparse policies, values and flags; never planes, which any later version of the planes can
be computed from. Order in the shards is the order in which games ended: "the first N games" is a
pointer that stays valid for ever.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntFlag
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from wuzi.base.json_fields import MALFORMED
from wuzi.base.store import LineFile
from wuzi.errors import RecordError

SCHEMA = 2
"""Version of a line. Since 2 the value of a Gumbel search is the completed one, no mean of its visits, and
rows have a surprise."""
SHARD_GAMES = 1000
_SCALE = 65535
_RESULTS = {"black": 1, "draw": 0, "white": -1}
_NAMES = {value: name for name, value in _RESULTS.items()}


class Flag(IntFlag):
    """What was special about the search of a position."""

    NONE = 0
    FAST = 1  # with fewer simulations than others
    SOFT = 2  # short, because the game seemed decided
    DECIDED = 4  # one move only, or a proven result: the net is not asked there


@dataclass(frozen=True, slots=True)
class Row:
    """What a search said of one position: the cells int16 [K] with a share in the policy, their shares
    float32 [K], which sum to about 1, the root's value for the side to move, bits of :class:`Flag`, and the
    policy's divergence from the net's in nats (0 in games of schema 1).
    """

    cells: npt.NDArray[np.int16]
    shares: npt.NDArray[np.float32]
    value: float
    flags: int
    surprise: float = 0.0


@dataclass(frozen=True, slots=True)
class SelfPlayGame:
    """A finished game."""

    number: int  # in the run; with the run's seed the source of all its chance
    net: int  # iteration of the net that began it
    moves: npt.NDArray[np.int16]  # all stones in order, the opening's too
    opening: int  # how many of them were set up before the net played
    result: int  # 1 Black won, -1 White won, 0 a draw
    reason: str  # how it ended
    rows: Sequence[Row]  # a search for each move after the opening
    schema: int = SCHEMA  # of the line that it was read from

    def to_line(self) -> str:
        """The game as a line of a shard, without its end."""
        data = {
            "v": self.schema,
            "number": self.number,
            "net": self.net,
            "moves": self.moves.tolist(),
            "opening": self.opening,
            "result": _NAMES[self.result],
            "reason": self.reason,
            "rows": pack_rows(self.rows),
        }
        return json.dumps(data, separators=(",", ":"))

    @classmethod
    def from_line(cls, line: str | bytes, where: str) -> SelfPlayGame:
        """Read a line of a shard; a RecordError that names ``where`` if it is not one."""
        try:
            data = json.loads(line)
            if (schema := data["v"]) not in range(1, SCHEMA + 1):
                raise RecordError(f"{where}: schema {schema!r}: expected 1 to {SCHEMA}")
            moves = np.array(data["moves"], np.int16)
            rows = unpack_rows(data["rows"])
            if len(rows) != len(moves) - data["opening"]:
                raise ValueError(f"{len(rows)} searches of {len(moves) - data['opening']} moves")
            result = _RESULTS[data["result"]]
            number, net, opening = data["number"], data["net"], data["opening"]
            return cls(number, net, moves, opening, result, str(data["reason"]), rows, schema)
        except RecordError:
            raise
        except (*MALFORMED, zlib.error) as error:
            raise RecordError(f"{where}: not a game of self-play ({error})") from None


def pack_rows(rows: Sequence[Row]) -> str:
    """Rows as text: base64 of compressed little-endian arrays."""
    counts = np.array([len(row.cells) for row in rows], "<u2")
    cells = np.concatenate([row.cells for row in rows]).astype("<u2") if rows else np.zeros(0, "<u2")
    shares = np.concatenate([row.shares for row in rows]) if rows else np.zeros(0, np.float32)
    parts = (
        np.array([len(rows)], "<u2"),
        counts,
        np.array([row.value for row in rows], "<f2"),
        np.array([row.flags for row in rows], "u1"),
        cells,
        np.rint(shares.astype(np.float64) * _SCALE).astype("<u2"),
        np.array([row.surprise for row in rows], "<f2"),
    )
    return base64.b64encode(zlib.compress(b"".join(part.tobytes() for part in parts), 6)).decode("ascii")


def unpack_rows(text: str) -> list[Row]:
    """The rows that :func:`pack_rows` packed, or its form of schema 1, which ends with the shares; raises
    ValueError or its kin where it did not.
    """
    data = zlib.decompress(base64.b64decode(text, validate=True))
    offset = 0

    def take(kind: str, count: int) -> npt.NDArray[Any]:
        nonlocal offset
        found = np.frombuffer(data, kind, count, offset)
        offset += found.nbytes
        return found

    number = int(take("<u2", 1)[0])
    counts = take("<u2", number)
    values, flags = take("<f2", number).astype(np.float64), take("u1", number)
    total = int(counts.sum())
    cells = take("<u2", total).astype(np.int16)
    shares = (take("<u2", total) / _SCALE).astype(np.float32)
    surprises = take("<f2", number) if offset < len(data) else np.zeros(number)
    ends = np.cumsum(counts)
    figures = zip(values.tolist(), flags.tolist(), surprises.tolist(), strict=True)
    return [
        Row(cells[end - n : end], shares[end - n : end], *row)
        for n, end, row in zip(counts.tolist(), ends.tolist(), figures, strict=True)
    ]


class EndedGame(NamedTuple):
    """A game as it came from self-play: the line that is stored, and what the line says."""

    line: str
    game: SelfPlayGame


class Shards:
    """The games of a run, appended one by one; reading changes nothing.

    Attributes:
        count: how many games there are.
    """

    def __init__(self, folder: Path) -> None:
        """Look at the shards of a folder, which is made when a game is appended."""
        self._folder = folder
        paths = sorted(folder.glob("[0-9]*.jsonl"))
        last = sum(1 for _ in LineFile(paths[-1]).lines()) if paths else 0
        self.count = max(0, len(paths) - 1) * SHARD_GAMES + last

    def append(self, line: str) -> None:
        """Add a game; it is in the file when this returns, or an OSError leaves the file as it was before."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._file(self.count // SHARD_GAMES).append(line)
        self.count += 1

    def read(self, first: int, last: int | None = None) -> Iterator[SelfPlayGame]:
        """Games ``first`` to ``last`` (exclusive; default all) in the order they ended; a RecordError for a
        broken line in the middle.
        """
        count = None if last is None else max(0, last - first)
        for where, line in islice(self._lines(first), count):
            yield SelfPlayGame.from_line(line, where)

    def numbers(self) -> set[int]:
        """The numbers of all games, read from the lines' beginnings."""
        found = set()
        for where, line in self._lines(0):
            head, _, _ = line.partition(b',"net"')
            try:
                found.add(int(head.rpartition(b":")[2]))
            except ValueError:
                raise RecordError(f"{where}: no game number at {line[:40]!r}") from None
        return found

    def _file(self, shard: int) -> LineFile:
        return LineFile(self._folder / f"{shard:06d}.jsonl")

    def _lines(self, first: int) -> Iterator[tuple[str, bytes]]:
        shard, skip = divmod(first, SHARD_GAMES)
        while (file := self._file(shard)).path.exists():
            yield from file.lines(skip)
            shard, skip = shard + 1, 0
