"""Games against perfect defence."""

from __future__ import annotations

import pytest

from wuzi.core import Game, Rules
from wuzi.errors import UnsupportedError
from wuzi.players import create_player
from wuzi.training.evaluation.solver_games import games_against_solver

pytestmark = pytest.mark.kernels

RULES = Rules(size=5, win_length=4)


def test_the_solver_holds_what_can_be_held_and_wins_what_it_is_given() -> None:
    with create_player("random:seed=3") as player:
        games = list(games_against_solver(player, RULES, 4))
    assert len(games) == 4
    for game in games:
        played = Game.from_moves(RULES, game.moves)
        assert played.outcome is not None
        winner = played.outcome.winner
        assert game.score == (0.5 if winner is None else float(winner == 1))
        assert game.score < 1, "with four in a row on 5x5 nobody wins by force"


@pytest.mark.ci("solves 6x6 exactly, move by move")
def test_perfect_play_wins_every_game_where_the_first_player_wins() -> None:
    with create_player("solver") as player:
        games = list(games_against_solver(player, Rules(size=6, win_length=4), 3))
    assert [game.score for game in games] == [1.0] * 3
    assert {len(game.moves) for game in games} == {11}


def test_boards_that_it_does_not_know_are_refused() -> None:
    with create_player("random") as player, pytest.raises(UnsupportedError, match="games against the solver"):
        next(games_against_solver(player, Rules(size=15), 1))
