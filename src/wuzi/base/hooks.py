"""What a low package is given by a higher one, so that it need not import upwards."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any, Protocol


class GameFiles(Protocol):
    """How games are written, read and drawn: ``wuzi.records.games``, given to ``wuzi.core``."""

    def save(self, game: Any, path: str | PathLike[str]) -> None:
        """Write a game to a file."""

    def load(self, path: str | PathLike[str]) -> Any:
        """The game of a file."""

    def draw(self, item: Any) -> str:
        """The SVG picture of a game or position."""


_game_files: list[Callable[[], GameFiles]] = []


def give_game_files(find: Callable[[], GameFiles]) -> None:
    """Say where :func:`game_files` comes from; ``find`` is called when it is first needed."""
    _game_files[:] = [find]


def game_files() -> GameFiles:
    """What :func:`give_game_files` gave."""
    return _game_files[0]()
