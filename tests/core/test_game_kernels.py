"""Kernels of set-up positions, of what may be played and of opening protocols, beside slow twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from tests import naive
from tests.core.boards import loaded, random_stones, rule_sets, seeds
from wuzi.core import Color, Opening, Phase, Rule, Rules, game_kernels
from wuzi.core import layout as at

pytestmark = pytest.mark.kernels

OPENINGS, PHASES = tuple(Opening), tuple(Phase)
SWAPS = (Opening.SWAP1, Opening.SWAP2)


def test_the_numbers_are_those_of_the_names() -> None:
    assert [getattr(at, one.name) for one in Opening] == list(range(len(OPENINGS)))
    assert [getattr(at, one.name) for one in Phase] == list(range(len(PHASES)))


@settings(max_examples=120)
@given(rule_sets(sizes=(3, 12)), seeds)
def test_set_up_boards(rules: Rules, seed: int) -> None:
    stones = random_stones(rules.size, seed, white=0.3)
    state = loaded(rules, stones)
    rows = {color: set[tuple[int, ...]]() for color in Color}
    for cell, stone in enumerate(stones):
        if stone:
            rows[Color(stone)].update(naive.winning_rows(rules, stones, cell, stone))
    for color, expected in rows.items():
        found, listed, n = np.empty(6 * rules.num_cells, np.int64), [], 0
        end = game_kernels.winning_rows(state, int(color), found)
        while n < end:
            listed.append(tuple(found[n + 1 : n + 1 + found[n]].tolist()))
            n += 1 + int(found[n])
        assert listed == sorted(expected)
    winners = [color for color, won in rows.items() if won]
    assert game_kernels.judge_set_up(state) == (len(winners) < 2)
    if len(winners) == 1:
        assert (int(state["result"]), int(state["reason"])) == (winners[0], at.BY_LINE)
    elif not winners:
        assert int(state["result"]) == (at.UNDECIDED if 0 in stones else at.DRAW)


@settings(max_examples=60)
@given(seeds)
def test_whose_turn_it_is_and_where_it_may_play(seed: int) -> None:
    stones = random_stones(7, seed)
    board = np.array(stones, np.int8)
    even = stones.count(Color.BLACK) == stones.count(Color.WHITE)
    assert game_kernels.side_by_count(board) == (Color.BLACK if even else Color.WHITE)
    legal = np.empty(49, np.int8)
    assert game_kernels.legal_map(board, 0, legal) == stones.count(0)
    assert legal.tolist() == [int(not stone) for stone in stones]
    assert (game_kernels.legal_map(board, 1, legal), legal.any()) == (0, False)
    assert [game_kernels.why_not(board, 0, cell) for cell in (-1, 49)] == [at.IS_OFF_BOARD] * 2
    assert game_kernels.why_not(board, 1, 0) == at.IS_OVER
    for cell, stone in enumerate(stones):
        assert game_kernels.why_not(board, 0, cell) == (at.IS_TAKEN if stone else at.MAY_PLAY)


@settings(max_examples=30)
@given(seeds)
def test_only_the_black_side_fouls(seed: int) -> None:
    stones = random_stones(9, seed, black=0.35)
    kinds = [int(kind) for kind in naive.forbidden_kinds(9, stones)]
    for side, expected in ((Color.BLACK, kinds), (Color.WHITE, [0] * 81)):
        found = np.full(81, 9, np.int8)
        game_kernels.foul_map(loaded(Rules(9, rule=Rule.RENJU), stones, side), found)
        assert found.tolist() == expected


def after(opening: Opening, phase: Phase, action: int, stones: int) -> Phase | None:
    """The protocols as their inventors describe them."""
    choosing = phase in (Phase.CHOOSE, Phase.CHOOSE_AFTER_FIVE)
    if action != at.PLACE:
        return Phase.PLAY if choosing else None
    allowed = {
        Phase.PLACE_THREE: {3: Phase.CHOOSE},
        Phase.CHOOSE: {1: Phase.PLAY},
        Phase.CHOOSE_AFTER_FIVE: {1: Phase.PLAY},
        Phase.PLAY: {1: Phase.PLAY},
        Phase.OVER: {},
    }
    if opening is Opening.SWAP2:
        allowed[Phase.CHOOSE][2] = Phase.CHOOSE_AFTER_FIVE
    return allowed[phase].get(stones)


@pytest.mark.parametrize("opening", OPENINGS)
def test_the_protocols(opening: Opening) -> None:
    code = OPENINGS.index(opening)
    for phase in PHASES:
        for action in (at.PLACE, at.SWAP, at.KEEP):
            for stones in range(-1, 6):
                expected = after(opening, phase, action, stones)
                found = game_kernels.phase_after(code, PHASES.index(phase), action, stones)
                assert found == (at.REFUSED if expected is None else PHASES.index(expected))
    begun = [game_kernels.first_phase(code, ply, over) for ply, over in ((0, 0), (4, 0), (4, 1))]
    refused = [at.PLACE_THREE, at.REFUSED, at.REFUSED]
    assert begun == (refused if opening in SWAPS else [at.PLAY, at.PLAY, at.OVER])


def test_seats_and_ends() -> None:
    assert [game_kernels.phase_with_result(at.CHOOSE, n, over) for n, over in ((3, 0), (3, 1))] == [
        at.CHOOSE,
        -1,
    ]
    assert [game_kernels.phase_with_result(at.PLAY, 1, over) for over in (0, 1)] == [at.PLAY, at.OVER]
    # Three stones: the second seat is to choose and has White. Five: the first seat is.
    assert game_kernels.black_after(at.PLACE_THREE, 0, at.PLACE, 3) == 0
    assert game_kernels.black_after(at.CHOOSE, 0, at.PLACE, 2) == 1
    assert [game_kernels.black_after(at.CHOOSE, seat, at.SWAP, 0) for seat in (0, 1)] == [1, 0]
    assert [game_kernels.black_after(at.CHOOSE, seat, at.KEEP, 0) for seat in (0, 1)] == [0, 1]
    assert [game_kernels.seat_to_act(at.PLACE_THREE, black, side) for black in (0, 1) for side in Color] == [
        0
    ] * 4
    assert [game_kernels.seat_to_act(at.PLAY, black, side) for black in (0, 1) for side in (1, 2)] == [
        *(0, 1),
        *(1, 0),
    ]
