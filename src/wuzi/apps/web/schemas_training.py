"""What travels about training runs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from wuzi.apps.web.schemas import Incoming, Outgoing, ReasonName, RulesOut

StateName = Literal["starting", "running", "finished", "stopped", "failed", "crashed"]
StageName = Literal["selfplay", "learn", "judge"]
RunName = Annotated[
    str, Field(min_length=1, max_length=60, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", examples=["six"])
]


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
    kind: Literal["mcts", "best"] = Field(description="against pure MCTS, or the best net before it")
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
    updated_at: str
    elo: float | None
    score: ScoreOut | None = Field(description="the latest evaluation")
    work: WorkOut | None
    findings: list[FindingOut]


class RunOut(RunSummary):
    """One run: what does not change as well."""

    parameters: dict[str, dict[str, str | float | bool | None]]
    environment: dict[str, str | float | None]
    version: str = Field(description="of wuzi, that began it")


class MetricsOut(Outgoing):
    """Figures by iteration.

    Each of ``rows`` stands for ``stride`` iterations, by the latest value of every figure. ``count`` counts
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
    presets: list[PresetOut]


class NewRun(Incoming):
    """A run to begin; what is left out is as the preset says."""

    name: RunName
    preset: str = Field(max_length=60)
    size: int | None = Field(default=None, ge=3, le=26)
    win_length: int | None = Field(default=None, ge=3, le=26)
    iterations: int | None = Field(default=None, ge=1, le=1_000_000)
    samples: int | None = Field(default=None, ge=1, le=100_000, description="games an iteration")
    simulations: int | None = Field(default=None, ge=1, le=100_000, description="a move")
    workers: int | None = Field(default=None, ge=0, le=64, description="processes; 0 as many as cores")
    seed: int | None = Field(default=None, ge=0, le=2**31)
    max_minutes: float | None = Field(default=None, gt=0, le=100_000)


class GoOn(Incoming):
    """How long to go on."""

    max_minutes: float | None = Field(default=None, gt=0, le=100_000)
