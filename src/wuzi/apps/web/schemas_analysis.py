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
    ForbiddenOut,
    Incoming,
    Letter,
    LocalText,
    OutcomeOut,
    Outgoing,
    RuleName,
    RulesOut,
    Time,
)
from wuzi.apps.web.schemas_jobs import Language
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
    cells: str | None = Field(default=None, max_length=676, description="set-up: as in SetupIn")
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


class ThreatOut(Outgoing):
    """A threat on the board."""

    kind: str
    color: Letter
    stones: list[Cell]
    gains: list[Cell]


class PositionOut(Outgoing):
    """A position code, checked."""

    cells: str
    to_move: Letter
    ply: int
    legal: int
    forbidden: list[ForbiddenOut]
    outcome: OutcomeOut | None
    winning_lines: list[list[Cell]]
    position_code: str
    threats: list[ThreatOut] | None = Field(default=None, description="only if asked for")


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


class ForcedWin(Outgoing):
    """Whether a side that is to move would win by fours (vcf) or by threats (vct), and how."""

    color: ColorLetter
    to_move: bool
    kind: Literal["vcf", "vct"]
    verdict: Literal["win", "none", "unknown"]
    moves: list[str]


class ThreatLayer(Outgoing):
    """What is on the board, and the forced wins of both sides."""

    found: list[ThreatOut]
    lines: list[ForcedWin]


class ScoreReason(Outgoing):
    """A run that gives a cell its score."""

    side: Literal["attack", "defence"]
    direction: str
    stones: int
    open_ends: int = Field(alias="open_ends")
    score: int
    cells: list[str]


class ScoreLayer(Outgoing):
    """The score table for the side to move, by cell, and the reasons of the best cells."""

    attack: list[int]
    defence: list[int]
    reasons: dict[str, list[ScoreReason]]


class NetLayer(Outgoing):
    """What a net says without search; maps and gauges as far as it has them."""

    name: str
    architecture: str
    policy: list[float] | None = None
    value: float | None = None
    winrate: float | None = None
    maps: dict[str, list[float]]
    gauges: dict[str, float]


class TreeRow(Outgoing):
    """A node of the recorded tree; values are those of the side to move there."""

    id: int
    parent: int | None
    move: str | None
    color: ColorLetter
    depth: int
    alpha: int | None
    beta: int | None
    value: int | None
    cutoff: bool


class TreeLayer(Outgoing):
    """What minimax looked at, in order."""

    depth: int
    width: int
    rows: list[TreeRow]
    is_cut: bool
    best: list[str]


class TextsOut(Outgoing):
    """Sentences in both languages."""

    en: list[str]
    zh: list[str]


class MoveWords(TextsOut):
    """A move in words."""

    move: str


class LayersOut(Outgoing):
    """The layers asked for; of those that make no sense here, why."""

    turn_number: int
    threats: ThreatLayer | None = None
    scores: ScoreLayer | None = None
    net: NetLayer | None = None
    tree: TreeLayer | None = None
    words: list[MoveWords] | None = None
    unsupported: dict[str, str]


class BalanceIn(Incoming):
    """A position to even out by one or two moves."""

    position: PositionIn
    count: Literal[1, 2] = 1


class BalanceOut(Outgoing):
    """The moves that come nearest to both sides standing alike, and Black's expected score after them."""

    moves: list[Cell]
    winrate: float | None


class NewReview(Incoming):
    """A game to review: one of the server's, or the text of a record."""

    game_id: str | None = Field(default=None, max_length=60)
    record: str | None = Field(default=None, max_length=1 << 20)
    depth: Depth = "normal"
    lang: Language = Field(default="en", description="of the names of engines in a game of the server's")


class TryIn(Incoming):
    """A move in place of one of the game's, or of one that is not played yet."""

    ply: int = Field(ge=0, le=676, description="moves played before it")
    move: CellText


class PuzzleTryIn(Incoming):
    """A move in a puzzle."""

    moves: list[CellText] = Field(min_length=1, max_length=200, description="both sides', from its position")


class ReviewProgress(Outgoing):
    """How far a review is."""

    stage: Literal["quick", "prove", "deep", "defend", "verify"] | None
    done: int
    of: int
    fraction: float
    ahead: int = Field(description="searches of others before the next step")


class WinOut(Outgoing):
    """A forced win that the checker accepted."""

    kind: Literal["five", "vcf", "vct"]
    moves: list[str]


class ReviewMove(Outgoing):
    """What is known of a move; win rates are Black's, losses are points of the mover's win rate."""

    ply: int
    color: ColorLetter
    move: str
    before: float | None
    after: float | None
    loss: float | None
    accuracy: float | None
    mark: MarkName | None
    best: list[str]
    missed: WinOut | None
    allowed: WinOut | None
    open_win: WinOut | None = Field(description="a forced win; whether the move played wins too is open")
    loses: WinOut | None = Field(description="the enemy's forced win after the move")
    defence: str | None
    only: str | None
    forced: bool
    wins: bool = Field(description="it is proved that the move wins")
    is_lost: bool = Field(description="it is proved that every move loses")
    seems_lost: bool = Field(description="the analyst finds no move that saves the game")
    is_deep: bool
    text: TextsOut


class ReviewSide(Outgoing):
    """One side's game in numbers."""

    color: Letter
    moves: int
    accuracy: float | None
    mean_loss: float | None
    agreement: float | None
    inaccuracies: int
    mistakes: int
    blunders: int
    missed_wins: int
    allowed_wins: int
    only_found: int
    only_missed: int


class ResignedOut(Outgoing):
    """A game given up, or agreed to be a draw, by a side that was not losing."""

    color: Letter
    win: WinOut | None
    winrate: float = Field(description="that side's")
    text: LocalText


class ReviewSummary(Outgoing):
    """A review in a list."""

    id: str
    status: StatusName
    created_at: Time
    players: dict[ColorLetter, str]
    rules: RulesOut
    ply: int
    fraction: float


class ReviewOut(Outgoing):
    """A review as far as it is done; ``seq`` grows with each result."""

    id: str
    seq: int
    status: StatusName
    error: str | None
    error_code: str | None
    created_at: Time
    players: dict[ColorLetter, str]
    date: str
    rules: RulesOut
    outcome: OutcomeOut | None
    player: str
    start: str = Field(description="stones before the first move, as in GameState.cells")
    judged_from: int
    progress: ReviewProgress
    winrates: list[float | None]
    moves: list[ReviewMove]
    sides: list[ReviewSide]
    worst: list[int]
    resigned: ResignedOut | None


class TrialOut(Outgoing):
    """What a tried move is worth."""

    verdict: VerdictName
    proved: bool = Field(default=True, description="whether the verdict is, or only believed")
    reply: str | None = Field(default=None, description="the enemy's answer while a win is not complete")
    line: list[Cell] = Field(default_factory=list, description="the enemy's forced win, if there is one")
    loss: float | None = None
    winrate: float | None = None


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
