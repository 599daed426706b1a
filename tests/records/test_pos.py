"""Position codes."""

from __future__ import annotations

import pytest

from wuzi.core import Game, Rules, parse_moves
from wuzi.errors import NotationError, RecordError
from wuzi.records import dumps, format_code, loads, loads_all, parse_code
from wuzi.records.registry import sniff


def test_rows_count_from_the_bottom_or_from_the_top() -> None:
    assert parse_code("h8h9i7", 15) == parse_moves("h8 h9 i7", 15)
    assert parse_code("a1o15", 15, "top") == parse_moves("a15 o1", 15)
    assert format_code(parse_moves("a20", 20), 20, "top") == "a1"


def test_blanks_capitals_and_gomocup_pairs_are_read() -> None:
    assert parse_code(" H8 h9\ti7", 15) == parse_code("h8h9i7", 15) == parse_code("7,7 7,6 8,8", 15)
    with pytest.raises(ValueError, match="middle"):
        parse_code("h8", 15, "middle")


def test_a_list_of_positions_skips_comments() -> None:
    records = loads_all("# openings\nh8h9\n\nh8i9\n", "pos")
    assert [len(record.moves) for record in records] == [2, 2]
    assert loads("", "pos").moves == ()


def test_rows_from_the_top_are_a_format_of_their_own() -> None:
    game = Game.from_moves(Rules(15), "h8 h9 a1".split())
    assert dumps(game, "pos-top") == "h8h7a15\n"
    assert loads("h8h7a15", "pos-top").game() == game


def test_links_to_a_position_are_read() -> None:
    for link in ("https://gomocalc.com/#/h8h9i7", "https://www.gomocalc.com/#/h8h9i7\n"):
        assert loads(link).moves == parse_code("h8h9i7", 15)
    with pytest.raises(RecordError, match="unknown kind of game file"):
        loads("https://example.org/h8h9")


@pytest.mark.parametrize(
    ("text", "message"),
    [("h8h8", "line 1: move 2: h8 is occupied"), ("h16", "line 1"), ("h8 xx", "line 1: move 2")],
)
def test_broken_codes_name_the_line(text: str, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        loads(text, "pos")
    with pytest.raises(NotationError):
        parse_code("h16", 15)
    (other,) = loads_all(f"h8h9\n{text}\n", "pos")
    assert any("game 2: line 2" in told for told in other.warnings)


@pytest.mark.parametrize(
    "text", ["Ｈ８ Ｈ９", "h8，h9", "１．Ｈ８ ２．ｈ９", "1、h8 2、h9", "７，７ ７，６", "1) h8, h9"]
)
def test_full_width_letters_digits_and_signs(text: str) -> None:
    assert loads(text).moves == loads("h8h9").moves


def test_the_reader_says_the_rules() -> None:
    assert loads("t20", rules=Rules(20)).rules.size == 20


@pytest.mark.parametrize(
    "text",
    [
        "h8 i9 g7",
        "H8,I9,G7",
        "H8, I9, G7",
        "1. h8 i9 2. g7",
        "1.h8 2.i9 3.g7",
        "1. h8 i9\n2. g7",
        "h8 i9\ng7\n",
        "H8\nI9\nG7",
        "1... H8\n2... I9\n3... G7\n",
        "7,7 8,6 6,8",
        "7,7, 8,6, 6,8",
    ],
)
def test_moves_are_read_in_any_habit(text: str) -> None:
    assert sniff(text).name == "pos"
    record = loads(text)
    assert [str(move) for move in record.game().moves] == ["h8", "i9", "g7"]
