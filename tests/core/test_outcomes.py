"""Drawn rows and boards: what wins, what does not, under each rule."""

from __future__ import annotations

import pytest

from tests import naive
from tests.core.boards import loaded, position_of
from wuzi.core import Color, Outcome, Position, Reason, Rule, Rules, rule_kernels

pytestmark = pytest.mark.kernels

BLACK_WINS = Outcome(Color.BLACK, Reason.LINE)
WHITE_WINS = Outcome(Color.WHITE, Reason.LINE)
FOUL = Outcome(Color.WHITE, Reason.FORBIDDEN)

# Black plays `*`; `|` are the edges of the board. Wins (1) under freestyle, standard, renju, caro and
# caro with overlines; f is a forbidden overline.
ROWS = [
    ("|..XXXX*..|", "11111"),
    ("|..XX*XX..|", "11111"),
    ("|..*XXXX..|", "11111"),
    ("|XXXX*....|", "11111"),
    ("|.....X*XX.X|", "00000"),
    ("|..XXX*...|", "00000"),
    ("|.XXX*.X..|", "00000"),
    ("|.OXXXX*O.|", "11100"),
    ("|.OXX*XX..|", "11111"),
    ("|...*XXXXO|", "11111"),
    ("|*XXXXO..O|", "11111"),
    ("|OXX*XXO|", "11100"),
    ("|OXX*XX.O|", "11111"),
    ("|.XXX*XX..|", "10f01"),
    ("|XX*XXX|", "10f01"),
    ("|OXX*XXXO|", "10f01"),
    ("|OXXXX*XXXXO|", "10f01"),
    ("|.XXXX*X|", "10f01"),
    ("|OOOO*XXXX.|", "11111"),
    ("|.XXXXO*...|", "00000"),
]
RULE_ORDER = (Rule.FREESTYLE, Rule.STANDARD, Rule.RENJU, Rule.CARO, Rule.CARO_OVERLINE)


def placed(row: str, way: tuple[int, int]) -> tuple[int, list[int], int]:
    """Size, stones and marked cell of a drawn row, laid from edge to edge along one of the four ways."""
    row = row.strip("|")
    size = len(row)
    start = size - 1 if way == (1, -1) else 0
    cells = naive.cells_of_line(size, start, way)
    stones = [0] * (size * size)
    for cell, letter in zip(cells, row, strict=True):
        stones[cell] = ".XO".find(letter) if letter in "XO" else 0
    return size, stones, cells[row.index("*")]


@pytest.mark.parametrize("way", naive.WAYS, ids=["row", "column", "diagonal", "antidiagonal"])
@pytest.mark.parametrize("turned", [False, True], ids=["", "turned"])
@pytest.mark.parametrize(("row", "wins"), ROWS)
def test_rows_of_black(row: str, wins: str, turned: bool, way: tuple[int, int]) -> None:
    size, stones, cell = placed(row[::-1] if turned else row, way)
    for rule, result in zip(RULE_ORDER, wins, strict=True):
        position = Position.from_cells(Rules(size=size, rule=rule), stones, Color.BLACK)
        expected = {"0": None, "1": BLACK_WINS, "f": FOUL}[result]
        assert position.play(cell).outcome == expected, rule


@pytest.mark.parametrize(("row", "wins"), ROWS)
def test_white_wins_with_the_same_rows_and_is_never_forbidden_one(row: str, wins: str) -> None:
    size, stones, cell = placed(row.translate(str.maketrans("XO", "OX")), (0, 1))
    for rule, result in zip(RULE_ORDER, wins, strict=True):
        position = Position.from_cells(Rules(size=size, rule=rule), stones, Color.WHITE)
        assert position.play(cell).outcome == (None if result == "0" else WHITE_WINS), rule


@pytest.mark.parametrize(
    ("row", "win_length", "wins"),
    [
        ("|X*X.|", 3, "1111"),
        ("|OX*XO|", 3, "1100"),
        ("|XX*X|", 3, "1001"),
        ("|XX*X|", 4, "1111"),
        ("|XXXXX*X|", 6, "1001"),
        ("|OXXXX*XO|", 6, "1100"),
        ("|XXXX*XXXXX|", 10, "1111"),
        ("|XXXX*XXXXX|", 9, "1001"),
    ],
)
def test_other_win_lengths(row: str, win_length: int, wins: str) -> None:
    for way in naive.WAYS:
        size, stones, cell = placed(row, way)
        for rule, result in zip([r for r in RULE_ORDER if r is not Rule.RENJU], wins, strict=True):
            rules = Rules(size=size, win_length=win_length, rule=rule)
            won = rule_kernels.makes_line(loaded(rules, stones), rule_kernels.to_point(cell, size), 1)
            assert str(won) == result, (rule, way)


def test_one_winning_row_is_enough() -> None:
    crossing = """
        . . . . . . .
        . . . X . . .
        . . . X . . .
        X X X * X X .
        . . . X . . .
        . . . X . . .
        . . . . . . .
    """
    after = position_of(crossing, Rule.STANDARD).play("d4")
    assert after.outcome == BLACK_WINS
    assert len(after.winning_lines()) == 1
    freestyle = position_of(crossing, Rule.FREESTYLE).play("d4")
    assert sorted(map(len, freestyle.winning_lines())) == [5, 6]


def test_a_full_board_is_a_draw() -> None:
    text = """
        X O X O X
        X O X O X
        O X O X O
        X O X O X
        X O X O *
    """
    for rule in Rule:
        assert position_of(text, rule).play("e1").outcome == Outcome(None, Reason.DRAW_FULL)
    full = position_of(text.replace("*", "X"), Rule.FREESTYLE)
    assert full.outcome == Outcome(None, Reason.DRAW_FULL)
    assert not full.legal_mask().any()


def test_the_last_stone_may_win() -> None:
    text = """
        X O X O X
        X O X O X
        O X O X O
        X O X O X
        X X X X *
    """
    assert position_of(text, Rule.RENJU).play("e1").outcome == BLACK_WINS


def test_a_set_up_position_may_be_decided() -> None:
    text = """
        . . . . . . .
        . O O O O O .
        . . . . . . .
        . . . . . . .
        X X X X X X .
        . . . . . . .
        . . . . . . .
    """
    assert position_of(text, Rule.STANDARD).outcome == WHITE_WINS
    assert position_of(text, Rule.RENJU).outcome == WHITE_WINS, "an overline of Black is no row"
    assert position_of(text, Rule.CARO).outcome == WHITE_WINS
    assert [len(row) for row in position_of(text, Rule.CARO).winning_lines()] == [5]
