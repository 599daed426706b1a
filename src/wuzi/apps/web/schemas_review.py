"""What travels about reviews and puzzles. Names are camelCase on the wire."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from wuzi.apps.web.schemas import (
    Cell,
    CellText,
    ColorLetter,
    Incoming,
    Letter,
    LocalText,
    OutcomeOut,
    Outgoing,
    RulesOut,
)

ReviewExportName = Literal["sgf", "html", "csv", "json"]
Depth = Literal["quick", "normal", "deep"]
MarkName = Literal["good", "inaccuracy", "mistake", "blunder"]
StatusName = Literal["running", "stopped", "done", "failed"]
ThemeName = Literal["vcf", "vct", "defence"]
VerdictName = Literal["solved", "continues", "close", "fails"]


class NewReview(Incoming):
    """A game to review: one of the server's, or the text of a record."""

    game_id: str | None = Field(default=None, max_length=60)
    record: str | None = Field(default=None, max_length=1 << 20)
    depth: Depth = "normal"


class TryIn(Incoming):
    """A move in place of one of the game's, or of one that is not played yet."""

    ply: int = Field(ge=0, le=676, description="moves played before it")
    move: CellText


class PuzzleTryIn(Incoming):
    """A move in a puzzle."""

    moves: list[CellText] = Field(
        min_length=1, max_length=200, description="from its position on, both sides'"
    )


class ReviewProgress(Outgoing):
    """How far a review is."""

    stage: Literal["quick", "prove", "deep", "defend"] | None
    done: int
    of: int
    fraction: float
    ahead: int = Field(description="searches of others before the next step")


class WinOut(Outgoing):
    """A forced win that the checker accepted."""

    kind: Literal["five", "vcf", "vct"]
    moves: list[str]


class ReviewTexts(Outgoing):
    """Sentences in both languages."""

    en: list[str]
    zh: list[str]


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
    defence: str | None
    only: str | None
    forced: bool
    is_lost: bool
    is_deep: bool
    text: ReviewTexts


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


class ReviewSummary(Outgoing):
    """A review in a list."""

    id: str
    status: StatusName
    created_at: str
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
    created_at: str
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


class TrialOut(Outgoing):
    """What a tried move is worth."""

    verdict: VerdictName
    reply: str | None = Field(default=None, description="the enemy's answer where a win goes on")
    line: list[Cell] = Field(default_factory=list, description="the enemy's forced win, if there is one")
    loss: float | None = None
    winrate: float | None = None


class CheckOut(Outgoing):
    """Whether a move would be a bad mistake; which move is better is not told."""

    is_blunder: bool
    reason: LocalText | None = None
    loss: float | None = None


class PuzzleSummary(Outgoing):
    """A puzzle in a list."""

    id: str
    theme: ThemeName
    rules: RulesOut
    ply: int
    to_move: Letter
    length: int = Field(description="moves of the solution, both sides'")


class PuzzleOut(PuzzleSummary):
    """A puzzle."""

    moves: list[Cell]
    solution: list[Cell] | None = Field(default=None, description="only if asked for")
