"""Text for cells: round trips, what is understood and what is refused with which words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wuzi.core import Style, format_move, format_moves, parse_move, parse_moves, try_parse_move
from wuzi.errors import NotationError

sizes = st.integers(3, 26)


@given(sizes, st.data())
def test_every_style_reads_what_it_writes(size: int, data: st.DataObject) -> None:
    move = data.draw(st.integers(0, size * size - 1))
    for style in Style:
        text = format_move(move, size, style)
        assert parse_move(text, size, style) == move
        assert parse_move(f" {text}\n", size, style) == move
    for style in (Style.RENJU, Style.GOMOCUP):
        assert parse_move(format_move(move, size, style), size) == move
    assert parse_move(format_move(move, size).upper(), size) == move


@given(sizes, st.data())
def test_position_codes_read_what_they_write(size: int, data: st.DataObject) -> None:
    moves = data.draw(st.lists(st.integers(0, size * size - 1), max_size=min(30, size * size)))
    assert parse_moves(format_moves(moves, size), size) == tuple(moves)
    for separator in (" ", "\n", "; ", "\t"):
        for style in (Style.RENJU, Style.GOMOCUP):
            text = separator.join(format_move(move, size, style) for move in moves)
            assert parse_moves(text, size) == tuple(moves)


@pytest.mark.parametrize(
    ("text", "size", "row", "col"),
    [
        ("a1", 15, 14, 0),
        ("h8", 15, 7, 7),
        ("a15", 15, 0, 0),
        ("o1", 15, 14, 14),
        ("i9", 19, 10, 8),
        ("z26", 26, 0, 25),
        ("0,0", 15, 0, 0),
        ("14,0", 15, 0, 14),
        ("7 , 3", 15, 3, 7),
        ("3,3", 4, 3, 3),
    ],
)
def test_where_cells_are(text: str, size: int, row: int, col: int) -> None:
    assert parse_move(text, size) == row * size + col


def test_the_matrix_style_reads_rows_first_and_must_be_asked_for() -> None:
    assert parse_move("H8", 15, Style.MATRIX) == 7 * 15 + 7
    assert parse_move("A3", 15, Style.MATRIX) == 2
    assert parse_move("A3", 15) == 12 * 15
    assert format_move(2, 15, Style.MATRIX) == "A3"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "p1",
        "a16",
        "a0",
        "15,0",
        "0,15",
        "-1,0",
        "h",
        "8",
        "8h",
        "h8h9",
        "h 8",
        "h08",
        "äh8",
        "7;7",
        "7,7,7",
    ],
)
def test_text_that_names_no_cell(text: str) -> None:
    assert try_parse_move(text, 15) is None
    with pytest.raises(NotationError) as failed:
        parse_move(text, 15)
    expected = f"{text!r} is no cell of a 15x15 board: expected something like 'o15' or '7,7' (column,row)"
    assert str(failed.value) == expected


def test_a_style_refuses_the_others() -> None:
    assert try_parse_move("7,7", 15, Style.RENJU) is None
    assert try_parse_move("7,7", 15, Style.MATRIX) is None
    assert try_parse_move("h8", 15, Style.GOMOCUP) is None
    with pytest.raises(NotationError, match=r"expected something like '14,0'$"):
        parse_move("h8", 15, Style.GOMOCUP)
    with pytest.raises(NotationError, match=r"expected something like 'A15'$"):
        parse_move("7,7", 15, Style.MATRIX)


def test_long_nonsense_is_cut_short() -> None:
    with pytest.raises(NotationError) as failed:
        parse_move("x" * 10_000, 15)
    assert len(str(failed.value)) < 200


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("h8?", r"move 2 in '\?': expected cells like 'h8' or '7,7'"),
        ("h8 h9 88", "move 3 in '88'"),
        ("h8h99", "'h99' is no cell of a 15x15 board"),
        ("7,7 7,15", "'7,15' is no cell of a 15x15 board"),
        ("h8-h9", "move 2 in '-h9'"),
    ],
)
def test_broken_position_codes_say_where(text: str, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        parse_moves(text, 15)


@pytest.mark.parametrize("move", [-1, 225, 10_000])
def test_cells_off_the_board_have_no_text(move: int) -> None:
    with pytest.raises(NotationError, match=f"cell index {move}: expected 0 to 224"):
        format_move(move, 15)


@given(st.text(max_size=20), sizes)
def test_any_text_is_a_cell_or_a_notation_error(text: str, size: int) -> None:
    try:
        move = parse_move(text, size)
    except NotationError as error:
        assert "\n" not in str(error)
    else:
        assert 0 <= move < size * size
    try:
        moves = parse_moves(text, size)
    except NotationError:
        pass
    else:
        assert all(0 <= move < size * size for move in moves)
