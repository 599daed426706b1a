from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wuzi.arena.openings import (
    BookOpening,
    generate_openings,
    load_openings,
    load_shipped,
    parse_openings,
    shipped_openings,
)
from wuzi.core import Color, Game, Position, Rules, format_moves
from wuzi.core.symmetry import canonical_stones
from wuzi.errors import ConfigError, RecordError

RULES = [
    Rules(15),
    Rules(9),
    Rules(6, 4),
    Rules(5, 3),
    Rules(15, 5, "renju"),  # type: ignore[arg-type]
    Rules(20, 5, "caro"),  # type: ignore[arg-type]
]


def wins_at_once(position: Position, color: Color) -> bool:
    turned = Position.from_cells(position.rules, position.cells, color)
    outcomes = (turned.play(move).outcome for move in turned.legal_moves)
    return any(outcome is not None and outcome.winner is color for outcome in outcomes)


@settings(max_examples=25)
@given(st.sampled_from(RULES), st.integers(0, 10_000))
def test_generated_openings_are_distinct_quiet_and_central(rules: Rules, seed: int) -> None:
    openings = generate_openings(rules, 12, seed=seed)
    assert len(openings) == 12
    keys = {canonical_stones(opening.moves, rules.size) for opening in openings}
    assert len(keys) == 12
    for opening in openings:
        game = opening.game(rules)
        assert game.outcome is None and 2 <= game.ply <= 6
        assert not wins_at_once(game.position, Color.BLACK)
        assert not wins_at_once(game.position, Color.WHITE)
        for move in opening.moves:
            row, column = divmod(move, rules.size)
            assert max(abs(row - rules.size // 2), abs(column - rules.size // 2)) <= 7


def test_openings_depend_on_the_seed_alone_not_on_their_number() -> None:
    few, many = generate_openings(Rules(15), 5, seed=3), generate_openings(Rules(15), 50, seed=3)
    assert many[:5] == few
    assert generate_openings(Rules(15), 5, seed=4) != few


def test_tiny_boards_have_only_so_many(caplog: pytest.LogCaptureFixture) -> None:
    # On 3x3 the first stone has 3 places up to symmetry and the second, in all, 12.
    openings = generate_openings(Rules(3, 3), 100, plies=(2, 2))
    assert len(openings) == 12
    assert "only 12 different openings" in caplog.text


def test_impossible_lengths_are_refused() -> None:
    for plies in ((0, 3), (5, 4), (2, 500)):
        with pytest.raises(ConfigError, match="expected 1 to 225"):
            generate_openings(Rules(15), 3, plies=plies)


@pytest.mark.parametrize("rules", [Rules(15), Rules(20), Rules(9)])
def test_the_three_notations_mean_the_same(rules: Rules) -> None:
    middle = rules.size // 2
    offsets = parse_openings("-1,2, 0,0, 1,-3", rules, "book", "b")[0]
    cells = f"{middle - 1},{middle + 2} {middle},{middle} {middle + 1},{middle - 3}"
    plain = parse_openings(cells, rules, "book", "b")[0]
    code = parse_openings(format_moves(plain.moves, rules.size), rules, "book", "b")[0]
    assert offsets == plain == code == BookOpening("b-1", plain.moves)


def test_offsets_without_a_minus_are_known_by_their_commas() -> None:
    rules = Rules(15)
    assert parse_openings("0,0, 1,1", rules, "b", "b")[0].moves == (112, 128)
    assert parse_openings("0,0 1,1", rules, "b", "b")[0].moves == (0, 16)


def test_names_comments_and_byte_order_marks(tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    path.write_bytes("\ufeff# two\r\n\r\nflower: h8 h9 i9  # comment\r\nh8h9\r\n".encode())
    assert [opening.id for opening in load_openings(path, Rules(15))] == ["flower", "book-2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no openings"),
        ("h8h8", "line 1: .*h8"),
        ("h8\nz9", "line 2"),
        ("-9,0, 0,0", "line 1: offset -9,0 is off the 9x9 board"),
        ("-1,0, 0", "line 1: .*pairs"),
        ("a1 a9 b1 b9 c1 c9 d1 d9 e1", "line 1: .*ends the game"),
        ("x: e5\nx: e6", "'x' is given twice"),
    ],
)
def test_a_bad_book_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        parse_openings(text, Rules(9), "book.txt", "book")


def test_a_missing_book_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="cannot be read"):
        load_openings(tmp_path / "none.txt", Rules(9))
    with pytest.raises(ConfigError, match=r"one of auto, none, .*renju26"):
        load_shipped("none-such", Rules(9))


def test_the_shipped_renju_openings_are_all_of_them() -> None:
    """Every third stone within the central 5x5 after a direct or indirect second one: 13 and 13."""
    assert "renju26" in shipped_openings()
    rules = Rules(15)
    book = load_shipped("renju26", rules)
    middle = 7
    classes = {}
    for kind, second in (("d", (6, 7)), ("i", (6, 8))):
        for row in range(middle - 2, middle + 3):
            for column in range(middle - 2, middle + 3):
                if (row, column) in ((middle, middle), second):
                    continue
                moves = (middle * 15 + middle, second[0] * 15 + second[1], row * 15 + column)
                classes[canonical_stones(moves, 15)] = kind  # type: ignore[arg-type]
    found = {canonical_stones(opening.moves, 15): opening.id[0] for opening in book}
    assert found == classes
    assert sorted(classes.values()).count("d") == sorted(classes.values()).count("i") == 13
    for size in (5, 9, 20):
        assert len(load_shipped("renju26", Rules(size))) == 26


def test_a_book_is_read_back_as_written() -> None:
    rules = Rules(9)
    openings = generate_openings(rules, 8, seed=1)
    text = "".join(f"{opening.id}: {format_moves(opening.moves, 9)}\n" for opening in openings)
    assert parse_openings(text, rules, "b", "b") == openings


@given(st.integers(0, 7), st.integers(0, 20))
def test_a_turned_opening_is_the_same_opening(symmetry: int, seed: int) -> None:
    opening = generate_openings(Rules(9), 1, seed=seed)[0]
    turned = opening.transformed(9, symmetry)
    assert canonical_stones(turned.moves, 9) == canonical_stones(opening.moves, 9)
    assert isinstance(turned.game(Rules(9)), Game)
