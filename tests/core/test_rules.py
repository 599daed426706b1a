"""Rules and the small types: what is accepted, what is refused and in which words."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from wuzi.core import Color, ForbiddenKind, Opening, Outcome, Reason, Rule, Rules, parse_rule
from wuzi.errors import ConfigError

RULE_NAMES = "freestyle, standard, renju, caro, caro_overline"


@pytest.mark.parametrize("size", range(3, 27))
def test_every_size_and_win_length_that_fits(size: int) -> None:
    for rule in Rule:
        for win_length in range(3, size + 1):
            if rule is Rule.RENJU and win_length != 5:
                continue
            rules = Rules(size=size, win_length=win_length, rule=rule)
            assert rules.num_cells == size * size
            assert rules.label.startswith(f"{rule.label} {size}x{size}")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"size": 2, "win_length": 2}, "board size 2: expected 3 to 26"),
        ({"size": 27}, "board size 27: expected 3 to 26"),
        ({"size": 0}, "board size 0: expected 3 to 26"),
        ({"size": -15}, "board size -15: expected 3 to 26"),
        ({"size": "15"}, "size is '15': expected a whole number"),
        ({"size": 15.0}, "size is 15.0: expected a whole number"),
        ({"size": None}, "size is None: expected a whole number"),
        ({"size": True}, "size is True: expected a whole number"),
        ({"win_length": 2}, "win length 2 on a 15x15 board: expected 3 to 15"),
        ({"win_length": 16}, "win length 16 on a 15x15 board: expected 3 to 15"),
        ({"size": 4}, "win length 5 on a 4x4 board: expected 3 to 4"),
        ({"win_length": False}, "win_length is False: expected a whole number"),
        ({"win_length": 4.5}, "win_length is 4.5: expected a whole number"),
        ({"rule": "renju", "win_length": 6}, "renju with win length 6: renju needs five in a row"),
        ({"rule": "chess"}, f"unknown rule 'chess': expected one of {RULE_NAMES}"),
        ({"rule": 2}, "unknown rule 2: expected one of freestyle"),
        ({"rule": None}, "unknown rule None: expected one of freestyle"),
        ({"rule": []}, "unknown rule []: expected one of freestyle"),
        ({"opening": "swap3"}, "unknown opening 'swap3': expected one of free, swap1, swap2"),
        ({"opening": 2}, "unknown opening 2: expected one of free, swap1, swap2"),
        ({"opening": "swap2", "size": 4, "win_length": 4}, "swap2 on a 4x4 board: needs 5x5 or more"),
    ],
)
def test_impossible_rules(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as failed:
        Rules(**fields)
    assert str(failed.value).startswith(message)
    assert "\n" not in str(failed.value)


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ("renju", Rule.RENJU),
        ("RENJU", Rule.RENJU),
        ("caro-overline", Rule.CARO_OVERLINE),
        ("Caro_Overline", Rule.CARO_OVERLINE),
        (0, Rule.FREESTYLE),
        (8, Rule.CARO_OVERLINE),
        (Rule.CARO, Rule.CARO),
    ],
)
def test_rules_by_name_and_number(given: Any, rule: Rule) -> None:
    assert Rules(rule=given).rule is rule
    assert parse_rule(str(given) if isinstance(given, str) else f" {int(given)} ") is rule


@pytest.mark.parametrize("text", ["", "2", "five", "²", "-1", "1.0"])
def test_text_that_names_no_rule(text: str) -> None:
    with pytest.raises(ConfigError, match=r"unknown rule .*: expected one of freestyle"):
        parse_rule(text)


def test_rules_are_values() -> None:
    one, other = Rules(size=15, rule="renju", opening="swap2"), Rules(15, 5, Rule.RENJU, Opening.SWAP2)
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one
    assert one != Rules(size=15, rule="renju")
    with pytest.raises(AttributeError):
        one.size = 9  # type: ignore[misc]


@pytest.mark.parametrize(
    ("rules", "label"),
    [
        (Rules(), "freestyle 15x15"),
        (Rules(size=6, win_length=4, rule="caro_overline"), "caro_overline 6x6, 4 in a row"),
        (Rules(size=20, rule="renju", opening="swap1"), "renju 20x20, swap1"),
    ],
)
def test_labels(rules: Rules, label: str) -> None:
    assert rules.label == label


def test_small_types() -> None:
    assert [color.opponent for color in Color] == [Color.WHITE, Color.BLACK]
    assert [color.letter for color in Color] == ["B", "W"]
    assert Outcome(Color.WHITE, Reason.TIME).result == "white"
    assert Outcome(None, Reason.DRAW_FULL).result == "draw"
    assert Reason.DRAW_FULL.label == "draw_full"
    assert ForbiddenKind.DOUBLE_THREE.label == "double_three"
    assert {int(rule) for rule in Rule} == {0, 1, 4, 8, 9}, "Gomocup's numbers"
