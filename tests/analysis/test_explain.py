"""Moves in words: each remark is held against the rules, by trying moves."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wuzi.analysis import Explainer, HintReason, Said, explain_kernels
from wuzi.contract import Line
from wuzi.core import Color, Game, Move, Position, Rules, parse_move, parse_moves
from wuzi.tactics import CellClass, cell_classes
from wuzi.tactics.checker import why_line_fails, wins_at_once

pytestmark = pytest.mark.kernels


def said(rules: Rules, moves: str, move: str) -> dict[Said, tuple[Move, ...]]:
    game = Game.from_moves(rules, parse_moves(moves, rules.size))
    found = Explainer(game.position).explain(parse_move(move, rules.size))
    return {remark.said: remark.cells for remark in found}


@pytest.mark.parametrize(
    ("moves", "move", "expected"),
    [
        ("a1i1b1i3c1i5d1i7", "e1", Said.WINS),
        ("a1i1b1i3c1i5d1", "e1", Said.STOPS_FIVE),
        ("a1i1b1i3c1i5d1", "e5", Said.LEAVES_FIVE),
        ("c5a1d5a3e5a8", "f5", Said.OPEN_FOUR),
        ("c5a1d5a3e5", "f5", Said.STOPS_OPEN_THREE),
        ("c5a1d5a3e5", "i9", Said.ALLOWS_FOURS),
        ("d5a1e5a3", "f5", Said.OPEN_THREE),
        ("a5b1b5d1c5a3", "d5", Said.FOUR),
        ("d5a1e5i9f6i1f7a9", "f5", Said.TWO_THREES),
        ("", "e5", Said.QUIET),
        ("e5a1", "f6", Said.OPEN_TWO),
        ("e5", "f6", Said.TAKES_TWO),
    ],
)
def test_what_is_said_of_known_moves(moves: str, move: str, expected: Said) -> None:
    assert expected in said(Rules(size=9), moves, move)


def test_the_place_of_a_move_is_not_named_twice() -> None:
    """White's stone stands where two open threes would have been made."""
    game = Game.from_moves(Rules(size=9), parse_moves("a1f6a3f7a5d5a7e5", 9))
    told = [remark.text(9) for remark in Explainer(game.position).explain(parse_move("f5", 9))]
    assert "stops two open threes at once here" in told


def test_the_answer_to_a_four_is_named() -> None:
    assert said(Rules(size=9), "a5b1b5d1c5a3", "d5")[Said.FOUR] == (parse_move("e5", 9),)


def test_forbidden_points_are_named_by_kind() -> None:
    rules = Rules(15, 5, "renju")  # type: ignore[arg-type]
    assert Said.FOUL_DOUBLE_THREE in said(rules, "h9a1h10a3i8a5j8a7", "h8")


def test_the_search_has_a_word_too() -> None:
    game = Game.from_moves(Rules(size=9), [])
    move = parse_move("e5", 9)
    found = Explainer(game.position).explain(move, Line(move, 1.0, game.to_move, win_in=11))
    assert [(remark.said, remark.plies) for remark in found] == [(Said.WINS_IN, 11)]
    assert found[0].text(9) == "wins in 11 plies" and found[0].text(9, "zh") == "11 步内必胜"


def test_a_four_only_delays_a_win_by_fours() -> None:
    """Black wins with k13. White's four is blocked at j7, and k13 still wins."""
    found = said(Rules(15), "e7f7k10g7k11h7k12k9h13g13i13a1j13", "i7")
    assert found == {Said.FOUR: (parse_move("j7", 15),)}


def test_other_win_lengths_get_only_what_is_sure() -> None:
    assert set(said(Rules(7, 6), "a1a7b1b7", "c1")) == {Said.QUIET}
    assert set(said(Rules(7, 3), "a1a7b1b7", "c1")) == {Said.WINS}


def test_both_languages_have_the_same_places() -> None:
    for remark in Said:
        assert re.findall(r"{\w+}", remark.en) == re.findall(r"{\w+}", remark.zh)
    assert len({remark.en for remark in Said}) == len({remark.zh for remark in Said}) == len(Said)


def turned(position: Position, color: Color) -> Position:
    return Position.from_cells(position.rules, position.cells, color)


@settings(max_examples=60)
@given(st.sampled_from(["freestyle", "standard", "renju"]), st.integers(0, 10_000))
def test_remarks_are_true(rule: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    position = Position(Rules(9, 5, rule))  # type: ignore[arg-type]
    for _ in range(int(rng.integers(4, 30))):
        after = position.play(rng.choice(position.legal_moves))
        if after.outcome is None:
            position = after
    explainer = Explainer(position)
    me, opponent = position.to_move, position.to_move.opponent
    for move in rng.choice(position.legal_moves, 6):
        after = position.play(int(move))
        again = None if after.outcome else turned(after, me)
        proofs = {
            Said.ALLOWS_FOURS: after,
            Said.BEGINS_FOURS: position,
            Said.THREATENS_FOURS: again,
            Said.STOPS_FOURS: turned(position, opponent),
        }
        for remark in explainer.explain(Move(move, position.rules.size)):
            kind = remark.said
            if (proof := proofs.get(kind)) is not None:
                assert why_line_fails(proof, remark.cells) is None
            elif kind is Said.WINS:
                assert after.outcome is not None and after.outcome.winner is me
            elif kind is Said.LEAVES_FIVE:
                assert set(wins_at_once(after)) >= set(remark.cells)
            elif kind is Said.STOPS_FIVE:
                assert int(move) in wins_at_once(turned(position, opponent)) and not wins_at_once(after)
            elif kind in (Said.FOUR, Said.OPEN_FOUR, Said.TWO_FOURS):
                assert again is not None
                found = wins_at_once(again)
                assert len(found) >= (1 if kind is Said.FOUR else 2) and set(found) >= set(remark.cells)


def test_cell_classes_are_by_cell() -> None:
    position = Game.from_moves(Rules(9), parse_moves("c5a1d5a3e5a8", 9)).position
    classes = cell_classes(position)
    assert classes.shape == (2, 81)
    assert classes[0][parse_move("f5", 9)] == CellClass.OPEN_FOUR
    assert classes[0][parse_move("c5", 9)] == CellClass.NONE


def test_kernels_number_what_is_said_as_the_lists_do() -> None:
    aliases = {"OPEN_FOUR": "MAKES_OPEN_FOUR"}
    for place, one in enumerate(Said):
        number = getattr(explain_kernels, aliases.get(one.name, one.name), place)
        assert number == place, one
    assert explain_kernels.STOPS_FOUR_FOUR + 2 == explain_kernels.STOPS_THREE_THREE
    why = [value for name, value in vars(explain_kernels).items() if name.startswith("WHY_")]
    assert sorted(why) == list(range(len(HintReason)))
    assert explain_kernels.WHY_BEST == list(HintReason).index(HintReason.BEST_FOUND)
