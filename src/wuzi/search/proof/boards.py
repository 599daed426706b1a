"""Positions as two sets of bits, the same up to symmetry, and their text in a proof."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from wuzi.core.notation import parse_move
from wuzi.core.rules import Rules
from wuzi.core.symmetry import cell_maps

_CELL = re.compile(r"[a-z][1-9][0-9]?")
_SHARED = re.compile(r"@(\d+)")
_WITH_LINE = re.compile(r"([a-z][1-9][0-9]?)\*")

Stones = tuple[int, int]
"""The black and the white stones, bit c for cell c; Black is to move."""


def bits(mask: int) -> Iterator[int]:
    """The places of the ones."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def shifted(text: str, by: int) -> str:
    """A node's text that stands ``by`` nodes later in its line."""
    return _SHARED.sub(lambda found: f"@{int(found[1]) + by}", text) if by and "@" in text else text


class Boards:
    """What positions of one size have in common."""

    def __init__(self, rules: Rules, height: int | None = None) -> None:
        """The board of these rules; with ``height`` it has only that many rows, from the bottom."""
        size = rules.size
        self.rules, self.height = rules, height or size
        self.off = (1 << size * (size - self.height)) - 1
        self.all = (1 << size * size) - 1 & ~self.off
        maps: list[list[int]] = cell_maps(size).tolist()
        self._maps = [row for row in maps if all(self.off >> row[cell] & 1 for cell in bits(self.off))]
        identity = list(range(size * size))
        self._back = [[[a[c] for c in b] for a in self._maps].index(identity) for b in self._maps]
        self._bits = [[1 << cell for cell in row] for row in self._maps]
        self.names = [f"{chr(97 + cell % size)}{size - cell // size}" for cell in range(size * size)]
        self._cells = {name: cell for cell, name in enumerate(self.names)}
        self._renamed = [{n: self.names[row[c]] for c, n in enumerate(self.names)} for row in self._maps]

    def canonical(self, black: int, white: int) -> tuple[Stones, int]:
        """The smallest image, black stones first, and the symmetry that leads to it."""
        blacks, whites = list(bits(black)), list(bits(white))
        found = []
        for s, bit in enumerate(self._bits):
            found.append((sum(bit[c] for c in blacks), sum(bit[c] for c in whites), s))
        image = min(found)
        return image[:2], image[2]

    def image(self, mask: int, symmetry: int) -> int:
        """The cells as the symmetry takes them."""
        bit = self._bits[symmetry]
        return sum(bit[c] for c in bits(mask))

    def images(self, cell: int) -> list[int]:
        """Where each symmetry takes a cell."""
        return [row[cell] for row in self._maps]

    def moved(self, stones: Stones, symmetry: int) -> Stones:
        """The stones as the symmetry takes them."""
        return self.image(stones[0], symmetry), self.image(stones[1], symmetry)

    def renamed(self, text: str, symmetry: int) -> str:
        """A node's text as the symmetry takes its cells."""
        names = self._renamed[symmetry]
        return _CELL.sub(lambda found: names[found[0]], text) if symmetry else text

    def back(self, text: str, symmetry: int) -> str:
        """A node's text as it was before the symmetry."""
        return self.renamed(text, self._back[symmetry])

    def text(self, stones: Stones) -> str:
        """Both colours' stones, such as ``h8i7 a1b1``."""
        return " ".join("".join(self.names[cell] for cell in bits(mask)) or "-" for mask in stones)

    def stones(self, text: str) -> Stones:
        """The stones that a text of :meth:`text` names."""
        black, white = (sum(1 << self._cells[n] for n in _CELL.findall(part)) for part in text.split(" "))
        return black, white

    def has(self, name: str) -> bool:
        """Whether the board has a cell of that name."""
        return name in self._cells and bool(self.all >> self._cells[name] & 1)

    def cell(self, name: str) -> int:
        """The cell of that name."""
        return self._cells[name]

    def replies_with_lines(self, text: str) -> tuple[int, list[int]]:
        """A node's move, and White's replies after which there is a line of its own, in their order."""
        move, _, rest = text.partition("(")
        return self._cells[move], [self._cells[name] for name in _WITH_LINE.findall(rest)]

    def after(self, moves: Iterable[str]) -> Stones:
        """The stones after moves from the empty board, Black first."""
        masks = [0, 0]
        for ply, name in enumerate(moves):
            masks[ply % 2] |= 1 << parse_move(name, self.rules.size)
        return masks[0], masks[1]

    def replies(self, stones: Stones, empty: int) -> list[int]:
        """White's replies of ``empty``, one of each set that is equal up to symmetry, far ones first."""
        size, keeps = self.rules.size, []
        for s, row in enumerate(self._maps):
            if all(self.image(mask, s) == mask for mask in stones):
                keeps.append(row)
        found = [c for c in bits(empty) if all(c <= row[c] for row in keeps)]
        middle = (size - 1) / 2
        return sorted(found, key=lambda c: -max(abs(c // size - middle), abs(c % size - middle)))
