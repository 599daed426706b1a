"""Line classes: what a stone means on one line, generated from a recursive definition.

The class of a *window* (the cells up to ``radius`` away on both sides of a centre stone) is defined
by what one more stone can make of it, down from the five: a four is one stone short of a five, an
open four has two such points, an open three can become an open four, and so on. Nothing is typed in
by hand; broken shapes (``X_XX``, ``X_XXX``) and rows of four or five stones need no special case.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from wuzi.core.classes import LineClass
from wuzi.core.rules import Rule, Rules
from wuzi.core.types import Color, Stone
from wuzi.errors import UnsupportedError

WIN_LENGTHS = (4, 5)
"""The win lengths that line classes are made for."""


def radius(rules: Rules) -> int:
    """How far a window reaches: win_length - 1, and one more where an overline is not a win."""
    return rules.win_length if rules.rule.exact or rules.rule.blockable else rules.win_length - 1


def check_supported(rules: Rules) -> None:
    """Raise UnsupportedError where there are no line classes (win lengths other than 4 and 5)."""
    if rules.win_length not in WIN_LENGTHS:
        raise UnsupportedError(f"line classes for {rules.win_length} in a row: made for 4 and 5 only")


@cache
def line_table(rule: Rule, win_length: int) -> npt.NDArray[np.uint8]:
    """uint8 [4 ** (2 * radius)], read-only: classes of both colours by window key.

    A key has two bits a cell (values of Stone), the farthest cell before the centre in the lowest
    bits. The low four bits of an entry are Black's class, the high four White's, each for a stone of
    that colour in the centre.
    """
    rules = Rules(size=15, win_length=win_length, rule=rule)
    check_supported(rules)
    black = _classes(rules, Color.BLACK)
    white = _classes(rules, Color.WHITE)
    table = (black | (white << 4)).astype(np.uint8)
    table.flags.writeable = False
    return table


def line_class(rules: Rules, window: str) -> LineClass:
    """The class of a black centre stone in a drawn window, for tests and teaching.

    Args:
        rules: which rule and win length.
        window: 2 * radius + 1 characters: ``x`` black, ``o`` white, ``#`` wall, ``.`` empty; the
            centre counts as black whatever is drawn.

    >>> line_class(Rules(), "...xxx...").name, line_class(Rules(), "..x.xxx..").name
    ('OPEN_THREE_S', 'FOUR')
    """
    reach = radius(rules)
    cells = window[:reach] + window[reach + 1 :]
    codes = [".xo#".index(c) for c in cells]
    key = sum(code << (2 * i) for i, code in enumerate(codes))
    return LineClass(int(line_table(rules.rule, rules.win_length)[key]) & 15)


def _classes(rules: Rules, color: Color) -> npt.NDArray[np.uint8]:
    """Classes of one colour for every key, by expansion of the smaller alphabet that decides them."""
    reach = radius(rules)
    walls_differ = rules.rule.blockable
    # Elsewhere a wall is as good as a stone of the opponent.
    wall = 3 if walls_differ else 2
    digits = {Stone.EMPTY: 0, Stone(color): 1, Stone(color.opponent): 2, Stone.WALL: wall}
    base = 4 if walls_differ else 3
    small = _classify_windows(rules, color, base, reach)
    keys = np.arange(4 ** (2 * reach))
    index = np.zeros(len(keys), np.int64)
    to_digit = np.array([digits[Stone(code)] for code in range(4)])
    for i in range(2 * reach):
        index += to_digit[(keys >> (2 * i)) & 3] * base**i
    return small[index]


def _classify_windows(rules: Rules, color: Color, base: int, reach: int) -> npt.NDArray[np.uint8]:
    """Classes of all windows over {empty 0, own 1, opponent 2, wall 3}, by levels of empty cells."""
    cells = 2 * reach
    index = np.arange(base**cells)
    digit = np.stack([(index // base**i) % base for i in range(cells)])
    classes = _finished(rules, color, digit, reach)
    empties = (digit == 0).sum(axis=0)
    for level in range(1, cells + 1):
        todo = np.flatnonzero((empties == level) & (classes == _OPEN))
        made = np.full((cells, len(todo)), LineClass.DEAD, np.uint8)
        for i in range(cells):
            free = digit[i, todo] == 0
            made[i, free] = classes[todo[free] + base**i]
        classes[todo] = _combine(made, _stretch(digit[:, todo] == 1, reach), rules, color)
    classes[classes == _OPEN] = LineClass.DEAD
    return classes


_OPEN = 255


def _stretch(inside: npt.NDArray[np.bool_], reach: int) -> npt.NDArray[np.int64]:
    """Length of the stretch around the centre of each window whose cells are all ``inside``."""
    length = np.ones(inside.shape[1], np.int64)
    for order in (range(reach - 1, -1, -1), range(reach, 2 * reach)):
        going = np.ones(inside.shape[1], np.bool_)
        for i in order:
            going &= inside[i]
            length += going
    return length


def _finished(rules: Rules, color: Color, digit: npt.NDArray[np.int64], reach: int) -> npt.NDArray[np.uint8]:
    """FIVE, OVERLINE and DEAD where the window decides them; _OPEN elsewhere."""
    k = rules.win_length
    run = _stretch(digit == 1, reach)
    classes = np.full(digit.shape[1], _OPEN, np.uint8)
    classes[run >= k] = LineClass.FIVE
    if rules.rule.is_exact(color):
        classes[run > k] = LineClass.OVERLINE
    if rules.rule.blockable:
        classes[(run == k) & _opponent_at_both_ends(digit, reach, k)] = LineClass.DEAD
    classes[(classes == _OPEN) & (_stretch(digit <= 1, reach) < k)] = LineClass.DEAD
    return classes


def _opponent_at_both_ends(digit: npt.NDArray[np.int64], reach: int, k: int) -> npt.NDArray[np.bool_]:
    """Where a stone of the opponent, not a wall, ends both sides of a run of ``k`` through the centre."""
    both = np.zeros(digit.shape[1], np.bool_)
    line = np.concatenate([digit[:reach], np.ones((1, digit.shape[1]), np.int64), digit[reach:]])
    for first in range(reach - k + 1, reach + 1):
        before, after = first - 1, first + k
        if before < 0 or after > 2 * reach:
            continue
        run = (line[first:after] == 1).all(axis=0)
        both |= run & (line[before] == 2) & (line[after] == 2)
    return both


def _combine(
    made: npt.NDArray[np.uint8], run: npt.NDArray[np.int64], rules: Rules, color: Color
) -> npt.NDArray[np.uint8]:
    """The class of windows from the classes [cells, windows] that one more own stone makes."""
    c = LineClass

    def count(*kinds: LineClass) -> npt.NDArray[np.int64]:
        return np.asarray(np.isin(made, kinds).sum(axis=0))

    fives, open_fours, open_threes = count(c.FIVE), count(c.OPEN_FOUR), count(c.OPEN_THREE, c.OPEN_THREE_S)
    rules_in_order = [
        (fives >= 2, c.OPEN_FOUR),
        (fives == 1, c.FOUR),
        (open_fours >= 2, c.OPEN_THREE_S),
        (open_fours == 1, c.OPEN_THREE),
        (count(c.FOUR) > 0, c.CLOSED_THREE),
        (open_threes >= 4, c.OPEN_TWO_B),
        (open_threes == 3, c.OPEN_TWO_A),
        (open_threes >= 1, c.OPEN_TWO),
        (count(c.CLOSED_THREE) > 0, c.CLOSED_TWO),
        (count(c.OPEN_TWO, c.OPEN_TWO_A, c.OPEN_TWO_B) > 0, c.OPEN_ONE),
        (count(c.CLOSED_TWO) > 0, c.CLOSED_ONE),
    ]
    if rules.rule.forbids and color is Color.BLACK:
        split = (fives >= 2) & (run != rules.win_length - 1)
        rules_in_order.insert(0, (split, c.DOUBLE_FOUR))
    tests, kinds = zip(*rules_in_order, strict=True)
    return np.asarray(np.select(tests, kinds, c.DEAD), np.uint8)
