"""Boards as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.records.strategies import games
from wuzi.core import Color, Game, Rules, Style, format_move
from wuzi.errors import RecordError
from wuzi.records import format_board, loads, parse_board

GAME = Game.from_moves(Rules(5, 4), ["c3", "b4", "a1", "e5"])


def test_the_board_of_a_small_game() -> None:
    assert format_board(GAME.position).splitlines() == [
        " 5 . . . .[O]",
        " 4 . O . . .",
        " 3 . . X . .",
        " 2 . . . . .",
        " 1 X . . . .",
        "   a b c d e",
    ]


@pytest.mark.parametrize(
    ("style", "first", "last"),
    [
        (Style.MATRIX, " A  .  .  .  . [O]", "    1  2  3  4  5"),
        (Style.GOMOCUP, " 0  .  .  .  . [O]", "    0  1  2  3  4"),
        (None, " . . . .[O]", " X . . . ."),
    ],
)
def test_coordinates(style: Style | None, first: str, last: str) -> None:
    lines = format_board(GAME.position, style=style).splitlines()
    assert (lines[0], lines[-1]) == (first, last)


@given(
    game=games(openings=False), style=st.sampled_from([None, *Style]), symbols=st.sampled_from([".XO", "+@o"])
)
def test_every_style_reads_back(game: Game, style: Style | None, symbols: str) -> None:
    diagram = parse_board(format_board(game.position, style=style, symbols=symbols))
    assert diagram.cells == tuple(int(cell) for cell in game.position.cells)
    assert diagram.last_move == game.position.last_move
    assert parse_board(str(game.position)).cells == diagram.cells


def test_diagrams_of_documents_are_read() -> None:
    diagram = parse_board(
        """
        # Black to win
           a b c d
        4  . X . *  4
        3  . . O .  3
        2 |. . O . |2
        1  +(X)- o  1
           A B C D
        """
    )
    assert diagram.size == 4
    assert [format_move(cell, 4) for cell in diagram.marked] == ["d4"]
    assert diagram.last_move is not None
    assert format_move(diagram.last_move, 4) == "b1"
    position = diagram.position(Rules(4, 3), Color.BLACK)
    assert (position.ply, position.to_move) == (5, Color.BLACK)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "0 rows: expected a board of 3 to 26"),
        ("..\n..", "2 rows"),
        ("...\n..\n...", "line 2: 2 cells, expected 3 for 3 rows"),
        ("...\n...\n...*", "line 3: 4 cells, expected 3 for 3 rows"),
        ("...\n.?.\n...", r"line 2: '\?' is no cell"),
        ("[X]..\n.[O].\n...", "2 stones in brackets"),
        ("XXX\nOOO\n...", "both colours have a winning row"),
    ],
)
def test_what_is_no_board(text: str, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        loads(text, "txt", rules=Rules(3, 3) if text.startswith("XXX") else None)


def test_the_size_is_the_diagrams_whatever_rules_are_assumed() -> None:
    assert loads("...\n...\n...", "txt", rules=Rules()).rules == Rules(3, 3)
    with pytest.raises(RecordError, match="a 3x3 diagram: expected 15x15"):
        parse_board("...\n...\n...").position(Rules())
