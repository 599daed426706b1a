"""The analysis protocol: one JSON object a line, replies with the field names of KataGo's analysis engine.

``docs/analysis-protocol.md`` describes every request and reply with examples. ``winrate`` is always
**Black's**, ``value`` the side to move's. Cells are renju text (``h8``), times are seconds, and no NaN ever
leaves. This module only parses and formats; :mod:`wuzi.analysis.service` does the thinking.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from wuzi.contract import Limit
from wuzi.core.game import Game
from wuzi.core.notation import Move
from wuzi.errors import (
    ConfigError,
    GameOverError,
    IllegalMoveError,
    NotationError,
    UnsupportedError,
    WuziError,
)
from wuzi.protocols.analysis.wire import (
    RequestError,
    encode,
    number,
    parse_cell_list,
    parse_object,
    parse_position,
    position_json,
    short,
    text_field,
    whole_field,
)

VERSION = 1
MAX_ID = 120
MAX_MULTIPV = 676
MAX_PRIORITY = 1_000_000
INCLUDES = frozenset({"extra"})
LAYERS = frozenset({"threats", "scores", "net", "tree", "words"})
TREE_DEPTH, MAX_TREE_DEPTH = 2, 4
MAX_WORDS = 20
_WITH_ID = ("start", "stop", "describe", "layers", "warm", "task")
_LIMITS = {
    "visits": "simulations",
    "time": "time_s",
    "nodes": "nodes",
    "depth": "depth",
    "clock": "clock_s",
    "increment": "increment_s",
}
"""Names of limits in the protocol, and of the fields of a :class:`~wuzi.contract.Limit`."""


@dataclass(frozen=True, slots=True)
class Start:
    """Think about a game: its side (or seat, in an opening phase) to act is asked.

    Attributes:
        id: the caller's name for this search, as in all requests.
        player: the spec string of the player that thinks.
        multipv: how many candidate moves to report.
        report_every_s: least seconds between two ``info`` lines; 0 sends each, None sends none.
        include: additions to each report; ``extra`` is the player's own.
        priority: among waiting searches the highest goes first.
    """

    id: str
    player: str
    game: Game
    limit: Limit = field(default_factory=Limit)
    multipv: int = 1
    report_every_s: float | None = 0.1
    include: frozenset[str] = frozenset()
    priority: int = 0


@dataclass(frozen=True, slots=True)
class StopSearch:
    """Answer the search of that id now.

    With ``cancel`` it ends without an answer, waiting or running, as a ``cancelled`` reply says; an empty id
    then means all searches.
    """

    id: str
    cancel: bool = False


@dataclass(frozen=True, slots=True)
class Describe:
    """Ask what a player supports, without thinking."""

    id: str
    player: str


@dataclass(frozen=True, slots=True)
class Layers:
    """Ask what can be said of a position at a glance; answered by ``layered``.

    Attributes:
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
    depth: int = TREE_DEPTH
    moves: tuple[Move, ...] = ()


@dataclass(frozen=True, slots=True)
class Warm:
    """Compile all kernels, or load them from their cache; answered by ``warmed``."""

    id: str


@dataclass(frozen=True, slots=True)
class NamedTask:
    """Do a named piece of work that is more than one search; its arguments are JSON-compatible data."""

    id: str
    task: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ping:
    """Ask for a ``pong``; answered at once, also during a search."""

    id: str | None = None


@dataclass(frozen=True, slots=True)
class Quit:
    """Stop everything and end the process."""


Request = Start | StopSearch | Describe | Layers | Warm | NamedTask | Ping | Quit
_PLAIN = {Describe: "describe", Warm: "warm", NamedTask: "task", Ping: "ping", Quit: "quit"}
"""The kinds of requests whose fields are written as they are."""


# ---------------------------------------------------------------- requests


def parse_request(line: str | bytes, default_player: str = "") -> Request:
    """The request in a line, with or without its end.

    ``default_player`` is the spec string for requests that name no player; empty if they must.

    Raises:
        RequestError: the line is not a request that can be served; carries the code and the id.
    """
    message = parse_object(line)
    request_id = message.get("id")
    if request_id is not None and not (isinstance(request_id, str) and 0 < len(request_id) <= MAX_ID):
        expected = f"expected text of 1 to {MAX_ID} characters"
        raise RequestError("bad_request", f"id is {short(request_id)}: {expected}")
    kind = message.get("type")
    try:
        if kind == "ping":
            return Ping(request_id)
        if kind == "quit":
            return Quit()
        if kind == "cancel":
            return StopSearch(request_id or "", cancel=True)
        if kind not in _WITH_ID:
            known = ", ".join((*_WITH_ID, "cancel", "ping", "quit"))
            raise RequestError("bad_request", f"type is {short(kind)}: expected {known}")
        if request_id is None:
            raise RequestError("bad_request", f"a {kind} request needs an id")
        if kind != "stop" and default_player and message.get("player") is None:
            message["player"] = default_player
        return _with_id(str(kind), request_id, message)
    except WuziError as error:
        raise RequestError(error_code(error), str(error), request_id) from None


