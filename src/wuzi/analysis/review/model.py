"""What is reviewed, with which budgets, and the results so far."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from wuzi.analysis.review.results import Defence, Look, Proof, Result, TaskKind, parse_result, result_json
from wuzi.core.game import Game, Phase
from wuzi.core.notation import Move, format_moves
from wuzi.core.position import Position
from wuzi.core.rules import Opening
from wuzi.core.types import Color, Place
from wuzi.errors import ConfigError, RecordError
from wuzi.protocols.analysis.wire import format_cells

SCHEMA = 1
"""Version of the saved results; a newer one is refused."""


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """Who reviews, and the budgets of its passes.

    Attributes:
        player: spec string of the analyst.
        quick_nodes: positions searched a move in the first pass.
        deep_nodes: positions searched a move in the second pass; 0 leaves that pass out.
        deep_s: seconds a move in the second pass, instead of ``deep_nodes``.
        multipv: candidates a move in the second pass.
        proof_nodes: positions that each search for a forced win may look at.
    """

    player: str = "engine"
    quick_nodes: int = 20_000
    deep_nodes: int = 200_000
    deep_s: float | None = None
    multipv: int = 3
    proof_nodes: int = 200_000

    def __post_init__(self) -> None:
        for name, least in (("quick_nodes", 1), ("deep_nodes", 0), ("multipv", 1), ("proof_nodes", 1)):
            value = getattr(self, name)
            if type(value) is not int or value < least:
                raise ConfigError(f"review {name} is {value!r}: expected a whole number from {least}")
        if self.deep_s is not None and not 0 < self.deep_s <= 3600:
            raise ConfigError(f"review deep_s is {self.deep_s!r}: expected 0 to 3600 seconds")

    @property
    def has_deep_pass(self) -> bool:
        """Whether there is a second pass."""
        return self.deep_s is not None or self.deep_nodes > 0


@dataclass(frozen=True, slots=True)
class ReviewTask:
    """One piece of work, done in a second or so, whose result is kept.

    Attributes:
        kind: what to do.
        ply: the position, by the number of moves played since the start.
        moves: candidates, for :attr:`TaskKind.DEFEND`.
    """

    kind: TaskKind
    ply: int
    moves: tuple[Move, ...] = ()

    @property
    def key(self) -> str:
        """The name of its result."""
        return f"{self.kind}.{self.ply}"


class Subject:
    """The game under review as a plain sequence of stones; opening choices do not matter here.

    Attributes:
        game: the game as it was played.
        positions: before the first move, after it, and so on; one more than there are moves.
        judged_from: the first move that is judged; stones of a swap opening's proposals are not.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        rules = replace(game.rules, opening=Opening.FREE)
        start = game.start
        plain = start.ply == 0 and start.to_move is Color.BLACK
        position = Position(rules) if plain else Position.from_cells(rules, start.cells, start.to_move)
        positions = [position]
        for move in game.moves:
            position = position.play(move)
            positions.append(position)
        self.positions: tuple[Position, ...] = tuple(positions)
        self.judged_from = _opening_stones(game)

    @property
    def moves(self) -> tuple[Move, ...]:
        """The stones in order."""
        return self.game.moves

    @property
    def size(self) -> int:
        """Of the board."""
        return self.game.rules.size

    @property
    def last_open(self) -> int:
        """The last ply at which the board did not end the game."""
        return len(self.moves) - (self.positions[-1].outcome is not None)

    def game_at(self, ply: int) -> Game:
        """The game after so many stones, with no opening protocol; for asking players."""
        rules = self.positions[0].rules
        game = Game(rules, start=self.positions[0])
        for move in self.moves[:ply]:
            game = game.play(move)
        return game

    @cached_property
    def fingerprint(self) -> dict[str, Any]:
        """What tells this game from another one: rules, start and stones."""
        rules = self.game.rules
        return {
            "size": rules.size,
            "winLength": rules.win_length,
            "rule": rules.rule.label,
            "start": format_cells(self.positions[0]) if self.positions[0].ply else "",
            "first": self.positions[0].to_move.letter,
            "moves": format_moves(self.moves, rules.size),
        }


