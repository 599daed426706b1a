"""What travels: requests and answers of the API. Names are camelCase on the wire."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

if TYPE_CHECKING:
    from wuzi.apps.web.store import StoredEntry

ColorLetter = Literal["B", "W"]
RuleName = Literal["freestyle", "standard", "renju", "caro", "caro_overline"]
OpeningName = Literal["free", "swap1", "swap2"]
PhaseName = Literal["play", "place_three", "choose", "choose_after_five", "over"]
ReasonName = Literal[
    "line", "draw_full", "forbidden", "resignation", "agreement", "time", "crash", "illegal", "adjudication"
]
ForbiddenName = Literal["overline", "double_four", "double_three"]
ExportName = Literal["sgf", "psq", "rec", "pos", "json", "svg", "txt"]
AbilityName = Literal["play", "analyse", "review", "solve", "compete", "manage", "ponder"]
BookName = Literal["even", "renju26"]
StoreName = Literal["games", "reviews"]
MAX_ENGINE = 200  # characters of an engine's id
MULTIPV = 5  # candidates of an analysis that asks for no number of them
RECENT = 20  # games, or reviews, of a list that asks for no number of them

Key = Annotated[str, Field(min_length=16, max_length=64)]
CellText = Annotated[str, Field(min_length=2, max_length=7, description="A cell: h8, or 7,7 (column,row).")]
Ply = Annotated[int, Field(ge=0, le=676, description="The number of stones the client saw on the board.")]

Cell = Annotated[str, BeforeValidator(str)]
"""A cell that is answered: a move of the rule book, or its text."""
Letter = Annotated[ColorLetter, BeforeValidator(lambda color: getattr(color, "letter", color))]
_LABEL = BeforeValidator(lambda value: getattr(value, "label", value))
RuleLabel = Annotated[RuleName, _LABEL]
ForbiddenLabel = Annotated[ForbiddenName, _LABEL]


def time_text(value: Any) -> Any:
    """Seconds since 1970 as RFC 3339."""
    if not isinstance(value, float | int):
        return value
    return datetime.fromtimestamp(value, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Time = Annotated[str, BeforeValidator(time_text)]
"""RFC 3339; made of seconds since 1970."""


class Incoming(BaseModel):
    """A request body: strict types, no unknown fields."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=False, extra="forbid", strict=True, allow_inf_nan=False
    )


class Outgoing(BaseModel):
    """An answer; made of fields, or of any object that has them as attributes."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        from_attributes=True,
        json_schema_serialization_defaults_required=True,
    )


class LocalText(Outgoing):
    """A text in both languages."""

    en: str
    zh: str


class RulesIn(Incoming):
    """The rules of a game."""

    size: int = Field(default=15, ge=3, le=26)
    win_length: int = Field(default=5, ge=3, le=26)
    rule: RuleName = "freestyle"
    opening: OpeningName = "free"


class RulesOut(Outgoing):
    """The rules of a game."""

    size: int
    win_length: int
    rule: RuleLabel
    opening: OpeningName


class OutcomeOut(Outgoing):
    """How a game ended; no winner is a draw."""

    winner: Letter | None
    reason: Annotated[ReasonName, _LABEL]
    forbidden_kind: ForbiddenLabel | None = None


class ParsedRecordOut(Outgoing):
    """What a game file holds."""

    format: str
    rules: RulesOut
    moves: list[Cell]
    players: dict[str, str]
    result: OutcomeOut | None
    tree: dict[str, Any] | None
    warnings: list[str]
    review: dict[str, Any] | None = Field(default=None, description="options and results that the file holds")


class ReviewFileIn(Incoming):
    """A review to be written as a file: a record as JSON, and what was found as ``wuzi review`` saves it."""

    record: str = Field(max_length=1 << 20)
    options: dict[str, Any]
    results: dict[str, dict[str, Any]]
    format: Literal["sgf", "html"] = "sgf"
    lang: Literal["en", "zh"] = "en"


class PutIn(Incoming):
    """A new value of a stored game or review: what lists show, and all of it as its page has it."""

    version: int = Field(ge=0, description="the version that it was made from; 0 for a new one")
    summary: dict[str, Any]
    data: dict[str, Any]
    key: str = Field(default="", max_length=64, description="of the seat that writes, where there are seats")
    keys: Annotated[list[Key], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="from now on only who names one of these two writes"
    )
    like: str = Field(default="", max_length=40, description="the game whose seats a new one has, too")
    swapped: bool = Field(default=False, description="those seats in turned order")


class StoredOut(Outgoing):
    """A stored game or review; times are milliseconds since 1970, ``now`` is the server's."""

    id: str
    version: int
    created_at: float
    updated_at: float
    now: float
    data: dict[str, Any]
    seated: bool = Field(description="only who has the link of a seat writes")
    writer: int | None = Field(description="the seat that wrote this version")

    @classmethod
    def of(cls, value: StoredEntry) -> StoredOut:
        """A value of the store as it travels."""
        return cls(
            id=value.id,
            version=value.version,
            created_at=1000 * value.created_at,
            updated_at=1000 * value.updated_at,
            now=1000 * time.time(),
            data=value.data,
            seated=value.seats is not None,
            writer=value.writer,
        )
