"""Renju: drawn forbidden points. Every empty cell of a drawing is checked, marked or not."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

from tests import naive
from tests.core.boards import drawn, loaded, position_of
from wuzi.core import Color, ForbiddenKind, Outcome, Position, Reason, Rule, Rules, rule_kernels

pytestmark = pytest.mark.kernels

# l overline, f double four, t double three; `-` and `.` are free.
KINDS = {
    "l": ForbiddenKind.OVERLINE,
    "f": ForbiddenKind.DOUBLE_FOUR,
    "t": ForbiddenKind.DOUBLE_THREE,
    "-": ForbiddenKind.NONE,
}

DRAWINGS = {
    "two threes that cross": """
        . . . . . . . . .
        . . . . . . . . .
        . . . . X . . . .
        . . . . X . . . .
        . . X X t . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """,
    "two threes, one of them with a gap": """
        . . . . . . . . .
        . . . . . . . . .
        . . . . X . . . .
        . . . . X . . . .
        . X . X t . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """,
    "a three that White closed is none": """
        . . . . . . . . .
        . . . . . . . . .
        . . . . X . . . .
        . . . . X . . . .
        . O X X - . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """,
    "a three at the edge is none": """
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        X . . . . . . . .
        - X X . . . . . .
        X . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """,
    "room for five only is no three": """
        . . . . . . . . .
        . . . . . . . . .
        . . . . X . . . .
        . . . . X . . . .
        O . X X - . O . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """,
    "a four and a three together are free": """
        . . . . . . . . .
        . . . . . . . . .
        . . . . X . . . .
        . . . . X . . . .
        O X X X - . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """,
    "two fours that cross": """
        . . . . . . . . .
        . . . . X . . . .
        . . . . X . . . .
        . . . . X . . . .
        . X X X f . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """,
    "two closed fours that cross": """
        . . . . O . . . .
        . . . . X . . . .
        . . . . X . . . .
        . . . . X . . . .
        O X X X f . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """,
    "X_XXX_X on one line": """
        . . . . . . . . .
        . . . . . . . . .
        . X . X f X . X .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """,
    "XX_XX_XX on one line": """
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        X X . X f . X X .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """,
    "XXX_X_XXX on one line": """
        . . . . . . . . .
        . . . . . . . . .
        X X X . f . X X X
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """,
    "a straight four is one four": """
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . - X X X - . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """,
    "four that only six would end is none": """
        . . . . . . . . .
        . . . . X . . . .
        . . . . X . . . .
        . . . . X . . . .
        O X X X - . X . .
        . . . . O . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """,
    "overlines": """
        . . . . . . . . .
        . X X X l X X . .
        . . . . . . . . .
        X . . . . . . . .
        X . . . . . . . .
        X . . . . . . . .
        l . . . . . . . .
        X . . . . . . . .
        X . . . . . . . .
    """,
    "five beats the overline": """
        . . . . . . . . .
        . . . . X . . . .
        . . . t X . . . .
        . . t . X . . . .
        . X X X - X X . .
        . . . . X . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """,
    "five beats two fours": """
        . . . . . . . . .
        . X . t X t . X .
        . . X . X . X . .
        . . . X X X . . .
        . . . . - . . . .
        . . . . X . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """,
    "a three whose straight four would be a double four is none": """
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . X X . . . . .
        . . . - . . . . .
        X . X X . . . . .
        . . . . . X . . .
        . . . . . . . . .
    """,
    "a three whose straight four would be an overline is none": """
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . X X - t . . X
        . . . . . X . X .
        . . . . . . l . .
        . . . . . X . X .
        . . . . X . . . .
        . . . X . . . . .
    """,
    "a three whose straight four would be a double three is none": """
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . X . X . . .
        . . . X t - X . .
        . . . X . X . . .
        . . . . . . . . .
    """,
    "a three whose straight four would be five as well is none": """
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . X . . . . . . .
        . . - . . . . . . . .
        X X X - X . . . . . .
        . . . . X . . . . . .
        . . . . . X . . . . .
        . . . . . . . . . . .
    """,
    "two rounds: the double three behind the three is itself none, so the three counts": """
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . X . . X .
        . . . . X t . X .
        . . . . t . X . .
        . . . . . X . t .
        . . . . . X X . .
        . . . . . . X . .
    """,
    "two rounds: one three falls by a double three that stands": """
        . . . . . . . . .
        . . . . . . . . .
        . . . . t X . X .
        . . . . . X t X .
        . . X . . - X . .
        . . . . X t . . .
        . . . . . . X . .
        . . . . . . . X .
        . . . . . . . . .
    """,
}


@pytest.mark.parametrize("text", DRAWINGS.values(), ids=DRAWINGS)
def test_drawn_forbidden_points(text: str) -> None:
    size, stones, marks = drawn(text)
    position = position_of(text, Rule.RENJU)
    expected = {cell: KINDS[marks.get(cell, "-")] for cell, stone in enumerate(stones) if not stone}
    assert {cell: naive.forbidden_kind(size, stones, cell) for cell in expected} == expected
    assert {cell: position.forbidden_kind(cell) for cell in expected} == expected
    assert [bool(kind) for kind in expected.values()] == position.forbidden_mask()[list(expected)].tolist()
    for cell, kind in expected.items():
        if kind:
            assert position.play(cell).outcome == Outcome(Color.WHITE, Reason.FORBIDDEN)
            assert position.play(cell).winning_lines() == ()


@pytest.mark.parametrize("text", DRAWINGS.values(), ids=DRAWINGS)
def test_forbidden_points_are_free_for_white_and_without_renju(text: str) -> None:
    _, _, marks = drawn(text)
    white = position_of(text, Rule.RENJU, Color.WHITE)
    assert (white.forbidden_mask() == position_of(text, Rule.RENJU).forbidden_mask()).all(), "Black's view"
    for cell in marks:
        assert white.legal_mask()[cell]
        assert white.play(cell).outcome is None
        other = position_of(text, Rule.FREESTYLE)
        assert other.forbidden_kind(cell) is ForbiddenKind.NONE
        assert other.play(cell).outcome in (None, Outcome(Color.BLACK, Reason.LINE))


@pytest.mark.parametrize("name", ["five beats the overline", "five beats two fours"])
def test_five_at_a_point_that_would_be_forbidden_wins(name: str) -> None:
    (cell,) = (cell for cell, mark in drawn(DRAWINGS[name])[2].items() if mark == "-")
    assert position_of(DRAWINGS[name], Rule.RENJU).play(cell).outcome == Outcome(Color.BLACK, Reason.LINE)


# Rows of a board that is filled with them again and again, each of them repeated along the row.
LATTICES = {
    "three by two": ("x..", ".x.", ".x.", "..x", "..x", "x.."),
    "two by three": ("x.", "x.", ".x"),
    "lines of two": ("xx....",),
    "columns of two": ("x", "x", ".", ".", ".", "."),
    "every third column": ("x..",),
    "three by three with holes": ("x..x..x.x", "...", ".x.x....x", "x....x"),
    "diagonals": ("x..", ".x.", "..x"),
    "knights": ("x....", "..x..", "....x", ".x...", "...x."),
    "with white stones": ("x..x.o", ".x..x.", "..x..x", "x...x."),
}


def lattice(rows: tuple[str, ...], size: int) -> list[int]:
    """A board that is full of the rows, some four cells in a hundred changed so that lines end somewhere."""
    noise = random.Random(size)
    at = [(row, col) for row in range(size) for col in range(size)]
    stones = [".xo".index(rows[row % len(rows)][col % len(rows[row % len(rows)])]) for row, col in at]
    return [noise.randrange(3) if noise.random() < 0.04 and size % 2 else stone for stone in stones]


def kinds_of(size: int, stones: list[int]) -> list[ForbiddenKind]:
    position = Position.from_cells(Rules(size=size, rule=Rule.RENJU), stones, Color.BLACK)
    return [ForbiddenKind.NONE if stone else position.forbidden_kind(c) for c, stone in enumerate(stones)]


@pytest.mark.parametrize("rows", LATTICES.values(), ids=LATTICES)
def test_a_lattice_of_chained_threes_is_judged_on_every_board(rows: tuple[str, ...]) -> None:
    """The chains of points that depend on each other are as long as the board: this ends, and soon."""
    for size in range(5, 27):
        stones = lattice(rows, size)
        kinds = kinds_of(size, stones)
        if size <= 10:
            assert kinds == naive.forbidden_kinds(size, stones)


def test_the_largest_lattice_is_judged_as_the_rules_say() -> None:
    stones = lattice(LATTICES["three by two"], 26)
    assert kinds_of(26, stones) == naive.forbidden_kinds(26, stones)


def visits(size: int, stones: list[int], monkeypatch: pytest.MonkeyPatch) -> tuple[int, list[ForbiddenKind]]:
    """How many points are looked into for the worst point of a board, and what is forbidden."""
    asked, worst, found = 0, 0, []
    slow = rule_kernels.forbidden_kind.py_func

    def counted(state: Any, point: int) -> int:
        nonlocal asked
        asked += 1
        return int(slow(state, point))

    state = loaded(Rules(size=size, rule=Rule.RENJU), stones)
    record = np.rec.array(np.array([state]))[0]
    with monkeypatch.context() as patch:
        patch.setattr(rule_kernels, "forbidden_kind", counted)
        for cell, stone in enumerate(stones):
            asked = 0
            kind = 0 if stone else counted(record, int(rule_kernels.to_point(cell, size)))
            found.append(ForbiddenKind(kind))
            worst = max(worst, asked)
    return worst, found


def test_few_points_are_looked_into_on_boards_made_to_be_the_worst(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lattices, dense boards by chance, and boards from which small changes led to ever more visits."""
    chance = random.Random(11)
    boards = [lattice(rows, size) for rows in LATTICES.values() for size in (9, 12)]
    boards += [chance.choices((0, 1, 2), (0.6, 0.35, 0.05), k=100) for _ in range(6)]
    for stones in boards:
        size = math.isqrt(len(stones))
        worst, found = visits(size, stones, monkeypatch)
        assert worst <= size * size
        assert found == kinds_of(size, stones) == naive.forbidden_kinds(size, stones)
    stones, worst = lattice(LATTICES["lines of two"], 12), 0
    for _ in range(20):
        changed = list(stones)
        for cell in chance.sample(range(144), 2):
            changed[cell] = chance.choice((0, 1, 1, 2))
        more, found = visits(12, changed, monkeypatch)
        assert found == kinds_of(12, changed)
        if more >= worst:
            stones, worst = changed, more
    assert worst <= 144


def test_not_looking_where_no_double_three_can_be_changes_no_answer() -> None:
    """Dense boards by chance, and lattices, by the rule as it is written."""
    chance = random.Random(5)
    boards = [lattice(rows, 8) for rows in LATTICES.values()]
    for _ in range(60):
        weights = (chance.uniform(0.4, 0.8), chance.uniform(0.15, 0.5), chance.choice((0, 0.05, 0.2)))
        boards.append(chance.choices((0, 1, 2), weights, k=64))
    for stones in boards:
        plain = [
            ForbiddenKind.NONE if stone else naive.forbidden_kind(8, stones, cell, lazy=False)
            for cell, stone in enumerate(stones)
        ]
        assert kinds_of(8, stones) == naive.forbidden_kinds(8, stones) == plain
