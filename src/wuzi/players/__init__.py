"""Players by spec string: ``create_player("minimax:preset=s0,seed=1")``. Loaded when first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wuzi.base.schema import Option, option
    from wuzi.players.base import BasePlayer, state_rng
    from wuzi.players.registry import PlayerInfo, create_player, list_players, player_info
    from wuzi.players.spec import PlayerSpec, format_spec, parse_spec

__all__ = [
    "BasePlayer",
    "Option",
    "PlayerInfo",
    "PlayerSpec",
    "create_player",
    "format_spec",
    "list_players",
    "option",
    "parse_spec",
    "player_info",
    "state_rng",
]

_MODULES = {
    "players.base": ("BasePlayer", "state_rng"),
    "players.registry": ("PlayerInfo", "create_player", "list_players", "player_info"),
    "base.schema": ("Option", "option"),
    "players.spec": ("PlayerSpec", "format_spec", "parse_spec"),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(importlib.import_module(f"wuzi.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
