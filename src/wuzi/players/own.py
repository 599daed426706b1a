"""Players that only this process knows: an object or a function of the caller's program."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from wuzi.contract import Capabilities, Player, PlayResult, SearchInfo
from wuzi.core import Game, Move, Place
from wuzi.errors import ConfigError
from wuzi.players import registry
from wuzi.players.base import BasePlayer, ThinkRequest

PlayerLike = str | Player | Callable[[Game], Any]
"""A spec, an object with ``think``, or a function from a game to a move (a cell, ``h8`` or an int)."""


@dataclass(frozen=True)
class _NoOptions:
    """A player of the caller's has no options in a spec."""


class OwnPlayer(BasePlayer[_NoOptions]):
    """An object or a function as a player. It is never closed here: it belongs to the caller."""

    config_type = _NoOptions

    def __init__(self, given: Player | Callable[[Game], Any]) -> None:
        """A ConfigError for what is neither."""
        super().__init__(_NoOptions())
        if isinstance(given, type) or not (callable(given) or hasattr(given, "think")):
            raise ConfigError(f"{given!r}: expected a spec, an object with think(), or a function of a game")
        self._given: Any = given

    @property
    def name(self) -> str:
        """The object's own name, or that of its function or class."""
        given = self._given
        return str(getattr(given, "name", None) or getattr(given, "__name__", type(given).__name__))

    @property
    def capabilities(self) -> Capabilities:
        """What the object says; a function gets every game."""
        found = getattr(self._given, "capabilities", None)
        return found if isinstance(found, Capabilities) else Capabilities(deterministic=False)

    def answer(self, request: ThinkRequest, rng: np.random.Generator) -> PlayResult:
        """Ask the object or the function. A function's move is checked by the game."""
        game = request.game
        thinks = hasattr(self._given, "think")
        found: Any = self._given.think(game, request.limit) if thinks else self._given(game)
        if isinstance(found, PlayResult):
            return found
        move = found if isinstance(found, Move) else Move(found, game.rules.size)
        return PlayResult(Place(move), SearchInfo(color=game.to_move))


@contextmanager
def temporary_spec(player: PlayerLike) -> Iterator[str]:
    """A spec, with its label, that makes this player while the block runs; text is a spec already."""
    if isinstance(player, str):
        yield player
        return
    own = OwnPlayer(player)
    with registry.known_here(own) as name:
        yield f"{re.sub(r'[^A-Za-z0-9_]+', '-', own.name).strip('-')}={name}"
