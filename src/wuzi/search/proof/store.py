"""The positions proved so far, in a folder: a file of lines for each run, which only grows."""

from __future__ import annotations

import gzip
import lzma
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from wuzi.errors import RecordError
from wuzi.search.proof.boards import Boards, Stones

OPENERS: dict[str, Any] = {".gz": gzip.open, ".xz": lzma.open}
"""What opens a file with such an ending; others are plain text."""


def header(boards: Boards) -> str:
    """The first lines of a proof, and of each file of a folder."""
    rules = boards.rules
    exactly = " exactly" if rules.rule.exact else ""
    return f"wuzi-proof 1\nboard {rules.size}x{boards.height}\nwin {rules.win_length}{exactly}\n"


class ProofStore:
    """Black's answer in every proved position; positions are canonical, as :meth:`Boards.canonical` says.

    Each run appends to a file of its own and reads those of the others, so that several may work in one
    folder. A line holds the stones and the node: ``h8i9 i8g7<tab>j7(...)``. A line that is cut off, the trace
    of a killed run, is left out.
    """

    def __init__(self, folder: Path, boards: Boards) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.boards, self._folder = boards, folder
        self._places: dict[Stones, tuple[Path, int]] = {}
        self._read: dict[Path, int] = {}
        self._own: Path | None = None
        self.refresh()

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, stones: Stones) -> bool:
        return stones in self._places

    def add(self, stones: Stones, text: str) -> None:
        """Keep the node that wins in this position; it is on disk when this returns."""
        if stones in self._places:
            return
        if self._own is None:
            self._own = self._new_file()
        with self._own.open("ab", buffering=0) as file:
            at = file.seek(0, os.SEEK_END)
            file.write(f"{self.boards.text(stones)}\t{text}\n".encode("ascii"))
        self._places[stones] = self._own, at

    def node(self, stones: Stones) -> str:
        """The text of the node that wins in this position."""
        path, at = self._places[stones]
        with path.open("rb") as file:
            file.seek(at)
            return file.readline().decode("ascii").rstrip("\n").partition("\t")[2]

    def refresh(self) -> None:
        """Read what other runs have proved since the last look."""
        expected = header(self.boards).encode("ascii")
        for path in sorted(self._folder.glob("proved-*.txt")):
            if path == self._own:
                continue
            at = self._read.get(path, 0)
            with path.open("rb") as file:
                if at == 0 and (found := file.read(len(expected))) != expected:
                    if found and not expected.startswith(found):
                        raise RecordError(f"{path}: begins with {found!r}: expected {expected!r}")
                    continue
                file.seek(at := at or len(expected))
                for line in file:
                    if line.endswith(b"\n"):
                        try:
                            stones = self.boards.stones(line.partition(b"\t")[0].decode("ascii"))
                        except (ValueError, KeyError):
                            where = f"{path}: byte {at}"
                            raise RecordError(f"{where}: {line[:40]!r} is no proved position") from None
                        self._places.setdefault(stones, (path, at))
                        at += len(line)
            self._read[path] = at

    def _new_file(self) -> Path:
        number = 0
        while True:
            path = self._folder / f"proved-{number}.txt"
            try:
                with path.open("xb") as file:
                    file.write(header(self.boards).encode("ascii"))
                return path
            except FileExistsError:
                number += 1

    def export(self, roots: Sequence[Sequence[str]]) -> Iterator[str]:
        """The lines of the file that proves the positions after these moves, all of which are proved."""
        yield from header(self.boards).splitlines()
        written: set[Stones] = set()
        for moves in roots:
            yield " ".join(["root", *moves])
            todo = [self.boards.after(moves)]
            while todo:
                here = todo.pop()
                stones, symmetry = self.boards.canonical(*here)
                if stones in written:
                    continue
                written.add(stones)
                text = self.boards.back(self.node(stones), symmetry)
                yield text
                todo.extend(self._below(here, text))

    def take(self, path: Path) -> None:
        """Keep all positions of a proof's file, which is trusted; a RecordError where it is none."""
        with OPENERS.get(path.suffix, open)(path, "rt", encoding="ascii") as file:
            lines = file.read().splitlines()
        start = header(self.boards).splitlines()
        if lines[: len(start)] != start:
            raise RecordError(f"{path}: begins with {lines[:3]}: expected {start}")
        written: set[Stones] = set()
        todo: list[Stones] = []
        for number, line in enumerate(lines[len(start) :], len(start) + 1):
            if line.startswith("root"):
                todo = [self.boards.after(line.split()[1:])]
                continue
            while todo and self.boards.canonical(*todo[-1])[0] in written:
                todo.pop()
            if not todo:
                raise RecordError(f"{path}: line {number} belongs to no position")
            here = todo.pop()
            stones, symmetry = self.boards.canonical(*here)
            written.add(stones)
            try:
                todo.extend(self._below(here, line))
            except KeyError:
                raise RecordError(f"{path}: line {number}: {line[:40]!r} is no node") from None
            self.add(stones, self.boards.renamed(line, symmetry))

    def _below(self, here: Stones, text: str) -> list[Stones]:
        """The positions after a node's replies that have a line of their own, the first one last."""
        move, replies = self.boards.replies_with_lines(text)
        return [(here[0] | 1 << move, here[1] | 1 << cell) for cell in reversed(replies)]
