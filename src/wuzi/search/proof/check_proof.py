"""Check a proof that Black wins at five in a row: ``python check_proof.py FILE`` (plain, .gz or .xz).

This file needs nothing but Python, and knows one rule: five or more in a row win (or exactly five, or another
length, as the proof says). ``docs/proof.md`` describes the format and proves that the method is sound.
"""

from __future__ import annotations

import gzip
import importlib.util
import lzma
import re
import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

BLACK, WHITE = 0, 1
_TOKEN = re.compile(r"[a-z][1-9][0-9]?|@(?:0|[1-9][0-9]*)|[-*()]")


class RefusedError(Exception):
    """The proof is wrong, or cannot be understood."""


def bits(number: int) -> Iterator[int]:
    """The places of the ones of a number."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


class ProofBoard:
    """Stones, how many of each colour stand in every window (``length`` cells in a row), and its ends."""

    def __init__(self, width: int, height: int, length: int, exact: bool) -> None:
        self.width, self.height, self.length, self.exact = width, height, length, exact
        cells = range(width * height)
        self.stones = [0, 0]  # of Black and of White, as bits
        self.windows = [
            [(row + i * down) * width + col + i * right for i in range(length)]
            for row in range(height)
            for col in range(width)
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
            if row + (length - 1) * down < height and 0 <= col + (length - 1) * right < width
        ]
        ends = [((2 * w[0] - w[1], w[0]), (2 * w[-1] - w[-2], w[-1])) for w in self.windows]
        self.ends = [[e for e, w in two if e in cells and abs(e % width - w % width) < 2] for two in ends]
        self.windows_at = [[n for n, w in enumerate(self.windows) if cell in w] for cell in cells]
        self.step = (length + 1, 1)  # windows are in groups: black stones * (length + 1) + white stones
        self.group_of = dict.fromkeys(range(len(self.windows)), 0)
        self.groups = [set(self.group_of), *(set[int]() for _ in range((length + 1) ** 2))]
        self.names = [f"{chr(97 + cell % width)}{height - cell // width}" for cell in cells]
        self.cells = {name: cell for cell, name in enumerate(self.names)}
        self.images = [list(cells)]
        self.images += [[c // width * width + width - 1 - c % width for c in image] for image in self.images]
        self.images += [[(height - 1 - c // width) * width + c % width for c in i] for i in self.images]
        if width == height:
            self.images += [[c % width * width + c // width for c in image] for image in self.images]

    def put(self, color: int, cell: int, stone: int) -> None:
        """Place a stone (1), or take it back (-1)."""
        self.stones[color] ^= 1 << cell
        for number in self.windows_at[cell]:
            self.groups[self.group_of[number]].discard(number)
            self.group_of[number] += stone * self.step[color]
            self.groups[self.group_of[number]].add(number)

    def empty(self) -> int:
        """The empty cells, as bits."""
        return ((1 << self.width * self.height) - 1) & ~(self.stones[BLACK] | self.stones[WHITE])

    def makes_row(self, color: int, cell: int) -> bool:
        """Whether a stone of that colour on the cell wins."""
        own, (row, col) = self.stones[color], divmod(cell, self.width)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            run = 1
            for way in (1, -1):
                r, c = row + way * down, col + way * right
                while 0 <= r < self.height and 0 <= c < self.width and own >> (r * self.width + c) & 1:
                    run, r, c = run + 1, r + way * down, c + way * right
            if run == self.length or (run > self.length and not self.exact):
                return True
        return False

    def missing(self, color: int, stones: int) -> Iterator[list[int]]:
        """The empty cells of each window that may win where so many stones of that colour are missing."""
        empty, own = self.empty(), self.stones[color] if self.exact else 0
        group = self.groups[(self.length - stones) * self.step[color]]
        numbers = (n for n in group if not any(own >> end & 1 for end in self.ends[n]))
        yield from ([cell for cell in self.windows[n] if empty >> cell & 1] for n in numbers)

    def winning_cells(self, color: int) -> set[int]:
        """The empty cells where a stone of that colour wins."""
        return {cell for (cell,) in self.missing(color, 1) if self.makes_row(color, cell)}

    def key(self) -> bytes:
        """The same for positions that are equal up to symmetry, and for no others; Black is to move."""
        black, white = (list(bits(stones)) for stones in self.stones)
        images = ([*sorted(i[c] for c in black), *sorted(i[c] for c in white)] for i in self.images)
        return b"".join(cell.to_bytes(2, "big") for cell in min(images))

    def cell(self, name: str) -> int:
        """The cell of a name, such as h8."""
        if name not in self.cells:
            raise RefusedError(f"{name[:20]!r} is no cell of the {self.width}x{self.height} board")
        return self.cells[name]

    def __str__(self) -> str:
        marks = [".XO"[(self.stones[0] >> c & 1) + 2 * (self.stones[1] >> c & 1)] for c in self.images[0]]
        rows = (marks[at : at + self.width] for at in range(0, len(marks), self.width))
        return "\n".join(f"{self.height - number:3d} {' '.join(row)}" for number, row in enumerate(rows))


@dataclass
class ProofNode:
    """Black's move, the node that answers if White passes, and those that answer White's replies.

    The answer to a reply is None where the position after it has a line of its own in the file.
    """

    move: int
    passed: ProofNode | None = None
    replies: dict[int, ProofNode | None] = field(default_factory=dict)


class ProofLine:
    """Makes the node of a line: ``move(-node reply node reply* ...)``; ``@n`` is the n-th node again."""

    def __init__(self, text: str, board: ProofBoard) -> None:
        self.tokens, self.board, self.count = deque([*_TOKEN.findall(text), ""]), board, 0
        self.whole: dict[str, ProofNode] = {}
        root = self.node() if "".join(self.tokens) == text else None
        if root is None or self.tokens[0]:
            raise RefusedError(f"expected one node on the line: {text[:60]!r}")
        self.root = root

    def node(self) -> ProofNode | None:
        """The node that begins here, None for a star."""
        if (token := self.tokens.popleft()) == "*" or token in self.whole:
            return self.whole.get(token)
        name, node = f"@{self.count}", ProofNode(self.board.cell(token))
        self.count += 1
        if self.tokens[0] == "(":
            self.tokens.popleft()
            while (token := self.tokens.popleft()) != ")":
                if token == "-" and not node.replies and node.passed is None:
                    node.passed = self.node()
                elif (reply := self.board.cell(token)) in node.replies:
                    raise RefusedError(f"the reply {token} is answered twice")
                else:
                    node.replies[reply] = self.node()
        self.whole[name] = node
        return node


class Checker:
    """Reads a proof line by line and plays it."""

    def __init__(self, lines: Iterator[str]) -> None:
        self.lines, self.number, self.nodes = lines, 0, 0
        self.path: list[str] = []
        self.claims: list[str] = []
        self.proved: set[bytes] = set()  # keys of positions, Black to move, that have had their line
        head = "/".join(self.next_line() for _ in range(3))
        found = re.fullmatch(r"wuzi-proof 1/board ([1-9]\d?)x([1-9]\d?)/win ([3-9])( exactly)?", head)
        if not found or int(found[1]) > 26:
            raise RefusedError(f"the file begins with {head}: expected wuzi-proof 1/board 15x15/win 5")
        self.size = int(found[1]), int(found[2]), int(found[3]), bool(found[4])
        self.board = ProofBoard(*self.size)

    def next_line(self) -> str:
        """The next line of the file, empty after the last."""
        self.number += 1
        return next(self.lines, "").rstrip("\n")

    def run(self) -> None:
        """Check everything; RefusedError with the place where it fails."""
        while line := self.next_line():
            root, *self.path = line.split(" ")
            moves = [self.board.cell(name) for name in self.path]
            if root != "root" or len(moves) % 2 or len(set(moves)) < len(moves):
                raise RefusedError(f"expected 'root' and moves, Black to move, or the end: {line[:60]!r}")
            for ply, move in enumerate(moves):
                if self.board.makes_row(ply % 2, move):
                    raise RefusedError(f"the game is over at {self.path[ply]}")
                self.board.put(ply % 2, move, 1)
            self.own_line()
            self.board = ProofBoard(*self.size)
            self.claims.append(" ".join(self.path) or "the first move: from the empty board")
        if not self.claims:
            raise RefusedError("the file has no root: it claims nothing")

    def own_line(self) -> None:
        """Check the position on the board, Black to move, by the next line unless it has had one."""
        if (key := self.board.key()) not in self.proved:
            self.play(ProofLine(self.next_line(), self.board).root, 0)
            self.proved.add(key)

    def play(self, node: ProofNode, extra: int) -> set[int]:
        """Check that Black, to move, wins with this node; the sets of cells (as bits) that could disturb it.

        Black wins as well with up to ``extra`` more white stones that contain none of these sets.
        """
        board, move = self.board, 1 << node.move
        self.nodes += 1
        if not board.empty() & move:
            raise RefusedError(f"Black's move {board.names[node.move]} is on a stone")
        found = {move} if extra else set()
        if not board.makes_row(BLACK, node.move):
            self.path.append(board.names[node.move])
            board.put(BLACK, node.move, 1)
            found |= self.white_rows(extra)
            for disturbing in self.passed(node, extra + 1):
                unlisted = [cell for cell in bits(disturbing) if cell not in node.replies]
                if unlisted and disturbing.bit_count() == 1:
                    raise RefusedError(f"White's reply {board.names[unlisted[0]]} is not answered")
                if extra:
                    found.update(disturbing ^ 1 << cell for cell in unlisted)
                    found.update([disturbing] if disturbing.bit_count() <= extra else [])
            for reply, answer in node.replies.items():
                found.update(self.answered(reply, answer, extra))
            board.put(BLACK, node.move, -1)
            self.path.pop()
        return found

    def white_rows(self, extra: int) -> set[int]:
        """The sets of ``extra`` cells, or fewer, with which White, to move, could win at once."""
        board, found = self.board, set[int]()
        if wins := board.winning_cells(WHITE):
            raise RefusedError(f"White's reply {board.names[min(wins)]} wins")
        for stones in range(1, min(extra + 1, board.length)):
            for cells in board.missing(WHITE, stones + 1):
                found.update(sum(1 << cell for cell in some) for some in combinations(cells, stones))
        return found

    def passed(self, node: ProofNode, extra: int) -> set[int]:
        """What disturbs the answer to a pass of White, or a row that Black has only to complete."""
        board = self.board
        if node.passed is not None:
            self.path.append("pass")
            found = self.play(node.passed, extra)
            self.path.pop()
            return found
        if wins := board.winning_cells(BLACK):
            return {sum(1 << cell for cell in wins)} if len(wins) <= extra else set()
        left = [board.names[cell] for cell in bits(board.empty()) if cell not in node.replies]
        if left or not board.empty():
            raise RefusedError(f"Black threatens nothing: White's {(left or ['draw'])[0]} is not answered")
        return set()

    def answered(self, reply: int, answer: ProofNode | None, extra: int) -> Iterator[int]:
        """Check the answer to a reply; what disturbs it."""
        board = self.board
        if not board.empty() >> reply & 1:
            raise RefusedError(f"White's reply {board.names[reply]} is on a stone")
        self.path.append(board.names[reply])
        board.put(WHITE, reply, 1)
        if answer is not None:
            yield from (cells for cells in self.play(answer, extra) if not cells >> reply & 1)
        elif extra:
            raise RefusedError("below a pass no position has a line of its own")
        else:
            self.own_line()
        board.put(WHITE, reply, -1)
        self.path.pop()


def main(arguments: list[str] | None = None) -> int:
    """Check a file; 0 if it is a proof, 1 if not."""
    (path,) = map(Path, sys.argv[1:] if arguments is None else arguments)
    opener: Any = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
    sys.setrecursionlimit(20_000)
    start, checker = time.perf_counter(), None
    try:
        with opener(path, "rt", encoding="ascii") as lines:
            checker = Checker(iter(lines))
            checker.run()
    except (RefusedError, OSError, EOFError, UnicodeError, lzma.LZMAError) as error:
        print(f"REFUSED: {path}: {error}")
        if checker is not None:
            print(f"at line {checker.number}, after {' '.join(checker.path)}\n{checker.board}")
        return 1
    board, seconds = checker.board, time.perf_counter() - start
    resource: Any = importlib.import_module("resource") if importlib.util.find_spec("resource") else None
    unit = 1 << (20 if sys.platform == "darwin" else 10)  # Windows has no such module
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit if resource else "?"
    row = f"{board.length} {'exactly' if board.exact else 'or more'} in a row on {board.width}x{board.height}"
    print(f"ACCEPTED: {row}: Black, to move, wins after", *checker.claims, sep="\n  ")
    print(f"{len(checker.proved)} lines, {checker.nodes} nodes, {seconds:.1f} s, {memory} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
