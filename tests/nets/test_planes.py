"""Feature planes against a slow twin written from their descriptions, and under the board's symmetries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import naive
from tests.core.boards import random_stones, rule_sets, seeds, shuffled_cells, without_rows
from wuzi.core import Color, Game, Position, Rule, Rules
from wuzi.core.lines import radius
from wuzi.core.symmetry import cell_maps, transform_planes
from wuzi.errors import ConfigError, UnsupportedError
from wuzi.nets import planes
from wuzi.tactics import CellClass

pytestmark = pytest.mark.kernels

LEGACY = Path(__file__).parent / "legacy"
K = CellClass
THREATS = (
    {K.FIVE},
    {K.OPEN_FOUR},
    {K.FOUR, K.FOUR_PLUS, K.FOUR_THREE},
    {K.THREE, K.THREE_PLUS, K.DOUBLE_THREE, K.FOUR_THREE},
)

table_rules = rule_sets(sizes=(5, 8), win_lengths=(4, 5))
names = st.sampled_from(sorted(planes.PLANE_SETS))


def some_game(rules: Rules, seed: int) -> Game:
    """A game still going on, of random moves."""
    cells = shuffled_cells(rules, seed)
    game = Game(rules)
    for cell in cells[: seed % (rules.num_cells // 2)]:
        after = game.play(cell)
        if after.outcome is not None:
            break
        game = after
    return game


def set_up(rules: Rules, seed: int) -> Position:
    stones = without_rows(rules, random_stones(rules.size, seed))
    return Position.from_cells(rules, stones, Color(1 + seed % 2))


def twin(name: str, item: Game | Position) -> np.ndarray[Any, Any]:
    """The planes from their description, cell by cell."""
    position = item if isinstance(item, Position) else item.position
    moves = list(item.moves) if isinstance(item, Game) else []
    rules, own = position.rules, position.to_move
    stones = position.cells.tolist()
    found = [[float(stone == own) for stone in stones], [float(stone == 3 - own) for stone in stones]]
    empty = [float(not stone) for stone in stones]
    latest = [[float(cell == move) for cell in range(len(stones))] for move in reversed(moves)]
    nothing = [0.0] * len(stones)
    if name == "az4-v1":
        found += [latest[0] if latest else nothing, [float(position.ply % 2 == 0)] * len(stones)]
    elif name == "res3-v1":
        found += [empty]
    elif name == "history11-v1":
        found += [empty, *(latest + [nothing] * 8)[:8]]
    elif name == "board7-v1":
        constant = [float(position.to_move is Color.BLACK), float(rules.rule), float(rules.win_length)]
        found += [*(latest + [nothing] * 2)[:2], *([value] * len(stones) for value in constant)]
    else:
        found += tactical_twin(rules, stones, own)
    return np.array(found, np.float32).reshape(-1, rules.size, rules.size)


def tactical_twin(rules: Rules, stones: list[int], own: Color) -> list[list[float]]:
    def everywhere(value: bool) -> list[float]:
        return [float(value)] * len(stones)

    def marks(cells: set[int]) -> list[float]:
        return [float(cell in cells) for cell in range(len(stones))]

    def overline_wins(color: Color) -> bool:
        return naive.row_wins(rules, color, rules.win_length + 1, ".", ".")

    found = [everywhere(True), everywhere(own is Color.BLACK)]
    for color in (own, own.opponent):
        classes = naive.board_classes(rules, stones, color, radius(rules))
        found += [
            marks({cell for cell, (_, kind) in classes.items() if kind in wanted}) for wanted in THREATS
        ]
    fouls: set[int] = set()
    if rules.rule is Rule.RENJU:
        fouls = {cell for cell, kind in enumerate(naive.forbidden_kinds(rules.size, stones)) if kind}
    found += [marks(fouls if color is Color.BLACK else set()) for color in (own, own.opponent)]
    found += [everywhere(not overline_wins(color)) for color in (own, own.opponent)]
    blocked = not naive.row_wins(rules, own, rules.win_length, "o", "o")
    return [*found, everywhere(blocked), everywhere(rules.win_length == 4)]


@settings(max_examples=40)
@given(names, table_rules, seeds, st.booleans())
def test_planes_are_what_their_description_says(name: str, rules: Rules, seed: int, drawn: bool) -> None:
    items: list[Game | Position] = (
        [set_up(rules, seed), set_up(rules, seed + 1)] if drawn else [some_game(rules, seed), Game(rules)]
    )
    records = planes.records_of(items)
    before = records.tobytes()
    encoded = planes.PlaneEncoder(name, rules).encode(records)
    assert records.tobytes() == before
    for item, found in zip(items, encoded, strict=True):
        np.testing.assert_array_equal(found, twin(name, item))


@settings(max_examples=40)
@given(names, table_rules, seeds, st.integers(0, 7))
def test_planes_turn_with_the_board(name: str, rules: Rules, seed: int, symmetry: int) -> None:
    game = some_game(rules, seed)
    where = cell_maps(rules.size)[symmetry]
    turned = Game.from_moves(rules, [int(where[move]) for move in game.moves])
    one, other = planes.PlaneEncoder(name, rules).encode(planes.records_of([game, turned]))
    np.testing.assert_array_equal(transform_planes(one, symmetry), other)


@settings(max_examples=30)
@given(table_rules, seeds)
def test_class_maps_and_run_counts(rules: Rules, seed: int) -> None:
    position = set_up(rules, seed)
    stones = position.cells.tolist()
    records = planes.records_of([position])
    maps = planes.class_maps(records, rules)[0].reshape(2, -1)
    counts = []
    for side, color in enumerate((position.to_move, position.to_move.opponent)):
        classes = naive.board_classes(rules, stones, color, radius(rules))
        for cell, stone in enumerate(stones):
            assert maps[side, cell] == (planes.planes_kernels.OCCUPIED if stone else classes[cell][1])
        counts += naive_runs(rules, stones, color)
    assert planes.run_counts(records)[0].tolist() == counts


def naive_runs(rules: Rules, stones: list[int], color: Color) -> list[int]:
    """Open fours, closed fours and open threes as unbroken runs."""
    found = [0, 0, 0]
    for way in naive.WAYS:
        lines = {tuple(naive.cells_of_line(rules.size, cell, way)) for cell in range(rules.num_cells)}
        for line in lines:
            text = "#" + naive.letters(stones, line, color) + "#"
            for found_run in naive.re.finditer("x+", text):
                length = found_run.end() - found_run.start()
                ends = (text[found_run.start() - 1] + text[found_run.end()]).count(".")
                if length == rules.win_length - 1 and ends:
                    found[2 - ends] += 1
                if length == rules.win_length - 2 and ends == 2:
                    found[2] += 1
    return found


def test_a_position_knows_its_last_stone_only() -> None:
    game = Game(Rules(size=9)).play("e5").play("f6").play("c3")
    encoder = planes.PlaneEncoder("history11-v1", game.rules)
    of_game, of_position = encoder.encode(planes.records_of([game, game.position]))
    np.testing.assert_array_equal(of_game[:4], of_position[:4])
    assert [plane.sum() for plane in of_game[3:]] == [1, 1, 1, 0, 0, 0, 0, 0]
    assert [plane.sum() for plane in of_position[3:]] == [1, 0, 0, 0, 0, 0, 0, 0]


def test_az4_planes_are_those_of_the_family() -> None:
    """Its move ``h * width + w`` counts h from the bottom; its plane row 0 is the top row."""
    reference = json.loads((LEGACY / "reference.json").read_text("utf-8"))
    for case in reference["cases"]:
        n = case["board"]
        rules = Rules(size=n, win_length=case["n_in_row"])
        moves = [(n - 1 - move // n) * n + move % n for move in case["moves"]]
        records = planes.records_of([Game.from_moves(rules, moves)])
        encoded = planes.PlaneEncoder("az4-v1", rules).encode(records)[0]
        np.testing.assert_array_equal(encoded, np.array(case["planes"], np.float32))


def test_unknown_planes_and_win_lengths() -> None:
    with pytest.raises(ConfigError, match="unknown feature planes 'az9': expected one of az4-v1"):
        planes.PlaneEncoder("az9", Rules())
    with pytest.raises(UnsupportedError, match="3 in a row: made for 4 and 5"):
        planes.PlaneEncoder("tactical18-v1", Rules(size=5, win_length=3))


def test_every_plane_has_a_name() -> None:
    for name, item in planes.PLANE_SETS.items():
        assert len(set(item.names)) == item.channels
        assert name.startswith(tuple("abcdefghijklmnopqrstuvwxyz")) and f"``{name}``" in (
            planes.__doc__ or ""
        )