def _opening_stones(game: Game) -> int:
    """Stones on the board when the last choice of an opening was made."""
    if game.rules.opening is Opening.FREE:
        return 0
    for count in range(len(game.actions), 0, -1):
        if not isinstance(game.actions[count - 1], Place):
            return len(game.at(count).moves)
    return len(game.moves) if game.phase is not Phase.PLAY else 0


@dataclass(slots=True)
class Review:
    """A review in progress or done: the game, the options and the results of the tasks done so far.

    Attributes:
        subject: the game.
        options: as asked.
        results: what the tasks found, by :attr:`ReviewTask.key`.
    """

    subject: Subject
    options: ReviewOptions = field(default_factory=ReviewOptions)
    results: dict[str, Result] = field(default_factory=dict)

    @classmethod
    def of(cls, game: Game, options: ReviewOptions | None = None) -> Review:
        """A review of a game that has yet to begin.

        Raises:
            ConfigError: the game has no move.
        """
        if not game.moves:
            raise ConfigError("the game has no moves: nothing to review")
        return cls(Subject(game), options or ReviewOptions())

    def result(self, kind: TaskKind, ply: int) -> Result | None:
        """The result of a task, if it was done."""
        return self.results.get(f"{kind}.{ply}")

    def look(self, ply: int, *kinds: TaskKind) -> Look | None:
        """The first of these searches that was done; by default the deep one, else the quick one."""
        for kind in kinds or (TaskKind.DEEP, TaskKind.QUICK):
            if isinstance(found := self.result(kind, ply), Look):
                return found
        return None

    def proof(self, ply: int) -> Proof | None:
        """The forced wins of a position, once they were looked for."""
        found = self.result(TaskKind.PROVE, ply)
        return found if isinstance(found, Proof) else None

    def defence(self, ply: int) -> Defence | None:
        """What was found against a proved win, once it was looked for."""
        found = self.result(TaskKind.DEFEND, ply)
        return found if isinstance(found, Defence) else None

    def header(self) -> dict[str, Any]:
        """What a saved review begins with: its schema, the game's fingerprint and the options."""
        return {"schema": SCHEMA, "game": self.subject.fingerprint, "options": asdict(self.options)}

    def to_json(self) -> dict[str, Any]:
        """All of it as JSON-compatible data; the game itself only by its fingerprint."""
        size = self.subject.size
        results = {key: result_json(result, size) for key, result in self.results.items()}
        return self.header() | {"results": results}


def review_from_json(data: object, game: Game) -> Review:
    """The review that :meth:`Review.to_json` or its header wrote, of this game.

    Raises:
        RecordError: it is no review, of a newer version, or of another game.
    """
    if not isinstance(data, dict) or type(data.get("schema")) is not int:
        raise RecordError("saved review: expected an object with a schema number")
    if data["schema"] > SCHEMA:
        raise RecordError(f"saved review has schema {data['schema']}: this version reads up to {SCHEMA}")
    review = Review.of(game, options_from_json(data.get("options")))
    if data.get("game") != review.subject.fingerprint:
        raise RecordError("saved review belongs to another game: its moves or rules differ")
    results = data.get("results") or {}
    if not isinstance(results, dict):
        raise RecordError("saved review: results are no object")
    for key, result in results.items():
        review.results[key] = saved_result(key, result, review)
    return review


def options_from_json(data: object) -> ReviewOptions:
    """The options in a saved review.

    Raises:
        RecordError: they are none.
    """
    known = {item.name for item in fields(ReviewOptions)}
    if not isinstance(data, dict) or set(data) - known:
        raise RecordError(f"saved review: options are {str(data)[:60]}: expected {', '.join(sorted(known))}")
    try:
        return ReviewOptions(**data)
    except (ConfigError, TypeError) as error:
        raise RecordError(f"saved review: {error}") from None


def saved_result(key: str, data: object, review: Review) -> Result:
    """A saved result of this game.

    Raises:
        RecordError: its name, type or cells are wrong.
    """
    kind, _, ply = key.partition(".")
    known = kind in list(TaskKind) and ply.isdecimal() and int(ply) < len(review.subject.positions)
    if not known or not isinstance(data, dict):
        raise RecordError(f"saved review: {key[:40]!r} is no result of this game")
    try:
        return parse_result(TaskKind(kind), data, review.subject.size)
    except RecordError as error:
        raise RecordError(f"saved review: result {key}: {error}") from None
