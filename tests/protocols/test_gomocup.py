"""The Gomocup protocol as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wuzi.core.rules import Rule
from wuzi.core.types import Color
from wuzi.protocols.gomocup.wire import (
    AnswerKind,
    EngineReport,
    format_about,
    format_board,
    format_cells,
    parse_about,
    parse_answer,
    parse_cell,
    parse_cells,
    parse_command,
    parse_report,
    parse_stone,
    parse_whole,
    rule_from_code,
)


@given(st.integers(5, 26), st.data())
def test_cells_round_trip(size: int, data: st.DataObject) -> None:
    cells = tuple(data.draw(st.lists(st.integers(0, size * size - 1), min_size=1, max_size=5)))
    text = format_cells(cells, size)
    assert parse_cells(text, size) == cells
    assert parse_answer(text, size).cells == cells


@pytest.mark.parametrize(
    "text", ["", "7", "7,", ",7", "7;7", "-1,3", "7,7,7", "15,0", "0,15", "1e1,2", "٣,3", "a,b"]
)
def test_what_is_no_cell(text: str) -> None:
    assert parse_cell(text, 15) is None
    assert parse_cells(text, 15) is None


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        *[(0, Rule.FREESTYLE), (1, Rule.STANDARD), (4, Rule.RENJU), (5, Rule.RENJU)],
        *[(8, Rule.CARO_OVERLINE), (9, Rule.CARO), (2, None), (3, None), (16, None), (-1, None)],
    ],
)
def test_rule_codes(code: int, rule: Rule | None) -> None:
    assert rule_from_code(code) is rule


def test_rules_are_gomocup_numbers() -> None:
    assert all(rule_from_code(int(rule)) is rule for rule in Rule)


def test_commands() -> None:
    command = parse_command("  tUrN   3,4 \r")
    assert command is not None
    assert (command.name, command.args) == ("TURN", "3,4")
    assert parse_command(" \t ") is None


def test_stones_and_numbers() -> None:
    assert parse_stone("3, 4 ,2", 15) == (63, 2)
    assert [parse_stone(text, 15) for text in ("3,4", "3,4,0", "3,4,4", "15,4,1")] == [None] * 4
    assert [parse_whole(text) for text in ("12", " -3 ", "+4", "1.5", "9" * 30, "")] == [
        12,
        -3,
        4,
        None,
        None,
        None,
    ]


def test_board_from_the_engines_side() -> None:
    stones = [(0, Color.BLACK), (16, Color.WHITE)]
    assert format_board(stones, 15, Color.WHITE) == ["BOARD", "0,0,2", "1,1,1", "DONE"]


def test_about_round_trip() -> None:
    fields = {"name": "wuzi", "www": "https://example.org/?a=1"}
    assert parse_about(format_about(fields)) == fields
    assert parse_about("MESSAGE hello") == {}


@pytest.mark.parametrize(
    ("line", "kind", "text"),
    [
        ("OK", AnswerKind.OK, "OK"),
        ("ok - with a remark", AnswerKind.OK, "ok - with a remark"),
        ("OKAY", AnswerKind.OTHER, "OKAY"),
        ("swap", AnswerKind.SWAP, "swap"),
        ("SWAP now", AnswerKind.OTHER, "SWAP now"),
        ("ERROR too big", AnswerKind.ERROR, "too big"),
        ("UNKNOWN", AnswerKind.UNKNOWN, ""),
        ("message depth 3", AnswerKind.COMMENT, "depth 3"),
        ("SUGGEST 7,7", AnswerKind.SUGGEST, "7,7"),
        ("hello", AnswerKind.OTHER, "hello"),
        ("1,2,3", AnswerKind.OTHER, "1,2,3"),
    ],
)
def test_answers(line: str, kind: AnswerKind, text: str) -> None:
    answer = parse_answer(line, 15)
    assert (answer.kind, answer.text) == (kind, text)


def test_cells_off_the_board_are_still_an_answer() -> None:
    answer = parse_answer("20,3", 15)
    assert (answer.kind, answer.cells) == (AnswerKind.CELLS, ())


def test_reports() -> None:
    assert parse_report(
        "MESSAGE Speed 822K | Depth 17-31 | Eval 103 | Node 379K | Time 270ms"
    ) == EngineReport(depth=17, max_depth=31, nodes=379_000, score=103.0)
    assert parse_report("INFO EVAL -M12") == EngineReport(win_in=-12)
    assert parse_report("INFO WINRATE 0.53") == EngineReport(winrate=0.53)
    assert parse_report("DEBUG depth 12, nodes 4711") == EngineReport(depth=12, nodes=4711)
    assert parse_report("MESSAGE hello") is None


@given(st.text(max_size=300), st.integers(5, 26))
def test_any_text_is_survived(text: str, size: int) -> None:
    parse_command(text)
    parse_cell(text, size)
    parse_cells(text, size)
    parse_stone(text, size)
    parse_whole(text)
    parse_about(text)
    parse_answer(text, size)
    parse_report(text)


def test_long_lines_take_no_time() -> None:
    for text in ("1," * 500_000, " " * 1_000_000 + ",", "a" * 1_000_000, "depth " * 200_000, "1,1" * 300_000):
        parse_answer(text, 15)
        parse_report(text)
        parse_about(text)
