"""Writing a game and reading it again gives the same game, in every format, for what the format holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.records.strategies import add_variation, full_records, games, plain_records, play_random
from wuzi.core import Game, Opening, Rules
from wuzi.core.symmetry import transform_moves
from wuzi.errors import RecordError
from wuzi.records import GameRecord, dumps, dumps_all, loads, loads_all, parse_board
from wuzi.records.formats.piskvork import is_move_line
from wuzi.records.registry import sniff

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", ["sgf", "json"])
@given(record=full_records())
def test_sgf_and_json_keep_everything(name: str, record: GameRecord) -> None:
    text = dumps(record, name)
    again = loads(text, name)
    assert again == record
    assert again.warnings == ()
    assert dumps(again, name) == text
    assert sniff(text).name == name


@pytest.mark.parametrize("name", ["sgf", "json"])
@given(game=games())
def test_sgf_and_json_give_the_game_back(name: str, game: Game) -> None:
    assert loads(dumps(game, name)).game() == game


@pytest.mark.parametrize("name", ["psq", "rec"])
@given(record=plain_records(openings=False, setups=False))
def test_psq_and_rec_keep_the_main_line(name: str, record: GameRecord) -> None:
    assume(not any(map(is_move_line, (record.black, record.white))))
    again = loads(dumps(record, name), name)
    assert again == record
    assert again.game() == record.game()
    assert again.warnings == ()


SIZES = range(3, 27)


def game_on(size: int, seed: int) -> Game:
    return play_random(Game(Rules(size, min(5, size))), seed, max_plies=40)


@pytest.mark.parametrize("size", SIZES)
def test_every_format_on_every_board(size: int) -> None:
    for seed in range(3):
        game = game_on(size, seed)
        for name in ("sgf", "json", "psq", "rec"):
            assert loads(dumps(game, name), name).game().moves == game.moves, name
        for name in ("sgf", "json"):
            assert loads(dumps(game, name), name).game() == game, name
        for name in ("pos", "pos-top"):
            assert loads(dumps(game, name), name, rules=game.rules).moves == game.moves, name
        stones = loads(dumps(game, "txt"), "txt", rules=game.rules).game().position.cells
        assert np.array_equal(stones, game.position.cells)


@pytest.mark.parametrize("size", SIZES)
def test_collections_with_variations_on_every_board(size: int) -> None:
    records = []
    for seed in (5, 6):
        record = GameRecord.from_game(game_on(size, seed), black="黑", white="w]\\")
        nodes = list(record.root.main_line())
        for index in range(0, len(nodes) - 1, 4):
            nodes[index].comment = f"第 {index} 手\n(;B[aa])"
            add_variation(record, nodes, index, 7 * index + seed, f"[{index}] \\ 变化")
        records.append(record)
    assert any(len(node.children) > 1 for record in records for node in record.root.walk())
    for name in ("sgf", "json"):
        assert loads_all(dumps_all(records, name), name) == records


@settings(max_examples=30)
@pytest.mark.parametrize("name", ["sgf", "json"])
@given(records=st.lists(full_records(), min_size=1, max_size=3))
def test_collections_keep_every_game(name: str, records: list[GameRecord]) -> None:
    assert loads_all(dumps_all(records, name), name) == records


def test_formats_of_one_game_refuse_collections() -> None:
    game = Game()
    assert dumps_all([game], "psq") == dumps(game, "psq")
    with pytest.raises(RecordError, match="2 games: psq holds one; expected sgf, pos, pos-top or json"):
        dumps_all([game, game], "psq")


@given(record=plain_records(openings=False, setups=False), origin=st.sampled_from(["bottom", "top"]))
def test_position_codes_keep_the_moves(record: GameRecord, origin: str) -> None:
    from wuzi.records.formats import pos

    (again,) = pos.parse_all(dumps(record, "pos", origin=origin), record.rules, origin)
    assert again.moves == record.moves


@given(game=games(openings=False))
def test_diagrams_keep_the_stones_and_the_last_move(game: Game) -> None:
    diagram = parse_board(dumps(game, "txt"))
    assert np.array_equal(diagram.cells, game.position.cells)
    assert diagram.last_move == game.position.last_move
    record = loads(dumps(game, "txt"), "txt", rules=game.rules)
    assert np.array_equal(record.game().position.cells, game.position.cells)


@pytest.mark.parametrize("name", ["sgf", "json", "psq", "rec", "pos", "pos-top"])
@given(game=games(openings=False, setups=False), symmetry=st.integers(0, 7))
def test_formats_commute_with_the_symmetries(name: str, game: Game, symmetry: int) -> None:
    size = game.rules.size
    turned = Game.from_moves(game.rules, transform_moves(game.moves, size, symmetry))
    again = loads(dumps(turned, name), name, rules=game.rules)
    assert again.moves == transform_moves(
        loads(dumps(game, name), name, rules=game.rules).moves, size, symmetry
    )


@pytest.mark.parametrize("name", ["psq", "rec", "pos"])
@given(game=games(openings=False))
def test_formats_without_set_up_stones_refuse_them(name: str, game: Game) -> None:
    plain = Game(game.rules)
    if game.start == plain.start:
        dumps(game, name)
        return
    with pytest.raises(RecordError, match="set-up stones"):
        dumps(game, name)


@given(game=games(setups=False))
def test_swap_openings_without_their_actions_replay_as_plain_moves(game: Game) -> None:
    record = GameRecord.from_game(game)
    record.opening = None
    replayed = record.game()
    assert replayed.moves == game.moves
    assert replayed.rules == replace(game.rules, opening=Opening.FREE)
