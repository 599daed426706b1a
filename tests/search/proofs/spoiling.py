"""Proofs played literally, and spoiled in ways that make them wrong."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from wuzi.search.proof.check_proof import (
    BLACK,
    WHITE,
    Checker,
    ProofBoard,
    ProofLine,
    ProofNode,
    RefusedError,
    bits,
)

_TOKEN = re.compile(r"[a-z]\d+|@\d+|.")


def why_refused(lines: Sequence[str]) -> str | None:
    """None if the checker accepts these lines, else its reason."""
    try:
        Checker(iter(lines)).run()
    except RefusedError as error:
        return str(error)
    return None


def wins_literally(board: ProofBoard, node: ProofNode) -> bool:
    """Whether the node wins when *every* legal reply is played, also those that only the pass answers.

    It knows nothing of what disturbs an attack, and takes accordingly long.
    """
    if not board.empty() >> node.move & 1:
        return False
    if board.makes_row(BLACK, node.move):
        return True
    board.put(BLACK, node.move, 1)
    good = board.empty() > 0 and all(_is_answered(board, node, reply) for reply in bits(board.empty()))
    board.put(BLACK, node.move, -1)
    return good


def _is_answered(board: ProofBoard, node: ProofNode, reply: int) -> bool:
    if board.makes_row(WHITE, reply):
        return False
    answer = node.replies.get(reply, node.passed)
    board.put(WHITE, reply, 1)
    good = bool(board.winning_cells(BLACK)) if answer is None else wins_literally(board, answer)
    board.put(WHITE, reply, -1)
    return good


@dataclass
class Spot:
    """A node of a line, with the board after its move."""

    root: ProofNode
    node: ProofNode
    board: ProofBoard


class Collector(Checker):
    """Plays a good proof and notes the stones on the board where each line (counted from 0) begins."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__(iter(lines))
        self.stones: dict[int, tuple[int, int]] = {}
        self.run()

    def own_line(self) -> None:
        if self.board.key() not in self.proved:
            self.stones[self.number] = (self.board.stones[BLACK], self.board.stones[WHITE])
        super().own_line()

    def board_at(self, number: int) -> ProofBoard:
        """The board where a line begins."""
        board = ProofBoard(*self.size)
        for color in (BLACK, WHITE):
            for cell in bits(self.stones[number][color]):
                board.put(color, cell, 1)
        return board


