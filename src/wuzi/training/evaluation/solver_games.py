"""A player against perfect defence, on boards that the exact solver knows and the first player wins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wuzi.contract import Limit, Player
from wuzi.core import Color, Game, Move, Rules
from wuzi.errors import PlayerError, UnsupportedError
from wuzi.games.referee import play_game
from wuzi.players import create_player
from wuzi.search.exact.solver import why_unsupported


@dataclass(frozen=True, slots=True)
class ExactGame:
    """A game against the solver: 1 won by the first player, 0.5 drawn, 0 lost; and all stones."""

    score: float
    moves: tuple[Move, ...]


def games_against_solver(player: Player, rules: Rules, games: int, seed: int = 1) -> Iterator[ExactGame]:
    """Let a player move first against the defence that resists longest; each game as it ends.

    The solver draws lots among equally long defences, by ``seed`` and the game's number. As soon as it is
    allowed to, it wins or holds the draw. An UnsupportedError for rules that the solver does not know.
    """
    if (reason := why_unsupported(rules)) is not None:
        raise UnsupportedError(f"games against the solver: {reason}")
    for number in range(games):
        with create_player(f"solver:seed={seed * 1000 + number}") as solver:
            played = play_game((player, solver), Game(rules), (Limit(), Limit()))
        if played.detail or played.game.outcome is None:
            raise PlayerError(f"a game against the solver could not be played: {played.detail}")
        winner = played.game.outcome.winner
        yield ExactGame(0.5 if winner is None else float(winner is Color.BLACK), played.game.moves)
