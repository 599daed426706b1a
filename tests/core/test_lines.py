"""Line classes: the published counts and spot values, the recursive twin, and what they mean on boards."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings

from tests import naive
from tests.core.boards import RULES_BUT_RENJU, random_stones, rule_sets, seeds
from wuzi.core import Color, Rule, Rules
from wuzi.core.classes import LineClass
from wuzi.core.lines import line_class, line_table, radius
from wuzi.errors import UnsupportedError

CASES = [(rule, k) for rule in Rule for k in (4, 5) if rule is not Rule.RENJU or k == 5]
CARO = (Rule.CARO, Rule.CARO_OVERLINE)


def rules_of(rule: Rule, win_length: int) -> Rules:
    return Rules(size=15, win_length=win_length, rule=rule)


def key_of(window: str, color: int = Color.BLACK) -> int:
    """The table key of a window drawn from the view of ``color`` (x own, o opponent)."""
    middle = len(window) // 2
    codes = {".": 0, "x": color, "o": 3 - color, "#": 3}
    return sum(codes[cell] << 2 * i for i, cell in enumerate(window[:middle] + window[middle + 1 :]))


def table_class(rules: Rules, color: int, window: str) -> LineClass:
    entry = int(line_table(rules.rule, rules.win_length)[key_of(window, color)])
    return LineClass(entry & 15 if color == Color.BLACK else entry >> 4)


def windows(reach: int, letters: str) -> list[str]:
    sides = ["".join(cells) for cells in itertools.product(letters, repeat=reach)]
    return [left + "x" + right for left in sides for right in sides]


def test_counts_of_freestyle_windows() -> None:
    counts = np.zeros(16, int)
    for window in windows(4, ".xo"):
        counts[line_class(Rules(), window)] += 1
    assert {kind.name: counts[kind] for kind in LineClass if counts[kind]} == {
        "FIVE": 297,
        "OPEN_FOUR": 142,
        "FOUR": 796,
        "OPEN_THREE_S": 51,
        "OPEN_THREE": 198,
        "CLOSED_THREE": 850,
        "OPEN_TWO_B": 11,
        "OPEN_TWO_A": 30,
        "OPEN_TWO": 115,
        "CLOSED_TWO": 419,
        "OPEN_ONE": 34,
        "CLOSED_ONE": 81,
        "DEAD": 3537,
    }


@pytest.mark.parametrize(
    ("window", "name"),
    [
        ("...xxx...", "OPEN_THREE_S"),
        ("#.xxx..##", "OPEN_THREE"),
        ("##xxx..##", "CLOSED_THREE"),
        ("..xxxx...", "OPEN_FOUR"),
        ("#xxxx....", "FOUR"),
        ("..x.xxx..", "FOUR"),
        ("x.xxx.x..", "OPEN_FOUR"),
        ("xxx.x.xxx", "OPEN_FOUR"),
        ("..x.xx.x.", "OPEN_THREE_S"),
        ("..x.x....", "OPEN_TWO_A"),
        ("#..xx..##", "OPEN_TWO"),
        ("....x....", "OPEN_ONE"),
        ("##.xx..##", "CLOSED_TWO"),
        ("...oxo...", "DEAD"),
        ("xxxxx....", "FIVE"),
        ("xxxxxxxxx", "FIVE"),
    ],
)
def test_freestyle_spot_values(window: str, name: str) -> None:
    assert line_class(Rules(), window).name == name


@pytest.mark.parametrize(
    ("window", "standard", "renju", "caro", "caro_overline"),
    [
        ("..xxxxxx...", "OVERLINE", "OVERLINE", "OVERLINE", "FIVE"),
        (".oxxxxxo...", "FIVE", "FIVE", "DEAD", "DEAD"),
        ("#oxxxxxo..#", "FIVE", "FIVE", "DEAD", "DEAD"),
        ("##xxxxxo...", "FIVE", "FIVE", "FIVE", "FIVE"),
        ("oxxxxxo....", "FIVE", "FIVE", "DEAD", "DEAD"),
        (".ox.xxxo...", "FOUR", "FOUR", "DEAD", "DEAD"),
        (".ox.xxx.o..", "FOUR", "FOUR", "FOUR", "FOUR"),
        ("...xxxx.x..", "FOUR", "FOUR", "FOUR", "OPEN_FOUR"),
        ("...xxxx....", "OPEN_FOUR", "OPEN_FOUR", "OPEN_FOUR", "OPEN_FOUR"),
        (".x.xxx.x...", "OPEN_FOUR", "DOUBLE_FOUR", "OPEN_FOUR", "OPEN_FOUR"),
        (".xxx.x.xxx.", "OPEN_FOUR", "DOUBLE_FOUR", "OPEN_FOUR", "OPEN_FOUR"),
        (".xx.xx.xx..", "OPEN_FOUR", "DOUBLE_FOUR", "OPEN_FOUR", "OPEN_FOUR"),
        ("..o.xxx.o..", "CLOSED_THREE", "CLOSED_THREE", "DEAD", "DEAD"),
        (".o.xxx..o..", "OPEN_THREE", "OPEN_THREE", "OPEN_THREE", "OPEN_THREE"),
        ("o..xxx..o..", "OPEN_THREE_S", "OPEN_THREE_S", "OPEN_THREE_S", "OPEN_THREE_S"),
    ],
)
def test_spot_values_where_the_rules_differ(
    window: str, standard: str, renju: str, caro: str, caro_overline: str
) -> None:
    found = {rule: line_class(Rules(rule=rule), window).name for rule in Rule if rule is not Rule.FREESTYLE}
    assert found == {
        Rule.STANDARD: standard,
        Rule.RENJU: renju,
        Rule.CARO: caro,
        Rule.CARO_OVERLINE: caro_overline,
    }


@pytest.mark.parametrize(("rule", "win_length"), [case for case in CASES if case[0] not in CARO])
def test_all_windows_agree_with_the_twin(rule: Rule, win_length: int) -> None:
    rules = rules_of(rule, win_length)
    for color in Color:
        if color is Color.WHITE and rule is not Rule.RENJU:
            continue  # the same recursion again: the next test compares the colours
        for window in windows(radius(rules), ".xo"):
            found = table_class(rules, color, window)
            assert found is naive.line_class(rules, color, window), (color, window)


@pytest.mark.parametrize(("rule", "win_length"), [case for case in CASES if case[0] is not Rule.RENJU])
def test_both_colours_have_the_same_classes_but_in_renju(rule: Rule, win_length: int) -> None:
    table = line_table(rule, win_length)
    keys = np.arange(len(table))
    swapped = np.zeros_like(keys)
    for i in range(2 * radius(rules_of(rule, win_length))):
        swapped |= np.array([0, 2, 1, 3])[(keys >> (2 * i)) & 3] << (2 * i)
    assert np.array_equal(table[swapped] >> 4, table & 15)


@pytest.mark.parametrize(("rule", "win_length"), [case for case in CASES if case[0] in CARO])
def test_random_windows_of_caro_agree_with_the_twin(rule: Rule, win_length: int) -> None:
    rules = rules_of(rule, win_length)
    reach, rng = radius(rules), random.Random(1)
    for _ in range(3000):
        # Walls lie outside, as on a board.
        left, right = ("".join(rng.choices(".xo", [4, 4, 1], k=reach)) for _ in range(2))
        cut_left, cut_right = rng.randrange(-reach, reach + 1), rng.randrange(-reach, reach + 1)
        left = "#" * max(0, cut_left) + left[max(0, cut_left) :]
        right = right[: reach - max(0, cut_right)] + "#" * max(0, cut_right)
        window = left + "x" + right
        for color in Color:
            assert table_class(rules, color, window) is naive.line_class(rules, color, window), window


@pytest.mark.parametrize(("rule", "win_length"), [case for case in CASES if case[0] not in CARO])
def test_a_wall_is_an_opponent_everywhere_but_in_caro(rule: Rule, win_length: int) -> None:
    table = line_table(rule, win_length)
    keys = np.arange(len(table))
    walls = np.zeros_like(keys)
    for i in range(2 * radius(rules_of(rule, win_length))):
        walls |= np.array([0, 1, 3, 3])[(keys >> (2 * i)) & 3] << (2 * i)
    assert np.array_equal(table[walls] & 15, table & 15)


def test_mirrored_windows_have_the_same_class() -> None:
    for rule, win_length in CASES:
        table = line_table(rule, win_length)
        reach = radius(rules_of(rule, win_length))
        keys = np.arange(len(table))
        mirrored = np.zeros_like(keys)
        for i in range(2 * reach):
            mirrored |= ((keys >> (2 * i)) & 3) << (2 * (2 * reach - 1 - i))
        assert np.array_equal(table[mirrored], table)


def test_the_table_is_shared_and_read_only() -> None:
    table = line_table(Rule.STANDARD, 5)
    assert table is line_table(Rule.STANDARD, 5)
    assert table.shape == (4**10,)
    assert line_table(Rule.FREESTYLE, 5).shape == (4**8,)
    assert line_table(Rule.CARO, 4).shape == (4**8,)
    with pytest.raises(ValueError, match="read-only"):
        table[0] = 1


@pytest.mark.parametrize("win_length", [3, 6])
def test_other_win_lengths_have_no_classes(win_length: int) -> None:
    with pytest.raises(UnsupportedError, match=f"{win_length} in a row: made for 4 and 5 only"):
        line_table(Rule.FREESTYLE, win_length)


@settings(max_examples=60)
@given(rule_sets(RULES_BUT_RENJU, sizes=(5, 9), win_lengths=(4, 5)), seeds)
def test_fours_and_fives_of_a_board_are_what_their_windows_say(rules: Rules, seed: int) -> None:
    """The windows reach far enough: counting winning cells on the whole board gives the same classes."""
    stones = random_stones(rules.size, seed, black=0.35, white=0.2)
    named = {0: None, 1: LineClass.FOUR}
    for cell in (cell for cell, stone in enumerate(stones) if not stone):
        after = naive.with_stone(stones, cell, 1)
        for way in naive.WAYS:
            window = naive.window_at(rules, stones, cell, way, 1, radius(rules))
            found = table_class(rules, 1, window)
            line = set(naive.cells_of_line(rules.size, cell, way))
            if wins_on(rules, after, cell, cell, line):
                assert found is LineClass.FIVE
                continue
            if found is LineClass.OVERLINE:
                continue
            fives = sum(
                wins_on(rules, naive.with_stone(after, more, 1), more, cell, line)
                for more in line
                if not after[more]
            )
            if expected := named.get(fives, LineClass.OPEN_FOUR):
                assert found is expected
            else:
                assert found not in (LineClass.FIVE, LineClass.FOUR, LineClass.OPEN_FOUR)


def wins_on(rules: Rules, stones: list[int], last: int, cell: int, line: set[int]) -> bool:
    """Whether the stone at ``last`` makes a winning row on ``line`` that ``cell`` belongs to."""
    return any(cell in row and set(row) <= line for row in naive.winning_rows(rules, stones, last, 1))
