"""Rules, positions and games as values: through pickle, copied, and drawn."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wuzi.core import Color, Game, Keep, Move, Outcome, PlaceSeveral, Position, Reason, Rule, Rules, Swap

pytestmark = pytest.mark.kernels

BOARDS = (
    Rules(size=5, win_length=3),
    Rules(size=7, rule=Rule.RENJU),
    Rules(size=6, win_length=4, rule=Rule.CARO),
    Rules(size=26, rule=Rule.STANDARD),
)


def same(a: Game, b: Game) -> None:
    assert a == b and hash(a) == hash(b)
    assert (a.phase, a.moves, a.seat_to_act, a.outcome) == (b.phase, b.moves, b.seat_to_act, b.outcome)
    for x, y in ((a.position, b.position), (a.start, b.start)):
        assert x == y and x.key == y.key
        assert (x.ply, x.to_move, x.last_move, x.outcome) == (y.ply, y.to_move, y.last_move, y.outcome)
        assert not y.cells.flags.writeable


@settings(max_examples=60)
@given(st.sampled_from(BOARDS), st.randoms(use_true_random=False), st.integers(0, 40), st.booleans())
def test_a_game_survives_pickle(board: Rules, random: object, plies: int, gives_up: bool) -> None:
    game = Game(board)
    for _ in range(plies):
        if game.outcome is None:
            game = game.play(random.choice(game.position.legal_moves))  # type: ignore[attr-defined]
    if gives_up and game.outcome is None:
        game = game.resign(game.to_move)
    for protocol in (2, pickle.HIGHEST_PROTOCOL):
        same(game, pickle.loads(pickle.dumps(game, protocol)))
    same(game, copy.deepcopy(game))
    assert pickle.loads(pickle.dumps(board)) == board
    if game.actions:
        same(game.undo(), pickle.loads(pickle.dumps(game)).undo())


def test_swap_openings_and_set_up_positions_survive_pickle() -> None:
    rules = Rules(size=9, opening="swap2")  # type: ignore[arg-type]
    three = Game(rules).act(PlaceSeveral((Move(0, 9), Move(1, 9), Move(2, 9))))
    for game in (
        three,
        three.act(Swap()),
        three.act(Keep()),
        three.act(PlaceSeveral((Move(9, 9), Move(10, 9)))),
    ):
        same(game, pickle.loads(pickle.dumps(game)))
    start = Position.from_cells(Rules(size=3, win_length=3), [1, 0, 2] + [0] * 6, Color.WHITE, 0)
    game = Game(start.rules, start).play(4).end(Outcome(None, Reason.AGREEMENT))
    same(game, pickle.loads(pickle.dumps(game)))


def ply_of(game: Game) -> int:
    return game.ply


@pytest.mark.slow
def test_games_travel_to_other_processes() -> None:
    games = [Game(Rules(size=9)).play(cell) for cell in range(3)]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert list(pool.map(ply_of, games)) == [1, 1, 1]


def test_notebooks_draw_games_and_positions() -> None:
    game = Game(Rules(size=9)).play("e5")
    assert game._repr_svg_().startswith("<svg")  # type: ignore[attr-defined]
    assert game.position._repr_svg_().startswith("<svg")  # type: ignore[attr-defined]
    assert str(game).splitlines()[4] == " 5 . . . . X . . . ."
