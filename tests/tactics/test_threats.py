"""Threats for people: drawn examples, and all of them against the rule book on crowded boards."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

from tests import naive
from tests.core.boards import position_of, random_stones, rule_sets, seeds, without_rows
from tests.tactics.plain_threats import Finder
from wuzi.core import Color, ForbiddenKind, Position, Rule, Rules
from wuzi.core.classes import LineClass
from wuzi.core.lines import radius
from wuzi.errors import UnsupportedError
from wuzi.tactics.threats import Threat, ThreatKind, find_threats

pytestmark = pytest.mark.kernels

Found = Counter[tuple[tuple[int, ...], tuple[int, ...]]]

crowded_rules = rule_sets(sizes=(5, 9), win_lengths=(4, 5))


def row_position(row: str, rule: Rule = Rule.FREESTYLE, win_length: int = 5) -> Position:
    """A board with one drawn row in its middle, cell i in column i."""
    size = len(row)
    empty = " ".join("." * size)
    text = "\n".join([empty] * (size // 2) + [" ".join(row)] + [empty] * (size - size // 2 - 1))
    return position_of(text, rule, win_length=win_length)


def columns(threat: Threat, size: int) -> tuple[str, list[int], list[int]]:
    return str(threat.kind), [m % size for m in threat.stones], [m % size for m in threat.gains]


@pytest.mark.parametrize(
    ("row", "rule", "expected"),
    [
        ("..XXX....", Rule.FREESTYLE, [("open_three", [2, 3, 4], [1, 5])]),
        ("..XX.X...", Rule.FREESTYLE, [("open_three", [2, 3, 5], [4])]),
        (".OXXX....", Rule.FREESTYLE, []),
        ("O.XXX.O..", Rule.FREESTYLE, []),
        ("..XXXX...", Rule.FREESTYLE, [("open_four", [2, 3, 4, 5], [1, 6])]),
        (".OXXXX...", Rule.FREESTYLE, [("four", [2, 3, 4, 5], [6])]),
        ("..XX.XX..", Rule.FREESTYLE, [("four", [2, 3, 5, 6], [4])]),
        (".X.XXX.X.", Rule.FREESTYLE, [("four", [1, 3, 4, 5], [2]), ("four", [3, 4, 5, 7], [6])]),
        ("..XXXX.X.", Rule.FREESTYLE, [("open_four", [2, 3, 4, 5], [1, 6])]),
        ("..XXXX.X.", Rule.STANDARD, [("four", [2, 3, 4, 5], [1])]),
        (
            ".XXXX.XXXX.",
            Rule.FREESTYLE,
            [("open_four", [1, 2, 3, 4], [0, 5]), ("open_four", [6, 7, 8, 9], [5, 10])],
        ),
        (".X.X.X.X.", Rule.FREESTYLE, [("four_four", [1, 3, 5, 7], [4])]),
        (".X.X.X.X.", Rule.STANDARD, [("four_four", [1, 3, 5, 7], [4])]),
        (".X.X.X.X.", Rule.RENJU, [("forbidden", [], [4])]),
        (".XXXXX...", Rule.STANDARD, [("five", [1, 2, 3, 4, 5], [])]),
        (".XXXXXX..", Rule.STANDARD, []),
        (".OXXXX.O.", Rule.CARO, []),
        (".OXXXX.O.", Rule.STANDARD, [("four", [2, 3, 4, 5], [6])]),
    ],
)
def test_rows(row: str, rule: Rule, expected: list[tuple[str, list[int], list[int]]]) -> None:
    threats = find_threats(row_position(row, rule))
    assert [columns(threat, len(row)) for threat in threats] == expected
    assert {threat.color for threat in threats} <= {Color.BLACK}
    if rule is not Rule.RENJU:
        swapped = row_position(row.translate(str.maketrans("XO", "OX")), rule)
        assert [columns(threat, len(row)) for threat in find_threats(swapped)] == expected
        assert {threat.color for threat in find_threats(swapped)} <= {Color.WHITE}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("..XXX...", ("open_four", [2, 3, 4], [1, 5])),
        (".OXXX...", ("four", [2, 3, 4], [5])),
        ("...XX...", ("open_three", [3, 4], [2, 5])),
    ],
)
def test_rows_of_four_in_a_row(row: str, expected: tuple[str, list[int], list[int]]) -> None:
    threats = find_threats(row_position(row, win_length=4))
    lines = [t for t in threats if t.kind in (ThreatKind.OPEN_FOUR, ThreatKind.FOUR, ThreatKind.OPEN_THREE)]
    assert [columns(threat, 8) for threat in lines] == [expected]


CROSS = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . X . . . .
    . . . . X . . . .
    . . X X . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""


def test_a_double_three_and_its_renju_name() -> None:
    stones = (22, 31, 38, 39)
    (threat,) = find_threats(position_of(CROSS, Rule.FREESTYLE))
    assert threat == Threat(ThreatKind.THREE_THREE, Color.BLACK, stones, (40,))
    (foul,) = find_threats(position_of(CROSS, Rule.RENJU))
    assert foul == Threat(ThreatKind.FORBIDDEN, Color.BLACK, (), (40,), ForbiddenKind.DOUBLE_THREE)
    white = position_of(CROSS.replace("X", "O"), Rule.RENJU)
    assert find_threats(white) == (Threat(ThreatKind.THREE_THREE, Color.WHITE, stones, (40,)),)


def test_a_four_and_a_three_at_once() -> None:
    text = CROSS.replace(". . X X . . . . .", "O X X X . . . . .")
    for rule in Rule:
        threats = find_threats(position_of(text, rule))
        wanted = Threat(ThreatKind.FOUR_THREE, Color.BLACK, (22, 31, 37, 38, 39), (40,))
        assert wanted in threats, rule


def test_a_three_that_black_may_not_complete_is_none_in_renju() -> None:
    """The gap makes the three a four, and seven in the column."""
    text = """
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . X . . . . .
        . . . . . X . . . . .
        . . . . . X . . . . .
        . . . X X . X . . . .
        . . . . . X . . . . .
        . . . . . X . . . . .
        . . . . . X . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
    """
    three = Threat(ThreatKind.OPEN_THREE, Color.BLACK, (58, 59, 61), (60,))
    foul = Threat(ThreatKind.FORBIDDEN, Color.BLACK, (), (60,), ForbiddenKind.OVERLINE)
    standard, renju = (find_threats(position_of(text, rule)) for rule in (Rule.STANDARD, Rule.RENJU))
    assert three in standard
    assert three not in renju
    assert foul in renju


def test_most_urgent_first() -> None:
    text = """
        . . . . . . . . .
        . X X X X . . . .
        . . . . . . . . .
        . . O O O . . . .
        . . . . . . . . .
        . . . . . . . . .
        O O . O O . . . .
        . . . . . . . . .
        . . . . . . . . .
    """
    kinds = [(t.kind, t.color) for t in find_threats(position_of(text, Rule.FREESTYLE))]
    order = [(list(ThreatKind).index(kind), color) for kind, color in kinds]
    assert order == sorted(order)
    assert kinds[:2] == [(ThreatKind.OPEN_FOUR, Color.BLACK), (ThreatKind.FOUR, Color.WHITE)]
    assert (ThreatKind.OPEN_THREE, Color.WHITE) in kinds


def test_nothing_on_an_empty_board_and_other_lengths_are_refused() -> None:
    assert find_threats(Position(Rules())) == ()
    with pytest.raises(UnsupportedError, match="6 in a row"):
        find_threats(Position(Rules(win_length=6)))


# ---------------------------------------------------------------------------- against the rule book


def set_up(rules: Rules, seed: int) -> Position:
    """A crowded position that nobody has won."""
    stones = without_rows(rules, random_stones(rules.size, seed, black=0.3, white=0.2))
    return Position.from_cells(rules, stones)


def rows_on(rules: Rules, stones: list[int], cell: int, color: int, line: list[int]) -> list[tuple[int, ...]]:
    after = naive.with_stone(stones, cell, color)
    return [row for row in naive.winning_rows(rules, after, cell, color) if set(row) <= set(line)]


def row_at(stones: list[int], cell: int, color: int, line: list[int]) -> list[int]:
    """The unbroken row on the line that a stone at ``cell`` would belong to."""
    at = line.index(cell)
    first, last = at, at
    while first > 0 and stones[line[first - 1]] == color:
        first -= 1
    while last + 1 < len(line) and stones[line[last + 1]] == color:
        last += 1
    return line[first : last + 1]


def expected_fours(rules: Rules, stones: list[int], color: int) -> Found:
    """Stones and gains: an unbroken four is one, whatever stands behind the gaps at its ends."""
    found: Found = Counter()
    for way in range(4):
        gains: dict[tuple[int, ...], list[int]] = {}
        for cell in (cell for cell, stone in enumerate(stones) if not stone):
            line = naive.cells_of_line(rules.size, cell, naive.WAYS[way])
            for row in rows_on(rules, stones, cell, color, line):
                before, after = (tuple(c for c in row if sign * c > sign * cell) for sign in (-1, 1))
                whole = [part for part in (before, after) if len(part) == rules.win_length - 1]
                for four in whole or [before + after]:
                    gains.setdefault(tuple(sorted(four)), []).append(cell)
        found.update((four, tuple(sorted(cells))) for four, cells in gains.items())
    return found


def expected_threes(rules: Rules, stones: list[int], color: int) -> Found:
    found: Found = Counter()
    foul = naive.foul_counts(rules, color)
    for way in naive.WAYS:
        gains: dict[tuple[int, ...], list[int]] = {}
        for cell in (cell for cell, stone in enumerate(stones) if not stone):
            line = naive.cells_of_line(rules.size, cell, way)
            row = row_at(stones, cell, color, line)
            first, last = line.index(row[0]), line.index(row[-1])
            if len(row) != rules.win_length - 1 or first == 0 or last + 1 == len(line):
                continue
            ends = line[first - 1], line[last + 1]
            after = naive.with_stone(stones, cell, color)
            wins = all(not stones[end] and rows_on(rules, after, end, color, line) for end in ends)
            if wins and not (foul and naive.forbidden_kind(rules.size, stones, cell)):
                gains.setdefault(tuple(c for c in row if c != cell), []).append(cell)
        found.update((tuple(sorted(three)), tuple(sorted(cells))) for three, cells in gains.items())
    return found


def expected_doubles(rules: Rules, stones: list[int], color: int) -> dict[int, ThreatKind]:
    found = {}
    for cell, (lines, _) in naive.board_classes(rules, stones, color, radius(rules)).items():
        if LineClass.FIVE in lines:
            continue
        if naive.foul_counts(rules, color) and naive.forbidden_kind(rules.size, stones, cell):
            continue
        fours = 0
        for way, line_class in zip(naive.WAYS, lines, strict=True):
            line = naive.cells_of_line(rules.size, cell, way)
            gapped = len(row_at(stones, cell, color, line)) != rules.win_length - 1
            fours += {LineClass.FOUR: 1, LineClass.OPEN_FOUR: 1 + gapped}.get(line_class, 0)
        threes = sum(line in (LineClass.OPEN_THREE, LineClass.OPEN_THREE_S) for line in lines)
        if fours >= 2:
            found[cell] = ThreatKind.FOUR_FOUR
        elif fours and threes:
            found[cell] = ThreatKind.FOUR_THREE
        elif threes >= 2:
            found[cell] = ThreatKind.THREE_THREE
    return found


@settings(max_examples=120)
@given(crowded_rules, seeds)
def test_all_threats_of_a_board(rules: Rules, seed: int) -> None:
    position = set_up(rules, seed)
    stones = position.cells.tolist()
    threats = find_threats(position)
    assert len(set(threats)) == len(threats)
    for color in Color:
        own = [t for t in threats if t.color is color and t.kind is not ThreatKind.FORBIDDEN]
        four_kinds = {ThreatKind.FOUR: 1, ThreatKind.OPEN_FOUR: 2}
        fours = [t for t in own if t.kind in four_kinds]
        assert Counter((t.stones, t.gains) for t in fours) == expected_fours(rules, stones, color)
        assert all(len(t.gains) == four_kinds[t.kind] for t in fours)
        threes = Counter((t.stones, t.gains) for t in own if t.kind is ThreatKind.OPEN_THREE)
        assert threes == expected_threes(rules, stones, color)
        doubles = [t for t in own if t.kind.value in ("four_four", "four_three", "three_three")]
        assert {t.gains[0]: t.kind for t in doubles} == expected_doubles(rules, stones, color)
        assert len(own) == len(fours) + sum(threes.values()) + len(doubles)
        for threat in own:
            assert all(stones[stone] == color for stone in threat.stones)
            assert not any(stones[gain] for gain in threat.gains)
    fouls = {t.gains[0]: t.reason for t in threats if t.kind is ThreatKind.FORBIDDEN}
    if rules.rule is Rule.RENJU:
        assert fouls == {c: kind for c, kind in enumerate(naive.forbidden_kinds(rules.size, stones)) if kind}
    else:
        assert not fouls


@pytest.mark.parametrize(
    ("rule", "win_length"), [(rule, k) for rule in Rule for k in (4, 5) if rule is not Rule.RENJU or k == 5]
)
def test_the_kernels_list_what_the_plain_twin_does(rule: Rule, win_length: int) -> None:
    rng, seen = np.random.default_rng(int(rule) * 10 + win_length), set()
    for size in (7, 10, 15) * 12:
        position = Position(Rules(size, win_length, rule))
        near = np.argwhere(np.ones((size, size)))[:, 0]
        for _ in range(int(rng.integers(4, 3 * size))):
            middle = abs(near - size // 2) <= 3
            legal = position.legal_mask() & (middle if rng.random() < 0.8 else True)
            if not legal.any():
                break
            after = position.play(rng.choice(np.flatnonzero(legal)))
            if after.outcome is None or rng.random() < 0.02:
                position = after
        found = find_threats(position)
        assert found == Finder(position).find()
        seen |= {threat.kind for threat in found}
    assert len(seen) >= 5
