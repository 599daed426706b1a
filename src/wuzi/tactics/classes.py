"""Cell classes: what a stone on an empty cell would make on all four lines together."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from wuzi.core.classes import CellClass, LineClass
from wuzi.core.layout import PAD, STRIDE
from wuzi.core.lines import line_table, radius
from wuzi.core.position import Position
from wuzi.core.rules import Rule, Rules
from wuzi.core.types import Color
from wuzi.tactics.layout import PATTERNS, TABLES


@cache
def cell_table(rule: Rule, color: Color) -> npt.NDArray[np.uint8]:
    """uint8 [65536], read-only: cell class by the four line classes, four bits each, in any order."""
    codes = np.arange(1 << 16)
    lines = np.stack([(codes >> (4 * d)) & 15 for d in range(4)])

    def count(*kinds: LineClass) -> npt.NDArray[np.int64]:
        return np.asarray(np.isin(lines, kinds).sum(axis=0))

    c, k = LineClass, CellClass
    fives, open_fours, fours = count(c.FIVE), count(c.OPEN_FOUR), count(c.FOUR)
    threes = count(c.OPEN_THREE, c.OPEN_THREE_S)
    twos, closed_threes = count(c.OPEN_TWO, c.OPEN_TWO_A, c.OPEN_TWO_B), count(c.CLOSED_THREE)
    in_order = [
        (fives > 0, k.FIVE),
        ((open_fours > 0) | (fours + count(c.DOUBLE_FOUR) * 2 >= 2), k.OPEN_FOUR),
        ((fours == 1) & (threes > 0), k.FOUR_THREE),
        ((fours == 1) & (twos + closed_threes > 0), k.FOUR_PLUS),
        (fours == 1, k.FOUR),
        (threes >= 2, k.DOUBLE_THREE),
        ((threes == 1) & (twos + closed_threes > 0), k.THREE_PLUS),
        (threes == 1, k.THREE),
        ((closed_threes > 0) & (twos + closed_threes > 1), k.CLOSED_THREE_PLUS),
        (twos >= 2, k.DOUBLE_TWO),
        (closed_threes > 0, k.CLOSED_THREE),
        (twos > 0, k.TWO),
    ]
    if rule.forbids and color is Color.BLACK:
        foul = (count(c.OVERLINE, c.DOUBLE_FOUR) > 0) | (open_fours + fours >= 2) | (threes >= 2)
        in_order.insert(1, (foul, k.FORBIDDEN))
    tests, kinds = zip(*in_order, strict=True)
    table = np.asarray(np.select(tests, kinds, k.NONE), np.uint8)
    table.flags.writeable = False
    return table


@cache
def tables(rule: Rule, win_length: int) -> Any:
    """The read-mostly record (:data:`wuzi.tactics.layout.TABLES`) that pattern kernels take.

    Raises:
        UnsupportedError: a win length other than 4 and 5.
    """
    record = np.zeros(1, TABLES)[0]
    line = line_table(rule, win_length)
    record["line"][: len(line)] = line
    for color in Color:
        record["cell"][color - 1] = cell_table(rule, color)
    record["radius"] = radius(Rules(size=15, win_length=win_length, rule=rule))
    return record


def cell_classes(position: Position) -> npt.NDArray[np.uint8]:
    """uint8 [2, cells]: what a stone of Black (row 0) and of White (row 1) on each cell would make.

    Occupied cells have NONE. Win lengths 4 and 5.

    Raises:
        UnsupportedError: another win length.
    """
    from wuzi.tactics.kernels import patterns_from_state

    size = position.rules.size
    state, patterns = position.state(), np.zeros(1, PATTERNS)[0]
    patterns_from_state(state, patterns, tables(position.rules.rule, position.rules.win_length))
    rows, columns = np.divmod(np.arange(size * size), size)
    classes: npt.NDArray[np.uint8] = patterns["classes"][:, (rows + PAD) * STRIDE + columns + PAD]
    return np.where(position.cells == 0, classes, np.uint8(CellClass.NONE))
