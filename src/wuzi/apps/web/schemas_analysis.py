"""What travels in analyses, reviews and puzzles; answers have the names of KataGo's analysis engine."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from wuzi.apps.web.schemas import (
    MAX_ENGINE,
    MULTIPV,
    Cell,
    CellText,
    ColorLetter,
    Incoming,
    Letter,
    Outgoing,
    RuleName,
    RulesOut,
)
from wuzi.protocols.analysis.queries import TREE_DEPTH

MapName = Literal["visits", "policy"]
LayerName = Literal["threats", "scores", "net", "tree", "words"]
NameText = Annotated[str, Field(min_length=1, max_length=80)]
ReviewExportName = Literal["sgf", "html", "csv", "json"]
Depth = Literal["quick", "normal", "deep"]
MarkName = Literal["good", "inaccuracy", "mistake", "blunder"]
StatusName = Literal["running", "stopped", "done", "failed"]
ThemeName = Literal["vcf", "vct", "defence"]
DifficultyName = Literal["easy", "medium", "hard"]
VerdictName = Literal["solved", "continues", "close", "fails", "lost"]


class PositionIn(Incoming):
    """Stones on a board: moves from the empty board or from a set-up one, colours in turn."""

    size: int = Field(default=15, ge=3, le=26)
    win_length: int = Field(default=5, ge=3, le=26)
    rule: RuleName = "freestyle"
    moves: list[CellText] = Field(default_factory=list, max_length=676)
    cells: str | None = Field(
        default=None,
        max_length=676,
        description="set-up: size*size characters of '.', 'B', 'W', top row first",
    )
    to_move: ColorLetter | None = Field(default=None, description="who moves first on the set-up board")


class LimitIn(Incoming):
    """The budget; whatever comes first ends the search, and the server's own limits always hold."""

    visits: int | None = Field(default=None, ge=1, le=1 << 53)
    time: float | None = Field(default=None, gt=0, le=86_400, description="seconds")
    nodes: int | None = Field(default=None, ge=1, le=1 << 53)
    depth: int | None = Field(default=None, ge=1, le=100)


class AnalyzeIn(Incoming):
    """A position to be analysed by an engine of the server's list, or by a net with or without search."""

    position: PositionIn
    engine: str = Field(
        default="engine",
        max_length=MAX_ENGINE,
        description="of /engines, or a run's; with a net az or policy",
    )
    level: str | None = Field(default=None, max_length=60)
    net: NameText | None = Field(default=None, description="a name of /nets")
    limit: LimitIn = Field(default_factory=LimitIn)
    multipv: int = Field(default=MULTIPV, ge=1, le=50, description="how many candidates")
    include: list[MapName] = Field(default_factory=list, max_length=4, description="maps over the board")


class LayersIn(Incoming):
    """Which layers of a position to make."""

    position: PositionIn
    include: list[LayerName] = Field(min_length=1, max_length=5)
    net: NameText | None = Field(default=None, description="for the layer net: a name of /nets")
    depth: int = Field(default=TREE_DEPTH, ge=1, le=4, description="plies of the layer tree")
    moves: list[CellText] = Field(default_factory=list, max_length=20, description="for the layer words")


class MoveInfo(Outgoing):
    """A candidate. ``winrate`` is Black's, ``value`` the side to move's; ``winIn`` plies are proven."""

    move: str
    order: int
    visits: int
    winrate: float | None
    prior: float | None
    value: float | None
    score: float | None
    pv: list[str]
    win_in: int | None


class RootInfo(Outgoing):
    """The search as a whole."""

    current_player: ColorLetter
    visits: int
    winrate: float | None
    nodes: int
    simulations: int
    depth: int
    max_depth: int
    nps: float
    time: float


class AnalysisOut(Outgoing):
    """A report of a search."""

    id: str
    is_during_search: bool
    turn_number: int
    root_info: RootInfo
    move_infos: list[MoveInfo]
    visits: list[int] | None = Field(default=None, description="by cell, if asked for and known")
    policy: list[float | None] | None = Field(default=None, description="prior by cell, likewise")


class PuzzleSummary(Outgoing):
    """A puzzle in a list."""

    id: str
    theme: ThemeName
    rules: RulesOut
    ply: int
    to_move: Letter
    length: int = Field(description="moves of the solution, both sides'")
    difficulty: DifficultyName


class PuzzleOut(PuzzleSummary):
    """A puzzle."""

    moves: list[Cell]
    solution: list[Cell] | None = Field(default=None, description="only if asked for")
