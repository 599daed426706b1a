"""The ``layers`` request of the analysis protocol: what can be said of a position without a search.

::

    -> {"type":"layers","id":"l1","position":{...},"include":["threats","scores"],"net":"","depth":2}
    <- {"type":"layered","id":"l1","turnNumber":5,"threats":{...},"scores":{...},"unsupported":{}}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wuzi.core.game import Game
from wuzi.core.notation import Move, format_move
from wuzi.protocols.analysis.wire import (
    RequestError,
    parse_cell_list,
    parse_position,
    position_json,
    short,
    text_field,
    whole_field,
)

LAYERS = frozenset({"threats", "scores", "net", "tree", "words"})
MAX_TREE_DEPTH = 4
MAX_WORDS = 20


@dataclass(frozen=True, slots=True)
class Layers:
    """Ask what can be said of a position at a glance; answered by ``layered``.

    Attributes:
        id: the caller's name for it.
        game: the position, with its past for nets that look at it.
        include: which of :data:`LAYERS`.
        net: the net of the layer ``net``, by name.
        depth: plies of the layer ``tree``.
        moves: which moves the layer ``words`` puts into words.
    """

    id: str
    game: Game
    include: frozenset[str]
    net: str = ""
    depth: int = 2
    moves: tuple[Move, ...] = ()


def parse_game(message: Mapping[str, Any]) -> Game:
    """The game in the ``position`` of a request.

    Raises:
        WuziError: there is none.
    """
    position = message.get("position")
    if not isinstance(position, dict):
        raise RequestError("bad_request", f"position is {short(position)}: expected an object")
    return parse_position(position)


def parse_include(message: Mapping[str, Any], allowed: frozenset[str]) -> frozenset[str]:
    """The names in the ``include`` of a request; RequestError if one of them is not allowed."""
    include = message.get("include") or []
    if not isinstance(include, list) or not all(isinstance(name, str) for name in include):
        raise RequestError("bad_request", f"include is {short(include)}: expected a list of names")
    if unknown := sorted(set(include) - allowed):
        known = ", ".join(sorted(allowed))
        raise RequestError("bad_request", f"include has {short(unknown[0])}: expected {known}")
    return frozenset(include)


def parse_layers(message: Mapping[str, Any], request_id: str) -> Layers:
    """The request in a message; raises as :func:`parse_game` and :func:`parse_include`."""
    game = parse_game(message)
    moves = parse_cell_list(message.get("moves") or [], game.rules.size, "moves")
    if len(moves) > MAX_WORDS:
        raise RequestError("bad_request", f"{len(moves)} moves: expected at most {MAX_WORDS}")
    return Layers(
        id=request_id,
        game=game,
        include=parse_include(message, LAYERS),
        net=text_field(message, "net") if message.get("net") else "",
        depth=whole_field(message, "depth", 1, MAX_TREE_DEPTH, default=2),
        moves=tuple(game.position.check(move) for move in moves),
    )


def layers_json(request: Layers) -> dict[str, Any]:
    """The message for a request; the inverse of :func:`parse_layers`."""
    size = request.game.rules.size
    return {
        "type": "layers",
        "id": request.id,
        "position": position_json(request.game),
        "include": sorted(request.include),
        "net": request.net,
        "depth": request.depth,
        "moves": [format_move(move, size) for move in request.moves],
    }
