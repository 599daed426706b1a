"""Proofs of a forced win: a move, and an answer to every reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from wuzi.core import rule_kernels
from wuzi.core.layout import MAX_CELLS
from wuzi.core.notation import Move
from wuzi.core.position import Position
from wuzi.core.types import Color
from wuzi.tactics import checker_kernels, line_kernels


@dataclass(frozen=True)
class Attack:
    """An attacking move and what follows.

    Attributes:
        move: the attacker's stone.
        follow: cells that punish every reply not in ``replies``: one of them makes the winning row, or
            two cells for it at once.
        replies: the replies that need more, each with the attack that answers it.
    """

    move: Move
    follow: tuple[Move, ...] = ()
    replies: Mapping[Move, Attack] = field(default_factory=dict)

    @cached_property
    def plies(self) -> int:
        """Moves of the longest line of the proof, both sides, up to the one that settles it."""
        return 1 + max((1 + attack.plies for attack in self.replies.values()), default=0)

    def count(self) -> int:
        """How many different attacks the proof holds."""
        seen: set[int] = set()
        todo = [self]
        while todo:
            attack = todo.pop()
            if id(attack) not in seen:
                seen.add(id(attack))
                todo.extend(attack.replies.values())
        return len(seen)

    def main_line(self) -> tuple[Move, ...]:
        """Both sides' moves against the reply that holds out longest."""
        moves = [self.move]
        attack = self
        while attack.replies:
            reply, attack = max(attack.replies.items(), key=lambda item: item[1].plies)
            moves += [reply, attack.move]
        return tuple(moves)


def points_to_win(position: Position, color: Color) -> list[Move]:
    """Cells where a stone of ``color`` would make a winning row, by the rules alone."""
    out, size = np.empty(MAX_CELLS, np.int64), position.rules.size
    count = int(checker_kernels.winning_points(position.state(), int(color), out))
    return [Move(rule_kernels.to_cell(int(point), size), size) for point in out[:count]]


def proof_by_fours(position: Position, line: Sequence[Move]) -> Attack:
    """The proof that a line of fours makes (both sides' moves, an attack last).

    Every reply but the one in the line lets the row be made.
    """
    follows: list[tuple[Move, ...]] = []
    attacker = position.to_move
    for ply, move in enumerate(line):
        position = position.play(move)
        if ply % 2 == 0:
            follows.append(tuple(points_to_win(position, attacker)))
    return chained(line, follows)


def chained(line: Sequence[Move], follows: Sequence[tuple[Move, ...]]) -> Attack:
    """The proof of a line of fours and of what punishes all other replies to each of them."""
    proof = Attack(line[-1], follows[-1])
    for i in range(len(line) - 3, -1, -2):
        proof = Attack(line[i], follows[i // 2], {line[i + 1]: proof})
    return proof


def completed(position: Position, line: Sequence[Move], follow: Sequence[Move] = ()) -> tuple[Move, ...]:
    """A winning line made longer until it ends with the winning row, or with two cells for one.

    See the kernel :func:`wuzi.tactics.line_kernels.complete_line`.
    """
    size = position.rules.size
    points, follows, useful, scratch = np.zeros((4, MAX_CELLS), np.int64)
    for cells, out in ((line, points), (follow, follows)):
        out[: len(cells)] = [rule_kernels.to_point(int(cell), size) for cell in cells]
    args = (points, len(line), follows, len(follow), useful, scratch)
    length = int(line_kernels.complete_line(position.state(), *args))
    return tuple(Move(rule_kernels.to_cell(int(point), size), size) for point in points[:length])
