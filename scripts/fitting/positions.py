"""The positions of recorded games, as arrays that the training kernels read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from wuzi.core import Position, Rules
from wuzi.core.classes import CellClass
from wuzi.core.kernels import to_point
from wuzi.tactics.classes import tables
from wuzi.tactics.kernels import patterns_from_state
from wuzi.tactics.layout import PATTERNS

PROVED = 30_000
"""Scores are stored clipped to this; one so large is a proved result."""

FIVE, OPEN_FOUR = int(CellClass.FIVE), int(CellClass.OPEN_FOUR)


@dataclass(frozen=True)
class Positions:
    """Positions at which the search would ask for a static value, seen by the side to move.

    Attributes:
        points: int64, the moves of all games one after the other, as points of the padded board.
        first: int64 [n], where a position's game begins in ``points``; ply: stones on the board.
        score: float32 [n], the search's, for the side to move. result: 1 won, 0.5 drawn, 0 lost.
        game: int32 [n], the number of the game.
    """

    points: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]
    ply: npt.NDArray[np.int64]
    score: npt.NDArray[np.float32]
    result: npt.NDArray[np.float32]
    game: npt.NDArray[np.int32]


def board(rules: Rules) -> tuple[Any, Any, Any]:
    """Empty state, patterns and tables for :func:`set_up`."""
    return Position(rules).state(), np.zeros(1, PATTERNS)[0], tables(rules.rule, rules.win_length)


@numba.njit(nogil=True)
def set_up(state: Any, patterns: Any, table: Any, points: Any, first: int, ply: int) -> None:
    """Put the first ``ply`` moves of a game on the board in place of what stands there."""
    for i in range(state.ply):
        state.cells[state.history[i]] = 0
    for i in range(ply):
        point = points[first + i]
        state.cells[point] = 1 + i % 2
        state.history[i] = point
    state.ply = ply
    state.side = 1 + ply % 2
    patterns_from_state(state, patterns, table)


@numba.njit(nogil=True)
def _quiet(state: Any, patterns: Any, table: Any, points: Any, first: Any, ply: Any) -> Any:
    keep = np.zeros(len(ply), np.bool_)
    for i in range(len(ply)):
        set_up(state, patterns, table, points, first[i], ply[i])
        own, foe = patterns.counts[state.side - 1], patterns.counts[2 - state.side]
        keep[i] = own[FIVE] == 0 and foe[FIVE] == 0 and own[OPEN_FOUR] == 0
    return keep


def load(rules: Rules, paths: list[Path]) -> Positions:
    """All usable positions of files of games on boards of one size."""
    parts: dict[str, list[Any]] = {n: [] for n in ("points", "first", "ply", "score", "result", "game")}
    moves_before, games_before = 0, 0
    for path in paths:
        with np.load(path, allow_pickle=False) as data:
            if int(data["size"]) != rules.size:
                raise ValueError(f"{path}: games of size {data['size']}: expected {rules.size}")
            columns = {name: data[name] for name in data.files}
        lengths = columns["lengths"].astype(np.int64)
        begin = np.cumsum(lengths) - lengths
        game = np.repeat(np.arange(len(lengths)), lengths)
        ply = np.arange(len(game)) - begin[game]
        keep = ply >= columns["starts"][game]
        black = columns["results"][game]
        parts["points"].append([to_point(int(cell), rules.size) for cell in columns["moves"]])
        parts["first"].append(begin[game][keep] + moves_before)
        parts["ply"].append(ply[keep])
        parts["score"].append(columns["scores"][keep].astype(np.float32))
        parts["result"].append(np.where(ply % 2 == 0, black, 1 - black)[keep].astype(np.float32))
        parts["game"].append((game[keep] + games_before).astype(np.int32))
        moves_before += len(game)
        games_before += len(lengths)
    joined = {name: np.concatenate(columns) for name, columns in parts.items()}
    joined["points"] = joined["points"].astype(np.int64)
    keep = _quiet(*board(rules), joined["points"], joined["first"], joined["ply"])
    points = joined.pop("points")
    return Positions(points=points, **{name: column[keep] for name, column in joined.items()})
