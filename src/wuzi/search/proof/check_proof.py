"""Check a proof that Black wins at five in a row: ``python check_proof.py FILE`` (plain, .gz or .xz).

This file needs nothing but Python. It knows one rule, that five or more in a row win (or exactly five, or
another length, as the proof says), and answers for every legal reply of White. The format of the file, and
the proof that this method is sound, are in ``docs/proof.md``.
"""

from __future__ import annotations

import gzip
import lzma
import re
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import combinations
from pathlib import Path

BLACK, WHITE = 0, 1
TOKEN = re.compile(r"[a-z][1-9][0-9]?|@(?:0|[1-9][0-9]*)|[-*()]")


class RefusedError(Exception):
    """The proof is wrong, or cannot be understood."""


def bits(number: int) -> Iterator[int]:
    """The places of the ones of a number."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


class Board:
    """Stones, and how many of each colour stand in every window: ``length`` cells in a row."""

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
        self.windows_at: list[list[int]] = [[] for _ in cells]
        for number, window in enumerate(self.windows):
            for cell in window:
                self.windows_at[cell].append(number)
        self.count = [[0] * len(self.windows), [0] * len(self.windows)]
        # alone[color][n]: the windows with n > 0 stones of that colour and none of the other
        self.alone: list[list[set[int]]] = [[set() for _ in range(length + 1)] for _ in (BLACK, WHITE)]
        images = [list(cells)]
        images += [[cell // width * width + width - 1 - cell % width for cell in image] for image in images]
        images += [
            [(height - 1 - cell // width) * width + cell % width for cell in image] for image in images
        ]
        if width == height:
            images += [[cell % width * width + cell // width for cell in image] for image in images]
        self.images = images

    def put(self, color: int, cell: int, stone: int) -> None:
        """Place a stone (1), or take it back (-1)."""
        self.stones[color] ^= 1 << cell
        own, other = self.count[color], self.count[1 - color]
        for number in self.windows_at[cell]:
            before = own[number]
            own[number] = after = before + stone
            if not other[number]:
                self.alone[color][before].discard(number)
                if after:
                    self.alone[color][after].add(number)
            elif not before:
                self.alone[1 - color][other[number]].discard(number)
            elif not after:
                self.alone[1 - color][other[number]].add(number)

    def empty(self) -> int:
        """The empty cells, as bits."""
        return ((1 << self.width * self.height) - 1) & ~(self.stones[BLACK] | self.stones[WHITE])

    def makes_row(self, color: int, cell: int) -> bool:
        """Whether a stone of that colour on the cell wins."""
        row, col = divmod(cell, self.width)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            run = 1
            for way in (1, -1):
                r, c = row + way * down, col + way * right
                while 0 <= r < self.height and 0 <= c < self.width:
                    if not self.stones[color] >> (r * self.width + c) & 1:
                        break
                    run, r, c = run + 1, r + way * down, c + way * right
            if run == self.length or (run > self.length and not self.exact):
                return True
        return False

    def missing(self, color: int, stones: int) -> Iterator[list[int]]:
        """The empty cells of each window where only so many stones of that colour are missing."""
        empty = self.empty()
        for number in self.alone[color][self.length - stones]:
            yield [cell for cell in self.windows[number] if empty >> cell & 1]

    def winning_cells(self, color: int) -> set[int]:
        """The empty cells where a stone of that colour wins."""
        return {cell for (cell,) in self.missing(color, 1) if self.makes_row(color, cell)}

    def key(self) -> bytes:
        """The same for positions that are equal up to symmetry, and for no others; Black is to move."""
        black, white = (list(bits(stones)) for stones in self.stones)
        found = []
        for image in self.images:
            cells = [*sorted(image[cell] for cell in black), *sorted(image[cell] for cell in white)]
            found.append(b"".join(cell.to_bytes(2, "big") for cell in cells))
        return min(found)

    def name(self, cell: int) -> str:
        """The name of a cell, such as h8."""
        return f"{chr(97 + cell % self.width)}{self.height - cell // self.width}"

    def cell(self, name: str) -> int:
        """The cell of a name."""
        if re.fullmatch(r"[a-z][1-9][0-9]?", name):
            row, col = self.height - int(name[1:]), ord(name[0]) - 97
            if 0 <= row < self.height and col < self.width:
                return row * self.width + col
        raise RefusedError(f"{name[:20]!r} is no cell of the {self.width}x{self.height} board")

    def __str__(self) -> str:
        black, white = self.stones
        text = ""
        for cell in range(self.width * self.height):
            text += "" if cell % self.width else f"\n{self.height - cell // self.width:3d}"
            text += " " + ".XO"[(black >> cell & 1) + 2 * (white >> cell & 1)]
        return f"{text[1:]}\n    {' '.join(chr(97 + col) for col in range(self.width))}"


class Node:
    """Black's move, the node that answers if White passes, and those that answer White's replies.

    The answer to a reply is None where the position after it has a line of its own in the file.
    """

    def __init__(self, move: int) -> None:
        self.move = move
        self.passed: Node | None = None
        self.replies: dict[int, Node | None] = {}


class Line:
    """Makes the node of a line: ``move(-node reply node reply* ...)``; ``@n`` is its n-th node again."""

    def __init__(self, text: str, board: Board) -> None:
        self.tokens, self.board, self.at = TOKEN.findall(text), board, 0
        self.found: list[Node | None] = []  # None until the node has ended
        root = self.node() if "".join(self.tokens) == text else None
        if root is None or self.at != len(self.tokens):
            raise RefusedError(f"expected one node on the line: {text[:60]!r}")
        self.root = root

    def next(self) -> str:
        """The next token; an empty one after the last."""
        self.at += 1
        return self.tokens[self.at - 1] if self.at <= len(self.tokens) else ""

    def node(self) -> Node | None:
        """The node that begins here, None for a star."""
        if (token := self.next()) == "*":
            return None
        if token.startswith("@"):
            if (again := self.found[int(token[1:])] if int(token[1:]) < len(self.found) else None) is None:
                raise RefusedError(f"{token} is no node that has ended before")
            return again
        number, node = len(self.found), Node(self.board.cell(token))
        self.found.append(None)
        if self.tokens[self.at : self.at + 1] == ["("]:
            self.at += 1
            while (token := self.next()) != ")":
                if token == "-" and not node.replies and node.passed is None:
                    node.passed = self.node()
                elif (reply := self.board.cell(token)) in node.replies:
                    raise RefusedError(f"the reply {token} is answered twice")
                else:
                    node.replies[reply] = self.node()
        self.found[number] = node
        return node


class Checker:
    """Reads a proof line by line and plays it."""

    def __init__(self, lines: Iterator[str]) -> None:
        self.lines, self.number, self.nodes = lines, 0, 0
        self.path: list[str] = []
        self.claims: list[str] = []
        self.proved: set[bytes] = set()  # keys of positions, Black to move, that have had their line
        head = [self.next_line() for _ in range(3)]
        wanted = r"wuzi-proof 1/board ([1-9]\d?)x([1-9]\d?)/win ([3-9])( exactly)?"
        if not (found := re.fullmatch(wanted, "/".join(head))) or int(found[1]) > 26:
            raise RefusedError(f"the file begins with {head}: expected wuzi-proof 1, board 15x15, win 5")
        self.board = Board(int(found[1]), int(found[2]), int(found[3]), bool(found[4]))

    def next_line(self) -> str:
        """The next line of the file, empty after the last."""
        self.number += 1
        return next(self.lines, "").rstrip("\n")

    def run(self) -> None:
        """Check everything; RefusedError with the place where it fails."""
        while line := self.next_line():
            root, *self.path = line.split(" ")
            if root != "root":
                raise RefusedError(f"expected a root or the end of the file: {line[:60]!r}")
            moves = [self.board.cell(name) for name in self.path]
            for ply, move in enumerate(moves):
                if self.board.makes_row(ply % 2, move) or move in moves[:ply] or len(moves) % 2:
                    raise RefusedError(f"no moves of an open game with Black to move: {line}")
                self.board.put(ply % 2, move, 1)
            self.own_line()
            for ply, move in enumerate(moves):
                self.board.put(ply % 2, move, -1)
            self.claims.append(" ".join(self.path) or "the first move: from the empty board")
        if not self.claims:
            raise RefusedError("the file has no root: it claims nothing")

    def own_line(self) -> None:
        """Check the position on the board, Black to move, by the next line unless it has had one."""
        if (key := self.board.key()) not in self.proved:
            self.play(Line(self.next_line(), self.board).root, 0)
            self.proved.add(key)

    def play(self, node: Node, extra: int) -> set[int]:
        """Check that Black, to move, wins with this node; what could disturb it.

        The answer is a family of sets of cells (as bits): Black wins as well with up to ``extra`` more white
        stones on the board, if they contain none of these sets.
        """
        board, move = self.board, 1 << node.move
        self.nodes += 1
        if not board.empty() & move:
            raise RefusedError(f"Black's move {board.name(node.move)} is on a stone")
        found = {move} if extra else set()
        if not board.makes_row(BLACK, node.move):
            self.path.append(board.name(node.move))
            board.put(BLACK, node.move, 1)
            found |= self.white_rows(extra)
            for disturbing in self.passed(node, extra + 1):
                unlisted = [cell for cell in bits(disturbing) if cell not in node.replies]
                if unlisted and disturbing.bit_count() == 1:
                    raise RefusedError(f"White's reply {board.name(unlisted[0])} is not answered")
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
            raise RefusedError(f"White's reply {board.name(min(wins))} wins")
        if extra >= board.length - 1:
            raise RefusedError(f"White passes {extra} times on one line of play: too often for this checker")
        for stones in range(1, extra + 1):
            for cells in board.missing(WHITE, stones + 1):
                found.update(sum(1 << cell for cell in some) for some in combinations(cells, stones))
        return found

    def passed(self, node: Node, extra: int) -> set[int]:
        """What disturbs the answer to a pass of White, or a row that Black has only to complete."""
        board = self.board
        if node.passed is not None:
            self.path.append("pass")
            found = self.play(node.passed, extra)
            self.path.pop()
            return found
        if wins := board.winning_cells(BLACK):
            return {sum(1 << cell for cell in wins)} if len(wins) <= extra else set()
        if left := [board.name(cell) for cell in bits(board.empty()) if cell not in node.replies]:
            raise RefusedError(f"White's reply {left[0]} is not answered: Black threatens nothing")
        if not board.empty():
            raise RefusedError("the board is full: a draw")
        return set()

    def answered(self, reply: int, answer: Node | None, extra: int) -> Iterator[int]:
        """Check the answer to a reply; what disturbs it."""
        board = self.board
        if not board.empty() >> reply & 1:
            raise RefusedError(f"White's reply {board.name(reply)} is on a stone")
        self.path.append(board.name(reply))
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
    opener = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
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
    board, memory = checker.board, "memory not known"
    with suppress(ImportError):  # Windows has no such module
        import resource

        memory = f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB of memory"
    row = f"{'exactly ' if board.exact else ''}{board.length}{'' if board.exact else ' or more'} in a row"
    print(f"ACCEPTED: on {board.width}x{board.height} ({row} win) Black, to move, wins after")
    print("\n".join(f"  {claim}" for claim in checker.claims))
    seconds = time.perf_counter() - start
    print(f"{len(checker.proved)} positions with a line, {checker.nodes} nodes, {seconds:.1f} s, {memory}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
