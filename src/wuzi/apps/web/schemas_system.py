"""What travels about the server itself: what it can do, and its engines with their levels."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from wuzi.apps.web.schemas import (
    AbilityName,
    BookName,
    LocalText,
    OpeningName,
    Outgoing,
    RuleLabel,
    RuleName,
    RulesOut,
)


class Health(Outgoing):
    """Whether the server is ready."""

    status: Literal["ok"]
    version: str
    commit: str | None = None
    kernels: Literal["warm", "cold", "compiling"]
    compiled: int = Field(description="kernels that are ready")
    to_compile: int = Field(description="kernels that there are")


class RuleOut(Outgoing):
    """A rule, and the board it needs."""

    id: RuleLabel
    win_lengths: list[int] | None = Field(description="null: any")


class BookOut(Outgoing):
    """Games that may begin from a book: the smallest and largest board and row."""

    id: BookName
    rule: RuleLabel | None = Field(description="null: any")
    min_size: int
    max_size: int
    min_win_length: int
    max_win_length: int


class DefaultsOut(Outgoing):
    """Engines to offer first, by id."""

    opponent: str
    analysts: list[str] = Field(description="the best one that knows the rules analyses")
    net_players: list[str] = Field(description="players of the analysis that take any net of /nets")


class LimitsOut(Outgoing):
    """The server's hard limits."""

    max_body: int
    max_games: int
    max_sockets: int
    max_move_s: float
    max_arenas: int
    workers: int


class Version(Outgoing):
    """What this server can do."""

    version: str
    commit: str | None = None
    rules: list[RuleOut]
    openings: list[OpeningName]
    min_size: int
    max_size: int
    min_win_length: int
    min_opening_size: int = Field(description="of the board, for any other opening than free")
    books: list[BookOut]
    defaults: DefaultsOut
    limits: LimitsOut
    read_only: bool
    can: list[AbilityName] = Field(
        description="play, analyse, review, solve puzzles, begin tournaments, remove and upload results"
    )


class RatingOut(Outgoing):
    """How strong a level was measured to be, on wuzi's own scale, with its 95 % interval."""

    elo: float
    low: float
    high: float
    games: int
    size: int = Field(description="of the board that it was measured on")


class LevelOut(Outgoing):
    """A level of an engine."""

    id: str
    name: LocalText
    limit: dict[str, float]
    rating: RatingOut | None = None


class CapabilitiesOut(Outgoing):
    """What an engine can play."""

    rules: list[RuleName]
    min_size: int
    max_size: int
    win_lengths: list[int] | None
    openings: list[OpeningName]
    deterministic: bool


class EngineOut(Outgoing):
    """An opponent of the server's list."""

    id: str
    name: LocalText
    description: LocalText
    spec: str
    net: str | None = Field(description="the name in /nets of the net that it plays with")
    default_level: str
    levels: list[LevelOut]
    capabilities: CapabilitiesOut


class NetOut(Outgoing):
    """A net at hand; parameters are counted, not claimed."""

    name: str
    architecture: str
    parameters: int
    size: int | None
    rules: RulesOut
    shipped: bool
    has_policy: bool
    maps: list[str]
