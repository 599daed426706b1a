"""A position that resists, by parts: each of Black's best moves against every reply by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wuzi.search.proof.solver import Candidates, Prover

DEEP = 3
"""How wide to look for the moves of a split: few, by a deep search."""
_LEAST_VALUE = 0.15
"""The least value of such a move."""
_ALONE_S, _TOGETHER_S = 2.0, 12.0
"""Seconds for a position itself, and for a move all of whose replies are proved."""
_MOST, _DEEPEST = 12, 10
"""A move is left when more of its replies stand, and so often a line is split."""
_ROUNDS, _GUIDED_ROUNDS = ((3.0, _MOST),), ((3.0, 1000), (25.0, _MOST))
"""Seconds for each reply that still stands, and how many may; a guide's move gets a second round."""
Settle = Callable[[Sequence[str], float], bool]
"""Searches the position after moves for so many seconds; whether it is proved."""


def split(prover: Prover, choose: Candidates, settle: Settle, moves: tuple[str, ...], depth: int = 0) -> bool:
    """Whether the position after these moves is proved by its parts.

    The moves of Black are those of the guide and of a deep search. Replies that stand are split in turn,
    those of the move with the fewest first.
    """
    if settle(moves, _ALONE_S) or depth > _DEEPEST:
        return settle(moves, 0)
    boards, tried = prover.boards, list[tuple[list[tuple[str, ...]], int]]()
    stones = boards.after(moves)
    guided = prover.guided(stones)
    deep = [cell for cell, value in choose(stones, DEEP) if value > _LEAST_VALUE and cell != guided]
    for move in deep if guided is None else (guided, *deep):
        rounds = _GUIDED_ROUNDS if move == guided else _ROUNDS
        standing = _standing(prover, settle, (*moves, boards.names[move]), rounds)
        if len(standing) <= _MOST:
            tried.append((standing, move))
        if not standing:
            break
    for standing, move in sorted(tried, key=lambda one: len(one[0])):
        if all(split(prover, choose, settle, reply, depth + 1) for reply in standing):
            prover.prefer(stones, move)
            return settle(moves, _TOGETHER_S)
    return False


def _standing(
    prover: Prover, settle: Settle, moves: tuple[str, ...], rounds: Sequence[tuple[float, int]]
) -> list[tuple[str, ...]]:
    """The replies to Black's last move that are not proved in a short time; no more than are of use."""
    boards = prover.boards
    stones = boards.after(moves)
    empty = boards.all & ~(stones[0] | stones[1])
    left = [(*moves, boards.names[cell]) for cell in boards.replies(stones, empty)]
    for seconds, most in rounds:
        found = list[tuple[str, ...]]()
        for reply in left:
            if not settle(reply, seconds):
                found.append(reply)
            if len(found) > most:
                break
        left = found
    return left
