"""What travels: requests and answers of the API. Names are camelCase on the wire."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

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
MAX_ENGINE = 200  # characters of an engine's id
MAX_NAME = 60  # characters of the name of a game or a person
MULTIPV = 5  # candidates of an analysis that asks for no number of them
RECENT = 20  # games, or reviews, of a list that asks for no number of them

CellText = Annotated[str, Field(min_length=2, max_length=7, description="A cell: h8, or 7,7 (column,row).")]
Ply = Annotated[int, Field(ge=0, le=676, description="The number of stones the client saw on the board.")]

Cell = Annotated[str, BeforeValidator(str)]
"""A cell that is answered: a move of the rule book, or its text."""
Letter = Annotated[ColorLetter, BeforeValidator(lambda color: getattr(color, "letter", color))]
_LABEL = BeforeValidator(lambda value: getattr(value, "label", value))
RuleLabel = Annotated[RuleName, _LABEL]
ForbiddenLabel = Annotated[ForbiddenName, _LABEL]


def _time(value: Any) -> Any:
    if not isinstance(value, float | int):
        return value
    return datetime.fromtimestamp(value, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Time = Annotated[str, BeforeValidator(_time)]
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
    """The rules of a new game."""

    size: int = Field(default=15, ge=3, le=26)
    win_length: int = Field(default=5, ge=3, le=26)
    rule: RuleName = "freestyle"
    opening: OpeningName = "free"


class SeatIn(Incoming):
    """Who sits down: a human, or an engine of the server's list, or a run's net, at one of its levels."""

    kind: Literal["human", "engine"]
    engine: str | None = Field(default=None, max_length=MAX_ENGINE)
    level: str | None = Field(default=None, max_length=60)
    ponders: bool = Field(default=False, description="think while the person against it does")
    name: str = Field(default="", max_length=MAX_NAME, description="of a person")


class SetupIn(Incoming):
    """Stones on the board before the first move."""

    cells: str = Field(max_length=676, description="size*size characters of '.', 'B', 'W', top row first")
    to_move: ColorLetter | None = None


class ClockIn(Incoming):
    """A clock for each seat: seconds for the whole game, and what each action adds; or seconds a move."""

    seconds: float = Field(ge=1, le=86_400)
    increment: float = Field(default=0, ge=0, le=600)
    each_move: bool = Field(default=False, description="the seconds are those of each move; none are added")


class NewGame(Incoming):
    """A new game; seat 0 acts first (Black, unless the opening lets seats swap)."""

    rules: RulesIn = Field(default_factory=RulesIn)
    seats: Annotated[list[SeatIn], Field(min_length=2, max_length=2)]
    first_seat: Literal["random"] | None = Field(default=None, description="'random' shuffles the seats")
    moves: list[CellText] | None = Field(default=None, max_length=676)
    setup: SetupIn | None = None
    clock: ClockIn | None = Field(default=None, description="without one nobody loses on time")
    handicap: int = Field(
        default=0, ge=0, le=3, description="extra stones of Black before White's first move"
    )
    book: BookName | None = Field(
        default=None, description="begin with an opening drawn from a book; even: about equal for both sides"
    )


class RestartIn(Incoming):
    """How a game is begun anew."""

    swap_sides: bool = Field(default=False, description="exchange the seats")


class MoveIn(Incoming):
    """One stone."""

    move: CellText
    ply: Ply | None = None


class ActionIn(Incoming):
    """What a seat does in an opening phase."""

    action: Literal["swap", "keep", "place"]
    moves: list[CellText] = Field(default_factory=list, max_length=3)
    ply: Ply | None = None


class UndoIn(Incoming):
    """How far to go back or forward; by default to the person's previous turn."""

    plies: int | None = Field(default=None, ge=1, le=676)


class NameIn(Incoming):
    """What a game is called; nothing for no name."""

    name: str = Field(max_length=MAX_NAME)


class PaceIn(Incoming):
    """Least seconds of a move where engines play each other."""

    seconds: float = Field(ge=0, le=60)


class ResignIn(Incoming):
    """Which side gives up; by default the person's."""

    color: ColorLetter | None = None


class HintIn(Incoming):
    """How much to tell: 1 only where to look, 2 the move and why."""

    level: Literal[1, 2] = 2


