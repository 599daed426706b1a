"""What travels about arenas and results. Names are camelCase on the wire."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from wuzi.apps.web.schemas import Cell, Incoming, LocalText, Outgoing, RulesIn, RulesOut
from wuzi.arena.report import Table

ArenaStatus = Literal["running", "stopping", "stopped", "done", "failed", "interrupted"]
FormatName = Literal["round-robin", "gauntlet", "ladder"]
OpeningsName = Literal["book", "auto", "none"]
Language = Literal["en", "zh"]
Label = Annotated[str, Field(max_length=60, pattern=r"^[^\x00-\x1f\x7f]*$")]


def _finite(value: Any) -> Any:
    return (round(value, 6) if math.isfinite(value) else None) if isinstance(value, float) else value


Number = Annotated[
    float | None, BeforeValidator(_finite), Field(description="null where the data set no bound")
]


class BudgetIn(Incoming):
    """What an answer, or a game, may cost; a player's own default where nothing is said."""

    time_s: float | None = Field(default=None, gt=0, le=3600, description="seconds a move")
    clock_s: float | None = Field(default=None, ge=1, le=7200, description="seconds a game")
    increment_s: float = Field(default=0, ge=0, le=60, description="seconds added after each move")
    nodes: int | None = Field(default=None, ge=1, le=1_000_000_000)
    depth: int | None = Field(default=None, ge=1, le=60)
    visits: int | None = Field(default=None, ge=1, le=10_000_000, description="simulations of a tree search")


class ArenaPlayerIn(Incoming):
    """A player: a spec string as ``wuzi players`` shows them, without commands or paths."""

    spec: str = Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")
    label: Label = Field(default="", description="its name in the results; the spec by default")
    limit: BudgetIn | None = Field(default=None, description="its own instead of the arena's")


class SprtIn(Incoming):
    """A test that ends the games as soon as it is decided, in normalised Elo; for two players."""

    elo0: float = Field(default=0, ge=-1000, le=1000)
    elo1: float = Field(default=30, ge=-1000, le=1000)


class NewArena(Incoming):
    """Games between players of the server."""

    name: Label = ""
    players: Annotated[list[ArenaPlayerIn], Field(min_length=2, max_length=64)]
    games: int = Field(default=20, ge=1, le=1_000_000, description="games of each pairing")
    format: FormatName = "round-robin"
    rules: RulesIn = Field(default_factory=RulesIn)
    openings: OpeningsName = Field(
        default="book", description="book: the even openings of the rule and board, else auto (random ones)"
    )
    limit: BudgetIn | None = None
    sprt: SprtIn | None = None
    seed: int = Field(default=0, ge=0, le=2**31 - 1)


class EstimateOut(Outgoing):
    """A number with its 95 % interval."""

    value: Number
    low: Number
    high: Number


class StandingOut(Outgoing):
    """A player of a tournament; the strongest comes first."""

    label: str
    games: int
    wins: int
    draws: int
    losses: int
    win_rate: EstimateOut
    rating: EstimateOut | None = Field(description="Elo points; the mean of all players is 0")


class PairOut(Outgoing):
    """Two players against each other, as the one ahead sees it."""

    leader: str
    other: str
    wins: int
    draws: int
    losses: int
    score: EstimateOut
    elo: EstimateOut
    los: float = Field(description="likelihood that the leader is the stronger one")
    separable: bool
    distinct: int | None
    pentanomial: list[int] = Field(description="pairs of games by score, 0 to 2 in halves; empty: no pairs")


class SprtOut(Outgoing):
    """Where a sequential test stands."""

    elo0: float
    elo1: float
    llr: float
    low: float
    high: float
    nelo: float
    decision: Literal["H0", "H1", ""]


class FiguresOut(Outgoing):
    """What games say: numbers for pictures, and a report's sentences and tables in one language."""

    games: int
    distinct: int | None
    standings: list[StandingOut]
    pairs: list[PairOut]
    findings: list[str]
    warnings: list[str]
    tables: list[Table]
    methods: list[str]


class BoardOut(Outgoing):
    """A game that is being played."""

    game_id: str
    black: str
    white: str
    size: int
    moves: list[Cell]


class ArenaSummary(Outgoing):
    """An arena in a list."""

    id: str
    name: str
    status: ArenaStatus
    created_at: str
    players: list[str]
    rules: RulesOut
    done: int
    total: int


class ArenaOut(ArenaSummary):
    """An arena as it stands."""

    seq: int = Field(description="grows with every change")
    message: str = Field(description="why it failed; English, as the command said it")
    format: FormatName
    openings: str
    games_per_hour: float | None
    eta_s: float | None
    sprt: SprtOut | None
    figures: FiguresOut | None = Field(description="null before the first game is over")


class ArenaPlayerOut(Outgoing):
    """A player that forms can offer."""

    spec: str
    name: LocalText
    limit: dict[str, float]


class ResultOut(Outgoing):
    """An uploaded file of results."""

    id: str
    name: str
    created_at: str
    games: int
    players: list[str]


class GameRow(Outgoing):
    """A finished game."""

    number: int
    black: str
    white: str
    winner: Literal["black", "white", "draw"]
    reason: str
    plies: int | None
    duration_s: float | None
    size: int | None
    win_length: int | None
    rule: str
    moves: str = Field(description="position code; empty where the file holds no moves")


class GameRows(Outgoing):
    """Some of the games, and how many there are."""

    total: int
    games: list[GameRow]


class ChartOut(Outgoing):
    """A picture of a report."""

    number: int
    title: str


class ChartsOut(Outgoing):
    """Whether the charts of a report are drawn."""

    status: Literal["none", "making", "ready", "failed"]
    games: int = Field(description="games that the charts show")
    message: str
    charts: list[ChartOut]
