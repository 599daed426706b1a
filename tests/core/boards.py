"""Drawn boards, random games and comparisons of kernel records, for the tests of core and tactics."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests import naive
from wuzi.core import Color, Position, Rule, Rules

RULES_BUT_RENJU = tuple(rule for rule in Rule if rule is not Rule.RENJU)
COLOR_BLIND = (Rule.FREESTYLE, Rule.STANDARD, Rule.CARO, Rule.CARO_OVERLINE)

seeds = st.integers(0, 2**32 - 1)


def drawn(text: str) -> tuple[int, list[int], dict[int, str]]:
    """Size, stones and marks of a drawing: ``X`` black, ``O`` white, ``.`` empty, else an empty cell."""
    rows = [line.split() for line in text.strip().splitlines()]
    assert all(len(row) == len(rows) for row in rows), "a drawing is square"
    letters = [letter for row in rows for letter in row]
    stones = [".XO".find(letter) if letter in "XO" else 0 for letter in letters]
    return len(rows), stones, {i: letter for i, letter in enumerate(letters) if letter not in ".XO"}


def position_of(text: str, rule: Rule, to_move: Color = Color.BLACK, win_length: int = 5) -> Position:
    size, stones, _ = drawn(text)
    return Position.from_cells(Rules(size=size, win_length=win_length, rule=rule), stones, to_move)


@st.composite
def rule_sets(
    draw: st.DrawFn,
    rules: tuple[Rule, ...] = tuple(Rule),
    sizes: tuple[int, int] = (3, 26),
    win_lengths: tuple[int, int] = (3, 6),
) -> Rules:
    """Any rules with sizes and win lengths in these bounds."""
    smallest = max(sizes[0], win_lengths[0])
    rule = draw(st.sampled_from([r for r in rules if r is not Rule.RENJU or sizes[1] >= 5]))
    if rule is Rule.RENJU:
        return Rules(size=draw(st.integers(max(smallest, 5), sizes[1])), rule=rule)
    size = draw(st.integers(smallest, sizes[1]))
    win_length = draw(st.integers(win_lengths[0], min(win_lengths[1], size)))
    return Rules(size=size, win_length=win_length, rule=rule)


def shuffled_cells(rules: Rules, seed: int) -> list[int]:
    cells = list(range(rules.num_cells))
    random.Random(seed).shuffle(cells)
    return cells


def random_game(rules: Rules, seed: int) -> list[Position]:
    """The positions of a random game from the empty board to its end."""
    positions = [Position(rules)]
    for cell in shuffled_cells(rules, seed):
        if positions[-1].outcome is not None:
            break
        positions.append(positions[-1].play(cell))
    return positions


def random_stones(size: int, seed: int, black: float | None = None, white: float = 0.12) -> list[int]:
    """Random stones without regard to turns; with many black ones, for shapes that games seldom make."""
    rng = random.Random(seed)
    black = rng.uniform(0.1, 0.35) if black is None else black
    share = [black, white, 1 - black - white]
    return rng.choices((1, 2, 0), share, k=size * size)


def without_rows(rules: Rules, stones: list[int]) -> list[int]:
    """The stones less those in winning rows, until nobody has one (a shorter row may win in its turn)."""
    stones, winners = list(stones), [0]
    while winners:
        winners = [
            c for c, stone in enumerate(stones) if stone and naive.winning_rows(rules, stones, c, stone)
        ]
        for cell in winners:
            stones[cell] = 0
    return stones


def loaded(rules: Rules, stones: list[int], side: int = Color.BLACK) -> Any:
    """A kernel record of stones that need not be a lawful position."""
    from wuzi.core import rule_kernels
    from wuzi.core.layout import STATE

    state = np.zeros(1, STATE)[0]
    board = np.array(stones, np.int8)
    board.flags.writeable = False
    rule_kernels.load(state, board, rules.size, rules.win_length, int(rules.rule), int(side))
    return state


def same_record(one: Any, other: Any, but: tuple[str, ...] = ()) -> bool:
    """Whether two records agree in every field; of a history, in the part that is in use."""
    for name in one.dtype.names:
        used = slice(int(one["ply"])) if name == "history" else ...
        if name not in but and not np.array_equal(np.asarray(one[name])[used], np.asarray(other[name])[used]):
            return False
    return True
