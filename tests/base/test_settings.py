"""Tables of files as dataclasses: types, lists, missing and unknown keys."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from wuzi.base.settings import read_table
from wuzi.errors import ConfigError


@dataclass(frozen=True)
class Stage:
    """What the tests read."""

    name: str
    time: float | None = None
    sizes: list[int] = field(default_factory=list)
    against: list[str] = field(default_factory=list)
    preset: str = ""
    parts: list[dict[str, Any]] = field(default_factory=list)


def test_a_table_becomes_a_dataclass() -> None:
    found = read_table(Stage, {"name": "a", "time": 1, "sizes": [5, 7], "preset": "x"}, "file")
    assert found == Stage("a", 1, [5, 7], [], "x")
    assert isinstance(found.time, int), "ids of games are made of what the file says"


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ([], "file: expected a table"),
        ({}, "file: no name: expected name, time"),
        ({"name": "a", "tim": 1}, "file: unknown key 'tim': expected one of name, time"),
        ({"name": 1}, "file: name=1: expected text"),
        ({"name": "a", "time": "1"}, "time=1: expected a number"),
        ({"name": "a", "time": True}, "time=True: expected a number"),
        ({"name": "a", "sizes": [5, True]}, "expected a list of whole numbers"),
        ({"name": "a", "against": [3]}, "expected a list of names"),
        ({"name": "a", "parts": [1]}, "expected tables"),
    ],
)
def test_mistakes_name_the_place_and_what_was_expected(table: Any, said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        read_table(Stage, table, "file")
    assert said in str(raised.value)
