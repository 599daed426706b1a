"""What travels over the WebSockets: each message says its ``type``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, Field
from pydantic.json_schema import models_json_schema

from wuzi.apps.web.schemas import GameState, Incoming, Outgoing
from wuzi.apps.web.schemas_analysis import AnalysisOut, AnalyzeIn, MoveInfo, ReviewOut, RootInfo
from wuzi.apps.web.schemas_jobs import ArenaOut, BoardOut, RunSummary


class Message(Outgoing):
    """A message of the server."""

    type: str


class PingMessage(Message):
    """A heartbeat; each side sends them, and the other answers with ``pong``."""

    type: Literal["ping", "pong"] = "ping"


class GameMessage(Message):
    """The state of a game, now and after each change."""

    type: Literal["state"] = "state"
    game: GameState


class SearchMessage(Message):
    """What the engine to move thinks so far; ``seq`` grows with each report."""

    type: Literal["info"] = "info"
    game_id: str
    ply: int
    seq: int
    root_info: RootInfo
    move_infos: list[MoveInfo]


class EngineErrorMessage(Message):
    """The engine to move gave no answer."""

    type: Literal["engineError"] = "engineError"
    code: str
    message: str


class ReviewMessage(Message):
    """A review, now and after each result."""

    type: Literal["state"] = "state"
    review: ReviewOut


class ArenaMessage(Message):
    """An arena, now and whenever it changes."""

    type: Literal["state"] = "state"
    arena: ArenaOut


class BoardsMessage(Message):
    """The games in progress."""

    type: Literal["boards"] = "boards"
    boards: list[BoardOut]


class RunMessage(Message):
    """How a training run stands, and its rows of figures from number ``first`` on.

    ``version`` and ``count`` are those of the metrics. A client that has fewer than ``first`` rows, or
    those of another version, asks for all figures again.
    """

    type: Literal["run"] = "run"
    run: RunSummary
    version: int
    count: int
    first: int
    rows: list[dict[str, float | None]]


class QueuedMessage(Message):
    """A search waits for a worker."""

    type: Literal["queued"] = "queued"
    id: str
    ahead: int


class AnalysisMessage(AnalysisOut, Message):
    """A report of a search; ``done`` is the last one."""

    type: Literal["info", "done"]
    seq: int
    made_room: bool = Field(default=False, description="it ended before its limit, as others waited")


class AnalysisProblem(Message):
    """A search that cannot be made or has failed; no id where the request had none."""

    type: Literal["error"] = "error"
    id: str | None
    code: str
    message: str


class StartIn(AnalyzeIn):
    """Begins a search in place of the one that runs."""

    type: Literal["start"] = "start"
    id: str = Field(min_length=1, max_length=60, description="comes back with every report")
    report_every: float = Field(default=0.1, ge=0.1, le=60, description="least seconds between two reports")


class EndIn(Incoming):
    """Ends the search of that id: ``stop`` with its best answer so far, ``cancel`` without one."""

    type: Literal["stop", "cancel"]
    id: str = Field(max_length=60)


class Topic(NamedTuple):
    """A WebSocket: what the server says on it, and what it understands besides heartbeats."""

    says: tuple[type[Message], ...]
    hears: tuple[type[Incoming], ...] = ()
    query: Mapping[str, Any] = {}


TOPICS = {
    "/ws/v1/games/{game_id}": Topic((GameMessage, SearchMessage, EngineErrorMessage)),
    "/ws/v1/reviews/{review_id}": Topic((ReviewMessage,)),
    "/ws/v1/arenas/{arena_id}": Topic(
        (ArenaMessage, BoardsMessage), query={"lang": {"type": "string", "enum": ["en", "zh"]}}
    ),
    "/ws/v1/runs/{run_id}": Topic((RunMessage,)),
    "/ws/v1/analysis": Topic((AnalysisMessage, QueuedMessage, AnalysisProblem), (StartIn, EndIn)),
}


def describe_sockets(schema: dict[str, Any]) -> None:
    """Add the messages to the components of an OpenAPI document, and the sockets as ``x-sockets``."""
    models: list[tuple[type[BaseModel], Literal["serialization", "validation"]]] = [
        (PingMessage, "serialization")
    ]
    for topic in TOPICS.values():
        models += [(model, "serialization") for model in topic.says]
        models += [(model, "validation") for model in topic.hears]
    _, found = models_json_schema(models, ref_template="#/components/schemas/{model}")
    components = schema["components"]["schemas"]
    for name, definition in found["$defs"].items():
        components.setdefault(name, definition)
    schema["x-sockets"] = {
        path: {
            "query": dict(topic.query),
            "says": _any_of((*topic.says, PingMessage)),
            "hears": _any_of((*topic.hears, PingMessage)),
        }
        for path, topic in TOPICS.items()
    }


def _any_of(models: tuple[type[BaseModel], ...]) -> dict[str, Any]:
    return {"anyOf": [{"$ref": f"#/components/schemas/{model.__name__}"} for model in models]}