class RulesOut(Outgoing):
    """The rules of a game."""

    size: int
    win_length: int
    rule: RuleLabel
    opening: OpeningName


class SeatOut(Outgoing):
    """Who sits where, with the colour now."""

    kind: Literal["human", "engine"]
    engine: str | None = None
    level: str | None = None
    name: LocalText
    is_unnamed: bool = Field(default=False, description="a person who told no name")
    ponders: bool = Field(default=False, description="an engine that thinks while the person does")
    color: Letter


Seats = Annotated[list[SeatOut], Field(min_length=2, max_length=2)]


class ForbiddenOut(Outgoing):
    """A point that Black may not play in renju, and why."""

    move: Cell
    kind: ForbiddenLabel


class OutcomeOut(Outgoing):
    """How a game ended; no winner is a draw."""

    winner: Letter | None
    reason: Annotated[ReasonName, _LABEL]
    forbidden_kind: ForbiddenLabel | None = None


class ThinkingOut(Outgoing):
    """A search that runs or waits for a worker."""

    seat: int
    started_at: Time
    elapsed: float
    limit_s: float | None
    queued_ahead: int


class EngineErrorOut(Outgoing):
    """Why the engine to act gave no answer; ``POST .../resume`` asks it again."""

    code: str
    message: str
    log: str = Field(description="The last lines of its process; empty where others can reach the server")


class ClockOut(Outgoing):
    """A seat's clock at the moment of the answer."""

    left_s: float
    increment_s: float
    move_s: float | None = Field(default=None, description="where each move begins the clock anew")
    running: bool


class GameSummary(Outgoing):
    """A game in a list."""

    id: str
    name: str = ""
    rules: RulesOut
    seats: Seats
    ply: int
    outcome: OutcomeOut | None
    updated_at: Time


class GameState(GameSummary):
    """Everything a board needs to show; ``seq`` grows with each change."""

    seq: int
    created_at: Time
    phase: PhaseName
    seat_to_act: int
    to_move: Letter
    to_place: list[Letter] = Field(
        description="stones that the seat to act may put down at once; when it chooses none, the first or all"
    )
    moves: list[Cell]
    cells: str
    last_move: Cell | None
    winning_lines: list[list[Cell]]
    forbidden: list[ForbiddenOut]
    thinking: ThinkingOut | None
    paused: bool
    engine_error: EngineErrorOut | None
    winrate: float | None = Field(description="Black's expected score, 0 to 1")
    winrates: list[float | None]
    can_undo: bool
    can_redo: bool
    position_code: str
    clocks: list[ClockOut | None] = Field(description="by seat; null where nobody counts the time")
    pace_s: float | None = Field(default=None, description="least seconds a move; null where a person plays")


class Reply(Outgoing):
    """What an engine answered."""

    move: str | None
    action: dict[str, Any]
    resigned: bool
    winrate: float | None
    move_infos: list[dict[str, Any]]


class MoveAndReply(Outgoing):
    """The answer of ``?wait=true``."""

    game: GameState
    reply: Reply | None


HintKind = Literal[
    "wins",
    "blocks_win",
    "open_four",
    "double_threat",
    "stops_open_four",
    "winning_line",
    "best_defence",
    "advantage",
    "difficult",
    "best_found",
]
"""What a hint's reason is about: the first five say what the stone does, the others what a search
thinks. Members of :class:`wuzi.analysis.HintReason`."""


class HintOut(Outgoing):
    """A hint: at level 1 the area and what kind of move it is, all else at level 2."""

    area: list[Cell]
    move: Cell | None = None
    kind: HintKind
    reason: LocalText
    winrate: float | None = None
    lines: list[dict[str, Any]] = Field(default_factory=list)


class CheckOut(Outgoing):
    """Whether a move would be a bad mistake; which move is better is not told."""

    is_blunder: bool
    reason: LocalText | None = None
    loss: float | None = None


class ParsedRecordOut(Outgoing):
    """What a game file holds."""

    format: str
    rules: RulesOut
    moves: list[Cell]
    players: dict[str, str]
    result: OutcomeOut | None
    tree: dict[str, Any] | None
    warnings: list[str]
