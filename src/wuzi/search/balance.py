"""Moves after which both sides stand alike: for swap openings, and for people who set up positions."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from wuzi.contract import Limit, Stop
from wuzi.core.notation import Move
from wuzi.core.position import Position
from wuzi.errors import ConfigError

Evaluate = Callable[[Position, Limit], float]
"""The value of a position for its side to move, -1 to 1, found within a limit."""

GLANCED, GLANCE_NODES = 60, 400
"""Choices that are looked at in a glance, and the positions of one."""
STUDIED, STUDY_NODES = 10, 20_000
"""The most promising of them, which share the time; the positions of each without a limit."""
LEAST_S = 0.001
"""A share of the time is no shorter."""
REACH = 3
"""Cells that a move lies from a stone at most."""
_GLANCE = Limit(nodes=GLANCE_NODES)


def nearest_to(
    choices: Sequence[tuple[Position, tuple[Move, ...]]],
    target: float,
    evaluate: Evaluate,
    limit: Limit,
    *,
    stop: Stop | None = None,
) -> list[tuple[Move, ...]]:
    """The choices ordered by how near their value is to ``target``: first a glance, then a study of the best.

    A choice is a position with the moves that led to it; the value is that of its side to move. The limit is
    for all of them together; at a stop request what is known is the answer.
    """
    start = time.perf_counter()
    # The first term puts what was studied before what was only glanced at.
    known = [(1, abs(evaluate(position, _GLANCE) - target), i) for i, (position, _) in enumerate(choices)]
    for rank, (_, _, i) in enumerate(sorted(known)[:STUDIED]):
        if stop is not None and stop.is_set:
            break
        left = _part(limit, time.perf_counter() - start, min(STUDIED, len(choices)) - rank)
        known[i] = (0, abs(evaluate(choices[i][0], left) - target), i)
    return [choices[i][1] for _, _, i in sorted(known)]


def _part(limit: Limit, spent_s: float, sharers: int) -> Limit:
    """What one of ``sharers`` gets of the limit's time; each has the whole of a limit in nodes."""
    if limit.time_s is None:
        return replace(limit, nodes=limit.nodes or STUDY_NODES)
    return replace(limit, time_s=max(LEAST_S, (limit.time_s - spent_s) / sharers))


def balanced_moves(
    position: Position,
    count: int,
    evaluate: Evaluate,
    limit: Limit = Limit(),
    *,
    target: float = 0.0,
    excluded: frozenset[int] = frozenset(),
    stop: Stop | None = None,
) -> tuple[Move, ...]:
    """One or two moves (``count``), both sides in turn, after which the side now to move has this value.

    The limit is for all of it; ``excluded`` cells stay empty. A ConfigError where no such moves leave the
    game undecided.
    """
    choices = _choices(position, count, excluded)
    if not choices:
        raise ConfigError(f"no {count} free cells near the stones leave the game undecided")
    wanted = -target if count == 1 else target
    return nearest_to(choices, wanted, evaluate, limit, stop=stop)[0]


def _choices(
    position: Position, count: int, excluded: frozenset[int]
) -> list[tuple[Position, tuple[Move, ...]]]:
    """Positions to look at, always the same ones for the same position."""
    rng = random.Random(int(position.key))
    cells = [move for move in _near_cells(position) if move not in excluded]
    picked: list[tuple[Move, ...]] = []
    if count == 1:
        picked += [(move,) for move in rng.sample(cells, min(len(cells), GLANCED))]
    elif len(cells) > 1:
        pairs = [tuple(rng.sample(cells, 2)) for _ in range(2 * GLANCED)]
        picked += list(dict.fromkeys(pairs))[:GLANCED]
    after = ((_played(position, moves), moves) for moves in picked)
    return [(end, moves) for end, moves in after if end.outcome is None]


def _played(position: Position, moves: tuple[Move, ...]) -> Position:
    for move in moves:
        position = position if position.outcome else position.play(move)
    return position


def _near_cells(position: Position) -> list[Move]:
    """Empty cells near a stone; on an empty board those near the centre."""
    size = position.rules.size
    stones = [divmod(cell, size) for cell in range(size * size) if position.cells[cell]]
    stones = stones or [(size // 2, size // 2)]
    return [
        move
        for move in position.legal_moves
        if any(max(abs(move // size - y), abs(move % size - x)) <= REACH for y, x in stones)
    ]
