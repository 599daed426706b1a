"""Proofs read, played literally, and spoiled in ways that make them wrong."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wuzi.search.proof.check_proof import BLACK, WHITE, Board, Checker, Line, Node, RefusedError, bits


def why_refused(lines: Sequence[str]) -> str | None:
    """None if the checker accepts these lines, else its reason."""
    try:
        Checker(iter(lines)).run()
    except RefusedError as error:
        return str(error)
    return None


def text_of(node: Node) -> str:
    """The text of a node, with nothing shared."""
    inside = f"-{text_of(node.passed)}" if node.passed else ""
    for reply, answer in node.replies.items():
        inside += f"{_names[reply]}{text_of(answer) if answer else '*'}"
    return _names[node.move] + (f"({inside})" if inside else "")


_names: dict[int, str] = {}


def wins_literally(board: Board, node: Node) -> bool:
    """Whether the node wins when *every* legal reply is played, also those that only the pass answers.

    It knows nothing of what disturbs an attack, and takes accordingly long.
    """
    if not board.empty() >> node.move & 1:
        return False
    if board.makes_row(BLACK, node.move):
        return True
    board.put(BLACK, node.move, 1)
    good = board.empty() > 0 and all(_answers(board, node, reply) for reply in bits(board.empty()))
    board.put(BLACK, node.move, -1)
    return good


def _answers(board: Board, node: Node, reply: int) -> bool:
    if board.makes_row(WHITE, reply):
        return False
    board.put(WHITE, reply, 1)
    if reply in node.replies:
        answer = node.replies[reply]
        good = answer is None or wins_literally(board, answer)
    elif node.passed is not None:
        good = wins_literally(board, node.passed)
    else:
        good = bool(board.winning_cells(BLACK))
    board.put(WHITE, reply, -1)
    return good


@dataclass
class Spot:
    """A node of a line, with the board after its move."""

    line: int
    root: Node
    node: Node
    board: Board


class _Collector(Checker):
    """Plays a good proof and notes where each line stands."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__(iter(lines))
        self.stones: dict[int, list[int]] = {}

    def own_line(self) -> None:
        if self.board.key() not in self.proved:
            self.stones[self.number + 1] = list(self.board.stones)
        super().own_line()


