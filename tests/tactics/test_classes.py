"""Cell classes: every combination of four lines against the twin, and drawn examples."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests import naive
from tests.core.boards import drawn
from wuzi.core import Color, Rule, Rules
from wuzi.core.classes import CellClass, LineClass
from wuzi.core.lines import line_table, radius
from wuzi.errors import UnsupportedError
from wuzi.tactics.classes import cell_table, tables


@pytest.mark.parametrize("color", list(Color))
@pytest.mark.parametrize("rule", list(Rule))
def test_all_combinations_agree_with_the_twin(rule: Rule, color: Color) -> None:
    table = cell_table(rule, color)
    rules = Rules(rule=rule)
    kinds = [
        kind for kind in LineClass if kind is not LineClass.DOUBLE_FOUR or naive.foul_counts(rules, color)
    ]
    for lines in itertools.combinations_with_replacement(kinds, 4):
        expected = naive.cell_class(rules, color, lines)
        codes = {a | b << 4 | c << 8 | d << 12 for a, b, c, d in itertools.permutations(map(int, lines))}
        assert {int(table[code]) for code in codes} == {int(expected)}, lines


# What a black stone on `*` makes under freestyle; the rows of a 9x9 board down to its middle one.
EXAMPLES = {
    "FIVE": "XXXX*....",
    "OPEN_FOUR": "..XXX*...",
    "OPEN_FOUR, two fours": "....O.... ....X.... ....X.... ....X.... OXXX*....",
    "OPEN_FOUR, on one line": ".X.X*X.X.",
    "FOUR_THREE": "....X.... ....X.... OXXX*....",
    "FOUR_PLUS": "....X.... OXXX*....",
    "FOUR": "OXXX*....",
    "DOUBLE_THREE": "....X.... ....X.... ..XX*....",
    "THREE_PLUS": "....X.... ..XX*....",
    "THREE": "..XX*....",
    "CLOSED_THREE_PLUS": "....X.... .OXX*....",
    "DOUBLE_TWO": "....X.... ...X*....",
    "CLOSED_THREE": ".OXX*....",
    "TWO": "...X*....",
    "NONE": "....*....",
}


def board(text: str) -> tuple[int, list[int], int]:
    rows, empty = text.split(), "." * 9
    rows = [empty] * (5 - len(rows)) + rows + [empty] * 4
    size, stones, marks = drawn("\n".join(" ".join(row) for row in rows))
    (cell,) = marks
    return size, stones, cell


def plain(name: str) -> str:
    return name.partition(",")[0]


@pytest.mark.parametrize(("name", "text"), EXAMPLES.items(), ids=EXAMPLES)
def test_drawn_examples(name: str, text: str) -> None:
    size, stones, cell = board(text)
    assert class_at(Rules(size=size), stones, cell, Color.BLACK).name == plain(name)


def class_at(rules: Rules, stones: list[int], cell: int, color: Color) -> CellClass:
    """By the generated tables, the windows read off the board as text."""
    table, code, reach = line_table(rules.rule, rules.win_length), 0, radius(rules)
    for direction, way in enumerate(naive.WAYS):
        window = naive.window_at(rules, stones, cell, way, color, reach)
        codes = [{".": 0, "x": int(color), "o": 3 - int(color), "#": 3}[letter] for letter in window]
        del codes[reach]
        entry = int(table[sum(c << 2 * i for i, c in enumerate(codes))])
        code |= (entry & 15 if color is Color.BLACK else entry >> 4) << 4 * direction
    return CellClass(int(cell_table(rules.rule, color)[code]))


@pytest.mark.parametrize(
    ("name", "renju"),
    [
        ("FIVE", "FIVE"),
        ("OPEN_FOUR", "OPEN_FOUR"),
        ("OPEN_FOUR, two fours", "FORBIDDEN"),
        ("OPEN_FOUR, on one line", "FORBIDDEN"),
        ("FOUR_THREE", "FOUR_THREE"),
        ("DOUBLE_THREE", "FORBIDDEN"),
        ("THREE_PLUS", "THREE_PLUS"),
    ],
)
def test_the_same_examples_in_renju(name: str, renju: str) -> None:
    size, stones, cell = board(EXAMPLES[name])
    rules = Rules(size=size, rule=Rule.RENJU)
    assert class_at(rules, stones, cell, Color.BLACK).name == renju
    swapped = [(0, 2, 1)[stone] for stone in stones]
    assert class_at(rules, swapped, cell, Color.WHITE).name == plain(name), "White may"


def test_classes_are_in_order_of_strength() -> None:
    assert [kind.name for kind in sorted(CellClass)] == [
        "NONE", "FORBIDDEN", "TWO", "CLOSED_THREE", "DOUBLE_TWO", "CLOSED_THREE_PLUS", "THREE", "THREE_PLUS",
        "DOUBLE_THREE", "FOUR", "FOUR_PLUS", "FOUR_THREE", "OPEN_FOUR", "FIVE",
    ]  # fmt: skip


@pytest.mark.parametrize("rule", list(Rule))
def test_the_record_of_tables(rule: Rule) -> None:
    record = tables(rule, 5)
    assert record is tables(rule, 5)
    assert record["radius"] == radius(Rules(rule=rule))
    line = line_table(rule, 5)
    assert np.array_equal(record["line"][: len(line)], line)
    for color in Color:
        assert np.array_equal(record["cell"][color - 1], cell_table(rule, color))


def test_what_has_no_tables() -> None:
    with pytest.raises(UnsupportedError, match="6 in a row: made for 4 and 5 only"):
        tables(Rule.FREESTYLE, 6)
    with pytest.raises(ValueError, match="read-only"):
        cell_table(Rule.FREESTYLE, Color.BLACK)[0] = 1
