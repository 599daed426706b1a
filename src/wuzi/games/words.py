"""Words about games that the terminal and the desktop window share."""

from __future__ import annotations

from wuzi.base.words import load_catalogue
from wuzi.core import Game


def how_it_ended(game: Game, language: str) -> str:
    """How a game that is over ended, such as "5 in a row"."""
    assert game.outcome is not None
    key = f"reason.{game.outcome.reason.label}"
    return load_catalogue("wuzi.games", language)(key, n=game.rules.win_length)