class Spoiler:
    """Makes wrong proofs of a right one."""

    def __init__(self, lines: Sequence[str], rng: random.Random) -> None:
        self.lines, self._rng = list(lines), rng
        self._played = Collector(lines)
        self._board, self._stones = self._played.board, self._played.stones
        self._numbers = [*self._stones]

    def spoiled(self, kind: str, tries: int = 10_000) -> list[str]:
        """The lines with one mistake of that kind, somewhere."""
        for _ in range(tries):
            if lines := getattr(self, kind)():
                return list(lines)
        raise AssertionError(f"no place for {kind}")

    # mistakes in one node

    def reply_left_out(self) -> list[str] | None:
        """A reply on the cell that answers a pass."""
        return self._changed(
            lambda spot: spot.node.passed is not None and spot.node.replies.pop(spot.node.passed.move, 0) != 0
        )

    def block_left_out(self) -> list[str] | None:
        """The only cell that stops the row."""
        return self._changed(lambda spot: _is_four(spot) and bool(spot.node.replies.popitem()))

    def wrong_block(self) -> list[str] | None:
        """White stops the row elsewhere."""

        def change(spot: Spot) -> bool:
            if not _is_four(spot):
                return False
            block, answer = spot.node.replies.popitem()
            spot.node.replies[self._empty(spot, block)] = answer
            return True

        return self._changed(change)

    def counter_four(self) -> list[str] | None:
        """A reply that makes a four is left out, though the answer to a pass does not stop it."""

        def change(spot: Spot) -> bool:
            board = spot.board
            if spot.node.passed is None or board.winning_cells(BLACK):
                return False
            for reply in spot.node.replies:
                board.put(WHITE, reply, 1)
                wins = board.winning_cells(WHITE)
                board.put(WHITE, reply, -1)
                if wins - {spot.node.passed.move}:
                    del spot.node.replies[reply]
                    return True
            return False

        return self._changed(change)

    def on_a_stone(self) -> list[str] | None:
        """Black plays where a stone stands."""

        def change(spot: Spot) -> bool:
            taken = spot.board.stones[BLACK] | spot.board.stones[WHITE]
            spot.node.move = self._rng.choice([cell for cell in bits(taken) if cell != spot.node.move])
            return True

        return self._changed(change)

    def idle_last_move(self) -> list[str] | None:
        """Instead of the move that ends a line Black plays one that threatens nothing."""

        def change(spot: Spot) -> bool:
            node, board = spot.node, spot.board
            if node.passed or node.replies:
                return False
            board.put(BLACK, node.move, -1)
            node.move = self._empty(spot, node.move)
            idle = not board.makes_row(BLACK, node.move)
            board.put(BLACK, node.move, 1)
            return idle and not board.winning_cells(BLACK)

        return self._changed(change)

    def cut_short(self) -> list[str] | None:
        """A line ends at a move that does not win yet."""

        def change(spot: Spot) -> bool:
            good = bool(spot.node.replies) and len(spot.board.winning_cells(BLACK)) < 2
            spot.node.passed, spot.node.replies = None, {}
            return good

        return self._changed(change)

    # mistakes in the file

    def wrong_symmetry(self) -> list[str] | None:
        """A line is turned or mirrored where its position is not."""
        number, image = self._rng.choice(self._numbers), self._rng.choice(self._board.images[1:])
        black = self._stones[number][BLACK]
        # One stone that the attack does not use may lie elsewhere.
        if (sum(1 << image[cell] for cell in bits(black)) & ~black).bit_count() < 2:
            return None
        return self._renamed(number, lambda name: self._board.names[image[self._board.cells[name]]])

    def over_the_edge(self) -> list[str] | None:
        """All cells of a line are moved to the right, so that one leaves the board."""
        number = self._rng.choice(self._numbers)
        columns = [ord(token[0]) - 97 for token in _TOKEN.findall(self.lines[number]) if token[0].isalpha()]
        step = self._board.width - max(columns)
        return self._renamed(number, lambda name: chr(ord(name[0]) + step) + name[1:])

    def other_position(self) -> list[str] | None:
        """A line stands for another position."""
        one, other = self._rng.choice(self._numbers), self._rng.choice(self._numbers)
        if self._stones[one][BLACK] == self._stones[other][BLACK]:
            return None  # White's stones may not matter
        return self._replaced(one, self.lines[other])

    def line_left_out(self) -> list[str] | None:
        """A position has no line."""
        number = self._rng.choice(self._numbers)
        return self.lines[:number] + self.lines[number + 1 :]

    def cut_off(self) -> list[str] | None:
        """A line stops in the middle."""
        number = self._rng.choice(self._numbers)
        tokens = _TOKEN.findall(self.lines[number])
        return self._replaced(number, "".join(tokens[: self._rng.randrange(1, len(tokens))]))

    def _replaced(self, number: int, text: str) -> list[str]:
        return [*self.lines[:number], text, *self.lines[number + 1 :]]

    def _renamed(self, number: int, rename: Callable[[str], str]) -> list[str]:
        tokens = _TOKEN.findall(self.lines[number])
        return self._replaced(number, "".join(rename(t) if t[0].isalpha() else t for t in tokens))

    def _empty(self, spot: Spot, besides: int) -> int:
        return self._rng.choice([cell for cell in bits(spot.board.empty()) if cell != besides])

    def _changed(self, change: Callable[[Spot], bool]) -> list[str] | None:
        """A line with a change of one node, a tree of its own; None where the change says that it is none."""
        number = self._rng.choice(self._numbers)
        root = ProofLine(self._text(ProofLine(self.lines[number], self._board).root), self._board).root
        board, node = self._played.board_at(number), self._rng.choice([*_below(root)])
        _play_to(board, root, node)
        return self._replaced(number, self._text(root)) if change(Spot(root, node, board)) else None

    def _text(self, node: ProofNode) -> str:
        """The text of a node, with nothing shared."""
        names = self._board.names
        inside = f"-{self._text(node.passed)}" if node.passed else ""
        for reply, answer in node.replies.items():
            inside += names[reply] + (self._text(answer) if answer else "*")
        return names[node.move] + (f"({inside})" if inside else "")


def _is_four(spot: Spot) -> bool:
    node = spot.node
    return len(spot.board.winning_cells(BLACK)) == 1 == len(node.replies) and node.passed is None


def _below(node: ProofNode) -> Iterator[ProofNode]:
    """The node and all nodes below it."""
    yield node
    for answer in (node.passed, *node.replies.values()):
        if answer is not None:
            yield from _below(answer)


def _play_to(board: ProofBoard, node: ProofNode, target: ProofNode) -> bool:
    """Put the stones up to and with the target's move on the board; whether it is below the node."""
    board.put(BLACK, node.move, 1)
    if node is target or (node.passed is not None and _play_to(board, node.passed, target)):
        return True
    for reply, answer in node.replies.items():
        board.put(WHITE, reply, 1)
        if answer is not None and _play_to(board, answer, target):
            return True
        board.put(WHITE, reply, -1)
    board.put(BLACK, node.move, -1)
    return False


KINDS = (
    "reply_left_out",
    "block_left_out",
    "wrong_block",
    "counter_four",
    "on_a_stone",
    "idle_last_move",
    "cut_short",
    "wrong_symmetry",
    "over_the_edge",
    "other_position",
    "line_left_out",
    "cut_off",
)
