"""Facts of the board that the page writes in its own language: one file of examples holds both to the same.

``frontend/tests/facts.test.ts`` reads it, too. ``python -m tests.apps.test_board_facts`` writes it anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wuzi.arena.schedule import FORMATS, Entry, TournamentConfig
from wuzi.core import MAX_SIZE, MIN_SIZE, Rules, format_move, parse_move
from wuzi.core.notation import Style
from wuzi.records.formats.svg import star_points

FILE = Path(__file__).parents[1] / "golden" / "files" / "board-facts.json"


def facts() -> dict[str, Any]:
    sizes = range(MIN_SIZE, MAX_SIZE + 1)
    return {
        "stars": {str(size): [row * size + col for row, col in star_points(size)] for size in sizes},
        "cells": {
            str(size): {
                style.value: [format_move(cell, size, style) for cell in (0, size - 1, size, size * size - 1)]
                for style in (Style.RENJU, Style.MATRIX)
            }
            for size in sizes
        },
        "pairings": {name: [_pairings(name, count) for count in range(2, 9)] for name in FORMATS},
    }


def _pairings(name: str, count: int) -> int:
    entries = tuple(Entry(spec="random", label=str(index)) for index in range(count))
    return len(TournamentConfig(entries=entries, rules=Rules(9), format=name).pairings())


def test_the_examples_are_what_the_code_says() -> None:
    assert json.loads(FILE.read_text(encoding="utf-8")) == facts()


@pytest.mark.parametrize("size", range(MIN_SIZE, MAX_SIZE + 1))
def test_star_points_are_symmetric(size: int) -> None:
    points = set(star_points(size))
    assert points == {(size - 1 - row, col) for row, col in points} == {(col, row) for row, col in points}


def test_matrix_names_are_read_back() -> None:
    assert all(
        parse_move(format_move(cell, 26, Style.MATRIX), 26, Style.MATRIX) == cell for cell in (0, 25, 675)
    )


if __name__ == "__main__":
    FILE.write_text(json.dumps(facts()) + "\n", encoding="utf-8")