class Spoiler:
    """Makes wrong proofs of a right one."""

    def __init__(self, lines: Sequence[str], rng: random.Random) -> None:
        self.lines, self.rng = list(lines), rng
        collector = _Collector(lines)
        collector.run()
        self.board = collector.board
        self.stones = collector.stones
        _names.clear()
        _names.update({cell: self.board.name(cell) for cell in range(self.board.width * self.board.height)})

    def spoiled(self, kind: str) -> list[str] | None:
        """The lines with one mistake of that kind; None where there is no place for it (try again)."""
        return list(getattr(self, kind)() or ()) or None

    # mistakes in one node

    def reply_left_out(self) -> list[str] | None:
        """The answer to a pass is played on the cell of the reply that is left out."""
        return self._changed(lambda s: s.node.passed is not None and s.node.replies.pop(s.node.passed.move, 0) != 0)

    def block_left_out(self) -> list[str] | None:
        """The only cell that stops the row is left out."""
        return self._changed(lambda s: self._is_four(s) and bool(s.node.replies.popitem()))

    def wrong_block(self) -> list[str] | None:
        """White stops the row elsewhere."""

        def change(spot: Spot) -> bool:
            if not self._is_four(spot):
                return False
            (block, answer), = spot.node.replies.items()
            other = self._empty(spot, besides={block})
            spot.node.replies = {other: answer}
            return True

        return self._changed(change)

    def counter_four(self) -> list[str] | None:
        """A reply that makes a four is left out, though the answer to a pass does not stop it."""

        def change(spot: Spot) -> bool:
            if spot.node.passed is None:
                return False
            for reply in spot.node.replies:
                spot.board.put(WHITE, reply, 1)
                wins = spot.board.winning_cells(WHITE)
                spot.board.put(WHITE, reply, -1)
                if wins - {spot.node.passed.move} and not spot.board.winning_cells(BLACK):
                    del spot.node.replies[reply]
                    return True
            return False

        return self._changed(change)

    def on_a_stone(self) -> list[str] | None:
        """Black plays where a stone stands."""

        def change(spot: Spot) -> bool:
            taken = [*bits(spot.board.stones[BLACK] | spot.board.stones[WHITE])]
            spot.node.move = self.rng.choice([cell for cell in taken if cell != spot.node.move])
            return True

        return self._changed(change)

    def idle_last_move(self) -> list[str] | None:
        """Instead of the move that ends the line Black plays one that threatens nothing."""

        def change(spot: Spot) -> bool:
            if spot.node.passed or spot.node.replies:
                return False
            spot.board.put(BLACK, spot.node.move, -1)
            cell = self._empty(spot, besides={spot.node.move})
            idle = not spot.board.makes_row(BLACK, cell)
            spot.board.put(BLACK, cell, 1)
            spot.node.move = cell
            return idle and not spot.board.winning_cells(BLACK)

        return self._changed(change)

    def cut_short(self) -> list[str] | None:
        """The line ends at a move that does not win yet."""

        def change(spot: Spot) -> bool:
            good = bool(spot.node.replies) and len(spot.board.winning_cells(BLACK)) < 2
            spot.node.passed, spot.node.replies = None, {}
            return good

        return self._changed(change)

    # mistakes in the file

    def wrong_symmetry(self) -> list[str] | None:
        """A line is turned or mirrored where its position is not."""
        number = self.rng.choice([*self.stones])
        image = self.rng.choice(self.board.images[1:])
        for stones in self.stones[number]:
            if sum(1 << image[cell] for cell in bits(stones)) != stones:
                return self._with_line(number, lambda cell: image[cell])
        return None

    def over_the_edge(self) -> list[str] | None:
        """All cells of a line are moved, and one leaves the board."""
        number, width = self.rng.choice([*self.stones]), self.board.width
        cells = {self.board.cell(token) for token in Line(self._text(number), self.board).tokens if token[0].isalpha()}
        step = width - max(cell % width for cell in cells)
        letters = {name: f"{chr(ord(name[0]) + step)}{name[1:]}" for name in map(self.board.name, cells)}
        return self._replaced(number, "".join(letters.get(t, t) for t in Line(self._text(number), self.board).tokens))

    def other_position(self) -> list[str] | None:
        """Two lines change places: each stands for the position of the other."""
        if len(self.stones) < 2:
            return None
        one, two = self.rng.sample([*self.stones], 2)
        if self._text(one) == self._text(two):
            return None
        lines = self._replaced(one, self._text(two))
        lines[two - 1] = self._text(one)
        return lines

    def line_left_out(self) -> list[str] | None:
        """A position has no line."""
        number = self.rng.choice([*self.stones])
        return self.lines[: number - 1] + self.lines[number:]

    def cut_off(self) -> list[str] | None:
        """A line stops in the middle."""
        number = self.rng.choice([*self.stones])
        text = self._text(number)
        if len(text) < 4:
            return None
        return self._replaced(number, text[: self.rng.randrange(1, len(text) - 1)].rstrip("0123456789)"))

    def _text(self, number: int) -> str:
        return self.lines[number - 1].rstrip("\n")

    def _replaced(self, number: int, text: str) -> list[str]:
        return [*self.lines[: number - 1], text, *self.lines[number:]]

    def _with_line(self, number: int, image: object) -> list[str]:
        tokens = Line(self._text(number), self.board).tokens
        moved = (self.board.name(image(self.board.cell(t))) if t[0].isalpha() else t for t in tokens)  # type: ignore[operator]
        return self._replaced(number, "".join(moved))

    def _is_four(self, spot: Spot) -> bool:
        return len(spot.board.winning_cells(BLACK)) == 1 == len(spot.node.replies) and spot.node.passed is None

    def _empty(self, spot: Spot, besides: set[int]) -> int:
        return self.rng.choice([cell for cell in bits(spot.board.empty()) if cell not in besides])

    def _changed(self, change: object) -> list[str] | None:
        spot = self.rng.choice([*self._spots(self.rng.choice([*self.stones]))])
        return self._replaced(spot.line, text_of(spot.root)) if change(spot) else None  # type: ignore[operator]

    def _spots(self, number: int) -> Iterator[Spot]:
        """All nodes of a line, each a tree of its own."""
        whole = text_of(Line(self._text(number), self.board).root)
        size = self.board.width, self.board.height, self.board.length, self.board.exact
        count = len([t for t in Line(whole, self.board).found])
        for wanted in self.rng.sample(range(count), min(3, count)):
            line, board = Line(whole, self.board), Board(*size)
            for color in (BLACK, WHITE):
                for cell in bits(self.stones[number][color]):
                    board.put(color, cell, 1)
            target = line.found[wanted]
            assert target is not None
            _play_to(board, line.root, target)
            yield Spot(number, line.root, target, board)


def _play_to(board: Board, node: Node, target: Node) -> bool:
    """Put the stones up to and with the target's move on the board; whether it is below the node."""
    if not board.empty() >> node.move & 1:
        return False
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
