"""What travels over the WebSockets: each message says its ``type``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, Field
from pydantic.json_schema import models_json_schema

from wuzi.apps.web.schemas import CellText, Incoming, OpeningName, Outgoing, StoredOut
from wuzi.apps.web.schemas_analysis import AnalysisOut, AnalyzeIn, LayersIn, LimitIn, PositionIn
from wuzi.apps.web.schemas_jobs import ArenaOut, BoardOut, RunSummary


class Message(Outgoing):
    """A message of the server."""

    type: str


class PingMessage(Message):
    """A heartbeat; each side sends them, and the other answers with ``pong``."""

    type: Literal["ping", "pong"] = "ping"


class StoredMessage(Message):
    """A stored game or review, now and after each change."""

    type: Literal["stored"] = "stored"
    value: StoredOut


class WatchMessage(Message):
    """How many pages look at it, whether this one leads (it lets the engines think), and who sits here."""

    type: Literal["watch"] = "watch"
    leads: bool
    watchers: int
    here: list[int] = Field(default_factory=list)


class SaidMessage(Message):
    """What another page that looks at it has said."""

    type: Literal["said"] = "said"
    said: Any


class SayIn(Incoming):
    """Something for all other pages that look at it."""

    type: Literal["say"]
    said: Any


class SitIn(Incoming):
    """This page has the key of a seat: the others see that it is here."""

    type: Literal["sit"]
    key: str = Field(max_length=64)


class ArenaMessage(Message):
    """An arena, now and whenever it changes."""

    type: Literal["state"] = "state"
    arena: ArenaOut


class BoardsMessage(Message):
    """The games in progress, and when this was sent (Unix time of the server)."""

    type: Literal["boards"] = "boards"
    boards: list[BoardOut]
    sent_at: float


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
    """A question waits for a worker, or with ``begun`` has one now."""

    type: Literal["queued"] = "queued"
    id: str
    ahead: int
    begun: bool = False


class AnalysisMessage(AnalysisOut, Message):
    """A report of a search; ``done`` is the last one, with what the player does."""

    type: Literal["info", "done"]
    seq: int
    made_room: bool = Field(default=False, description="it ended before its limit, as others waited")
    action: dict[str, Any] | None = None
    resigned: bool = False


class ResultMessage(Message):
    """The result of a task, or the layers of a position."""

    type: Literal["result"] = "result"
    id: str
    result: dict[str, Any]


class AnalysisProblem(Message):
    """A question that cannot be answered; no id where the request had none."""

    type: Literal["error"] = "error"
    id: str | None
    code: str
    message: str
    log: str = Field(
        default="", description="last lines of the process, where nobody else reaches the server"
    )


_ID = Field(min_length=1, max_length=60, description="comes back with every answer")


class ActionIn(Incoming):
    """What a seat did."""

    type: Literal["place", "swap", "keep"]
    moves: list[CellText] = Field(default_factory=list, max_length=5)


class GameIn(PositionIn):
    """A position with its opening: by the actions of its seats."""

    opening: OpeningName = "free"
    actions: list[ActionIn] | None = Field(default=None, max_length=700, description="in place of moves")


class MoveLimitIn(LimitIn):
    """A budget with what is left on the clock of a game."""

    clock: float | None = Field(default=None, ge=0, le=86_400)
    increment: float | None = Field(default=None, ge=0, le=600)


class StartIn(AnalyzeIn):
    """Begins a search; searches of other ids go on."""

    type: Literal["start"] = "start"
    id: str = _ID
    position: GameIn
    limit: MoveLimitIn = Field(default_factory=MoveLimitIn)
    report_every: float = Field(default=0.1, ge=0.1, le=60, description="least seconds between two reports")
    seed: int | None = Field(default=None, ge=0, le=65_535, description="of what a level decides by chance")
    is_move: bool = Field(
        default=False, description="of a game: with the level's own budget, before analyses"
    )


class TaskIn(Incoming):
    """A piece of work that is more than one search: ``wuzi.analysis.review.trial`` does it."""

    type: Literal["task"]
    id: str = _ID
    task: Literal["review", "judge", "balance", "hint"]
    position: GameIn
    analyst: Literal["engine", "minimax-s1"] = "engine"
    arguments: dict[str, Any] = Field(default_factory=dict)


class LookIn(LayersIn):
    """Which layers of a position to make."""

    type: Literal["layers"]
    id: str = _ID
    position: GameIn


class EndIn(Incoming):
    """Ends the question of that id: ``stop`` with its best answer so far, ``cancel`` without one."""

    type: Literal["stop", "cancel"]
    id: str = Field(max_length=60)


class Topic(NamedTuple):
    """A WebSocket: what the server says on it, and what it understands besides heartbeats."""

    says: tuple[type[Message], ...]
    hears: tuple[type[Incoming], ...] = ()
    query: Mapping[str, Any] = {}


TOPICS = {
    "/ws/v1/store/{kind}/{thing_id}": Topic((StoredMessage, WatchMessage, SaidMessage), (SayIn, SitIn)),
    "/ws/v1/arenas/{arena_id}": Topic(
        (ArenaMessage, BoardsMessage), query={"lang": {"type": "string", "enum": ["en", "zh"]}}
    ),
    "/ws/v1/runs/{run_id}": Topic((RunMessage,)),
    "/ws/v1/analysis": Topic(
        (AnalysisMessage, QueuedMessage, ResultMessage, AnalysisProblem), (StartIn, TaskIn, LookIn, EndIn)
    ),
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
