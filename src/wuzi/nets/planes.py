"""Feature planes: what nets see of a position. Versioned; a name never changes its meaning.

Planes are float32 [B, C, N, N] in the board's own orientation: row 0 at the top, cell ``row * N +
column``. "Own" is the side to move. All encoders commute with the eight symmetries of the board.

==================  ==  ==============================================================================
name                 C  planes
==================  ==  ==============================================================================
``az4-v1``           4  0 own stones, 1 opponent's stones, 2 the last stone, 3 ones when the number of
                        stones is even (the first player is to move), else zeros. The planes of the
                        AlphaZero_Gomoku family (documents 000, 001, 003). Its plane row 0 is the top row
                        too; only its policy index counts rows from the bottom, which
                        :mod:`wuzi.nets.legacy` turns round in the weights.
``res3-v1``          3  0 own stones, 1 opponent's stones, 2 empty cells (document 004).
``history11-v1``    11  0 own stones, 1 opponent's stones, 2 empty cells, 3 to 10 the last eight stones, one
                        a plane, the latest first (document 002: the move sequence).
``board7-v1``        7  0 own, 1 opponent's stones, 2 the last stone, 3 the one before; on all cells 4 one
                        when Black is to move, 5 the rule's number, 6 the win length. All that the
                        engine's codebook net has to know.
``tactical18-v1``   18  0 own, 1 opponent's stones, 2 ones (the board), 3 ones when Black is to move;
                        where one own stone makes 4 a winning row, 5 an open four or two fours, 6 one
                        four, 7 an open three or two; 8 to 11 the same for the opponent; 12 points
                        forbidden to the side to move, 13 to the opponent (renju); ones where 14 an own
                        overline wins nothing, 15 an opponent's overline wins nothing, 16 rows blocked at
                        both ends do not win (caro), 17 four in a row win. Win lengths 4 and 5.
==================  ==  ==============================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.core import Game, Position, Rules, rule_kernels
from wuzi.core.layout import STATE
from wuzi.core.lines import WIN_LENGTHS, check_supported
from wuzi.errors import ConfigError, UnsupportedError
from wuzi.nets import planes_kernels
from wuzi.nets.evaluator import Floats
from wuzi.tactics.classes import tables

Records = npt.NDArray[Any]
"""An array [B] of :data:`wuzi.core.layout.STATE` records."""

NUM_PATTERNS = 6
"""Columns of :func:`run_counts`: own open fours, closed fours, open threes, then the opponent's."""


@dataclass(frozen=True, slots=True)
class PlaneSet:
    """A named set of feature planes."""

    name: str  # name and version
    names: tuple[str, ...]  # what each plane is, in order
    win_lengths: tuple[int, ...] | None = None  # the win lengths it is made for; None for all
    from_patterns: bool = False  # whether a search that keeps patterns can write the planes from them

    @property
    def channels(self) -> int:
        """How many planes there are."""
        return len(self.names)


_THREATS = ("five", "open four", "four", "three")
_SETS = (
    PlaneSet("az4-v1", ("own", "opponent", "last stone", "even number of stones")),
    PlaneSet("res3-v1", ("own", "opponent", "empty")),
    PlaneSet("history11-v1", ("own", "opponent", "empty", *(f"stone {n} plies ago" for n in range(1, 9)))),
    PlaneSet(
        "board7-v1",
        ("own", "opponent", "last stone", "stone before it", "black to move", "rule", "win length"),
    ),
    PlaneSet(
        "tactical18-v1",
        (
            *("own", "opponent", "board", "black to move"),
            *(f"own {threat}" for threat in _THREATS),
            *(f"opponent {threat}" for threat in _THREATS),
            *("own forbidden", "opponent forbidden", "own overline wins nothing"),
            *("opponent's overline wins nothing", "blocked rows do not win", "four in a row"),
        ),
        WIN_LENGTHS,
        from_patterns=True,
    ),
)
PLANE_SETS = {item.name: item for item in _SETS}


def plane_set(name: str) -> PlaneSet:
    """The set of that name; a ConfigError that lists the names if there is none."""
    if name not in PLANE_SETS:
        raise ConfigError(f"unknown feature planes {name!r}: expected one of {', '.join(PLANE_SETS)}")
    return PLANE_SETS[name]


class PlaneEncoder:
    """Encodes board records of one set of rules as feature planes."""

    def __init__(self, name: str, rules: Rules) -> None:
        """Choose; a ConfigError for unknown planes, an UnsupportedError for win lengths they are not for."""
        self.planes = plane_set(name)
        self.rules = rules
        if self.planes.win_lengths is not None and rules.win_length not in self.planes.win_lengths:
            known = " and ".join(map(str, self.planes.win_lengths))
            raise UnsupportedError(f"planes {name} for {rules.win_length} in a row: made for {known}")
        self._tables = tables(rules.rule, rules.win_length) if self.planes.from_patterns else None

    def shape(self, batch: int) -> tuple[int, int, int, int]:
        """The shape of the planes of so many records."""
        return batch, self.planes.channels, self.rules.size, self.rules.size

    def encode(self, states: Records, out: Floats | None = None) -> Floats:
        """The planes of contiguous records [B], float32 [B, C, N, N], into ``out`` if given (contiguous)."""
        if out is None:
            out = np.empty(self.shape(len(states)), np.float32)
        flat = out.reshape(*out.shape[:2], -1)
        if self._tables is not None:
            planes_kernels.tactical18_planes(states, self._tables, flat)
        else:
            getattr(planes_kernels, f"{self.planes.name.partition('-')[0]}_planes")(states, flat)
        return out


def records_of(positions: Sequence[Position | Game]) -> Records:
    """Kernel records [B]: of games with their whole history, of positions with their last stone."""
    records = np.zeros(len(positions), STATE)
    for i, item in enumerate(positions):
        records[i] = _record(item)
    return records


def _record(item: Position | Game) -> Any:
    if isinstance(item, Position):
        state = item.state()
        if item.last_move is not None:
            state["history"][item.ply - 1] = rule_kernels.to_point(int(item.last_move), item.rules.size)
        return state
    state = _record(item.start)
    for move in item.moves:
        rule_kernels.push(state, rule_kernels.to_point(int(move), item.rules.size))
    return state


def class_maps(states: Records, rules: Rules) -> npt.NDArray[np.uint8]:
    """uint8 [B, 2, N, N]: the cell class of each empty cell for the side to move and for its opponent.

    255 on stones. The target of the per-cell form of the pattern head. An UnsupportedError for a
    win length other than 4 and 5.
    """
    check_supported(rules)
    out = np.empty((len(states), 2, rules.size, rules.size), np.uint8)
    planes_kernels.class_maps(states, tables(rules.rule, rules.win_length), out)
    return out


def run_counts(states: Records) -> Floats:
    """float32 [B, 6]: open fours, closed fours and open threes on the board, own and then the opponent's.

    The six features of document 000, section 7.2: unbroken runs by their length and open ends.
    """
    out = np.empty((len(states), NUM_PATTERNS), np.float32)
    planes_kernels.run_counts(states, out)
    return out
