"""A proof to play from: Black's answer after any moves that a file of a proof covers."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

from wuzi.core.rules import Rule, Rules
from wuzi.errors import RecordError
from wuzi.search.proof.boards import Boards, Stones
from wuzi.search.proof.check_proof import BLACK, ProofBoard, ProofLine, ProofNode, RefusedError
from wuzi.search.proof.store import OPENERS

_HEAD = re.compile(r"wuzi-proof 1\nboard (\d+)x\1\nwin (\d)( exactly)?\n")

Keys = tuple[int, ...]
"""A position's hash under each symmetry; the smallest is the same for all its images."""


class ProofBook:
    """The positions of a proof's file that have a line of their own, found up to symmetry.

    The file is trusted: whoever doubts it lets ``check_proof.py`` check it.
    """

    def __init__(self, path: Path) -> None:
        """A RecordError for a file that is no proof, or is cut off."""
        with OPENERS.get(path.suffix, open)(path, "rt", encoding="ascii") as file:
            text = file.read()
        head = _HEAD.match(text)
        if head is None:
            raise RecordError(f"{path}: begins with {text[:40]!r}: expected wuzi-proof 1 and a square board")
        rule = Rule.STANDARD if head[3] else Rule.FREESTYLE
        self.rules = Rules(int(head[1]), int(head[2]), rule)
        self.boards = Boards(self.rules)
        self.claims: list[tuple[str, ...]] = []
        """The moves after which Black, to move, wins by the file."""
        self._path, self._lines = path, text[head.end() :].splitlines()
        self._board = ProofBoard(self.rules.size, self.rules.size, self.rules.win_length, bool(head[3]))
        chance = random.Random(self.rules.size)
        numbers = [[chance.getrandbits(62) for _ in range(self.rules.num_cells)] for _ in range(2)]
        images = [self.boards.images(cell) for cell in range(self.rules.num_cells)]
        self._numbers = [[[row[c] for c in image] for image in images] for row in numbers]
        self._places: dict[int, tuple[Stones, int]] = {}
        self._plies: dict[int, int] = {}
        try:
            self._index()
        except (IndexError, KeyError) as error:
            raise RecordError(f"{path}: the proof is cut off or damaged ({error})") from None

    def __len__(self) -> int:
        return len(self._places)

    def answer(self, moves: Sequence[str]) -> ProofNode | None:
        """The node by which Black, to move, wins after these moves; None where the proof does not say."""
        if len(moves) % 2:
            return None
        cells = [self.boards.cell(name) for name in moves]
        keys, begin, place = self._keys((0, 0)), 0, None
        for ply in range(0, len(cells) + 1, 2):
            if (found := self._places.get(min(keys))) is not None:
                begin, place = ply, found
            for color, cell in enumerate(cells[ply : ply + 2]):
                keys = self._with(keys, color, cell)
        stones = _stones_of(cells[:begin])
        node = None if place is None else self._own_node(*place, stones)
        for ply in range(begin, len(cells), 2):
            if node is None or node.move != cells[ply]:
                return None
            stones = _stones_of(cells[: ply + 2])
            node = self._next(node, cells[ply + 1], stones)
        return node

    def plies_of_claim(self, moves: Sequence[str]) -> int:
        """At most so many plies until Black's row, from a claimed position on; a KeyError for any other."""
        return self._plies_of_line(*self._places[min(self._keys(self.boards.after(moves)))])

    def _plies_of_line(self, there: Stones, number: int) -> int:
        if number not in self._plies:
            root = self._own_node(there, number, there)
            moved = self._with(self._keys(there), 0, root.move)
            known: dict[int, int] = {}
            self._plies[number] = self._plies_of_node(root, moved, known)
        return self._plies[number]

    def _plies_of_node(self, node: ProofNode, moved: Keys | None, known: dict[int, int]) -> int:
        """``moved``: the position after its move, where replies may have lines of their own."""
        if id(node) not in known:
            passed = 1 if node.passed is None else self._plies_of_node(node.passed, None, known)
            answers = [1, passed]
            for cell, answer in node.replies.items():
                if answer is not None:
                    answers.append(self._plies_of_node(answer, None, known))
                elif moved is not None:
                    answers.append(self._plies_of_line(*self._places[min(self._with(moved, 1, cell))]))
            # A node without answers leaves two cells that complete a row.
            known[id(node)] = 2 + max(answers)
        return known[id(node)]

    def _next(self, node: ProofNode, reply: int, stones: Stones) -> ProofNode | None:
        """The node that answers White's reply, which is among the stones."""
        if reply in node.replies:
            return node.replies[reply]
        if node.passed is not None:
            return node.passed
        wins = self._wins(stones)
        return ProofNode(wins[0]) if wins else None

    def _wins(self, stones: Stones) -> list[int]:
        """Cells where Black completes a row."""
        board = self._board
        board.stones = list(stones)
        empty = [cell for cell in range(self.rules.num_cells) if board.empty() >> cell & 1]
        return [cell for cell in empty if board.makes_row(BLACK, cell)]

    def _own_node(self, there: Stones, number: int, stones: Stones) -> ProofNode:
        """The node of a line, whose position ``there`` is an image of these stones."""
        symmetries = range(len(self.boards.images(0)))
        image = next(s for s in symmetries if self.boards.moved(there, s) == stones)
        try:
            return ProofLine(self.boards.renamed(self._lines[number], image), self._board).root
        except (RefusedError, IndexError) as error:
            raise RecordError(f"{self._path}: line {number + 4}: {error}") from None

    def _keys(self, stones: Stones) -> Keys:
        keys = (0,) * len(self._numbers[0][0])
        for color, mask in enumerate(stones):
            for cell in range(self.rules.num_cells):
                if mask >> cell & 1:
                    keys = self._with(keys, color, cell)
        return keys

    def _with(self, keys: Keys, color: int, cell: int) -> Keys:
        return tuple(a ^ b for a, b in zip(keys, self._numbers[color][cell], strict=True))

    def _index(self) -> None:
        """Find the position of every line: they follow each other in the order of their stars."""
        number = 0
        while number < len(self._lines):
            root, *moves = self._lines[number].split(" ")
            if root != "root":
                raise KeyError(f"line {number + 4} is no root")
            self.claims.append(tuple(moves))
            stones = self.boards.after(moves)
            todo = [(stones, self._keys(stones))]
            number += 1
            while todo:
                (black, white), keys = todo.pop()
                if (key := min(keys)) in self._places:
                    continue
                text = self._lines[number]
                self._places[key] = (black, white), number
                number += 1
                move, replies = self.boards.replies_with_lines(text)
                black |= 1 << move
                keys = self._with(keys, 0, move)
                for cell in reversed(replies):
                    todo.append(((black, white | 1 << cell), self._with(keys, 1, cell)))


def _stones_of(cells: Sequence[int]) -> Stones:
    """Black's and White's moves in turn as stones."""
    black, white = (sum(1 << cell for cell in cells[color::2]) for color in (0, 1))
    return black, white