def _with_id(kind: str, request_id: str, message: dict[str, Any]) -> Request:
    match kind:
        case "stop":
            return StopSearch(request_id)
        case "warm":
            return Warm(request_id)
        case "describe":
            return Describe(request_id, text_field(message, "player"))
        case "layers":
            return _parse_layers(message, request_id)
        case "task":
            return NamedTask(request_id, text_field(message, "task"), _object(message, "arguments"))
        case _:
            return _parse_start(message, request_id)


def error_code(error: BaseException) -> str:
    """The stable word for an error, as in the ``code`` of ``error`` replies."""
    if isinstance(error, RequestError):
        return error.code
    codes = (
        (NotationError, "bad_notation"),
        (GameOverError, "game_over"),
        (IllegalMoveError, "illegal_move"),
        (UnsupportedError, "unsupported_rule"),
        (ConfigError, "bad_config"),
    )
    return next((code for kind, code in codes if isinstance(error, kind)), "engine_failed")


def format_request(request: Request) -> str:
    """The line for a request, without the line end; the inverse of :func:`parse_request`."""
    data: dict[str, Any] = {}
    match request:
        case StopSearch(request_id, cancel):
            data = {"type": "cancel" if cancel else "stop", "id": request_id or None}
        case Layers():
            data = {
                "type": "layers",
                "id": request.id,
                "position": position_json(request.game),
                "include": sorted(request.include),
                "net": request.net,
                "depth": request.depth,
                "moves": [str(move) for move in request.moves],
            }
        case Start():
            limits = {name: getattr(request.limit, key) for name, key in _LIMITS.items()}
            limits["increment"] = limits["increment"] or None
            data = {
                "type": "start",
                "id": request.id,
                "player": request.player,
                "position": position_json(request.game),
                "limit": {name: value for name, value in limits.items() if value is not None},
                "multipv": request.multipv,
                "reportEvery": request.report_every_s,
                "include": sorted(request.include),
                "priority": request.priority,
            }
        case _:
            given = {item.name: getattr(request, item.name) for item in fields(request)}
            data = {"type": _PLAIN[type(request)]} | {key: it for key, it in given.items() if it is not None}
    return encode(data)


def _parse_start(message: Mapping[str, Any], request_id: str) -> Start:
    include = _include(message, INCLUDES)
    every = message.get("reportEvery", 0.1)
    game = _game(message)
    if game.outcome is not None:
        raise RequestError("game_over", f"the game is over ({game.outcome.reason.label})")
    return Start(
        id=request_id,
        player=text_field(message, "player"),
        game=game,
        limit=_limit(_object(message, "limit")),
        multipv=whole_field(message, "multipv", 1, MAX_MULTIPV, default=1),
        report_every_s=None if every is None else number("reportEvery", every, 0, 3600),
        include=include,
        priority=whole_field(message, "priority", -MAX_PRIORITY, MAX_PRIORITY, default=0),
    )


def _parse_layers(message: Mapping[str, Any], request_id: str) -> Layers:
    game = _game(message)
    moves = parse_cell_list(message.get("moves") or [], game.rules.size, "moves")
    if len(moves) > MAX_WORDS:
        raise RequestError("bad_request", f"{len(moves)} moves: expected at most {MAX_WORDS}")
    return Layers(
        id=request_id,
        game=game,
        include=_include(message, LAYERS),
        net=text_field(message, "net") if message.get("net") else "",
        depth=whole_field(message, "depth", 1, MAX_TREE_DEPTH, default=TREE_DEPTH),
        moves=tuple(game.position.check(move) for move in moves),
    )


def _object(message: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = message.get(name) or {}
    if not isinstance(value, dict):
        raise RequestError("bad_request", f"{name} is {short(value)}: expected an object")
    return value


def _game(message: Mapping[str, Any]) -> Game:
    position = message.get("position")
    if not isinstance(position, dict):
        raise RequestError("bad_request", f"position is {short(position)}: expected an object")
    return parse_position(position)


def _include(message: Mapping[str, Any], allowed: frozenset[str]) -> frozenset[str]:
    include = message.get("include") or []
    if not isinstance(include, list) or not all(isinstance(name, str) for name in include):
        raise RequestError("bad_request", f"include is {short(include)}: expected a list of names")
    if unknown := sorted(set(include) - allowed):
        known = ", ".join(sorted(allowed))
        raise RequestError("bad_request", f"include has {short(unknown[0])}: expected {known}")
    return frozenset(include)


def _limit(data: Mapping[str, Any]) -> Limit:
    if unknown := sorted(set(data) - set(_LIMITS)):
        raise RequestError("bad_request", f"limit has {short(unknown[0])}: expected {', '.join(_LIMITS)}")
    values: dict[str, Any] = {}
    for name, field_name in _LIMITS.items():
        if data.get(name) is not None:
            seconds = field_name.endswith("_s")
            read = number(name, data[name], 0, 1e7) if seconds else whole_field(data, name, 1, 1 << 53)
            values[field_name] = read
    return Limit(**values)
