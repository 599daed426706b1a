"""Writing a game and reading it again gives the same game, in every format, for what the format holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.records.strategies import full_records, games, plain_records
from wuzi.core import Game, Opening
from wuzi.core.symmetry import transform_moves
from wuzi.errors import RecordError
from wuzi.records import GameRecord, dumps, loads, parse_board
from wuzi.records.piskvork import is_move_line
from wuzi.records.registry import sniff


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


@given(record=plain_records(openings=False, setups=False), origin=st.sampled_from(["bottom", "top"]))
def test_position_codes_keep_the_moves(record: GameRecord, origin: str) -> None:
    from wuzi.records import pos

    again = pos.parse(dumps(record, "pos", origin=origin), record.rules, origin)
    assert again.moves == record.moves


@given(game=games(openings=False))
def test_diagrams_keep_the_stones_and_the_last_move(game: Game) -> None:
    diagram = parse_board(dumps(game, "txt"))
    assert np.array_equal(diagram.cells, game.position.cells)
    assert diagram.last_move == game.position.last_move
    record = loads(dumps(game, "txt"), "txt", rules=game.rules)
    assert np.array_equal(record.game().position.cells, game.position.cells)


@pytest.mark.parametrize("name", ["sgf", "json", "psq", "rec", "pos"])
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
