"""The analysis protocol: one JSON object a line, field names as in KataGo's analysis engine.

::

    -> {"type":"start","id":"q7","player":"minimax:preset=s1","position":{"size":15,"rule":"freestyle",
        "moves":["h8","j9"]},"limit":{"visits":800,"time":5},"multipv":5,"reportEvery":0.1}
    <- {"type":"info","id":"q7","seq":3,"isDuringSearch":true,"turnNumber":2,"rootInfo":{},"moveInfos":[]}
    -> {"type":"stop","id":"q7"}                              answer now
    <- {"type":"done","id":"q7","action":{"type":"place","moves":["j8"]},"resigned":false, ...as info...}
    -> {"type":"cancel","id":"q7"}                            no answer wanted (without id: of none)
    <- {"type":"cancelled","id":"q7"}

Many requests may wait; those of the highest ``priority`` (a whole number, 0 by default) go first, equal
ones in the order they came. A running search is not interrupted by a later one.

Other requests: ``ping``, ``describe`` (what can this player play), ``layers`` (what can be said of a position
without a search: threats, score table, a net's policy, a recorded tree), ``warm`` (compile all kernels now),
``task`` (a named piece of work with ``arguments``, answered by ``done`` with its ``result``; see
:mod:`wuzi.analysis.named_tasks`), ``quit``. Other replies: ``ready``, ``queued``, ``pong``,
``described``, ``layered``, ``warmed``, ``error`` (with ``code`` and ``message``). ``winrate`` is always
**Black's**; ``value`` is the side to move's. Cells are renju text (``h8``), times are seconds. No NaN ever
leaves.
This module only parses and formats; :mod:`wuzi.analysis.service` does the thinking.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wuzi.contract import Limit
from wuzi.core.game import Game
from wuzi.errors import (
    ConfigError,
    GameOverError,
    IllegalMoveError,
    NotationError,
    UnsupportedError,
    WuziError,
)
from wuzi.protocols.analysis.layers import Layers, layers_json, parse_game, parse_include, parse_layers
from wuzi.protocols.analysis.wire import (
    RequestError,
    encode,
    number,
    parse_object,
    position_json,
    short,
    text_field,
    whole_field,
)

__all__ = [
    "Describe",
    "Layers",
    "Ping",
    "Quit",
    "Request",
    "Start",
    "StopSearch",
    "Warm",
    "error_code",
    "format_request",
    "parse_request",
]

VERSION = 1
MAX_ID = 120
MAX_MULTIPV = 676
MAX_PRIORITY = 1_000_000
INCLUDES = frozenset({"extra"})
_WITH_ID = ("start", "stop", "describe", "layers", "warm", "task")


@dataclass(frozen=True, slots=True)
class Start:
    """Think about a game.

    Attributes:
        id: the caller's name for this search.
        player: the spec string of the player that thinks.
        game: the game so far; its side (or seat, in an opening phase) to act is asked.
        limit: the budget.
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
    """Answer the search of that id now, or cancel it.

    Attributes:
        id: of the search; empty, with ``cancel``, for all of them.
        cancel: end it without an answer, waiting or running; a ``cancelled`` reply says so.
    """

    id: str
    cancel: bool = False


@dataclass(frozen=True, slots=True)
class Describe:
    """Ask what a player supports, without thinking."""

    id: str
    player: str


@dataclass(frozen=True, slots=True)
class Warm:
    """Compile all kernels, or load them from their cache; answered by ``warmed``."""

    id: str


@dataclass(frozen=True, slots=True)
class NamedTask:
    """Do a piece of work that is more than one search, such as a step of a review.

    Attributes:
        id: the caller's name for this request.
        task: which kind of work.
        arguments: what it needs, as JSON-compatible data.
    """

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


# ---------------------------------------------------------------- requests


def parse_request(line: str | bytes, default_player: str = "") -> Request:
    """The request in a line.

    Args:
        line: the line, with or without its end.
        default_player: the spec string for requests that name no player; empty if they must.

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
            return parse_layers(message, request_id)
        case "task":
            return _parse_task(message, request_id)
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
    match request:
        case Ping(request_id):
            return encode({"type": "ping"} | ({} if request_id is None else {"id": request_id}))
        case Quit():
            return encode({"type": "quit"})
        case StopSearch(request_id, cancel):
            return encode({"type": "cancel" if cancel else "stop", "id": request_id or None})
        case Warm(request_id):
            return encode({"type": "warm", "id": request_id})
        case NamedTask(request_id, task, arguments):
            data = {"type": "task", "id": request_id, "task": task, "arguments": dict(arguments)}
            return encode(data)
        case Describe(request_id, player):
            return encode({"type": "describe", "id": request_id, "player": player})
        case Layers():
            return encode(layers_json(request))
        case Start():
            return encode(
                {
                    "type": "start",
                    "id": request.id,
                    "player": request.player,
                    "position": position_json(request.game),
                    "limit": _limit_json(request.limit),
                    "multipv": request.multipv,
                    "reportEvery": request.report_every_s,
                    "include": sorted(request.include),
                    "priority": request.priority,
                }
            )


def _parse_task(message: Mapping[str, Any], request_id: str) -> NamedTask:
    arguments = message.get("arguments") or {}
    if not isinstance(arguments, dict):
        raise RequestError("bad_request", f"arguments is {short(arguments)}: expected an object")
    return NamedTask(request_id, text_field(message, "task"), arguments)


def _parse_start(message: Mapping[str, Any], request_id: str) -> Start:
    include = parse_include(message, INCLUDES)
    every = message.get("reportEvery", 0.1)
    game = parse_game(message)
    if game.outcome is not None:
        raise RequestError("game_over", f"the game is over ({game.outcome.reason.label})")
    return Start(
        id=request_id,
        player=text_field(message, "player"),
        game=game,
        limit=_parse_limit(message.get("limit") or {}),
        multipv=whole_field(message, "multipv", 1, MAX_MULTIPV, default=1),
        report_every_s=None if every is None else number("reportEvery", every, 0, 3600),
        include=include,
        priority=whole_field(message, "priority", -MAX_PRIORITY, MAX_PRIORITY, default=0),
    )


def _parse_limit(data: object) -> Limit:
    if not isinstance(data, dict):
        raise RequestError("bad_request", f"limit is {short(data)}: expected an object")
    known = ("visits", "time", "nodes", "depth", "clock", "increment")
    if unknown := sorted(set(data) - set(known)):
        raise RequestError("bad_request", f"limit has {short(unknown[0])}: expected {', '.join(known)}")

    def seconds(name: str) -> float | None:
        return None if data.get(name) is None else number(name, data[name], 0, 1e7)

    def count(name: str) -> int | None:
        return None if data.get(name) is None else whole_field(data, name, 1, 1 << 53)

    return Limit(
        time_s=seconds("time"),
        nodes=count("nodes"),
        depth=count("depth"),
        simulations=count("visits"),
        clock_s=seconds("clock"),
        increment_s=seconds("increment") or 0.0,
    )


def _limit_json(limit: Limit) -> dict[str, Any]:
    fields = {
        "visits": limit.simulations,
        "time": limit.time_s,
        "nodes": limit.nodes,
        "depth": limit.depth,
        "clock": limit.clock_s,
        "increment": limit.increment_s or None,
    }
    return {name: value for name, value in fields.items() if value is not None}
