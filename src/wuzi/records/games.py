"""Games as files and pictures: what ``game.save``, ``Game.load`` and notebooks use in :mod:`wuzi.core`."""

from __future__ import annotations

from os import PathLike

from wuzi.core import Game, Position
from wuzi.records import files
from wuzi.records.formats.svg import draw_game, draw_position


def save(game: Game, path: str | PathLike[str]) -> None:
    """Write a game to a file; see :func:`wuzi.records.save`."""
    files.save(game, path)


def load(path: str | PathLike[str]) -> Game:
    """The main line of the first game of a file."""
    return files.load(path).game()


def draw(item: Game | Position) -> str:
    """The SVG picture of a game or position."""
    return draw_game(item) if isinstance(item, Game) else draw_position(item)
