"""wuzi (五子): a Gomoku lab and opponent.

>>> import wuzi
>>> game = wuzi.Game(wuzi.Rules(size=15)).play("h8").play("j9")
>>> game.ply
2

The names below are the public API. They are imported when first used, so ``import wuzi`` costs
nothing; :mod:`wuzi.errors` draws the tree of exceptions.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wuzi import errors
    from wuzi.arena import match
    from wuzi.contract import Capabilities, Limit, Line, Player, PlayResult, SearchInfo, Stop
    from wuzi.core import (
        Action,
        Color,
        Game,
        Keep,
        Move,
        Opening,
        Outcome,
        Phase,
        Place,
        PlaceSeveral,
        Position,
        Reason,
        Rule,
        Rules,
        Swap,
    )
    from wuzi.errors import WuziError
    from wuzi.players import create_player as player

__version__ = "0.1.0"

__all__ = [
    "Action",
    "Capabilities",
    "Color",
    "Game",
    "Keep",
    "Limit",
    "Line",
    "Move",
    "Opening",
    "Outcome",
    "Phase",
    "Place",
    "PlaceSeveral",
    "PlayResult",
    "Player",
    "Position",
    "Reason",
    "Rule",
    "Rules",
    "SearchInfo",
    "Stop",
    "Swap",
    "WuziError",
    "__version__",
    "errors",
    "match",
    "player",
]

_CONTRACT = ("Capabilities", "Limit", "Line", "PlayResult", "Player", "SearchInfo", "Stop")
_ELSEWHERE = {
    "WuziError": "wuzi.errors:WuziError",
    "match": "wuzi.arena.match:match",
    "player": "wuzi.players:create_player",
}


def __getattr__(name: str) -> Any:
    if name == "errors":
        return importlib.import_module("wuzi.errors")
    if name not in __all__:
        raise AttributeError(f"module 'wuzi' has no attribute {name!r}")
    home = "wuzi.contract" if name in _CONTRACT else "wuzi.core"
    module, _, attribute = _ELSEWHERE.get(name, f"{home}:{name}").partition(":")
    value = getattr(importlib.import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
