"""Texts made to take long: the work of a reader grows as their length does."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

import pytest

from wuzi.core import Rule, parse_moves
from wuzi.errors import NotationError, WuziError
from wuzi.records import list_formats, loads_each
from wuzi.records.formats import sgf_grammar
from wuzi.records.words import find_rule

ROOT = "(;GM[4]SZ[15]"
LIBRARY = b"\xffRenLib\xff\x03\x04" + b"\xff" * 10
TEXTS: dict[str, Callable[[int], str | bytes]] = {
    "one cell again and again": lambda n: "h8" * n,
    "cells with blanks": lambda n: "h8 " * n,
    "numbered cells": lambda n: "1. h8 " * n,
    "pairs": lambda n: "7,7 " * n,
    "open brackets": lambda n: "(" * n,
    "open games": lambda n: "(;" * n,
    "nested brackets": lambda n: "(" * n + ")" * n,
    "one property with many values": lambda n: f"{ROOT}AB{'[aa]' * n})",
    "results": lambda n: f"{ROOT}RE{'[x]' * n})",
    "private pairs": lambda n: f"{ROOT}WUZI{'[a:b]' * n})",
    "a rule of many words": lambda n: f"{ROOT}RU[{'1 ' * n}])",
    "many nodes": lambda n: f"{ROOT}{';' * n})",
    "passes": lambda n: f"{ROOT}{';B[]' * n})",
    "variations": lambda n: f"{ROOT}{'(;B[hh])' * n})",
    "deep variations": lambda n: f"{ROOT}{'(;B[hh]' * n}{')' * n})",
    "games without an end": lambda n: "(;GM[4]SZ[15];B[hh]" * n,
    "something like roots": lambda n: "(;A[b]" * n,
    "backslashes": lambda n: "(;C[" + "\\" * n,
    "small letters": lambda n: "(;" + "a" * n,
    "digits": lambda n: "1" * n,
    "digits on lines": lambda n: "1\n" * n,
    "commas": lambda n: "," * n,
    "blanks": lambda n: " " * n + "x",
    "empty lines": lambda n: "\n" * n + "x",
    "tabs and bars": lambda n: "\t|" * n,
    "stones of a diagram": lambda n: "xo.\n" * n,
    "psq moves": lambda n: "Piskvorky 15x15, 11:11, 0\n" + "8,8,1\n" * n,
    "psq names": lambda n: "Piskvorky 15x15, 11:11, 0\n" + "a\n" * n,
    "rec moves": lambda n: "a\nb\n" + "7,7,1\n" * n,
    "a saved game": lambda n: f"15\n0\n{n}\n" + "7 7\n" * n,
    "arrays": lambda n: "[" * n,
    "objects": lambda n: '{"a":' * n,
    "JSON lines": lambda n: '{"format":"wuzi-record"}\n' * n,
    "JSON keys": lambda n: '{"format":"wuzi-record",' + ",".join(f'"k{i}":1' for i in range(n)) + "}",
    "full-width cells": lambda n: "Ｈ８" * n,
    "bytes of no charset": lambda n: b"\xff\x81" * n,
    "nodes of a library": lambda n: LIBRARY + b"\x78\x80" * n,
    "passes of a library": lambda n: LIBRARY + b"\x78\x00" + b"\0\0" * n,
    "leaves of a library": lambda n: LIBRARY + b"\x78\xc0" * n,
    "a text of a library": lambda n: LIBRARY + b"\x78\x08" + b"a" * n,
}


def calls(text: str | bytes, format: str | None) -> int:
    """How many functions are called, of Python's own too, to read a text."""
    count = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        loads_each(text, format)
    except WuziError:
        pass
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("name", TEXTS)
def test_work_grows_as_the_text_does(name: str) -> None:
    for format in (None, *(one.name for one in list_formats().values() if one.read)):
        calls(TEXTS[name](10), format)
        short, long = (calls(TEXTS[name](n), format) for n in (300, 1200))
        assert long <= 5 * short + 2000, (format, short, long)


def test_more_cells_than_the_board_has_are_refused_where_they_begin() -> None:
    assert calls("h8" * 3000, "pos") == pytest.approx(calls("h8" * 300, "pos"), abs=50)
    with pytest.raises(NotationError, match="more than 25 moves: a 5x5 board has no more cells"):
        parse_moves("a1" * 26, 5)
    assert len(parse_moves("a1" * 25, 5)) == 25


def test_only_the_first_words_may_be_a_rule() -> None:
    assert find_rule("renju " + "with " * 1000) is Rule.RENJU
    assert find_rule("free style gomoku as we play it on Sundays in the club") is Rule.FREESTYLE

    class Text(str):
        split = str.split

    long, looked = Text("x " * 2000), 0
    pattern = re.sub

    def counted(*given: object) -> str:
        nonlocal looked
        looked += 1
        return str(pattern(*given))  # type: ignore[call-overload]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(re, "sub", counted)
        assert find_rule(long) is None
    assert looked < 10


def test_damaged_games_are_read_again_only_so_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sgf_grammar, "_MOST_BROKEN_TEXT", 1000)
    text = "(;GM[4]SZ[15];B[hh]" * 100
    assert len(list(sgf_grammar.games(text))) == 1
    assert len(list(sgf_grammar.games(text[: 6 * 19]))) == 6
