"""What travels about arenas, their results and training runs."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from wuzi.apps.web.schemas import (
    Cell,
    ColorLetter,
    Incoming,
    LocalText,
    Outgoing,
    ReasonName,
    RulesIn,
    RulesOut,
    Time,
)
from wuzi.arena.report import Table

ArenaStatus = Literal["running", "stopping", "stopped", "done", "failed", "interrupted"]
FormatName = Literal["round-robin", "gauntlet", "ladder"]
OpeningsName = Literal["book", "auto", "none"]
Language = Literal["en", "zh"]
Label = Annotated[str, Field(max_length=60, pattern=r"^[^\x00-\x1f\x7f]*$")]
StateName = Literal["starting", "running", "finished", "stopped", "failed", "crashed"]
StageName = Literal["selfplay", "learn", "judge"]
RunName = Annotated[
    str, Field(min_length=1, max_length=60, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", examples=["six"])
]


def _finite(value: Any) -> Any:
    return (round(value, 6) if math.isfinite(value) else None) if isinstance(value, float) else value


Number = Annotated[
    float | None, BeforeValidator(_finite), Field(description="null where the data set no bound")
]


class BudgetIn(Incoming):
    """What an answer, or a game, may cost; by default what the player itself uses."""

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


class BoardSideOut(Outgoing):
    """A side of a game that is being played."""

    name: str
    time_s: float = Field(description="seconds taken so far")
    clock_s: float | None = Field(description="seconds left; null without a clock")
    winrate: float | None = Field(
        description="Black's expected score by this side's last answer; null where it gave none"
    )


class BoardOut(Outgoing):
    """A game that is being played, or has just ended."""

    game_id: str
    black: BoardSideOut
    white: BoardSideOut
    size: int
    moves: list[Cell]
    to_move: ColorLetter
    asked_at: float | None = Field(description="since when that side thinks: Unix time of the server")
    winner: Literal["black", "white", "draw"] | None
    reason: ReasonName | None


class ArenaSummary(Outgoing):
    """An arena in a list."""

    id: str
    name: str
    status: ArenaStatus
    created_at: Time
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


class ArenaPlayerOptionOut(Outgoing):
    """A player that forms can offer."""

    spec: str
    name: LocalText
    limit: dict[str, float]


class ResultOut(Outgoing):
    """An uploaded file of results."""

    id: str
    name: str
    created_at: Time
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


class WorkOut(Outgoing):
    """What a run is doing at the moment."""

    stage: StageName
    iteration: int
    done: int
    of: int
    speed: float | None = Field(default=None, description="positions evaluated a second")


class ScoreOut(Outgoing):
    """The result of an evaluation, with the 95 % interval of its score."""

    iteration: int
    kind: Literal["mcts", "best", "table"] = Field(
        description="against pure MCTS, the best net before it, or, without search, the score table"
    )
    playouts: int | None = Field(description="of pure MCTS")
    wins: int
    losses: int
    draws: int
    rate: float
    low: float
    high: float


class FindingOut(Outgoing):
    """Something that is wrong with a run; ``other`` only has the run's own words."""

    code: str
    text: str
    figures: dict[str, float | str]


class RunSummary(Outgoing):
    """A run in a list, and what changes from moment to moment."""

    id: str
    method: str
    preset: str
    rules: RulesOut
    net: str = Field(description="the architecture")
    state: StateName
    reason: str = Field(description="why it ended, in the run's own words; may be empty")
    can_stop: bool = Field(description="whether this server trains here and was not told to stop")
    iteration: int
    iterations: int | None
    games: int | None
    seconds: float
    begun_at: str
    updated_at: Time
    elo: float | None
    score: ScoreOut | None = Field(description="the latest evaluation")
    work: WorkOut | None
    findings: list[FindingOut]


ParameterOut = str | float | bool | None


class RunChangeOut(Outgoing):
    """A parameter that was changed when the run was resumed."""

    iteration: int = Field(description="after which it holds")
    name: str = Field(description="section.key")
    before: ParameterOut
    after: ParameterOut


class RunOut(RunSummary):
    """One run: what does not change as well."""

    parameters: dict[str, dict[str, ParameterOut]] = Field(description="as they are now")
    changes: list[RunChangeOut]
    environment: dict[str, str | float | None]
    version: str = Field(description="of wuzi, that began it")


class MetricsOut(Outgoing):
    """Figures by iteration.

    Each of ``rows`` has the latest value of every figure among ``stride`` iterations. ``count`` counts
    all there are, and ``version`` grows when the run has dropped some and computes them again.
    """

    version: int
    count: int
    stride: int
    rows: list[dict[str, float | None]]


class RunGameOut(Outgoing):
    """A game of self-play."""

    number: int
    net: int = Field(description="the iteration of the net that began it")
    moves: str = Field(description="a position code")
    ply: int
    opening: int = Field(description="how many of the moves were drawn at random")
    winner: Literal["B", "W"] | None
    reason: ReasonName


class RunGames(Outgoing):
    """Games in the order they ended."""

    total: int
    first: int
    rules: RulesOut
    games: list[RunGameOut]


class RunNetOut(Outgoing):
    """A net that a run has saved."""

    name: str
    engine: str | None = Field(description="the id to play or analyse with; null where it cannot be opened")
    iteration: int | None
    games: int | None
    parameters: int
    bytes: int
    current: bool
    best: bool


class PresetOut(Outgoing):
    """A named set of parameters to begin with."""

    name: str
    method: str
    summary: str
    size: int


class TrainingOut(Outgoing):
    """What this server has and allows of training."""

    has_runs: bool = Field(description="whether there is a folder of runs")
    can_start: bool = Field(description="whether runs may be begun here, with the token")
    missing: str | None = Field(
        description="what installs PyTorch, for more presets, where it is not; else null"
    )
    presets: list[PresetOut]


class RunChoice(Incoming):
    """What a run would do; what is left out is as the preset says."""

    preset: str = Field(max_length=60)
    size: int | None = Field(default=None, ge=3, le=26)
    win_length: int | None = Field(default=None, ge=3, le=26)
    iterations: int | None = Field(default=None, ge=1, le=1_000_000)
    samples: int | None = Field(default=None, ge=1, le=100_000, description="games an iteration")
    simulations: int | None = Field(default=None, ge=1, le=100_000, description="a move")
    workers: int | None = Field(default=None, ge=0, le=64, description="processes; 0 as many as cores")
    seed: int | None = Field(default=None, ge=0, le=2**31)


class NewRun(RunChoice):
    """A run to begin."""

    name: RunName
    max_minutes: float | None = Field(default=None, gt=0, le=100_000)


class RunTimeOut(Outgoing):
    """How long a run would take, measured with fresh weights for some seconds."""

    seconds: float = Field(description="right to a factor of about two")


class GoOn(Incoming):
    """How long to continue, and to which iteration."""

    iterations: int | None = Field(
        default=None, ge=1, le=1_000_000, description="in all; left out: as before"
    )
    max_minutes: float | None = Field(default=None, gt=0, le=100_000)
